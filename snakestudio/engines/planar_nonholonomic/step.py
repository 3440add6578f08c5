"""A time step, divided into parts by error control.

Each part is one step of a Runge-Kutta-Chebyshev scheme (see `chebyshev`). The model is stiff, but
only by damping: joint damping, friction near rest and obstacles make velocities decay at up to 1e4
per second. With s stages the scheme is stable for decay rates up to 0.65 s^2 over the length of a
part, so that its cost grows with the square root of the stiffness and no system of equations is
solved.
"""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.engines.advance import Instant, make_advance
from snakestudio.engines.joint_references import make_row_writer
from snakestudio.engines.outcome import DIVERGED, FAR, NOT_SOLVED, OK
from snakestudio.engines.planar_nonholonomic.chebyshev import (
    BEGINNING,
    FIRST,
    FIRST_SLOPE,
    OLDER,
    SLOPE,
    STAGE,
    TIME,
    WEIGHT,
    longest_part,
)
from snakestudio.engines.planar_nonholonomic.dynamics import evaluate, hold_links
from snakestudio.engines.planar_nonholonomic.params import Params
from snakestudio.engines.planar_nonholonomic.rows import write_row
from snakestudio.engines.planar_nonholonomic.state import (
    CALL_EVALUATIONS,
    CALL_STEPS,
    CHANGED,
    CONTACTS,
    EVALUATIONS,
    HOLD,
    LOAD,
    PART,
    STEP,
    TO_CORE,
    TOUCHING,
    UNCHANGED,
    UNCONVERGED,
    WORKS,
    WORST_CALL,
    WORST_ROW,
    State,
    Work,
    X,
    Y,
)
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.gap import end_speed
from snakestudio.kernels.hermite import JointKnots, evaluate_linear, evaluate_reference, find_knot
from snakestudio.kernels.one_sided import one_sided_residual
from snakestudio.kernels.residual import CONVERGED
from snakestudio.model.world import STANDARD_GRAVITY

RATE_SCALE = 30.0
"""Ratio of the tolerances of rates (rad/s, m/s) and of angles: rates that decay within a part
matter little."""

ROUNDING = 1e-9
"""Margin by which distances from a core are reduced, m."""

LONGEST = longest_part(1.0)
"""Longest part of a step times the decay rate for which the schemes are stable in it."""


@inlined
def _error(params: Params, y: FloatArray, length: float, work: Work) -> float:
    """Return the estimated error of a part relative to the tolerance, from the derivatives at both ends."""
    half = y.shape[0] // 2
    worst = 0.0
    for i in range(y.shape[0]):
        own = abs(0.8 * (y[i] - work.y1[i]) + 0.4 * length * (work.first_y[i] + work.rate_y[i]))
        if i >= half:
            own /= RATE_SCALE
        if not own <= worst:
            worst = own
    return worst / params.tolerance


@inlined
def _first_stage(params: Params, state: State, work: Work, length: float, stages: int) -> None:
    """Start a part of `length` from the derivatives at its beginning."""
    ahead = params.schemes[stages, FIRST, FIRST_SLOPE] * length
    weight = params.schemes[stages, BEGINNING, WEIGHT] * length
    for i in range(state.y.shape[0]):
        work.y2[i] = state.y[i]
        work.y1[i] = state.y[i] + ahead * work.first_y[i]
    for i in range(state.sums.shape[0]):
        work.sums[i] = state.sums[i] + weight * work.first_sums[i]


@inlined
def _next_stage(
    params: Params, state: State, work: Work, length: float, stages: int, j: int
) -> None:
    """Advance from the derivatives at stage `j` to the next stage."""
    scheme = params.schemes
    weight = scheme[stages, j, WEIGHT] * length
    for i in range(state.sums.shape[0]):
        # sums are integrated by the same scheme as the motion
        work.sums[i] += weight * work.rate_sums[i]
    last = scheme[stages, j + 1, STAGE]
    older = scheme[stages, j + 1, OLDER]
    ahead = scheme[stages, j + 1, SLOPE] * length
    begin = scheme[stages, j + 1, FIRST_SLOPE] * length
    for i in range(state.y.shape[0]):
        new = (
            (1.0 - last - older) * state.y[i]
            + last * work.y1[i]
            + older * work.y2[i]
            + ahead * work.rate_y[i]
            + begin * work.first_y[i]
        )
        work.y2[i] = work.y1[i]
        work.y1[i] = new


