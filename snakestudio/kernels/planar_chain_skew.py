"""The articulated-body recursion of `planar_chain` for unsymmetric local matrices, caused by slip on obstacles.

A slipping contact has T = -+ mu N and adds B (w + s mu t) w^T to its link. Without such contacts
the symmetric recursion gives the same result faster (with the bits of earlier releases), so both
exist.
"""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.planar_chain import (
    A_VV,
    A_VW,
    ALONE,
    BY_NEXT,
    BY_X,
    BY_Y,
    PUSH,
    SKEW,
    STIFF,
    B,
    spread,
)
from snakestudio.kernels.planar_problem import FRONT, LENGTH, REAR, ChainProblem
from snakestudio.kernels.vec3 import vec3_at, vec3_put, vec3_put_at

# Columns of the middle link's equations in its row of `local`, and offset of the right-hand side
# after the three unknowns.
FIRST = 0
SECOND = 4
THIRD = 8
RIGHT = 3

Matrix = tuple[float, float, float, float, float, float, float, float, float, float, float, float]
"""Equations A [v; w] = b at a point that moves with v: A_xx, A_xy, A_yx, A_yy, A_xw, A_yw, A_wx,
A_wy, A_ww, b_x, b_y, b_w."""


@inlined
def _own(local: FloatArray, k: int) -> Matrix:
    """Matrix of link k about its centre of gravity, as the sum of its symmetric and skew parts."""
    xx, xy, yy = vec3_at(local, k, A_VV)
    xw, yw, ww = vec3_at(local, k, A_VW)
    sxy, sxw, syw = vec3_at(local, k, SKEW)
    bx, by, bw = vec3_at(local, k, B)
    return xx, xy + sxy, xy - sxy, yy, xw + sxw, yw + syw, xw - sxw, yw - syw, ww, bx, by, bw


@inlined
def _moved(m: Matrix, hx: float, hy: float) -> Matrix:
    """Transform `m`, of a point that moves with v + h w, to a point with velocity v."""
    xx, xy, yx, yy, xw, yw, wx, wy, ww, bx, by, bw = m
    column_x, column_y = xx * hx + xy * hy, yx * hx + yy * hy
    row_x, row_y = hx * xx + hy * yx, hx * xy + hy * yy
    turn = ww + (wx * hx + wy * hy) + (hx * (column_x + xw) + hy * (column_y + yw))
    return (
        xx,
        xy,
        yx,
        yy,
        column_x + xw,
        column_y + yw,
        row_x + wx,
        row_y + wy,
        turn,
        bx,
        by,
        bw + (hx * bx + hy * by),
    )


@inlined
def _sum(a: Matrix, b: Matrix) -> Matrix:
    return (
        a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5], a[6] + b[6], a[7] + b[7],
        a[8] + b[8], a[9] + b[9], a[10] + b[10], a[11] + b[11],
    )  # fmt: skip


@inlined
def _eliminate_link(
    local: FloatArray,
    k: int,
    hx: float,
    hy: float,
    lx: float,
    ly: float,
    stiffness: float,
    q: float,
    outer: Matrix,
    eliminated: FloatArray,
) -> Matrix:
    """Eliminate the angular velocity of link k as in `planar_chain`, with the equations `outer` of its neighbour."""
    xx, xy, yx, yy, xw, yw, wx, wy, ww, bx, by, bw = _sum(
        _moved(_own(local, k), hx, hy), _moved(outer, lx, ly)
    )
    if stiffness == math.inf:
        eliminated[k, BY_X] = eliminated[k, BY_Y] = eliminated[k, ALONE] = 0.0
        eliminated[k, BY_NEXT] = 1.0
        return xx, xy, yx, yy, xw, yw, wx, wy, ww, bx, by, bw
    inverse = 1.0 / (ww + stiffness)
    couple = stiffness * inverse
    kx = wx * inverse
    ky = wy * inverse
    g = (bw + q) * inverse
    eliminated[k, BY_X] = kx
    eliminated[k, BY_Y] = ky
    eliminated[k, ALONE] = g
    eliminated[k, BY_NEXT] = couple
    return (
        xx - xw * kx,
        xy - xw * ky,
        yx - yw * kx,
        yy - yw * ky,
        xw * couple,
        yw * couple,
        wx * couple,
        wy * couple,
        ww * couple,
        bx - xw * g,
        by - yw * g,
        (stiffness * bw - q * ww) * inverse,
    )


