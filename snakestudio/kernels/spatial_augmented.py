"""Fallback for chains in space: friction with given bounds by an augmented Lagrangian, the bounds following the loads.

With the radii of all friction discs given, the step's velocity minimises a strictly convex function; Newton's method
with an exact line search minimises its augmented Lagrangian from anywhere, and the method of multipliers converges for
every penalty. The radii then follow the normal impulses, and from every such point the full Newton iteration is tried
again: it needs to be near, and this brings it there.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.octet import Octet, octet, octet_plus, octet_times, octet_with, octet_zero
from snakestudio.kernels.prox import natural_disc, natural_positive, prox_disc, prox_positive
from snakestudio.kernels.spatial_chain import (
    System,
    add_inertia,
    add_product,
    eliminate_joint,
    expand_joints,
    no_system,
    solve_root,
)
from snakestudio.kernels.spatial_laws import contact_velocities
from snakestudio.kernels.spatial_problem import SpatialImpulses, SpatialProblem
from snakestudio.kernels.spatial_scratch import SpatialScratch

__all__ = ["BOUND", "solve_bounded"]

FloatArray = NDArray[np.float64]

BOUND = 9
"""Entry of SpatialScratch.law that holds the radius."""

SOFTNESS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
"""gain / B of one update of the multipliers after the other; the last one stays."""

UPDATES = 30

STALLED = 3
"""Inner iterations without progress after which only rounding is left to remove."""


@inlined
def _add_disc(system: System, a: Octet, b: Octet, y1: float, y2: float, bound: float, prox_b: float) -> System:
    """Add the friction rows `a` and `b`, y being P - B gamma and `bound` the disc's radius."""
    norm = math.sqrt(y1 * y1 + y2 * y2)
    if norm <= bound:
        system = add_product(system, a, octet_with(octet_times(prox_b, a), 6, y1))
        return add_product(system, b, octet_with(octet_times(prox_b, b), 6, y2))
    slide = bound / norm
    t1, t2 = -y2 / norm, y1 / norm
    rim = octet_plus(octet_times(t1, a), t2, b)
    system = add_product(system, rim, octet_times(prox_b * slide, rim))
    pushed = octet_plus(octet_times(slide * y1, a), slide * y2, b)
    return add_product(system, pushed, octet_with(octet_zero(), 6, 1.0))


@jit
def _direction(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, softness: float
) -> None:
    """Newton direction at `w`, into `scratch.dw`, `old_rate` (of the rates) and `old_gamma` (of the gammas)."""
    gamma, contact = scratch.gamma, impulses.contact
    n = w.shape[0]
    system = no_system()
    for reverse in range(n):
        k = n - 1 - reverse
        system = add_inertia(problem, scratch.inertia, w, k, system)
        for c in range(problem.first[k], problem.first[k + 1]):
            prox_b = problem.gain[c, 0] / softness
            y = contact[c, 0] - prox_b * gamma[c, 0]
            if y > 0.0:
                row = octet(problem.rows, c, 0)
                system = add_product(system, row, octet_with(octet_times(prox_b, row), 6, y))
            for law in range(1, 3):
                if problem.gain[c, law] > 0.0:
                    i = 2 * law - 1
                    prox_b = problem.gain[c, law] / softness
                    system = _add_disc(
                        system, octet(problem.rows, c, 8 * i), octet(problem.rows, c, 8 * i + 8),
                        contact[c, i] - prox_b * gamma[c, i], contact[c, i + 1] - prox_b * gamma[c, i + 1],
                        scratch.law[c, BOUND], prox_b,
                    )  # fmt: skip
        if k > 0:
            j = k - 1
            for a in range(2):
                stiff = problem.drag[j, a]
                push = problem.drive[j, a] - stiff * scratch.rate[j, a]
                if problem.n_stops > 0 and problem.stop[j, a] != 0.0:
                    prox_b = 0.5 * problem.inertia / softness
                    y = impulses.stop[j, a] - prox_b * problem.stop[j, a] * scratch.rate[j, a]
                    if y > 0.0:
                        stiff += prox_b
                        push += problem.stop[j, a] * y
                scratch.stop[j, a, 0] = push
                scratch.stop[j, a, 1] = stiff
            system = eliminate_joint(
                problem, j, system, scratch.stop[j, 0, 1], scratch.stop[j, 1, 1], scratch.stop[j, 0, 0],
                scratch.stop[j, 1, 0], scratch.eliminated,
            )  # fmt: skip
    solve_root(system, scratch.root, scratch.dw)
    expand_joints(problem.joint, scratch.eliminated, scratch.dw, scratch.old_rate)
    for k in range(n):
        for c in range(problem.first[k], problem.first[k + 1]):
            contact_velocities(problem.rows, c, scratch.dw, k, scratch.old_gamma, False)


