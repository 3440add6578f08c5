"""Panel below the viewport with tables of joints, events and bus traffic."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.file_dialogs import FileKind, ask_save
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.core.throttle import Throttle
from snakestudio.gui.robot.event_log import EventLog
from snakestudio.gui.robot.joint_table import JointTable
from snakestudio.gui.robot.traffic_table import TrafficView, chip, table_view
from snakestudio.model.atomic import write_atomically

_TABLE_MS = 200
"""Update interval of the tables, ms; faster changes cannot be read."""

_JOINT_WIDTHS = (104, 56, 92, 92, 76, 84, 80, 80, 160, 68, 72)


class DataPanel(QWidget):
    """Robot data in three tabs."""

    def __init__(
        self, robot_controller: RobotController, log: EventLog, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._robot_controller = robot_controller
        self._log = log
        self.tabs = QTabWidget(self)
        self.joints = JointTable(robot_controller, self)
        self.joint_view = table_view(self.joints, _JOINT_WIDTHS, "Joints of the robot")
        self.joint_view.horizontalHeader().setStretchLastSection(True)
        self.events = QListView(self)
        self.events.setModel(log)
        self.events.setUniformItemSizes(True)
        self.events.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.events.setAccessibleName("Events of the robot")
        copy = QShortcut(QKeySequence.StandardKey.Copy, self.events)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy_events)
        self.traffic = TrafficView(robot_controller, self)
        self.tabs.addTab(self.joint_view, "Joints")
        self.tabs.addTab(self._event_page(), "Events")
        self.tabs.addTab(self.traffic, "Traffic")
        self.tabs.currentChanged.connect(self._refresh)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 0, 8, 8)
        column.addWidget(self.tabs)
        # the buttons would make the window wider than a small screen
        self.setMinimumWidth(theme.scaled(300))
        self._throttle = Throttle(_TABLE_MS, self._refresh, self)
        robot_controller.polled.connect(self._throttle.request)
        robot_controller.changed.connect(self._refresh)
        self._scroll_throttle = Throttle(_TABLE_MS, self._scroll, self)
        self._at_end = True
        log.rowsAboutToBeInserted.connect(self._note_end)
        log.rowsInserted.connect(self._scroll_throttle.request)
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
        self.important = chip("Warnings only", "Show only warnings and errors", page)
        for signal in (self.seek.textChanged, self.important.toggled):
            signal.connect(
                lambda _: self._log.seek(self.seek.text(), important=self.important.isChecked())
            )
        row.addWidget(self.seek, 1)
        row.addWidget(self.important)
        for text, tip, act in (
            ("Copy", "Copy the selected events, or all shown events", self.copy_events),
            ("Save...", "Save all shown events to a text file", self.save_events),
            ("Clear", "Clear all events", self._log.clear),
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
        """Copy the selected events as text, or all shown events."""
        rows = sorted({index.row() for index in self.events.selectedIndexes()})
        QGuiApplication.clipboard().setText(self._log.text(rows or None))

    def save_events(self) -> None:
        """Ask for a file and save all shown events to it."""
        path = ask_save(self, "Save Events", FileKind.EVENT_LOG, "robot-events.txt", "Text (*.txt)")
        if path is not None:
            try:
                write_atomically(path, self._log.text().encode())
            except OSError as error:
                self._robot_controller.add_event(
                    "error", f"The events cannot be saved to {path}: {error.strerror or error}."
                )

    def _note_end(self) -> None:
        bar = self.events.verticalScrollBar()
        self._at_end = bar.value() >= bar.maximum() - 2

    def _scroll(self) -> None:
        """Keep the newest event visible if it was; laid out at most five times a second."""
        if self._at_end and self.events.isVisible():
            self.events.scrollToBottom()

    def _refresh(self) -> None:
        if self.isVisible() or not self.joints.axes:
            if self.tabs.currentWidget() is self.joint_view or not self._robot_controller.connected:
                self.joints.refresh()
            elif self.tabs.currentWidget() is self.traffic:
                self.traffic.refresh()
