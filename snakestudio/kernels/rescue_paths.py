"""Continuation from smoothed to exact laws: by decreasing tau, or along the path's arc length if it turns back."""

from __future__ import annotations

import math

from snakestudio.kernels._jit import jit
from snakestudio.kernels.rescue_exact import ENOUGH, iterate, keep_best
from snakestudio.kernels.rescue_laws import linearise, squared_error
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
"""Cosine of the largest angle by which a path turns in a step."""

LAST = 1e-10
"""Final tau of a path with compliant contacts, in units of the scale."""

EVERY = 60
"""Number of linear solves between exact steps from a path near its end."""

HALVINGS = 13
"""Largest number of halvings of a step on smoothed laws until their error decreases."""

REDUCTION = 1e-9
"""Reduction of the smoothed laws' slopes, so that closed contacts can be inverted (1e-6 solves
fewer problems)."""


@jit
def follow_by_tau(
    problem: SpatialProblem, least: float, most: int, tau: float, factor: float, s: RescueScratch
) -> tuple[int, float]:
    """Follow the smoothed laws from `s.current` by decreasing tau; return linear solves and the least residual so far.

    Gains are `factor` times those of the problem. Large gains make the path short if many contacts
    roll or slide very slowly: with gain g, a smoothed contact is near the edge of its cone up to a
    velocity of tau / g.
    """
    contacts = int(problem.first[problem.axis.shape[0]])
    current = s.current
    trial = s.trial
    done = inner = 0
    end = 1e-7 * problem.scale
    next_try = 1e-5 * problem.scale
    squares = linearise(problem, current, tau, REDUCTION, 0.0, factor, 0.0, s)
    while done < most:
        done += 1
        inner += 1
        solve(problem, current, s, False)
        move(current, 1.0, s.newton, contacts, trial)
        after = linearise(problem, trial, tau, REDUCTION, 0.0, factor, 0.0, s)
        step = 1.0
        halvings = 0
        while halvings < HALVINGS and not after <= (1.0 - 1e-3 * step) * squares:
            halvings += 1
            step *= 0.5
            move(current, step, s.newton, contacts, trial)
            after = squared_error(problem, trial, tau, 0.0, factor, s)
        copy(trial, contacts, current)
        if halvings > 0:
            after = linearise(problem, current, tau, REDUCTION, 0.0, factor, 0.0, s)
        squares = after
        if not squares < 1e30 * problem.scale * problem.scale:
            break
        near = math.sqrt(squares) <= tau
        if not near and halvings < HALVINGS and inner <= 25:
            continue
        least = keep_best(problem, current, least, s)
        if least <= ENOUGH or tau <= end:
            break
        if near and tau < next_try:
            next_try = 0.1 * tau
            copy(current, contacts, s.saved)
            more, least = iterate(problem, least, 8, 1e-6, s)
            done += more
            if least <= ENOUGH:
                break
            copy(s.saved, contacts, current)
        tau *= 0.1 if halvings == 0 and inner <= 4 else math.sqrt(0.1)
        inner = 0
        squares = linearise(problem, current, tau, REDUCTION, 0.0, factor, 0.0, s)
    return done, least


@jit
def _settle(
    problem: SpatialProblem, most: int, tau: float, shift: float, factor: float, s: RescueScratch
) -> tuple[int, bool]:
    """Solve the laws smoothed by `tau` from `s.current` with damping; return linear solves and whether it converged."""
    contacts = int(problem.first[problem.axis.shape[0]])
    current = s.current
    trial = s.trial
    done = 0
    reduction = shift
    squares = linearise(problem, current, tau, reduction, shift, factor, 0.0, s)
    while math.sqrt(squares) > 0.1 * tau:
        if done >= most:
            return done, False
        done += 1
        solve(problem, current, s, False)
        step = 1.0
        after = 0.0
        for _ in range(12):
            move(current, step, s.newton, contacts, trial)
            after = squared_error(problem, trial, tau, shift, factor, s)
            if after <= (1.0 - 1e-3 * step) * squares:
                break
            step *= 0.5
        copy(trial, contacts, current)
        reduction = min(max(reduction * (4.0 if step < 0.2 else 0.25), shift), 1.0)
        squares = linearise(problem, current, tau, reduction, shift, factor, 0.0, s)
    return done, True


