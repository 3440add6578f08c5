"""Table of the bus traffic: one row per id with its latest frame, or every frame in order."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.robot.figures import SteadyLabel
from snakestudio.link.messages import Traffic
from snakestudio.viewmodel.robot.robot_status import span_text

_TRAFFIC_WIDTHS = (84, 44, 64, 72, 64, 184, 400)

_Index = QModelIndex | QPersistentModelIndex
_KEPT = 2000
"""Number of frames kept for the list of every frame."""

_FRESH_S = 0.7
"""Time that a changed byte is highlighted, s."""

_SMOOTH = 0.2
"""Weight of the latest interval in the mean interval of an id."""

TITLES = ("Id", "", "Count", "Rate Hz", "Age", "Bytes", "Decoded")


def id_text(frame: Traffic) -> str:
    """Return the text of an id: 3 or 8 hexadecimal digits."""
    return f"{frame.id:08X}" if frame.extended else f"{frame.id:03X}"


@dataclass(slots=True)
class IdRow:
    """Latest data of an id."""

    frame: Traffic
    """Latest frame."""

    count: int = 1
    interval: float = math.nan
    """Recent mean interval between frames, s; NaN before the second frame."""

    changed: float = -math.inf
    """Time of the last change of a byte, s, `time.monotonic()`."""

    places: frozenset[int] = frozenset()
    """Indices of the bytes that changed."""

    def update(self, frame: Traffic) -> None:
        """Update with a newer frame."""
        before = self.frame
        passed = frame.time - before.time
        self.interval = (
            passed
            if math.isnan(self.interval)
            else self.interval + _SMOOTH * (passed - self.interval)
        )
        if frame.data != before.data:
            longest = max(len(frame.data), len(before.data))
            self.places = frozenset(
                k for k in range(longest) if frame.data[k : k + 1] != before.data[k : k + 1]
            )
            self.changed = frame.time
        self.frame = frame
        self.count = self.count + 1


class TrafficTable(QAbstractTableModel):
    """Frames as they arrive; `refresh` updates the display at the pace of the view."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: dict[tuple[int, bool, bool], IdRow] = {}
        self._frames: list[Traffic] = []
        self._terms: tuple[str, ...] = ()
        self._by_id = True
        self._paused = False
        self._visible: list[IdRow] = []
        self._newer = False
        self._font = theme.value_font(13, bold=False)
        self.received = 0

    def add_frames(self, frames: Sequence[Traffic]) -> None:
        """Add the frames received since the last call, oldest first."""
        if self._paused:
            return
        self.received += len(frames)
        for frame in frames:
            key = (frame.id, frame.extended, frame.sent)
            row = self._rows.get(key)
            if row is None:
                self._rows[key] = IdRow(frame)
            else:
                row.update(frame)
        self._newer = True
        self._frames += frames
        if len(self._frames) > _KEPT:
            del self._frames[: len(self._frames) - _KEPT]

    def set_paused(self, paused: bool) -> None:
        """Freeze the table; frames received meanwhile are discarded."""
        self._paused = paused

    def set_by_id(self, by_id: bool) -> None:
        """Show one row per id, or one per frame."""
        self._by_id = by_id
        self.refresh(rebuild=True)

    def seek(self, text: str) -> None:
        """Show only rows that contain all words of `text` in id, bytes or decoded text."""
        self._terms = tuple(text.casefold().split())
        self.refresh(rebuild=True)

    def clear(self) -> None:
        """Remove all frames."""
        self._rows = {}
        self._frames = []
        self.received = 0
        self.refresh(rebuild=True)

    def refresh(self, *, rebuild: bool = False) -> None:
        """Show the received frames."""
        newer = self._newer
        self._newer = False
        if not (rebuild or newer or self._by_id):
            return
        if self._by_id:
            rows = [row for _, row in sorted(self._rows.items()) if self._fits(row.frame)]
        else:
            rows = [IdRow(frame) for frame in self._frames if self._fits(frame)]
        before = len(self._visible)
        same = not rebuild and self._by_id
        if same and len(rows) == before:
            self._visible = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(before - 1, len(TITLES) - 1))
            return
        self.beginResetModel()
        self._visible = rows
        self.endResetModel()

    def _fits(self, frame: Traffic) -> bool:
        if not self._terms:
            return True
        text = f"{id_text(frame)} {frame.data.hex(' ')} {frame.text} {'sent' if frame.sent else 'received'}".casefold()
        return all(term in text for term in self._terms)

    # --- Qt's model -------------------------------------------------------------------------------

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._visible)

    def columnCount(self, parent: _Index | None = None) -> int:
        return len(TITLES)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and orientation is Qt.Orientation.Horizontal:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._visible[index.row()]
        column = index.column()
        frame = row.frame
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.ForegroundRole:
            if frame.error:
                return theme.colour("warning")
            if column == 5 and time.monotonic() - row.changed < _FRESH_S:
                return theme.colour("accent")
            return theme.colour("dim" if frame.sent or (column == 6 and not frame.text) else "text")
        if role == Qt.ItemDataRole.FontRole and column in (0, 2, 3, 4, 5):
            return self._font
        if role == Qt.ItemDataRole.ToolTipRole:
            return frame.text or "This id is not in the profile"
        return None

    def _text(self, row: IdRow, column: int) -> str:
        frame = row.frame
        if column == 0:
            return id_text(frame)
        if column == 1:
            return "error" if frame.error else "sent" if frame.sent else ""
        if column == 2:
            return f"{row.count}" if self._by_id else ""
        if column == 3:
            return f"{1 / row.interval:.1f}" if row.interval > 0 else ""
        if column == 4:
            return span_text(time.monotonic() - frame.time)
        if column == 5:
            return "remote" if frame.remote else frame.data.hex(" ").upper()
        return frame.text or "unknown id"


