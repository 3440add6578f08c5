"""What is tried where Newton's iteration fails: smoothed contact laws, followed from soft to exact, begun at zero.

With y = P - r gamma the exact laws are P_N = max(y_N, 0) and P_T = y_T P_N / max(P_N, |y_T|). Smoothed by tau > 0 the
first becomes phi(y_N) = (y_N + sqrt(y_N^2 + 4 tau^2)) / 2, and the maximum below the friction is smoothed in the same
way. Newton's method solves the laws for a large tau from anywhere; the solutions then make a path that leads to one for
tau = 0. Where the path turns back, tau must grow again for a while: then it is followed by its length, not by tau.

Every linear solve is the articulated recursion of `spatial_chain`, with one right-hand side for Newton's step and one
for the path's tangent, so that all of it is linear in the links and contacts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.octet import Octet, octet, octet_plus, octet_times, octet_with, octet_zero
from snakestudio.kernels.residual import CONVERGED
from snakestudio.kernels.spatial_chain import (
    add_inertia,
    add_product,
    add_turning,
    close_chain,
    eliminate_joint,
    expand_joints,
    no_system,
    prepare_inertia,
    solve_root,
    solve_triangular,
)
from snakestudio.kernels.spatial_laws import contact_velocities
from snakestudio.kernels.spatial_problem import SpatialImpulses, SpatialProblem
from snakestudio.kernels.spatial_residual import spatial_residual

__all__ = ["rescue", "rescue_room"]

FloatArray = NDArray[np.float64]


class Point(NamedTuple):
    """Velocities and impulses, or a direction in the space of them.

    Attributes
    ----------
    w : (n, 6)
    rate : (n - 1, 2)
    gamma, contact : (c, 5)
    stop : (n - 1, 2)
    """

    w: FloatArray
    rate: FloatArray
    gamma: FloatArray
    contact: FloatArray
    stop: FloatArray


class RescueScratch(NamedTuple):
    """Workspace for n links and c contacts.

    Attributes
    ----------
    here, trial, kept, best : Point
        Where the iteration stands, what it tries, where it returns to, and the best that the judge has seen.
    newton, tangent, ahead : Point
        Directions: Newton's step, the change along the path for a unit of ln tau, and the way the path is followed.
    law : (c, 23)
        Linearised laws of every contact: dP = q - K dgamma, and s for a unit of ln tau. Of the normal K, q, s; of
        friction and rolling friction K (2 by the normal, 2 x 2), q (2), s (2).
    stop : (2 (n - 1), 3)
        K, q, s of the stops, joint by joint.
    inertia, root, eliminated : arrays
        As in `SpatialScratch`.
    pushed, wrench : (n, 6), (n - 1, 6)
        What the judge fills.
    """

    here: Point
    trial: Point
    kept: Point
    best: Point
    newton: Point
    tangent: Point
    ahead: Point
    law: FloatArray
    stop: FloatArray
    inertia: FloatArray
    root: FloatArray
    eliminated: FloatArray
    pushed: FloatArray
    wrench: FloatArray


# Entries of RescueScratch.law: of the normal, and where the two discs begin; then of a disc.
K_N, Q_N, S_N, DISC_T, DISC_V = 0, 1, 2, 3, 13
K_1N, K_2N, K_11, K_12, K_21, K_22, Q_1, Q_2, S_1, S_2 = range(10)
WIDTH = 23

ENOUGH = 0.1 * CONVERGED
"""Residual to which an attempt goes on; from `CONVERGED` on there is no other one."""

NEWTON, TANGENT = 6, 7
"""Numbers of the octets that hold the two right-hand sides."""

KEEN = 1e-9
"""What is taken off the smoothed laws' slopes, so that closed contacts can be inverted (1e-6 loses problems)."""


def rescue_room(n: int, contacts: int) -> FloatArray:
    """Workspace for `n` links and `contacts` contacts: one array, for every array that a step is given costs time."""
    return np.zeros(7 * (6 * n + 4 * (n - 1) + 10 * contacts) + WIDTH * contacts + 28 * (n - 1) + 54 * n + 48)


@jit
def _move(a: Point, step: float, d: Point, contacts: int, out: Point) -> None:
    """Put a + step d into `out`, which may be `a`."""
    for k in range(a.w.shape[0]):
        for i in range(6):
            out.w[k, i] = a.w[k, i] + step * d.w[k, i]
    for k in range(a.rate.shape[0]):
        for i in range(2):
            out.rate[k, i] = a.rate[k, i] + step * d.rate[k, i]
            out.stop[k, i] = a.stop[k, i] + step * d.stop[k, i]
    for c in range(contacts):
        for i in range(5):
            out.gamma[c, i] = a.gamma[c, i] + step * d.gamma[c, i]
            out.contact[c, i] = a.contact[c, i] + step * d.contact[c, i]


