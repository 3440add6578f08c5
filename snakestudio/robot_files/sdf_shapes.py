"""Shapes and friction of SDF."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import InputError
from snakestudio.model.obstacles.picture import grey_values
from snakestudio.robot_files.description import Geometry, Placement
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.files import resolved
from snakestudio.robot_files.reading import Reading
from snakestudio.robot_files.sdf_models import pose_of

_MOST_HEIGHTS = 10_000


def geometry_of(element: Element, link: Element, reading: Reading) -> Geometry | None:
    holder = element.find("geometry")
    shape = (
        next((child for child in holder.children if child.tag != "empty"), None)
        if holder is not None
        else None
    )
    if shape is None:
        return None
    where = f"{link.place} {element.tag}"
    _, placement = pose_of(element, reading)
    collides = element.tag == "collision"
    mu, axis = _friction(element, where)
    name = element.get("name")
    if shape.tag == "mesh":
        scale = vector_of(shape.text_of("scale", "1 1 1"), 3, f"{where} scale")
        mesh, _ = reading.mesh_geometry(shape.text_of("uri"), scale, placement, collides=collides)
        return replace(mesh, friction=mu, friction_axis=axis, name=name)
    if shape.tag == "heightmap":
        return _height_map(shape, placement, mu, reading, where) if collides else None
    size: Sequence[float] = ()
    if shape.tag == "box":
        size = tuple(0.5 * vector_of(shape.text_of("size"), 3, f"{where} size"))
    elif shape.tag == "sphere":
        size = (float_of(shape.text_of("radius"), f"{where} radius"),)
    elif shape.tag in ("cylinder", "capsule"):
        length = float_of(shape.text_of("length"), f"{where} length")
        size = float_of(shape.text_of("radius"), f"{where} radius"), 0.5 * length
    elif shape.tag == "ellipsoid":
        size = tuple(vector_of(shape.text_of("radii"), 3, f"{where} radii"))
    elif shape.tag != "plane":
        reading.notes.append(f"{link.get('name')}: a <{shape.tag}> geometry was ignored.")
        return None
    kind = "box" if shape.tag == "ellipsoid" else shape.tag
    return Geometry(
        kind, tuple(float(abs(v)) for v in size), placement, "", mu, axis, collides, name=name
    )


def _friction(element: Element, where: str) -> tuple[tuple[float, float] | None, FloatArray | None]:
    holder: Element | None = element
    for tag in ("surface", "friction", "ode"):
        holder = holder.find(tag) if holder is not None else None
    if holder is None or not holder.text_of("mu"):
        return None, None
    mu = float_of(holder.text_of("mu"), f"{where} mu")
    mu_2 = float_of(holder.text_of("mu2", holder.text_of("mu")), f"{where} mu2")
    direction = vector_of(holder.text_of("fdir1", "0 0 0"), 3, f"{where} fdir1")
    size = float(np.linalg.norm(direction))
    return (mu, mu_2), direction / size if size > 0 else None


def _height_map(
    shape: Element,
    placement: Placement,
    mu: tuple[float, float] | None,
    reading: Reading,
    where: str,
) -> Geometry | None:
    size = vector_of(shape.text_of("size", "1 1 1"), 3, f"{where} size")
    origin = vector_of(shape.text_of("pos", "0 0 0"), 3, f"{where} pos")
    uri = shape.text_of("uri")
    try:
        heights = grey_values(resolved(uri, reading.folder)) * size[2]
    except InputError as error:
        reading.notes.append(f"The height map {uri} was ignored: {error.message}.")
        return None
    step = math.ceil(math.sqrt(heights.size / _MOST_HEIGHTS))
    if step > 1:
        reading.notes.append(f"The height map {uri} was reduced to every {step}th point.")
        heights = heights[::step, ::step]
    placed = placement.then(Placement(origin))
    half = float(0.5 * size[0]), float(0.5 * size[1])
    return Geometry("height_field", half, placed, uri, mu, heights=heights, name="height map")
