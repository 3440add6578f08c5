"""Placement of new obstacles and of copies: pure functions for menus and buttons."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.model.edits.groups import free_group_name, members, obstacle_with, units
from snakestudio.model.edits.presets import last_like, preset_obstacles
from snakestudio.model.obstacles.outlines import plan_boxes
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot

_ROOM = 0.02
"""Smallest clearance of a new obstacle from everything else, m."""

_FARTHEST = 1e4
"""Largest coordinate of an obstacle, m."""


def new_obstacles(
    scene: Scene,
    name: str,
    snapshot: Snapshot | None,
    target: tuple[float, float],
    base_dir: Path | None = None,
    seen: Callable[[float, float], bool] = lambda x, y: True,
) -> tuple[Obstacle, ...]:
    """Return the obstacles of a preset, like the last one of their kind, at the nearest free position to it.

    If possible they are at a position where all of their corners are visible according to `seen`.

    Parameters
    ----------
    name : str
        Name of the preset.
    snapshot : Snapshot or None
        Current state of the robot.
    target : (float, float)
        Position of the first obstacle of its kind, m.
    base_dir : Path or None
        Folder of the relative file names in the scene.
    """
    like = last_like(scene, name)
    begin = target if like is None or not seen(like.x_m, like.y_m) else (like.x_m, like.y_m)
    shape = plan_boxes(preset_obstacles(scene, name, (0.0, 0.0)))
    low, high = shape.around(range(len(shape.low)))
    taken = _taken(scene, snapshot, base_dir)
    ring = float((high - low).max()) + _ROOM
    shifts = [(0.0, 0.0)]
    for circle in range(1, 40):
        for part in range(8):
            angle = part * math.pi / 4
            shifts.append((circle * ring * math.cos(angle), circle * ring * math.sin(angle)))
    nearest = None
    for dx, dy in shifts:
        position = round(begin[0] + dx, 4), round(begin[1] + dy, 4)
        left, bottom, right, top = (*(low + position), *(high + position))
        if max(map(abs, (left, bottom, right, top))) > _FARTHEST:
            continue
        apart = (taken[0] > high + position + _ROOM / 2) | (taken[1] < low + position - _ROOM / 2)
        if not apart.any(axis=1).all():
            continue
        nearest = nearest or position
        if all(seen(float(x), float(y)) for x in (left, right) for y in (bottom, top)):
            return preset_obstacles(scene, name, position)
    return preset_obstacles(scene, name, nearest or begin)


def _taken(
    scene: Scene, snapshot: Snapshot | None, base_dir: Path | None
) -> tuple[FloatArray, FloatArray]:
    """Return corners (k, 2), m, of boxes around all obstacles and links, from above."""
    world = obstacles_of(scene.obstacles, base_dir)
    low, high = world.low[:, :2], world.high[:, :2]
    if snapshot is None or not snapshot.valid & Fields.POSE:
        return low, high
    middle = snapshot.link_pose[np.isfinite(snapshot.link_pose).all(axis=1), :2]
    reach = scene.body.reach
    return np.concatenate((low, middle - reach)), np.concatenate((high, middle + reach))


def copies(
    scene: Scene, indices: Sequence[int], seen: Callable[[float, float], bool] = lambda x, y: True
) -> tuple[Obstacle, ...]:
    """Return copies of obstacles, shifted so that both are visible; copies of a whole group form a new group.

    Copies are at positions (x, y, m) that are visible according to `seen`, upwards in the view from
    above if possible.
    """
    boxes = plan_boxes(scene.obstacles)
    moved: dict[int, tuple[float, float]] = {}
    for part in units(scene, indices):
        low, high = boxes.around(part)
        # Eight digits would be noise.
        wide, tall = (
            math.ceil(100.0 * (float(high[k] - low[k]) + _ROOM) - 1e-6) / 100.0 for k in (0, 1)
        )
        ways = ((0.0, tall), (0.0, -tall), (wide, 0.0), (-wide, 0.0))
        x, y = 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])
        offset = next(
            (offset for offset in ways if seen(float(x) + offset[0], float(y) + offset[1])), ways[0]
        )
        moved |= dict.fromkeys(part, offset)
    chosen = set(indices)
    groups = {}
    for name in dict.fromkeys(scene.obstacles[i].group for i in indices):
        complete = name and chosen.issuperset(members(scene, name))
        groups[name] = free_group_name(scene, name) if complete else name
    copied = []
    for index in indices:
        o = scene.obstacles[index]
        name = f"{o.name} copy"[:80] if o.name else ""
        x, y = (
            round(min(max(at + by, -_FARTHEST), _FARTHEST), 6)
            for at, by in zip((o.x_m, o.y_m), moved[index], strict=True)
        )
        copied.append(obstacle_with(o, x_m=x, y_m=y, name=name, group=groups[o.group]))
    return tuple(copied)
