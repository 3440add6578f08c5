"""Study panel: set-up, results, and below them the run bar."""

from __future__ import annotations

import os
from typing import Protocol

from PySide6.QtCore import QSettings, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.banner import Banner, Button
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.forms.sections import heading, scrolled
from snakestudio.gui.forms.text_field import TextField
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.gui.study.results.view import StudyResultsView
from snakestudio.gui.study.run_bar import StudyRunBar
from snakestudio.gui.study.runner import StudyRunner
from snakestudio.gui.study.setup.page import SetupPage
from snakestudio.study.results import Table
from snakestudio.viewmodel.study.study_values import changed

_NONE = (
    "A study runs the scene many times with different values and compares the results: which amplitude is"
    " fastest, how much friction is needed, how far away a peg may be."
)

_LOW = 560
"""Height below which results use the space of the study's title and of the workers' table, px of
the design."""


class StudyActions(Protocol):
    """Actions of the study feature that the panel uses."""

    def new(self) -> object:
        """Create a study of the current scene."""

    def ask_open(self) -> object:
        """Ask for a study and open it."""

    def ask_save_as(self) -> object:
        """Ask for another file for the study."""

    def open_scene(self) -> object:
        """Open the scene of the study."""

    def save_scene(self) -> object:
        """Save the window's scene."""

    def run(self) -> object:
        """Run the study."""

    def resume(self) -> object:
        """Resume the study after a pause."""

    def open_run(self, row: int) -> object:
        """Open the run of a row of the results."""

    def apply_point(self, row: int) -> object:
        """Apply the values of a row of the results to the scene."""

    def check_step(self, row: int) -> object:
        """Check the time step of the run of a row of the results."""


