"""The channel browser: all channels that can be plotted, with a search, to be dragged onto plots."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QMimeData, QPoint, Qt, Signal
from PySide6.QtGui import QDrag, QKeyEvent, QPixmap, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.forms.sections import heading
from snakestudio.gui.plots.channel_library import DERIVED, ChannelLibrary
from snakestudio.gui.plots.drop import drag_data
from snakestudio.model.column_units import label_of
from snakestudio.model.piece import Piece
from snakestudio.model.recording import Recording
from snakestudio.viewmodel.matching import match
from snakestudio.viewmodel.plots.channels import Channel, is_signal, series_of
from snakestudio.viewmodel.plots.scale import readable

_NAME_ROLE = int(Qt.ItemDataRole.UserRole)
_NAME, _VALUE, _UNIT = range(3)
_NAME_LEAST = 150
"""Least width of the names, px of the design: enough for "Energy and work" with its arrow."""
_MOST_MATCHES = 200
_VALUES_MS = 120
"""Shortest interval between two updates of the values at the cursor, ms."""


class _Tree(QTreeWidget):
    """A tree whose leaves are dragged as channels.

    Signals
    -------
    drag_begun(), drag_ended()
    added()
        Enter was pressed on the selected channels.
    """

    drag_begun = Signal()
    drag_ended = Signal()
    added = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setColumnCount(3)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setIndentation(14)
        self.setStyleSheet("QTreeView::item { border-radius: 0 }")
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setExpandsOnDoubleClick(True)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        longest = self.fontMetrics().horizontalAdvance(readable(-1.2345e4, ""))
        for column, width in ((_VALUE, longest + theme.scaled(20)), (_UNIT, theme.scaled(44))):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, width)
        other_columns = header.sectionSize(_VALUE) + header.sectionSize(_UNIT)
        self.setMinimumWidth(other_columns + theme.scaled(_NAME_LEAST))

    @property
    def chosen(self) -> tuple[str, ...]:
        """Names of the selected channels, from top to bottom; all channels of a selected group."""
        names: dict[str, None] = {}
        for item in self.selectedItems():
            for leaf in _leaves(item):
                names[leaf.data(_NAME, _NAME_ROLE)] = None
        return tuple(names)

    def mimeData(self, items: Sequence[QTreeWidgetItem]) -> QMimeData:
        return drag_data(self.chosen)

    def startDrag(self, supported: Qt.DropAction) -> None:
        if not self.chosen:
            return
        self.drag_begun.emit()
        try:
            drag = QDrag(self)
            drag.setMimeData(self.mimeData(self.selectedItems()))
            drag.setPixmap(_ticket(self.chosen, self))
            # below the mouse, where the drop hint is not covered
            drag.setHotSpot(QPoint(-12, -12))
            drag.exec(Qt.DropAction.CopyAction)
        finally:
            self.drag_ended.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.chosen:
            self.added.emit()
        else:
            super().keyPressEvent(event)


def _ticket(names: Sequence[str], over: QWidget) -> QPixmap:
    """Return the image at the mouse while channels are dragged: a small label instead of whole rows."""
    label = QLabel(label_of(names[0]) if len(names) == 1 else f"{len(names)} channels", over)
    p = theme.current()
    label.setStyleSheet(
        f"background: {p.raised}; border: 1px solid {p.accent}; border-radius: 4px; color: {p.text}; padding: 2px 8px"
    )
    label.adjustSize()
    pixmap = label.grab()
    label.deleteLater()
    return pixmap


def _leaves(item: QTreeWidgetItem | None) -> list[QTreeWidgetItem]:
    if item is None:
        return []
    if item.childCount() == 0:
        return [item] if item.data(_NAME, _NAME_ROLE) else []
    return [leaf for index in range(item.childCount()) for leaf in _leaves(item.child(index))]


class ChannelBrowser(ThemedWidget):
    """Search field and tree, with the value of every channel at the cursor.

    Parameters
    ----------
    known : callable
        Returns the value of a derived channel (by its key) at a row if a plot shows it, else None.

    Signals
    -------
    add_requested(names: tuple of str)
        Requests channels in the active plot.
    new_plot_requested(names: tuple of str)
        Requests channels in a new plot.
    derive_requested(name: str)
        Requests the dialog of the derived channel `name`, or of a new one if empty.
    dragging(on: bool)
        A drag of channels begins or ends.
    """

    add_requested = Signal(tuple)
    new_plot_requested = Signal(tuple)
    derive_requested = Signal(str)
    dragging = Signal(bool)

    def __init__(
        self,
        session_controller: SessionController,
        library: ChannelLibrary,
        known: Callable[[str, int], float | None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session_controller = session_controller
        self._library = library
        self._known = known
        self._outdated = False
        self._channels: dict[str, Channel] = {}
        self._items: dict[str, QTreeWidgetItem] = {}
        self._open: set[str] = {"Centre of mass", DERIVED}
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find a channel")
        self.search.setAccessibleName("Find a channel")
        self.search.setClearButtonEnabled(True)
        self._glass = self.search.addAction(
            theme.icon("search", "dim"), QLineEdit.ActionPosition.LeadingPosition
        )
        self.search.textChanged.connect(self._fill)
        self.setFocusProxy(self.search)
        self.derive_button = QToolButton()
        self.derive_button.setToolTip("Derive a channel from others")
        self.derive_button.clicked.connect(lambda: self.derive_requested.emit(""))
        self.tree = _Tree()
        self.tree.setAccessibleName("Channels")
        self.hint = QLabel()
        self.hint.setProperty("role", "dim")
        self.hint.setWordWrap(True)
        self.hint.setContentsMargins(16, 4, 16, 8)
        line = QHBoxLayout()
        line.setContentsMargins(16, 0, 12, 4)
        line.setSpacing(6)
        line.addWidget(self.search, 1)
        line.addWidget(self.derive_button)
        title = heading("Channels")
        title.setContentsMargins(16, 0, 0, 4)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(title)
        column.addLayout(line)
        column.addWidget(self.tree, 1)
        column.addWidget(self.hint)
        self.tree.itemDoubleClicked.connect(self._on_double_click)
        self.tree.added.connect(lambda: self.add_requested.emit(self.tree.chosen))
        self.tree.drag_begun.connect(lambda: self.dragging.emit(True))
        self.tree.drag_ended.connect(lambda: self.dragging.emit(False))
        self.tree.customContextMenuRequested.connect(self._show_menu)
        self.tree.itemExpanded.connect(lambda item: self._on_folded(item, True))
        self.tree.itemCollapsed.connect(lambda item: self._on_folded(item, False))
        self.tree.verticalScrollBar().valueChanged.connect(lambda _: self._values_soon())
        self._timer = Delay(_VALUES_MS, self.show_values, self)
        session_controller.recording_changed.connect(self._refill)
        session_controller.cursor_changed.connect(self._values_soon)
        session_controller.frame.connect(self._values_soon)
        library.changed.connect(self._refill)
        self.apply_theme()
        self._fill()

    def apply_theme(self) -> None:
        self.derive_button.setIcon(theme.icon("derived"))
        self._glass.setIcon(theme.icon("search", "dim"))
        for item in self._items.values():
            item.setForeground(_UNIT, theme.colour("dim"))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._outdated:
            self._fill()
        self._values_soon()

    # --- the tree ---------------------------------------------------------------------------------

    def _refill(self) -> None:
        """Refill the tree now if it is visible, else later: it would delay every start of a run."""
        if self.isVisible():
            self._fill()
        else:
            self._outdated = True

    def _fill(self) -> None:
        """Show all channels by groups, or those that match the search, the best first."""
        self._outdated = False
        recording = self._session_controller.recording
        self._channels = {} if recording is None else self._library.of(recording.schema)
        self.tree.setUpdatesEnabled(False)
        self.tree.blockSignals(True)
        self.tree.clear()
        self._items = {}
        query = self.search.text().strip()
        if query:
            self._fill_matches(query)
        else:
            self._fill_groups()
        self.tree.blockSignals(False)
        self.tree.setUpdatesEnabled(True)
        if recording is None:
            self.hint.setText("There is no run yet.")
        elif query and not self._items:
            self.hint.setText("No matching channels.")
        else:
            self.hint.setText("Drag onto a plot, or double-click to add to the active plot.")
        self._values_soon()

    def _fill_groups(self) -> None:
        groups: dict[tuple[str, ...], QTreeWidgetItem] = {}
        for channel in self._channels.values():
            above: QTreeWidgetItem | None = None
            for depth in range(len(channel.group)):
                path = channel.group[: depth + 1]
                if path not in groups:
                    group = QTreeWidgetItem([path[-1]])
                    group.setData(_NAME, _NAME_ROLE, "")
                    if above is None:
                        self.tree.addTopLevelItem(group)
                    else:
                        above.addChild(group)
                    groups[path] = group
                above = groups[path]
            assert above is not None
            within = channel.group[-1].lower() if len(channel.group) > 1 else ""
            above.addChild(self._leaf(channel, label_of(channel.name).removeprefix(within).strip()))
        for path, item in groups.items():
            item.setExpanded("/".join(path) in self._open)

    def _fill_matches(self, query: str) -> None:
        matches = []
        for index, channel in enumerate(self._channels.values()):
            fits = match(query, label_of(channel.name)) or match(
                query, f"{channel.name} {' '.join(channel.group)}"
            )
            if fits is not None:
                matches.append((-fits.score, index, channel))
        for _, _, channel in sorted(matches, key=lambda each: each[:2])[:_MOST_MATCHES]:
            self.tree.addTopLevelItem(self._leaf(channel, label_of(channel.name)))

    def _leaf(self, channel: Channel, text: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem([text, "", channel.unit])
        item.setData(_NAME, _NAME_ROLE, channel.name)
        item.setTextAlignment(_VALUE, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setForeground(_UNIT, theme.colour("dim"))
        tip = f"{channel.name}\n{channel.help}" if channel.help else channel.name
        if channel.name in self._library:
            tip = f"{tip}\n= {self._library[channel.name].text}"
        item.setToolTip(_NAME, tip)
        self._items[channel.name] = item
        return item

    def _on_folded(self, item: QTreeWidgetItem, opened: bool) -> None:
        path: list[str] = []
        at: QTreeWidgetItem | None = item
        while at is not None:
            path.insert(0, at.text(_NAME))
            at = at.parent()
        (self._open.add if opened else self._open.discard)("/".join(path))
        self._values_soon()

    # --- values -----------------------------------------------------------------------------------

    def _values_soon(self) -> None:
        if self.isVisible():
            self._timer.request()

    def show_values(self) -> None:
        """Show the value at the cursor for every channel in view."""
        recording = self._session_controller.recording
        if recording is None or not len(recording):
            return
        row = (
            len(recording) - 1
            if self._session_controller.cursor is None
            else min(self._session_controller.cursor, len(recording) - 1)
        )
        seen = [name for name, item in self._items.items() if self._in_view(item)]
        for name, value in _row_values(
            recording, [self._channels[name] for name in seen], row, self._known
        ).items():
            self._items[name].setText(_VALUE, "" if math.isnan(value) else readable(value, ""))

    def _in_view(self, item: QTreeWidgetItem) -> bool:
        rect = self.tree.visualItemRect(item)
        return not rect.isEmpty() and rect.intersects(self.tree.viewport().rect())

    # --- actions ----------------------------------------------------------------------------------

    def _on_double_click(self, item: QTreeWidgetItem) -> None:
        name = item.data(_NAME, _NAME_ROLE)
        if name:
            self.add_requested.emit((name,))

    def _show_menu(self, position: QPoint) -> None:
        if self.tree.chosen:
            menu = self.menu()
            menu.exec(self.tree.viewport().mapToGlobal(position))
            menu.deleteLater()

    def menu(self) -> QMenu:
        """Return the menu of the selected channels."""
        names = self.tree.chosen
        menu = Menu(self)
        menu.addAction("Add to the Active Plot", lambda: self.add_requested.emit(names))
        menu.addAction("Show in a New Plot", lambda: self.new_plot_requested.emit(names))
        menu.addSeparator()
        if len(names) == 1 and names[0] in self._library:
            menu.addAction("Edit Derived Channel...", lambda: self.derive_requested.emit(names[0]))
            menu.addAction("Delete Derived Channel", lambda: self._library.remove(names[0]))
        menu.addAction("New Derived Channel...", lambda: self.derive_requested.emit(""))
        return menu


def _row_values(
    recording: Recording,
    channels: Sequence[Channel],
    row: int,
    known: Callable[[str, int], float | None],
) -> dict[str, float]:
    """Return the values of channels at a row, by name; NaN for derived ones that are not computed.

    Parameters
    ----------
    known : callable
        Returns the value of a derived channel, by its key, at a row, or None.
    """
    rows = recording.rows(max(0, row - 1), row + 1)
    before = rows.slice(0, 1) if row else None
    piece = Piece(recording.schema, rows.slice(len(rows) - 1, len(rows)), before)
    values: dict[str, float] = {}
    for each in channels:
        if is_signal(each.series):
            value = known(each.series, row)
            values[each.name] = float("nan") if value is None else value
        else:
            values[each.name] = float(series_of(each.series, recording.schema).values(piece)[0, 0])
    return values
