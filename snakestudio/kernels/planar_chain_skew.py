"""The articulated-body recursion of `planar_chain` for unsymmetric local matrices, which slip on obstacles makes.

A slipping contact carries T = -+ mu N: what it adds to a link is B (w + s mu t) w^T. Without such contacts the
symmetric recursion gives the same faster (and the same bits as ever), so this one stands beside it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.planar_chain import spread
from snakestudio.kernels.planar_problem import ChainProblem

__all__ = ["solve_chain_skew"]

FloatArray = NDArray[np.float64]

Matrix = tuple[
    float, float, float, float, float, float, float, float, float, float, float, float,
]  # fmt: skip
"""A [v; w] = b at a point that moves with v: A_xx, A_xy, A_yx, A_yy, A_xw, A_yw, A_wx, A_wy, A_ww, b_x, b_y, b_w."""


@inlined
def _own(local: FloatArray, k: int) -> Matrix:
    """The matrix of link k about its centre of gravity: the symmetric part and the skew one put together."""
    xy, xw, yw = local[k, 1], local[k, 3], local[k, 4]
    sxy, sxw, syw = local[k, 9], local[k, 10], local[k, 11]
    return (
        local[k, 0], xy + sxy, xy - sxy, local[k, 2], xw + sxw, yw + syw, xw - sxw, yw - syw, local[k, 5],
        local[k, 6], local[k, 7], local[k, 8],
    )  # fmt: skip


@inlined
def _moved(m: Matrix, hx: float, hy: float) -> Matrix:
    """The same seen from a point with velocity v, where `m` belongs to one that moves with v + h w."""
    xx, xy, yx, yy, xw, yw, wx, wy, ww, bx, by, bw = m
    column_x, column_y = xx * hx + xy * hy, yx * hx + yy * hy
    row_x, row_y = hx * xx + hy * yx, hx * xy + hy * yy
    turn = ww + (wx * hx + wy * hy) + (hx * (column_x + xw) + hy * (column_y + yw))
    return (
        xx, xy, yx, yy, column_x + xw, column_y + yw, row_x + wx, row_y + wy, turn, bx, by, bw + (hx * bx + hy * by)
    )  # fmt: skip


@inlined
def _sum(a: Matrix, b: Matrix) -> Matrix:
    return (
        a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5], a[6] + b[6], a[7] + b[7],
        a[8] + b[8], a[9] + b[9], a[10] + b[10], a[11] + b[11],
    )  # fmt: skip


@inlined
def _hand_on(
    local: FloatArray, k: int, hx: float, hy: float, lx: float, ly: float, stiffness: float, q: float, outer: Matrix,
    eliminated: FloatArray,
) -> Matrix:  # fmt: skip
    """As `planar_chain._hand_on`: eliminate the angular velocity of link k, which got `outer` from its neighbour."""
    xx, xy, yx, yy, xw, yw, wx, wy, ww, bx, by, bw = _sum(_moved(_own(local, k), hx, hy), _moved(outer, lx, ly))
    inverse = 1.0 / (ww + stiffness)
    couple = stiffness * inverse
    kx, ky, g = wx * inverse, wy * inverse, (bw + q) * inverse
    eliminated[k, 0] = kx
    eliminated[k, 1] = ky
    eliminated[k, 2] = g
    eliminated[k, 3] = couple
    return (
        xx - xw * kx, xy - xw * ky, yx - yw * kx, yy - yw * ky, xw * couple, yw * couple, wx * couple, wy * couple,
        ww * couple, bx - xw * g, by - yw * g, (stiffness * bw - q * ww) * inverse,
    )  # fmt: skip


@inlined
def _solve_middle(local: FloatArray, k: int, m: Matrix) -> tuple[float, float, float]:
    """Solve the three equations of the middle link, with pivoting, in what its line of `local` has room for."""
    local[k, 0], local[k, 1], local[k, 2], local[k, 3] = m[0], m[1], m[4], m[9]
    local[k, 4], local[k, 5], local[k, 6], local[k, 7] = m[2], m[3], m[5], m[10]
    local[k, 8], local[k, 9], local[k, 10], local[k, 11] = m[6], m[7], m[8], m[11]
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
    w = local[k, 11] / local[k, 10]
    y = (local[k, 7] - local[k, 6] * w) / local[k, 5]
    return (local[k, 3] - local[k, 1] * y - local[k, 2] * w) / local[k, 0], y, w


@jit
def solve_chain_skew(
    problem: ChainProblem, local: FloatArray, stops: FloatArray, eliminated: FloatArray, du: FloatArray
) -> None:
    """Find the increments `du` that satisfy the joints and, but for impulses in these, A du = b of every link.

    Parameters
    ----------
    problem, stops, eliminated, du
        As for `solve_chain`.
    local : (n, 12)
        As for `solve_chain`; the last three columns are the skew part of A: xy, xw, yw (yx, wx and wy are their
        negatives). The line of the middle link is overwritten.
    """
    n = local.shape[0]
    forth, back, length = problem.front, problem.rear, problem.front + problem.rear
    cos, sin = problem.cos, problem.sin
    middle = n // 2
    pairs = n - 1 - middle
    coupled = problem.n_stops + problem.n_drags > 0
    none = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    front = none  # from the last link
    rear = none  # from the first link
    stiffness = q = 0.0
    for i in range(n - 1):  # from both ends in one loop, for what is inlined twice is compiled twice
        if i == pairs:
            front, rear = rear, none
        side, k, joint = (-1.0, n - 1 - i, n - 2 - i) if i < pairs else (1.0, i - pairs, i - pairs)
        near, far = (-back, -length) if i < pairs else (forth, length)
        if coupled:
            stiffness, q = stops[joint, 2], -side * stops[joint, 3]
        rear = _hand_on(
            local, k, near * sin[k], -near * cos[k], far * sin[k], -far * cos[k], stiffness, q, rear, eliminated
        )
    ax, ay = -forth * sin[middle], forth * cos[middle]
    bx, by = back * sin[middle], -back * cos[middle]
    vx, vy, omega = _solve_middle(
        local, middle, _sum(_own(local, middle), _sum(_moved(front, ax, ay), _moved(rear, bx, by)))
    )
    du[middle, 0] = vx
    du[middle, 1] = vy
    du[middle, 2] = omega
    ax, ay, aw = vx + ax * omega, vy + ay * omega, omega
    for k in range(middle + 1, n):
        ax, ay, aw = spread(
            eliminated, k, -back * sin[k], back * cos[k], -length * sin[k], length * cos[k], ax, ay, aw, du
        )
    bx, by, bw = vx + bx * omega, vy + by * omega, omega
    for i in range(middle):
        j = middle - 1 - i
        bx, by, bw = spread(
            eliminated, j, forth * sin[j], -forth * cos[j], length * sin[j], -length * cos[j], bx, by, bw, du
        )
