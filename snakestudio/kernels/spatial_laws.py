"""The force laws of a contact in space, linearised for the Newton solver: which branch, what it adds, what it becomes.

Stick and closed contacts are treated by the method of multipliers: an impulse P is updated to P - B gamma with so large
a B that one or two updates suffice. In slip the impulse lies on the rim of the disc, whose radius is the new normal
impulse, and gives way only along the rim.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import inlined
from snakestudio.kernels.octet import Octet, octet, octet_plus, octet_put
from snakestudio.kernels.spatial_problem import SpatialProblem

__all__ = ["add_contact", "choose_branches", "contact_velocities", "move_contact"]

FloatArray = NDArray[np.float64]

EPSILON = 3e-6
"""gain / B: smaller needs fewer iterations until rounding shows (1e-4: more iterations; 3e-7: rounding)."""

# Entries of SpatialScratch.law.
Y_N, T_NORM, T_1, T_2, T_BETA, V_NORM, V_1, V_2, V_BETA, RADIUS = range(10)


@inlined
def contact_velocities(rows: FloatArray, c: int, w: FloatArray, k: int, out: FloatArray, add: bool) -> None:
    """Relative velocities of contact c on link k at `w` (n, 6), put into or added to out[c]."""
    vx, vy, vz, ox, oy, oz = w[k, 0], w[k, 1], w[k, 2], w[k, 3], w[k, 4], w[k, 5]
    for i in range(3):
        value = (
            rows[c, i, 0] * vx + rows[c, i, 1] * vy + rows[c, i, 2] * vz
            + rows[c, i, 3] * ox + rows[c, i, 4] * oy + rows[c, i, 5] * oz
        )  # fmt: skip
        out[c, i] = out[c, i] + value if add else value
    for i in range(3, 5):  # pure torques
        value = rows[c, i, 3] * ox + rows[c, i, 4] * oy + rows[c, i, 5] * oz
        out[c, i] = out[c, i] + value if add else value


@inlined
def _disc_distance(p1: float, p2: float, y1: float, y2: float, norm: float, radius: float) -> float:
    """Square of |P - prox(y)| for the disc of `radius`, `norm` being |y|."""
    if norm > radius:
        scale = radius / norm
        y1 *= scale
        y2 *= scale
    return (p1 - y1) * (p1 - y1) + (p2 - y2) * (p2 - y2)


@inlined
def choose_branches(
    problem: SpatialProblem, impulse: FloatArray, gamma: FloatArray, law: FloatArray, c: int, r_n: float, r_t: float,
    r_v: float, plain: bool,
) -> tuple[float, float]:  # fmt: skip
    """Decide the branch of every law of contact c; returns the largest and the sum of the squared natural maps.

    Parameters
    ----------
    problem : SpatialProblem
    impulse, gamma : (c, 5)
        Present impulses and relative velocities.
    law : (c, 12)
        Row c is filled.
    c : int
    r_n, r_t, r_v : float
        Factors of the gains.
    plain : bool
        Whether friction is compared with the present normal impulse instead of the predicted one.
    """
    gain_n, gain_t, gain_v = problem.gain[c, 0], problem.gain[c, 1], problem.gain[c, 2]
    p_n = impulse[c, 0]
    radius = p_n if p_n > 0.0 else 0.0
    d_n = p_n - gain_n * gamma[c, 0]
    d_n = p_n - (d_n if d_n > 0.0 else 0.0)
    worst = d_n * d_n
    squares = worst
    y_n = p_n - r_n * gain_n * gamma[c, 0]
    law[c, Y_N] = y_n
    bound = radius if plain else y_n
    law[c, RADIUS] = bound
    if gain_t > 0.0:
        p1, p2 = impulse[c, 1], impulse[c, 2]
        y1, y2 = p1 - gain_t * gamma[c, 1], p2 - gain_t * gamma[c, 2]
        norm = math.sqrt(y1 * y1 + y2 * y2)
        square = _disc_distance(p1, p2, y1, y2, norm, radius)
        worst = max(worst, square)
        squares += square
        if r_t != 1.0:
            y1, y2 = p1 - r_t * gain_t * gamma[c, 1], p2 - r_t * gain_t * gamma[c, 2]
            norm = math.sqrt(y1 * y1 + y2 * y2)
        law[c, T_NORM] = norm
        if norm > bound:
            inverse = 1.0 / norm
            law[c, T_1] = y1 * inverse
            law[c, T_2] = y2 * inverse
            if y_n > 0.0:
                gain = r_t * gain_t
                law[c, T_BETA] = gain / ((norm - bound) / max(bound, 1e-300) + EPSILON)
    if gain_v > 0.0:
        p1, p2 = impulse[c, 3], impulse[c, 4]
        y1, y2 = p1 - gain_v * gamma[c, 3], p2 - gain_v * gamma[c, 4]
        norm = math.sqrt(y1 * y1 + y2 * y2)
        square = _disc_distance(p1, p2, y1, y2, norm, radius)
        worst = max(worst, square)
        squares += square
        if r_v != 1.0:
            y1, y2 = p1 - r_v * gain_v * gamma[c, 3], p2 - r_v * gain_v * gamma[c, 4]
            norm = math.sqrt(y1 * y1 + y2 * y2)
        law[c, V_NORM] = norm
        if norm > bound:
            inverse = 1.0 / norm
            law[c, V_1] = y1 * inverse
            law[c, V_2] = y2 * inverse
            if y_n > 0.0:
                gain = r_v * gain_v
                law[c, V_BETA] = gain / ((norm - bound) / max(bound, 1e-300) + EPSILON)
    return worst, squares


@inlined
def _add(local: FloatArray, i: int, factor: float, row: Octet) -> None:
    octet_put(local, i, octet_plus(octet(local, i), factor, row))


@inlined
def add_contact(
    problem: SpatialProblem, impulse: FloatArray, gamma: FloatArray, law: FloatArray, c: int, r_n: float, r_t: float,
    r_v: float, local: FloatArray,
) -> None:  # fmt: skip
    """Add the linearised laws of contact c to the system `local` (6, 8) of its link."""
    if law[c, Y_N] <= 0.0:
        return
    rows, bound = problem.rows, law[c, RADIUS]
    n0, n1, n2 = rows[c, 0, 0], rows[c, 0, 1], rows[c, 0, 2]
    n3, n4, n5 = rows[c, 0, 3], rows[c, 0, 4], rows[c, 0, 5]
    f0, f1, f2, f3, f4, f5 = n0, n1, n2, n3, n4, n5  # what a unit of normal impulse brings along
    if problem.gain[c, 1] > 0.0:
        a0, a1, a2 = rows[c, 1, 0], rows[c, 1, 1], rows[c, 1, 2]
        a3, a4, a5 = rows[c, 1, 3], rows[c, 1, 4], rows[c, 1, 5]
        b0, b1, b2 = rows[c, 2, 0], rows[c, 2, 1], rows[c, 2, 2]
        b3, b4, b5 = rows[c, 2, 3], rows[c, 2, 4], rows[c, 2, 5]
        stiff = r_t * problem.gain[c, 1] / EPSILON
        if law[c, T_NORM] <= bound:
            push_a = impulse[c, 1] - stiff * gamma[c, 1]
            push_b = impulse[c, 2] - stiff * gamma[c, 2]
            row_a = (stiff * a0, stiff * a1, stiff * a2, stiff * a3, stiff * a4, stiff * a5, push_a, 0.0)
            row_b = (stiff * b0, stiff * b1, stiff * b2, stiff * b3, stiff * b4, stiff * b5, push_b, 0.0)
            octet_put(local, 0, octet_plus(octet_plus(octet(local, 0), a0, row_a), b0, row_b))
            octet_put(local, 1, octet_plus(octet_plus(octet(local, 1), a1, row_a), b1, row_b))
            octet_put(local, 2, octet_plus(octet_plus(octet(local, 2), a2, row_a), b2, row_b))
            octet_put(local, 3, octet_plus(octet_plus(octet(local, 3), a3, row_a), b3, row_b))
            octet_put(local, 4, octet_plus(octet_plus(octet(local, 4), a4, row_a), b4, row_b))
            octet_put(local, 5, octet_plus(octet_plus(octet(local, 5), a5, row_a), b5, row_b))
        else:
            s1, s2, beta = law[c, T_1], law[c, T_2], law[c, T_BETA]
            f0 += s1 * a0 + s2 * b0
            f1 += s1 * a1 + s2 * b1
            f2 += s1 * a2 + s2 * b2
            f3 += s1 * a3 + s2 * b3
            f4 += s1 * a4 + s2 * b4
            f5 += s1 * a5 + s2 * b5
            t0, t1, t2 = s1 * b0 - s2 * a0, s1 * b1 - s2 * a1, s1 * b2 - s2 * a2
            t3, t4, t5 = s1 * b3 - s2 * a3, s1 * b4 - s2 * a4, s1 * b5 - s2 * a5
            along = s1 * impulse[c, 2] - s2 * impulse[c, 1]
            push = beta * (along / stiff - (s1 * gamma[c, 2] - s2 * gamma[c, 1]))
            row = (beta * t0, beta * t1, beta * t2, beta * t3, beta * t4, beta * t5, push, 0.0)
            _add(local, 0, t0, row)
            _add(local, 1, t1, row)
            _add(local, 2, t2, row)
            _add(local, 3, t3, row)
            _add(local, 4, t4, row)
            _add(local, 5, t5, row)
    if problem.gain[c, 2] > 0.0:
        a3, a4, a5 = rows[c, 3, 3], rows[c, 3, 4], rows[c, 3, 5]
        b3, b4, b5 = rows[c, 4, 3], rows[c, 4, 4], rows[c, 4, 5]
        stiff = r_v * problem.gain[c, 2] / EPSILON
        if law[c, V_NORM] <= bound:
            push_a = impulse[c, 3] - stiff * gamma[c, 3]
            push_b = impulse[c, 4] - stiff * gamma[c, 4]
            row_a = (0.0, 0.0, 0.0, stiff * a3, stiff * a4, stiff * a5, push_a, 0.0)
            row_b = (0.0, 0.0, 0.0, stiff * b3, stiff * b4, stiff * b5, push_b, 0.0)
            octet_put(local, 3, octet_plus(octet_plus(octet(local, 3), a3, row_a), b3, row_b))
            octet_put(local, 4, octet_plus(octet_plus(octet(local, 4), a4, row_a), b4, row_b))
            octet_put(local, 5, octet_plus(octet_plus(octet(local, 5), a5, row_a), b5, row_b))
        else:
            s1, s2, beta = law[c, V_1], law[c, V_2], law[c, V_BETA]
            f3 += s1 * a3 + s2 * b3
            f4 += s1 * a4 + s2 * b4
            f5 += s1 * a5 + s2 * b5
            t3, t4, t5 = s1 * b3 - s2 * a3, s1 * b4 - s2 * a4, s1 * b5 - s2 * a5
            along = s1 * impulse[c, 4] - s2 * impulse[c, 3]
            push = beta * (along / stiff - (s1 * gamma[c, 4] - s2 * gamma[c, 3]))
            row = (0.0, 0.0, 0.0, beta * t3, beta * t4, beta * t5, push, 0.0)
            _add(local, 3, t3, row)
            _add(local, 4, t4, row)
            _add(local, 5, t5, row)
    stiff = r_n * problem.gain[c, 0] / EPSILON
    push = impulse[c, 0] - stiff * gamma[c, 0]
    row = (stiff * n0, stiff * n1, stiff * n2, stiff * n3, stiff * n4, stiff * n5, push, 0.0)
    _add(local, 0, f0, row)
    _add(local, 1, f1, row)
    _add(local, 2, f2, row)
    _add(local, 3, f3, row)
    _add(local, 4, f4, row)
    _add(local, 5, f5, row)


@inlined
def move_contact(
    problem: SpatialProblem, impulse: FloatArray, gamma: FloatArray, law: FloatArray, c: int, r_n: float, r_t: float,
    r_v: float,
) -> None:  # fmt: skip
    """The impulses of contact c after a full step, `gamma` (c, 5) being the new relative velocities."""
    if law[c, Y_N] <= 0.0:
        for i in range(5):
            impulse[c, i] = 0.0
        return
    bound = law[c, RADIUS]
    p_n = impulse[c, 0] - r_n * problem.gain[c, 0] / EPSILON * gamma[c, 0]
    impulse[c, 0] = p_n
    if problem.gain[c, 1] > 0.0:
        stiff = r_t * problem.gain[c, 1] / EPSILON
        if law[c, T_NORM] <= bound:
            impulse[c, 1] -= stiff * gamma[c, 1]
            impulse[c, 2] -= stiff * gamma[c, 2]
        else:
            s1, s2 = law[c, T_1], law[c, T_2]
            along = (s1 * impulse[c, 2] - s2 * impulse[c, 1]) / stiff - (s1 * gamma[c, 2] - s2 * gamma[c, 1])
            along *= law[c, T_BETA]
            impulse[c, 1] = s1 * p_n - s2 * along
            impulse[c, 2] = s2 * p_n + s1 * along
    if problem.gain[c, 2] > 0.0:
        stiff = r_v * problem.gain[c, 2] / EPSILON
        if law[c, V_NORM] <= bound:
            impulse[c, 3] -= stiff * gamma[c, 3]
            impulse[c, 4] -= stiff * gamma[c, 4]
        else:
            s1, s2 = law[c, V_1], law[c, V_2]
            along = (s1 * impulse[c, 4] - s2 * impulse[c, 3]) / stiff - (s1 * gamma[c, 4] - s2 * gamma[c, 3])
            along *= law[c, V_BETA]
            impulse[c, 3] = s1 * p_n - s2 * along
            impulse[c, 4] = s2 * p_n + s1 * along
