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
from snakestudio.robot_files.mjcf_file import MjcfFile, asset_name
from snakestudio.robot_files.rotations import snapped, turn_between
from snakestudio.robot_files.solids import moments, moved_to, volume

_MOST_HEIGHTS = 10_000


def geometries_of(file: MjcfFile, element: Element) -> tuple[list[Geometry], list[Inertial]]:
    """Geometry of a body or of the world, and the masses of its geoms in its frame."""
    pairs = [_geometry(file, child) for child in element.all("geom")]
    geometries = [geometry for geometry, _ in pairs if geometry is not None]
    return geometries, [inertial for _, inertial in pairs if inertial is not None]


def _geometry(file: MjcfFile, element: Element) -> tuple[Geometry | None, Inertial | None]:
    """Read a geom, and its mass and inertia in the frame of its body."""
    where = element.place
    name = element.get("name")
    kind = element.get("type", "mesh" if element.get("mesh") else "sphere")
    collides = element.get("contype", "1") != "0" or element.get("conaffinity", "1") != "0"
    friction = vector_of(element.get("friction", "1"), (1, 2, 3), f"{where} friction")
    mu = 0.0 if element.get("condim", "3") == "1" else float(friction[0])
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
        return _mesh(file, element, placement, mass, density, mu, collides)
    if kind == "hfield":
        return _height_field(file, element, placement, mu), None
    if kind == "plane":
        return Geometry(
            "plane", (), placement, friction=(mu, mu), collides=collides, name=name
        ), None
    needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}.get(kind)
    if needed is None:
        raise InputError(f'{where}: "{kind}" is not a type of geom', "correct it")
    if len(size) < needed:
        raise InputError(
            f"{where}: a {kind} needs {needed} sizes (got {len(size)})", "correct its size"
        )
    sizes = tuple(float(abs(value)) for value in size[:needed])
    if mass is None:
        mass = density * volume(kind, sizes)
    inertial = (
        moved_to(Inertial(mass, np.zeros(3), mass * moments(kind, sizes)), placement)
        if mass > 0
        else None
    )
    shape = kind
    if kind == "ellipsoid":
        shape = "box"
        file.reading.notes.append(
            f"{name or where}: an ellipsoid was replaced by its box for contacts."
        )
    return Geometry(shape, sizes, placement, "", (mu, mu), None, collides, name=name), inertial


def _mesh(
    file: MjcfFile,
    element: Element,
    placement: Placement,
    mass: float | None,
    density: float,
    mu: float,
    collides: bool,
) -> tuple[Geometry, Inertial | None]:
    name = element.get("mesh")
    asset = file.meshes.get(name)
    if asset is None:
        raise InputError(f'{element.place}: there is no mesh "{name}" in <asset>', "add it")
    scale = vector_of(asset.get("scale", "1 1 1"), 3, f"{asset.place} scale")
    path = asset.get("file")
    if not path:
        file.reading.notes.append(f"The mesh {name} is defined in the file itself; it was ignored.")
        return Geometry(
            "mesh", (), placement, name, (mu, mu), None, collides, name=element.get("name")
        ), None
    if file.compiler.strip:
        path = PurePosixPath(path.replace("\\", "/")).name
    geometry, mesh = file.reading.mesh_geometry(
        path, scale, placement, file.compiler.mesh_folder, collides=collides
    )
    geometry = replace(geometry, friction=(mu, mu), name=element.get("name"))
    if mesh is None:
        inertial = (
            None
            if mass is None or mass <= 0
            else Inertial(mass, placement.position, np.zeros((3, 3)))
        )
        return geometry, inertial
    filled = mesh.volume if mesh.volume is not None else 8.0 * float(np.prod(mesh.half_sizes))
    own = mass if mass is not None else density * filled
    if own <= 0 or filled <= 0:
        return geometry, None
    return geometry, moved_to(Inertial(own, mesh.centre, mesh.moments * (own / filled)), placement)


def _height_field(
    file: MjcfFile, element: Element, placement: Placement, mu: float
) -> Geometry | None:
    name = element.get("hfield")
    asset = file.fields.get(name)
    if asset is None:
        raise InputError(f'{element.place}: there is no hfield "{name}" in <asset>', "add it")
    half_x, half_y, top, _ = vector_of(asset.get("size"), 4, f"{asset.place} size")
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
        (mu, mu),
        heights=heights,
        name=element.get("name") or name,
    )


def _heights(file: MjcfFile, asset: Element) -> FloatArray | None:
    path = asset.get("file")
    if not path:
        rows, columns = (
            int(float_of(asset.get(key, "0"), asset.place)) for key in ("nrow", "ncol")
        )
        if asset.get("elevation") and rows > 1 and columns > 1:
            count = rows * columns
            return vector_of(asset.get("elevation"), count, f"{asset.place} elevation").reshape(
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