@jit
def _inertial(problem: SpatialProblem, w: FloatArray, dw: FloatArray) -> tuple[float, float]:
    """Derivative at 0, and its change per unit step, of 1/2 |w - w_free|_M^2 along `dw`."""
    first = second = 0.0
    half, mass = problem.half, problem.mass
    difference = problem.axial - problem.inertia
    for k in range(w.shape[0]):
        ex, ey, ez = problem.axis[k, 0], problem.axis[k, 1], problem.axis[k, 2]
        cx, cy, cz = half * ex, half * ey, half * ez
        px, py, pz = dw[k, 3], dw[k, 4], dw[k, 5]
        dx, dy, dz = dw[k, 0] + py * cz - pz * cy, dw[k, 1] + pz * cx - px * cz, dw[k, 2] + px * cy - py * cx
        ox, oy, oz = w[k, 3], w[k, 4], w[k, 5]
        vx = w[k, 0] + oy * cz - oz * cy - problem.free[k, 0]
        vy = w[k, 1] + oz * cx - ox * cz - problem.free[k, 1]
        vz = w[k, 2] + ox * cy - oy * cx - problem.free[k, 2]
        ox -= problem.free[k, 3]
        oy -= problem.free[k, 4]
        oz -= problem.free[k, 5]
        spin, turn = px * ex + py * ey + pz * ez, ox * ex + oy * ey + oz * ez
        first += mass * (dx * vx + dy * vy + dz * vz) + difference * spin * turn
        first += problem.inertia * (px * ox + py * oy + pz * oz)
        second += mass * (dx * dx + dy * dy + dz * dz) + difference * spin * spin
        second += problem.inertia * (px * px + py * py + pz * pz)
    return first, second


@jit
def _slope(
    problem: SpatialProblem, impulses: SpatialImpulses, scratch: SpatialScratch, softness: float, step: float
) -> float:
    """Derivative of everything but the inertial part along the search direction, at `step`."""
    slope = 0.0
    contact, gamma, change = impulses.contact, scratch.gamma, scratch.old_gamma
    for c in range(problem.first[problem.axis.shape[0]]):
        prox_b = problem.gain[c, 0] / softness
        slope -= change[c, 0] * prox_positive(contact[c, 0] - prox_b * (gamma[c, 0] + step * change[c, 0]))
        for law in range(1, 3):
            if problem.gain[c, law] > 0.0:
                i = 2 * law - 1
                prox_b = problem.gain[c, law] / softness
                z1, z2 = prox_disc(
                    contact[c, i] - prox_b * (gamma[c, i] + step * change[c, i]),
                    contact[c, i + 1] - prox_b * (gamma[c, i + 1] + step * change[c, i + 1]),
                    scratch.law[c, BOUND],
                )
                slope -= change[c, i] * z1 + change[c, i + 1] * z2
    for k in range(problem.joint.shape[0]):
        for a in range(2):
            d = scratch.old_rate[k, a]
            rate = scratch.rate[k, a] + step * d
            slope -= d * (problem.drive[k, a] - problem.drag[k, a] * rate)
            if problem.n_stops > 0 and problem.stop[k, a] != 0.0:
                prox_b = 0.5 * problem.inertia / softness
                sign = problem.stop[k, a]
                slope -= d * sign * prox_positive(impulses.stop[k, a] - prox_b * sign * rate)
    return slope


