"""Convex outlines from above of obstacles and the robot, their bounding boxes, and distances between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.by_identity import by_identity
from snakestudio.model.obstacles.shape import Obstacle, obstacle_solids, shape_of
from snakestudio.model.obstacles.solids import Block, Post, Prism, Relief, Solid
from snakestudio.model.rotations import rotation


class Outline(NamedTuple):
    """Convex polygon with rounded corners: all points within `radius` (m) of the hull of `points`.

    A single point is a disc, two points are a capsule.
    """

    points: FloatArray
    """Corners, anticlockwise, m. Shape (m, 2)."""

    radius: float
    """Radius of the rounding, m."""

    @property
    def low(self) -> FloatArray:
        """Lower left corner (2,) of the bounding box, m."""
        corner: FloatArray = self.points.min(axis=0) - self.radius
        return corner

    @property
    def high(self) -> FloatArray:
        """Upper right corner (2,) of the bounding box, m."""
        corner: FloatArray = self.points.max(axis=0) + self.radius
        return corner


class Gap(NamedTuple):
    """Shortest distance between two outlines."""

    distance: float
    """Distance, m; negative if the outlines overlap: the shift of one until they only touch."""

    start: FloatArray
    """Nearest point on the first outline, m. Shape (2,)."""

    end: FloatArray
    """Nearest point on the second outline, m. Shape (2,)."""


def _edges(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Start and end points of the edges, (k, 2); for a single point one edge of length 0."""
    if len(points) > 2:
        return points, np.roll(points, -1, axis=0)
    return points[:1], points[-1:]


