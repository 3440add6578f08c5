"""The solutions of smoothed laws followed to exact ones: by lowering tau, or, where they turn back, by their length."""

from __future__ import annotations

import math

from snakestudio.kernels._jit import jit
from snakestudio.kernels.rescue_exact import ENOUGH, iterate, keep_best
from snakestudio.kernels.rescue_laws import linearise
from snakestudio.kernels.rescue_points import RescueScratch, copy, largest_square, move, product, scale
from snakestudio.kernels.rescue_solve import solve
from snakestudio.kernels.spatial_problem import SpatialProblem

__all__ = ["KEEN", "follow_by_length", "follow_by_tau"]

KEEN = 1e-9
"""What is taken off the smoothed laws' slopes, so that closed contacts can be inverted (1e-6 loses problems)."""


@jit
def _ahead(problem: SpatialProblem, change: float, tau: float, shift: float, s: RescueScratch) -> float:
    """Go along the last tangent by a change of ln tau, to `tau`, if that is nearer; returns what is missed there."""
    contacts = int(problem.first[problem.axis.shape[0]])
    move(s.here, change, s.tangent, contacts, s.trial)
    there = linearise(problem, s.trial, tau, KEEN, shift, 1.0, s)
    here = linearise(problem, s.here, tau, KEEN, shift, 1.0, s)
    if not there < here:
        return here
    copy(s.trial, contacts, s.here)
    return linearise(problem, s.here, tau, KEEN, shift, 1.0, s)


@jit
def follow_by_tau(
    problem: SpatialProblem, least: float, most: int, tau: float, shift: float, s: RescueScratch
) -> tuple[int, float]:
    """Follow the smoothed laws from `s.here` by lowering tau; returns linear solves and the least residual so far."""
    contacts = int(problem.first[problem.axis.shape[0]])
    here, trial = s.here, s.trial
    done = inner = 0
    end = 1e-7 * problem.scale
    next_try = 1e-5 * problem.scale
    squares = linearise(problem, here, tau, KEEN, shift, 1.0, s)
    while done < most:
        done += 1
        inner += 1
        solve(problem, here, s)
        step = 1.0
        after = 0.0
        good = False
        for _ in range(14):
            move(here, step, s.newton, contacts, trial)
            after = linearise(problem, trial, tau, KEEN, shift, 1.0, s)
            if after <= (1.0 - 1e-3 * step) * squares:
                good = True
                break
            step *= 0.5
        copy(trial, contacts, here)
        squares = after
        if not squares < 1e30 * problem.scale * problem.scale:
            break
        near = math.sqrt(squares) <= 0.5 * tau
        if not near and good and inner <= 25:
            continue
        least = keep_best(problem, here, least, s)
        if least <= ENOUGH or tau <= end:
            break
        if near and tau < next_try:
            next_try = 0.1 * tau
            copy(here, contacts, s.kept)
            more, least = iterate(problem, least, 8, 1e-6, 1.0, not near, s)  # undamped, and no literal: see `rescue`
            done += more
            if least <= ENOUGH:
                break
            copy(s.kept, contacts, here)
        shrink = 0.1 if step == 1.0 and inner <= 4 else math.sqrt(0.1)
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
    squares = linearise(problem, here, tau, taken, shift, 1.0, s)
    while math.sqrt(squares) > 0.1 * tau:
        if done >= most:
            return done, False
        done += 1
        solve(problem, here, s)
        step = 1.0
        after = 0.0
        for _ in range(12):
            move(here, step, s.newton, contacts, trial)
            after = linearise(problem, trial, tau, taken, shift, 1.0, s)
            if after <= (1.0 - 1e-3 * step) * squares:
                break
            step *= 0.5
        copy(trial, contacts, here)
        taken = min(max(taken * (4.0 if step < 0.2 else 0.25), keen), 1.0)
        squares = linearise(problem, here, tau, taken, shift, 1.0, s)
    return done, True


@jit
def follow_by_length(
    problem: SpatialProblem, least: float, most: int, tau: float, keen: float, shift: float, s: RescueScratch
) -> tuple[int, float]:
    """Follow the path by its length from `s.here` and `tau`; returns linear solves and the least residual so far."""
    contacts = int(problem.first[problem.axis.shape[0]])
    here, trial, ahead, tangent, newton = s.here, s.trial, s.ahead, s.tangent, s.newton
    per_length = 0.5 / problem.half
    done, well = _settle(problem, min(most, 80), tau, keen, shift, s)
    if not well:
        return done, keep_best(problem, here, least, s)
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
        size = 0.3 * max(math.sqrt(largest_square(here, contacts, per_length)), problem.scale)
        unit = 1.0 / (size * size)
        linearise(problem, here, math.exp(level), keen, shift, 1.0, s)
        done += 1
        solve(problem, here, s)
        norm = math.sqrt(product(tangent, tangent, contacts, per_length) * unit + 1.0)
        if not norm < 1e30:
            break
        sign = 1.0 if product(tangent, ahead, contacts, per_length) * unit + down > 0.0 else -1.0
        scale(tangent, sign / norm, contacts, ahead)
        down = sign / norm
        accepted = False
        rounds = 0
        level_1 = level
        for _ in range(10):
            move(here, length, ahead, contacts, trial)
            level_1 = level + length * down
            before = math.inf
            close = False
            rounds = 0
            while rounds < 7:
                tau = math.exp(level_1)
                missed = math.sqrt(linearise(problem, trial, tau, keen, shift, 1.0, s))
                if missed <= 0.05 * tau:
                    close = True
                    break
                if missed > 2.0 * before or not missed < 1e30 * problem.scale:
                    break
                before = missed
                done += 1
                rounds += 1
                solve(problem, trial, s)
                under = product(ahead, tangent, contacts, per_length) * unit + down
                change = -product(ahead, newton, contacts, per_length) * unit / under if under != 0.0 else 0.0
                change = min(max(change, -2.0), 2.0)
                move(trial, 1.0, newton, contacts, trial)
                move(trial, change, tangent, contacts, trial)
                level_1 += change
            if close and level - 6.0 < level_1 < level + 3.0:
                accepted = True
                break
            length *= 0.4
        if not accepted:
            break
        copy(trial, contacts, here)
        level = level_1
        if rounds <= 2:
            length = min(2.0 * length, 2.5)
        elif rounds >= 5:
            length *= 0.6
        least = keep_best(problem, here, least, s)
        if least <= ENOUGH or level > highest:
            break
        if math.exp(level) < next_try:
            next_try = 0.1 * math.exp(level)
            copy(here, contacts, s.kept)
            more, least = iterate(problem, least, 10, 1e-6, 1.0, False, s)
            done += more
            copy(s.kept, contacts, here)
            if least <= ENOUGH:
                break
        if math.exp(level) < 1e-7 * problem.scale:
            break
    return done, least
