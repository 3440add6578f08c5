"""Shared parts of the tests of contact geometry: a list of contacts, and independent distance functions."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from snakestudio._arrays import FloatArray
from snakestudio.engines.solid_world import world_of_solids
from snakestudio.kernels.solid_contacts import ContactList
from snakestudio.kernels.solids import World, link_contacts
from snakestudio.model.obstacles.solids import Block, Post, Prism, Relief, Solid

HALF = 0.0393
RADIUS = 0.0525
REACH = HALF + RADIUS


class Found(NamedTuple):
    """Contacts of one link."""

    body: NDArray[np.int64]
    feature: NDArray[np.int64]
    gap: FloatArray
    normal: FloatArray
    point: FloatArray


def contact_list(capacity: int = 64) -> ContactList:
    link, body, feature = np.full((3, capacity), -1, np.int64)
    gap = np.full(capacity, np.nan)
    (normal, point) = np.full((2, capacity, 3), np.nan)
    return ContactList(link, body, feature, gap, normal, point)


def contacts(
    world: World,
    centre: object,
    axis: object,
    tolerance: float = 1e-9,
    half: float = HALF,
    radius: float = RADIUS,
) -> Found:
    """All contacts of a link with its centre at `centre` and its axis along `axis` (of any length)."""
    out = contact_list()
    x, y, z = np.asarray(centre, dtype=np.float64)
    e = np.asarray(axis, dtype=np.float64)
    ex, ey, ez = e / np.linalg.norm(e)
    n = link_contacts(world, 3, x, y, z, ex, ey, ez, half, radius, tolerance, out, 0)
    assert n <= len(out.link)
    assert (out.link[:n] == 3).all()
    assert (out.link[n:] == -1).all()
    return Found(out.body[:n], out.feature[:n], out.gap[:n], out.normal[:n], out.point[:n])


def world(*solids: Solid, half: float = HALF, radius: float = RADIUS) -> World:
    """A world in which every solid is a separate obstacle."""
    return world_of_solids([[solid] for solid in solids], half + radius)


def level_block(length: float = 1.0, width: float = 0.6, height: float = 0.2) -> Block:
    """A block on the ground with its middle over the origin."""
    return Block(
        np.array([0.0, 0.0, 0.5 * height]), np.eye(3), 0.5 * np.array([length, width, height])
    )


# -------------------------------------------------------------------- distances written another way


def corners(solid: Block | Prism) -> FloatArray:
    if isinstance(solid, Block):
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T
        return solid.centre + (signs * solid.half) @ solid.rotation.T
    local = np.array([(x, s * solid.half_width, z) for x, z in solid.profile for s in (-1.0, 1.0)])
    return solid.origin + local @ solid.rotation.T


def halfspaces(solid: Block | Prism) -> tuple[FloatArray, FloatArray]:
    """Outward normals A and offsets b of the faces, A x <= b inside, by scipy's convex hull."""
    from scipy.spatial import ConvexHull

    equations = ConvexHull(corners(solid)).equations
    return equations[:, :3], -equations[:, 3]


def triangles(solid: Block | Prism | Relief) -> FloatArray:
    """Triangles of the surface, (k, 3, 3); for a relief with walls down to 1 m below its lowest point."""
    if not isinstance(solid, Relief):
        from scipy.spatial import ConvexHull

        points = corners(solid)
        return points[ConvexHull(points).simplices]
    ny, nx = solid.heights.shape
    x, y = np.meshgrid(np.arange(nx) * solid.dx, np.arange(ny) * solid.dy)
    grid = np.stack([x, y, solid.heights], axis=-1)
    faces = []
    for j in range(ny - 1):
        for i in range(nx - 1):
            faces.append([grid[j, i], grid[j, i + 1], grid[j + 1, i + 1]])
            faces.append([grid[j, i], grid[j + 1, i + 1], grid[j + 1, i]])
    border = [*grid[0], *grid[1:, -1], *grid[-1, -2::-1], *grid[-2::-1, 0]]
    bottom = solid.heights.min() - 1.0
    for one, two in pairwise(border):
        low_one = np.array([*one[:2], bottom])
        low_two = np.array([*two[:2], bottom])
        faces.append([one, two, low_two])
        faces.append([one, low_two, low_one])
    turn = np.array(
        [
            [np.cos(solid.yaw), -np.sin(solid.yaw), 0],
            [np.sin(solid.yaw), np.cos(solid.yaw), 0],
            [0.0, 0.0, 1.0],
        ]
    )
    surface: FloatArray = np.array(faces) @ turn.T + solid.origin
    return surface