@inlined
def _jumped(params: Params, state: State, work: Work, length: float, touching: float) -> bool:
    """Return whether links meet or leave obstacles within a part with an effect above the error tolerance."""
    if work.felt[TOUCHING] == touching or length <= 1.000001 * params.shortest:
        return False
    half = state.y.shape[0] // 2
    most = 0.0
    for i in range(half, 2 * half):
        most = max(most, abs(work.rate_y[i] - work.first_y[i]))
    return 0.4 * length * most > RATE_SCALE * params.tolerance


@inlined
def _part(
    params: Params,
    state: State,
    work: Work,
    knots: JointKnots,
    time: float,
    length: float,
    end: float,
    stages: int,
    knot: int,
    touching: float,
    last: bool,
) -> int:
    """Take a part of a step from `time` to `end`; results are work.y1, work.sums and the derivatives there.

    The part ends early if other links touch obstacles than at its beginning (`touching`) and the
    jump of the accelerations is above the tolerance; `Work.felt` has the time. Without stages, only
    the derivatives at its beginning are computed. `Work.fastest` is the largest speed of a link's
    end, and `Work.felt` has the smallest distance of an axis from a core. Returns the number of
    constraints at its end, -1 if their reactions were not solved for. The equations of motion are
    evaluated in one place only because they are compiled inline.
    """
    count = 0
    commanded = knots.torque.shape[0] > 0
    work.fastest[0] = 0.0
    work.felt[UNCHANGED] = 1.0
    work.felt[TO_CORE] = math.inf
    if stages > 0:
        _first_stage(params, state, work, length, stages)
    else:
        for i in range(state.y.shape[0]):
            work.y1[i] = state.y[i]
    for j in range(min(1, stages), stages + 1):
        stage_time = end if j == stages else time + params.schemes[stages, j, TIME] * length
        knot = evaluate_reference(
            knots.time, knots.angle, knots.rate, 1, stage_time, knot, work.reference
        )
        if commanded:
            evaluate_linear(knots.time, knots.torque, 1, stage_time, knot, work.command)
        if last and j == stages:
            hold_links(params, work, count, work.sums0)
        count = evaluate(params, state.wrench, state.acts, work.y1, work, commanded)
        state.counts[EVALUATIONS] += stages > 0
        if count < 0:
            break
        turning = 0.0
        for k in range(state.acts.shape[0]):
            work.held[k] &= state.acts[k]
            turning = max(turning, params.contact_half[k] * abs(work.v[k]))
        work.fastest[0] = max(work.fastest[0], end_speed(work.velocity, 2, 0.0) + turning)
        if j > 0 and _jumped(params, state, work, length, touching):
            work.felt[UNCHANGED] = params.schemes[stages, j - 1, TIME]
            work.felt[CHANGED] = params.schemes[stages, j, TIME] if j < stages else 1.0
            if j < stages:
                break
        if j < stages:
            _next_stage(params, state, work, length, stages, j)
    return count


@inlined
def _keep_first(work: Work) -> None:
    """Save the present derivatives as those at the beginning of a part."""
    for i in range(work.rate_y.shape[0]):
        work.first_y[i] = work.rate_y[i]
    for i in range(work.rate_sums.shape[0]):
        work.first_sums[i] = work.rate_sums[i]


@inlined
def _turned_over(params: Params, state: State, work: Work) -> bool:
    """Return whether a joint or link turns by more than half a turn in a step (or a velocity is not finite)."""
    n = state.acts.shape[0]
    most = math.pi / params.dt
    before = 0.0
    for k in range(n):
        here = work.y1[n + 2 + k]
        if not abs(here - before) <= most:
            return True
        before = here
    return not abs(work.y1[2 * n + 2]) + abs(work.y1[2 * n + 3]) < 1e12


@inlined
def _record_contacts(state: State, work: Work, count: int) -> None:
    """Record the present contacts in the state."""
    n = state.acts.shape[0]
    state.counts[CONTACTS] = 0
    for side in range(2):
        for k in range(n):
            j = work.near[side, k]
            if j >= 0:
                state.met[side, k] = j
                state.touch[side, k, X] = work.touch[side, k, X]
                state.touch[side, k, Y] = work.touch[side, k, Y]
    for c in range(count):
        if work.reaction[c] != 0.0:
            state.counts[CONTACTS] += 1


@inlined
def _judge(params: Params, state: State, work: Work, count: int) -> None:
    """Update the worst residuals by that of the present constraints, as a force relative to a link's weight."""
    weight = params.mean_mass * STANDARD_GRAVITY
    residual = 0.0
    if count > 0:
        residual = (
            one_sided_residual(
                work.delassus, work.free, work.side, count, params.mean_mass, work.reaction
            )
            / weight
        )
    if residual > CONVERGED:
        state.counts[UNCONVERGED] += 1
    state.figures[WORST_ROW] = max(state.figures[WORST_ROW], residual)
    state.figures[WORST_CALL] = max(state.figures[WORST_CALL], residual)