@jit
def _line_search(
    problem: SpatialProblem, impulses: SpatialImpulses, scratch: SpatialScratch, softness: float, first: float,
    second: float,
) -> tuple[float, float]:  # fmt: skip
    """Step in (0, 1] to the minimum along the direction (or 1 if that is farther), and the slope at 0."""
    start = first + _slope(problem, impulses, scratch, softness, 0.0)
    if first + second + _slope(problem, impulses, scratch, softness, 1.0) <= 1e-2 * abs(start):
        return 1.0, start
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        here = first + middle * second + _slope(problem, impulses, scratch, softness, middle)
        if abs(here) <= 1e-2 * abs(start):
            return middle, start
        if here > 0.0:
            high = middle
        else:
            low = middle
    return high, start


@jit
def _update_multipliers(
    problem: SpatialProblem, impulses: SpatialImpulses, scratch: SpatialScratch, softness: float
) -> float:
    """P becomes prox(P - B gamma); returns the worst natural map of the problem with given bounds, N s."""
    worst = 0.0
    contact, gamma = impulses.contact, scratch.gamma
    for c in range(problem.first[problem.axis.shape[0]]):
        gain = problem.gain[c, 0]
        p = prox_positive(contact[c, 0] - gain / softness * gamma[c, 0])
        contact[c, 0] = p
        worst = max(worst, natural_positive(p, gamma[c, 0], gain))
        for law in range(1, 3):
            gain = problem.gain[c, law]
            if gain > 0.0:
                i = 2 * law - 1
                bound = scratch.law[c, BOUND]
                p, q = prox_disc(
                    contact[c, i] - gain / softness * gamma[c, i],
                    contact[c, i + 1] - gain / softness * gamma[c, i + 1], bound,
                )  # fmt: skip
                contact[c, i] = p
                contact[c, i + 1] = q
                worst = max(worst, natural_disc(p, q, gamma[c, i], gamma[c, i + 1], gain, bound))
    if problem.n_stops > 0:
        gain = 0.5 * problem.inertia
        for k in range(problem.joint.shape[0]):
            for a in range(2):
                if problem.stop[k, a] != 0.0:
                    rate = problem.stop[k, a] * scratch.rate[k, a]
                    p = prox_positive(impulses.stop[k, a] - gain / softness * rate)
                    impulses.stop[k, a] = p
                    worst = max(worst, natural_positive(p, rate, gain) * 0.5 / problem.half)
    return worst


@jit
def solve_bounded(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, goal: float, most: int,
    begin: int,
) -> int:  # fmt: skip
    """Solve the problem whose friction discs have the radii in `scratch.law`, from the present iterate.

    `w`, `scratch.rate` and `scratch.gamma` must belong together and satisfy the joints.

    Parameters
    ----------
    problem, impulses, w, scratch
        As for `solve_spatial`.
    goal : float
        Natural map at which to stop, N s.
    most : int
        Newton iterations at most.
    begin : int
        Entry of `SOFTNESS` to begin with: the farther away the start, the softer.

    Returns
    -------
    int
        Newton iterations taken.
    """
    done = 0
    for update in range(UPDATES):
        softness = SOFTNESS[min(begin + update, len(SOFTNESS) - 1)]
        least = math.inf
        stalled = 0
        while done < most and stalled < STALLED:
            done += 1
            _direction(problem, impulses, w, scratch, softness)
            first, second = _inertial(problem, w, scratch.dw)
            step, slope = _line_search(problem, impulses, scratch, softness, first, second)
            for k in range(w.shape[0]):
                for i in range(6):
                    w[k, i] += step * scratch.dw[k, i]
            for c in range(problem.first[w.shape[0]]):
                for i in range(5):
                    scratch.gamma[c, i] += step * scratch.old_gamma[c, i]
            for k in range(problem.joint.shape[0]):
                for a in range(2):
                    scratch.rate[k, a] += step * scratch.old_rate[k, a]
            # The slope is minus the square of the direction in the local metric, kg m^2/s^2.
            size = abs(slope)
            if step == 1.0 and size <= 1e-20 * problem.scale * problem.scale / problem.mass:
                break
            if size >= 0.25 * least:
                stalled += 1
            least = min(least, size)
        worst = _update_multipliers(problem, impulses, scratch, softness)
        if worst <= goal or done >= most:
            break
    return done
