"""Obstacles at the links, and the one-sided constraints (P3 (30) to (49)) that they impose on the links' motion."""

from __future__ import annotations

import math

from snakestudio._arrays import IntArray
from snakestudio.engines.crossing import CORE
from snakestudio.engines.planar_nonholonomic.params import Params
from snakestudio.engines.planar_nonholonomic.state import (
    ALONG,
    HOLD,
    LEFT,
    NORMAL,
    RIGHT,
    RUBBING,
    TO_CORE,
    TOUCHING,
    WORKS,
    Work,
    X,
    Y,
)
from snakestudio.engines.planar_obstacles import BOX_COS, BOX_SIN, HALF_X, HALF_Y, MU, RADIUS
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.gap import (
    point_rectangle,
    stadium_circle,
    stadium_rectangle,
    stadium_touches,
)
from snakestudio.kernels.octet import WIDTH, octet, octet_plus, octet_put, octet_zero
from snakestudio.kernels.one_sided import solve_one_sided


@inlined
def _enter(
    params: Params,
    work: Work,
    k: int,
    j: int,
    gap: float,
    nx: float,
    ny: float,
    lever: float,
    depth_left: float,
    depth_right: float,
) -> tuple[float, float]:
    """Make `j` the contact of link `k` on the side it pushes from, if it is the deepest there; return both depths."""
    cos, sin = work.cos[k], work.sin[k]
    # A force to the left comes from an obstacle on the right.
    side = RIGHT if cos * ny - sin * nx >= 0.0 else LEFT
    deepest = depth_right if side == RIGHT else depth_left
    if gap >= deepest:
        return depth_left, depth_right
    work.near[side, k] = j
    work.touch[side, k, X] = work.place[k, X] + lever * cos - params.radius[k] * nx
    work.touch[side, k, Y] = work.place[k, Y] + lever * sin - params.radius[k] * ny
    return (depth_left, gap) if side == RIGHT else (gap, depth_right)


@jit
def _try_box(
    params: Params, work: Work, k: int, j: int, depth_left: float, depth_right: float
) -> tuple[float, float]:
    """Call `_enter` for the features of a box that link `k` touches."""
    half_x, half_y = params.obstacles[j, HALF_X], params.obstacles[j, HALF_Y]
    box_cos = params.obstacles[j, BOX_COS]
    box_sin = params.obstacles[j, BOX_SIN]
    dx, dy = work.place[k, X] - params.obstacles[j, X], work.place[k, Y] - params.obstacles[j, Y]
    bx = box_cos * dx + box_sin * dy
    by = box_cos * dy - box_sin * dx
    away, _, _ = point_rectangle(bx, by, half_x, half_y)
    if away > params.contact_half[k] + params.radius[k]:
        return depth_left, depth_right
    cos, sin = work.cos[k], work.sin[k]
    link_cos = box_cos * cos + box_sin * sin
    link_sin = box_cos * sin - box_sin * cos
    for feature in range(6):
        gap, nx, ny, _, lever = stadium_rectangle(
            feature,
            bx,
            by,
            link_cos,
            link_sin,
            params.contact_half[k],
            params.radius[k],
            half_x,
            half_y,
        )
        if gap <= 0.0:
            world_x = box_cos * nx - box_sin * ny
            world_y = box_sin * nx + box_cos * ny
            depth_left, depth_right = _enter(
                params, work, k, j, gap, world_x, world_y, lever, depth_left, depth_right
            )
    return depth_left, depth_right


