"""Where a new obstacle goes, and how a copy is placed: pure functions for the tree's buttons."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.model.world import Cylinder, Obstacle

__all__ = ["clearances", "copies", "new_cylinder", "obstacle_title"]

FloatArray = NDArray[np.float64]

_ROOM = 0.02
"""Clearance that a new obstacle keeps from everything, m."""


def obstacle_title(obstacle: Obstacle, index: int) -> str:
    """What an obstacle is called: by its name, or its kind and number."""
    return obstacle.name or f"{obstacle.kind.capitalize()} {index + 1}"


def clearances(scene: Scene, snapshot: Snapshot, x: float, y: float, radius: float) -> FloatArray:
    """Clearance (m, negative: overlap) of every link, (n,), from a vertical cylinder at (x, y)."""
    pose = snapshot.link_pose
    w, qx, qy, qz = pose[:, 3], pose[:, 4], pose[:, 5], pose[:, 6]
    axis = np.stack([1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy + w * qz)], axis=1)
    offset = np.array([x, y]) - pose[:, :2]
    half = scene.robot.contact_half_length_m
    along = np.clip(np.einsum("na,na->n", offset, axis), -half, half)
    gap: FloatArray = np.linalg.norm(offset - along[:, None] * axis, axis=1) - radius - scene.robot.radius_m
    return gap


def new_cylinder(scene: Scene, snapshot: Snapshot | None) -> Cylinder:
    """A cylinder like the last one, at the nearest place to it that touches nothing."""
    like = scene.obstacles[-1] if scene.obstacles else Cylinder(x_m=1.0, y_m=0.0)
    radius = like.radius_m
    ring = 2 * radius + _ROOM
    places = [(like.x_m, like.y_m)]
    for circle in range(1, 40):
        for part in range(8):
            angle = part * math.pi / 4
            places.append((like.x_m + circle * ring * math.cos(angle), like.y_m + circle * ring * math.sin(angle)))
    x, y = next(((x, y) for x, y in places if _free(scene, snapshot, x, y, radius)), places[-1])
    return Cylinder(x_m=round(x, 4), y_m=round(y, 4), radius_m=radius, height_m=like.height_m, friction=like.friction)


def _free(scene: Scene, snapshot: Snapshot | None, x: float, y: float, radius: float) -> bool:
    if abs(x) > 1e4 or abs(y) > 1e4:
        return False
    if any(math.hypot(o.x_m - x, o.y_m - y) < o.radius_m + radius + _ROOM / 2 for o in scene.obstacles):
        return False
    if snapshot is None or not snapshot.valid & Fields.POSE:
        return True
    return bool((clearances(scene, snapshot, x, y, radius) > _ROOM / 2).all())


def copies(scene: Scene, indices: Sequence[int]) -> tuple[Obstacle, ...]:
    """Copies of some obstacles, moved aside so that one sees there are two."""
    made = []
    for index in indices:
        obstacle = scene.obstacles[index]
        values = {name: getattr(obstacle, name) for name in type(obstacle).model_fields}
        shift = 2 * obstacle.radius_m + _ROOM
        values["y_m"] = round(min(1e4, obstacle.y_m + shift), 6)
        if obstacle.name:
            values["name"] = f"{obstacle.name} copy"[:80]
        made.append(type(obstacle).model_validate(values))
    return tuple(made)
