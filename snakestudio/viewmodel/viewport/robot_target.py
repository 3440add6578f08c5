"""Start of the robot as a target of the gizmo: possible edits and resulting scenes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.edits.pose import moved_robot, turned_robot
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


class RobotTarget:
    """Position and direction of the robot's start.

    Parameters
    ----------
    scene : Scene
        Scene whose model determines the possible edits.
    base_dir : Path or None
        Folder of the relative file names in the scene.
    link : int or None
        0-based link (or cross-section) that the robot turns about; None for its middle.

    Attributes
    ----------
    title : str
        Name of the target in texts of undo steps.
    move_axes, turn_axes, scale_axes : str
        Axes of moves, rotations and scaling; a robot cannot be scaled.
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
        """Return the pivot (3,), m.

        Raises `SceneError` if the start refers to a file that cannot be read.
        """
        if self._last is None or self._last[0] is not scene:  # used in every frame
            position = initial_state(scene, self._base_dir)[0][:, :3]
            pivot: FloatArray = (
                position.mean(axis=0)
                if self._link is None
                else position[min(self._link, len(position) - 1)]
            )
            self._last = scene, pivot
        return self._last[1]

    def moved(self, scene: Scene, shift: FloatArray) -> Scene:
        """Return the scene with the robot moved by (3,) metres.

        Raises `SceneError` like `model.placing.moved_robot`.
        """
        return moved_robot(scene, shift, self._base_dir)

    def turned(
        self, scene: Scene, axis: str | FloatArray, angle: float, pivot: FloatArray
    ) -> Scene:
        """Return the scene with the robot rotated about an axis or unit vector through `pivot` by an angle, rad.

        Raises `SceneError` like `model.placing.turned_robot`.
        """
        about = np.array(_AXES[axis]) if isinstance(axis, str) else np.asarray(axis, float)
        return turned_robot(scene, about, angle, pivot, self._base_dir)

    def scaled(self, scene: Scene, factors: FloatArray, pivot: FloatArray) -> Scene:
        """Return the scene unchanged, because a robot cannot be scaled (`scale_axes` is empty)."""
        return scene
