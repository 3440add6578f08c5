"""Equations of motion and contact laws solved in turn (ADMM)."""

from __future__ import annotations

import math

from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.rescue_exact import iterate
from snakestudio.kernels.rescue_points import (
    DISC_T,
    DISC_V,
    K_1N,
    K_2N,
    K_11,
    K_12,
    K_21,
    K_22,
    K_N,
    Q_1,
    Q_2,
    Q_N,
    STOP_K,
    STOP_Q,
    STOP_S,
    Point,
    RescueScratch,
    accelerate,
    copy,
)
from snakestudio.kernels.rescue_solve import solve
from snakestudio.kernels.residual import CONVERGED
from snakestudio.kernels.spatial_problem import GAIN_N, LAW_N, SpatialProblem

__all__ = ["TURNS", "alternate"]

TURNS, EVERY = 600, 100
"""How many turns these are, and after how many Newton's iteration is tried."""


@inlined
def _pull_laws(problem: SpatialProblem, here: Point, ahead: Point, s: RescueScratch) -> None:
    """Springs of the laws' own gains that pull relative velocities to those in `ahead`, as linearised laws."""
    law = s.law
    for c in range(problem.first[problem.axis.shape[0]]):
        law[c, K_N] = problem.gain[c, GAIN_N]
        law[c, Q_N] = problem.gain[c, GAIN_N] * (ahead.gamma[c, LAW_N] - here.gamma[c, LAW_N])
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
                s.stop[2 * k + a, STOP_K] = gain
                s.stop[2 * k + a, STOP_Q] = gain * sign * (ahead.rate[k, a] - here.rate[k, a])
                s.stop[2 * k + a, STOP_S] = 0.0


@inlined
def _project(problem: SpatialProblem, here: Point, ahead: Point) -> None:
    """Impulses that the laws let be, and in `ahead` the relative velocities that would have led to them."""
    for c in range(problem.first[problem.axis.shape[0]]):
        gain, p = problem.gain[c, GAIN_N], here.contact[c, LAW_N]
        radius = p
        if gain > 0.0:
            radius = max(p - gain * here.gamma[c, LAW_N], 0.0)
            here.contact[c, LAW_N] = radius
            ahead.gamma[c, LAW_N] = here.gamma[c, LAW_N] + (radius - p) / gain
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
def alternate(problem: SpatialProblem, least: float, most: int, s: RescueScratch) -> tuple[int, float]:
    """Alternate between equations of motion and laws (ADMM) from `s.here`, trying Newton's iteration now and then.

    A method of first order: slow, but it goes where loads are so indeterminate that every path is lost.
    """
    contacts = int(problem.first[problem.axis.shape[0]])
    here, ahead = s.here, s.ahead
    done = count = 0
    copy(here, contacts, ahead)
    while done < most:
        done += 1
        count += 1
        _pull_laws(problem, here, ahead, s)
        solve(problem, here, s)
        accelerate(here, s.newton, contacts)
        _project(problem, here, ahead)
        if count % EVERY == 0:
            copy(here, contacts, s.kept)
            more, least = iterate(problem, least, 12, 1e-6, 1.0, done < 0, s)  # undamped, and no literal: see `rescue`
            done += more
            if least <= CONVERGED:
                break
            copy(s.kept, contacts, here)
    return done, least
