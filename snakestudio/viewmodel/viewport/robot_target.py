"""The robot's start as a target of the gizmo: what can be done to it, and the scene that results."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.edits.pose import moved_robot, turned_robot
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


class RobotTarget:
    """The place and the direction in which the robot starts.

    Parameters
    ----------
    scene : Scene
        Says by its model what the robot can do.
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    link : int or None
        0-based link (or cross-section) that the robot turns about; None for its middle.

    Attributes
    ----------
    title : str
        What is moved, as texts of undo steps name it.
    move_axes, turn_axes, scale_axes : str
        Axes along and about which it goes; a robot's size is not its start's.
    """

    title = "robot"
    scale_axes = ""

    def __init__(self, scene: Scene, base_dir: Path | None = None, link: int | None = None) -> None:
        self.move_axes = "xyz" if scene.model.spatial else "xy"
        self.turn_axes = "xyz" if scene.model.spatial else "z"
        self._base_dir = base_dir
        self._link = link
        self._last: tuple[Scene, FloatArray] | None = None

    def pivot(self, scene: Scene) -> FloatArray:
        """The point (3,), m, that it turns about.

        Raises `SceneError` if the start refers to a file that cannot be read.
        """
        if self._last is None or self._last[0] is not scene:  # asked for in every picture
            place = initial_state(scene, self._base_dir)[0][:, :3]
            pivot: FloatArray = (
                place.mean(axis=0) if self._link is None else place[min(self._link, len(place) - 1)]
            )
            self._last = scene, pivot
        return self._last[1]

    def moved(self, scene: Scene, shift: FloatArray) -> Scene:
        """The scene with the robot moved by (3,) metres.

        Raises `SceneError` as `model.placing.moved_robot`.
        """
        return moved_robot(scene, shift, self._base_dir)

    def turned(
        self, scene: Scene, axis: str | FloatArray, angle: float, pivot: FloatArray
    ) -> Scene:
        """The scene with the robot turned about "x", "y", "z" or a unit vector through `pivot`, by an angle in rad.

        Raises `SceneError` as `model.placing.turned_robot`.
        """
        about = np.array(_AXES[axis]) if isinstance(axis, str) else np.asarray(axis, float)
        return turned_robot(scene, about, angle, pivot, self._base_dir)

    def scaled(self, scene: Scene, factors: FloatArray, pivot: FloatArray) -> Scene:
        """The scene as it is: a robot is not scaled (`scale_axes` is empty)."""
        return scene
