"""Targets of the gizmo and keys: the selected obstacles, or the robot at its start, with a pivot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from snakestudio._arrays import FloatArray
from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.errors import SnakeStudioError
from snakestudio.model.edits import transform
from snakestudio.model.labels import obstacle_mention
from snakestudio.model.obstacles.shape import Obstacle, shape_of
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.scene.items import Item
from snakestudio.viewmodel.viewport.robot_target import RobotTarget


class TransformTarget(Protocol):
    """Target that can be moved, rotated and scaled; every edit is a pure function of the scene before it."""

    @property
    def title(self) -> str:
        """Name in the middle of a sentence."""

    @property
    def move_axes(self) -> str:
        """World axes along which it can be moved, of "xyz"."""

    @property
    def turn_axes(self) -> str:
        """World axes about which it can be rotated."""

    @property
    def scale_axes(self) -> str:
        """World axes along which it can be scaled."""

    def pivot(self, scene: Scene) -> FloatArray:
        """Return the pivot (3,), m, of moves, rotations and scaling."""

    def moved(self, scene: Scene, shift: FloatArray) -> Scene:
        """Return the scene with the target moved by `shift` (3,), m.

        Raises `SceneError` if the result is not valid, as all edits do.
        """

    def turned(
        self, scene: Scene, axis: str | FloatArray, angle: float, pivot: FloatArray
    ) -> Scene:
        """Return the scene with the target rotated by `angle` (rad) about an axis or unit vector through `pivot`."""

    def scaled(self, scene: Scene, factors: FloatArray, pivot: FloatArray) -> Scene:
        """Return the scene with the target scaled by `factors` (3,) about `pivot`."""


@runtime_checkable
class ShapedTarget(Protocol):
    """Target with its own axes and edges, for constraints and snapping."""

    def own_axes(self, scene: Scene) -> FloatArray:
        """Return the target's axes as columns (3, 3); those of the world if its parts differ."""

    def box(self, scene: Scene, base_dir: Path | None) -> tuple[FloatArray, FloatArray]:
        """Return the corners (3,) of the box around the target, m."""


class ObstacleTarget:
    """Target of one or several obstacles.

    Parameters
    ----------
    indices : sequence of int
        0-based indices of the obstacles, at least one.
    """

    def __init__(self, scene: Scene, indices: Sequence[int]) -> None:
        self.indices = tuple(indices)
        chosen = [scene.obstacles[index] for index in self.indices]
        one = len(chosen) == 1
        self.title = (
            obstacle_mention(chosen[0], self.indices[0]) if one else f"{len(chosen)} obstacles"
        )
        shapes = [shape_of(o) for o in chosen]
        self.move_axes = "xyz" if all(shape.raised for shape in shapes) else "xy"
        if all(shape.tilts for shape in shapes):
            self.turn_axes = "xyz"
        else:
            self.turn_axes = "" if one and not shapes[0].turn_key else "z"
        self.scale_axes = "xyz"

    def _chosen(self, scene: Scene) -> list[Obstacle]:
        return [scene.obstacles[index] for index in self.indices]

    def pivot(self, scene: Scene) -> FloatArray:
        """Return the middle of the reference points, (3,), m."""
        middle: FloatArray = np.mean(
            [transform.reference_point(o) for o in self._chosen(scene)], axis=0
        )
        return middle

    def own_axes(self, scene: Scene) -> FloatArray:
        """Return the axes of a single obstacle as columns (3, 3)."""
        return (
            transform.own_axes(scene.obstacles[self.indices[0]])
            if len(self.indices) == 1
            else np.eye(3)
        )

    def box(self, scene: Scene, base_dir: Path | None) -> tuple[FloatArray, FloatArray]:
        """Return the corners (3,) of the box around all obstacles, m."""
        world = obstacles_of(scene.obstacles, base_dir)
        of = list(self.indices)
        return world.low[of].min(axis=0), world.high[of].max(axis=0)

    def moved(self, scene: Scene, shift: FloatArray) -> Scene:
        """Return the scene with the obstacles moved."""
        return transform.move(scene, self.indices, shift)

    def turned(self, scene: Scene, axis: str | ArrayLike, angle: float, pivot: FloatArray) -> Scene:
        """Return the scene with the obstacles rotated."""
        return transform.turn(scene, self.indices, axis, angle, pivot)

    def scaled(self, scene: Scene, factors: FloatArray, pivot: FloatArray) -> Scene:
        """Return the scene with the obstacles scaled; vertically from the lowest foot, so that they stay in place."""
        foot = min(getattr(o, "z_m", 0.0) for o in self._chosen(scene))
        return transform.scale(
            scene, self.indices, factors, (float(pivot[0]), float(pivot[1]), foot)
        )


_ROBOT = ("link", "robot", "beam", "start")


def target_of(
    items: frozenset[Item], scene: Scene, base_dir: Path | None, placeable: bool
) -> TransformTarget | None:
    """Return the target of the selection: its unlocked obstacles, or the robot.

    None if there is none, or both are selected.

    Parameters
    ----------
    items : frozenset of Item
        Selected items.
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    placeable : bool
        Whether the robot is at its start, so that it can be moved.
    """
    obstacles = sorted(index for kind, index in items if kind == "obstacle")
    if any(kind in _ROBOT for kind, _ in items):
        if obstacles or not placeable:
            return None
        links = [index for kind, index in items if kind == "link"]
        robot = RobotTarget(scene, base_dir, links[0] if len(links) == 1 else None)
        try:
            robot.pivot(scene)
        except SnakeStudioError:
            return None  # the start file cannot be read, which the checks report
        return robot
    free = [index for index in obstacles if not scene.obstacles[index].locked]
    return ObstacleTarget(scene, free) if free else None
