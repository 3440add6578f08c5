"""Geometry of MJCF files: primitives, meshes and height fields, with their masses."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import PurePosixPath

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import MESH as HEIGHTS
from snakestudio.inputs import InputError, read_bytes
from snakestudio.model.obstacles.picture import grey_values
from snakestudio.robot_files.description import (
    Geometry,
    Inertial,
    Placement,
)
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.files import resolved
from snakestudio.robot_files.mesh_masses import MeshMass, convex_hull, mesh_mass
from snakestudio.robot_files.meshes import measured
from snakestudio.robot_files.mjcf_file import MjcfFile, asset_name
from snakestudio.robot_files.rotations import from_quaternion, snapped, turn_between
from snakestudio.robot_files.solids import moments, moved_to, shell_moments, surface, volume

_MOST_HEIGHTS = 10_000
_METHODS = ("legacy", "exact", "convex", "shell")


def geometries_of(
    file: MjcfFile, element: Element, *, world: bool
) -> tuple[list[Geometry], list[Inertial]]:
    """Return the geometry of a body or of the world, and the masses of its geoms in its frame.

    Friction is that of contacts with the floor, or for the geometry of the world with the robot.
    """
    geometries = []
    inertials = []
    low, high = file.compiler.groups
    touch_of = file.contacts.with_robot if world else file.contacts.with_floor
    for geom in element.all("geom"):
        with file.reading.problems.collected():
            geometry, inertial = _geometry(file, geom)
            if geometry is not None:
                touch = touch_of(geom)
                shape = "box" if geometry.kind == "ellipsoid" else geometry.kind
                if shape != geometry.kind:
                    file.notes.add(
                        geometry.name or geom.location,
                        "is an ellipsoid; it was replaced by its box for contacts",
                        "ellipsoid",
                    )
                geometry = replace(geometry, kind=shape, collides=touch is not None)
                if touch is not None:
                    geometry = replace(
                        geometry,
                        friction=(touch.along, touch.across),
                        rolling_friction=touch.rolling,
                        torsional_friction=touch.torsional,
                    )
                geometries.append(geometry)
            if (
                inertial is not None
                and low <= float_of(geom.get("group", "0"), geom.location) <= high
            ):
                inertials.append(inertial)
    return geometries, inertials


def _geometry(file: MjcfFile, element: Element) -> tuple[Geometry | None, Inertial | None]:
    """Read a geom, and its mass and inertia in the frame of its body."""
    where = element.location
    name = element.get("name")
    kind = element.get("type", "mesh" if element.get("mesh") else "sphere")
    placement = file.placement(element)
    size = np.zeros(0)
    if kind not in ("mesh", "hfield"):
        size = vector_of(element.get("size", "0"), (1, 2, 3), f"{where} size")
    mass = float_of(element.get("mass"), f"{where} mass") if element.get("mass") else None
    density = float_of(element.get("density", "1000"), f"{where} density")
    if (text := element.get("fromto")) and kind in ("capsule", "cylinder", "box", "ellipsoid"):
        ends = vector_of(text, 6, f"{where} fromto")
        along = ends[3:] - ends[:3]
        length = float(np.linalg.norm(along))
        if length < 1e-12:
            raise InputError(f"{where}: both ends of fromto are the same point", "set two points")
        turn = snapped(turn_between(np.array([0.0, 0.0, 1.0]), along / length))
        placement = file.frame(element).then(Placement(0.5 * (ends[:3] + ends[3:]), turn))
        half = 0.5 * length
        size = np.array(
            [size[0], half] if kind in ("capsule", "cylinder") else [size[0], size[0], half]
        )
    if kind in ("mesh", "sdf") or element.get("mesh"):
        return _mesh(file, element, placement, mass, density)
    if kind == "hfield":
        return _height_field(file, element, placement), None
    if kind == "plane":
        return Geometry("plane", (), placement, name=name), None
    needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}.get(kind)
    if needed is None:
        raise InputError(f'{where}: "{kind}" is not a type of geom', "correct it")
    if len(size) < needed:
        raise InputError(
            f"{where}: a {kind} needs {needed} sizes (got {len(size)})", "correct its size"
        )
    sizes = tuple(float(abs(value)) for value in size[:needed])
    shape = Geometry(kind, sizes, placement, name=name)
    return _primitive(element, kind, sizes, placement, shape, mass, density)


def _mesh(
    file: MjcfFile,
    element: Element,
    placement: Placement,
    mass: float | None,
    density: float,
) -> tuple[Geometry, Inertial | None]:
    name = element.get("mesh")
    asset = file.meshes.get(name)
    if asset is None:
        raise InputError(f'{element.location}: there is no mesh "{name}" in <asset>', "add it")
    kind = element.get("type", "mesh")
    triangles = _triangles(file, asset)
    shape = Geometry("mesh", (), placement, name, name=element.get("name"))
    if triangles is None:
        known = mass is not None and mass > 0
        return shape, Inertial(mass or 0.0, placement.position, np.zeros((3, 3))) if known else None
    method = asset.get("inertia") or "legacy"
    filled = mesh_mass(triangles, method if method in _METHODS else "legacy")
    if kind not in ("mesh", "sdf"):
        return _fitted(element, kind, filled, shape, mass, density)
    mesh = measured(triangles)
    size = tuple(float(value) for value in mesh.half_sizes)
    shape = replace(shape, size=size, placement=placement.then(mesh.box))
    if filled is None:
        amount = 8.0 * float(np.prod(mesh.half_sizes))
        filled = MeshMass(amount, mesh.centre, mesh.moments)
    own = mass if mass is not None else density * filled.amount
    if own <= 0 or filled.amount <= 0:
        return shape, None
    scaled = Inertial(own, filled.centre, filled.moments * (own / filled.amount))
    return shape, moved_to(scaled, placement)


def _triangles(file: MjcfFile, asset: Element) -> FloatArray | None:
    """Return corners (n, 3, 3) of the triangles of a mesh in the frame of its geoms; None, with a note, without any."""
    where = asset.location
    triangles: FloatArray | None
    if text := asset.get("vertex"):
        points = _table(text, f"{where} vertex")
        if face := asset.get("face"):
            corners = _table(face, f"{where} face").astype(int)
            if corners.min() < 0 or corners.max() >= len(points):
                raise InputError(
                    f"{where}: face names a vertex that does not exist", "correct the file"
                )
            triangles = points[corners]
        else:
            triangles = convex_hull(points)
        if triangles is None:
            file.reading.notes.append(f"The mesh {asset_name(asset)} is flat; it was ignored.")
    elif path := asset.get("file"):
        if file.compiler.strip:
            path = PurePosixPath(path.replace("\\", "/")).name
        triangles = file.reading.triangles(path, file.compiler.mesh_folder)
    else:
        file.reading.notes.append(f"The mesh {asset_name(asset)} has no vertices; it was ignored.")
        triangles = None
    if triangles is None:
        return None
    turn = from_quaternion(*vector_of(asset.get("refquat", "1 0 0 0"), 4, f"{where} refquat"))
    origin = vector_of(asset.get("refpos", "0 0 0"), 3, f"{where} refpos")
    scale = vector_of(asset.get("scale", "1 1 1"), 3, f"{where} scale")
    result: FloatArray = (triangles - origin) @ turn * scale
    return result[:, ::-1] if np.prod(scale) < 0 else result


def _table(text: str, what: str) -> FloatArray:
    """Return the numbers in rows of three."""
    count = len(text.split())
    return vector_of(text, max(3, count - count % 3), what).reshape(-1, 3)


def _fitted(
    element: Element,
    kind: str,
    filled: MeshMass | None,
    shape: Geometry,
    mass: float | None,
    density: float,
) -> tuple[Geometry, Inertial | None]:
    """Return a primitive with the moments of a mesh, as MuJoCo fits it to the box with these moments."""
    where = element.location
    if filled is None:
        raise InputError(f"{where}: its mesh has no volume", "set the sizes of the geom")
    moments, axes = np.linalg.eigh(filled.moments)
    moments, axes = moments[::-1], axes[:, ::-1].copy()  # the longest axis is z
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1.0
    square = np.maximum(0.5 * moments.sum() - moments, 0.0) * 3.0 / filled.amount
    x, y, z = (float(value) for value in np.sqrt(square))
    scale = float_of(element.get("fitscale", "1"), f"{where} fitscale")
    wide = 0.5 * (x + y)
    sizes = {
        "sphere": ((x + y + z) / 3.0,),
        "capsule": (wide, max(0.0, z - 0.5 * wide)),
        "cylinder": (wide, z),
    }.get(kind, (x, y, z))
    placement = shape.placement.then(Placement(filled.centre, axes))
    return _primitive(
        element, kind, tuple(scale * size for size in sizes), placement, shape, mass, density
    )


def _primitive(
    element: Element,
    kind: str,
    sizes: tuple[float, ...],
    placement: Placement,
    shape: Geometry,
    mass: float | None,
    density: float,
) -> tuple[Geometry, Inertial | None]:
    hollow = element.get("shellinertia") == "true"
    if mass is None:
        mass = density * (surface if hollow else volume)(kind, sizes)
    about = (shell_moments if hollow else moments)(kind, sizes)
    inertial = moved_to(Inertial(mass, np.zeros(3), mass * about), placement) if mass > 0 else None
    return replace(shape, kind=kind, size=sizes, placement=placement, file=""), inertial


def _height_field(file: MjcfFile, element: Element, placement: Placement) -> Geometry | None:
    name = element.get("hfield")
    asset = file.fields.get(name)
    if asset is None:
        raise InputError(f'{element.location}: there is no hfield "{name}" in <asset>', "add it")
    half_x, half_y, top, _ = vector_of(asset.get("size"), 4, f"{asset.location} size")
    heights = _heights(file, asset)
    if heights is None:
        return None
    span = float(heights.max() - heights.min())
    heights = (heights - heights.min()) / span * top if span > 0 else np.zeros_like(heights)
    step = math.ceil(math.sqrt(heights.size / _MOST_HEIGHTS))
    if step > 1:
        file.reading.notes.append(f"The height field {name} was reduced to every {step}th point.")
        heights = heights[::step, ::step]
    return Geometry(
        "height_field",
        (float(half_x), float(half_y)),
        placement,
        asset.get("file"),
        heights=heights,
        name=element.get("name") or name,
    )


def _heights(file: MjcfFile, asset: Element) -> FloatArray | None:
    path = asset.get("file")
    if not path:
        rows, columns = (
            int(float_of(asset.get(key, "0"), asset.location)) for key in ("nrow", "ncol")
        )
        if asset.get("elevation") and rows > 1 and columns > 1:
            count = rows * columns
            return vector_of(asset.get("elevation"), count, f"{asset.location} elevation").reshape(
                rows, columns
            )[::-1]
        file.reading.notes.append(
            f"The height field {asset_name(asset)} has no heights in the file and was ignored."
        )
        return None
    try:
        file_path = resolved(path, file.reading.folder, file.compiler.mesh_folder)
        if file_path.suffix.lower() == ".png":
            return grey_values(file_path)
        data = read_bytes(file_path, HEIGHTS)
        rows, columns = (int(value) for value in np.frombuffer(data, dtype="<i4", count=2))
        values = np.frombuffer(data, dtype="<f4", offset=8).astype(np.float64)
        if (
            rows < 2
            or columns < 2
            or len(values) != rows * columns
            or not np.isfinite(values).all()
        ):
            raise InputError("it is damaged", "export it again")
        return values.reshape(rows, columns)
    except (InputError, ValueError, OSError) as error:
        why = error.message if isinstance(error, InputError) else "it cannot be read"
        file.reading.notes.append(f"The height field {asset_name(asset)} was ignored: {why}.")
        return None
