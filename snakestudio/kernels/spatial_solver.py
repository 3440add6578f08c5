"""Contact solver of a chain in space: Newton's iteration, and what is tried where it fails.

In this order: other factors of the gains, undamped; friction bounds that follow the loads; large gains, damped. All but
some thousandths of the steps of a run never come here.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.spatial_augmented import BOUND, solve_bounded
from snakestudio.kernels.spatial_chain import prepare_inertia
from snakestudio.kernels.spatial_newton import (
    begin,
    choose_all,
    copy_rows,
    keep,
    newton,
    recall,
    solve_linear,
    take_step,
)
from snakestudio.kernels.spatial_problem import SpatialImpulses, SpatialProblem
from snakestudio.kernels.spatial_scratch import SpatialScratch

__all__ = ["solve_spatial"]

FloatArray = NDArray[np.float64]

NEWTON_ITERATIONS = 12
"""After that many iterations other factors of the gains are tried."""

HALVINGS, NO_HALVINGS = 6, 0
"""How often a step that makes the natural maps worse is halved (used as `int(...)`: a literal is compiled apart)."""

FACTORS = ((10.0, 10.0, 10.0), (1.0, 0.1, 1.0), (1.0, 10.0, 1.0))
"""Factors of the gains of normal force, friction and rolling friction that are tried one after the other. No step is
halved here: three quarters of the problems the damped iteration cannot solve are solved then, half of them else."""

NEAR = 0.1
"""Natural map, in units of `problem.scale`, up to which the damped iteration's end is a better start than the guess."""

SWEEPS = 40
"""How often the friction bounds follow the loads."""

LOOSE, TIGHT = 0.1, 1e-11
"""By what factor each sweep is solved more closely, and how closely at most, in units of `problem.scale`."""

RESTART = 3
"""Softness (an index) with which a later sweep begins."""

MOST_AHEAD, MOST_BACK = 10.0, 0.5
"""How much of the last change of the loads the friction bounds go on at most, and back."""

ENOUGH = 5e-9
"""What a hard problem is solved to, in units of `problem.scale`."""

APPROACH, ASTRAY = 600, 1e3
"""Iterations that bounds which follow the loads may take, and the natural map (as above) from which they run away."""

PATIENT, PATIENCE = 10.0, 100
"""Factor of all gains in the last attempt, and how many iterations it may take."""

# Entries of SpatialScratch.law: the load and by how much it missed the bound in a sweep, and the bound of the next.
LOAD, MISSED, NEXT_BOUND = 10, 11, 12


@jit
def _finish(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, goal: float, most: int
) -> tuple[int, bool]:
    """Newton iterations, as long as each makes the worst natural map much smaller."""
    worst, _ = choose_all(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0)
    iteration = 0
    while iteration < most:
        iteration += 1
        solve_linear(problem, impulses, w, scratch, 1.0, 1.0, 1.0)
        take_step(problem, impulses, w, scratch, 1.0, 1.0, 1.0)
        before = worst
        worst, _ = choose_all(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0)
        if worst <= goal:
            return iteration, True
        if not worst <= 0.5 * before:
            return iteration, False
    return iteration, False


@jit
def _follow_loads(problem: SpatialProblem, impulses: SpatialImpulses, scratch: SpatialScratch, first: bool) -> None:
    """Choose the next friction bounds: the loads, and on along what their last change says.

    Bounds that just follow come nearer by the same factor (0.6 and the like) every time, most often in one direction:
    one step of Anderson's acceleration takes that away.
    """
    law, contact = scratch.law, impulses.contact
    contacts = problem.first[problem.axis.shape[0]]
    product = square = 0.0
    for c in range(contacts):
        missed = contact[c, 0] - law[c, BOUND]
        change = missed - law[c, MISSED]
        product += missed * change
        square += change * change
    on = 0.0
    if not first and square > 0.0:
        on = min(max(product / square, -MOST_AHEAD), MOST_BACK)
    for c in range(contacts):
        load = contact[c, 0]
        law[c, NEXT_BOUND] = max(load - on * (load - law[c, LOAD]), 0.0)
        law[c, MISSED] = load - law[c, BOUND]
        law[c, LOAD] = load


