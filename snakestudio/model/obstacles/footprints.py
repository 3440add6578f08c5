"""Corners and footprints of obstacles: for bounds and for all that looks from above."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.obstacles.outlines import Outline
from snakestudio.model.obstacles.solids import Block, Post, Prism, Relief, Solid
from snakestudio.model.rotations import rotation

__all__ = ["corners", "footprint", "solid_outline"]


_UNIT = np.array([(x, y, z) for z in (-1.0, 1.0) for y in (-1.0, 1.0) for x in (-1.0, 1.0)])


def corners(body: Block | Prism | Relief) -> FloatArray:
    """Points (k, 3) in the world, m, whose box is the body's and whose hull has its footprint."""
    if isinstance(body, Block):
        points: FloatArray = body.centre + (_UNIT * body.half) @ body.rotation.T
        return points
    if isinstance(body, Prism):
        local = np.array([(x, y, z) for x, z in body.profile for y in (-body.half_width, body.half_width)])
        return np.asarray(body.origin + local @ body.rotation.T)
    ny, nx = body.heights.shape
    far = np.array([body.dx * (nx - 1), body.dy * (ny - 1), float(body.heights.max())])
    near = np.array([0.0, 0.0, float(body.heights.min())])
    local = np.where(_UNIT > 0.0, far, near)
    return np.asarray(body.origin + local @ rotation(body.yaw).T)


def footprint(body: Block | Prism | Relief) -> FloatArray:
    """Corners (m, 2), m, of the convex outline of a body from above, anticlockwise."""
    points = sorted(set(map(tuple, np.round(corners(body)[:, :2], 9).tolist())))

    def half(ordered: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        """One side of the hull (Andrew's chain)."""
        kept: list[tuple[float, ...]] = []
        for x, y in ordered:
            while len(kept) > 1 and (kept[-1][0] - kept[-2][0]) * (y - kept[-2][1]) <= (kept[-1][1] - kept[-2][1]) * (
                x - kept[-2][0]
            ):
                kept.pop()
            kept.append((x, y))
        return kept[:-1]

    return np.array([*half(points), *half(points[::-1])])


def solid_outline(solid: Solid) -> Outline:
    """The convex outline of a body from above."""
    if isinstance(solid, Post):
        return Outline(np.array([(solid.x, solid.y)]), solid.radius)
    return Outline(footprint(solid), 0.0)
