"""Alignment and even distribution of obstacles as seen from above: pure functions from scene to scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.edits.groups import obstacle_with, units, with_obstacles
from snakestudio.model.obstacles.outlines import plan_boxes
from snakestudio.model.scene import Scene

Side = Literal["left", "right", "top", "bottom", "centre_x", "centre_y"]
"""Left is towards smaller x and bottom towards smaller y, as in the view from above."""

_AXIS = {"left": 0, "right": 0, "centre_x": 0, "top": 1, "bottom": 1, "centre_y": 1}


def aligned(scene: Scene, indices: Sequence[int], side: Side) -> Scene:
    """Return the scene with obstacles moved so that their bounding boxes share a side or a centre.

    A group moves as one unless it is the whole selection. Locked obstacles stay, and the others move to
    them.

    Parameters
    ----------
    indices : sequence of int
        0-based.
    side : Side
        A side aligns to that of the outermost obstacle, a centre to that of the box around all.
    """
    if not indices:
        return scene
    boxes = plan_boxes(scene.obstacles)
    parts = units(scene, indices)
    axis = _AXIS[side]
    fixed = [part for part in parts if _is_locked(scene, part)]
    low, high = boxes.around([i for part in fixed or parts for i in part])
    target = _mark(low, high, side)
    shifts = np.zeros((len(scene.obstacles), 2))
    for part in parts:
        if part not in fixed:
            shifts[list(part), axis] = target - _mark(*boxes.around(part), side)
    return _shifted(scene, shifts)


def distributed(
    scene: Scene,
    indices: Sequence[int],
    axis: Literal["x", "y"],
    by: Literal["centres", "gaps"],
) -> Scene:
    """Return the scene with obstacles distributed evenly between the outermost two, which stay.

    Locked obstacles stay and are ignored.

    Parameters
    ----------
    indices : sequence of int
        0-based; with fewer than three movable obstacles nothing changes.
    by : {"centres", "gaps"}
        Distances to equalize: those of the centres, or the gaps between obstacles.
    """
    boxes = plan_boxes(scene.obstacles)
    k = "xy".index(axis)
    parts = [part for part in units(scene, indices) if not _is_locked(scene, part)]
    if len(parts) < 3:
        return scene
    ends = np.array([[corner[k] for corner in boxes.around(part)] for part in parts])
    order = np.argsort(ends.mean(axis=1), kind="stable")
    low, high = ends[order].T
    if by == "centres":
        middle = 0.5 * (low + high)
        moves = np.linspace(middle[0], middle[-1], len(parts)) - middle
    else:
        size = high - low
        gap = (high[-1] - low[0] - size.sum()) / (len(parts) - 1)
        begin = low[0] + np.concatenate(([0.0], np.cumsum(size[:-1] + gap)))
        moves = begin - low
    shifts = np.zeros((len(scene.obstacles), 2))
    for index, move in zip(order[1:-1], moves[1:-1], strict=True):
        shifts[list(parts[index]), k] = move
    return _shifted(scene, shifts)


def _is_locked(scene: Scene, part: Sequence[int]) -> bool:
    return any(scene.obstacles[i].locked for i in part)


def _mark(low: FloatArray, high: FloatArray, side: Side) -> float:
    """Return the coordinate of the side or centre of a box that is aligned, m."""
    axis = _AXIS[side]
    if side in ("left", "bottom"):
        return float(low[axis])
    if side in ("right", "top"):
        return float(high[axis])
    return float(0.5 * (low[axis] + high[axis]))


def _shifted(scene: Scene, shifts: FloatArray) -> Scene:
    """Return the scene with each obstacle moved by its shift, m, to the micrometre; zero shifts keep all digits."""
    return with_obstacles(
        scene,
        (
            obstacle_with(o, x_m=_moved(o.x_m, dx), y_m=_moved(o.y_m, dy))
            if max(abs(dx), abs(dy)) > 1e-9
            else o
            for o, (dx, dy) in zip(scene.obstacles, shifts.tolist(), strict=True)
        ),
    )


def _moved(value: float, shift: float) -> float:
    return round(value + shift, 6) if shift else value