@inlined
def _perform_step(params: Params, state: State, work: Work, instant: Instant) -> int:
    """Take one time step in parts; see `engines.advance.perform_step`.

    The first derivatives are known if the previous step was taken in the same call
    (`Instant.begun`).
    """
    n = state.acts.shape[0]
    knot = instant.knot
    begun = instant.begun
    begin = state.counts[STEP] * params.dt
    passed = fastest = 0.0
    to_core = math.inf
    calls = state.counts[EVALUATIONS]
    status = int(OK)
    for i in range(state.y.shape[0]):
        work.y0[i] = state.y[i]
    for i in range(state.sums.shape[0]):
        work.sums0[i] = state.sums[i]
    length = state.figures[PART] if state.figures[PART] > 0.0 else params.shortest
    hold = work.felt[HOLD]
    touching = work.felt[TOUCHING]
    until = 0.0
    for k in range(n):
        work.held[k] = state.acts[k] if begun else 1
        work.begun[k] = work.across[k]
    while status == OK and passed < params.dt:
        own = 0.0
        end = begin
        stages = 0
        last = False
        if begun:
            left = params.dt - passed
            # Avoid a very short last part.
            own = left if length >= left else 0.5 * left if 2.0 * length > left else length
            decay = max(
                params.turning, params.moving + hold / (params.smoothing * params.lightest), 1e-9
            )
            own = min(own, LONGEST / decay)
            if passed < until < passed + own:  # up to the instant of a jump
                own = max(until - passed, params.shortest)
            stages = max(2, 1 + int(math.sqrt(1.0 + 1.54 * own * decay)))
            last = own >= left
            end = (state.counts[STEP] + 1) * params.dt if last else begin + passed + own
        count = _part(
            params,
            state,
            work,
            instant.knots,
            begin + passed,
            own,
            end,
            stages,
            knot,
            touching,
            begun and own >= left,
        )
        if count < 0:
            status = int(NOT_SOLVED)
            continue
        if not begun:
            begun = True
            hold = work.felt[HOLD]
            touching = work.felt[TOUCHING]
            fastest = work.fastest[0]
            to_core = work.felt[TO_CORE]
            _keep_first(work)
            for k in range(n):
                work.begun[k] = work.across[k]
            continue
        if work.felt[UNCHANGED] < 1.0:
            length = max(work.felt[UNCHANGED] * own, params.shortest)
            until = passed + work.felt[CHANGED] * own
            continue
        error = _error(params, state.y, own, work)
        length = max(
            min(own * min(max(0.8 / max(error, 1e-6) ** (1.0 / 3.0), 0.1), 3.0), params.dt),
            params.shortest,
        )
        if error > 1.0 and own > params.shortest * 1.000001:
            continue
        if _turned_over(params, state, work):
            status = int(DIVERGED)
            continue
        fastest = max(fastest, work.fastest[0])
        to_core = min(to_core, work.felt[TO_CORE])
        # With damping alone, a link sinks into an obstacle: the criterion is whether its axis can
        # have reached the core.
        if params.far < math.inf and params.dt * fastest > min(params.far, to_core - ROUNDING):
            status = int(FAR)
            continue
        passed = params.dt if last else passed + own
        knot = find_knot(instant.knots, begin + passed, knot)
        for i in range(state.y.shape[0]):
            state.y[i] = work.y1[i]
        for i in range(state.sums.shape[0]):
            state.sums[i] = work.sums[i]
        hold = work.felt[HOLD]
        touching = work.felt[TOUCHING]
        _keep_first(work)
        _record_contacts(state, work, count)
        if passed >= params.dt:
            _judge(params, state, work, count)
    if status != OK:
        for i in range(state.y.shape[0]):
            state.y[i] = work.y0[i]
        for i in range(state.sums.shape[0]):
            state.sums[i] = work.sums0[i]
        state.counts[EVALUATIONS] = calls
        return status
    state.figures[PART] = length
    for k in range(n - 1):
        at = WORKS + 10 * n + k
        state.torque[k] = (state.sums[at] - work.sums0[at]) / params.dt
    state.figures[LOAD] += params.mean_mass * params.gn * params.dt
    state.counts[STEP] += 1
    state.counts[CALL_STEPS] += 1
    state.counts[CALL_EVALUATIONS] += state.counts[EVALUATIONS] - calls
    return OK


advance_steps = make_advance(_perform_step, make_row_writer(write_row))
