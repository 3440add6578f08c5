"""The panel below the viewport with everything in rows: the joints, what happened, and the traffic on the bus."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QGuiApplication, QHideEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QListView,
    QTableView,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.throttle import Throttle
from snakestudio.gui.robot.controller import RobotControl
from snakestudio.gui.robot.event_log import EventLog
from snakestudio.gui.robot.figures import SteadyLabel
from snakestudio.gui.robot.joint_table import COLUMNS, JointTable
from snakestudio.gui.robot.traffic_table import TrafficTable
from snakestudio.model.atomic import write_atomically

__all__ = ["DataPanel", "TrafficView"]

_TABLE_MS = 200
"""Tables change at most five times a second: figures that change faster cannot be read."""

_JOINT_WIDTHS = (104, 56, 92, 92, 76, 84, 80, 80, 160, 68, 72)
_TRAFFIC_WIDTHS = (84, 44, 64, 72, 64, 184, 400)


class DataPanel(QWidget):
    """Three tabs.

    Parameters
    ----------
    control : RobotControl
    log : EventLog
    """

    def __init__(self, control: RobotControl, log: EventLog, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._control, self._log = control, log
        self.tabs = QTabWidget(self)
        self.joints = JointTable(control, self)
        self.joint_view = table_view(self.joints, _JOINT_WIDTHS, "Joints of the robot")
        self.joint_view.horizontalHeader().setSectionResizeMode(
            [column.title for column in COLUMNS].index("Status"), QHeaderView.ResizeMode.Stretch
        )
        self.events = QListView(self)
        self.events.setModel(log)
        self.events.setUniformItemSizes(True)
        self.events.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.events.setAccessibleName("What happened")
        copy = QShortcut(QKeySequence.StandardKey.Copy, self.events)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy_events)
        self.traffic = TrafficView(control, self)
        self.tabs.addTab(self.joint_view, "Joints")
        self.tabs.addTab(self._event_page(), "Events")
        self.tabs.addTab(self.traffic, "Traffic")
        self.tabs.currentChanged.connect(self._refresh)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 0, 8, 8)
        column.addWidget(self.tabs)
        self.setMinimumWidth(theme.scaled(300))  # its buttons would have the window wider than a small screen
        self._throttle = Throttle(_TABLE_MS, self._refresh, self)
        control.polled.connect(self._throttle.ask)
        control.changed.connect(self._refresh)
        self._scrolling = Throttle(_TABLE_MS, self._scroll, self)
        self._at_end = True
        log.rowsAboutToBeInserted.connect(self._note_end)
        log.rowsInserted.connect(self._scrolling.ask)
        self._refresh()

    def _event_page(self) -> QWidget:
        page = QWidget(self)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(6)
        row = QHBoxLayout()
        self.seek = QLineEdit(page)
        self.seek.setPlaceholderText("Search events")
        self.seek.setClearButtonEnabled(True)
        self.seek.setAccessibleName("Search events")
        self.important = _chip("Warnings only", "Show only warnings and errors", page)
        for signal in (self.seek.textChanged, self.important.toggled):
            signal.connect(lambda _: self._log.seek(self.seek.text(), important=self.important.isChecked()))
        row.addWidget(self.seek, 1)
        row.addWidget(self.important)
        for text, tip, act in (
            ("Copy", "Copy the selected events, or all that are shown", self.copy_events),
            ("Save ...", "Write all that are shown to a text file", self.save_events),
            ("Clear", "Forget all events", self._log.clear),
        ):
            button = QToolButton(page)
            button.setText(text)
            button.setToolTip(tip)
            button.clicked.connect(act)
            row.addWidget(button)
        column.addLayout(row)
        column.addWidget(self.events, 1)
        return page

    def copy_events(self) -> None:
        """Copy the selected events as text, or all that are shown."""
        rows = sorted({index.row() for index in self.events.selectedIndexes()})
        QGuiApplication.clipboard().setText(self._log.text(rows or None))

    def save_events(self) -> None:
        """Ask for a file, and write all events that are shown to it."""
        name, _ = QFileDialog.getSaveFileName(self, "Save Events", "robot-events.txt", "Text (*.txt)")
        if name:
            try:
                write_atomically(Path(name), self._log.text().encode())
            except OSError as error:
                self._control.tell("error", f"The events were not saved in {name}: {error.strerror or error}.")

    def _note_end(self) -> None:
        bar = self.events.verticalScrollBar()
        self._at_end = bar.value() >= bar.maximum() - 2

    def _scroll(self) -> None:
        """Who looks at the newest event goes on to do so; a flood of them is laid out five times a second, not more."""
        if self._at_end and self.events.isVisible():
            self.events.scrollToBottom()

    def _refresh(self) -> None:
        if self.isVisible() or not self.joints.axes:
            if self.tabs.currentWidget() is self.joint_view or not self._control.connected:
                self.joints.refresh()
            elif self.tabs.currentWidget() is self.traffic:
                self.traffic.refresh()


class TrafficView(QWidget):
    """The traffic with its filter.

    Parameters
    ----------
    control : RobotControl
    """

    def __init__(self, control: RobotControl, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = TrafficTable(self)
        self.view = table_view(self.table, _TRAFFIC_WIDTHS, "Traffic on the bus")
        self.view.horizontalHeader().setStretchLastSection(True)
        self.seek = QLineEdit(self)
        self.seek.setPlaceholderText("Filter by id, bytes or words")
        self.seek.setClearButtonEnabled(True)
        self.seek.setAccessibleName("Filter of the traffic")
        self.seek.textChanged.connect(self.table.seek)
        self.by_id = _chip("By id", "A row for every id with its newest frame; else every frame in turn", self)
        self.by_id.setChecked(True)
        self.by_id.toggled.connect(self._on_by_id)
        self.pause = _chip("Pause", "Let the table stand; frames that come meanwhile are left out", self)
        self.pause.toggled.connect(self.table.set_paused)
        clear = QToolButton(self)
        clear.setText("Clear")
        clear.clicked.connect(self.table.clear)
        self.note = SteadyLabel(self)
        row = QHBoxLayout()
        row.addWidget(self.seek, 1)
        for part in (self.by_id, self.pause, clear):
            row.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(6)
        column.addLayout(row)
        column.addWidget(self.view, 1)
        column.addWidget(self.note)
        self._control = control
        control.traffic.connect(self.table.take)

    def refresh(self) -> None:
        """Show what came since the last time."""
        bar = self.view.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        self.table.refresh()
        if at_end and not self.by_id.isChecked():
            self.view.scrollToBottom()
        known = f"{self.table.received:,} frames seen".replace(",", " ")
        self.note.say(known if self.table.received else "Nothing was heard yet.")

    def showEvent(self, event: QShowEvent) -> None:
        self._control.watch_traffic(self, True)

    def hideEvent(self, event: QHideEvent) -> None:
        self._control.watch_traffic(self, False)

    def _on_by_id(self, by_id: bool) -> None:
        self.table.set_by_id(by_id)
        self.view.scrollToBottom()


def table_view(model: QAbstractItemModel, widths: tuple[int, ...], name: str) -> QTableView:
    """A table in the look of the program; only the rows that are seen are ever asked for."""
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


def _chip(text: str, tip: str, parent: QWidget) -> QToolButton:
    chip = QToolButton(parent)
    chip.setText(text)
    chip.setToolTip(tip)
    chip.setCheckable(True)
    chip.setProperty("role", "chip")
    return chip
