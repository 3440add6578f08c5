"""How the main window's menu brings up the profile editor, learning from traffic and the wiggle test."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMessageBox, QWidget

from snakestudio.errors import ProfileError, SnakeStudioError
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.gui.profile.editor import ProfileEditor
from snakestudio.gui.profile.learning_dialog import LearningDialog
from snakestudio.gui.profile.robot import Robot
from snakestudio.gui.profile.wiggle_dialog import WiggleDialog
from snakestudio.link.profile.library import own, shipped
from snakestudio.paths import resource

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["open_editor", "open_learning", "open_wiggle", "prepare_wiggle"]

_LAST = "robot/edited_profile"
_FIRST = "lab_robot.toml"


def open_editor(window: MainWindow, path: Path | None = None) -> ProfileEditor | None:
    """Bring up the profile editor.

    Parameters
    ----------
    window : MainWindow
    path : Path, optional
        What to edit: if left out, the connected robot's profile, the one edited last, one of the user's or the first
        that comes with the program.

    Returns
    -------
    ProfileEditor or None
        None if no profile could be opened; the user was told why.
    """
    editor = window.findChild(ProfileEditor)
    if editor is not None:
        if path is not None and path != editor.document.path:
            editor.open_file(path)
        _bring_up(editor)
        return editor
    problem = ""
    for candidate in [path] if path is not None else _candidates(window):
        try:
            document = ProfileDocument(candidate)
        except ProfileError as error:
            problem = problem or str(error)
            continue
        return _edit(window, document)
    QMessageBox.warning(window, "Robot Profile", problem or "There is no robot profile to edit.")
    return None


def _edit(window: MainWindow, document: ProfileDocument) -> ProfileEditor:
    editor = ProfileEditor(document, window.robot, window)
    editor.learn_asked.connect(lambda: open_learning(window))
    editor.wiggle_asked.connect(lambda axis: open_wiggle(window, axis))
    editor.applied.connect(lambda: _apply(window, document))
    document.title_changed.connect(lambda: window.settings.setValue(_LAST, str(document.path)))
    window.settings.setValue(_LAST, str(document.path))
    _bring_up(editor)
    return editor


def open_learning(window: MainWindow) -> LearningDialog | None:
    """Bring up the dialog that learns from traffic; what it finds goes into the profile that is being edited."""
    dialog = window.findChild(LearningDialog)
    if dialog is None:
        editor = open_editor(window)
        if editor is None:
            return None
        dialog = LearningDialog(editor.document, window.robot, editor)
    _bring_up(dialog)
    return dialog


def open_wiggle(window: MainWindow, axis: int = 0) -> WiggleDialog:
    """Bring up the wiggle test of the connected robot.

    Parameters
    ----------
    window : MainWindow
    axis : int
        The one to begin with, 0-based.
    """
    dialog = prepare_wiggle(window)
    dialog.choose(axis)
    _bring_up(dialog)
    return dialog


def prepare_wiggle(window: MainWindow) -> WiggleDialog:
    """Make the wiggle test without showing it: it is used while the robot is armed, and waits for no one then."""
    dialog = window.findChild(WiggleDialog)
    if dialog is None:
        dialog = WiggleDialog(window.robot, window)
        dialog.grab()  # fonts, styles and the chart are laid out now
    return dialog


def _candidates(window: MainWindow) -> list[Path]:
    found: list[Path] = []
    robot: Robot = window.robot
    if robot.loaded is not None and robot.loaded.path is not None:
        found.append(robot.loaded.path)
    last = window.settings.value(_LAST)
    if isinstance(last, str) and Path(last).is_file():
        found.append(Path(last))
    return [*found, *own(), resource("profiles", _FIRST), *shipped()]


def _apply(window: MainWindow, document: ProfileDocument) -> None:
    """Connect again, over the same bus, with the profile as it is now."""
    robot = window.robot
    if robot.link is None:
        return
    try:
        robot.connect_to(document.loaded, robot.link.profile.bus, robot.choices, emulated=robot.emulated)
    except SnakeStudioError as error:
        QMessageBox.warning(window, "Robot", str(error))


def _bring_up(widget: QWidget) -> None:
    widget.show()
    widget.raise_()
    widget.activateWindow()
