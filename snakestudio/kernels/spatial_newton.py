"""Semi-smooth Newton iteration of a chain in space, in articulated-body form.

Every iteration linearises all force laws and solves for all velocities by one recursion along the
chain. All quantities are advanced by increments, so that the large factors of closed contacts do
not amplify rounding errors of the velocities.
"""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.octet import Octet, octet_with, octet_zero
from snakestudio.kernels.residual import CONVERGED
from snakestudio.kernels.spatial_chain import (
    add_inertia,
    close_chain,
    eliminate_axis,
    eliminate_pair,
    expand_joints,
    no_system,
    shift_system,
    solve_root,
)
from snakestudio.kernels.spatial_laws import (
    EPSILON,
    Stiffness,
    add_contact,
    choose_branches,
    contact_velocities,
    move_contact,
)
from snakestudio.kernels.spatial_problem import (
    DRAG,
    DRIVE,
    GAIN_V,
    IMPULSE_HIGH,
    IMPULSE_LOW,
    LAW_GAIN,
    LAW_N,
    LAW_V,
    LAW_V2,
    REBOUND,
    SpatialImpulses,
    SpatialProblem,
)
from snakestudio.kernels.spatial_scratch import STIFF_JOINT, Y_JOINT, SpatialScratch

HALVINGS = 6
"""Largest number of halvings of a step that increases the natural maps."""

ROUGH = 0.1
"""Size of the natural maps, in units of the scale, up to which no step is halved: near the solution
a full step that increases it (a contact at the edge of its cone releases or sticks) is corrected by
the next full step, but not by a shortened one."""

SLOW = 8
NEAR = 0.01
"""Iteration from which, and error up to which, in units of the scale, slow convergence is left to
the exact steps of `contact_rescue`: contacts at the edge of their cones alternate between stick and
slip there, and each alternation gains half a digit."""


PLAIN = Stiffness(EPSILON, EPSILON, EPSILON, 1.0)
"""Stiffness unless `_rolls`."""

ITERATIONS = 20
ROLLING_ITERATIONS = 40
"""Limits of iterations, in general and if `_rolls`, after which Newton's method is regarded as
divergent."""

ROUGH_START = 0.01
"""Error of the start, in units of the scale, up to which gains for `_rolls` are not necessary: it is
1e-4 to 2e-3 where 88 links slide on flat ground, and 0.05 to 20 where they also push on pipes."""

AT_REST = 0.1
"""Largest fraction of discs of rolling friction inside their rims for `_rolls`. Of 88 links between
pipes without friction it is 0.02, on flat ground 0.9, and jammed between rough pipes 0.2 to 0.9."""

SMOOTH = 3e-6
"""Error, in units of the scale, up to which the next step may increase the natural maps if `_rolls`: the
few discs that are still in the wrong state have to cross to the right one."""

NORMAL = 3e-10
STICK = 1e-3
RIM = 1e-9
"""Ratios of `Stiffness` if `_rolls`."""

PULL = 1e-3
SOFT = 10.0
FIRM = 1e4
"""Product of the error and `Stiffness.factor` if `_rolls`, and limits of the factor; their effects are
in docs/decisions/spatial_nonsmooth.md."""


@inlined
def _rolls(problem: SpatialProblem, impulses: SpatialImpulses, error: float) -> bool:
    """Whether nearly all of many contacts roll at the limit of their friction, and the start is rough.

    Parameters
    ----------
    error : float
        Largest natural map at the start, N s.
    """
    contact = impulses.contact
    loaded = at_rest = 0
    for c in range(problem.first[problem.axis.shape[0]]):
        normal = contact[c, LAW_N]
        if problem.gain[c, GAIN_V] > 0.0 and normal > 0.0:
            loaded += 1
            if math.sqrt(contact[c, LAW_V] ** 2 + contact[c, LAW_V2] ** 2) < 0.999 * normal:
                at_rest += 1
    return error > ROUGH_START * problem.scale and loaded > 0 and at_rest <= AT_REST * loaded


@inlined
def _rolling(error: float) -> Stiffness:
    """Stiffness if `_rolls`, for the largest natural map in units of the scale.

    Such a robot presses on its contacts with the mass of many links, so that multipliers of normal
    forces with the gains of free links converge only linearly. The rates of rolling, on the other
    hand, span six orders of magnitude. Stiff discs stop a link that is about to reverse, and with it
    a hundred others; soft ones take hundreds of iterations to cross. They therefore stiffen as the
    error decreases.
    """
    return Stiffness(NORMAL, STICK, RIM, min(max(PULL / error, SOFT), FIRM))


@jit
def _choose_again(
    problem: SpatialProblem,
    impulses: SpatialImpulses,
    scratch: SpatialScratch,
    stiffness: Stiffness,
) -> None:
    """Choose the branches of all laws with other gains than those of the natural maps."""
    choose_all(problem, impulses, scratch.gamma, scratch, stiffness)


