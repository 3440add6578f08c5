"""Commands that lay the robot out anew: in its gait's shape, straight, or as it is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.shell.commands.command import Command, has_links
from snakestudio.model.edits.pose import gait_robot, start_of_pose, straight_robot, with_start
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["ROBOT"]

_MENU = "Edit/Robot"


def _lay(make: Callable[[Scene, Path | None], Scene], text: str) -> Callable[[MainWindow], None]:
    """A command that changes the start, as one step of undo, or says why it cannot."""

    def run(w: MainWindow) -> None:
        try:
            made = make(w.document.scene, w.document.base_dir)
        except SnakeStudioError as error:
            w.banners.error(str(error))
        else:
            w.document.edit(made, text)

    return run


def _start_here(w: MainWindow) -> None:
    snapshot = w.viewport.snapshot
    if snapshot is None:
        return
    scene = w.document.scene
    w.document.edit(with_start(scene, start_of_pose(scene, snapshot.link_pose)), "Start where it is now")


def _is_shown(w: MainWindow) -> bool:
    snapshot = w.viewport.snapshot
    return (
        has_links(w)
        and snapshot is not None
        and Fields.POSE in snapshot.valid
        and snapshot.n_links == w.document.scene.robot.n_links
    )


ROBOT: tuple[Command, ...] = (
    Command(
        "robot_to_gait", _MENU, "Snap Robot to Gait at t = 0", _lay(gait_robot, "Snap robot to gait"),
        enabled=has_links, tip="The robot starts where it is, in the shape of its gait, so that nothing jerks",
    ),
    Command(
        "straighten_robot", _MENU, "Straighten Robot", _lay(straight_robot, "Straighten robot"), enabled=has_links,
        tip="The robot starts where it is, with all links in line",
    ),
    Command(
        "start_here", _MENU, "Start Where It Is Now", _start_here, enabled=_is_shown,
        tip="What is shown becomes the start, at rest; it applies at the next reset",
    ),
)  # fmt: skip
