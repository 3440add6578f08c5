"""Obstacles beside the links, and the one-sided constraints (P3 (30) to (49)) that they are to the links' motion."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio.engines.planar_nonholonomic.params import Params
from snakestudio.engines.planar_nonholonomic.state import LEFT, NORMAL, RIGHT, RUBBING, WORKS, Work
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.cholesky import cholesky_forward
from snakestudio.kernels.gap import point_rectangle, stadium_circle, stadium_rectangle, stadium_touches
from snakestudio.kernels.one_sided import solve_one_sided

__all__ = ["constraint_forces", "find_obstacles"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@inlined
def _enter(
    params: Params, work: Work, k: int, j: int, gap: float, nx: float, ny: float, lever: float,
    depth_left: float, depth_right: float,
) -> tuple[float, float]:  # fmt: skip
    """Make `j` what link `k` meets on the side it pushes from, if it is the deepest there; returns both depths."""
    cos, sin = work.cos[k], work.sin[k]
    # A force towards the left comes from an obstacle on the right.
    side = RIGHT if cos * ny - sin * nx >= 0.0 else LEFT
    deepest = depth_right if side == RIGHT else depth_left
    if gap >= deepest:
        return depth_left, depth_right
    work.near[side, k] = j
    work.touch[side, k, 0] = work.place[k, 0] + lever * cos - params.radius * nx
    work.touch[side, k, 1] = work.place[k, 1] + lever * sin - params.radius * ny
    return (depth_left, gap) if side == RIGHT else (gap, depth_right)


@jit
def _try_box(params: Params, work: Work, k: int, j: int, depth_left: float, depth_right: float) -> tuple[float, float]:
    """`_enter` for the features of a box that link `k` touches."""
    half_x, half_y = params.obstacles[j, 3], params.obstacles[j, 4]
    box_cos, box_sin = params.obstacles[j, 5], params.obstacles[j, 6]
    dx, dy = work.place[k, 0] - params.obstacles[j, 0], work.place[k, 1] - params.obstacles[j, 1]
    bx, by = box_cos * dx + box_sin * dy, box_cos * dy - box_sin * dx
    away, _, _ = point_rectangle(bx, by, half_x, half_y)
    if away > params.contact_half + params.radius:
        return depth_left, depth_right
    cos, sin = work.cos[k], work.sin[k]
    link_cos, link_sin = box_cos * cos + box_sin * sin, box_cos * sin - box_sin * cos
    for feature in range(6):
        gap, nx, ny, _, lever = stadium_rectangle(
            feature, bx, by, link_cos, link_sin, params.contact_half, params.radius, half_x, half_y
        )
        if gap <= 0.0:
            world_x, world_y = box_cos * nx - box_sin * ny, box_sin * nx + box_cos * ny
            depth_left, depth_right = _enter(params, work, k, j, gap, world_x, world_y, lever, depth_left, depth_right)
    return depth_left, depth_right


@inlined
def find_obstacles(params: Params, work: Work) -> int:
    """Which obstacles the links at (work.place, work.cos, work.sin) touch on either side; returns links that do."""
    count = 0
    for k in range(work.cos.shape[0]):
        work.near[LEFT, k] = work.near[RIGHT, k] = -1
        if params.grid_nx == 0:
            continue
        x, y = work.place[k, 0], work.place[k, 1]
        across = (x - params.grid_x) * params.grid_inverse
        up = (y - params.grid_y) * params.grid_inverse
        if not (0.0 <= across < params.grid_nx and 0.0 <= up < params.grid_ny):
            continue
        cell = int(up) * params.grid_nx + int(across)
        cos, sin = work.cos[k], work.sin[k]
        depth_left = depth_right = math.inf
        for i in range(params.grid_first[cell], params.grid_first[cell + 1]):
            j = params.grid_items[i]
            if params.obstacles[j, 3] > 0.0:
                depth_left, depth_right = _try_box(params, work, k, j, depth_left, depth_right)
                continue
            cx, cy, cr = params.obstacles[j, 0], params.obstacles[j, 1], params.obstacles[j, 2]
            if stadium_touches(x, y, cos, sin, params.contact_half, params.radius, cx, cy, cr):
                gap, nx, ny, _, lever = stadium_circle(x, y, cos, sin, params.contact_half, params.radius, cx, cy, cr)
                depth_left, depth_right = _enter(params, work, k, j, gap, nx, ny, lever, depth_left, depth_right)
        if work.near[LEFT, k] >= 0 or work.near[RIGHT, k] >= 0:
            count += 1
        if min(depth_left, depth_right) < -params.radius:  # the link's axis is in there: such a step is looked at
            work.fastest[0] = math.inf
    return count


@inlined
def _constraint(params: Params, work: Work, c: int, k: int) -> None:
    """Row `c` of (33), of link `k`, and the normal acceleration that it has without it, (38)."""
    n = work.cos.shape[0]
    half, cos, sin = params.half_length, work.cos[k], work.sin[k]
    free = -work.v[k] * work.along[k]
    for j in range(n):
        lever = half * params.centred[k, j]
        aligned = cos * work.cos[j] + sin * work.sin[j]
        turned = sin * work.cos[j] - cos * work.sin[j]  # sin(theta_k - theta_j)
        work.row[c, j] = lever * aligned
        free += lever * (aligned * work.acceleration[j] + turned * work.v[j] * work.v[j])
    work.free[c] = free - sin * work.acceleration[n] + cos * work.acceleration[n + 1]
    work.link[c] = k
    left, right = work.near[LEFT, k] >= 0, work.near[RIGHT, k] >= 0
    work.side[c] = 0.0 if left and right else 1.0 if right else -1.0
    cholesky_forward(work.matrix, n, work.row[c])


@inlined
def constraint_forces(params: Params, acts: IntArray, work: Work) -> int:
    """Reactions (42) of the constraints, one-sided, and on top damping (46) and friction (48), into `work.force`.

    Where an obstacle touches both sides of a link its constraint holds both ways. What is used of the accelerations in
    `work` is without all three; `work.matrix` is the Cholesky factor. Returns the constraints, -1 if there is no
    solution.

    Also books what every obstacle does to its side of a link in `work.rate_sums`, which must be 0 there.
    """
    n = work.cos.shape[0]
    count = 0
    for k in range(n):
        if work.near[LEFT, k] >= 0 or work.near[RIGHT, k] >= 0:
            work.acts[count] = acts[k]
            _constraint(params, work, count, k)
            count += 1
        acts[k] = 0
    total = n * params.mass
    for a in range(count):
        ka = work.link[a]
        for b in range(a + 1):
            kb = work.link[b]
            own = (work.cos[ka] * work.cos[kb] + work.sin[ka] * work.sin[kb]) / total
            for j in range(n):
                own += work.row[a, j] * work.row[b, j]
            work.delassus[a, b] = own
    pivots = solve_one_sided(
        work.delassus, work.free, work.side, count, work.acts, work.chosen, work.factor, work.rest, work.reaction
    )
    if pivots < 0:
        return -1
    eps2 = params.smoothing * params.smoothing
    for c in range(count):
        k = work.link[c]
        acts[k] = work.acts[c]
        cos, sin, push, across = work.cos[k], work.sin[k], work.reaction[c], work.across[k]
        sliding = work.along[k] / math.sqrt(work.along[k] * work.along[k] + eps2)
        for side in range(2):
            j = work.near[side, k]
            if j < 0:
                continue
            away = 1.0 if side == RIGHT else -1.0
            own = max(away * push, 0.0)
            rub = -params.obstacles[j, 8] * own * sliding
            normal = away * (own + params.damping * max(-away * across, 0.0))
            at = WORKS + 2 * n + 4 * (side * n + k)
            work.rate_sums[at + NORMAL] = -sin * normal
            work.rate_sums[at + NORMAL + 1] = cos * normal
            work.rate_sums[at + RUBBING] = cos * rub
            work.rate_sums[at + RUBBING + 1] = sin * rub
            work.force[k, 0] += cos * rub - sin * normal
            work.force[k, 1] += sin * rub + cos * normal
    return count
