"""Force laws of a contact in space, linearised for the Newton solver: choice of branch, system terms, new impulses.

Stick and closed contacts are treated by the method of multipliers: an impulse P is updated to P - B
gamma with B so large that one or two updates suffice. In slip the impulse is on the rim of the
disc, whose radius is the new normal impulse, and is compliant only along the rim. Friction and
rolling friction are two discs with the same radius.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.kernels.octet import (
    Octet,
    octet,
    octet_minus,
    octet_plus,
    octet_times,
    octet_with,
)
from snakestudio.kernels.spatial_chain import System, add_product, add_turning
from snakestudio.kernels.spatial_problem import (
    GAIN_N,
    GAIN_T,
    GAIN_V,
    INVERSE_MINUS,
    INVERSE_PLUS,
    LAW_N,
    LAW_T,
    LAW_T2,
    LAW_V,
    LAW_V2,
    ROW_N,
    ROW_T,
    ROW_T2,
    ROW_V,
    ROW_V2,
    RX,
    RY,
    RZ,
    SHARE_MINUS,
    SHARE_PLUS,
    SpatialProblem,
)
from snakestudio.kernels.vec3 import vec3, vec3_at

EPSILON = 3e-6
"""Ratio gain / B: smaller values need fewer iterations until rounding becomes visible (1e-4: more
iterations; 3e-7: rounding)."""


class Stiffness(NamedTuple):
    """Gains of an iteration relative to those of the problem; the solution does not depend on them."""

    normal: float
    """Ratio gain / B of the normal law."""

    stick: float
    """Ratio gain / B of a disc of rolling friction, inside it."""

    rim: float
    """The same along its rim, in addition to the compliance of slip."""

    factor: float
    """Factor of the gain of rolling friction."""


# Entries of SpatialScratch.law: of the normal, and of the discs (each |y|, the slip direction,
# beta).
Y_N = 0
DISC_T = 1
DISC_V = 5
SHARE = 9
INVERSE = 10
NORM, SLIP_1, SLIP_2, BETA = range(4)


@inlined
def normal_velocity(rows: FloatArray, c: int, w: FloatArray, k: int) -> float:
    """Normal relative velocity of contact c on link k at `w` (n, 6)."""
    moving: float = rows[c, X] * w[k, X] + rows[c, Y] * w[k, Y] + rows[c, Z] * w[k, Z]
    turning: float = rows[c, RX] * w[k, RX] + rows[c, RY] * w[k, RY] + rows[c, RZ] * w[k, RZ]
    return moving + turning


@inlined
def contact_velocities(
    rows: FloatArray, c: int, w: FloatArray, k: int, out: FloatArray, add: bool
) -> None:
    """Store the relative velocities of contact c on link k at `w` (n, 6) in out[c], or add them to it."""
    vx, vy, vz = vec3(w, k)
    ox, oy, oz = vec3_at(w, k, RX)
    for i in range(3):
        value = (
            rows[c, 8 * i] * vx
            + rows[c, 8 * i + 1] * vy
            + rows[c, 8 * i + 2] * vz
            + rows[c, 8 * i + 3] * ox
            + rows[c, 8 * i + 4] * oy
            + rows[c, 8 * i + 5] * oz
        )
        out[c, i] = out[c, i] + value if add else value
    for i in range(3, 5):  # pure torques
        value = rows[c, 8 * i + 3] * ox + rows[c, 8 * i + 4] * oy + rows[c, 8 * i + 5] * oz
        out[c, i] = out[c, i] + value if add else value


@inlined
def _choose_disc(
    impulse: FloatArray,
    gamma: FloatArray,
    law: FloatArray,
    c: int,
    i: int,
    at: int,
    gain: float,
    rim: float,
    radius: float,
    bound: float,
) -> float:
    """Decide between stick and slip of laws i and i + 1; return the square of their natural map.

    The natural map uses the disc of `radius`, the current load; the branch uses that of `bound`,
    the expected load.
    """
    p1 = impulse[c, i]
    p2 = impulse[c, i + 1]
    g1 = gamma[c, i]
    g2 = gamma[c, i + 1]
    y1, y2 = p1 - gain * g1, p2 - gain * g2
    norm = math.sqrt(y1 * y1 + y2 * y2)
    scale = radius / norm if norm > radius else 1.0
    d1, d2 = p1 - scale * y1, p2 - scale * y2
    law[c, at + NORM] = norm
    if norm > bound:
        inverse = 1.0 / norm
        law[c, at + SLIP_1] = y1 * inverse
        law[c, at + SLIP_2] = y2 * inverse
        if bound > 0.0:
            law[c, at + BETA] = gain / ((norm - bound) / bound + rim)
    square: float = d1 * d1 + d2 * d2
    return square


@inlined
def _choose_halves(
    problem: SpatialProblem,
    impulse: FloatArray,
    gamma: FloatArray,
    law: FloatArray,
    c: int,
    gain: float,
    radius: float,
    bound: float,
) -> float:
    """Decide as `_choose_disc` for friction whose limits along can differ with the direction (see `prox.halves`)."""
    p1, p2 = impulse[c, LAW_T], impulse[c, LAW_T2]
    g1, g2 = gamma[c, LAW_T], gamma[c, LAW_T2]
    plus = problem.gain[c, SHARE_PLUS]
    minus = problem.gain[c, SHARE_MINUS]
    inverse_plus = problem.gain[c, INVERSE_PLUS]
    inverse_minus = problem.gain[c, INVERSE_MINUS]
    towards_plus = p1 > 0.0 or (p1 == 0.0 and g1 < 0.0)
    own, other, inverse = (
        (plus, minus, inverse_plus) if towards_plus else (minus, plus, inverse_minus)
    )
    q1 = p1 * inverse
    y1 = q1 - gain * own * g1
    y2 = p2 - gain * g2
    stretch = other * inverse  # for a point that continues in the scale of the other side
    if (
        own == 0.0
    ):  # the impulse has to vanish; one on the other side begins where the link is slid that way
        q1 = p1
        y1 = -gain * other * g1
        stretch = 1.0
    crosses = y1 < 0.0 if towards_plus else y1 > 0.0
    if crosses:
        y1 *= stretch
        towards_plus = not towards_plus
        if own == 0.0:
            q1 = p1 / other
    elif own == 0.0:
        y1 = 0.0
    law[c, SHARE] = plus if towards_plus else minus
    law[c, INVERSE] = inverse_plus if towards_plus else inverse_minus
    norm = math.sqrt(y1 * y1 + y2 * y2)
    scale = radius / norm if norm > radius else 1.0
    d1, d2 = q1 - scale * y1, p2 - scale * y2
    law[c, DISC_T + NORM] = norm
    if norm > bound:
        inverse = 1.0 / norm
        law[c, DISC_T + SLIP_1] = y1 * inverse
        law[c, DISC_T + SLIP_2] = y2 * inverse
        if bound > 0.0:
            law[c, DISC_T + BETA] = gain / ((norm - bound) / bound + EPSILON)
    square: float = d1 * d1 + d2 * d2
    return square


@inlined
def choose_branches(
    problem: SpatialProblem,
    impulse: FloatArray,
    gamma: FloatArray,
    law: FloatArray,
    c: int,
    stiffness: Stiffness,
) -> tuple[float, float]:
    """Decide the branch of every law of contact c; return the largest and the sum of the squared natural maps.

    Parameters
    ----------
    impulse, gamma : (c, 5)
        Current impulses and relative velocities.
    law : (c, 11)
        Row c is filled.
    """
    gain_n = problem.gain[c, GAIN_N]
    gain_t = problem.gain[c, GAIN_T]
    gain_v = stiffness.factor * problem.gain[c, GAIN_V]
    p_n = impulse[c, LAW_N]
    radius = p_n if p_n > 0.0 else 0.0
    y_n = p_n - gain_n * gamma[c, LAW_N]
    d_n = p_n - (y_n if y_n > 0.0 else 0.0)
    worst = d_n * d_n
    squares = worst
    law[c, Y_N] = y_n
    if gain_t > 0.0:
        square = _choose_halves(problem, impulse, gamma, law, c, gain_t, radius, y_n)
        worst = max(worst, square)
        squares += square
    if gain_v > 0.0:
        rim = stiffness.rim
        square = _choose_disc(impulse, gamma, law, c, LAW_V, DISC_V, gain_v, rim, radius, y_n)
        worst = max(worst, square)
        squares += square
    return worst, squares


@inlined
def add_contact(
    problem: SpatialProblem,
    impulse: FloatArray,
    gamma: FloatArray,
    law: FloatArray,
    c: int,
    system: System,
    stiffness: Stiffness,
) -> System:
    """Return the system of a link with the linearised laws of contact c added."""
    if law[c, Y_N] <= 0.0:
        return system
    rows = problem.rows
    bound = law[c, Y_N]
    normal = octet(rows, c, ROW_N)
    force = normal  # wrench per unit of normal impulse
    if problem.gain[c, GAIN_T] > 0.0:
        a, b = octet(rows, c, ROW_T), octet(rows, c, ROW_T2)
        stiff = problem.gain[c, GAIN_T] / EPSILON
        if law[c, DISC_T + NORM] <= bound:
            if law[c, SHARE] > 0.0:
                system = add_product(
                    system, a, _pushing(a, stiff, impulse[c, LAW_T] - stiff * gamma[c, LAW_T])
                )
            system = add_product(
                system, b, _pushing(b, stiff, impulse[c, LAW_T2] - stiff * gamma[c, LAW_T2])
            )
        else:
            s1 = law[c, DISC_T + SLIP_1]
            s2 = law[c, DISC_T + SLIP_2]
            beta = law[c, DISC_T + BETA]
            share = law[c, SHARE]
            inverse = law[c, INVERSE]
            t1, t2 = share * s1, share * s2
            force = octet_plus(octet_plus(force, t1, a), s2, b)
            rim = octet_minus(octet_times(s1, b), t2, a)
            along = s1 * impulse[c, LAW_T2] - inverse * s2 * impulse[c, LAW_T]
            push = beta * (along / stiff - (s1 * gamma[c, LAW_T2] - t2 * gamma[c, LAW_T]))
            system = add_product(system, rim, _pushing(rim, beta, push))
    if problem.gain[c, GAIN_V] > 0.0:
        a, b = octet(rows, c, ROW_V), octet(rows, c, ROW_V2)
        gain = stiffness.factor * problem.gain[c, GAIN_V]
        stiff = gain / stiffness.stick
        if law[c, DISC_V + NORM] <= bound:
            system = add_turning(
                system, a, _pushing(a, stiff, impulse[c, LAW_V] - stiff * gamma[c, LAW_V])
            )
            system = add_turning(
                system, b, _pushing(b, stiff, impulse[c, LAW_V2] - stiff * gamma[c, LAW_V2])
            )
        else:
            s1 = law[c, DISC_V + SLIP_1]
            s2 = law[c, DISC_V + SLIP_2]
            beta = law[c, DISC_V + BETA]
            force = octet_plus(octet_plus(force, s1, a), s2, b)
            rim = octet_minus(octet_times(s1, b), s2, a)
            along = s1 * impulse[c, LAW_V2] - s2 * impulse[c, LAW_V]
            stiff = gain / stiffness.rim
            push = beta * (along / stiff - (s1 * gamma[c, LAW_V2] - s2 * gamma[c, LAW_V]))
            system = add_turning(system, rim, _pushing(rim, beta, push))
    stiff = problem.gain[c, GAIN_N] / stiffness.normal
    return add_product(
        system, force, _pushing(normal, stiff, impulse[c, LAW_N] - stiff * gamma[c, LAW_N])
    )


@inlined
def _pushing(direction: Octet, stiff: float, push: float) -> Octet:
    """System row of an impulse `push` along `direction` that decreases by `stiff` per unit of velocity."""
    return octet_with(octet_times(stiff, direction), 6, push)


@inlined
def _move_disc(
    impulse: FloatArray,
    gamma: FloatArray,
    law: FloatArray,
    c: int,
    i: int,
    at: int,
    stiff: float,
    stiff_rim: float,
    bound: float,
    p_n: float,
    share: float,
    inverse: float,
) -> None:
    """Update impulses i and i + 1 of contact c after a full step.

    `p_n` is the new normal impulse; `share` and its `inverse` are those of law i in its branch.
    """
    if law[c, at + NORM] <= bound:
        if share > 0.0:
            impulse[c, i] -= stiff * gamma[c, i]
        else:
            impulse[c, i] = 0.0
        impulse[c, i + 1] -= stiff * gamma[c, i + 1]
    else:
        s1, s2 = law[c, at + SLIP_1], law[c, at + SLIP_2]
        along = (s1 * impulse[c, i + 1] - s2 * (inverse * impulse[c, i])) / stiff_rim
        along -= s1 * gamma[c, i + 1] - s2 * (share * gamma[c, i])
        along *= law[c, at + BETA]
        impulse[c, i] = share * (s1 * p_n - s2 * along)
        impulse[c, i + 1] = s2 * p_n + s1 * along


@inlined
def move_contact(
    problem: SpatialProblem,
    impulse: FloatArray,
    gamma: FloatArray,
    law: FloatArray,
    c: int,
    stiffness: Stiffness,
) -> None:
    """Update the impulses of contact c after a full step; `gamma` (c, 5) contains the new relative velocities."""
    if law[c, Y_N] <= 0.0:
        for i in range(5):
            impulse[c, i] = 0.0
        return
    bound = law[c, Y_N]
    p_n = impulse[c, LAW_N] - problem.gain[c, GAIN_N] / stiffness.normal * gamma[c, LAW_N]
    impulse[c, LAW_N] = p_n
    if problem.gain[c, GAIN_T] > 0.0:
        stiff = problem.gain[c, GAIN_T] / EPSILON
        share = law[c, SHARE]
        inverse = law[c, INVERSE]
        _move_disc(impulse, gamma, law, c, LAW_T, DISC_T, stiff, stiff, bound, p_n, share, inverse)
    if problem.gain[c, GAIN_V] > 0.0:
        gain = stiffness.factor * problem.gain[c, GAIN_V]
        stiff = gain / stiffness.stick
        stiff_rim = gain / stiffness.rim
        _move_disc(impulse, gamma, law, c, LAW_V, DISC_V, stiff, stiff_rim, bound, p_n, 1.0, 1.0)
