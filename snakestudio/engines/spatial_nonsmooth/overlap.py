"""Depth of links inside obstacles: distances of capsules to solids, in plain numpy, for checks before a run."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.model.obstacles.solids import Block, Post, Prism, Relief, Solid

FINENESS = 25.0
"""Number of points per link radius at which a relief is checked: the error is below a thousandth of
the radius."""


def _extruded(across: FloatArray, beyond: FloatArray) -> FloatArray:
    """Return the distance to an extruded body from those to its profile and its end faces; negative inside."""
    outside = np.hypot(np.maximum(across, 0.0), np.maximum(beyond, 0.0))
    distance: FloatArray = outside + np.minimum(np.maximum(across, beyond), 0.0)
    return distance


def _to_convex(solid: Post | Block | Prism, point: FloatArray) -> FloatArray:
    """Return signed distances (m) of points (k, 3) to a convex solid, negative inside."""
    if isinstance(solid, Post):
        across = np.hypot(point[:, X] - solid.x, point[:, Y] - solid.y) - solid.radius
        return _extruded(across, np.maximum(solid.low - point[:, Z], point[:, Z] - solid.high))
    if isinstance(solid, Block):
        beyond = np.abs((point - solid.centre) @ solid.rotation) - solid.half
        outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
        distance: FloatArray = outside + np.minimum(beyond.max(axis=1), 0.0)
        return distance
    local = (point - solid.origin) @ solid.rotation
    return _extruded(
        _to_polygon(solid.profile, local[:, [0, 2]]), np.abs(local[:, Y]) - solid.half_width
    )


def _to_polygon(corners: FloatArray, point: FloatArray) -> FloatArray:
    """Return signed distances of points (k, 2) to a convex polygon with corners (m, 2) in anticlockwise order."""
    edge = np.roll(corners, -1, axis=0) - corners
    away = point[:, None, :] - corners  # (k, m, 2)
    share = (away * edge).sum(axis=2) / (edge * edge).sum(axis=1)
    nearest = np.linalg.norm(away - share.clip(0.0, 1.0)[:, :, None] * edge, axis=2).min(axis=1)
    inside = (edge[:, X] * away[:, :, Y] - edge[:, Y] * away[:, :, X] >= 0.0).all(axis=1)
    distance: FloatArray = np.where(inside, -nearest, nearest)
    return distance


def _in_convex(
    solid: Post | Block | Prism,
    centre: FloatArray,
    axis: FloatArray,
    half: FloatArray,
    radius: FloatArray,
) -> FloatArray:
    """Return the depth of capsules in a convex solid.

    The distance to it is convex along a capsule's axis, so the golden-section search finds the
    nearest point. Capsules that cannot reach the solid are skipped.
    """
    depth = radius - _to_convex(solid, centre)
    near = np.flatnonzero(depth > -half)
    if not half.any() or not len(near):
        return depth
    centre = centre[near]
    axis = axis[near]
    low = -half[near]
    high = half[near]
    for _ in range(30):  # leaves a millionth of the length
        one = high - 0.618 * (high - low)
        other = low + 0.618 * (high - low)
        lower = _to_convex(solid, centre + one[:, None] * axis) < _to_convex(
            solid, centre + other[:, None] * axis
        )
        low, high = np.where(lower, low, one), np.where(lower, other, high)
    depth[near] = radius[near] - _to_convex(solid, centre + (0.5 * (low + high))[:, None] * axis)
    return depth


def _in_relief(
    relief: Relief, centre: FloatArray, axis: FloatArray, halves: FloatArray, radii: FloatArray
) -> FloatArray:
    """Return the depth of capsules in a relief, from points of its surface around each of them."""
    cos, sin = math.cos(relief.yaw), math.sin(relief.yaw)
    turn = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
    ny, nx = relief.heights.shape
    rim = np.array([(nx - 1) * relief.dx, (ny - 1) * relief.dy])
    depth = np.full(len(centre), -np.inf)
    local = (centre - relief.origin) @ turn
    along = axis @ turn
    for k, (c, e, half, radius) in enumerate(zip(local, along, halves, radii, strict=True)):
        spacing = radius / FINENESS
        reach = half * np.abs(e) + radius
        low = np.maximum(c[:2] - reach[:2], 0.0)
        high = np.minimum(c[:2] + reach[:2], rim)
        if np.any(low > high) or c[2] - reach[2] > relief.heights.max():
            continue
        grids = [
            np.linspace(a, b, max(2, math.ceil((b - a) / spacing) + 1))
            for a, b in zip(low, high, strict=True)
        ]
        x, y = (part.ravel() for part in np.meshgrid(*grids))
        point = np.column_stack([x, y, relief.surface(x, y)])
        lever = ((point - c) @ e).clip(-half, half)
        depth[k] = radius - np.linalg.norm(point - c - lever[:, None] * e, axis=1).min()
        spine = c + np.linspace(-half, half, 2 + math.ceil(2.0 * half / spacing))[:, None] * e
        sunk = (relief.surface(spine[:, X], spine[:, Y]) - spine[:, Z]).max()
        if sunk > 0.0:
            depth[k] = radius + sunk
    return depth


def depth_in_solid(
    solid: Solid,
    centre: FloatArray,
    axis: FloatArray,
    half: FloatArray | float,
    radius: FloatArray | float,
) -> FloatArray:
    """Return the depth of capsules inside a solid, (k,), m; negative outside.

    Parameters
    ----------
    centre, axis : (k, 3)
        Middle (m) and direction of each capsule.
    half, radius : (k,) or float
        Half the length of its axis, and its radius, m.
    """
    half = np.broadcast_to(half, len(centre))
    radius = np.broadcast_to(radius, len(centre))
    if isinstance(solid, Relief):
        return _in_relief(solid, centre, axis, half, radius)
    return _in_convex(solid, centre, axis, half, radius)
