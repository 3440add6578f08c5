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
from snakestudio.kernels.spatial_chain import add_inertia, close_chain, eliminate_joint, expand_joints, solve_root
from snakestudio.kernels.spatial_laws import EPSILON, add_contact, choose_branches, contact_velocities, move_contact
from snakestudio.kernels.spatial_problem import SpatialImpulses, SpatialProblem
from snakestudio.kernels.spatial_scratch import SpatialScratch

__all__ = ["solve_spatial"]

FloatArray = NDArray[np.float64]

NEWTON_ITERATIONS = 12
"""After that many iterations other factors of the gains are tried."""

HALVINGS = 6

SWEEPS = 40

VARY = 36
"""Iterations with other factors of the gains before the bounds of friction are taken apart from the loads."""

LOOSE = 0.1
"""By what factor each sweep is solved more closely."""

RESTART = 2
"""Softness (an index) with which a later sweep begins."""

ENOUGH = 5e-9
"""What a hard problem is solved to, in units of `problem.scale`."""
"""How often the friction bounds follow the loads."""


@inlined
def _branches(
    problem: SpatialProblem, impulses: SpatialImpulses, gamma: FloatArray, scratch: SpatialScratch, r_n: float,
    r_t: float, r_v: float, plain: bool,
) -> tuple[float, float]:  # fmt: skip
    """Choose the branches of all laws; the worst natural map, N s, and the sum of squares."""
    worst = squares = 0.0
    for c in range(problem.first[problem.axis.shape[0]]):
        largest, sum_of_squares = choose_branches(
            problem, impulses.contact, gamma, scratch.law, c, r_n, r_t, r_v, plain
        )
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
    local, gamma, law = scratch.inertia, scratch.gamma, scratch.law
    dw = scratch.dw
    n = w.shape[0]
    for i in range(6):
        for j in range(8):
            local[i, j] = 0.0
    for reverse in range(n):
        k = n - 1 - reverse
        add_inertia(problem, w, k, local)
        for c in range(problem.first[k], problem.first[k + 1]):
            add_contact(problem, impulses.contact, gamma, law, c, r_n, r_t, r_v, local)
        if k > 0:
            push_0 = _own_impulse(problem, impulses, scratch, k - 1, 0)
            push_1 = _own_impulse(problem, impulses, scratch, k - 1, 1)
            eliminate_joint(
                problem, k - 1, local, scratch.stop[k - 1, 0, 1], scratch.stop[k - 1, 1, 1], push_0, push_1,
                scratch.eliminated,
            )  # fmt: skip
    solve_root(local, dw)
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
    r_n: float, r_t: float, r_v: float, plain: bool,
) -> tuple[int, bool]:  # fmt: skip
    """At most `most` Newton iterations from the branches chosen; how many, and whether `goal` is met."""
    squares = 0.0
    solved = False
    iteration = 0
    while iteration < most and not solved:
        iteration += 1
        if iteration > 1:
            _save(problem, impulses, w, scratch)
        _solve_linear(problem, impulses, w, scratch, r_n, r_t, r_v)
        _update(problem, impulses, w, scratch, r_n, r_t, r_v)
        before = squares
        worst, squares = _branches(problem, impulses, scratch.gamma, scratch, r_n, r_t, r_v, plain)
        # Only a full step satisfies the equations of motion, so no result is accepted after halving.
        solved = worst <= goal
        if not solved and iteration > 1:
            halvings = 0
            while squares > before and halvings < HALVINGS:
                halvings += 1
                _halve(problem, impulses, w, scratch)
                worst, squares = _branches(problem, impulses, scratch.gamma, scratch, r_n, r_t, r_v, plain)
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
    """Newton iterations without damping, as long as each makes the worst natural map much smaller."""
    worst, _ = _branches(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0, False)
    iteration = 0
    while iteration < most:
        iteration += 1
        _solve_linear(problem, impulses, w, scratch, 1.0, 1.0, 1.0)
        _update(problem, impulses, w, scratch, 1.0, 1.0, 1.0)
        before = worst
        worst, _ = _branches(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0, False)
        if worst <= goal:
            return iteration, True
        if not worst <= 0.5 * before:
            return iteration, False
    return iteration, False