class StudyPanel(ThemedWidget):
    """Set-up, results and progress of the open study.

    Parameters
    ----------
    document : Document
        The window's scene.

    Signals
    -------
    closed()
        The user closed the panel.
    """

    closed = Signal()

    def __init__(
        self,
        open_study: OpenStudy,
        runner: StudyRunner,
        document: Document,
        actions: StudyActions,
        settings: QSettings,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._open = open_study
        self._runner = runner
        self._document = document
        self._actions = actions
        self._close = QToolButton()
        self._close.setProperty("role", "flat")
        self._close.setToolTip("Close this panel; the study keeps running")
        self._close.clicked.connect(self.closed)
        self.menu_button = QToolButton()
        self.menu_button.setProperty("role", "flat")
        self.menu_button.setText("…")
        self.menu_button.setToolTip("Study file")
        self.menu_button.setAccessibleName("Study file")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setMenu(self._menu())
        head = QHBoxLayout()
        head.setContentsMargins(16, 0, 16, 0)
        head.addWidget(heading("Study"), 1)
        head.addWidget(self.menu_button)
        head.addWidget(self._close)
        self._none = self._nothing()
        self._some = QWidget()
        self.title = TextField()
        self.title.setPlaceholderText("Title")
        self.title.setAccessibleName("Title of the study")
        self.title.setMaxLength(200)
        self.title.committed.connect(
            lambda text: self._open.edit(changed(self._open.study, title=text.strip()))
        )
        self.file = QLabel()
        self.file.setProperty("role", "dim")
        self.file.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.file.setWordWrap(True)
        self.banner = Banner(self)
        self.banner.changed.connect(self._fit)
        self._notice_text = ""
        self.setup = SetupPage(open_study)
        self.results = StudyResultsView()
        self.results.open_requested.connect(actions.open_run)
        self.results.apply_requested.connect(actions.apply_point)
        self.results.check_step_requested.connect(actions.check_step)
        self._stale = True  # results must be updated when they become visible
        self.tabs = QTabWidget()
        self.tabs.addTab(self.setup, "Setup")
        # A window may be too low for charts and table.
        self.results_page = scrolled(self.results)
        self.tabs.addTab(self.results_page, "Results")
        self.tabs.setDocumentMode(True)
        self.run_bar = StudyRunBar(open_study, runner, settings)
        self.run_bar.run_requested.connect(actions.run)
        self.run_bar.resume_requested.connect(actions.resume)
        top = QVBoxLayout()
        top.setContentsMargins(16, 0, 16, 0)
        top.setSpacing(6)
        for widget in (self.title, self.file, self.banner):
            top.addWidget(widget)
        some = QVBoxLayout(self._some)
        some.setContentsMargins(0, 0, 0, 0)
        some.setSpacing(6)
        some.addLayout(top)
        some.addWidget(self.tabs, 1)
        some.addWidget(self.run_bar)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._none)
        self._stack.addWidget(self._some)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self._stack, 1)
        for signal in (open_study.opened, open_study.changed, open_study.checked, runner.changed):
            signal.connect(self.refresh)
        for signal in (document.title_changed, document.opened):
            signal.connect(self.refresh)
        runner.began.connect(lambda: self.tabs.setCurrentWidget(self.results_page))
        open_study.opened.connect(self._on_opened)
        open_study.results_changed.connect(self._on_results_changed)
        self.tabs.currentChanged.connect(self._on_page)
        self.apply_theme()
        self.refresh()

    def _nothing(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(16, 8, 16, 12)
        column.setSpacing(10)
        about = QLabel(_NONE)
        about.setWordWrap(True)
        about.setProperty("role", "dim")
        self.new_button = QPushButton("New Study of This Scene")
        self.open_button = QPushButton("Open Study...")
        theme.set_role(self.new_button, "primary")
        self.new_button.clicked.connect(lambda: self._actions.new())
        self.open_button.clicked.connect(lambda: self._actions.ask_open())
        for widget in (about, self.new_button, self.open_button):
            column.addWidget(widget)
        column.addStretch(1)
        return page

    def _menu(self) -> QMenu:
        menu = Menu(self)
        menu.addAction("New Study of This Scene").triggered.connect(lambda: self._actions.new())
        menu.addAction("Open Study...").triggered.connect(lambda: self._actions.ask_open())
        menu.addSeparator()
        self._of_study = [
            menu.addAction("Save As..."),
            menu.addAction("Open in Text Editor"),
            menu.addAction("Show Folder"),
            menu.addAction("Open Scene"),
            menu.addAction("Close Study"),
        ]
        calls = (
            lambda: self._actions.ask_save_as(),
            lambda: self._show_outside(folder=False),
            lambda: self._show_outside(folder=True),
            lambda: self._actions.open_scene(),
            self._close_study,
        )
        for action, call in zip(self._of_study, calls, strict=True):
            action.triggered.connect(lambda _=False, call=call: call())
        menu.aboutToShow.connect(self._enable_menu)
        return menu

    def _enable_menu(self) -> None:
        is_open = self._open.path is not None
        running = self._runner.busy and self._runner.path == self._open.path
        for action in self._of_study:
            action.setEnabled(is_open)
        self._of_study[0].setEnabled(is_open and not running and not self._open.unreadable)
        self._of_study[-1].setEnabled(is_open and not running)

    def _close_study(self) -> None:
        self._open.close_study()

    def _show_outside(self, folder: bool) -> None:
        path = self._open.path
        if path is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent if folder else path)))

    def _on_opened(self) -> None:
        self.title.setModified(False)
        self.tabs.setCurrentWidget(self.setup)

    def _on_page(self) -> None:
        self._arrange()
        self._show_results()

    def _on_results_changed(self) -> None:
        self._stale = True
        self._show_results()
        self._show_problem()

    def _show_results(self) -> None:
        if self._stale and self.results.isVisible() and self._open.path is not None:
            self._stale = False
            results = self._open.results
            table = results.table if results is not None else Table(self._open.study, ())
            units = results.units if results is not None else {}
            self.results.show_table(table, units, self._open.trace, self._open.study_check.scene)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_results()

    def refresh(self) -> None:
        """Show the current state of the study."""
        path = self._open.path
        self._stack.setCurrentWidget(self._none if path is None else self._some)
        if path is None:
            return
        study = self._open.study
        if not self.title.isModified() and self.title.text() != study.title:
            self.title.setText(study.title)
            self.title.setCursorPosition(0)
        readable = not self._open.unreadable
        self.file.setText(f"{path.name}, of {study.scene}" if readable else path.name)
        self.file.setToolTip(str(path))
        running = self._runner.busy and self._runner.path == path
        self.title.setEnabled(readable and not running)
        self.tabs.setTabEnabled(0, readable)
        self.setup.set_locked(running)
        self._show_problem()

    def _show_problem(self) -> None:
        """Show problems of the file or the scene, with buttons that help."""
        document = self._document
        kind = "warning"
        path = self._open.path
        buttons: list[Button] = []
        scene = self._open.study_check.about("scene")
        if self._open.unreadable:
            text = f"The file cannot be read. Fix it, and it is reloaded.\n{self._open.unreadable}"
            buttons = [("Open in Text Editor", lambda: self._show_outside(folder=False))]
        elif self._open.missing:
            text = self._open.unsaved
            buttons = [("Save Again", self._open.save), ("Save As...", self._actions.ask_save_as)]
        elif self._open.unsaved:
            text = f"The last changes are not saved. {self._open.unsaved}"
            buttons = [("Try Again", self._open.save), ("Save As...", self._actions.ask_save_as)]
        elif scene:
            text = scene
        elif self._open.unreadable_results:
            text = self._open.unreadable_results.replace(
                f"{path.parent}{os.sep}" if path is not None else "", ""
            )
        elif document.path == self._open.scene_path and document.dirty:
            kind = "info"
            text = "The study uses the saved scene. Save your changes to include them."
            buttons = [("Save Scene", self._actions.save_scene)]
        elif self._open.taken_up:
            kind = "info"
            text = "The file was changed by another program, and has been reloaded."
        elif document.origin != self._open.scene_path:
            kind = "info"
            text = f"This study belongs to {self._open.study.scene}, which is not open."
            buttons = [("Open Scene", self._actions.open_scene)]
        else:
            text = ""
        if text == self._notice_text:
            return
        self._notice_text = text
        if text:
            self.banner.show_notice("warning" if kind == "warning" else "info", text, buttons)
        else:
            self.banner.clear()

    def _fit(self) -> None:
        self.banner.fit(4, max(120, self.width() - 32), 500)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
        self._arrange()

    def _arrange(self) -> None:
        low = self.height() < theme.scaled(_LOW)
        self.run_bar.set_low(low)
        for widget in (self.title, self.file):
            widget.setVisible(not low or self.tabs.currentWidget() is self.setup)

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(420), theme.scaled(640))

    def apply_theme(self) -> None:
        self._close.setIcon(theme.icon("close", "dim"))
        self.menu_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
