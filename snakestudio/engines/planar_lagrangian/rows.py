"""Rows of a recording, written by the kernel between two steps."""

from __future__ import annotations

from snakestudio.engines.centred_rows import write_centred_links, write_joints, write_sliding_link
from snakestudio.engines.planar_lagrangian.params import Params
from snakestudio.engines.planar_lagrangian.state import (
    ACTUATOR,
    BY_ACTUATORS,
    BY_COULOMB,
    BY_FRICTION,
    BY_GRAVITY,
    BY_OTHERS,
    BY_STOPS,
    BY_VISCOUS,
    COULOMB,
    EXTERNAL,
    GRAVITY,
    LIFTED,
    LOAD,
    PASSIVE_WORK,
    PRESSED,
    STEP,
    VISCOUS,
    State,
    Work,
)
from snakestudio.engines.row_buffers import KINETIC, POTENTIAL, ROW, RowBuffers
from snakestudio.kernels._jit import jit
from snakestudio.kernels.axes import X, Y, Z


@jit
def write_row(params: Params, state: State, work: Work, rows: RowBuffers) -> None:
    """Write the present state, with the references in `work`, as the next row; reset the sums for the row after it."""
    write_state(params, state, work, rows, int(ROW))
    n = state.impulse.shape[0]
    for k in range(n):
        if state.sums.shape[0] > PASSIVE_WORK:
            state.sums[LIFTED + (1 + ROW) * n + k] = state.sums[LIFTED + k]
        for a in range(2):
            state.before[ROW, k, a] = state.impulse[k, a]
    state.before[ROW, n, PRESSED] = state.sums[LOAD]


@jit
def write_state(params: Params, state: State, work: Work, rows: RowBuffers, interval: int) -> None:
    """Write the present state, with the references in `work`, as the next row, without changing the state.

    `interval`: contacts are those since the previous row (`ROW`) or since the beginning of the call
    (`CALL`).
    """
    n = state.impulse.shape[0]
    i, at = rows.filled[0], rows.filled[1]
    kinetic = write_centred_links(
        params.chain,
        params.height,
        state.x,
        state.v,
        work,
        rows,
        i,
    )
    if params.rotors:
        for k in range(n - 1):
            rate = state.v[k + 1] - state.v[k]
            kinetic += 0.5 * params.rotor[k] * rate * rate
    wide = state.sums.shape[0] > PASSIVE_WORK
    for k in range(n):
        for a in range(2):
            rows.impulse_ground[i, k, a] = state.impulse[k, a]
        rows.impulse_ground[i, k, Z] = params.chain.weight[k] * state.sums[LOAD]
        if wide:
            rows.impulse_ground[i, k, Z] += state.sums[LIFTED + k]
    write_joints(state.x, state.v, work.reference, state.torque, rows, i)
    sums = state.sums
    rows.energy[i, KINETIC] = kinetic
    rows.energy[i, POTENTIAL] = -params.chain.total * (
        params.gx * state.x[n] + params.gy * state.x[n + 1]
    )
    rows.energy[i, BY_ACTUATORS] = sums[ACTUATOR]
    rows.energy[i, BY_FRICTION] = sums[VISCOUS] + sums[COULOMB]
    rows.energy[i, BY_GRAVITY] = sums[GRAVITY]
    rows.energy[i, BY_OTHERS] = sums[EXTERNAL]
    rows.energy[i, BY_VISCOUS] = sums[VISCOUS]
    rows.energy[i, BY_COULOMB] = sums[COULOMB]
    if rows.energy.shape[1] > BY_STOPS:
        rows.energy[i, BY_STOPS] = sums[PASSIVE_WORK]
    rows.steps[i] = state.counts[STEP]
    weight = sums[LOAD] - state.before[interval, n, PRESSED]
    for k in range(n):
        load = params.chain.weight[k] * weight
        if wide:
            load += sums[LIFTED + k] - sums[LIFTED + (1 + interval) * n + k]
        fx = state.impulse[k, X] - state.before[interval, k, X]
        fy = state.impulse[k, Y] - state.before[interval, k, Y]
        at = write_sliding_link(k, load, fx, fy, rows, i, at)
    rows.contact_count[i] = at - rows.filled[1]
    rows.filled[0] = i + 1
    rows.filled[1] = at
