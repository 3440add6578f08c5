"""What robot profiles have in the menus; the windows behind it are imported when they are asked for."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer

from snakestudio.gui.core.command import Command
from snakestudio.gui.profile.robot import ProfileContext

__all__ = ["PROFILE", "prepare_for_robot"]


def _open(what: str) -> Callable[[ProfileContext], None]:
    """What brings up the editor, learning from traffic or the wiggle test."""

    def run(c: ProfileContext) -> None:
        from snakestudio.gui.profile import entry

        opens: dict[str, Callable[[ProfileContext], object]] = {
            "editor": entry.open_editor, "learning": entry.open_learning, "wiggle": entry.open_wiggle,
        }  # fmt: skip
        opens[what](c)

    return run


def prepare_for_robot(c: ProfileContext) -> None:
    """Make what is wanted while the robot is armed: making it then keeps the window longer than the robot waits."""

    def make() -> None:
        from snakestudio.gui.profile import entry

        if c.robot.connected and not c.robot.movable:
            entry.prepare_wiggle(c)

    if c.robot.connected and not c.robot.movable and c.robot.telemetry is not None:
        QTimer.singleShot(0, c.window, make)


PROFILE: tuple[Command[ProfileContext], ...] = (
    Command(
        "edit_profile", "Robot", "Robot Profile ...", _open("editor"), icon="table", long=True,
        tip="Which frames carry what of which joint, as tables with checks: no code for another robot",
    ),
    Command(
        "learn_profile", "Robot", "Learn from Traffic ...", _open("learning"), long=True,
        tip="Find out what an unknown robot sends: counters, checksums, heartbeats, and angles while you move a joint",
    ),
    Command(
        "wiggle_test", "Robot", "Wiggle Test ...", _open("wiggle"), (), lambda c: c.robot.connected,
        tip="Move one joint a little and judge its sign, gear, play, lag and offset in words",
    ),
)  # fmt: skip
"""What is done with profiles."""