@jit
def _approach(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, goal: float, most: int
) -> tuple[int, bool]:
    """Solve with friction bounds that follow the loads, trying the Newton iteration from each such point.

    Ends with the best point that satisfies the equations of motion; `scratch.reached` says how good it is.
    """
    done = 0
    least = math.inf
    recall(problem, impulses, w, scratch)
    enough = max(goal, ENOUGH * problem.scale)
    for c in range(problem.first[w.shape[0]]):
        scratch.law[c, NEXT_BOUND] = max(impulses.contact[c, 0], 0.0)
    for sweep in range(SWEEPS):
        for c in range(problem.first[w.shape[0]]):
            scratch.law[c, BOUND] = scratch.law[c, NEXT_BOUND]
        loose = problem.scale * max(LOOSE**sweep * 1e-2, TIGHT)
        done += solve_bounded(problem, impulses, w, scratch, loose, max(most - done, 1), 0 if sweep == 0 else RESTART)
        _follow_loads(problem, impulses, scratch, sweep == 0)
        worst, _ = choose_all(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0)
        if worst < least:
            least = worst
            keep(problem, impulses, w, scratch)
        if worst <= enough or done >= most or worst > ASTRAY * problem.scale:
            break
        # The Newton iteration may lead astray: the next sweep begins where this one ended.
        copy_rows(w, w.shape[0], scratch.old_w)
        copy_rows(impulses.contact, int(problem.first[w.shape[0]]), scratch.old_contact)
        copy_rows(impulses.stop, w.shape[0] - 1, scratch.old_stop)
        more, solved = _finish(problem, impulses, w, scratch, enough, NEWTON_ITERATIONS)
        done += more
        if solved:
            return done, True
        copy_rows(scratch.old_w, w.shape[0], w)
        copy_rows(scratch.old_contact, int(problem.first[w.shape[0]]), impulses.contact)
        copy_rows(scratch.old_stop, w.shape[0] - 1, impulses.stop)
        begin(problem, w, scratch)
    recall(problem, impulses, w, scratch)
    scratch.reached[0] = least
    return done, least <= enough


@jit
def _vary(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, goal: float, most: int
) -> tuple[int, bool]:
    """Go on from where the iteration stands with other factors of the gains, one set after the other."""
    done = 0
    for r_n, r_t, r_v in FACTORS:
        choose_all(problem, impulses, scratch.gamma, scratch, r_n, r_t, r_v)
        more, solved = newton(
            problem, impulses, w, scratch, goal, min(most - done, NEWTON_ITERATIONS), r_n, r_t, r_v, int(NO_HALVINGS)
        )
        done += more
        if solved or done >= most:
            return done, solved
    return done, False


@jit
def _patiently(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, goal: float, most: int
) -> int:
    """Damped Newton iterations with large gains: slow, but they solve what throws 88 links about."""
    choose_all(problem, impulses, scratch.gamma, scratch, PATIENT, PATIENT, PATIENT)
    done, _ = newton(problem, impulses, w, scratch, goal, min(most, PATIENCE), PATIENT, PATIENT, PATIENT, int(HALVINGS))
    worst, _ = choose_all(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0)
    if not worst <= scratch.reached[0]:
        recall(problem, impulses, w, scratch)
    return done


@inlined
def solve_spatial(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, tolerance: float,
    most: int,
) -> int:  # fmt: skip
    """Solve the step's contact problem (replaces the iteration P1 (84)-(93); the laws solved are (77)-(82)).

    Parameters
    ----------
    problem : SpatialProblem
    impulses : SpatialImpulses
        Guess on entry, result on return.
    w : (n, 6)
        Guess of the velocities on entry, result on return.
    scratch : SpatialScratch
    tolerance : float
        Stop when the natural map of every law is below this, in units of `problem.scale`.
    most : int
        Newton iterations at most.

    Returns
    -------
    int
        Iterations taken; how good the result is, the residual says.
    """
    goal = tolerance * problem.scale
    prepare_inertia(problem, scratch.inertia)
    begin(problem, w, scratch)
    keep(problem, impulses, w, scratch)
    choose_all(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0)
    iterations, solved = newton(
        problem, impulses, w, scratch, goal, min(most, NEWTON_ITERATIONS), 1.0, 1.0, 1.0, int(HALVINGS)
    )
    if not solved and most > iterations:
        # What follows may lead astray; the fallback begins where the iteration came near, or else at the guess.
        worst, _ = choose_all(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0)
        if worst <= NEAR * problem.scale:
            keep(problem, impulses, w, scratch)
        more, solved = _vary(problem, impulses, w, scratch, goal, most - iterations)
        iterations += more
    if not solved and most > iterations:
        more, solved = _approach(problem, impulses, w, scratch, goal, min(most - iterations, APPROACH))
        iterations += more
    if not solved and most > iterations:
        iterations += _patiently(problem, impulses, w, scratch, goal, most - iterations)
    return iterations
