"""Surroundings of a robot in its file, as obstacles of a scene."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.robot_files.compact import plain
from snakestudio.robot_files.description import Geometry, Placement
from snakestudio.robot_files.notes import Notes
from snakestudio.robot_files.rotations import about
from snakestudio.robot_files.xml_text import rpy
from snakestudio.text import length_text

_LEVEL = 0.999
"""Smallest cosine for a level plane or an upright cylinder."""

_THIN = 2e-3
"""Largest distance of the top of a large box from the ground for the box to be the ground, m."""

_WIDE = 2.0
_MOST = 5000

_LIFTED = 1e-3
"""Largest height of the lowest point of a post above the ground, m."""

_FACETS = 9
"""Number of boxes of a prism; twice as many sides are within 0.8 % of the radius."""

_FEW_FACETS = 4
_MANY_PRISMS = 100
"""Number of prisms above which they have fewer boxes: 4 % of the radius."""

_CAP = 0.75
"""Height of the flat end instead of a hemisphere, per radius."""


def ground_height(world: Sequence[Geometry]) -> float:
    """Return the height of the ground plane in the file, m."""
    plane = next((g for g in world if g.kind == "plane" and g.collides), None)
    return 0.0 if plane is None else float(plane.placement.position[2])


def ground_friction(world: Sequence[Geometry]) -> tuple[float, float] | None:
    """Return the friction coefficients of the ground plane, or of a box that replaces it."""
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
    """Return posts, blocks, prisms and uneven ground; other geometry is noted."""
    height = ground_height(world)
    round_ones = [g for g in world if g.collides and _needs_prism(g, height)]
    facets = _FEW_FACETS if len(round_ones) > _MANY_PRISMS else _FACETS
    floor = next((g for g in world if g.kind == "plane" and g.collides), None)
    result: list[Obstacle] = []
    for number, geometry in enumerate(world, start=1):
        name = geometry.name or f"geometry {number} of the world"
        if not geometry.collides:
            continue
        if geometry.kind == "plane":
            if abs(geometry.placement.rotation[2, 2]) < _LEVEL:
                notes.add(name, "is a plane that is not level; it was ignored", "tilted plane")
            elif geometry is not floor:
                notes.add(name, "is another plane than the ground; it was ignored", "second plane")
            continue
        if _is_floor(geometry, height):
            continue
        obstacles = _obstacles(geometry, name, height, facets, notes)
        if len(result) + len(obstacles) > _MOST:
            notes.add(name, f"is beyond the first {_MOST} obstacles; it was ignored", "too many")
            continue
        result += obstacles
    return tuple(result)


def _upright(geometry: Geometry) -> bool:
    return bool(abs(geometry.placement.rotation[2, 2]) > _LEVEL)


def _bottom(geometry: Geometry, height: float) -> float:
    """Return the height of the lowest point of an upright round geometry above the ground, m."""
    half = {"sphere": geometry.size[0], "capsule": sum(geometry.size[:2])}.get(
        geometry.kind, geometry.size[-1]
    )
    return float(geometry.placement.position[2]) - height - half


def _needs_prism(geometry: Geometry, height: float) -> bool:
    """Return whether a round geometry lies, is tilted, or is above the ground, unlike the posts of a scene."""
    if geometry.kind not in ("cylinder", "capsule", "sphere"):
        return False
    tilted = geometry.kind != "sphere" and not _upright(geometry)
    return tilted or _bottom(geometry, height) > _LIFTED


def _obstacles(
    geometry: Geometry, name: str, height: float, facets: int, notes: Notes
) -> list[Obstacle]:
    """Return the obstacles of a scene for one geometry; empty, with a note, if a scene cannot have it."""
    if not geometry.size or geometry.kind == "mesh":
        notes.add(name, "is a mesh of the surroundings; it was ignored", "mesh")
        return []
    x, y, z = (
        plain(round(float(value), 9)) for value in geometry.placement.position - [0.0, 0.0, height]
    )
    if max(abs(x), abs(y)) > 1e4 or max(geometry.size) > 1e3 or min(geometry.size) <= 1e-6:
        notes.add(name, "is too large, too small or too far away; it was ignored", "size")
        return []
    friction = 0.2 if geometry.friction is None else min(geometry.friction[0], 100.0)
    shared = {"name": name[:80], "friction": plain(friction), "group": "world"}
    rotation = geometry.placement.rotation
    if geometry.kind == "height_field" and geometry.heights is not None:
        if not _upright(geometry):
            notes.add(name, "leans in the file; height fields are level here", "tilted field")
        return [
            HeightField(
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
        ]
    if _needs_prism(geometry, height):
        return _prism(geometry, name, height, facets, notes, shared)
    if geometry.kind == "box":
        return [_box(geometry.placement, np.array(geometry.size), height, shared)]
    if geometry.kind == "sphere":
        notes.add(name, "is a sphere; it becomes a post of the same radius and height", "sphere")
    top = 2.0 * z - _bottom(geometry, height)  # the middle is halfway
    if top <= 1e-6:
        notes.add(name, "is below the ground; it was ignored", "below")
        return []
    return [
        Cylinder(
            x_m=x,
            y_m=y,
            radius_m=plain(geometry.size[0]),
            height_m=plain(round(top, 9)),
            **shared,
        )
    ]


def _prism(
    geometry: Geometry,
    name: str,
    height: float,
    facets: int,
    notes: Notes,
    shared: dict[str, object],
) -> list[Obstacle]:
    """Return the boxes around the same axis whose union is a prism with twice as many sides as boxes.

    The sides are as far inside the round surface as the edges are outside of it.
    """
    radius = geometry.size[0]
    half = geometry.size[1] if len(geometry.size) > 1 else 0.0
    middle = 2.0 * radius / (1.0 + 1.0 / math.cos(0.5 * math.pi / facets))
    off = radius - middle
    flat = geometry.kind == "cylinder"
    if not flat:
        # Flat ends at this height are as far inside the round end as their edge is outside of it.
        half += _CAP * radius
        off = (1.0 - _CAP) * radius
    notes.add(
        name,
        f"is a {geometry.kind} that is not an upright post; it becomes a prism with {2 * facets} sides, up to"
        f" {length_text(off)} off its surface",
        f"prism {geometry.kind}",
    )
    side = middle * math.tan(0.5 * math.pi / facets)
    boxes = []
    for number in range(facets):
        turn = about(np.array([0.0, 0.0, 1.0]), number * math.pi / facets)
        placement = Placement(geometry.placement.position, geometry.placement.rotation @ turn)
        boxes.append(
            _box(
                placement,
                np.array([middle, side, half]),
                height,
                {**shared, "name": f"{name[:70]} {number + 1}", "group": name[:80]},
            )
        )
    return boxes


def _box(
    placement: Placement, half: FloatArray, height: float, shared: dict[str, object]
) -> Obstacle:
    roll, pitch, yaw = rpy(placement.rotation)
    x, y, z = (float(value) for value in placement.position)
    return Box(
        x_m=plain(round(x, 9)),
        y_m=plain(round(y, 9)),
        z_m=plain(round(z - height - float(half[2]), 9)),
        length_m=plain(round(2 * float(half[0]), 9)),
        width_m=plain(round(2 * float(half[1]), 9)),
        height_m=plain(round(2 * float(half[2]), 9)),
        yaw_deg=_degrees(yaw),
        pitch_deg=_degrees(pitch),
        roll_deg=_degrees(roll),
        **shared,
    )


def _degrees(angle: float) -> float:
    return plain(round(math.degrees(angle), 9)) + 0.0
