"""Frame shared by panels and windows of analyses: title, set-up, progress, message, results, and actions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.export.formats import EXPORTS
from snakestudio.export.report import Report
from snakestudio.gui.core import theme
from snakestudio.gui.core.task import Task
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.lines import line_of
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.forms.sections import heading
from snakestudio.gui.forms.task_bar import TaskBar


class ReportExporter(Protocol):
    """Writes reports to files, for which it asks."""

    changed: SignalInstance
    finished: SignalInstance
    error: str
    """Reason why the last export failed, as a sentence; empty if it did not."""

    @property
    def busy(self) -> bool:
        """Whether an export is in progress: there is one at a time."""

    def ask_report(self, report: Report, suffix: str, parent: QWidget | None = None) -> bool:
        """Ask for a file of this format and write the report; return False if the user cancels."""


class AnalysisFrame(ThemedWidget):
    """Frame around the results of an analysis.

    Parameters
    ----------
    report : callable
        Returns the result as a report, or None.
    cancel : callable
        Cancels the task in progress.
    title : str
        Title of a panel, which can be closed; a window has its own title.
    is_wide : bool
        Whether the results are to the right of the set-up; otherwise they are below it.

    Signals
    -------
    closed()
    """

    closed = Signal()

    def __init__(
        self,
        report: Callable[[], Report | None],
        exporter: ReportExporter,
        cancel: Callable[[], object],
        *,
        title: str = "",
        is_wide: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._report = report
        self._exporter = exporter
        self._is_exporting = False
        self._has_result = False
        self.close_button = QToolButton(self)
        self.close_button.setVisible(bool(title))
        self.setup = QVBoxLayout()
        """Set-up of the analysis, and the button that starts it."""
        self.results = QVBoxLayout()
        """Tables and charts."""
        for layout in (self.setup, self.results):
            layout.setSpacing(8)
        self.bar = TaskBar()
        self.cancel_button = QPushButton("Ca&ncel")
        self.cancel_button.clicked.connect(cancel)
        self._progress = QWidget()
        progress = QHBoxLayout(self._progress)
        progress.setContentsMargins(0, 0, 0, 0)
        progress.setSpacing(12)
        progress.addWidget(self.bar, 1)
        progress.addWidget(self.cancel_button)
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.message_row = QHBoxLayout()
        """Row of the message, to which a panel can add buttons."""
        self.message_row.addWidget(self.note, 1)
        self.foot = QVBoxLayout()
        """Area below the message."""
        self._make_actions()
        self._lay_out(title, is_wide)
        exporter.changed.connect(self._refresh_actions)
        exporter.finished.connect(self._on_exported)
        self.apply_theme()
        self.show_state(None, "", has_result=False)

    def _make_actions(self) -> None:
        self.copy_button = QPushButton("C&opy")
        self.copy_button.setToolTip(
            "Copy the report as text; to copy rows for a spreadsheet press Ctrl+C in a table"
        )
        self.copy_button.clicked.connect(self.copy)
        self.export_button = QPushButton("E&xport")
        self.export_button.setToolTip(
            "Write the results to a file: values, or a report with figures and provenance"
        )
        self.export_menu = Menu(self.export_button)
        for each in EXPORTS["report"].types:
            self.export_menu.addAction(f"{each.text}...", partial(self.export, each.endings[0]))
        self.export_button.setMenu(self.export_menu)
        self.actions_row = QHBoxLayout()
        """Row of actions on the results; further buttons are added at its end."""
        self.actions_row.setContentsMargins(0, 4, 0, 0)
        self.actions_row.setSpacing(8)
        for button in (self.copy_button, self.export_button, self.cancel_button):
            button.setAutoDefault(False)
        self.actions_row.addWidget(self.copy_button)
        self.actions_row.addWidget(self.export_button)

    def add_actions(self, *actions: QWidget, option: QWidget | None = None) -> None:
        """Add actions on the results at the end of the buttons; an option is placed at the far left."""
        if option is not None:
            self.actions_row.insertLayout(0, line_of(option, 1), 1)
        for action in actions:
            self.actions_row.addWidget(action)

    def _lay_out(self, title: str, is_wide: bool) -> None:
        left = QVBoxLayout()
        left.setSpacing(8)
        if title:
            head = QHBoxLayout()
            head.addWidget(heading(title), 1)
            head.addWidget(self.close_button)
            self.close_button.setProperty("role", "flat")
            self.close_button.setAccessibleName(f"Close {title}")
            self.close_button.clicked.connect(self.closed)
            left.addLayout(head)
        left.addLayout(self.setup)
        if is_wide:
            left.addStretch(1)
        left.addWidget(self._progress)
        left.addLayout(self.message_row)
        left.addLayout(self.foot)
        below = QVBoxLayout()
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(8)
        below.addLayout(self.results, 1)
        self._actions = QWidget()
        self._actions.setLayout(self.actions_row)
        below.addWidget(self._actions)
        outer: QHBoxLayout | QVBoxLayout
        if is_wide:
            outer = QHBoxLayout(self)
            outer.setSpacing(20)
            self.side = QWidget()
            self.side.setLayout(left)
            left.setContentsMargins(0, 0, 0, 0)
            outer.addWidget(self.side)
        else:
            outer = QVBoxLayout(self)
            outer.setSpacing(8)
            outer.addLayout(left)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addLayout(below, 1)

    def apply_theme(self) -> None:
        self.close_button.setIcon(theme.icon("close", "dim"))

    # --- state ------------------------------------------------------------------------------------

    def show_state(
        self, task: Task[Any] | None, text: str, role: str = "dim", *, has_result: bool
    ) -> None:
        """Show the progress of a task (None: none is running) and a message in the colour of `role`."""
        self._has_result = has_result
        self._progress.setVisible(task is not None)
        self.bar.show_task(task)
        self.show_message(text, role)
        self._refresh_actions()

    def show_message(self, text: str, role: str = "dim") -> None:
        """Show a message until the state changes; "" clears it."""
        self.note.setText(text)
        self.note.setVisible(bool(text))
        if self.note.property("role") != role:
            theme.set_role(self.note, role)

    def _refresh_actions(self) -> None:
        self.copy_button.setEnabled(self._has_result)
        self.export_button.setEnabled(self._has_result and not self._exporter.busy)

    def show_actions(self, are_shown: bool) -> None:
        """Show or hide the actions on the results."""
        self._actions.setVisible(are_shown)

    # --- actions ----------------------------------------------------------------------------------

    def copy(self) -> None:
        """Copy the report as text."""
        report = self._report()
        if report is not None:
            QGuiApplication.clipboard().setText(report.text)

    def export(self, suffix: str) -> None:
        """Ask for a file and write the report in this format."""
        report = self._report()
        if report is not None and not self._exporter.busy:
            self._is_exporting = self._exporter.ask_report(report, suffix, self.window())

    def _on_exported(self, path: Path | None) -> None:
        if not self._is_exporting:
            return
        self._is_exporting = False
        if path is not None:
            self.show_message(f"Wrote {path.name}.")
        elif self._exporter.error:
            self.show_message(self._exporter.error, "warning")
