"""A time step: a Magnus expansion for a held body, a Runge-Kutta scheme for a body moved by friction."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.continuum_beam.dynamics import (
    evaluate,
    head_motion,
    held_load,
    held_motion,
)
from snakestudio.engines.continuum_beam.knots import fill_reference, find_knot
from snakestudio.engines.continuum_beam.params import FRICTION, Params
from snakestudio.engines.continuum_beam.state import (
    AT,
    CALL_STEPS,
    EVALUATIONS,
    HOLDS,
    MISMATCH,
    OVERLOADED,
    STEP,
    Knots,
    State,
    Work,
)
from snakestudio.engines.outcome import DIVERGED, NOT_SOLVED, OK
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.axes import Z
from snakestudio.kernels.frames import bracket, frame_from_pose, move_pose

FINEST = 2.0**-20
"""Shortest part of a step relative to the step; a motion that needs shorter parts has diverged."""

RATE_TIME = 1.0 / 30.0
"""Time by which errors of velocities are multiplied to compare them with errors of positions, s."""

CARRIED = 1e-6
"""Part of the resultant, N, that supports may miss before the step counts as overloaded: covers
rounding, and the slack of one-sided supports."""

# Scheme of order 5 with an embedded scheme of order 4 (J. R. Cash, A. H. Karp, 1990).
NODES = np.array([0.0, 0.2, 0.3, 0.6, 1.0, 0.875])
STAGES = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [0.2, 0.0, 0.0, 0.0, 0.0],
        [3 / 40, 9 / 40, 0.0, 0.0, 0.0],
        [0.3, -0.9, 1.2, 0.0, 0.0],
        [-11 / 54, 2.5, -70 / 27, 35 / 27, 0.0],
        [1631 / 55296, 175 / 512, 575 / 13824, 44275 / 110592, 253 / 4096],
    ]
)
WEIGHTS = np.array([37 / 378, 0.0, 250 / 621, 125 / 594, 0.0, 512 / 1771])
EMBEDDED = np.array([2825 / 27648, 0.0, 18575 / 48384, 13525 / 55296, 277 / 14336, 0.25])


@inlined
def _clear_gains(work: Work) -> None:
    for e in range(work.gain_sums.shape[0]):
        work.gain_sums[e] = 0.0
    for i in range(work.gain_ground.shape[0]):
        for a in range(3):
            work.gain_ground[i, a] = 0.0
    for i in range(work.gain_hold.shape[0]):
        for a in range(3):
            work.gain_hold[i, a] = 0.0


@inlined
def _gain(params: Params, work: Work, weight: float) -> None:
    """Add powers and forces of the present evaluation, times `weight` (s), to the increments of the step."""
    for e in range(work.power.shape[0]):
        work.gain_sums[e] += weight * work.power[e]
    turn = work.scratch[0]
    local = work.scratch[1]
    frame_from_pose(work.pose, turn)
    for i in range(work.hold.shape[0]):
        for a in range(3):
            for b in range(3):
                work.gain_hold[i, a] += weight * turn[3 * a + b] * work.hold_wrench[i, b]
    if params.mode == FRICTION:
        # A cross-section gets the friction and the weight of the piece between the midpoints to its
        # neighbours.
        n = work.gain_ground.shape[0]
        last = work.frames.shape[0] - 1
        stride = last // (n - 1)
        for i in range(n):
            begin = max(stride * i - stride // 2, 0)
            end = min(stride * i + stride // 2, last)
            for b in range(3):
                local[b] = work.friction_sum[end, b] - work.friction_sum[begin, b]
            for a in range(3):
                for b in range(3):
                    work.gain_ground[i, a] += weight * turn[3 * a + b] * local[b]
            work.gain_ground[i, Z] += weight * params.load * params.length * (end - begin) / last
            if params.varies:
                lifted = 0.0
                for j in range(begin, end):
                    lifted += 0.5 * (work.lift[j] + work.lift[j + 1])
                work.gain_ground[i, Z] += weight * lifted * params.length / last


@inlined
def _commit_gains(params: Params, state: State, work: Work) -> None:
    for e in range(work.gain_sums.shape[0]):
        state.sums[e] += work.gain_sums[e]
    n = state.ground.shape[0]
    for i in range(n):
        for a in range(3):
            state.ground[i, a] += work.gain_ground[i, a]
    for i in range(work.gain_hold.shape[0]):
        nearest = min(max(int(work.hold[i, AT] / params.length * (n - 1) + 0.5), 0), n - 1)
        for a in range(3):
            state.hold[i, a] += work.gain_hold[i, a]
            state.support[nearest, a] += work.gain_hold[i, a]


@inlined
def _evaluated(params: Params, knots: Knots, work: Work, time: float, holding: int) -> bool:
    """Return whether `work` has the evaluation of the state at `time`, with the same holds."""
    if work.stamp[1] != 1.0 or abs(work.stamp[0] - time) > 1e-9 * params.dt:
        return False
    same = True
    for i in range(work.hold.shape[0]):
        same = same and work.hold[i, HOLDS] == knots.hold[holding, i, HOLDS]
    return same


@jit
def begin_at(
    params: Params, knots: Knots, state: State, work: Work, time: float, hint: int, holding: int
) -> int:
    """Evaluate the present state at `time`; return 0 if the supports do not determine the motion."""
    if _evaluated(params, knots, work, time, holding):
        return 1
    fill_reference(knots, time, hint, holding, work)
    for e in range(7):
        work.pose[e] = state.pose[e]
    if params.mode == FRICTION:
        for e in range(6):
            work.head_twist[e] = state.twist[e]
    work.stamp[0] = time
    work.stamp[1] = evaluate(params, work, state.wrench)
    return int(work.stamp[1])


@inlined
def _keep_worst(state: State, work: Work) -> None:
    for e in range(work.figures.shape[0]):
        state.worst[e] = max(state.worst[e], work.figures[e])


@inlined
def _held_part(
    params: Params, knots: Knots, state: State, work: Work, begin: float, span: float, holding: int
) -> int:
    """Advance a held body by `span` from `begin`: eta_o is a known function of time, so a Magnus expansion applies.

    Works and impulses are integrated by Simpson's rule over the same three instants; the last one
    is reused as the first of the next part. Returns -1 if the motion is not determined, 0 if the
    part is too long for the tolerance, else 1.
    """
    first = work.stage[0]
    middle = work.stage[1]
    third = work.stage[2]
    term = work.stage[3]
    origin = work.stage[4]
    twist = work.stage[5]
    if begin_at(params, knots, state, work, begin, holding, holding) == 0:
        return -1
    _clear_gains(work)
    _gain(params, work, span / 6.0)
    _keep_worst(state, work)
    for e in range(6):
        first[e] = work.head_twist[e]
        first[6 + e] = work.head_acceleration[e]
    work.stamp[1] = 0.0
    # Motion of the head at the end, then in the middle, where the evaluation is also used for the
    # forces.
    fill_reference(knots, begin + span, holding, holding, work)
    if head_motion(params, work) == 0:
        return -1
    for e in range(6):
        third[e] = work.head_twist[e]
    fill_reference(knots, begin + 0.5 * span, holding, holding, work)
    if held_motion(params, work) == 0:
        return -1
    for e in range(6):
        middle[e] = work.head_twist[e]
    # With accelerations at the beginning and in the middle, a polynomial of degree 4 fits all known
    # values of eta_o. Simpson's rule misses 1/120 of its leading coefficient; that is the error
    # estimate.
    for e in range(6):
        leading = 16.0 * middle[e] - 20.0 * first[e] + 4.0 * third[e]
        leading -= span * (4.0 * first[6 + e] + 8.0 * work.head_acceleration[e])
        if span * abs(leading) / 120.0 * (1.0 if e < 3 else params.length) > params.tolerance:
            return 0
    for e in range(7):
        origin[e] = state.pose[e]
    bracket(first, middle, term)
    for e in range(6):
        twist[e] = (
            span / 24.0 * (5.0 * first[e] + 8.0 * middle[e] - third[e])
            + span * span / 48.0 * term[e]
        )
    move_pose(origin, twist, work.pose)
    held_load(params, work, state.wrench)
    _gain(params, work, 4.0 * span / 6.0)
    _keep_worst(state, work)
    bracket(first, third, term)
    for e in range(6):
        twist[e] = (
            span / 6.0 * (first[e] + 4.0 * middle[e] + third[e]) + span * span / 12.0 * term[e]
        )
    move_pose(origin, twist, state.pose)
    begin_at(params, knots, state, work, begin + span, holding, holding)
    state.counts[EVALUATIONS] += 2  # independent of the division into calls, and of snapshots
    _gain(params, work, span / 6.0)
    _keep_worst(state, work)
    return 1


@inlined
def _coordinate_rate(
    u: FloatArray, eta: FloatArray, term: FloatArray, second: FloatArray, out: FloatArray
) -> None:
    """Compute the rate of u in g = g_n exp(u^) for g_t = g eta^.

    eta + [u, eta] / 2 + [u, [u, eta]] / 12 - [u, [u, [u, [u, eta]]]] / 720: the truncated terms are
    of order 6 in u.
    """
    bracket(u, eta, term)
    for e in range(6):
        out[e] = eta[e] + 0.5 * term[e]
    bracket(u, term, second)
    for e in range(6):
        out[e] += second[e] / 12.0
    bracket(u, second, term)
    bracket(u, term, second)
    for e in range(6):
        out[e] -= second[e] / 720.0


@inlined
def _free_part(
    params: Params, knots: Knots, state: State, work: Work, begin: float, span: float, knot: int
) -> float:
    """Attempt to advance a body by `span` under friction, (18); return error / tolerance, accepted if <= 1."""
    work.stamp[1] = 0.0
    u = work.scratch[6]
    twist = work.scratch[7]
    origin = work.scratch[8]
    eta = work.scratch[9]
    term = work.scratch[10]
    second = work.scratch[11]
    for e in range(7):
        origin[e] = state.pose[e]
    for e in range(6):
        eta[e] = state.twist[e]
    _clear_gains(work)
    for stage in range(6):
        for e in range(6):
            u[e] = 0.0
            twist[e] = eta[e]
            for b in range(stage):
                u[e] += span * STAGES[stage, b] * work.stage[b, e]
                twist[e] += span * STAGES[stage, b] * work.stage[b, 6 + e]
        fill_reference(knots, begin + NODES[stage] * span, knot, knot, work)
        move_pose(origin, u, work.pose)
        work.stamp[0] = begin + NODES[stage] * span
        for e in range(6):
            work.head_twist[e] = twist[e]
        evaluate(params, work, state.wrench)
        state.counts[EVALUATIONS] += 1
        into = work.stage[stage]
        _coordinate_rate(u, twist, term, second, into)
        for e in range(6):
            into[6 + e] = work.head_acceleration[e]
        _gain(params, work, span * WEIGHTS[stage])
    error = 0.0
    for e in range(12):
        off = 0.0
        for stage in range(6):
            off += span * (WEIGHTS[stage] - EMBEDDED[stage]) * work.stage[stage, e]
        size = abs(off) * (params.length if e % 6 >= 3 else 1.0) * (RATE_TIME if e >= 6 else 1.0)
        error = max(error, size) if size == size else math.inf  # a NaN must not count as no error
        if not error < math.inf:
            break
    error /= params.tolerance
    if error <= 1.0:
        for e in range(6):
            u[e] = 0.0
            for stage in range(6):
                u[e] += span * WEIGHTS[stage] * work.stage[stage, e]
                eta[e] += span * WEIGHTS[stage] * work.stage[stage, 6 + e]
        move_pose(origin, u, state.pose)
        for e in range(6):
            state.twist[e] = eta[e]
        _keep_worst(state, work)
        _commit_gains(params, state, work)
    return error


@jit
def perform_step(params: Params, knots: Knots, state: State, work: Work, hint: int) -> int:
    """Take one step of `params.dt` from the present state, in parts as short as the tolerance requires.

    Returns
    -------
    int
        An outcome. Unless it is OK, pose and twist of the state are those at the beginning of the
        part that failed.
    """
    dt = params.dt
    start = state.counts[STEP] * dt
    holding = find_knot(knots, start, hint)
    done = 0.0
    part = 1.0
    while done < 1.0 - 1e-12:
        part = min(part, 1.0 - done)
        begin = start + done * dt
        if params.mode == FRICTION:
            error = _free_part(params, knots, state, work, begin, part * dt, holding)
            fits = error <= 1.0
            grow = 0.9 * error**-0.2 if error > 1e-6 else 5.0
            if not grow > 0.1:
                grow = 0.1
        else:
            outcome = _held_part(params, knots, state, work, begin, part * dt, holding)
            if outcome < 0:
                return NOT_SOLVED
            fits = outcome == 1
            grow = 1.0 if fits else 0.5
            if fits:
                _commit_gains(params, state, work)
        if fits:
            done += part
            part *= min(max(grow, 0.2), 5.0)
        else:
            part *= min(grow, 0.7)
            if part < FINEST:
                return DIVERGED
    for e in range(7):
        if not abs(state.pose[e]) < 1e9:
            return DIVERGED
    state.counts[STEP] += 1
    state.counts[CALL_STEPS] += 1
    if work.figures[MISMATCH] > CARRIED:
        state.counts[OVERLOADED] += 1
    return OK
