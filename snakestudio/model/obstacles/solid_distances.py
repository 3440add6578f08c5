"""Signed distances of points from solids of obstacles."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.obstacles.solids import Block, Post, Prism, Relief, Solid
from snakestudio.model.rotations import rotation

Distance = Callable[[FloatArray], FloatArray]
"""Signed distances (k,) of points (k, 3), m; negative inside."""


def _combined(sideways: FloatArray, upwards: FloatArray) -> FloatArray:
    """Signed distance from a right cylinder over any base, from those across its walls and beyond its ends."""
    outside = np.hypot(np.maximum(sideways, 0.0), np.maximum(upwards, 0.0))
    return np.asarray(outside + np.minimum(np.maximum(sideways, upwards), 0.0))


def from_post(centre: FloatArray, radius: float, height: float) -> Distance:
    """Return the distance from an upright cylinder on the ground."""
    return lambda p: _combined(np.linalg.norm(p[:, :2] - centre, axis=1) - radius, p[:, 2] - height)


def from_blocks(centre: FloatArray, turn: FloatArray, half: FloatArray) -> Distance:
    """Return the distance from the nearest of k boxes: centres (k, 3), rotations (k, 3, 3), half sizes (k, 3)."""

    def distance(p: FloatArray) -> FloatArray:
        away = np.abs(np.einsum("kij,pki->pkj", turn, p[:, None] - centre)) - half
        outside = np.linalg.norm(np.maximum(away, 0.0), axis=2)
        return np.asarray((outside + np.minimum(away.max(axis=2), 0.0)).min(axis=1))

    return distance


def from_prism(body: Prism) -> Distance:
    """Return the distance from an extruded convex profile."""
    begin = body.profile
    edge = np.roll(body.profile, -1, axis=0) - body.profile
    normal = np.column_stack((edge[:, 1], -edge[:, 0])) / np.linalg.norm(
        edge, axis=1, keepdims=True
    )

    def distance(p: FloatArray) -> FloatArray:
        local = (p - body.origin) @ body.rotation
        from_begin = local[:, None, [0, 2]] - begin
        fraction = np.clip(
            np.einsum("pki,ki->pk", from_begin, edge) / np.square(edge).sum(axis=1), 0.0, 1.0
        )
        near = np.linalg.norm(from_begin - fraction[..., None] * edge, axis=2).min(axis=1)
        beyond = np.einsum("pki,ki->pk", from_begin, normal).max(axis=1)
        return _combined(
            np.where(beyond > 0.0, near, beyond), np.abs(local[:, 1]) - body.half_width
        )

    return distance


def from_relief(body: Relief) -> Distance:
    """Return the distance from the plane of the triangle below a point, or outside the field from its nearest wall."""
    ny, nx = body.heights.shape
    size = np.array([body.dx * (nx - 1), body.dy * (ny - 1)])
    turn = rotation(body.yaw)

    def distance(p: FloatArray) -> FloatArray:
        local = (p - body.origin) @ turn
        inside = np.clip(local[:, :2], 0.0, size)
        i = np.clip((inside[:, 0] / body.dx).astype(np.intp), 0, nx - 2)
        j = np.clip((inside[:, 1] / body.dy).astype(np.intp), 0, ny - 2)
        u, v = inside[:, 0] / body.dx - i, inside[:, 1] / body.dy - j
        h = body.heights
        first = h[j, i]
        last = h[j + 1, i + 1]
        middle = np.where(u >= v, h[j, i + 1], h[j + 1, i])
        along_u, along_v = (
            np.where(u >= v, a, b)
            for a, b in ((middle - first, last - middle), (last - middle, middle - first))
        )
        slope = np.hypot(along_u / body.dx, along_v / body.dy)
        above = (local[:, 2] - (first + u * along_u + v * along_v)) / np.hypot(1.0, slope)
        outside = np.linalg.norm(local[:, :2] - inside, axis=1)
        return np.where(outside > 0.0, np.hypot(outside, np.maximum(above, 0.0)), above)

    return distance


def solids_distance(solids: Sequence[Solid]) -> Distance:
    """Return the distance from the nearest of several solids."""
    blocks = [solid for solid in solids if isinstance(solid, Block)]
    parts = [
        from_post(np.array([solid.x, solid.y]), solid.radius, solid.high)
        for solid in solids
        if isinstance(solid, Post)
    ]
    if blocks:
        parts.append(
            from_blocks(
                np.array([block.centre for block in blocks]),
                np.array([block.rotation for block in blocks]),
                np.array([block.half for block in blocks]),
            )
        )
    parts += [from_prism(solid) for solid in solids if isinstance(solid, Prism)]
    parts += [from_relief(solid) for solid in solids if isinstance(solid, Relief)]
    return lambda p: np.asarray(np.min([part(p) for part in parts], axis=0))
