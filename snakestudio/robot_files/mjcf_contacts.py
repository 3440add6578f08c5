"""Friction of contacts in MJCF files."""

from __future__ import annotations

from dataclasses import replace

from snakestudio.robot_files.description import (
    BodyDescription,
    Geometry,
)
from snakestudio.robot_files.elements import vector_of
from snakestudio.robot_files.mjcf_file import MjcfFile


def with_pairs(
    file: MjcfFile, bodies: list[BodyDescription], world: list[Geometry]
) -> tuple[list[BodyDescription], list[Geometry]]:
    """Use the friction of explicit contact pairs instead of that of their two geoms."""
    frictions: dict[str, tuple[float, float]] = {}
    for group in file.root.all("contact"):
        for pair in group.all("pair"):
            values = vector_of(
                pair.get("friction", "1 1"), (1, 2, 3, 4, 5), f"{pair.place} friction"
            )
            both = float(values[0]), float(values[min(1, len(values) - 1)])
            frictions.update({pair.get(key): both for key in ("geom1", "geom2")})
    if not frictions:
        return bodies, world

    def with_own(geometries: tuple[Geometry, ...]) -> tuple[Geometry, ...]:
        return tuple(
            replace(g, friction=frictions[g.name], collides=True) if g.name in frictions else g
            for g in geometries
        )

    file.reading.notes.append(
        "The friction of explicit contact pairs was assigned to their geoms; the rest of the pairs was ignored.",
    )
    return [replace(body, geometries=with_own(body.geometries)) for body in bodies], list(
        with_own(tuple(world))
    )


def with_contact_friction(
    bodies: list[BodyDescription], world: list[Geometry]
) -> list[BodyDescription]:
    """Friction of contacts with the ground: the larger of that of the geom and of the ground."""
    ground = next((g.friction for g in world if g.kind == "plane" and g.collides), None)
    if ground is None:
        return bodies

    def larger(geometry: Geometry) -> Geometry:
        if geometry.friction is None:
            return geometry
        along, across = (max(pair) for pair in zip(geometry.friction, ground, strict=True))
        return replace(geometry, friction=(along, across))

    return [replace(body, geometries=tuple(larger(g) for g in body.geometries)) for body in bodies]