@jit
def _approach(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, goal: float, most: int
) -> int:
    """Solve with friction bounds that follow the loads, trying the Newton iteration from each such point.

    Ends with the best point that satisfies the equations of motion.
    """
    done = 0
    least = math.inf
    _recall(problem, impulses, w, scratch)
    enough = max(goal, ENOUGH * problem.scale)
    for sweep in range(SWEEPS):
        for c in range(problem.first[w.shape[0]]):
            scratch.law[c, BOUND] = max(impulses.contact[c, 0], 0.0)
        loose = problem.scale * max(LOOSE**sweep * 1e-2, 1e-10)
        done += solve_bounded(problem, impulses, w, scratch, loose, max(most - done, 1), 0 if sweep == 0 else RESTART)
        worst, _ = _branches(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0, False)
        if worst < least:
            least = worst
            _keep(problem, impulses, w, scratch)
        if worst <= enough or done >= most:
            break
        # The Newton iteration may lead astray: the next sweep begins where this one ended.
        _copy(w, w.shape[0], scratch.old_w)
        _copy(impulses.contact, int(problem.first[w.shape[0]]), scratch.old_contact)
        _copy(impulses.stop, w.shape[0] - 1, scratch.old_stop)
        more, solved = _finish(problem, impulses, w, scratch, enough, NEWTON_ITERATIONS)
        done += more
        if solved:
            return done
        _copy(scratch.old_w, w.shape[0], w)
        _copy(scratch.old_contact, int(problem.first[w.shape[0]]), impulses.contact)
        _copy(scratch.old_stop, w.shape[0] - 1, impulses.stop)
        _begin(problem, w, scratch)
    _recall(problem, impulses, w, scratch)
    return done


@jit
def _vary(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, goal: float, most: int
) -> tuple[int, bool]:
    """Go on from where the iteration stands with other factors of the gains, one set after the other."""
    done = 0
    for attempt in range(3):
        r_n = r_t = 1.0
        if attempt == 0:
            r_n = r_t = 10.0
        else:
            r_t = 0.1 if attempt == 1 else 10.0
        r_v = r_n
        _branches(problem, impulses, scratch.gamma, scratch, r_n, r_t, r_v, False)
        more, solved = _newton(
            problem, impulses, w, scratch, goal, min(most - done, NEWTON_ITERATIONS), r_n, r_t, r_v, False
        )
        done += more
        if solved or done >= most:
            return done, solved
    return done, False


@inlined
def solve_spatial(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, gamma: FloatArray, scratch: SpatialScratch,
    tolerance: float, most: int,
) -> int:  # fmt: skip
    """Solve the step's contact problem (replaces the iteration P1 (84)-(93); the laws solved are (77)-(82)).

    Parameters
    ----------
    problem : SpatialProblem
    impulses : SpatialImpulses
        Guess on entry, result on return.
    w : (n, 6)
        Guess of the velocities on entry, result on return.
    gamma : (c, 5)
        Relative velocities of the guess, each link taken for itself; the first branches are chosen by them.
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
    _begin(problem, w, scratch)
    _keep(problem, impulses, w, scratch)
    _branches(problem, impulses, gamma, scratch, 1.0, 1.0, 1.0, False)
    iterations, solved = _newton(
        problem, impulses, w, scratch, goal, min(most, NEWTON_ITERATIONS), 1.0, 1.0, 1.0, False
    )
    if not solved and most > iterations:
        more, solved = _vary(problem, impulses, w, scratch, goal, min(most - iterations, VARY))
        iterations += more
    if not solved and most > iterations:
        iterations += _approach(problem, impulses, w, scratch, goal, most - iterations)
    return iterations