@inlined
def choose_all(
    problem: SpatialProblem,
    impulses: SpatialImpulses,
    gamma: FloatArray,
    scratch: SpatialScratch,
    stiffness: Stiffness,
) -> tuple[float, float]:
    """Choose the branches of all laws; return the largest natural map, N s, and the sum of squares."""
    worst = squares = 0.0
    for c in range(problem.first[problem.axis.shape[0]]):
        largest, sum_of_squares = choose_branches(
            problem, impulses.contact, gamma, scratch.law, c, stiffness
        )
        worst = max(worst, largest)
        squares += sum_of_squares
    if problem.n_laws > 0:
        inverse = 0.5 / problem.half
        for j in range(problem.axes.shape[0]):
            low, high = problem.axes[j, IMPULSE_LOW], problem.axes[j, IMPULSE_HIGH]
            if low < high:
                p = impulses.joint[j]
                y = p - problem.axes[j, LAW_GAIN] * (scratch.rate[j] - problem.axes[j, REBOUND])
                scratch.joint[j, Y_JOINT] = y
                distance = (p - min(max(y, low), high)) * inverse
                worst = max(worst, distance * distance)
                squares += distance * distance
    return math.sqrt(worst), squares


@inlined
def _own_impulse(
    problem: SpatialProblem, impulses: SpatialImpulses, scratch: SpatialScratch, j: int
) -> Octet:
    """Impulse of the motor and law of a joint axis at the current rate; stores its stiffness in `scratch.joint`."""
    push: float = problem.axes[j, DRIVE] - problem.axes[j, DRAG] * scratch.rate[j]
    stiff = problem.axes[j, DRAG]
    if problem.n_laws > 0:
        low, high = problem.axes[j, IMPULSE_LOW], problem.axes[j, IMPULSE_HIGH]
        if low < high:
            y = scratch.joint[j, Y_JOINT]
            if low < y < high:
                hold = problem.axes[j, LAW_GAIN] / EPSILON
                stiff += hold
                push += impulses.joint[j] - hold * (scratch.rate[j] - problem.axes[j, REBOUND])
            else:
                push += min(max(y, low), high)
    scratch.joint[j, STIFF_JOINT] = stiff
    return octet_with(octet_zero(), 6, push)


@inlined
def _solve_linear(
    problem: SpatialProblem,
    impulses: SpatialImpulses,
    w: FloatArray,
    scratch: SpatialScratch,
    stiffness: Stiffness,
) -> None:
    """Solve the linearised problem for the increments of all velocities, `scratch.dw`, and update `scratch.rate`."""
    gamma = scratch.gamma
    law = scratch.law
    dw = scratch.dw
    n = w.shape[0]
    system = no_system()
    for reverse in range(n):
        k = n - 1 - reverse
        system = add_inertia(problem, scratch.inertia, w, k, system)
        for c in range(problem.first[k], problem.first[k + 1]):
            system = add_contact(problem, impulses.contact, gamma, law, c, system, stiffness)
        if k > 0:
            begin = problem.joints[k - 1]
            end = problem.joints[k]
            if (end - begin) % 2 == 1:  # the last of one or three; the remaining axes form a pair
                last = end - 1
                push = _own_impulse(problem, impulses, scratch, last)
                stiff = scratch.joint[last, STIFF_JOINT]
                system = eliminate_axis(problem, last, system, stiff, push, scratch.eliminated)
            if end - begin >= 2:
                push_0 = _own_impulse(problem, impulses, scratch, begin)
                push_1 = _own_impulse(problem, impulses, scratch, begin + 1)
                system = eliminate_pair(
                    problem,
                    begin,
                    system,
                    scratch.joint[begin, STIFF_JOINT],
                    scratch.joint[begin + 1, STIFF_JOINT],
                    push_0,
                    push_1,
                    scratch.eliminated,
                )
            system = shift_system(problem, k - 1, system)
    solve_root(system, scratch.root, dw)
    expand_joints(problem, scratch.eliminated, 6, dw, scratch.drate)
    for j in range(scratch.rate.shape[0]):
        scratch.rate[j] += scratch.drate[j]