@jit
def follow_by_length(
    problem: SpatialProblem, least: float, most: int, tau: float, factor: float, s: RescueScratch
) -> tuple[int, float]:
    """Follow the path of compliant contacts by its arc length, from `s.current` and `tau`, N s.

    Their compliance is the fraction tau / (its initial value) of the change of their impulses since
    the start, which gives a proximal point's path. The internal stresses of a jammed robot are
    therefore determined along the whole path, whereas smoothed laws alone determine them only by
    tau squared, too weakly for linear solves in the presence of rounding.

    Parameters
    ----------
    least : float
        Least residual so far.
    most : int
        Largest number of linear solves.
    tau : float
        Initial smoothing of the laws.
    factor : float
        Factor of all gains.

    Returns
    -------
    (int, float)
        Number of linear solves, and the least residual so far.
    """
    contacts = int(problem.first[problem.axis.shape[0]])
    current = s.current
    trial = s.trial
    ahead = s.ahead
    tangent = s.tangent
    newton = s.newton
    saved = s.saved
    per_length = 0.5 / problem.half
    give = 1.0 / tau
    for c in range(contacts):
        for i in range(5):
            s.anchor.contact[c, i] = current.contact[c, i]
            ahead.contact[c, i] = 0.0
    for j in range(ahead.joint.shape[0]):
        s.anchor.joint[j] = current.joint[j]
        ahead.joint[j] = 0.0
    done, well = _settle(problem, min(most, 80), tau, give * tau, factor, s)
    if not well:
        return done, keep_best(problem, current, least, s)
    first = level = saved_level = math.log(tau)
    length = 0.7
    down = -1.0  # derivative of ln tau along the path
    near = next_try = 1e-3 * problem.scale
    tried = done
    back = False  # whether the saved point is the previous one
    while done < most:
        size = 0.3 * max(math.sqrt(largest_square(current, contacts, per_length)), problem.scale)
        unit = 1.0 / (size * size)
        tau = math.exp(level)
        linearise(problem, current, tau, give * tau, give * tau, factor, give * tau, s)
        done += 1
        solve(problem, current, s, True)
        norm = math.sqrt(product(tangent, tangent, contacts, per_length) * unit + 1.0)
        if not norm < 1e30:
            break
        along = product(tangent, ahead, contacts, per_length) * unit + down
        before = math.sqrt(product(ahead, ahead, contacts, per_length) * unit + down * down)
        if back and abs(along) < SHARP * norm * before and length > 1e-6:
            # Beyond a bend, possibly on another branch of the path, which leads back.
            copy(saved, contacts, current)
            level = saved_level
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
            move(current, length, ahead, contacts, trial)
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
        copy(current, contacts, saved)
        saved_level = level
        back = True
        copy(trial, contacts, current)
        level = level_1
        if rounds <= 3:
            length = min((2.0 if rounds <= 2 else 1.5) * length, 2.5)
        elif rounds >= 5:
            length *= 0.7
        least = keep_best(problem, current, least, s)
        if least <= ENOUGH or not LAST * problem.scale < math.exp(level) <= 1.1 * math.exp(first):
            break
        if math.exp(level) < next_try or (done > tried + EVERY and math.exp(level) < near):
            next_try = min(next_try, 0.1 * math.exp(level))
            tried = done
            copy(current, contacts, saved)
            back = False
            more, least = iterate(problem, least, 10, 1e-6, s)
            done += more
            copy(saved, contacts, current)
            if least <= ENOUGH:
                break
    return done, least
