"""Properties of meshes (STL, OBJ, COLLADA): bounding box, volume, and moments for uniform density."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import MESH, InputError, read_bytes
from snakestudio.robot_files.collada import collada_triangles
from snakestudio.robot_files.description import Placement

_HEADER = 84
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"^\s*vertex\s+(\S+)\s+(\S+)\s+(\S+)", re.MULTILINE)

_WORTH = 0.7
"""Largest volume of a box along the principal axes, as a fraction of that along the mesh's own axes, with
which it is used instead."""

_FULL = 0.05
"""Smallest fraction of its box that a closed mesh fills; with less, the mesh is open, and its volume
is meaningless."""


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Properties of a mesh, in its own units and axes."""

    half_sizes: FloatArray
    """Half sizes of its box. Shape (3,)."""

    box: Placement
    """Pose of the box."""

    volume: float | None
    """None if the surface is open."""

    centre: FloatArray
    """Centre of the volume, or of the box. Shape (3,)."""

    moments: FloatArray
    """Inertia about the centre for a density of 1, or that of the box. Shape (3, 3)."""

    def scaled(self, scale: FloatArray) -> Mesh:
        """Return the mesh with its three axes scaled; the box keeps its axes."""
        if np.allclose(scale, 1.0):
            return self
        factors = np.abs(self.box.rotation.T @ np.diag(scale) @ self.box.rotation).diagonal()
        half = self.half_sizes * np.abs(factors)
        box = Placement(scale * self.box.position, self.box.rotation)
        grown = float(abs(np.prod(scale)))
        second = 0.5 * np.trace(self.moments) * np.eye(3) - self.moments
        second = np.diag(scale) @ second @ np.diag(scale) * grown
        moments = np.trace(second) * np.eye(3) - second
        volume = None if self.volume is None else self.volume * grown
        return Mesh(half, box, volume, scale * self.centre, moments)


def read_triangles(path: Path) -> FloatArray:
    """Return corners (n, 3, 3) of the triangles of a mesh file.

    Raises `InputError` if it cannot be read.
    """
    ending = path.suffix.lower()
    data = read_bytes(path, MESH)
    if ending == ".stl":
        triangles = _stl(data)
    elif ending == ".obj":
        triangles = _obj(data)
    elif ending == ".dae":
        triangles = collada_triangles(data)
    else:
        raise InputError(
            f"{ending or 'nameless'} meshes are not supported", "export it as STL or OBJ"
        )
    if not len(triangles):
        raise InputError("the mesh has no triangles", "export it again")
    if not np.isfinite(triangles).all():
        raise InputError("the mesh has points that are not numbers", "export it again")
    return triangles


def _stl(data: bytes) -> FloatArray:
    """Return the corners of triangles, (n, 3, 3)."""
    if len(data) >= _HEADER:
        number = int.from_bytes(data[80:84], "little")
        if (
            _HEADER + number * _TRIANGLE.itemsize <= len(data)
            and number
            and not _is_ascii(data, number)
        ):
            table = np.frombuffer(data, dtype=_TRIANGLE, count=number, offset=_HEADER)
            return table["corners"].astype(np.float64)
    try:
        values = np.array([_numbers(match.groups()) for match in _VERTEX.finditer(data)])
    except ValueError:
        raise InputError("the mesh has points that are not numbers", "export it again") from None
    return values[: len(values) // 3 * 3].reshape(-1, 3, 3)


def _is_ascii(data: bytes, number: int) -> bool:
    exact = _HEADER + number * _TRIANGLE.itemsize == len(data)
    return data[:5].lower() == b"solid" and b"facet" in data[:400] and not exact


def _obj(data: bytes) -> FloatArray:
    points: list[list[float]] = []
    corners: list[tuple[int, int, int]] = []
    try:
        for line in data.split(b"\n"):
            parts = line.split()
            if not parts:
                continue
            if parts[0] == b"v":
                points.append(_numbers(parts[1:4]))
            elif parts[0] == b"f":
                face = [
                    int(number)
                    for number in _numbers([part.split(b"/", 1)[0] for part in parts[1:]])
                ]
                face = [index - 1 if index > 0 else len(points) + index for index in face]
                corners += [(face[0], a, b) for a, b in pairwise(face[1:])]
        triangles: FloatArray = np.array(points).reshape(-1, 3)[
            np.array(corners, dtype=int).reshape(-1, 3)
        ]
        return triangles
    except (ValueError, IndexError):
        raise InputError("the mesh is damaged", "export it again") from None


def _numbers(parts: Sequence[bytes]) -> list[float]:
    """Return the numbers as all programs read them: Python alone accepts underscores.

    Raises `ValueError` if a part is not a number.
    """
    if any(b"_" in part for part in parts):
        raise ValueError(parts)
    return [float(part) for part in parts]


def measured(triangles: FloatArray) -> Mesh:
    """Return the properties of a mesh of triangles (n, 3, 3)."""
    points = triangles.reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    half = 0.5 * (high - low)
    box = Placement(0.5 * (low + high))
    _, axes = np.linalg.eigh(np.cov((points - points.mean(axis=0)).T) + 1e-300 * np.eye(3))
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    along = points @ axes
    own_low, own_high = along.min(axis=0), along.max(axis=0)
    own = 0.5 * (own_high - own_low)
    if np.prod(own) < _WORTH * np.prod(half):
        half = own
        box = Placement(axes @ (0.5 * (own_low + own_high)), axes)
    a, b, c = (triangles[:, k, :] - box.position for k in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    volume = float(volumes.sum())
    if abs(volume) < _FULL * 8.0 * np.prod(half):
        full = 8.0 * float(np.prod(half))
        square = half**2 / 3.0 * full
        moments = box.rotation @ np.diag(square.sum() - square) @ box.rotation.T
        return Mesh(half, box, None, box.position, moments)
    centre = np.einsum("i,ij->j", volumes, (a + b + c) / 4.0) / volume
    total = a + b + c
    second = np.zeros((3, 3))
    for corner in (a, b, c, total):
        second += np.einsum("i,ij,ik->jk", volumes, corner, corner) / 20.0
    second -= volume * np.outer(centre, centre)
    sign = 1.0 if volume > 0 else -1.0
    second *= sign
    return Mesh(
        half, box, abs(volume), box.position + centre, np.trace(second) * np.eye(3) - second
    )