@inlined
def _solve_middle(local: FloatArray, k: int, m: Matrix) -> tuple[float, float, float]:
    """Solve the three equations of the middle link with pivoting, in the storage of its row of `local`."""
    xx, xy, yx, yy, xw, yw, wx, wy, ww, bx, by, bw = m
    vec3_put_at(local, k, FIRST, (xx, xy, xw))
    vec3_put_at(local, k, SECOND, (yx, yy, yw))
    vec3_put_at(local, k, THIRD, (wx, wy, ww))
    local[k, FIRST + RIGHT] = bx
    local[k, SECOND + RIGHT] = by
    local[k, THIRD + RIGHT] = bw
    for step in range(2):
        best = step
        for row in range(step + 1, 3):
            if abs(local[k, 4 * row + step]) > abs(local[k, 4 * best + step]):
                best = row
        for column in range(4):
            upper = local[k, 4 * best + column]
            local[k, 4 * best + column] = local[k, 4 * step + column]
            local[k, 4 * step + column] = upper
        for row in range(step + 1, 3):
            ratio = local[k, 4 * row + step] / local[k, 4 * step + step]
            for column in range(step + 1, 4):
                local[k, 4 * row + column] -= ratio * local[k, 4 * step + column]
    xx, xy, xw = vec3_at(local, k, FIRST)
    _, yy, yw = vec3_at(local, k, SECOND)
    _, _, ww = vec3_at(local, k, THIRD)
    w = local[k, THIRD + RIGHT] / ww
    y = (local[k, SECOND + RIGHT] - yw * w) / yy
    return (local[k, FIRST + RIGHT] - xy * y - xw * w) / xx, y, w


@jit
def solve_chain_skew(
    problem: ChainProblem,
    local: FloatArray,
    stops: FloatArray,
    eliminated: FloatArray,
    du: FloatArray,
) -> None:
    """Find the increments `du` that satisfy the joints and, except for joint impulses, A du = b of every link.

    Parameters
    ----------
    problem, stops, eliminated, du
        As for `solve_chain`.
    local : (n, 12)
        As for `solve_chain`; the last three columns are the skew part of A: xy, xw, yw (yx, wx and
        wy are their negatives). The row of the middle link is overwritten.
    """
    n = local.shape[0]
    links = problem.links
    cos = problem.cos
    sin = problem.sin
    middle = n // 2
    pairs = n - 1 - middle
    coupled = problem.n_stops + problem.n_drags > 0
    none = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    front = none  # from the last link
    rear = none  # from the first link
    stiffness = q = 0.0
    for i in range(
        n - 1
    ):  # from both ends in one loop, for what is inlined twice is compiled twice
        if i == pairs:
            front = rear
            rear = none
        side, k, joint = (-1.0, n - 1 - i, n - 2 - i) if i < pairs else (1.0, i - pairs, i - pairs)
        near, far = (
            (-links[k, REAR], -links[k, LENGTH])
            if i < pairs
            else (links[k, FRONT], links[k, LENGTH])
        )
        if coupled:
            stiffness = stops[joint, STIFF]
            q = -side * stops[joint, PUSH]
        rear = _eliminate_link(
            local,
            k,
            near * sin[k],
            -near * cos[k],
            far * sin[k],
            -far * cos[k],
            stiffness,
            q,
            rear,
            eliminated,
        )
    forth = links[middle, FRONT]
    back = links[middle, REAR]
    ax = -forth * sin[middle]
    ay = forth * cos[middle]
    bx = back * sin[middle]
    by = -back * cos[middle]
    vx, vy, omega = _solve_middle(
        local, middle, _sum(_own(local, middle), _sum(_moved(front, ax, ay), _moved(rear, bx, by)))
    )
    vec3_put(du, middle, (vx, vy, omega))
    ax = vx + ax * omega
    ay = vy + ay * omega
    aw = omega
    for k in range(middle + 1, n):
        back = links[k, REAR]
        length = links[k, LENGTH]
        ax, ay, aw = spread(
            eliminated,
            k,
            -back * sin[k],
            back * cos[k],
            -length * sin[k],
            length * cos[k],
            ax,
            ay,
            aw,
            du,
        )
    bx = vx + bx * omega
    by = vy + by * omega
    bw = omega
    for i in range(middle):
        j = middle - 1 - i
        forth = links[j, FRONT]
        length = links[j, LENGTH]
        bx, by, bw = spread(
            eliminated,
            j,
            forth * sin[j],
            -forth * cos[j],
            length * sin[j],
            -length * cos[j],
            bx,
            by,
            bw,
            du,
        )
