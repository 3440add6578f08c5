"""Obstacles lined up and spread out evenly, as seen from above: pure functions Scene -> Scene."""

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
    """The scene with obstacles moved so that their bounding boxes share a side or a middle.

    A group moves as one, unless it is all there is to line up. What is locked stays, and the others
    go to it.

    Parameters
    ----------
    indices : sequence of int
        0-based.
    side : Side
        A side goes to that of the outermost; a middle to that of the box around all.
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
    """The scene with obstacles spread out evenly between the outermost two, which stay.

    What is locked stays where it is and is not counted.

    Parameters
    ----------
    indices : sequence of int
        0-based; with fewer than three that can move nothing happens.
    by : {"centres", "gaps"}
        What becomes equal: the distances of their middles, or the room between them.
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
    for place, move in zip(order[1:-1], moves[1:-1], strict=True):
        shifts[list(parts[place]), k] = move
    return _shifted(scene, shifts)


def _is_locked(scene: Scene, part: Sequence[int]) -> bool:
    return any(scene.obstacles[i].locked for i in part)


def _mark(low: FloatArray, high: FloatArray, side: Side) -> float:
    """Where a box has the side or middle that is lined up, m."""
    axis = _AXIS[side]
    if side in ("left", "bottom"):
        return float(low[axis])
    if side in ("right", "top"):
        return float(high[axis])
    return float(0.5 * (low[axis] + high[axis]))


def _shifted(scene: Scene, shifts: FloatArray) -> Scene:
    """The scene with every obstacle moved by its shift, m, to the micrometre; what need not move keeps its digits."""
    return with_obstacles(
        scene,
        (
            obstacle_with(o, x_m=_moved(o.x_m, dx), y_m=_moved(o.y_m, dy))
            if max(abs(dx), abs(dy)) > 1e-9
            else o
            for o, (dx, dy) in zip(scene.obstacles, shifts.tolist(), strict=True)
        ),
    )


def _moved(place: float, shift: float) -> float:
    return round(place + shift, 6) if shift else place
