"""Fallback solver: the augmented Lagrangian of the step's convex problem, minimised with an exact line search.

The step's velocity minimises 1/2 |u - u_free|_M^2 + sum of load |gamma_T| over all u that keep joints closed and
contacts from approaching (P2 (55)-(61) are its optimality conditions). The augmented Lagrangian of that strictly convex
problem is convex and once differentiable, Newton's method with an exact line search minimises it from anywhere, and the
method of multipliers converges for every penalty: there is no cycling to fall into. Friction on obstacles enters with
bounds that are given (`scratch.contact[:, 6]`), for with those that follow the normal impulses nothing is minimised.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import jit
from snakestudio.kernels.planar_chain import close_joints, solve_chain
from snakestudio.kernels.planar_problem import ChainImpulses, ChainProblem
from snakestudio.kernels.planar_scratch import (
    ChainScratch,
    add_contact,
    assemble_inertia,
    relative_velocities,
    sliding_velocities,
)
from snakestudio.kernels.prox import (
    natural_disc,
    natural_interval,
    natural_positive,
    prox_disc,
    prox_interval,
    prox_positive,
)

__all__ = ["solve_augmented"]

FloatArray = NDArray[np.float64]

SOFTNESS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12)
"""r / B of one outer iteration after the other; the last one stays."""

OUTER = 200

STALLED = 3
"""Inner iterations without progress after which only rounding is left to remove."""


@jit
def _slope(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, scratch: ChainScratch, softness: float, step: float
) -> float:
    """Derivative of the augmented Lagrangian along the search direction at `u` + `step` `du`.

    `scratch.old_link`, `old_contact` and `old_stop` hold the change of gamma along `du`.
    """
    n = u.shape[0]
    mass, inertia = problem.mass, problem.inertia
    mu_max = max(problem.mu_along, problem.mu_across)
    slope = 0.0
    for k in range(n):
        for i in range(3):
            weight = inertia if i == 2 else mass
            du = scratch.du[k, i]
            slope += weight * du * (u[k, i] + step * du - problem.u_free[k, i])
        if mu_max > 0.0:
            prox_b = mass / (mu_max * mu_max * softness)
            d1, d2 = scratch.old_link[k, 0], scratch.old_link[k, 1]
            z1, z2 = prox_disc(
                impulses.friction[k, 0] - prox_b * (scratch.friction[k, 0] + step * d1),
                impulses.friction[k, 1] - prox_b * (scratch.friction[k, 1] + step * d2),
                problem.load,
            )
            slope -= z1 * d1 + z2 * d2
    for c in range(problem.n_contacts):
        prox_b = scratch.contact[c, 2] / softness
        d1 = scratch.old_contact[c, 0]
        slope -= d1 * prox_positive(impulses.normal[c] - prox_b * (scratch.contact[c, 0] + step * d1))
        if problem.n_rough > 0 and scratch.contact[c, 5] > 0.0:
            prox_b = scratch.contact[c, 5] / softness
            d1 = scratch.old_contact[c, 2]
            y1 = impulses.tangent[c] - prox_b * (scratch.contact[c, 3] + step * d1)
            slope -= d1 * prox_interval(y1, scratch.contact[c, 6])
    if problem.n_stops > 0:
        prox_b = 0.5 * inertia / softness
        for k in range(n - 1):
            if problem.stops[k] != 0.0:
                d1 = scratch.old_stop[k, 0]
                slope -= d1 * prox_positive(impulses.stop[k] - prox_b * (scratch.stop[k, 0] + step * d1))
    return slope


@jit
def _direction(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, scratch: ChainScratch, softness: float
) -> None:
    """Newton direction of the augmented Lagrangian at `u`, into `scratch.du`."""
    n = u.shape[0]
    mass, inertia, local = problem.mass, problem.inertia, scratch.local
    mu_1, mu_2, radius = problem.mu_along, problem.mu_across, problem.load
    mu_max = max(mu_1, mu_2)
    for k in range(n):
        assemble_inertia(problem, u, local, k)
        if mu_max > 0.0:
            cos, sin = problem.cos[k], problem.sin[k]
            prox_b = mass / (mu_max * mu_max * softness)
            y1 = impulses.friction[k, 0] - prox_b * scratch.friction[k, 0]
            y2 = impulses.friction[k, 1] - prox_b * scratch.friction[k, 1]
            norm = math.sqrt(y1 * y1 + y2 * y2)
            # Hessian B (a I + b t t^T) in scaled coordinates, t the tangent of the disc.
            stick, slide, t1, t2 = 1.0, 0.0, 0.0, 0.0
            if norm > radius:
                stick, slide = 0.0, radius / norm
                t1, t2 = -y2 / norm, y1 / norm
                y1 *= slide
                y2 *= slide
            a11 = prox_b * mu_1 * mu_1 * (stick + slide * t1 * t1)
            a12 = prox_b * mu_1 * mu_2 * slide * t1 * t2
            a22 = prox_b * mu_2 * mu_2 * (stick + slide * t2 * t2)
            local[k, 0] += a11 * cos * cos - 2.0 * a12 * cos * sin + a22 * sin * sin
            local[k, 1] += (a11 - a22) * cos * sin + a12 * (cos * cos - sin * sin)
            local[k, 2] += a11 * sin * sin + 2.0 * a12 * cos * sin + a22 * cos * cos
            local[k, 6] += mu_1 * y1 * cos - mu_2 * y2 * sin
            local[k, 7] += mu_1 * y1 * sin + mu_2 * y2 * cos
    for c in range(problem.n_contacts):
        prox_b = scratch.contact[c, 2] / softness
        impulse = impulses.normal[c] - prox_b * scratch.contact[c, 0]
        if impulse > 0.0:
            add_contact(local, problem.link[c], problem.rows, c, 0, prox_b, impulse)
        if problem.n_rough > 0 and scratch.contact[c, 5] > 0.0:
            prox_b = scratch.contact[c, 5] / softness
            impulse = impulses.tangent[c] - prox_b * scratch.contact[c, 3]
            near = prox_interval(impulse, scratch.contact[c, 6])
            add_contact(local, problem.link[c], problem.rows, c, 3, prox_b if near == impulse else 0.0, near)
    if problem.n_stops > 0:
        prox_b = 0.5 * inertia / softness
        for k in range(n - 1):
            y1 = impulses.stop[k] - prox_b * scratch.stop[k, 0]
            active = problem.stops[k] != 0.0 and y1 > 0.0
            scratch.stop[k, 2] = prox_b if active else 0.0
            scratch.stop[k, 3] = problem.stops[k] * y1 if active else 0.0
    solve_chain(problem, local, scratch.stop, scratch.eliminated, scratch.du)
    relative_velocities(problem, scratch.du, scratch.old_link, scratch.old_contact, scratch.old_stop)
    if problem.n_rough > 0:
        sliding_velocities(problem, scratch.du, scratch.old_contact, 2)


@jit
def _line_search(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, scratch: ChainScratch, softness: float, slope: float
) -> float:
    """Step in (0, 1] at which the convex function along the direction has its minimum (or 1 if that is farther)."""
    if _slope(problem, impulses, u, scratch, softness, 1.0) <= 1e-2 * abs(slope):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        here = _slope(problem, impulses, u, scratch, softness, middle)
        if abs(here) <= 1e-3 * abs(slope):
            return middle
        if here > 0.0:
            high = middle
        else:
            low = middle
    return high


@jit
def _update_multipliers(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, scratch: ChainScratch, softness: float
) -> float:
    """P becomes prox(P - B gamma); returns the worst natural map of the result, N s."""
    n = u.shape[0]
    mass, inertia = problem.mass, problem.inertia
    mu_max = max(problem.mu_along, problem.mu_across)
    worst = 0.0
    for k in range(n):
        if mu_max > 0.0:
            prox_r = mass / (mu_max * mu_max)
            prox_b = prox_r / softness
            g1, g2 = scratch.friction[k, 0], scratch.friction[k, 1]
            p1, p2 = prox_disc(
                impulses.friction[k, 0] - prox_b * g1, impulses.friction[k, 1] - prox_b * g2, problem.load
            )
            impulses.friction[k, 0] = p1
            impulses.friction[k, 1] = p2
            worst = max(worst, natural_disc(p1, p2, g1, g2, prox_r, problem.load))
    for c in range(problem.n_contacts):
        prox_r = scratch.contact[c, 2]
        p1 = prox_positive(impulses.normal[c] - prox_r / softness * scratch.contact[c, 0])
        impulses.normal[c] = p1
        worst = max(worst, natural_positive(p1, scratch.contact[c, 0], prox_r))
        if problem.n_rough > 0 and scratch.contact[c, 5] > 0.0:
            prox_r, bound = scratch.contact[c, 5], scratch.contact[c, 6]
            p1 = prox_interval(impulses.tangent[c] - prox_r / softness * scratch.contact[c, 3], bound)
            impulses.tangent[c] = p1
            worst = max(worst, natural_interval(p1, scratch.contact[c, 3], prox_r, bound))
    if problem.n_stops > 0:
        prox_r = 0.5 * inertia
        for k in range(n - 1):
            if problem.stops[k] != 0.0:
                p1 = prox_positive(impulses.stop[k] - prox_r / softness * scratch.stop[k, 0])
                impulses.stop[k] = p1
                worst = max(worst, natural_positive(p1, scratch.stop[k, 0], prox_r) / (2.0 * problem.half_length))
    return worst


@jit
def solve_augmented(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, scratch: ChainScratch, goal: float, most: int
) -> int:
    """Solve the contact problem from the given guess; parameters as in `solve_contacts`, `goal` in N s.

    Returns
    -------
    int
        Newton iterations taken.
    """
    n = u.shape[0]
    done = 0
    close_joints(problem, u)
    relative_velocities(problem, u, scratch.friction, scratch.contact, scratch.stop)
    if problem.n_rough > 0:
        sliding_velocities(problem, u, scratch.contact, 3)
    for outer in range(OUTER):
        softness = SOFTNESS[min(outer, len(SOFTNESS) - 1)]
        least = math.inf
        stalled = 0
        while done < most and stalled < STALLED:
            done += 1
            _direction(problem, impulses, u, scratch, softness)
            slope = _slope(problem, impulses, u, scratch, softness, 0.0)
            if slope >= 0.0:
                break
            step = _line_search(problem, impulses, u, scratch, softness, slope)
            # gamma goes on where u itself is down to its rounding, for the impulses B gamma need its small digits.
            for k in range(n):
                for i in range(3):
                    u[k, i] += step * scratch.du[k, i]
                for i in range(2):
                    scratch.friction[k, i] += step * scratch.old_link[k, i]
            for c in range(problem.n_contacts):
                scratch.contact[c, 0] += step * scratch.old_contact[c, 0]
                if problem.n_rough > 0:
                    scratch.contact[c, 3] += step * scratch.old_contact[c, 2]
            if problem.n_stops > 0:
                for k in range(n - 1):
                    scratch.stop[k, 0] += step * scratch.old_stop[k, 0]
            # The momentum still missing before this iteration was at most sqrt(-slope m / softness).
            if -slope * problem.mass <= 0.01 * goal * goal * softness:
                break
            stalled = stalled + 1 if -slope > 0.5 * least and step > 0.9 else 0
            least = min(least, -slope)
        worst = _update_multipliers(problem, impulses, u, scratch, softness)
        if worst <= goal or done >= most:
            break
    return done
