"""One step of the classical Runge-Kutta scheme."""

from __future__ import annotations

import math

from snakestudio.engines.advance import Instant, make_advance
from snakestudio.engines.joint_references import make_row_writer
from snakestudio.engines.outcome import DIVERGED, OK
from snakestudio.engines.planar_lagrangian.dynamics import accelerate
from snakestudio.engines.planar_lagrangian.params import Params
from snakestudio.engines.planar_lagrangian.rows import write_row
from snakestudio.engines.planar_lagrangian.state import (
    CALL_STEPS,
    LIFTED,
    LOAD,
    PASSIVE_WORK,
    STEP,
    STOP,
    State,
    Work,
)
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.hermite import JointKnots, evaluate_linear, evaluate_reference


@inlined
def _begin(state: State, work: Work) -> None:
    """Set the first stage to the state itself, and all increments to 0."""
    for k in range(state.x.shape[0]):
        work.x[k] = state.x[k]
        work.v[k] = state.v[k]
        work.gain_x[k] = work.gain_v[k] = 0.0
    for e in range(work.gain_sums.shape[0]):
        work.gain_sums[e] = 0.0
    for k in range(state.impulse.shape[0]):
        work.gain_impulse[k, X] = work.gain_impulse[k, Y] = 0.0
        work.gain_lift[k] = 0.0
    for k in range(state.torque.shape[0]):
        work.gain_torque[k] = 0.0


@inlined
def _gain(work: Work, weight: float) -> None:
    """Add the present stage to the increments; works and impulses are integrated by the same scheme as the motion."""
    for k in range(work.x.shape[0]):
        work.gain_x[k] += weight * work.v[k]
        work.gain_v[k] += weight * work.acceleration[k]
    for e in range(work.gain_sums.shape[0]):
        work.gain_sums[e] += weight * work.power[e]
    for k in range(work.friction.shape[0]):
        for a in range(2):
            work.gain_impulse[k, a] += weight * work.friction[k, a]
        work.gain_lift[k] += weight * work.lift[k]
    for k in range(work.torque.shape[0]):
        work.gain_torque[k] += weight * work.torque[k]


@inlined
def _turned_over(params: Params, state: State, work: Work) -> bool:
    """Return whether a joint or link turns by more than half a turn in the step (or a velocity is not finite)."""
    n = state.impulse.shape[0]
    most = math.pi / params.dt
    before = 0.0
    for k in range(n):
        here = state.v[k] + work.gain_v[k]
        if not abs(here - before) <= most:
            return True
        before = here
    return not abs(state.v[n] + work.gain_v[n]) + abs(state.v[n + 1] + work.gain_v[n + 1]) < 1e12


@inlined
def _commit(params: Params, state: State, work: Work) -> None:
    """Add the increments of the step to the state."""
    for k in range(state.x.shape[0]):
        state.x[k] += work.gain_x[k]
        state.v[k] += work.gain_v[k]
    for e in range(LOAD):
        state.sums[e] += work.gain_sums[e]
    for k in range(state.impulse.shape[0]):
        for a in range(2):
            state.impulse[k, a] += work.gain_impulse[k, a]
    if state.sums.shape[0] > PASSIVE_WORK:
        state.sums[PASSIVE_WORK] += work.gain_sums[STOP]
        for k in range(work.gain_lift.shape[0]):
            state.sums[LIFTED + k] += work.gain_lift[k]
    for k in range(state.torque.shape[0]):
        state.torque[k] = work.gain_torque[k] / params.dt
    state.sums[LOAD] += params.mean_mass * params.gn * params.dt
    state.counts[STEP] += 1
    state.counts[CALL_STEPS] += 1


@inlined
def _perform_step(params: Params, state: State, work: Work, instant: Instant) -> int:
    """Take one step; see `engines.advance.perform_step`."""
    dt = params.dt
    knots: JointKnots = instant.knots
    knot = instant.knot
    commanded = knots.torque.shape[0] > 0
    linear = knots.torque if commanded else knots.acceleration
    _begin(state, work)
    for stage in range(4):
        # The stages are at the beginning, twice in the middle, and at the end of the step, and so
        # are their references.
        time = (state.counts[STEP] + 0.5 * ((stage + 1) // 2)) * dt
        knot = evaluate_reference(
            knots.time, knots.angle, knots.rate, 1, time, knot, work.reference
        )
        evaluate_linear(knots.time, linear, 1, time, knot, work.command)
        accelerate(params, state.wrench, work, commanded, time)
        _gain(work, dt / 6.0 if stage == 0 or stage == 3 else dt / 3.0)
        ahead = dt if stage == 2 else 0.5 * dt
        for k in range(state.x.shape[0]):
            work.x[k] = state.x[k] + ahead * work.v[k]
            work.v[k] = state.v[k] + ahead * work.acceleration[k]
    if _turned_over(params, state, work):
        return DIVERGED
    _commit(params, state, work)
    return OK


advance_steps = make_advance(_perform_step, make_row_writer(write_row))
