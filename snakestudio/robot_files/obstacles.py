"""Surroundings of a robot in its file, as obstacles of a scene."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.robot_files.compact import plain
from snakestudio.robot_files.description import Geometry
from snakestudio.robot_files.notes import Notes

_LEVEL = 0.999
"""Smallest cosine for a level plane or an upright cylinder."""

_THIN = 2e-3
"""Largest distance of the top of a large box from the ground for the box to be the ground, m."""

_WIDE = 2.0
_MOST = 5000


def ground_height(world: Sequence[Geometry]) -> float:
    """Height of the ground plane in the file, m."""
    plane = next((g for g in world if g.kind == "plane" and g.collides), None)
    return 0.0 if plane is None else float(plane.placement.position[2])


def ground_friction(world: Sequence[Geometry]) -> tuple[float, float] | None:
    """Friction coefficients of the ground plane, or of a box that replaces it."""
    height = ground_height(world)
    for geometry in world:
        if (
            geometry.collides
            and geometry.friction is not None
            and (geometry.kind == "plane" or _is_floor(geometry, height))
        ):
            return min(geometry.friction[0], 100.0), min(geometry.friction[1], 100.0)
    return None


def _is_floor(geometry: Geometry, height: float) -> bool:
    if geometry.kind != "box":
        return False
    top = geometry.placement.position[2] + geometry.size[2] - height
    return (
        min(geometry.size[:2]) >= _WIDE
        and abs(top) < _THIN
        and geometry.placement.rotation[2, 2] > _LEVEL
    )


def obstacles_of(world: Sequence[Geometry], notes: Notes) -> tuple[Obstacle, ...]:
    """Posts, blocks and uneven ground; other geometry is noted."""
    height = ground_height(world)
    result: list[Obstacle] = []
    for number, geometry in enumerate(world, start=1):
        name = geometry.name or f"geometry {number} of the world"
        if not geometry.collides:
            continue
        if geometry.kind == "plane":
            if abs(geometry.placement.rotation[2, 2]) < _LEVEL:
                notes.add(name, "is a plane that is not level; it was ignored", "tilted plane")
            continue
        if _is_floor(geometry, height):
            continue
        if len(result) >= _MOST:
            notes.add(name, f"is beyond the first {_MOST} obstacles; it was ignored", "too many")
            continue
        obstacle = _obstacle(geometry, name, height, notes)
        if obstacle is not None:
            result.append(obstacle)
    return tuple(result)


def _obstacle(geometry: Geometry, name: str, height: float, notes: Notes) -> Obstacle | None:
    if not geometry.size or geometry.kind == "mesh":
        notes.add(name, "is a mesh of the surroundings; it was ignored", "mesh")
        return None
    x, y, z = (
        plain(round(float(value), 9)) for value in geometry.placement.position - [0.0, 0.0, height]
    )
    friction = 0.2 if geometry.friction is None else min(geometry.friction[0], 100.0)
    shared = {"name": name[:80], "friction": plain(friction), "group": "world"}
    rotation = geometry.placement.rotation
    if max(abs(x), abs(y)) > 1e4 or max(geometry.size) > 1e3 or min(geometry.size) <= 1e-6:
        notes.add(name, "is too large, too small or too far away; it was ignored", "size")
        return None
    if geometry.kind == "height_field" and geometry.heights is not None:
        return HeightField(
            x_m=x,
            y_m=y,
            z_m=z,
            yaw_deg=_degrees(math.atan2(rotation[1, 0], rotation[0, 0])),
            length_m=plain(2 * geometry.size[0]),
            width_m=plain(2 * geometry.size[1]),
            heights_m=tuple(
                tuple(float(f"{value:.6g}") for value in row) for row in geometry.heights
            ),
            **shared,
        )
    if geometry.kind in ("cylinder", "capsule") and abs(rotation[2, 2]) > _LEVEL:
        top = z + geometry.size[1] + (geometry.size[0] if geometry.kind == "capsule" else 0.0)
        return _post(name, x, y, geometry.size[0], top, z - geometry.size[1], notes, shared)
    if geometry.kind == "sphere":
        notes.add(name, "is a sphere; it becomes a post of the same radius and height", "sphere")
        return _post(name, x, y, geometry.size[0], z + geometry.size[0], 0.0, notes, shared)
    half = np.array(geometry.size)
    if geometry.kind in ("cylinder", "capsule"):
        cap = geometry.size[0] if geometry.kind == "capsule" else 0.0
        half = np.array([geometry.size[0], geometry.size[0], geometry.size[1] + cap])
        notes.add(
            name,
            "is a cylinder that is not upright; it becomes its bounding box",
            "lying cylinder",
        )
    pitch = math.asin(max(-1.0, min(1.0, -float(rotation[2, 0]))))
    yaw = math.atan2(rotation[1, 0], rotation[0, 0])
    roll = math.atan2(rotation[2, 1], rotation[2, 2])
    return Box(
        x_m=x,
        y_m=y,
        z_m=plain(round(z - half[2], 9)),
        length_m=plain(2 * half[0]),
        width_m=plain(2 * half[1]),
        height_m=plain(2 * half[2]),
        yaw_deg=_degrees(yaw),
        pitch_deg=_degrees(pitch),
        roll_deg=_degrees(roll),
        **shared,
    )


def _post(
    name: str,
    x: float,
    y: float,
    radius: float,
    top: float,
    bottom: float,
    notes: Notes,
    shared: dict[str, object],
) -> Obstacle | None:
    if top <= 1e-6:
        notes.add(name, "is below the ground; it was ignored", "below")
        return None
    if bottom > 1e-3:
        notes.add(name, f"is {bottom:.3g} m above the ground; here it is on the ground", "hanging")
    return Cylinder(x_m=x, y_m=y, radius_m=plain(radius), height_m=plain(round(top, 9)), **shared)


def _degrees(angle: float) -> float:
    return plain(round(math.degrees(angle), 9)) + 0.0
