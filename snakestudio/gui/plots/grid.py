"""Grid of the plots of a panel; their number and the size of the panel determine the columns."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.plots.drop import dragged_channels
from snakestudio.gui.plots.plot import LivePlot
from snakestudio.viewmodel.plots.content import Content

MOST_PLOTS = 12
"""Largest number of plots in a panel: more would be too small to read."""

_TURN_MS = 30
"""Interval between the construction of two plots, ms: longer than that of the window's heartbeat."""
_NARROW = 560
"""Width of a plot below which there are fewer columns, px."""
_LOW = 120
"""Height of a row below which there are more columns, px."""


class _Zone(QLabel):
    """Drop zone for channels in a new plot; visible only during a drag of channels."""

    dropped = Signal(tuple)

    def __init__(self) -> None:
        super().__init__("Drop here for a new plot")
        self.setAcceptDrops(True)
        self.setMargin(8)
        self.setMinimumHeight(theme.scaled(34))
        self.hide()
        self._apply_style(False)
        theme.follow(self, lambda zone: zone._apply_style(False))

    def _apply_style(self, over: bool) -> None:
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        p = theme.current()
        edge, ground = (p.accent, p.card) if over else (p.line, p.panel)
        self.setStyleSheet(
            f"QLabel {{ border: 1px dashed {edge}; background: {ground}; color: {p.text if over else p.dim};"
            " border-radius: 6px; }"
        )

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dragged_channels(event.mimeData()):
            event.acceptProposedAction()
            self._apply_style(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._apply_style(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._apply_style(False)
        event.acceptProposedAction()
        self.dropped.emit(dragged_channels(event.mimeData()))


class PlotGrid(QWidget):
    """A grid of plots.

    Parameters
    ----------
    make : callable
        Makes a plot and connects it.

    Signals
    -------
    changed()
        A plot was added or removed.
    dropped(names: tuple of str)
        Channels were dropped outside the plots.
    """

    changed = Signal()
    dropped = Signal(tuple)

    def __init__(self, make: Callable[[Content], LivePlot]) -> None:
        super().__init__()
        self._make = make
        self.plots: list[LivePlot] = []
        self.coming: deque[Content] = deque()
        """Contents of plots that are not made yet."""
        self.empty = QLabel("Drag channels here, or choose a plot layout above.", self)
        self.empty.setProperty("role", "dim")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.zone = _Zone()
        self.zone.dropped.connect(self.dropped)
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(4)
        self._columns = 0
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(self._grid, 1)
        column.addWidget(self.zone)
        self.setAcceptDrops(True)

    def show_contents(self, contents: list[Content]) -> None:
        """Show exactly these contents; existing plots are reused."""
        self.coming.clear()
        while len(self.plots) > len(contents):
            self._delete(self.plots[-1])
        for plot, content in zip(self.plots, contents, strict=False):
            plot.show_content(content)
        for content in contents[len(self.plots) :]:
            self.plots.append(self._make(content))
        self._arrange(forced=True)
        self.changed.emit()

    def show_gradually(self, contents: list[Content]) -> None:
        """Like `show_contents`, but makes one plot per turn of the event loop, so that the window stays responsive."""
        count = max(1, len(self.plots))
        self.show_contents(contents[:count])
        self.coming.extend(contents[count:])
        self._make_next()

    def _make_next(self) -> None:
        if self.coming:
            QTimer.singleShot(_TURN_MS, self, self._add_next)

    def _add_next(self) -> None:
        if self.coming:
            self.add(self.coming.popleft())
            self._make_next()

    def add(self, content: Content) -> LivePlot:
        """Add a plot at the end, and return it."""
        plot = self._make(content)
        self.plots.append(plot)
        self._arrange(forced=True)
        self.changed.emit()
        return plot

    def remove(self, plot: LivePlot) -> None:
        """Remove a plot."""
        self._delete(plot)
        self._arrange(forced=True)
        self.changed.emit()

    def _delete(self, plot: LivePlot) -> None:
        self.plots.remove(plot)
        self._grid.removeWidget(plot)
        plot.hide()
        plot.deleteLater()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _column_count(self) -> int:
        n = len(self.plots)
        most = (
            max(1, min(4, self.width() // theme.scaled(_NARROW) + 1))
            if self.width() > theme.scaled(420)
            else 1
        )
        columns = 1 if n == 1 else min(most, n, 2 if n <= 4 else 3 if n <= 9 else 4)
        seen = self.parentWidget()  # the grid itself may be higher than the visible area and scroll
        height = seen.height() if seen is not None else self.height()
        while columns < min(most, n) and height < -(-n // columns) * theme.scaled(_LOW):
            columns += 1
        return columns

    def _arrange(self, forced: bool = False) -> None:
        if not self.plots:
            self._columns = 0
            self._grid.addWidget(self.empty, 0, 0)
            self.empty.show()
            return
        self._grid.removeWidget(self.empty)
        self.empty.hide()
        columns = self._column_count()
        if columns == self._columns and not forced:
            return
        self._columns = columns
        n = len(self.plots)
        for plot in self.plots:
            self._grid.removeWidget(plot)
        for index, plot in enumerate(self.plots):
            row, column = divmod(index, columns)
            last = index == n - 1
            self._grid.addWidget(plot, row, column, 1, columns - column if last else 1)
        for row in range(self._grid.rowCount()):
            self._grid.setRowStretch(row, 1 if row * columns < n else 0)
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dragged_channels(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.dropped.emit(dragged_channels(event.mimeData()))
