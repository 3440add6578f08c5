"""Clearances of links from obstacles of any kind, for the inspector and for placing new obstacles."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.obstacles import Obstacles
from snakestudio.model.body import Body
from snakestudio.model.obstacles.solid_distances import (
    Distance,
    from_blocks,
    from_post,
    from_prism,
    from_relief,
)
from snakestudio.model.snapshot import Snapshot

_POINTS = 9
"""Number of points on the axis of a link from which the nearest point is refined."""

_GOLDEN = 0.6180339887498949


def _distances(world: Obstacles, index: int, reach: float, middles: FloatArray) -> list[Distance]:
    """Return the distance functions of the parts of an obstacle; of many blocks, only those that can be nearest."""
    posts = world.posts
    blocks = world.blocks
    distances = [
        from_post(posts.centre[k], float(posts.radius[k]), float(posts.height[k]))
        for k in np.flatnonzero(posts.owner == index)
    ]
    own = np.flatnonzero(blocks.owner == index)
    if len(own):
        size = np.linalg.norm(blocks.half[own], axis=1)
        away = np.linalg.norm(middles[:, None] - blocks.centre[own], axis=2)
        near = (away - size - reach <= (away + size).min(axis=1, keepdims=True) + reach).any(axis=0)
        distances.append(
            from_blocks(
                blocks.centre[own[near]], blocks.rotation[own[near]], blocks.half[own[near]]
            )
        )
    distances += [from_prism(body) for i, body in world.prisms if i == index]
    distances += [from_relief(body) for i, body in world.reliefs if i == index]
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
        """Return distances (k, n) of the points at s (k, n) on the axes of the links, in one call for speed."""
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