class TrafficView(QWidget):
    """Traffic with its filter."""

    def __init__(self, robot_controller: RobotController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = TrafficTable(self)
        self.view = table_view(self.table, _TRAFFIC_WIDTHS, "Traffic on the bus")
        self.view.horizontalHeader().setStretchLastSection(True)
        self.seek = QLineEdit(self)
        self.seek.setPlaceholderText("Filter by id, bytes or text")
        self.seek.setClearButtonEnabled(True)
        self.seek.setAccessibleName("Filter of the traffic")
        self.seek.textChanged.connect(self.table.seek)
        self.by_id = chip(
            "By id",
            "Show one row per id with its latest frame; otherwise every frame in order",
            self,
        )
        self.by_id.setChecked(True)
        self.by_id.toggled.connect(self._on_by_id)
        self.pause = chip(
            "Pause", "Freeze the table; frames received meanwhile are not listed", self
        )
        self.pause.toggled.connect(self.table.set_paused)
        clear = QToolButton(self)
        clear.setText("Clear")
        clear.clicked.connect(self.table.clear)
        self.note_label = SteadyLabel(self)
        row = QHBoxLayout()
        row.addWidget(self.seek, 1)
        for part in (self.by_id, self.pause, clear):
            row.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(6)
        column.addLayout(row)
        column.addWidget(self.view, 1)
        column.addWidget(self.note_label)
        self._robot_controller = robot_controller
        robot_controller.traffic.connect(self.table.add_frames)

    def refresh(self) -> None:
        """Show the frames received since the last call."""
        bar = self.view.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        self.table.refresh()
        if at_end and not self.by_id.isChecked():
            self.view.scrollToBottom()
        known = f"{self.table.received:,} frames seen".replace(",", " ")
        self.note_label.show_text(known if self.table.received else "No frames received yet.")

    def showEvent(self, event: QShowEvent) -> None:
        self._robot_controller.watch_traffic(self, True)

    def hideEvent(self, event: QHideEvent) -> None:
        self._robot_controller.watch_traffic(self, False)

    def _on_by_id(self, by_id: bool) -> None:
        self.table.set_by_id(by_id)
        self.view.scrollToBottom()


def table_view(model: QAbstractItemModel, widths: tuple[int, ...], name: str) -> QTableView:
    """Create a table in the style of the program; only visible rows are requested."""
    view = QTableView()
    view.setModel(model)
    view.setAccessibleName(name)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.verticalHeader().setDefaultSectionSize(theme.scaled(24))
    head = view.horizontalHeader()
    head.setHighlightSections(False)
    head.setMinimumSectionSize(theme.scaled(32))
    for section, width in enumerate(widths):
        view.setColumnWidth(section, theme.scaled(width))
    return view


def chip(text: str, tip: str, parent: QWidget) -> QToolButton:
    """Create a small toggle button."""
    chip = QToolButton(parent)
    chip.setText(text)
    chip.setToolTip(tip)
    chip.setCheckable(True)
    chip.setProperty("role", "chip")
    return chip