@inlined
def find_obstacles(params: Params, work: Work) -> int:
    """Find the obstacles that links at (work.place, work.cos, work.sin) touch on each side; return the link count."""
    count = 0
    touching = 0.0
    for k in range(work.cos.shape[0]):
        work.near[LEFT, k] = work.near[RIGHT, k] = -1
        if params.grid.nx == 0:
            continue
        x, y = work.place[k, X], work.place[k, Y]
        across = (x - params.grid.x) * params.grid.inverse
        up = (y - params.grid.y) * params.grid.inverse
        if not (0.0 <= across < params.grid.nx and 0.0 <= up < params.grid.ny):
            continue
        cell = int(up) * params.grid.nx + int(across)
        cos, sin = work.cos[k], work.sin[k]
        depth_left = depth_right = math.inf
        for i in range(params.grid.first[cell], params.grid.first[cell + 1]):
            j = params.grid.items[i]
            if params.obstacles[j, HALF_X] > 0.0:
                depth_left, depth_right = _try_box(params, work, k, j, depth_left, depth_right)
                if (
                    min(depth_left, depth_right) < -params.radius[k]
                ):  # the axis is inside the box, at an unknown distance from the core
                    work.felt[TO_CORE] = -math.inf
                continue
            cx, cy, cr = params.obstacles[j, X], params.obstacles[j, Y], params.obstacles[j, RADIUS]
            if stadium_touches(
                x, y, cos, sin, params.contact_half[k], params.radius[k], cx, cy, cr
            ):
                gap, nx, ny, _, lever = stadium_circle(
                    x, y, cos, sin, params.contact_half[k], params.radius[k], cx, cy, cr
                )
                work.felt[TO_CORE] = min(
                    work.felt[TO_CORE], gap + params.radius[k] + (1.0 - CORE) * cr
                )
                depth_left, depth_right = _enter(
                    params, work, k, j, gap, nx, ny, lever, depth_left, depth_right
                )
        left, right = work.near[LEFT, k] >= 0, work.near[RIGHT, k] >= 0
        if left or right:
            work.link[count] = k
            count += 1
        touching += (2.0 * k + 1.0) ** 2 * left + (2.0 * k + 2.0) ** 2 * right
    work.felt[TOUCHING] = touching
    return count


@inlined
def constraint_forces(params: Params, acts: IntArray, count: int, work: Work) -> int:
    """Add reactions (42) of `count` one-sided constraints, damping (46) and friction (48) to `work.force`.

    Where an obstacle touches both sides of a link, its constraint is two-sided. The motion without
    these forces is taken from the acceleration of the centre of mass and from `work.matrix` (see
    `Work`). Returns the number of constraints, -1 if there is no solution.

    Also records the forces of obstacles on both sides of each link in `work.rate_sums`, whose
    entries must be 0 before.
    """
    n = work.cos.shape[0]
    total = params.chain.total
    for a in range(count + 1):
        row, column = (n, n) if a == count else (a, n + 1 + a)
        at = 0
        while at < count:
            moved = octet_zero()
            for k in range(n):
                moved = octet_plus(
                    moved,
                    work.matrix[k, column] * work.inverse[k],
                    octet(work.matrix, k, n + 1 + at),
                )
            octet_put(work.delassus, row, at, moved)
            at += WIDTH
    for a in range(count):
        k = work.link[a]
        cos, sin = work.cos[k], work.sin[k]
        work.acts[a] = acts[k]
        left, right = work.near[LEFT, k] >= 0, work.near[RIGHT, k] >= 0
        work.side[a] = 0.0 if left and right else 1.0 if right else -1.0
        # (38): the lateral acceleration of the link without the constraint.
        ax = work.acceleration[n] + work.swing[k, X]
        ay = work.acceleration[n + 1] + work.swing[k, Y]
        work.free[a] = work.delassus[n, a] + cos * ay - sin * ax - work.v[k] * work.along[k]
        for b in range(a + 1):
            j = work.link[b]
            work.delassus[a, b] += (cos * work.cos[j] + sin * work.sin[j]) / total
    for k in range(n):
        acts[k] = 0
    pivots = solve_one_sided(
        work.delassus,
        work.free,
        work.side,
        count,
        work.acts,
        work.chosen,
        work.factor,
        work.rest,
        work.reaction,
    )
    if pivots < 0:
        return -1
    for c in range(count):
        k = work.link[c]
        acts[k] = work.acts[c]
        cos = work.cos[k]
        sin = work.sin[k]
        push = work.reaction[c]
        across = work.across[k]
        for side in range(2):
            j = work.near[side, k]
            if j < 0:
                continue
            away = 1.0 if side == RIGHT else -1.0
            own = max(away * push, 0.0)
            most = params.obstacles[j, MU] * own
            sliding = work.signs[ALONG, k]
            rub = -most * sliding
            work.felt[HOLD] = max(work.felt[HOLD], most * (1.0 - sliding * sliding))
            normal = away * (own + params.damping * max(-away * across, 0.0))
            at = WORKS + 2 * n + 4 * (side * n + k)
            work.rate_sums[at + NORMAL] = -sin * normal
            work.rate_sums[at + NORMAL + 1] = cos * normal
            work.rate_sums[at + RUBBING] = cos * rub
            work.rate_sums[at + RUBBING + 1] = sin * rub
            work.force[k, X] += cos * rub - sin * normal
            work.force[k, Y] += sin * rub + cos * normal
    return count