@inlined
def _product(a: Point, b: Point, contacts: int, per_length: float) -> float:
    """Product of the impulses of two directions; those of stops are divided by the link's length."""
    total = 0.0
    for c in range(contacts):
        for i in range(5):
            total += a.contact[c, i] * b.contact[c, i]
    for k in range(a.stop.shape[0]):
        for i in range(2):
            total += per_length * per_length * a.stop[k, i] * b.stop[k, i]
    return total


@inlined
def _phi(y: float, tau: float) -> tuple[float, float, float]:
    """Smoothed max(y, 0), its slope, and its change for a unit of ln tau."""
    if tau == 0.0:
        return (y, 1.0, 0.0) if y > 0.0 else (0.0, 0.0, 0.0)
    root = math.sqrt(y * y + 4.0 * tau * tau)
    # Without the difference of two nearly equal numbers where y is negative.
    value = 0.5 * (y + root) if y > 0.0 else 2.0 * tau * tau / (root - y)
    return value, value / root, 2.0 * tau * tau / root


@inlined
def _linearise_disc(
    at: Point, c: int, i: int, gain: float, radius: float, slope: float, growth: float, gain_n: float, tau: float,
    keen: float, own: float, law: FloatArray, d: int,
) -> float:  # fmt: skip
    """Linearise the disc of laws i and i + 1 of contact c into law[c, d:]; returns the square of what it misses.

    `own` is the share of the impulses that the laws see, `radius` is the smoothed load, `slope` its slope by y_N and
    `growth` its change for a unit of ln tau.
    """
    keep = 1.0 - keen
    p1, p2 = at.contact[c, i], at.contact[c, i + 1]
    y1, y2 = own * p1 - gain * at.gamma[c, i], own * p2 - gain * at.gamma[c, i + 1]
    norm = math.sqrt(y1 * y1 + y2 * y2 + tau * tau)
    k_radius = k_norm = grown = 0.0
    if tau == 0.0:
        k = 1.0
        if norm > radius:
            inverse = 1.0 / norm
            k = radius * inverse
            k_radius = inverse
            k_norm = -radius * inverse * inverse
    else:
        # k = R / M with M = (R + |y| + root) / 2, the smoothed maximum of R and |y|.
        apart = radius - norm
        root = math.sqrt(apart * apart + 4.0 * tau * tau)
        inverse = 2.0 / (radius + norm + root)
        k = radius * inverse
        by_radius, by_norm = 0.5 * (1.0 + apart / root), 0.5 * (1.0 - apart / root)
        k_radius = inverse * (1.0 - k * by_radius)
        k_norm = -k * inverse * by_norm
        grown = k_radius * growth + k_norm * tau * tau / norm - k * inverse * 2.0 * tau * tau / root
    f1, f2 = p1 - k * y1, p2 - k * y2
    u1, u2 = (y1 / norm, y2 / norm) if norm > 0.0 else (0.0, 0.0)
    n1, n2 = k_radius * slope * y1, k_radius * slope * y2
    d11, d12 = k + k_norm * y1 * u1, k_norm * y1 * u2
    d21, d22 = k_norm * y2 * u1, k + k_norm * y2 * u2
    # C^-1 with C = 1 - keep D
    c11, c12, c21, c22 = 1.0 - keep * d11, -keep * d12, -keep * d21, 1.0 - keep * d22
    inverse = 1.0 / (c11 * c22 - c12 * c21)
    i11, i12, i21, i22 = c22 * inverse, -c12 * inverse, -c21 * inverse, c11 * inverse
    push_n, push_s = keep * law[c, Q_N], keep * law[c, S_N]
    a1, a2 = n1 * push_n - f1, n2 * push_n - f2
    law[c, d + Q_1] = i11 * a1 + i12 * a2
    law[c, d + Q_2] = i21 * a1 + i22 * a2
    a1, a2 = n1 * push_s + grown * y1, n2 * push_s + grown * y2
    law[c, d + S_1] = i11 * a1 + i12 * a2
    law[c, d + S_2] = i21 * a1 + i22 * a2
    stiff = gain_n + keep * law[c, K_N]
    law[c, d + K_1N] = stiff * (i11 * n1 + i12 * n2)
    law[c, d + K_2N] = stiff * (i21 * n1 + i22 * n2)
    law[c, d + K_11] = gain * (i11 * d11 + i12 * d21)
    law[c, d + K_12] = gain * (i11 * d12 + i12 * d22)
    law[c, d + K_21] = gain * (i21 * d11 + i22 * d21)
    law[c, d + K_22] = gain * (i21 * d12 + i22 * d22)
    square: float = f1 * f1 + f2 * f2
    return square


