"""Masses and inertias of the links of SDF: written, computed from the collision geometry, or Gazebo's defaults."""

from __future__ import annotations

import math

import numpy as np

from snakestudio.inputs import InputError
from snakestudio.robot_files.description import Inertial
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.reading import Reading
from snakestudio.robot_files.sdf_models import is_true, pose_of
from snakestudio.robot_files.sdf_shapes import SOLID_SHAPES, shape_of, size_of
from snakestudio.robot_files.solids import moments, moved_to, summed, volume

_WATER = "1000"
"""Density where a file has none, kg/m^3 (SDF 1.11, //collision/density)."""

_MOMENTS = {"ixx": "1", "ixy": "0", "ixz": "0", "iyy": "1", "iyz": "0", "izz": "1"}
"""Inertia where a file has none, kg m^2 (SDF, //inertial/inertia)."""


def inertial_of(link: Element, reading: Reading) -> Inertial:
    """Return the mass and inertia of a link as in Gazebo: 1 kg and 1 kg m^2 where the file has none.

    Raises `InputError` if a value is not valid, or the mass cannot be computed from the geometry.
    """
    element = link.find("inertial") or Element("inertial", line=link.line)
    if is_true(element.get("auto")):
        return _computed(link, element, reading)
    where = link.location
    mass = float_of(element.text_of("mass", "1"), f"{where} mass")
    if mass < 0:
        raise InputError(f"{where}: the mass is {mass:g} kg", "set a mass of 0 or more")
    _, frame = pose_of(element, reading)
    table = element.find("inertia") or Element("inertia")
    xx, xy, xz, yy, yz, zz = (
        float_of(table.text_of(key, default), f"{where} {key}") for key, default in _MOMENTS.items()
    )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Inertial(mass, frame.position, frame.rotation @ inertia @ frame.rotation.T)


def _computed(link: Element, element: Element, reading: Reading) -> Inertial:
    """Return the mass and inertia from the collision geometry (SDF 1.11, //inertial/@auto).

    A <density> of the collision takes precedence over one of the link; a <mass> scales the result.
    """
    general = element.text_of("density", _WATER)
    parts = []
    for collision in link.all("collision"):
        where = f"{link.location} collision"
        density = float_of(collision.text_of("density", general), f"{where} density")
        if density <= 0:
            raise InputError(f"{where}: the density is {density:g} kg/m³", "set one greater than 0")
        shape = shape_of(collision)
        if shape is not None:
            part = _unit(shape, where, reading)
            _, placement = pose_of(collision, reading)
            solid = Inertial(density * part.mass, part.centre, density * part.inertia)
            parts.append(moved_to(solid, placement))
    total = summed(parts)
    if total is None or total.mass <= 0:
        raise InputError(
            f"{link.location}: its mass cannot be computed because its collision geometry has no volume",
            'give it a <collision> with a <geometry>, or a <mass> and an <inertia> without auto="true"',
        )
    if element.find("mass") is None:
        return total
    mass = float_of(element.text_of("mass"), f"{link.location} mass")
    if mass <= 0:
        raise InputError(f"{link.location}: the mass is {mass:g} kg", "set one greater than 0")
    return Inertial(mass, total.centre, total.inertia * (mass / total.mass))


def _unit(shape: Element, where: str, reading: Reading) -> Inertial:
    """Return the mass and inertia of a shape with a density of 1 in the frame of its collision."""
    if shape.tag == "mesh":
        scale = vector_of(shape.text_of("scale", "1 1 1"), 3, f"{where} scale")
        uri = shape.text_of("uri")
        mesh = reading.mesh(uri)
        if mesh is None or mesh.volume is None:
            what = "is missing or unreadable" if mesh is None else "has no closed surface"
            raise InputError(
                f"{where}: the mass cannot be computed because the mesh {uri} {what}",
                "add a closed mesh, or a <mass> and an <inertia>",
            )
        mesh = mesh.scaled(scale)
        assert mesh.volume is not None
        return Inertial(mesh.volume, mesh.centre, mesh.moments)
    if shape.tag not in SOLID_SHAPES:
        raise InputError(
            f"{where}: the mass cannot be computed from a <{shape.tag}>",
            "give the link a <mass> and an <inertia>",
        )
    size = size_of(shape, where)
    if 0.0 in size[: 1 if shape.tag == "capsule" else 3]:
        raise InputError(
            f"{where}: the mass cannot be computed from a size of 0", "correct the size"
        )
    if shape.tag == "cone":
        return _cone(*size)
    mass = volume(shape.tag, size)
    return Inertial(mass, np.zeros(3), mass * moments(shape.tag, size))


def _cone(radius: float, half: float) -> Inertial:
    """Return a cone of density 1 with its tip at +z; its centre of mass is a quarter of its height above its base."""
    height = 2.0 * half
    mass = math.pi * radius**2 * height / 3.0
    across = mass * (3.0 / 20.0 * radius**2 + 3.0 / 80.0 * height**2)
    inertia = np.diag([across, across, 0.3 * mass * radius**2])
    return Inertial(mass, np.array([0.0, 0.0, -0.25 * height]), inertia)
