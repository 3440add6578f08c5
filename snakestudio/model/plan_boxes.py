"""Boxes around obstacles as seen from above: what is aligned, spread out and kept apart by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snakestudio.errors import SceneError
from snakestudio.model.rotations import rotation
from snakestudio.model.solids import Block, Post, Prism, Solid, obstacle_solids
from snakestudio.model.world import Cylinder, HeightField, Obstacle

__all__ = ["PlanBoxes", "plan_boxes"]

FloatArray = NDArray[np.float64]


class PlanBoxes(NamedTuple):
    """Corners `low` and `high` of the boxes, (n, 2), m."""

    low: FloatArray
    high: FloatArray

    @property
    def centre(self) -> FloatArray:
        """Middles of the boxes, (n, 2), m."""
        return 0.5 * (self.low + self.high)

    def around(self, indices: Sequence[int]) -> tuple[FloatArray, FloatArray]:
        """Corners (2,) of the one box around several, m."""
        chosen = list(indices)
        return self.low[chosen].min(axis=0), self.high[chosen].max(axis=0)


def _extent(solid: Solid) -> tuple[FloatArray, FloatArray]:
    """Corners (2,) of the box around one body, m."""
    if isinstance(solid, Post):
        middle = np.array([solid.x, solid.y])
        return middle - solid.radius, middle + solid.radius
    if isinstance(solid, Block):
        room = (np.abs(solid.rotation) @ solid.half)[:2]
        return solid.centre[:2] - room, solid.centre[:2] + room
    if isinstance(solid, Prism):
        local = np.array(
            [(x, side * solid.half_width, z) for x, z in solid.profile for side in (-1.0, 1.0)], dtype=np.float64
        )
        points = solid.origin[:2] + (local @ solid.rotation.T)[:, :2]
    else:
        ny, nx = solid.heights.shape
        size_x, size_y = solid.dx * (nx - 1), solid.dy * (ny - 1)
        flat = np.array([(0.0, 0.0), (size_x, 0.0), (size_x, size_y), (0.0, size_y)])
        points = solid.origin[:2] + flat @ rotation(solid.yaw)[:2, :2].T
    return points.min(axis=0), points.max(axis=0)


def _box(obstacle: Obstacle, base_dir: Path | None) -> tuple[FloatArray, FloatArray]:
    try:
        solids = obstacle_solids(obstacle, base_dir)
    except SceneError:
        if not isinstance(obstacle, HeightField):
            raise
        # Its heights cannot be read, but where it lies is known all the same.
        flat = obstacle.model_copy(update={"heights_m": ((0.0, 0.0), (0.0, 0.0)), "picture": None})
        solids = obstacle_solids(flat)
    extents = [_extent(solid) for solid in solids]
    return np.min([low for low, _ in extents], axis=0), np.max([high for _, high in extents], axis=0)


def plan_boxes(obstacles: Sequence[Obstacle], base_dir: Path | None = None) -> PlanBoxes:
    """Boxes around obstacles, sides along x and y; of a height field that cannot be read, of its rectangle.

    Parameters
    ----------
    obstacles : sequence of Obstacle
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """
    low, high = np.zeros((len(obstacles), 2)), np.zeros((len(obstacles), 2))
    for i, o in enumerate(obstacles):
        if isinstance(o, Cylinder):  # by far the most frequent, in fields of thousands
            low[i] = o.x_m - o.radius_m, o.y_m - o.radius_m
            high[i] = o.x_m + o.radius_m, o.y_m + o.radius_m
        else:
            low[i], high[i] = _box(o, base_dir)
    return PlanBoxes(low, high)
