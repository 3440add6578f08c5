"""Exact ray tests against boxes, extruded profiles and uneven ground, without OpenGL."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.obstacles.solids import Prism, Relief
from snakestudio.model.rotations import rotation


def ray_blocks(
    origin: FloatArray,
    direction: FloatArray,
    centre: FloatArray,
    rotation: FloatArray,
    half: FloatArray,
) -> FloatArray:
    """Return the distance along a ray to the first point of each box, (k,), m; infinite where it misses.

    Parameters
    ----------
    origin, direction : (3,) arrays
        Start of the ray (m), unit direction.
    centre, half : (k, 3) arrays
        m.
    rotation : (k, 3, 3) array
        Columns are the boxes' axes.
    """
    start = np.einsum("kij,ki->kj", rotation, origin - centre)
    along = np.einsum("kij,i->kj", rotation, direction)
    enter, leave = _slabs(start, along, -half, half)
    # From inside, the first point is the exit point.
    return np.where((enter <= leave) & (leave >= 0), np.where(enter >= 0, enter, leave), np.inf)


def _slabs(
    start: FloatArray, along: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the entry and exit distances of rays with respect to all of their (..., m) pairs of planes."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        a, b = (low - start) / along, (high - start) / along
    inside = (start >= low) & (start <= high)
    # A ray parallel to the planes is between them everywhere or nowhere.
    level = np.abs(along) < 1e-14
    first = np.where(level, np.where(inside, -np.inf, np.inf), np.minimum(a, b))
    last = np.where(level, np.where(inside, np.inf, -np.inf), np.maximum(a, b))
    return first.max(axis=-1), last.min(axis=-1)


def ray_prism(origin: FloatArray, direction: FloatArray, body: Prism) -> float:
    """Return the distance along a ray to the first point of an extruded profile, m; infinite if it misses."""
    start = (origin - body.origin) @ body.rotation
    along = direction @ body.rotation
    edge = np.roll(body.profile, -1, axis=0) - body.profile
    normal = np.column_stack((edge[:, 1], np.zeros(len(edge)), -edge[:, 0]))
    normal = np.concatenate((normal, [(0.0, 1.0, 0.0), (0.0, -1.0, 0.0)]))
    level = np.append(
        np.einsum("ij,ij->i", normal[:-2, [0, 2]], body.profile), (body.half_width, body.half_width)
    )
    away = normal @ start - level
    speed = normal @ along
    if np.any((np.abs(speed) < 1e-14) & (away > 0)):
        return math.inf
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        t = -away / speed
    enter = float(np.max(t[speed < -1e-14], initial=-np.inf))
    leave = float(np.min(t[speed > 1e-14], initial=np.inf))
    if enter > leave or leave < 0:
        return math.inf
    return enter if enter >= 0 else leave


def ray_relief(origin: FloatArray, direction: FloatArray, body: Relief) -> float:
    """Distance along a ray to the first point of uneven ground or of the walls around it, m; infinite if it misses.

    Over a triangle the height above the surface is linear along the ray, so it is enough to test where
    the ray crosses the edges of triangles.
    """
    turn = rotation(body.yaw)
    scale = np.array([body.dx, body.dy, 1.0])
    start = ((origin - body.origin) @ turn) / scale
    along = (direction @ turn) / scale
    ny, nx = body.heights.shape
    low = np.array([0.0, 0.0, float(min(body.heights.min(), -body.origin[2]))])
    high = np.array([nx - 1.0, ny - 1.0, 0.0])
    high[2] = max(float(body.heights.max()), low[2])
    enter, leave = (float(t) for t in _slabs(start, along, low, high))
    enter = max(enter, 0.0)
    if enter > leave:
        return math.inf
    near, far = start + enter * along, start + leave * along
    t = [np.array([enter, leave])]
    # Lines x = i, y = j, and the diagonals x - y = d.
    for a, b, at, speed in (
        (near[0], far[0], start[0], along[0]),
        (near[1], far[1], start[1], along[1]),
        (near[0] - near[1], far[0] - far[1], start[0] - start[1], along[0] - along[1]),
    ):
        if abs(speed) > 1e-14:
            t.append((np.arange(math.ceil(min(a, b)), math.floor(max(a, b)) + 1) - at) / speed)
    times = np.unique(np.clip(np.concatenate(t), enter, leave))
    points = start + times[:, None] * along
    above = points[:, 2] - _height(body.heights, points[:, 0], points[:, 1])
    if above[0] <= 1e-12:
        return enter  # through a wall, or onto the highest points
    below = np.flatnonzero(above <= 0.0)
    if not len(below):
        return math.inf
    k = int(below[0])
    fraction = above[k - 1] / (above[k - 1] - above[k])
    return float(times[k - 1] + fraction * (times[k] - times[k - 1]))


def _height(heights: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the height of the two triangles of each cell at points in units of the grid."""
    ny, nx = heights.shape
    i = np.clip(np.floor(x), 0, nx - 2).astype(np.intp)
    j = np.clip(np.floor(y), 0, ny - 2).astype(np.intp)
    u, v = np.clip(x - i, 0.0, 1.0), np.clip(y - j, 0.0, 1.0)
    h00 = heights[j, i]
    h11 = heights[j + 1, i + 1]
    h10 = heights[j, i + 1]
    h01 = heights[j + 1, i]
    height: FloatArray = np.where(
        u >= v, h00 + u * (h10 - h00) + v * (h11 - h10), h00 + v * (h01 - h00) + u * (h11 - h01)
    )
    return height


def ray_triangles(origin: FloatArray, direction: FloatArray, corner: FloatArray) -> FloatArray:
    """Distance along a ray to each triangle from its front, (k,), m; infinite where it misses (Möller, Trumbore 1997).

    Parameters
    ----------
    origin, direction : (3,) arrays
        Start of the ray (m), unit direction.
    corner : (k, 3, 3) array
        Corners, counter-clockwise from the front, m.
    """
    ahead = corner[:, 1] - corner[:, 0]
    aside = corner[:, 2] - corner[:, 0]
    across = np.cross(direction, aside)
    size = np.einsum("ij,ij->i", ahead, across)
    to = origin - corner[:, 0]
    turned = np.cross(to, ahead)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        u = np.einsum("ij,ij->i", to, across) / size
        v = (turned @ direction) / size
        t = np.einsum("ij,ij->i", aside, turned) / size
        # Slightly beyond the edges, so that no ray passes between two triangles.
        hit = (size > 0.0) & (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1.0 + 1e-9) & (t >= 0.0)
    return np.where(hit, t, np.inf)
