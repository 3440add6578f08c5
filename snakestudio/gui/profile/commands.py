"""Commands of robot profiles: editor, learning from traffic and wiggle test.

Windows and readers of profiles are imported when needed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMessageBox, QWidget

from snakestudio.errors import ProfileError, SnakeStudioError
from snakestudio.gui.core.command import Command, Context
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.core.settings import Setting
from snakestudio.paths import resource

if TYPE_CHECKING:
    from snakestudio.gui.profile.document import ProfileDocument
    from snakestudio.gui.profile.editor import ProfileEditor
    from snakestudio.gui.profile.learning_dialog import LearningDialog
    from snakestudio.gui.profile.wiggle_dialog import WiggleDialog


class ProfileContext(Context, Protocol):
    """Context of these commands."""

    robot_controller: RobotController


_LAST = Setting(
    "robot/edited_profile",
    "",
    "Edited robot profile",
    "Robot profile that the profile editor opens",
    remembered=True,
)
_FIRST = "lab_robot.toml"


def open_editor(c: ProfileContext, path: Path | None = None) -> ProfileEditor | None:
    """Open the profile editor.

    Parameters
    ----------
    path : Path, optional
        Profile to edit; if omitted, the connected robot's profile, the one edited last, one of the
        user's or the first bundled one.

    Returns
    -------
    ProfileEditor or None
            None if no profile could be opened; the reason was shown.
    """
    from snakestudio.gui.profile.document import ProfileDocument
    from snakestudio.gui.profile.editor import ProfileEditor

    editor = c.window.findChild(ProfileEditor)
    if editor is not None:
        if path is not None and path != editor.document.path:
            editor.open_file(path)
        _bring_up(editor)
        return editor
    problem = ""
    for candidate in [path] if path is not None else _candidates(c):
        try:
            document = ProfileDocument(candidate)
        except ProfileError as error:
            problem = problem or str(error)
            continue
        return _edit(c, document)
    QMessageBox.warning(c.window, "Robot Profile", problem or "There is no robot profile to edit.")
    return None


def _edit(c: ProfileContext, document: ProfileDocument) -> ProfileEditor:
    from snakestudio.gui.profile.editor import ProfileEditor

    editor = ProfileEditor(document, c.robot_controller, c.window, lambda: c.document.scene)
    editor.learn_requested.connect(lambda: open_learning(c))
    editor.wiggle_requested.connect(lambda axis: open_wiggle(c, axis))
    editor.applied.connect(lambda: _apply(c, document))
    document.title_changed.connect(lambda: _LAST.store(c.settings, str(document.path)))
    _LAST.store(c.settings, str(document.path))
    _bring_up(editor)
    return editor


def open_learning(c: ProfileContext) -> LearningDialog | None:
    """Open the dialog that learns from traffic; its results go into the edited profile."""
    from snakestudio.gui.profile.learning_dialog import LearningDialog

    dialog = c.window.findChild(LearningDialog)
    if dialog is None:
        editor = open_editor(c)
        if editor is None:
            return None
        dialog = LearningDialog(editor.document, c.robot_controller, editor)
    _bring_up(dialog)
    return dialog


def open_wiggle(c: ProfileContext, axis: int = 0) -> WiggleDialog:
    """Open the wiggle test of the connected robot.

    Parameters
    ----------
    axis : int
        Initial axis, 0-based.
    """
    dialog = prepare_wiggle(c)
    dialog.choose(axis)
    _bring_up(dialog)
    return dialog


def prepare_wiggle(c: ProfileContext) -> WiggleDialog:
    """Create the wiggle test hidden, because creating it while the robot is armed would block the window."""
    from snakestudio.gui.profile.wiggle_dialog import WiggleDialog

    dialog = c.window.findChild(WiggleDialog)
    if dialog is None:
        dialog = WiggleDialog(c.robot_controller, c.window)
        dialog.grab()  # lays out fonts, styles and the chart
    return dialog


def _candidates(c: ProfileContext) -> list[Path]:
    from snakestudio.link.profile.library import own, shipped

    paths: list[Path] = []
    robot_controller = c.robot_controller
    if robot_controller.loaded is not None and robot_controller.loaded.path is not None:
        paths.append(robot_controller.loaded.path)
    last = _LAST.load(c.settings)
    if os.path.isfile(last):
        paths.append(Path(last))
    return [*paths, *own(), resource("profiles", _FIRST), *shipped()]


def _apply(c: ProfileContext, document: ProfileDocument) -> None:
    """Reconnect over the same bus with the current profile."""
    try:
        c.robot_controller.reconnect(document.loaded)
    except SnakeStudioError as error:
        QMessageBox.warning(c.window, "Robot", str(error))


def _bring_up(widget: QWidget) -> None:
    widget.show()
    widget.raise_()
    widget.activateWindow()


def prepare_for_robot(c: ProfileContext) -> None:
    """Create the windows used while the robot is armed; creating them then blocks the window for too long."""

    def make() -> None:
        if c.robot_controller.connected and not c.robot_controller.movable:
            prepare_wiggle(c)

    if (
        c.robot_controller.connected
        and not c.robot_controller.movable
        and c.robot_controller.telemetry is not None
    ):
        QTimer.singleShot(0, c.window, make)


PROFILE: tuple[Command[ProfileContext], ...] = (
    Command(
        "edit_profile",
        "Robot",
        "Robot Profile...",
        open_editor,
        icon="table",
        long=True,
        tip="Edit the robot profile: joints, messages, limits and sequences, with checks",
    ),
    Command(
        "learn_profile",
        "Robot",
        "Learn from Traffic...",
        open_learning,
        long=True,
        tip="Identify what an unknown robot sends: counters, checksums, heartbeats and joint angles",
    ),
    Command(
        "wiggle_test",
        "Robot",
        "Wiggle Test...",
        open_wiggle,
        (),
        lambda c: c.robot_controller.connected,
        tip="Move one joint slightly to check its sign, gear ratio, backlash, lag and offset",
    ),
)
"""Commands of robot profiles."""
