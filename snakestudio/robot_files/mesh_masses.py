"""Volume, centre and moments of meshes by the methods of MuJoCo (its mesh attribute `inertia`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray

_LEAST = 1e-14
"""Volume, m^3, up to which a mesh counts as flat, as in MuJoCo."""


@dataclass(frozen=True, slots=True, eq=False)
class MeshMass:
    """Mass of a mesh with a density of 1."""

    amount: float
    """Volume, m^3, or area of a shell, m^2."""

    centre: FloatArray
    """Centre of mass. Shape (3,)."""

    moments: FloatArray
    """Inertia about the centre for a density of 1. Shape (3, 3)."""


def mesh_mass(triangles: FloatArray, method: str) -> MeshMass | None:
    """Return the mass of a mesh of triangles (n, 3, 3); None if it has no volume.

    Parameters
    ----------
    method : str
        "legacy": volumes of the pyramids from the centroid of the surface to the triangles, all counted as positive;
        "exact": the same with signs, correct for closed meshes; "convex": the convex hull; "shell": the surface.
    """
    if method == "convex":
        hull = convex_hull(triangles.reshape(-1, 3))
        return None if hull is None else mesh_mass(hull, "exact")
    normals = 0.5 * np.cross(
        triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0], axis=1
    )
    areas = np.linalg.norm(normals, axis=1)
    if not areas.sum() > 0.0:
        return None
    if method == "shell":
        centre = areas @ triangles.mean(axis=1) / areas.sum()
        return _mass(areas / 12.0, triangles - centre, centre, float(areas.sum()))
    middles = triangles.mean(axis=1)
    inside = areas @ middles / areas.sum()
    volumes = _pyramids(middles - inside, normals, method)
    if not volumes.sum() > _LEAST:
        return None
    centre = volumes @ (0.75 * middles + 0.25 * inside) / volumes.sum()
    volumes = _pyramids(middles - centre, normals, method)
    if not volumes.sum() > _LEAST:
        return None
    return _mass(volumes / 20.0, triangles - centre, centre, float(volumes.sum()))


def convex_hull(points: FloatArray) -> FloatArray | None:
    """Return triangles (n, 3, 3) of the convex hull of points (k, 3), anticlockwise from outside; None if flat."""
    from scipy.spatial import ConvexHull, QhullError  # slow to import

    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        return None
    triangles: FloatArray = points[hull.simplices]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    inward = np.einsum("ij,ij->i", normals, hull.equations[:, :3]) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    return triangles


def _pyramids(middles: FloatArray, normals: FloatArray, method: str) -> FloatArray:
    volumes: FloatArray = np.einsum("ij,ij->i", middles, normals) / 3.0
    return volumes if method == "exact" else np.abs(volumes)


def _mass(
    weights: FloatArray, triangles: FloatArray, centre: FloatArray, amount: float
) -> MeshMass:
    second = np.zeros((3, 3))
    for corner in (*triangles.swapaxes(0, 1), triangles.sum(axis=1)):
        second += np.einsum("i,ij,ik->jk", weights, corner, corner)
    return MeshMass(amount, centre, np.trace(second) * np.eye(3) - second)
