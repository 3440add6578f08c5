"""The solutions of smoothed laws followed to exact ones: by lowering tau, or, where they turn back, by their length."""

from __future__ import annotations

import math

from snakestudio.kernels._jit import jit
from snakestudio.kernels.rescue_exact import ENOUGH, iterate, keep_best
from snakestudio.kernels.rescue_laws import linearise, missed
from snakestudio.kernels.rescue_points import (
    RescueScratch,
    copy,
    largest_square,
    move,
    product,
    scale,
)
from snakestudio.kernels.rescue_solve import solve
from snakestudio.kernels.spatial_problem import SpatialProblem

SHARP = 0.3
"""Cosine of the angle that a path turns by in a step at most."""

LAST = 1e-10
"""Where a path in contacts that give way ends, in units of the scale."""

EVERY = 60
"""After how many linear solves exact steps are tried from a path that goes on near its end."""

HALVINGS = 13
"""How often a step on smoothed laws is halved until they miss less."""

KEEN = 1e-9
"""What is taken off the smoothed laws' slopes, so that closed contacts can be inverted (1e-6 loses
problems)."""


@jit
def follow_by_tau(
    problem: SpatialProblem, least: float, most: int, tau: float, factor: float, s: RescueScratch
) -> tuple[int, float]:
    """Follow the smoothed laws from `s.here` by lowering tau; returns linear solves and the least residual so far.

    Gains are `factor` times those of the problem. A path of many contacts that roll or slide ever
    so slowly is short with large ones: with gains g a contact is near the edge of its cone, and
    smoothed, up to a velocity of tau / g.
    """
    contacts = int(problem.first[problem.axis.shape[0]])
    here = s.here
    trial = s.trial
    done = inner = 0
    end = 1e-7 * problem.scale
    next_try = 1e-5 * problem.scale
    squares = linearise(problem, here, tau, KEEN, 0.0, factor, 0.0, s)
    while done < most:
        done += 1
        inner += 1
        solve(problem, here, s, False)
        move(here, 1.0, s.newton, contacts, trial)
        after = linearise(problem, trial, tau, KEEN, 0.0, factor, 0.0, s)
        step = 1.0
        halvings = 0
        while halvings < HALVINGS and not after <= (1.0 - 1e-3 * step) * squares:
            halvings += 1
            step *= 0.5
            move(here, step, s.newton, contacts, trial)
            after = missed(problem, trial, tau, 0.0, factor, s)
        copy(trial, contacts, here)
        if halvings > 0:
            after = linearise(problem, here, tau, KEEN, 0.0, factor, 0.0, s)
        squares = after
        if not squares < 1e30 * problem.scale * problem.scale:
            break
        near = math.sqrt(squares) <= tau
        if not near and halvings < HALVINGS and inner <= 25:
            continue
        least = keep_best(problem, here, least, s)
        if least <= ENOUGH or tau <= end:
            break
        if near and tau < next_try:
            next_try = 0.1 * tau
            copy(here, contacts, s.kept)
            more, least = iterate(problem, least, 8, 1e-6, s)
            done += more
            if least <= ENOUGH:
                break
            copy(s.kept, contacts, here)
        tau *= 0.1 if halvings == 0 and inner <= 4 else math.sqrt(0.1)
        inner = 0
        squares = linearise(problem, here, tau, KEEN, 0.0, factor, 0.0, s)
    return done, least


@jit
def _settle(
    problem: SpatialProblem, most: int, tau: float, shift: float, factor: float, s: RescueScratch
) -> tuple[int, bool]:
    """Solve the laws smoothed by `tau` from `s.here`, damped; returns linear solves and whether that went well."""
    contacts = int(problem.first[problem.axis.shape[0]])
    here = s.here
    trial = s.trial
    done = 0
    taken = shift
    squares = linearise(problem, here, tau, taken, shift, factor, 0.0, s)
    while math.sqrt(squares) > 0.1 * tau:
        if done >= most:
            return done, False
        done += 1
        solve(problem, here, s, False)
        step = 1.0
        after = 0.0
        for _ in range(12):
            move(here, step, s.newton, contacts, trial)
            after = missed(problem, trial, tau, shift, factor, s)
            if after <= (1.0 - 1e-3 * step) * squares:
                break
            step *= 0.5
        copy(trial, contacts, here)
        taken = min(max(taken * (4.0 if step < 0.2 else 0.25), shift), 1.0)
        squares = linearise(problem, here, tau, taken, shift, factor, 0.0, s)
    return done, True


