"""Clearances of links from obstacles of any kind, for the inspector and for placing new obstacles."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.obstacles import Obstacles
from snakestudio.model.body import Body
from snakestudio.model.obstacles.solids import Prism, Relief
from snakestudio.model.rotations import rotation
from snakestudio.model.snapshot import Snapshot

Distance = Callable[[FloatArray], FloatArray]

_POINTS = 9
"""Number of points on the axis of a link from which the nearest point is refined."""

_GOLDEN = 0.6180339887498949


def _combined(sideways: FloatArray, upwards: FloatArray) -> FloatArray:
    """Signed distance from a right cylinder over any base, from those across its walls and beyond its ends."""
    outside = np.hypot(np.maximum(sideways, 0.0), np.maximum(upwards, 0.0))
    return np.asarray(outside + np.minimum(np.maximum(sideways, upwards), 0.0))


def _from_post(centre: FloatArray, radius: float, height: float) -> Distance:
    return lambda p: _combined(np.linalg.norm(p[:, :2] - centre, axis=1) - radius, p[:, 2] - height)


def _from_blocks(centre: FloatArray, turn: FloatArray, half: FloatArray) -> Distance:
    def distance(p: FloatArray) -> FloatArray:
        away = np.abs(np.einsum("kij,pki->pkj", turn, p[:, None] - centre)) - half
        outside = np.linalg.norm(np.maximum(away, 0.0), axis=2)
        return np.asarray((outside + np.minimum(away.max(axis=2), 0.0)).min(axis=1))

    return distance


def _from_prism(body: Prism) -> Distance:
    begin = body.profile
    edge = np.roll(body.profile, -1, axis=0) - body.profile
    normal = np.column_stack((edge[:, 1], -edge[:, 0])) / np.linalg.norm(
        edge, axis=1, keepdims=True
    )

    def distance(p: FloatArray) -> FloatArray:
        local = (p - body.origin) @ body.rotation
        from_begin = local[:, None, [0, 2]] - begin
        share = np.clip(
            np.einsum("pki,ki->pk", from_begin, edge) / np.square(edge).sum(axis=1), 0.0, 1.0
        )
        near = np.linalg.norm(from_begin - share[..., None] * edge, axis=2).min(axis=1)
        beyond = np.einsum("pki,ki->pk", from_begin, normal).max(axis=1)
        return _combined(
            np.where(beyond > 0.0, near, beyond), np.abs(local[:, 1]) - body.half_width
        )

    return distance


def _from_relief(body: Relief) -> Distance:
    """Distance from the plane of the triangle below a point, or outside the field from its nearest wall."""
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


def _distances(world: Obstacles, index: int, reach: float, middles: FloatArray) -> list[Distance]:
    """Distance functions of the parts of an obstacle; of many blocks, only those that can be nearest."""
    posts = world.posts
    blocks = world.blocks
    distances = [
        _from_post(posts.centre[k], float(posts.radius[k]), float(posts.height[k]))
        for k in np.flatnonzero(posts.owner == index)
    ]
    own = np.flatnonzero(blocks.owner == index)
    if len(own):
        size = np.linalg.norm(blocks.half[own], axis=1)
        away = np.linalg.norm(middles[:, None] - blocks.centre[own], axis=2)
        near = (away - size - reach <= (away + size).min(axis=1, keepdims=True) + reach).any(axis=0)
        distances.append(
            _from_blocks(
                blocks.centre[own[near]], blocks.rotation[own[near]], blocks.half[own[near]]
            )
        )
    distances += [_from_prism(body) for i, body in world.prisms if i == index]
    distances += [_from_relief(body) for i, body in world.reliefs if i == index]
    return distances


def clearances(world: Obstacles, index: int, snapshot: Snapshot, body: Body) -> FloatArray:
    """Return the clearance of each link from an obstacle, (n,), m; negative for overlap, NaN without a pose.

    Parameters
    ----------
    index : int
        0-based index of the obstacle.
    body : Body
        Body that defines the sizes of the links.
    """
    pose = snapshot.link_pose
    radius, half, middle = body.sizes.of(len(pose))
    w, qx, qy, qz = pose[:, 3:].T
    axis = np.stack(
        [1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy + w * qz), 2 * (qx * qz - w * qy)], axis=1
    )
    centre = pose[:, :3] + middle[:, None] * axis
    parts = _distances(world, index, float(half.max()), centre)

    def at(s: FloatArray) -> FloatArray:
        """Distances (k, n) of the points at s (k, n) on the axes of the links, in one call for speed."""
        points = (centre + s[..., None] * axis).reshape(-1, 3)
        return np.asarray(np.min([part(points) for part in parts], axis=0)).reshape(s.shape)

    grid = np.linspace(-half, half, _POINTS)
    table = at(grid)
    best = np.argmin(table, axis=0)
    link = np.arange(len(pose))
    low = grid[np.maximum(best - 1, 0), link]
    high = grid[np.minimum(best + 1, _POINTS - 1), link]
    nearest = table.min(axis=0)
    # The distance of a line from a convex body is convex, so golden sections find its minimum.
    for _ in range(16):
        a = high - _GOLDEN * (high - low)
        b = low + _GOLDEN * (high - low)
        da, db = at(np.stack((a, b)))
        nearest = np.minimum(nearest, np.minimum(da, db))
        low, high = np.where(da < db, low, a), np.where(da < db, b, high)
    return np.asarray(nearest - radius)