@inlined
def _apply_step(
    problem: SpatialProblem,
    impulses: SpatialImpulses,
    w: FloatArray,
    scratch: SpatialScratch,
    stiffness: Stiffness,
) -> None:
    """Apply the full Newton step: velocities, relative velocities by their increments, impulses."""
    gamma = scratch.gamma
    dw = scratch.dw
    for k in range(w.shape[0]):
        for i in range(6):
            w[k, i] += dw[k, i]
        for c in range(problem.first[k], problem.first[k + 1]):
            contact_velocities(problem.rows, c, dw, k, gamma, True)
            move_contact(problem, impulses.contact, gamma, scratch.law, c, stiffness)
    if problem.n_laws > 0:
        for j in range(problem.axes.shape[0]):
            low, high = problem.axes[j, IMPULSE_LOW], problem.axes[j, IMPULSE_HIGH]
            y = scratch.joint[j, Y_JOINT]
            if low < high and low < y < high:
                impulses.joint[j] -= (
                    problem.axes[j, LAW_GAIN]
                    / EPSILON
                    * (scratch.rate[j] - problem.axes[j, REBOUND])
                )
            elif low < high:
                impulses.joint[j] = min(max(y, low), high)
            else:
                impulses.joint[j] = 0.0


@inlined
def _save(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch
) -> None:
    """Save the iterate, to step back half-way if the next one is worse."""
    for k in range(w.shape[0]):
        for i in range(6):
            scratch.old_w[k, i] = w[k, i]
    for c in range(problem.first[w.shape[0]]):
        for i in range(5):
            scratch.old_gamma[c, i] = scratch.gamma[c, i]
            scratch.old_contact[c, i] = impulses.contact[c, i]
    for j in range(problem.axes.shape[0]):
        scratch.old_rate[j] = scratch.rate[j]
        scratch.old_joint[j] = impulses.joint[j]


@jit
def _halve(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch
) -> None:
    """Step half the way back to the saved iterate; the joints stay closed because they are linear."""
    for k in range(w.shape[0]):
        for i in range(6):
            w[k, i] = 0.5 * (w[k, i] + scratch.old_w[k, i])
    for c in range(problem.first[w.shape[0]]):
        for i in range(5):
            scratch.gamma[c, i] = 0.5 * (scratch.gamma[c, i] + scratch.old_gamma[c, i])
            impulses.contact[c, i] = 0.5 * (impulses.contact[c, i] + scratch.old_contact[c, i])
    for j in range(problem.axes.shape[0]):
        scratch.rate[j] = 0.5 * (scratch.rate[j] + scratch.old_rate[j])
        impulses.joint[j] = 0.5 * (impulses.joint[j] + scratch.old_joint[j])


@inlined
def newton(
    problem: SpatialProblem,
    impulses: SpatialImpulses,
    w: FloatArray,
    scratch: SpatialScratch,
    goal: float,
    most: int,
    many: bool,
) -> tuple[int, bool]:
    """Do at most `most` Newton iterations, prepared by `begin`; return their number, and whether `goal` is reached.

    `many` is whether there are `MANY` contacts.
    """
    worst, _ = choose_all(problem, impulses, scratch.gamma, scratch, PLAIN)
    rolls = many and _rolls(problem, impulses, worst)
    most = min(most, ROLLING_ITERATIONS if rolls else ITERATIONS)
    stiffness = PLAIN
    rough = ROUGH * ROUGH * problem.scale * problem.scale
    near = NEAR * problem.scale
    smooth = SMOOTH * SMOOTH * problem.scale * problem.scale
    squares = 0.0
    solved = False
    iteration = 0
    while iteration < most and not solved:
        iteration += 1
        if iteration > 1:
            _save(problem, impulses, w, scratch)
        if rolls:
            stiffness = _rolling(worst / problem.scale)
            _choose_again(problem, impulses, scratch, stiffness)
        _solve_linear(problem, impulses, w, scratch, stiffness)
        _apply_step(problem, impulses, w, scratch, stiffness)
        before = squares
        last = worst
        worst, squares = choose_all(problem, impulses, scratch.gamma, scratch, PLAIN)
        # Only a full step satisfies the equations of motion, so a result after halving is not
        # accepted.
        solved = worst <= goal
        if rolls:
            # Rounding: more iterations would not improve the result.
            solved = solved or (worst <= CONVERGED * problem.scale and worst > 0.5 * last)
        elif iteration >= SLOW and worst <= near and not solved:
            break
        if not solved and iteration > 1 and not (rolls and before <= smooth):
            halvings = 0
            while squares > before and squares > rough and halvings < HALVINGS:
                halvings += 1
                _halve(problem, impulses, w, scratch)
                worst, squares = choose_all(problem, impulses, scratch.gamma, scratch, PLAIN)
    return iteration, solved


@inlined
def copy_rows(rows: FloatArray, m: int, into: FloatArray) -> None:
    """Copy the first `m` rows."""
    for i in range(m):
        for j in range(rows.shape[1]):
            into[i, j] = rows[i, j]


@inlined
def begin(problem: SpatialProblem, w: FloatArray, scratch: SpatialScratch) -> None:
    """Close the joints, and compute joint rates and relative velocities at `w`."""
    close_chain(problem, w, scratch.rate)
    for k in range(w.shape[0]):
        for c in range(problem.first[k], problem.first[k + 1]):
            contact_velocities(problem.rows, c, w, k, scratch.gamma, False)