@jit
def follow_by_length(
    problem: SpatialProblem, least: float, most: int, tau: float, factor: float, s: RescueScratch
) -> tuple[int, float]:
    """Follow the path of contacts that give way by its length, from `s.here` and from `tau`, N s.

    They give way by the share tau / (its first value) of what their impulses are more than they
    were: a proximal point's path. So the stresses of a jammed robot, which push nothing, are
    determined all along it, where laws smoothed alone do that by tau squared only: too weakly for a
    path to be seen, for the linear solves and for rounding.

    Parameters
    ----------
    least : float
        Least residual so far.
    most : int
        Linear solves.
    tau : float
        What the laws are smoothed by at first.
    factor : float
        Of all gains.

    Returns
    -------
    (int, float)
        Linear solves, and the least residual so far.
    """
    contacts = int(problem.first[problem.axis.shape[0]])
    here = s.here
    trial = s.trial
    ahead = s.ahead
    tangent = s.tangent
    newton = s.newton
    kept = s.kept
    per_length = 0.5 / problem.half
    give = 1.0 / tau
    for c in range(contacts):
        for i in range(5):
            s.anchor.contact[c, i] = here.contact[c, i]
            ahead.contact[c, i] = 0.0
    for j in range(ahead.stop.shape[0]):
        s.anchor.stop[j] = here.stop[j]
        ahead.stop[j] = 0.0
    done, well = _settle(problem, min(most, 80), tau, give * tau, factor, s)
    if not well:
        return done, keep_best(problem, here, least, s)
    first = level = level_kept = math.log(tau)
    length = 0.7
    down = -1.0  # how ln tau changes along the path
    near = next_try = 1e-3 * problem.scale
    tried = done
    back = False  # whether `kept` is the point before
    while done < most:
        size = 0.3 * max(math.sqrt(largest_square(here, contacts, per_length)), problem.scale)
        unit = 1.0 / (size * size)
        tau = math.exp(level)
        linearise(problem, here, tau, give * tau, give * tau, factor, give * tau, s)
        done += 1
        solve(problem, here, s, True)
        norm = math.sqrt(product(tangent, tangent, contacts, per_length) * unit + 1.0)
        if not norm < 1e30:
            break
        along = product(tangent, ahead, contacts, per_length) * unit + down
        before = math.sqrt(product(ahead, ahead, contacts, per_length) * unit + down * down)
        if back and abs(along) < SHARP * norm * before and length > 1e-6:
            # Across a bend, and maybe on another part of the path, which leads back.
            copy(kept, contacts, here)
            level = level_kept
            length *= 0.2
            back = False
            continue
        sign = 1.0 if along > 0.0 else -1.0
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
                off = math.sqrt(
                    linearise(problem, trial, tau, give * tau, give * tau, factor, give * tau, s)
                )
                if off <= 0.05 * tau:
                    close = True
                    break
                if off > 2.0 * before or not off < 1e30 * problem.scale:
                    break
                before = off
                done += 1
                rounds += 1
                solve(problem, trial, s, True)
                under = product(ahead, tangent, contacts, per_length) * unit + down
                change = (
                    -product(ahead, newton, contacts, per_length) * unit / under
                    if under != 0.0
                    else 0.0
                )
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
        copy(here, contacts, kept)
        level_kept = level
        back = True
        copy(trial, contacts, here)
        level = level_1
        if rounds <= 3:
            length = min((2.0 if rounds <= 2 else 1.5) * length, 2.5)
        elif rounds >= 5:
            length *= 0.7
        least = keep_best(problem, here, least, s)
        if least <= ENOUGH or not LAST * problem.scale < math.exp(level) <= 1.1 * math.exp(first):
            break
        if math.exp(level) < next_try or (done > tried + EVERY and math.exp(level) < near):
            next_try = min(next_try, 0.1 * math.exp(level))
            tried = done
            copy(here, contacts, kept)
            back = False
            more, least = iterate(problem, least, 10, 1e-6, s)
            done += more
            copy(kept, contacts, here)
            if least <= ENOUGH:
                break
    return done, least