@jit
def _linearise(
    problem: SpatialProblem, at: Point, tau: float, keen: float, shift: float, factor: float, s: RescueScratch
) -> float:
    """Linearise all laws, smoothed by `tau` (N s), at a point; returns the sum of squares of what they miss, N^2 s^2.

    `factor` multiplies all gains, `shift` is taken off the impulses (see `ATTEMPTS`). A contact without a normal gain
    has a given load: its normal impulse.
    """
    squares = 0.0
    own = 1.0 - shift
    law = s.law
    for c in range(problem.first[problem.axis.shape[0]]):
        gain = factor * problem.gain[c, 0]
        p = at.contact[c, 0]
        radius, slope, growth = p, 0.0, 0.0
        if gain > 0.0:
            radius, slope, growth = _phi(own * p - gain * at.gamma[c, 0], tau)
        missed = p - radius
        inverse = 1.0 / (1.0 - (1.0 - keen) * slope)
        law[c, K_N] = inverse * slope * gain
        law[c, Q_N] = -inverse * missed
        law[c, S_N] = inverse * growth
        squares += missed * missed
        for j in range(1, 3):
            gain_t = factor * problem.gain[c, j]
            if gain_t > 0.0:
                d = DISC_T if j == 1 else DISC_V
                squares += _linearise_disc(
                    at, c, 2 * j - 1, gain_t, radius, slope, growth, gain, tau, keen, own, law, d
                )
    if problem.n_stops > 0:
        gain = factor * 0.5 * problem.inertia
        per_length = 0.5 / problem.half
        soft = tau / per_length
        for k in range(problem.joint.shape[0]):
            for a in range(2):
                sign = problem.stop[k, a]
                if sign != 0.0:
                    p = at.stop[k, a]
                    value, slope, growth = _phi(own * p - gain * sign * at.rate[k, a], soft)
                    inverse = 1.0 / (1.0 - (1.0 - keen) * slope)
                    s.stop[2 * k + a, 0] = inverse * slope * gain
                    s.stop[2 * k + a, 1] = -inverse * (p - value)
                    s.stop[2 * k + a, 2] = inverse * growth
                    squares += ((p - value) * per_length) ** 2
    return squares


@inlined
def _step_disc(d: Point, c: int, i: int, law: FloatArray, at: int, with_q: bool) -> None:
    """Impulses of a disc along a direction whose relative velocities are known."""
    q1, q2 = (law[c, at + Q_1], law[c, at + Q_2]) if with_q else (law[c, at + S_1], law[c, at + S_2])
    g0, g1, g2 = d.gamma[c, 0], d.gamma[c, i], d.gamma[c, i + 1]
    d.contact[c, i] = q1 - law[c, at + K_1N] * g0 - law[c, at + K_11] * g1 - law[c, at + K_12] * g2
    d.contact[c, i + 1] = q2 - law[c, at + K_2N] * g0 - law[c, at + K_21] * g1 - law[c, at + K_22] * g2


@jit
def _expand(problem: SpatialProblem, d: Point, s: RescueScratch, side: int) -> None:
    """Velocities and impulses along a direction, from the eliminated system's right-hand side number `side`."""
    solve_triangular(s.root, side, d.w)
    expand_joints(problem.joint, s.eliminated, side, d.w, d.rate)
    with_q = side == NEWTON
    law = s.law
    for k in range(d.w.shape[0]):
        for c in range(problem.first[k], problem.first[k + 1]):
            contact_velocities(problem.rows, c, d.w, k, d.gamma, False)
            d.contact[c, 0] = (law[c, Q_N] if with_q else law[c, S_N]) - law[c, K_N] * d.gamma[c, 0]
            if problem.gain[c, 1] > 0.0:
                _step_disc(d, c, 1, law, DISC_T, with_q)
            if problem.gain[c, 2] > 0.0:
                _step_disc(d, c, 3, law, DISC_V, with_q)
    if problem.n_stops > 0:
        for k in range(problem.joint.shape[0]):
            for a in range(2):
                sign = problem.stop[k, a]
                if sign != 0.0:
                    push = s.stop[2 * k + a, 1] if with_q else s.stop[2 * k + a, 2]
                    d.stop[k, a] = push - s.stop[2 * k + a, 0] * sign * d.rate[k, a]


@inlined
def _own_impulse(problem: SpatialProblem, at: Point, s: RescueScratch, k: int, a: int) -> tuple[float, Octet]:
    """What a joint axis loses for a unit of its rate, and the impulse of its motor and stop at the present rate."""
    stiff: float = problem.drag[k, a]
    push: float = problem.drive[k, a] - stiff * at.rate[k, a]
    growth = 0.0
    sign = problem.stop[k, a]
    if sign != 0.0:
        stiff += s.stop[2 * k + a, 0]
        push += sign * (at.stop[k, a] + s.stop[2 * k + a, 1])
        growth = sign * s.stop[2 * k + a, 2]
    return stiff, octet_with(octet_with(octet_zero(), NEWTON, push), TANGENT, growth)


