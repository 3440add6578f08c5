"""Snapping of the cursor to points of a plan, and of shifts to edges of obstacles or to the grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.drawing.bodies import body_centre, body_outlines
from snakestudio.drawing.gizmo import Guide
from snakestudio.drawing.obstacles import Obstacles
from snakestudio.model.edits.bending import joint_points
from snakestudio.model.obstacles.outlines import nearest_point
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.viewport.view_settings import EditSettings


class Snap(NamedTuple):
    """Point of the plan."""

    point: FloatArray
    """Position, m. Shape (2,)."""

    kind: str = ""
    """"centre", "corner" or "edge"; "" for a point of the ground."""


def snapped(
    scene: Scene, world: Obstacles, pose: FloatArray | None, point: FloatArray, reach: float
) -> Snap:
    """Snap a point (2,), m, to a centre or corner nearer than `reach` (m), else an edge, else to itself.

    Hidden obstacles are ignored.

    Parameters
    ----------
    world : Obstacles
        Obstacles of the scene.
    pose : (n, 7) array or None
        Poses of the links.
    point : (2,) array
    """
    inside = (world.low[:, :2] - reach <= point).all(axis=1) & (
        point <= world.high[:, :2] + reach
    ).all(axis=1)
    near = [world.bodies[i] for i in np.flatnonzero(inside) if not scene.obstacles[i].hidden]
    outlines = [outline for body in near for outline in body_outlines(body)]
    middles = [body_centre(body) for body in near]
    if pose is not None:
        outlines += [
            one
            for one in scene.body.outlines(pose)
            if (one.low - reach <= point).all() and (point <= one.high + reach).all()
        ]
        if scene.body.jointed:
            middles += [*joint_points(pose, scene.robot)[:, :2], *pose[:, :2]]
    corners = [corner for outline in outlines if outline.radius == 0.0 for corner in outline.points]
    for kind, points in (("centre", middles), ("corner", corners)):
        nearest = _nearest(np.array(points).reshape(-1, 2), point, reach)
        if nearest is not None:
            return Snap(nearest, kind)
    edges = np.array([nearest_point(outline, point) for outline in outlines]).reshape(-1, 2)
    nearest = _nearest(edges, point, 0.8 * reach)
    return Snap(point) if nearest is None else Snap(nearest, "edge")


def _nearest(points: FloatArray, point: FloatArray, reach: float) -> FloatArray | None:
    if not len(points):
        return None
    away = np.linalg.norm(points - point, axis=1)
    away[np.isnan(away)] = np.inf
    k = int(np.argmin(away))
    return points[k] if away[k] <= reach else None


_NEAREST = 24
"""Largest number of surrounding obstacles to snap to; with all obstacles of a large scene, everything
would snap."""


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """Boxes to snap to, and the original box of the moved items."""

    low: FloatArray
    """Lower corners of boxes around other items, m. Shape (k, 3)."""

    high: FloatArray
    """Upper corners of boxes around other items, m. Shape (k, 3)."""

    own_low: FloatArray
    """Lower corner of the box around the moved items, m. Shape (3,)."""

    own_high: FloatArray
    """Upper corner of the box around the moved items, m. Shape (3,)."""


def stepped(value: float, step: float) -> float:
    """Return the nearest multiple of a step."""
    return round(value / step) * step


def snapped_shift(
    shift: FloatArray,
    pivot: FloatArray,
    axes: str,
    choices: EditSettings,
    targets: Targets | None,
    reach: float,
) -> tuple[FloatArray, tuple[Guide, ...]]:
    """Return a shift after snapping, and the guides of the targets.

    Parameters
    ----------
    shift : (3,) array
        Shift of the cursor, m.
    pivot : (3,) array
        Original pivot, which snaps to the grid, m.
    axes : str
        Axes of "xyz" along which the shift can change.
    reach : float
        Largest snapping distance of edges, m.
    """
    snapped = shift.copy()
    guides = []
    near = _near(shift, targets) if choices.objects and targets is not None else None
    for name in axes:
        k = "xyz".index(name)
        if targets is not None and near is not None and len(near):
            aligned = _aligned(shift[k], k, targets, near, reach)
            if aligned is not None:
                snapped[k], level, other = aligned
                guides.append((name, level, other))
                continue
        if choices.grid:
            snapped[k] = stepped(pivot[k] + shift[k], choices.grid_m) - pivot[k]
    return snapped, tuple(
        _guide(name, level, other, snapped, targets) for name, level, other in guides
    )


def _near(shift: FloatArray, targets: Targets) -> NDArray[np.intp]:
    """Return the indices of the nearest boxes, by the gaps to the moved box."""
    low, high = targets.own_low + shift, targets.own_high + shift
    gap = np.maximum(np.maximum(targets.low - high, low - targets.high), 0.0)
    distance = (gap[:, :2] ** 2).sum(axis=1)
    if len(distance) <= _NEAREST:
        return np.arange(len(distance))
    return np.argpartition(distance, _NEAREST)[:_NEAREST]


def _levels(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return middle and edges, (..., 3); the middle takes precedence at equal distances."""
    return np.stack((0.5 * (low + high), low, high), axis=-1)


def _aligned(
    shift: float, k: int, targets: Targets, near: NDArray[np.intp], reach: float
) -> tuple[float, float, int] | None:
    """Shift along axis k that aligns an edge or middle, its level, and the index of the box; None if too far."""
    own = _levels(targets.own_low[k], targets.own_high[k])
    theirs = _levels(targets.low[near, k], targets.high[near, k])
    away = theirs[:, :, None] - own - shift
    if k == 2:
        away[:, :, [0, 2]] = np.inf  # vertically, only the foot snaps
    best = np.unravel_index(int(np.argmin(np.abs(away))), away.shape)
    if not abs(away[best]) <= reach:
        return None
    return shift + float(away[best]), float(theirs[best[0], best[1]]), int(near[best[0]])


def _guide(
    name: str, level: float, other: int, shift: FloatArray, targets: Targets | None
) -> Guide:
    """Return the line from the middle of the moved items to that of the target, at their common level."""
    assert targets is not None
    start = 0.5 * (targets.own_low + targets.own_high) + shift
    end = 0.5 * (targets.low[other] + targets.high[other])
    k = "xyz".index(name)
    start[k] = end[k] = level
    if k != 2:
        start[2] = end[2] = float(max(targets.own_high[2] + shift[2], targets.high[other, 2]))
    return Guide(_triple(start), _triple(end), dot=True)


def _triple(point: FloatArray) -> tuple[float, float, float]:
    x, y, z = point
    return float(x), float(y), float(z)
