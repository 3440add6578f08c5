"""Volumes and moments of primitive shapes, and combined masses."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.robot_files.description import Inertial, Placement


def volume(kind: str, size: tuple[float, ...]) -> float:
    """Return the volume of a box, ellipsoid, sphere, cylinder or capsule (sizes as in `Geometry`), m^3."""
    if kind == "box":
        return 8.0 * size[0] * size[1] * size[2]
    if kind == "ellipsoid":
        return 4.0 / 3.0 * math.pi * size[0] * size[1] * size[2]
    ball = 4.0 / 3.0 * math.pi * size[0] ** 3
    if kind == "sphere":
        return ball
    barrel = 2.0 * math.pi * size[0] ** 2 * size[1]
    return barrel + ball if kind == "capsule" else barrel


def moments(kind: str, size: tuple[float, ...]) -> FloatArray:
    """Return the inertia (3, 3) about the centre of a shape with uniform density and mass 1, m^2."""
    if kind in ("box", "ellipsoid"):
        square = np.array(size) ** 2 / (3.0 if kind == "box" else 5.0)
        return np.diag(square.sum() - square)
    radius = size[0]
    if kind == "sphere":
        return 0.4 * radius**2 * np.eye(3)
    half = size[1]
    barrel = 2.0 * math.pi * radius**2 * half
    across = barrel * (radius**2 / 4.0 + half**2 / 3.0)
    along = barrel * radius**2 / 2.0
    if kind == "capsule":
        ball = 4.0 / 3.0 * math.pi * radius**3
        # Two hemispheres, with their centroids 3/8 of the radius beyond the ends of the cylinder.
        across += ball * (0.4 * radius**2 + half**2 + 0.75 * half * radius)
        along += 0.4 * ball * radius**2
    contents = volume(kind, size)
    return np.diag([across, across, along]) / contents if contents > 0 else np.zeros((3, 3))


def surface(kind: str, size: tuple[float, ...]) -> float:
    """Return the surface of a box, ellipsoid, sphere, cylinder or capsule (sizes as in `Geometry`), m^2."""
    return float(_surface_weights(kind, size)[0])


def shell_moments(kind: str, size: tuple[float, ...]) -> FloatArray:
    """Return the inertia (3, 3) about the centre of the surface of a shape with mass 1, m^2."""
    total, second = _surface_weights(kind, size)
    square = second / total
    return np.diag(square.sum() - square)


def _surface_weights(kind: str, size: tuple[float, ...]) -> tuple[float, FloatArray]:
    """Return the surface, and the integrals (3,) of x^2, y^2 and z^2 over it."""
    if kind == "box":
        halves = np.array(size)
        faces = 8.0 * halves.prod() / halves  # both faces across each axis
        return float(faces.sum()), halves**2 * (faces + (faces.sum() - faces) / 3.0)
    if kind == "ellipsoid":
        return _ellipsoid_weights(size)
    radius = size[0]
    ball = 4.0 * math.pi * radius**2
    if kind == "sphere":
        return ball, np.full(3, ball * radius**2 / 3.0)
    half = size[1]
    side = 4.0 * math.pi * radius * half
    if kind == "cylinder":
        lids = 2.0 * math.pi * radius**2
        across = side * radius**2 / 2.0 + lids * radius**2 / 4.0
        return side + lids, np.array([across, across, side * half**2 / 3.0 + lids * half**2])
    across = side * radius**2 / 2.0 + ball * radius**2 / 3.0
    along = side * half**2 / 3.0 + ball * (half**2 + half * radius + radius**2 / 3.0)
    return side + ball, np.array([across, across, along])


def _ellipsoid_weights(size: tuple[float, ...]) -> tuple[float, FloatArray]:
    heights, weights = np.polynomial.legendre.leggauss(64)
    turns = (np.arange(128) + 0.5) * math.pi / 64.0
    level = np.sqrt(1.0 - heights[:, None] ** 2)
    unit = np.stack(
        [level * np.cos(turns), level * np.sin(turns), np.broadcast_to(heights[:, None], (64, 128))]
    )
    half = np.array(size)[:, None, None]
    stretch = half.prod() * np.sqrt(((unit / half) ** 2).sum(axis=0))  # area per area of the sphere
    area = weights[:, None] * stretch * math.pi / 64.0
    return float(area.sum()), ((unit * half) ** 2 * area).sum(axis=(1, 2))


def moved_to(inertial: Inertial, placement: Placement) -> Inertial:
    """Return the mass and inertia in the outer frame of `placement`."""
    turn = placement.rotation
    centre = placement.position + turn @ inertial.centre
    return Inertial(inertial.mass, centre, turn @ inertial.inertia @ turn.T)


def summed(parts: Sequence[Inertial]) -> Inertial | None:
    """Return all parts as one rigid body; None if there are no parts."""
    if len(parts) < 2:
        return parts[0] if parts else None
    mass = sum(part.mass for part in parts)
    centre = (
        parts[0].centre
        if mass <= 0
        else sum((part.mass * part.centre for part in parts), np.zeros(3)) / mass
    )
    inertia = np.zeros((3, 3))
    for part in parts:
        arm = part.centre - centre
        inertia += part.inertia + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Inertial(mass, centre, inertia)