@jit
def _solve(problem: SpatialProblem, at: Point, s: RescueScratch) -> None:
    """Solve the linearised problem for Newton's step and for the tangent."""
    law, rows = s.law, problem.rows
    n = at.w.shape[0]
    system = no_system()
    for reverse in range(n):
        k = n - 1 - reverse
        system = add_inertia(problem, s.inertia, at.w, k, system)
        for c in range(problem.first[k], problem.first[k + 1]):
            normal = octet(rows, c, 0)
            row = octet_with(octet_times(law[c, K_N], normal), NEWTON, at.contact[c, 0] + law[c, Q_N])
            system = add_product(system, normal, octet_with(row, TANGENT, law[c, S_N]))
            for j in range(1, 3):
                if problem.gain[c, j] > 0.0:
                    i, d = 2 * j - 1, DISC_T if j == 1 else DISC_V
                    a, b = octet(rows, c, 8 * i), octet(rows, c, 8 * i + 8)
                    one = octet_plus(octet_times(law[c, d + K_1N], normal), law[c, d + K_11], a)
                    one = octet_with(octet_plus(one, law[c, d + K_12], b), NEWTON, at.contact[c, i] + law[c, d + Q_1])
                    two = octet_plus(octet_times(law[c, d + K_2N], normal), law[c, d + K_21], a)
                    two = octet_with(
                        octet_plus(two, law[c, d + K_22], b), NEWTON, at.contact[c, i + 1] + law[c, d + Q_2]
                    )
                    one, two = octet_with(one, TANGENT, law[c, d + S_1]), octet_with(two, TANGENT, law[c, d + S_2])
                    if j == 1:
                        system = add_product(add_product(system, a, one), b, two)
                    else:
                        system = add_turning(add_turning(system, a, one), b, two)
        if k > 0:
            stiff_0, push_0 = _own_impulse(problem, at, s, k - 1, 0)
            stiff_1, push_1 = _own_impulse(problem, at, s, k - 1, 1)
            system = eliminate_joint(problem, k - 1, system, stiff_0, stiff_1, push_0, push_1, s.eliminated)
    solve_root(system, s.root, s.newton.w)
    _expand(problem, s.newton, s, NEWTON)
    _expand(problem, s.tangent, s, TANGENT)


@jit
def _copy(a: Point, contacts: int, out: Point) -> None:
    _move(a, 0.0, a, contacts, out)


@jit
def _note(problem: SpatialProblem, at: Point, least: float, s: RescueScratch) -> float:
    """Keep a point as the best if the judge says so; returns the least residual so far."""
    here = spatial_residual(problem, at.w, SpatialImpulses(at.contact, at.stop), at.gamma, s.pushed, s.wrench)
    if here < least:
        _copy(at, int(problem.first[at.w.shape[0]]), s.best)
        return here
    return least


@jit
def _begin(problem: SpatialProblem, at: Point, guess: SpatialImpulses, use: float, s: RescueScratch) -> None:
    """Impulses `use` times those guessed, and the velocities that the equations of motion then say."""
    contacts = int(problem.first[at.w.shape[0]])
    for c in range(contacts):
        for i in range(5):
            given = problem.gain[c, 0] == 0.0 and i == 0
            at.contact[c, i] = guess.contact[c, i] if given else use * guess.contact[c, i]
        for i in range(WIDTH):
            s.law[c, i] = 0.0
    for k in range(at.stop.shape[0]):
        for a in range(2):
            at.stop[k, a] = use * guess.stop[k, a]
            for i in range(3):
                s.stop[2 * k + a, i] = 0.0
    close_chain(problem, at.w, at.rate)
    for _ in range(2):  # the second time for what rounding has left
        _solve(problem, at, s)
        for k in range(at.w.shape[0]):
            for i in range(6):
                at.w[k, i] += s.newton.w[k, i]
        for k in range(at.rate.shape[0]):
            for a in range(2):
                at.rate[k, a] += s.newton.rate[k, a]
    for k in range(at.w.shape[0]):
        for c in range(problem.first[k], problem.first[k + 1]):
            contact_velocities(problem.rows, c, at.w, k, at.gamma, False)


