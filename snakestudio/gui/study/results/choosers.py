"""Small boxes above a chart of results that choose its axes and its colours."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.forms.boxes import ChoiceBox

_NARROW = 470
"""Width below which three boxes do not fit side by side, px of the design."""


class Chooser(QWidget):
    """Box with a label in front.

    Signals
    -------
    chosen()
        The user chose another entry.
    """

    chosen = Signal()

    def __init__(self, label_text: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        self.label = label_text
        label = QLabel(label_text)
        label.setProperty("role", "dim")
        self.box = ChoiceBox()
        self.box.setToolTip(tip)
        self.box.setAccessibleName(label_text)
        self.box.setMinimumContentsLength(2)
        self.box.setMinimumWidth(56)
        self.box.setSizeAdjustPolicy(
            ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.box.activated.connect(lambda _: self.chosen.emit())
        label.setBuddy(self.box)
        row.addWidget(label)
        row.addWidget(self.box, 1)
        self.setMaximumWidth(theme.scaled(320))

    def offer(self, entries: Sequence[tuple[str, str]], usual: str = "") -> None:
        """Offer names with their labels; the current choice stays if possible, else it becomes the usual one."""
        before = self.value
        if entries == [
            (self.box.itemData(k), self.box.itemText(k)) for k in range(self.box.count())
        ]:
            return
        with QSignalBlocker(self.box):
            self.box.clear()
            for name, title in entries:
                self.box.addItem(title, name)
            names = [name for name, _ in entries]
            chosen = (
                before
                if before in names
                else usual
                if usual in names
                else names[0]
                if names
                else ""
            )
            self.box.setCurrentIndex(names.index(chosen) if chosen in names else -1)
        self.box.refresh_tip()

    @property
    def value(self) -> str:
        """Chosen name; "" without entries."""
        return str(self.box.currentData() or "")

    def choose(self, name: str) -> None:
        """Choose an entry like the user."""
        index = self.box.findData(name)
        if index >= 0:
            self.box.setCurrentIndex(index)
            self.chosen.emit()


class ChooserRow(QWidget):
    """Boxes side by side; in a narrow row the last of three is below the others."""

    def __init__(self, *choosers: Chooser) -> None:
        super().__init__()
        self._choosers = choosers
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(10, 0, 10, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(len(choosers), 0)
        self._narrow: bool | None = None
        self._arrange(False)

    def _arrange(self, narrow: bool) -> None:
        if narrow == self._narrow:
            return
        self._narrow = narrow
        for column, chooser in enumerate(self._choosers):
            below = narrow and column == 2
            self._grid.addWidget(chooser, int(below), 0 if below else column, 1, 2 if below else 1)
            # A longer label leaves its box as much width as the others.
            self._grid.setColumnStretch(
                column, 0 if narrow and column == 2 else 4 if len(chooser.label) > 3 else 3
            )

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(len(self._choosers) > 2 and event.size().width() < theme.scaled(_NARROW))


def side_by_side(*parts: QWidget) -> QHBoxLayout:
    """Lay out widgets side by side from the left, at their preferred widths."""
    row = QHBoxLayout()
    row.setContentsMargins(10, 0, 10, 0)
    row.setSpacing(10)
    for part in parts:
        row.addWidget(part)
    return row


def fill_view(view: QWidget, rows: Sequence[QWidget], chart: QWidget) -> None:
    """Lay out the rows of boxes of a page above its chart."""
    column = QVBoxLayout(view)
    column.setContentsMargins(0, 8, 0, 0)
    column.setSpacing(8)
    for row in rows:
        column.addWidget(row)
    column.addWidget(chart, 1)