def point_triangles(p: FloatArray, t: FloatArray) -> FloatArray:
    """Distance of a point to every triangle: its foot if that is inside, else the nearest of the three sides."""
    a, b, c = t[:, 0], t[:, 1], t[:, 2]
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    inside = np.ones(len(t), bool)
    best = np.full(len(t), np.inf)
    for one, two in ((a, b), (b, c), (c, a)):
        side = two - one
        inside &= (np.cross(side, p - one) * normal).sum(axis=1) >= 0.0
        fraction = np.clip(((p - one) * side).sum(axis=1) / (side**2).sum(axis=1), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(p - one - fraction[:, None] * side, axis=1))
    return np.where(inside, np.abs(((p - a) * normal).sum(axis=1)), best)


def segment_triangles(a: FloatArray, b: FloatArray, t: FloatArray) -> FloatArray:
    """Distance of the segment from `a` to `b` to every triangle: 0 if it crosses it, else that of an end or of a side.

    The distance between segments is that of C. Ericson, Real-Time Collision Detection (2005), section 5.1.9.
    """
    best = np.minimum(point_triangles(a, t), point_triangles(b, t))
    along = b - a
    length = along @ along
    for k in range(3):
        one = t[:, k]
        side = t[:, (k + 1) % 3] - one
        square = (side**2).sum(axis=1)
        common = side @ along
        near = (a - one) @ along
        off = ((a - one) * side).sum(axis=1)
        slack = length * square - common**2
        safe = np.where(slack > 1e-12 * length * square, slack, 1.0)
        s = np.where(safe == slack, np.clip((common * off - near * square) / safe, 0.0, 1.0), 0.0)
        u = np.clip((common * s + off) / square, 0.0, 1.0)
        s = np.clip((common * u - near) / length, 0.0, 1.0)
        gap = a + s[:, None] * along - one - u[:, None] * side
        best = np.minimum(best, np.linalg.norm(gap, axis=1))
    normal = np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])
    below = ((a - t[:, 0]) * normal).sum(axis=1)
    above = ((b - t[:, 0]) * normal).sum(axis=1)
    crosses = below * above < 0.0
    fraction = np.where(crosses, below / np.where(crosses, below - above, 1.0), 0.0)
    foot = a + fraction[:, None] * along
    for k in range(3):
        side = t[:, (k + 1) % 3] - t[:, k]
        crosses &= (np.cross(side, foot - t[:, k]) * normal).sum(axis=1) >= 0.0
    return np.where(crosses, 0.0, best)


def point_distance(solid: Solid, p: FloatArray) -> float:
    """Signed distance of a point to a convex solid; to a relief the unsigned distance to its surface."""
    if isinstance(solid, Post):
        aside = np.hypot(p[0] - solid.x, p[1] - solid.y) - solid.radius
        above = max(p[2] - solid.high, solid.low - p[2])
        if aside > 0.0 and above > 0.0:
            return float(np.hypot(aside, above))
        return float(max(aside, above))
    if isinstance(solid, Relief):
        return float(point_triangles(p, triangles(solid)).min())
    normals, offsets = halfspaces(solid)
    inside = float((normals @ p - offsets).max())
    return inside if inside <= 0.0 else float(point_triangles(p, triangles(solid)).min())


def least_distance(
    solid: Solid, centre: FloatArray, axis: FloatArray, half: float, samples: int = 41
) -> float:
    """Least signed distance of the segment's points, by sampling and a bounded search around the best sample."""
    if isinstance(solid, Relief):
        surface = triangles(solid)
        near = np.abs(surface.mean(axis=1) - centre).max(axis=1) < 0.6

        def f(t: float) -> float:
            return float(point_triangles(centre + t * axis, surface[near]).min())
    else:

        def f(t: float) -> float:
            return point_distance(solid, centre + t * axis)

    places = np.linspace(-half, half, samples)
    values = [f(t) for t in places]
    k = int(np.argmin(values))
    low = places[max(k - 1, 0)]
    high = places[min(k + 1, samples - 1)]
    result = minimize_scalar(f, bounds=(low, high), method="bounded", options={"xatol": 1e-10})
    return float(min(min(values), result.fun))