@inlined
def _size(problem: SpatialProblem, at: Point) -> float:
    """Largest impulse that would undo a relative velocity of a point alone, N s."""
    largest: float = problem.scale
    for c in range(problem.first[at.w.shape[0]]):
        for i in range(5):
            largest = max(largest, problem.gain[c, (i + 1) // 2] * abs(at.gamma[c, i]))
    return largest


@jit
def _exact(
    problem: SpatialProblem, least: float, most: int, keen: float, factor: float, damped: bool, s: RescueScratch
) -> tuple[int, float]:  # fmt: skip
    """Newton's iteration on the exact laws from `s.here`; returns linear solves and the least residual so far.

    Damped, what is taken off the laws' slopes grows where steps must be short (Levenberg, Marquardt).
    """
    contacts = int(problem.first[problem.axis.shape[0]])
    here, trial = s.here, s.trial
    done = 0
    taken = keen
    squares = _linearise(problem, here, 0.0, taken, 0.0, factor, s)
    while done < most and least > ENOUGH:
        done += 1
        _solve(problem, here, s)
        step = 1.0
        after = 0.0
        for _ in range(10):
            _move(here, step, s.newton, contacts, trial)
            after = _linearise(problem, trial, 0.0, taken, 0.0, factor, s)
            if not damped or after <= (1.0 - 1e-4 * step) * squares:
                break
            step *= 0.5
        if damped:
            taken = min(max(taken * (4.0 if step < 0.2 else 0.25), keen), 1.0)
            after = _linearise(problem, trial, 0.0, taken, 0.0, factor, s)
        _copy(trial, contacts, here)
        squares = after
        if not squares < 1e30 * problem.scale * problem.scale:
            break
        least = _note(problem, here, least, s)
    return done, least


@jit
def _polish(
    problem: SpatialProblem, least: float, most: int, keen: float, factor: float, damped: bool, s: RescueScratch
) -> tuple[int, float]:  # fmt: skip
    """As `_exact`, from the best point."""
    _copy(s.best, int(problem.first[problem.axis.shape[0]]), s.here)
    return _exact(problem, least, most, keen, factor, damped, s)


@jit
def _ahead(problem: SpatialProblem, change: float, tau: float, shift: float, s: RescueScratch) -> float:
    """Go along the last tangent by a change of ln tau, to `tau`, if that is nearer; returns what is missed there."""
    contacts = int(problem.first[problem.axis.shape[0]])
    _move(s.here, change, s.tangent, contacts, s.trial)
    there = _linearise(problem, s.trial, tau, KEEN, shift, 1.0, s)
    here = _linearise(problem, s.here, tau, KEEN, shift, 1.0, s)
    if not there < here:
        return here
    _copy(s.trial, contacts, s.here)
    return _linearise(problem, s.here, tau, KEEN, shift, 1.0, s)


@inlined
def _pull_laws(problem: SpatialProblem, here: Point, ahead: Point, s: RescueScratch) -> None:
    """Springs of the laws' own gains that pull relative velocities to those in `ahead`, as linearised laws."""
    law = s.law
    for c in range(problem.first[problem.axis.shape[0]]):
        law[c, K_N] = problem.gain[c, 0]
        law[c, Q_N] = problem.gain[c, 0] * (ahead.gamma[c, 0] - here.gamma[c, 0])
        for j in range(1, 3):
            d, i, gain = DISC_T if j == 1 else DISC_V, 2 * j - 1, problem.gain[c, j]
            law[c, d + K_1N] = law[c, d + K_2N] = law[c, d + K_12] = law[c, d + K_21] = 0.0
            law[c, d + K_11] = law[c, d + K_22] = gain
            law[c, d + Q_1] = gain * (ahead.gamma[c, i] - here.gamma[c, i])
            law[c, d + Q_2] = gain * (ahead.gamma[c, i + 1] - here.gamma[c, i + 1])
    gain = 0.5 * problem.inertia
    for k in range(problem.joint.shape[0]):
        for a in range(2):
            sign = problem.stop[k, a]
            if sign != 0.0:
                s.stop[2 * k + a, 0] = gain
                s.stop[2 * k + a, 1] = gain * sign * (ahead.rate[k, a] - here.rate[k, a])
                s.stop[2 * k + a, 2] = 0.0


@inlined
def _project(problem: SpatialProblem, here: Point, ahead: Point) -> None:
    """Impulses that the laws let be, and in `ahead` the relative velocities that would have led to them."""
    for c in range(problem.first[problem.axis.shape[0]]):
        gain, p = problem.gain[c, 0], here.contact[c, 0]
        radius = p
        if gain > 0.0:
            radius = max(p - gain * here.gamma[c, 0], 0.0)
            here.contact[c, 0] = radius
            ahead.gamma[c, 0] = here.gamma[c, 0] + (radius - p) / gain
        for j in range(1, 3):
            gain, i = problem.gain[c, j], 2 * j - 1
            if gain > 0.0:
                p1, p2 = here.contact[c, i], here.contact[c, i + 1]
                y1, y2 = p1 - gain * here.gamma[c, i], p2 - gain * here.gamma[c, i + 1]
                norm = math.sqrt(y1 * y1 + y2 * y2)
                if norm > radius:
                    y1, y2 = y1 * radius / norm, y2 * radius / norm
                here.contact[c, i], here.contact[c, i + 1] = y1, y2
                ahead.gamma[c, i] = here.gamma[c, i] + (y1 - p1) / gain
                ahead.gamma[c, i + 1] = here.gamma[c, i + 1] + (y2 - p2) / gain
    gain = 0.5 * problem.inertia
    for k in range(problem.joint.shape[0]):
        for a in range(2):
            sign = problem.stop[k, a]
            if sign != 0.0:
                p = here.stop[k, a]
                here.stop[k, a] = max(p - gain * sign * here.rate[k, a], 0.0)
                ahead.rate[k, a] = here.rate[k, a] + sign * (here.stop[k, a] - p) / gain


@jit
def _alternate(problem: SpatialProblem, least: float, most: int, s: RescueScratch) -> tuple[int, float]:
    """Alternate between equations of motion and laws (ADMM) from `s.here`, trying Newton's iteration now and then.

    A method of first order: slow, but it goes where loads are so indeterminate that every path is lost.
    """
    contacts = int(problem.first[problem.axis.shape[0]])
    here, ahead = s.here, s.ahead
    done = count = 0
    _copy(here, contacts, ahead)
    while done < most:
        done += 1
        count += 1
        _pull_laws(problem, here, ahead, s)
        _solve(problem, here, s)
        for k in range(here.w.shape[0]):
            for i in range(6):
                here.w[k, i] += s.newton.w[k, i]
        for k in range(here.rate.shape[0]):
            for a in range(2):
                here.rate[k, a] += s.newton.rate[k, a]
        for c in range(contacts):
            for i in range(5):
                here.gamma[c, i] += s.newton.gamma[c, i]
        _project(problem, here, ahead)
        if count % EVERY == 0:
            _copy(here, contacts, s.kept)
            more, least = _exact(problem, least, 12, 1e-6, 1.0, done < 0, s)  # undamped, and no literal: see `rescue`
            done += more
            if least <= CONVERGED:
                break
            _copy(s.kept, contacts, here)
    return done, least


@jit
def _path(
    problem: SpatialProblem, least: float, most: int, tau: float, shift: float, s: RescueScratch
) -> tuple[int, float]:
    """Follow the smoothed laws from `s.here` by lowering tau; returns linear solves and the least residual so far."""
    contacts = int(problem.first[problem.axis.shape[0]])
    here, trial = s.here, s.trial
    done = inner = 0
    end = 1e-7 * problem.scale
    next_try = 1e-4 * problem.scale
    squares = _linearise(problem, here, tau, KEEN, shift, 1.0, s)
    while done < most:
        done += 1
        inner += 1
        _solve(problem, here, s)
        step = 1.0
        after = 0.0
        good = False
        for _ in range(14):
            _move(here, step, s.newton, contacts, trial)
            after = _linearise(problem, trial, tau, KEEN, shift, 1.0, s)
            if after <= (1.0 - 1e-3 * step) * squares:
                good = True
                break
            step *= 0.5
        _copy(trial, contacts, here)
        squares = after
        if not squares < 1e30 * problem.scale * problem.scale:
            break
        near = math.sqrt(squares) <= 0.5 * tau
        if not near and good and inner <= 25:
            continue
        least = _note(problem, here, least, s)
        if least <= ENOUGH or tau <= end:
            break
        if near and tau < next_try:
            next_try = 0.1 * tau
            _copy(here, contacts, s.kept)
            more, least = _exact(problem, least, 8, 1e-6, 1.0, not near, s)  # undamped, and no literal: see `rescue`
            done += more
            if least <= ENOUGH:
                break
            _copy(s.kept, contacts, here)
        shrink = 0.2 if step == 1.0 and inner <= 4 else math.sqrt(0.2)
        tau *= shrink
        inner = 0
        squares = _ahead(problem, math.log(shrink), tau, shift, s)
    return done, least


@jit
def _settle(
    problem: SpatialProblem, most: int, tau: float, keen: float, shift: float, s: RescueScratch
) -> tuple[int, bool]:
    """Solve the laws smoothed by `tau` from `s.here`, damped; returns linear solves and whether that went well."""
    contacts = int(problem.first[problem.axis.shape[0]])
    here, trial = s.here, s.trial
    done = 0
    taken = keen
    squares = _linearise(problem, here, tau, taken, shift, 1.0, s)
    while math.sqrt(squares) > 0.1 * tau:
        if done >= most:
            return done, False
        done += 1
        _solve(problem, here, s)
        step = 1.0
        after = 0.0
        for _ in range(12):
            _move(here, step, s.newton, contacts, trial)
            after = _linearise(problem, trial, tau, taken, shift, 1.0, s)
            if after <= (1.0 - 1e-3 * step) * squares:
                break
            step *= 0.5
        _copy(trial, contacts, here)
        taken = min(max(taken * (4.0 if step < 0.2 else 0.25), keen), 1.0)
        squares = _linearise(problem, here, tau, taken, shift, 1.0, s)
    return done, True


@jit
def _arc(
    problem: SpatialProblem, least: float, most: int, tau: float, keen: float, shift: float, s: RescueScratch
) -> tuple[int, float]:
    """Follow the path by its length from `s.here` and `tau`; returns linear solves and the least residual so far."""
    contacts = int(problem.first[problem.axis.shape[0]])
    here, trial, ahead, tangent, newton = s.here, s.trial, s.ahead, s.tangent, s.newton
    per_length = 0.5 / problem.half
    done, well = _settle(problem, min(most, 80), tau, keen, shift, s)
    if not well:
        return done, _note(problem, here, least, s)
    highest = math.log(tau) + 7.0
    level, length = math.log(tau), 0.7
    down = -1.0  # how ln tau changes along the path
    next_try = 1e-3 * problem.scale
    for c in range(contacts):
        for i in range(5):
            ahead.contact[c, i] = 0.0
    for k in range(ahead.stop.shape[0]):
        for i in range(2):
            ahead.stop[k, i] = 0.0
    while done < most:
        size = 0.3 * max(math.sqrt(_largest_square(here, contacts, per_length)), problem.scale)
        unit = 1.0 / (size * size)
        _linearise(problem, here, math.exp(level), keen, shift, 1.0, s)
        done += 1
        _solve(problem, here, s)
        norm = math.sqrt(_product(tangent, tangent, contacts, per_length) * unit + 1.0)
        if not norm < 1e30:
            break
        sign = 1.0 if _product(tangent, ahead, contacts, per_length) * unit + down > 0.0 else -1.0
        _scale(tangent, sign / norm, contacts, ahead)
        down = sign / norm
        accepted = False
        rounds = 0
        level_1 = level
        for _ in range(10):
            _move(here, length, ahead, contacts, trial)
            level_1 = level + length * down
            before = math.inf
            close = False
            rounds = 0
            while rounds < 7:
                tau = math.exp(level_1)
                missed = math.sqrt(_linearise(problem, trial, tau, keen, shift, 1.0, s))
                if missed <= 0.05 * tau:
                    close = True
                    break
                if missed > 2.0 * before or not missed < 1e30 * problem.scale:
                    break
                before = missed
                done += 1
                rounds += 1
                _solve(problem, trial, s)
                under = _product(ahead, tangent, contacts, per_length) * unit + down
                change = -_product(ahead, newton, contacts, per_length) * unit / under if under != 0.0 else 0.0
                change = min(max(change, -2.0), 2.0)
                _move(trial, 1.0, newton, contacts, trial)
                _move(trial, change, tangent, contacts, trial)
                level_1 += change
            if close and level - 6.0 < level_1 < level + 3.0:
                accepted = True
                break
            length *= 0.4
        if not accepted:
            break
        _copy(trial, contacts, here)
        level = level_1
        if rounds <= 2:
            length = min(2.0 * length, 2.5)
        elif rounds >= 5:
            length *= 0.6
        least = _note(problem, here, least, s)
        if least <= ENOUGH or level > highest:
            break
        if math.exp(level) < next_try:
            next_try = 0.1 * math.exp(level)
            _copy(here, contacts, s.kept)
            more, least = _exact(problem, least, 10, 1e-6, 1.0, False, s)
            done += more
            _copy(s.kept, contacts, here)
            if least <= ENOUGH:
                break
        if math.exp(level) < 1e-7 * problem.scale:
            break
    return done, least


@inlined
def _largest_square(a: Point, contacts: int, per_length: float) -> float:
    largest = 0.0
    for c in range(contacts):
        for i in range(5):
            largest = max(largest, a.contact[c, i] * a.contact[c, i])
    for k in range(a.stop.shape[0]):
        for i in range(2):
            largest = max(largest, (per_length * a.stop[k, i]) ** 2)
    return largest


@jit
def _scale(a: Point, factor: float, contacts: int, out: Point) -> None:
    """Put `factor` a into `out`, another point."""
    _move(a, factor - 1.0, a, contacts, out)


PATIENCE = 3
"""How many times the linear solves that a step may take the rescue may take: hard steps are rare."""

PATH, ARC, EXACT, POLISH = range(4)

ATTEMPTS = (
    (PATH, 0.0, KEEN, 0.0, 1.0), (ARC, 0.0, KEEN, 0.0, 1.0), (PATH, 0.0, KEEN, KEEN, 1.0), (ARC, 0.0, KEEN, KEEN, 1.0),
    (EXACT, 0.0, 1e-6, 0.0, 1.0), (ARC, 0.0, 1e-7, 1e-7, 1.0), (PATH, 1.0, KEEN, 0.0, 1.0), (ARC, 1.0, KEEN, 0.0, 1.0),
    (ARC, 0.0, 1e-5, 1e-5, 1.0), (POLISH, 12.0, 1e-8, 0.0, 1.0), (POLISH, 12.0, 1e-3, 0.0, 1.0),
    (POLISH, 12.0, 1e-6, 0.0, 10.0), (POLISH, 12.0, 1e-6, 0.0, 0.1), (POLISH, 200.0, 1e-6, 0.0, 1.0),
)  # fmt: skip
"""What is tried, and for each: what the impulses begin with, as a share of the guess (of a polish: at how many linear
solves it ends, damped if more than 12), what is taken off the slopes, what of the impulses, and the gains' factor.

Where impulses are not unique, what is taken off the slopes decides how far they are led along those that push nothing:
more of it is safer where rounding shows, and not as near where it does not. Near the end it is larger than what the
smoothed laws themselves say of these impulses, and Newton's steps no longer lead to their solution; taken off the
impulses, too (contacts as if they gave way a little), it belongs to the problem, and they do, but to one a little off.
"""

FAR = 1e-6
"""Residual from which equations of motion and laws are solved in turn, at last."""

TURNS, EVERY = 600, 100
"""How many turns these are, and after how many Newton's iteration is tried."""


@jit
def rescue(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, guess: SpatialImpulses, most: int,
    room: FloatArray,
) -> tuple[int, float]:  # fmt: skip
    """Solve a step's contact problem that Newton's iteration left unsolved.

    Parameters
    ----------
    problem : SpatialProblem
    impulses : SpatialImpulses
    w : (n, 6)
        What there is so far, on entry; the best that was found, on return.
    guess : SpatialImpulses
        Impulses of the step before. They are tried last: what begins at zero does not hang on them.
    most : int
        Linear solves that the step may take; here they may be `PATIENCE` times as many.
    room : (any,)
        Of `rescue_room` for as many links and as many contacts as `impulses` has room for.

    Returns
    -------
    (int, float)
        Linear solves, and the residual.
    """
    n = w.shape[0]
    contacts = int(problem.first[n])
    # No function that is compiled may return arrays, so the workspace is parted here.
    room_for, joints = impulses.contact.shape[0], n - 1
    at_gamma = 42 * n
    at_contact = at_gamma + 35 * room_for
    at_rate = at_contact + 35 * room_for
    at_stop = at_rate + 14 * joints
    at_law = at_stop + 14 * joints
    at_own = at_law + WIDTH * room_for
    at_inertia = at_own + 6 * joints
    at_root = at_inertia + 48 * n
    at_eliminated = at_root + 48
    at_pushed = at_eliminated + 16 * joints
    at_wrench = at_pushed + 6 * n
    ws, gammas = room[:at_gamma].reshape(7, n, 6), room[at_gamma:at_contact].reshape(7, room_for, 5)
    pushes, rates = room[at_contact:at_rate].reshape(7, room_for, 5), room[at_rate:at_stop].reshape(7, joints, 2)
    stops = room[at_stop:at_law].reshape(7, joints, 2)
    s = RescueScratch(
        Point(ws[0], rates[0], gammas[0], pushes[0], stops[0]),
        Point(ws[1], rates[1], gammas[1], pushes[1], stops[1]),
        Point(ws[2], rates[2], gammas[2], pushes[2], stops[2]),
        Point(ws[3], rates[3], gammas[3], pushes[3], stops[3]),
        Point(ws[4], rates[4], gammas[4], pushes[4], stops[4]),
        Point(ws[5], rates[5], gammas[5], pushes[5], stops[5]),
        Point(ws[6], rates[6], gammas[6], pushes[6], stops[6]),
        room[at_law:at_own].reshape(room_for, WIDTH),
        room[at_own:at_inertia].reshape(2 * joints, 3),
        room[at_inertia:at_root].reshape(n, 48),
        room[at_root:at_eliminated].reshape(6, 8),
        room[at_eliminated:at_pushed].reshape(joints, 16),
        room[at_pushed:at_wrench].reshape(n, 6),
        room[at_wrench : at_wrench + 6 * joints].reshape(joints, 6),
    )
    prepare_inertia(problem, s.inertia)
    here = s.here
    _from_outside(impulses, w, contacts, here)
    close_chain(problem, here.w, here.rate)
    least = _note(problem, here, math.inf, s)
    done = 0
    most *= PATIENCE
    for kind, start, keen, shift, factor in ATTEMPTS:
        if least <= CONVERGED or done >= most:
            break
        more = 0
        if kind == POLISH:
            more, least = _polish(problem, least, min(most - done, int(start)), keen, factor, start > 12.0, s)
            done += more
            continue
        _begin(problem, here, guess, start, s)
        size = _size(problem, here)
        if kind == PATH:
            more, least = _path(problem, least, min(most - done, 200), 0.3 * size, shift, s)
        elif kind == ARC:
            more, least = _arc(problem, least, min(most - done, 500), 10.0 * size, keen, shift, s)
        else:
            damped = kind == EXACT  # no literal, of which the compiler would make a version of its own
            more, least = _exact(problem, least, min(most - done, 100), keen, factor, damped, s)
        done += more
        if least > CONVERGED:
            more, least = _polish(problem, least, 12, 1e-6, 1.0, kind == POLISH, s)
            done += more
    if least > FAR:
        _begin(problem, here, guess, 0.0, s)
        more, least = _alternate(problem, least, TURNS, s)
        done += more
    for k in range(n):
        for i in range(6):
            w[k, i] = s.best.w[k, i]
    for k in range(n - 1):
        for a in range(2):
            impulses.stop[k, a] = s.best.stop[k, a]
    for c in range(contacts):
        for i in range(5):
            impulses.contact[c, i] = s.best.contact[c, i]
    return done, least


@jit
def _from_outside(impulses: SpatialImpulses, w: FloatArray, contacts: int, out: Point) -> None:
    for k in range(w.shape[0]):
        for i in range(6):
            out.w[k, i] = w[k, i]
    for k in range(w.shape[0] - 1):
        for a in range(2):
            out.stop[k, a] = impulses.stop[k, a]
    for c in range(contacts):
        for i in range(5):
            out.contact[c, i] = impulses.contact[c, i]
