"""Profile editor: pages with tables and forms, next to the checks."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QMessageBox,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.errors import Problem, ProfileError
from snakestudio.gui.core import theme
from snakestudio.gui.core.file_dialogs import FileKind, ask_open, ask_save
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.profile.checks_panel import ChecksPanel
from snakestudio.gui.profile.dbc_page import DbcPage
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.gui.profile.joints_page import JointsPage
from snakestudio.gui.profile.messages_page import MessagesPage
from snakestudio.gui.profile.pages import (
    FormPage,
    MeaningsPage,
    emulation_page,
    loss_page,
    overview_page,
)
from snakestudio.gui.profile.sequences_page import SequencesPage
from snakestudio.link.profile.library import new_profile, own, shipped
from snakestudio.model.scene import Scene
from snakestudio.paths import profiles_dir

_FILES = "Robot profiles (*.toml)"
_LEARN = "Identify the messages on an unknown bus and add them to this profile"
_LEARN_LATER = (
    "Learning blocks the window for longer than an armed robot allows. Disarm the robot first."
)
_PLACE = re.compile(r"(\w+)\[(\d+)\](?:\.(.*))?\Z")


_LOWEST = 620
"""Height below which the forms of the pages are cut off, px of the design."""


class ProfileEditor(QWidget):
    """Editor of one profile at a time; not modal.

    Parameters
    ----------
    robot_controller : RobotController or None
        Robot controller of the window.
    parent : QWidget
        Main window; it asks about unsaved changes before it closes.
    scene : callable, optional
        Returns the scene of the window.

    Signals
    -------
    learn_requested()
        Request to learn messages and joints from traffic.
    wiggle_requested(axis: int)
        Request to test an axis of the connected robot, 0-based.
    applied()
        Request to reconnect the robot with the saved profile.
    """

    learn_requested = Signal()
    wiggle_requested = Signal(int)
    applied = Signal()

    def __init__(
        self,
        document: ProfileDocument,
        robot_controller: RobotController | None = None,
        parent: QWidget | None = None,
        scene: Callable[[], Scene] | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.document = document
        self._robot_controller = robot_controller
        document.setParent(self)
        self.setObjectName("profile_editor")
        # Widgets are created with their final parents, here and in the pages, because Qt restyles a
        # widget that gets another parent, with everything in it.
        split = QSplitter(self)
        self.stack = QStackedWidget(split)
        self.pages: dict[str, QWidget] = {
            "Overview": overview_page(document, self.stack),
            "Joints": JointsPage(document, robot_controller, scene, self.stack),
            "Messages": MessagesPage(document, self.stack),
            "Status and Errors": MeaningsPage(document, self.stack),
            "Sequences": SequencesPage(document, self.stack),
            "On Loss": loss_page(document, self.stack),
            "Emulation": emulation_page(document, self.stack),
            "DBC": DbcPage(document, self.stack),
        }
        self.nav = QListWidget(self)
        self.nav.addItems(list(self.pages))
        self.nav.setFixedWidth(theme.scaled(150))
        for row in range(self.nav.count()):
            self.nav.item(row).setSizeHint(QSize(0, theme.scaled(30)))
        self.nav.setAccessibleName("Pages")
        for page in self.pages.values():
            self.stack.addWidget(page)
        self.nav.currentRowChanged.connect(self.stack.setCurrentIndex)
        self.nav.setCurrentRow(0)
        self.checks = ChecksPanel(document, split)
        self.checks.problem_activated.connect(self.reveal)
        self.message = Message()
        split.setChildrenCollapsible(False)
        self.checks.setContentsMargins(theme.scaled(14), 0, 0, 0)
        self.stack.setContentsMargins(0, 0, theme.scaled(14), 0)
        split.addWidget(self.stack)
        split.addWidget(self.checks)
        split.setStretchFactor(0, 1)
        split.setSizes([theme.scaled(860), theme.scaled(270)])
        body = QHBoxLayout()
        body.setSpacing(16)
        body.addWidget(self.nav)
        body.addWidget(split, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(10)
        column.addLayout(self._make_head())
        column.addWidget(self.message)
        column.addLayout(body, 1)
        self.setMinimumHeight(theme.scaled(_LOWEST))
        theme.open_at(self, 1380, 860)
        joints = self._joints
        dbc = self.pages["DBC"]
        joints.wiggle_requested.connect(self.wiggle_requested)
        assert isinstance(dbc, DbcPage)
        dbc.message_activated.connect(self._show_message)
        document.title_changed.connect(self._show_title)
        document.changed.connect(self._show_title)
        document.locked_changed.connect(self._show_lock)
        if robot_controller is not None:
            robot_controller.changed.connect(self._on_robot)
        if parent is not None:
            parent.installEventFilter(self)
        self._show_title()
        self._on_robot()

    @property
    def _joints(self) -> JointsPage:
        page = self.pages["Joints"]
        assert isinstance(page, JointsPage)
        return page

    def _make_head(self) -> QHBoxLayout:
        self.name = QLabel()
        self.name.setFont(theme.text_font(18, strong=True))
        self.path_label = QLabel()
        self.path_label.setProperty("role", "dim")
        self.template = QToolButton()
        self.template.setText("New from Template")
        self.template.setToolTip("Copy a bundled profile and its DBC to your own folder")
        self.template.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = Menu(self.template)
        for path in shipped():
            menu.addAction(path.stem.replace("_", " ")).triggered.connect(
                lambda _=False, path=path: self.begin_from(path)
            )
        self.template.setMenu(menu)
        self.undo = _action(
            self, "Undo", QKeySequence.StandardKey.Undo, "undo", self.document.undo_stack.undo
        )
        self.redo = _action(
            self, "Redo", QKeySequence.StandardKey.Redo, "redo", self.document.undo_stack.redo
        )
        stack = self.document.undo_stack
        for action, can, text in (
            (self.undo, stack.canUndoChanged, stack.undoTextChanged),
            (self.redo, stack.canRedoChanged, stack.redoTextChanged),
        ):
            action.setEnabled(False)
            can.connect(action.setEnabled)
            name = action.text()
            text.connect(
                lambda change, action=action, name=name: action.setToolTip(
                    f"{name}: {change}" if change else name
                )
            )
        self.open = _action(self, "Open...", QKeySequence.StandardKey.Open, "open", self.ask_open)
        self.save_action = _action(self, "Save", QKeySequence.StandardKey.Save, "save", self.save)
        self.save_as = _action(
            self, "Save As...", QKeySequence.StandardKey.SaveAs, "save", self.ask_save_as
        )
        self.learn = QPushButton("&Learn from Traffic...")
        self.learn.clicked.connect(self.learn_requested)
        self.apply = QPushButton("&Apply to the Robot")
        self.apply.setToolTip("Save the profile and reconnect with it")
        theme.set_role(self.apply, "primary")
        self.apply.clicked.connect(self._apply)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.name)
        head.addWidget(self.path_label)
        head.addStretch(1)
        head.addWidget(self.template)
        for action in (self.open, self.save_action, self.save_as, self.undo, self.redo):
            button = QToolButton()
            button.setProperty("role", "flat")
            button.setDefaultAction(action)
            if action in (self.save_as,):
                button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            head.addWidget(button)
        head.addWidget(self.learn)
        head.addWidget(self.apply)
        return head

    # --- display ----------------------------------------------------------------------------------

    def _show_title(self) -> None:
        document = self.document
        mark = " • edited" if document.dirty else ""
        self.name.setText(document.profile.name)
        self.path_label.setText(
            f"{document.path.name}{mark}" + (" · bundled" if document.shipped else "")
        )
        self.path_label.setToolTip(str(document.path))
        self.setWindowTitle(f"{document.path.name}[*] – Robot Profile")
        self.setWindowModified(document.dirty)
        self.save_action.setEnabled(document.dirty and not document.locked)

    def _on_robot(self) -> None:
        robot_controller = self._robot_controller
        same = (
            robot_controller is not None
            and robot_controller.loaded is not None
            and robot_controller.loaded.path == self.document.path
        )
        armed = same and robot_controller is not None and robot_controller.movable
        self.document.lock(
            "The robot is armed with this profile. Disarm it before you change the profile."
            if armed
            else ""
        )
        movable = robot_controller is not None and robot_controller.movable
        self.learn.setEnabled(not movable)
        self.learn.setToolTip(_LEARN_LATER if movable else _LEARN)
        self.apply.setVisible(same)
        self.apply.setEnabled(not armed)

    def _show_lock(self) -> None:
        self.message.show_text(self.document.locked)
        self._show_title()

    def _show_message(self, row: int) -> None:
        self.reveal(Problem("hint", f"messages[{row + 1}]", "", ""))

    def reveal(self, problem: Problem) -> None:
        """Show the cell that a problem is about."""
        key = problem.key
        match = _PLACE.match(key)
        if match is None:
            self._show_value(key)
            return
        part = match[1]
        row = int(match[2]) - 1
        rest = match[3] or ""
        if part == "axes":
            self._turn_to("Joints")
            self._joints.select_part(row, rest)
        elif part == "messages":
            page = self._turn_to("Messages")
            assert isinstance(page, MessagesPage)
            page.select_part(row, rest)
        elif part in ("status", "errors"):
            meanings = self._turn_to("Status and Errors")
            assert isinstance(meanings, MeaningsPage)
            (meanings.status if part == "status" else meanings.errors).select_part(row, rest)

    def _show_value(self, key: str) -> None:
        part, _, rest = key.partition(".")
        if part == "sequences":
            match = _PLACE.match(rest)
            page = self._turn_to("Sequences")
            assert isinstance(page, SequencesPage)
            page.select_step(
                match[1] if match else rest,
                int(match[2]) - 1 if match else -1,
                (match[3] or "") if match else "",
            )
            return
        for title in ("Overview", "On Loss", "Emulation"):
            form = self.pages[title]
            assert isinstance(form, FormPage)
            if form.focus_value(part, rest.partition("[")[0]) or form.focus_value("", part):
                self._turn_to(title)
                form.focus_value(part, rest) or form.focus_value("", part)
                return
        titles = {
            "axes": "Joints",
            "messages": "Messages",
            "status": "Status and Errors",
            "errors": "Status and Errors",
        }
        if part in titles:
            self._turn_to(titles[part])

    def _turn_to(self, title: str) -> QWidget:
        self.nav.setCurrentRow(list(self.pages).index(title))
        return self.pages[title]

    # --- files ------------------------------------------------------------------------------------

    def open_file(self, path: Path) -> bool:
        """Open another profile after asking about unsaved changes; returns whether it was opened."""
        if not self.may_discard():
            return False
        try:
            self.document.open(path)
        except ProfileError as error:
            QMessageBox.warning(self, "Open Robot Profile", str(error))
            return False
        self._on_robot()
        return True

    def begin_from(self, template: Path) -> bool:
        """Copy a template to the user's folder and edit the copy; returns whether that succeeded."""
        if not self.may_discard():
            return False
        try:
            folder = next(
                profiles_dir() / name
                for name in (template.stem, *(f"{template.stem}_{n}" for n in range(2, 1000)))
                if not os.path.exists(profiles_dir() / name)
            )
            self.document.open(new_profile(template, folder))
        except (ProfileError, OSError) as error:
            QMessageBox.warning(self, "New from Template", str(error))
            return False
        self._on_robot()
        return True

    def ask_open(self) -> None:
        """Ask for a profile and open it."""
        mine = own()
        start = mine[0].parent if mine else self.document.path.parent
        path = ask_open(self, "Open Robot Profile", FileKind.PROFILE, _FILES, near=start)
        if path is not None:
            self.open_file(path)

    def save(self) -> bool:
        """Save to the file of the profile, or elsewhere if it is bundled; returns whether it was saved."""
        if self.document.shipped:
            return self.ask_save_as()
        return self._save(None)

    def ask_save_as(self) -> bool:
        """Ask for a file and save profile and DBC there; returns whether it was saved."""
        folder = profiles_dir() if self.document.shipped else self.document.path.parent
        name = self.document.path.name
        path = ask_save(self, "Save Robot Profile", FileKind.PROFILE, name, _FILES, near=folder)
        return path is not None and self._save(path)

    def _save(self, path: Path | None) -> bool:
        try:
            self.document.save(path)
        except ProfileError as error:
            self.message.show_text(str(error))
            return False
        self.message.show_text("")
        self._on_robot()
        return True

    def _apply(self) -> None:
        if not self.document.dirty or self.save():
            self.applied.emit()

    # --- closing ----------------------------------------------------------------------------------

    def may_discard(self) -> bool:
        """Return whether no change would be lost, or the user saved or discarded the changes."""
        if not self.document.dirty:
            return True
        box = QMessageBox(self)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Robot Profile")
        box.setText(f"{self.document.path.name} has unsaved changes.")
        buttons = QMessageBox.StandardButton
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        answer = box.exec()
        box.deleteLater()
        return answer == buttons.Discard or (answer == buttons.Save and self.save())

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.may_discard():
            event.ignore()
            return
        parent = self.parentWidget()
        if parent is not None:
            parent.removeEventFilter(self)
        event.accept()
        self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            watched is self.parentWidget()
            and event.type() == QEvent.Type.Close
            and not self.may_discard()
        ):
            event.ignore()
            return True
        return False


def _action(
    owner: QWidget, text: str, key: QKeySequence.StandardKey, icon: str, run: Callable[[], object]
) -> QAction:
    action = QAction(text, owner)
    theme.set_icon(action, icon, "dim")
    action.setShortcuts(QKeySequence.keyBindings(key))
    action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
    action.triggered.connect(lambda: run())
    owner.addAction(action)
    return action