def _nearest_on(points: FloatArray, corners: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """Distance of the nearest pair of one of `points` (k, 2) and a point of the boundary of `corners`, and the pair."""
    begin, end = _edges(corners)
    side = end - begin
    size = np.square(side).sum(axis=1)
    to = points[:, None] - begin
    fraction = np.clip(
        np.einsum("kli,li->kl", to, side) / np.where(size > 0.0, size, 1.0), 0.0, 1.0
    )
    foot = begin + fraction[..., None] * side
    away = np.linalg.norm(points[:, None] - foot, axis=2)
    k, edge = np.unravel_index(int(np.argmin(away)), away.shape)
    return float(away[k, edge]), points[k], foot[k, edge]


def _overlap(a: FloatArray, b: FloatArray) -> tuple[float, FloatArray] | None:
    """Overlap of two convex polygons, m, and the direction (2,) in which b leaves a soonest; None if disjoint."""
    edges = []
    for points in (a, b):
        begin, end = _edges(points)
        edges.append(end - begin)
        if len(points) == 2:  # a line also has end normals
            edges.append((end - begin) @ np.array([(0.0, 1.0), (-1.0, 0.0)]))
    edge = np.concatenate(edges)
    size = np.linalg.norm(edge, axis=1)
    edge = edge[size > 0.0] / size[size > 0.0, None]
    if not len(edge):
        return None
    normal = np.column_stack([edge[:, 1], -edge[:, 0]])
    of_a, of_b = a @ normal.T, b @ normal.T
    ahead = of_a.max(axis=0) - of_b.min(axis=0)
    behind = of_b.max(axis=0) - of_a.min(axis=0)
    if min(ahead.min(), behind.min()) <= 0.0:
        return None
    k = int(np.argmin(np.minimum(ahead, behind)))
    return (float(ahead[k]), normal[k]) if ahead[k] <= behind[k] else (float(behind[k]), -normal[k])


def gap(a: Outline, b: Outline) -> Gap:
    """Return the shortest distance between two outlines."""
    inside = _overlap(a.points, b.points)
    if inside is not None:
        depth, direction = inside
        start = a.points[int(np.argmax(a.points @ direction))] + a.radius * direction
        total = depth + a.radius + b.radius
        return Gap(-total, start, start - total * direction)
    distance, p, q = _nearest_on(a.points, b.points)
    other, q_too, p_too = _nearest_on(b.points, a.points)
    if other < distance:
        distance = other
        p = p_too
        q = q_too
    direction = q - p if distance > 0.0 else b.points.mean(axis=0) - a.points.mean(axis=0)
    size = float(np.linalg.norm(direction))
    direction = direction / size if size > 0.0 else np.array([1.0, 0.0])
    return Gap(distance - a.radius - b.radius, p + a.radius * direction, q - b.radius * direction)


def least_gap(mine: Iterable[Outline], others: Sequence[Outline]) -> Gap | None:
    """Return the smallest gap between any of `mine` and any of `others`; None if either is empty."""
    best: Gap | None = None
    for one in mine:
        for other in others:
            if best is not None:
                apart = np.maximum(np.maximum(other.low - one.high, one.low - other.high), 0.0)
                if float(np.hypot(*apart)) > max(best.distance, 0.0):
                    continue
            candidate = gap(one, other)
            if best is None or candidate.distance < best.distance:
                best = candidate
    return best


def nearest_of_many(
    mine: Sequence[Outline],
    low: FloatArray,
    high: FloatArray,
    outlines: Callable[[int], Sequence[Outline]],
    without: Iterable[int] = (),
) -> tuple[int, Gap] | None:
    """Return the index of the object nearest to some outlines, and the gap, or None.

    Bounding boxes are compared first, so that only few of thousands of objects need exact distances.

    Parameters
    ----------
    low, high : (n, 2) arrays
        Bounding boxes of the objects, m.
    outlines : callable
        Returns the outlines of object i.
    without : iterable of int
        Objects to ignore.
    """
    if not mine or not len(low):
        return None
    bounds = np.full(len(low), np.inf)
    for one in mine:
        apart = np.maximum(np.maximum(low - one.high, one.low - high), 0.0)
        np.minimum(bounds, np.hypot(apart[:, 0], apart[:, 1]), out=bounds)
    bounds[list(without)] = np.inf
    best: tuple[int, Gap] | None = None
    for i in np.argsort(bounds, kind="stable"):
        if not np.isfinite(bounds[i]) or (
            best is not None and bounds[i] > max(best[1].distance, 0.0)
        ):
            break
        candidate = least_gap(mine, outlines(int(i)))
        if candidate is not None and (best is None or candidate.distance < best[1].distance):
            best = int(i), candidate
    return best


def distances(outline: Outline, points: FloatArray) -> FloatArray:
    """Return distances (k,), m, of points (k, 2), m, from an outline; 0 inside it."""
    begin, end = _edges(outline.points)
    nearest = np.full(len(points), np.inf)
    inside = np.full(len(points), len(outline.points) > 2)
    for a, edge in zip(begin, end - begin, strict=True):
        to = points - a
        size = float(edge @ edge)
        fraction = np.clip(to @ edge / size, 0.0, 1.0)[:, None] if size > 0.0 else 0.0
        away = to - fraction * edge
        np.minimum(nearest, np.hypot(away[:, 0], away[:, 1]), out=nearest)
        inside &= edge[0] * to[:, 1] - edge[1] * to[:, 0] >= 0.0
    return np.where(inside, 0.0, np.maximum(nearest - outline.radius, 0.0))


def nearest_point(outline: Outline, point: FloatArray) -> FloatArray:
    """Point (2,), m, of the boundary of an outline that is nearest to a point (2,), m."""
    distance, _, foot = _nearest_on(point[None], outline.points)
    if outline.radius == 0.0:
        return foot
    direction = point - foot if distance > 0.0 else np.array([1.0, 0.0])
    nearest: FloatArray = foot + outline.radius * direction / float(np.linalg.norm(direction))
    return nearest


_UNIT = np.array([(x, y, z) for z in (-1.0, 1.0) for y in (-1.0, 1.0) for x in (-1.0, 1.0)])


def corners(body: Block | Prism | Relief) -> FloatArray:
    """Return points (k, 3) in the world, m, with the bounding box and the footprint of a body."""
    if isinstance(body, Block):
        points: FloatArray = body.centre + (_UNIT * body.half) @ body.rotation.T
        return points
    if isinstance(body, Prism):
        local = np.array(
            [(x, y, z) for x, z in body.profile for y in (-body.half_width, body.half_width)]
        )
        return np.asarray(body.origin + local @ body.rotation.T)
    ny, nx = body.heights.shape
    far = np.array([body.dx * (nx - 1), body.dy * (ny - 1), float(body.heights.max())])
    near = np.array([0.0, 0.0, float(body.heights.min())])
    local = np.where(_UNIT > 0.0, far, near)
    return np.asarray(body.origin + local @ rotation(body.yaw).T)


def footprint(body: Block | Prism | Relief) -> FloatArray:
    """Return corners (m, 2), m, of the convex outline of a body from above, anticlockwise."""
    points = sorted(set(map(tuple, np.round(corners(body)[:, :2], 9).tolist())))

    def half(ordered: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        """Return one side of the hull (Andrew's chain)."""
        hull: list[tuple[float, ...]] = []
        for x, y in ordered:
            while len(hull) > 1 and (hull[-1][0] - hull[-2][0]) * (y - hull[-2][1]) <= (
                hull[-1][1] - hull[-2][1]
            ) * (x - hull[-2][0]):
                hull.pop()
            hull.append((x, y))
        return hull[:-1]

    return np.array([*half(points), *half(points[::-1])])


def solid_outline(solid: Solid) -> Outline:
    """Return the convex outline of a body from above."""
    if isinstance(solid, Post):
        return Outline(np.array([(solid.x, solid.y)]), solid.radius)
    return Outline(footprint(solid), 0.0)


class PlanBoxes(NamedTuple):
    """Bounding boxes with corners `low` and `high`, (n, 2), m."""

    low: FloatArray
    high: FloatArray

    @property
    def centre(self) -> FloatArray:
        """Centres of the boxes, (n, 2), m."""
        return 0.5 * (self.low + self.high)

    def around(self, indices: Sequence[int]) -> tuple[FloatArray, FloatArray]:
        """Return corners (2,) of the bounding box of several boxes, m."""
        chosen = list(indices)
        return self.low[chosen].min(axis=0), self.high[chosen].max(axis=0)


def _extent(solid: Solid) -> tuple[FloatArray, FloatArray]:
    """Return corners (2,) of the bounding box of one body, m."""
    if isinstance(solid, Post):
        middle = np.array([solid.x, solid.y])
        return middle - solid.radius, middle + solid.radius
    points = corners(solid)[:, :2]
    return points.min(axis=0), points.max(axis=0)


@by_identity
def _box(obstacle: Obstacle) -> tuple[float, float, float, float]:
    """Return the smallest x and y, largest x and y of an obstacle, m."""
    # The extent is known even if the obstacle's files are missing, and needs no reading of them.
    extents = [
        _extent(solid) for solid in obstacle_solids(shape_of(obstacle).without_files(obstacle))
    ]
    low = np.min([low for low, _ in extents], axis=0)
    high = np.max([high for _, high in extents], axis=0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def plan_boxes(obstacles: Sequence[Obstacle]) -> PlanBoxes:
    """Return the axis-aligned bounding boxes of obstacles."""
    boxes = np.array([_box(obstacle) for obstacle in obstacles]).reshape(-1, 4)
    return PlanBoxes(boxes[:, :2].copy(), boxes[:, 2:].copy())
