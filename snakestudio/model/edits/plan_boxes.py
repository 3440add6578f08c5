"""Boxes around obstacles as seen from above: what is aligned, spread out and kept apart by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.by_identity import by_identity
from snakestudio.model.obstacles.footprints import corners
from snakestudio.model.obstacles.shape import Obstacle, obstacle_solids, shape_of
from snakestudio.model.obstacles.solids import Post, Solid

__all__ = ["PlanBoxes", "plan_boxes"]


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
    points = corners(solid)[:, :2]
    return points.min(axis=0), points.max(axis=0)


@by_identity
def _box(obstacle: Obstacle) -> tuple[float, float, float, float]:
    """Least x and y, greatest x and y of an obstacle, m."""
    # Where it lies is known even if its files are not there, and they need not be read for it.
    extents = [_extent(solid) for solid in obstacle_solids(shape_of(obstacle).without_files(obstacle))]
    low, high = np.min([low for low, _ in extents], axis=0), np.max([high for _, high in extents], axis=0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def plan_boxes(obstacles: Sequence[Obstacle]) -> PlanBoxes:
    """Boxes around obstacles, sides along x and y."""
    boxes = np.array([_box(obstacle) for obstacle in obstacles]).reshape(-1, 4)
    return PlanBoxes(boxes[:, :2].copy(), boxes[:, 2:].copy())
