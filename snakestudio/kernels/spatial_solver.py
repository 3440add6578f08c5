"""Contact solver of a chain in space: semi-smooth Newton in articulated-body form.

Every iteration linearises all force laws and solves for all velocities by one recursion along the chain. All quantities
are advanced by increments, so that the large factors of closed contacts amplify no rounding of the velocities.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.spatial_augmented import BOUND, solve_bounded
from snakestudio.kernels.spatial_chain import (
    add_inertia,
    close_chain,
    eliminate_joint,
    expand_joints,
    no_system,
    prepare_inertia,
    solve_root,
)
from snakestudio.kernels.spatial_laws import EPSILON, add_contact, choose_branches, contact_velocities, move_contact
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


@inlined
def _branches(
    problem: SpatialProblem, impulses: SpatialImpulses, gamma: FloatArray, scratch: SpatialScratch, r_n: float,
    r_t: float, r_v: float,
) -> tuple[float, float]:  # fmt: skip
    """Choose the branches of all laws; the worst natural map, N s, and the sum of squares."""
    worst = squares = 0.0
    for c in range(problem.first[problem.axis.shape[0]]):
        largest, sum_of_squares = choose_branches(problem, impulses.contact, gamma, scratch.law, c, r_n, r_t, r_v)
        worst = max(worst, largest)
        squares += sum_of_squares
    if problem.n_stops > 0:
        gain = 0.5 * problem.inertia
        inverse = 0.5 / problem.half
        for k in range(problem.joint.shape[0]):
            for a in range(2):
                if problem.stop[k, a] != 0.0:
                    p = impulses.stop[k, a]
                    y = p - gain * problem.stop[k, a] * scratch.rate[k, a]
                    scratch.stop[k, a, 0] = y
                    distance = (p - max(y, 0.0)) * inverse
                    worst = max(worst, distance * distance)
                    squares += distance * distance
    return math.sqrt(worst), squares


@inlined
def _own_impulse(problem: SpatialProblem, impulses: SpatialImpulses, scratch: SpatialScratch, k: int, a: int) -> float:
    """Impulse of the motor and the stop of a joint axis at the present rate; notes its stiffness in `scratch.stop`."""
    push: float = problem.drive[k, a] - problem.drag[k, a] * scratch.rate[k, a]
    stiff = problem.drag[k, a]
    if problem.n_stops > 0 and problem.stop[k, a] != 0.0 and scratch.stop[k, a, 0] > 0.0:
        stop = 0.5 * problem.inertia / EPSILON
        stiff += stop
        sign = problem.stop[k, a]
        push += sign * (impulses.stop[k, a] - stop * sign * scratch.rate[k, a])
    scratch.stop[k, a, 1] = stiff
    return push


@inlined
def _solve_linear(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, r_n: float, r_t: float,
    r_v: float,
) -> None:  # fmt: skip
    """Increment of all velocities of the linearised problem, into `scratch.dw`, and of `scratch.rate`."""
    gamma, law, dw = scratch.gamma, scratch.law, scratch.dw
    n = w.shape[0]
    system = no_system()
    for reverse in range(n):
        k = n - 1 - reverse
        system = add_inertia(problem, scratch.inertia, w, k, system)
        for c in range(problem.first[k], problem.first[k + 1]):
            system = add_contact(problem, impulses.contact, gamma, law, c, r_n, r_t, r_v, system)
        if k > 0:
            push_0 = _own_impulse(problem, impulses, scratch, k - 1, 0)
            push_1 = _own_impulse(problem, impulses, scratch, k - 1, 1)
            system = eliminate_joint(
                problem, k - 1, system, scratch.stop[k - 1, 0, 1], scratch.stop[k - 1, 1, 1], push_0, push_1,
                scratch.eliminated,
            )  # fmt: skip
    solve_root(system, scratch.root, dw)
    expand_joints(problem.joint, scratch.eliminated, dw, scratch.drate)
    for k in range(n - 1):
        scratch.rate[k, 0] += scratch.drate[k, 0]
        scratch.rate[k, 1] += scratch.drate[k, 1]


@inlined
def _update(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, r_n: float, r_t: float,
    r_v: float,
) -> None:  # fmt: skip
    """Take the full Newton step: velocities, relative velocities by their increments, impulses."""
    gamma, law, dw = scratch.gamma, scratch.law, scratch.dw
    for k in range(w.shape[0]):
        for i in range(6):
            w[k, i] += dw[k, i]
        for c in range(problem.first[k], problem.first[k + 1]):
            contact_velocities(problem.rows, c, dw, k, gamma, True)
            move_contact(problem, impulses.contact, gamma, law, c, r_n, r_t, r_v)
    if problem.n_stops > 0:
        for k in range(problem.joint.shape[0]):
            for a in range(2):
                if problem.stop[k, a] != 0.0 and scratch.stop[k, a, 0] > 0.0:
                    impulses.stop[k, a] -= 0.5 * problem.inertia / EPSILON * problem.stop[k, a] * scratch.rate[k, a]
                else:
                    impulses.stop[k, a] = 0.0


@inlined
def _save(problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch) -> None:
    """Keep the iterate, to go back half-way if the next one is worse."""
    for k in range(w.shape[0]):
        for i in range(6):
            scratch.old_w[k, i] = w[k, i]
    for c in range(problem.first[w.shape[0]]):
        for i in range(5):
            scratch.old_gamma[c, i] = scratch.gamma[c, i]
            scratch.old_contact[c, i] = impulses.contact[c, i]
    for k in range(problem.joint.shape[0]):
        for a in range(2):
            scratch.old_rate[k, a] = scratch.rate[k, a]
            scratch.old_stop[k, a] = impulses.stop[k, a]


@jit
def _halve(problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch) -> None:
    """Go half the way back to the saved iterate; the joints stay closed, for that is linear."""
    for k in range(w.shape[0]):
        for i in range(6):
            w[k, i] = 0.5 * (w[k, i] + scratch.old_w[k, i])
    for c in range(problem.first[w.shape[0]]):
        for i in range(5):
            scratch.gamma[c, i] = 0.5 * (scratch.gamma[c, i] + scratch.old_gamma[c, i])
            impulses.contact[c, i] = 0.5 * (impulses.contact[c, i] + scratch.old_contact[c, i])
    for k in range(problem.joint.shape[0]):
        for a in range(2):
            scratch.rate[k, a] = 0.5 * (scratch.rate[k, a] + scratch.old_rate[k, a])
            impulses.stop[k, a] = 0.5 * (impulses.stop[k, a] + scratch.old_stop[k, a])


@jit
def _newton(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, goal: float, most: int,
    r_n: float, r_t: float, r_v: float, most_halvings: int,
) -> tuple[int, bool]:  # fmt: skip
    """At most `most` Newton iterations from the branches chosen; how many, and whether `goal` is met."""
    squares = 0.0
    solved = False
    iteration = 0
    while iteration < most and not solved:
        iteration += 1
        if most_halvings > 0 and iteration > 1:
            _save(problem, impulses, w, scratch)
        _solve_linear(problem, impulses, w, scratch, r_n, r_t, r_v)
        _update(problem, impulses, w, scratch, r_n, r_t, r_v)
        before = squares
        worst, squares = _branches(problem, impulses, scratch.gamma, scratch, r_n, r_t, r_v)
        # Only a full step satisfies the equations of motion, so no result is accepted after halving.
        solved = worst <= goal
        if not solved and iteration > 1:
            halvings = 0
            while squares > before and halvings < most_halvings:
                halvings += 1
                _halve(problem, impulses, w, scratch)
                worst, squares = _branches(problem, impulses, scratch.gamma, scratch, r_n, r_t, r_v)
    return iteration, solved


@inlined
def _copy(rows: FloatArray, m: int, into: FloatArray) -> None:
    """Copy the first `m` rows."""
    for i in range(m):
        for j in range(rows.shape[1]):
            into[i, j] = rows[i, j]


@jit
def _keep(problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch) -> None:
    """Keep an iterate in `scratch.best_*`."""
    _copy(w, w.shape[0], scratch.best_w)
    _copy(impulses.contact, int(problem.first[w.shape[0]]), scratch.best_contact)
    _copy(impulses.stop, w.shape[0] - 1, scratch.best_stop)


@jit
def _recall(problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch) -> None:
    """Take the kept iterate again."""
    _copy(scratch.best_w, w.shape[0], w)
    _copy(scratch.best_contact, int(problem.first[w.shape[0]]), impulses.contact)
    _copy(scratch.best_stop, w.shape[0] - 1, impulses.stop)
    _begin(problem, w, scratch)


@jit
def _begin(problem: SpatialProblem, w: FloatArray, scratch: SpatialScratch) -> None:
    """Close the joints, and evaluate joint rates and relative velocities of `w`."""
    close_chain(problem, w, scratch.rate)
    for k in range(w.shape[0]):
        for c in range(problem.first[k], problem.first[k + 1]):
            contact_velocities(problem.rows, c, w, k, scratch.gamma, False)


@jit
def _finish(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, goal: float, most: int
) -> tuple[int, bool]:
    """Newton iterations, as long as each makes the worst natural map much smaller."""
    worst, _ = _branches(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0)
    iteration = 0
    while iteration < most:
        iteration += 1
        _solve_linear(problem, impulses, w, scratch, 1.0, 1.0, 1.0)
        _update(problem, impulses, w, scratch, 1.0, 1.0, 1.0)
        before = worst
        worst, _ = _branches(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0)
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
    _recall(problem, impulses, w, scratch)
    enough = max(goal, ENOUGH * problem.scale)
    for c in range(problem.first[w.shape[0]]):
        scratch.law[c, NEXT_BOUND] = max(impulses.contact[c, 0], 0.0)
    for sweep in range(SWEEPS):
        for c in range(problem.first[w.shape[0]]):
            scratch.law[c, BOUND] = scratch.law[c, NEXT_BOUND]
        loose = problem.scale * max(LOOSE**sweep * 1e-2, TIGHT)
        done += solve_bounded(problem, impulses, w, scratch, loose, max(most - done, 1), 0 if sweep == 0 else RESTART)
        _follow_loads(problem, impulses, scratch, sweep == 0)
        worst, _ = _branches(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0)
        if worst < least:
            least = worst
            _keep(problem, impulses, w, scratch)
        if worst <= enough or done >= most or worst > ASTRAY * problem.scale:
            break
        # The Newton iteration may lead astray: the next sweep begins where this one ended.
        _copy(w, w.shape[0], scratch.old_w)
        _copy(impulses.contact, int(problem.first[w.shape[0]]), scratch.old_contact)
        _copy(impulses.stop, w.shape[0] - 1, scratch.old_stop)
        more, solved = _finish(problem, impulses, w, scratch, enough, NEWTON_ITERATIONS)
        done += more
        if solved:
            return done, True
        _copy(scratch.old_w, w.shape[0], w)
        _copy(scratch.old_contact, int(problem.first[w.shape[0]]), impulses.contact)
        _copy(scratch.old_stop, w.shape[0] - 1, impulses.stop)
        _begin(problem, w, scratch)
    _recall(problem, impulses, w, scratch)
    scratch.reached[0] = least
    return done, least <= enough


@jit
def _vary(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, goal: float, most: int
) -> tuple[int, bool]:
    """Go on from where the iteration stands with other factors of the gains, one set after the other."""
    done = 0
    for r_n, r_t, r_v in FACTORS:
        _branches(problem, impulses, scratch.gamma, scratch, r_n, r_t, r_v)
        more, solved = _newton(
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
    _branches(problem, impulses, scratch.gamma, scratch, PATIENT, PATIENT, PATIENT)
    done, _ = _newton(
        problem, impulses, w, scratch, goal, min(most, PATIENCE), PATIENT, PATIENT, PATIENT, int(HALVINGS)
    )
    worst, _ = _branches(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0)
    if not worst <= scratch.reached[0]:
        _recall(problem, impulses, w, scratch)
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
    _begin(problem, w, scratch)
    _keep(problem, impulses, w, scratch)
    _branches(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0)
    iterations, solved = _newton(
        problem, impulses, w, scratch, goal, min(most, NEWTON_ITERATIONS), 1.0, 1.0, 1.0, int(HALVINGS)
    )
    if not solved and most > iterations:
        # What follows may lead astray; the fallback begins where the iteration came near, or else at the guess.
        worst, _ = _branches(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0)
        if worst <= NEAR * problem.scale:
            _keep(problem, impulses, w, scratch)
        more, solved = _vary(problem, impulses, w, scratch, goal, most - iterations)
        iterations += more
    if not solved and most > iterations:
        more, solved = _approach(problem, impulses, w, scratch, goal, min(most - iterations, APPROACH))
        iterations += more
    if not solved and most > iterations:
        iterations += _patiently(problem, impulses, w, scratch, goal, most - iterations)
    return iterations
