"""Shapes and friction of SDF."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import InputError
from snakestudio.model.obstacles.picture import grey_values
from snakestudio.robot_files.description import Geometry, Placement
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.files import resolved
from snakestudio.robot_files.reading import Reading
from snakestudio.robot_files.rotations import turn_between
from snakestudio.robot_files.sdf_models import is_true, pose_of

_MOST_HEIGHTS = 10_000

DEFAULT_FRICTION = 1.0
"""Coefficient of friction where a file has none, in both directions (SDF 1.4 to 1.12, <mu> and <mu2>)."""

SOLID_SHAPES = ("box", "sphere", "cylinder", "capsule", "ellipsoid", "cone")


def shape_of(element: Element) -> Element | None:
    """Return the shape of a collision or visual; None if it is empty."""
    holder = element.find("geometry")
    if holder is None:
        return None
    return next((child for child in holder.children if child.tag != "empty"), None)


def size_of(shape: Element, where: str) -> tuple[float, ...]:
    """Return half sizes of a box, m; radii of an ellipsoid; radius of a sphere; radius and half length of others.

    Raises `InputError` if a number is missing.
    """
    if shape.tag == "box":
        size = tuple(0.5 * vector_of(shape.text_of("size"), 3, f"{where} size"))
    elif shape.tag == "ellipsoid":
        size = tuple(vector_of(shape.text_of("radii"), 3, f"{where} radii"))
    else:
        size = (float_of(shape.text_of("radius"), f"{where} radius"),)
        if shape.tag != "sphere":
            size += (0.5 * float_of(shape.text_of("length"), f"{where} length"),)
    return tuple(float(abs(value)) for value in size)


def geometry_of(element: Element, link: Element, reading: Reading) -> Geometry | None:
    """Return the geometry of a collision or visual of a link; None if it has none that can be used.

    Raises `InputError` if a value is not valid.
    """
    shape = shape_of(element)
    if shape is None:
        return None
    where = f"{link.location} {element.tag}"
    _, placement = pose_of(element, reading)
    collides = element.tag == "collision" and makes_contact(element)
    own = Geometry(shape.tag, (), placement, collides=collides, name=element.get("name"))
    surface = surface_of(element, placement, where, link.get("name")) if collides else None
    if surface is not None:
        own = surface.on(own)
    if shape.tag == "mesh":
        scale = vector_of(shape.text_of("scale", "1 1 1"), 3, f"{where} scale")
        mesh, _ = reading.mesh_geometry(shape.text_of("uri"), scale, placement)
        return replace(own, size=mesh.size, placement=mesh.placement, file=mesh.file)
    if shape.tag == "heightmap":
        return _height_map(shape, placement, own.friction, reading, where) if collides else None
    if shape.tag == "polyline":
        return _polyline(shape, own, where)
    if shape.tag == "plane":
        normal = vector_of(shape.text_of("normal", "0 0 1"), 3, f"{where} normal")
        size = float(np.linalg.norm(normal))
        if size > 0:
            turn = turn_between(np.array([0.0, 0.0, 1.0]), normal / size)
            own = replace(own, placement=placement.then(Placement(rotation=turn)))
        return own
    if shape.tag not in SOLID_SHAPES:
        return None
    kind = {"ellipsoid": "box", "cone": "cylinder"}.get(shape.tag, shape.tag)
    if kind != shape.tag and collides:
        reading.notes.append(
            f"{link.get('name')}: a {shape.tag} was replaced by the {kind} around it for contacts."
        )
    return replace(own, kind=kind, size=size_of(shape, where))


def makes_contact(collision: Element) -> bool:
    """Return whether a collision touches others, rather than only reporting contacts."""
    surface = collision.find("surface")
    contact = None if surface is None else surface.find("contact")
    if contact is None:
        return True
    return not is_true(contact.text_of("collide_without_contact")) and contact.text_of(
        "collide_bitmask"
    ) not in ("0", "0x0", "0x00")


def _polyline(shape: Element, own: Geometry, where: str) -> Geometry:
    """Return the box around an extruded polygon, which reaches from 0 to its height along z."""
    points = np.array([vector_of(point.text, 2, f"{where} point") for point in shape.all("point")])
    if len(points) < 3:
        raise InputError(f"{where}: a polyline needs 3 points (got {len(points)})", "add points")
    height = abs(float_of(shape.text_of("height", "1"), f"{where} height"))
    low, high = points.min(axis=0), points.max(axis=0)
    centre = np.array([*(0.5 * (low + high)), 0.5 * height])
    half = *(float(extent) for extent in 0.5 * (high - low)), 0.5 * height
    return replace(own, kind="mesh", size=half, placement=own.placement.then(Placement(centre)))


@dataclass(frozen=True, slots=True)
class Surface:
    """Friction of a collision; fields as in `Geometry`."""

    friction: tuple[float, float]
    directions: FloatArray | None = None
    rolling: float | None = None
    torsional: float = 0.0

    def on(self, geometry: Geometry) -> Geometry:
        """Return the geometry with this friction."""
        return replace(
            geometry,
            friction=self.friction,
            friction_axis=self.directions,
            rolling_friction=self.rolling,
            torsional_friction=self.torsional,
        )


def surface_of(
    element: Element, placement: Placement, where: str, link: str = ""
) -> Surface | None:
    """Return the friction of a collision at a pose in its link; None if it has none.

    Raises `InputError` if a value is not a number.
    """
    default = repr(DEFAULT_FRICTION)
    friction = (DEFAULT_FRICTION, DEFAULT_FRICTION)
    directions = None
    for law, first, second in _laws(element)[:1]:
        friction = (
            float_of(law.text_of(first, default), f"{where} {first}"),
            float_of(law.text_of(second, default), f"{where} {second}"),
        )
        directions = _friction_directions(law.find("fdir1"), placement, where, link)
    rolling = None
    for law, _, _ in _laws(element):
        if law.find("rolling_friction") is not None:
            text = law.text_of("rolling_friction", "0")
            rolling = max(0.0, float_of(text, f"{where} rolling_friction"))
    torsional = _torsional(element, where)
    if not _laws(element) and torsional == 0.0:
        return None
    return Surface(friction, directions, rolling, torsional)


def _torsional(element: Element, where: str) -> float:
    """Return the arm of the torsional friction of a round contact patch under Hertzian pressure, m."""
    surface = element.find("surface")
    friction = None if surface is None else surface.find("friction")
    torsional = None if friction is None else friction.find("torsional")
    if torsional is None or not is_true(torsional.text_of("use_patch_radius", "true")):
        return 0.0
    radius, coefficient = (
        float_of(torsional.text_of(key, default), f"{where} {key}")
        for key, default in (("patch_radius", "0"), ("coefficient", "1"))
    )
    return max(0.0, 3.0 * math.pi / 16.0 * radius * coefficient)


def has_friction(element: Element) -> bool:
    """Return whether a collision has friction coefficients."""
    return bool(_laws(element))


def _laws(element: Element) -> list[tuple[Element, str, str]]:
    """Friction of a collision for ODE and for Bullet, in this order, each with the names of its coefficients."""
    surface = element.find("surface")
    holder = None if surface is None else surface.find("friction")
    if holder is None:
        return []
    return [
        (law, first, second)
        for tag, first, second in (("ode", "mu", "mu2"), ("bullet", "friction", "friction2"))
        for law in holder.all(tag)[:1]
    ]


def _friction_directions(
    element: Element | None, placement: Placement, where: str, link: str
) -> FloatArray | None:
    """Return the directions of the first friction coefficient in the frame of the link, as in `Geometry`.

    SDF and Gazebo count the direction in the frame of the collision geometry. Authors often count it in that
    of the link, so that it would point into the ground; this reading comes second.
    """
    if element is None:
        return None
    direction = vector_of(element.text, 3, f"{where} fdir1")
    size = float(np.linalg.norm(direction))
    if size == 0.0:
        return None
    unit = direction / size
    frame = element.get("gz:expressed_in") or element.get("ignition:expressed_in")
    if not frame:
        return np.column_stack([placement.rotation @ unit, unit])
    if frame != link:
        raise InputError(
            f'{where}: fdir1 is expressed in "{frame}"', "express it in the frame of this link"
        )
    return unit[:, None]


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
