"""Where a new obstacle goes, and how a copy is placed: pure functions for menus and buttons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.gui.docks.obstacle_texts import KINDS
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.model.world import Obstacle
from snakestudio.render.obstacles import Obstacles, obstacles_of

__all__ = ["copies", "new_obstacle"]

FloatArray = NDArray[np.float64]

_ROOM = 0.02
"""Clearance that a new obstacle keeps from everything, m."""

_FARTHEST = 1e4
"""An obstacle's coordinates are at most this, m."""

_OWN = ("kind", "name", "x_m", "y_m")
"""What a new obstacle does not take over from the last one of its kind."""


def _hills() -> tuple[tuple[float, ...], ...]:
    """Heights of new uneven ground, m: low hills that end at the ground."""
    edge = [math.sin(math.pi * k / 16) for k in range(17)]
    return tuple(
        tuple(
            round(0.06 * edge[i] * edge[j] * (1.0 + 0.8 * math.sin(1.1 * i + 0.4 * j) * math.cos(0.9 * j)), 4)
            for i in range(17)
        )
        for j in range(17)
    )


def new_obstacle(
    scene: Scene, kind: str, snapshot: Snapshot | None, target: tuple[float, float], base_dir: Path | None = None
) -> Obstacle:
    """An obstacle like the last one of its kind, at the nearest place to it that touches nothing.

    Parameters
    ----------
    scene : Scene
    kind : str
    snapshot : Snapshot or None
        Where the robot is.
    target : (float, float)
        Where the first one of its kind goes, m.
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """
    model = KINDS[kind]
    like = next((o for o in reversed(scene.obstacles) if o.kind == kind), None)
    values: dict[str, Any] = {"kind": kind, "x_m": target[0], "y_m": target[1]}
    if like is not None:
        values |= {name: getattr(like, name) for name in model.model_fields if name not in _OWN}
        values |= {"x_m": like.x_m, "y_m": like.y_m}
    elif kind == "height_field":
        values["heights_m"] = _hills()
    new = model.model_validate(values)
    shape = obstacles_of((new,), base_dir)
    low, high = shape.low[0, :2], shape.high[0, :2]
    taken = _taken(scene, snapshot, base_dir)
    ring = float((high - low).max()) + _ROOM
    shifts = [(0.0, 0.0)]
    for circle in range(1, 40):
        for part in range(8):
            angle = part * math.pi / 4
            shifts.append((circle * ring * math.cos(angle), circle * ring * math.sin(angle)))
    for dx, dy in shifts:
        x, y = round(new.x_m + dx, 4), round(new.y_m + dy, 4)
        shift = (x - new.x_m, y - new.y_m)
        apart = (taken[0] > high + shift + _ROOM / 2) | (taken[1] < low + shift - _ROOM / 2)
        if apart.any(axis=1).all() and max(abs(x), abs(y)) <= _FARTHEST:
            return model.model_validate(values | {"x_m": x, "y_m": y})
    return model.model_validate(values)


def _taken(scene: Scene, snapshot: Snapshot | None, base_dir: Path | None) -> tuple[FloatArray, FloatArray]:
    """Corners (k, 2), m, of boxes around everything there is, from above."""
    world = obstacles_of(scene.obstacles, base_dir)
    low, high = world.low[:, :2], world.high[:, :2]
    if snapshot is None or not snapshot.valid & Fields.POSE:
        return low, high
    middle = snapshot.link_pose[np.isfinite(snapshot.link_pose).all(axis=1), :2]
    reach = scene.robot.radius_m + scene.robot.contact_half_length_m
    return np.concatenate((low, middle - reach)), np.concatenate((high, middle + reach))


def copies(scene: Scene, indices: Sequence[int], world: Obstacles) -> tuple[Obstacle, ...]:
    """Copies of some obstacles, moved aside so that one sees there are two."""
    made = []
    for index in indices:
        obstacle = scene.obstacles[index]
        values = {name: getattr(obstacle, name) for name in type(obstacle).model_fields}
        shift = float(world.high[index, 1] - world.low[index, 1]) + _ROOM
        values["y_m"] = round(min(_FARTHEST, obstacle.y_m + shift), 6)
        if obstacle.name:
            values["name"] = f"{obstacle.name} copy"[:80]
        made.append(type(obstacle).model_validate(values))
    return tuple(made)
