"""Rows of a recording, written by the kernel between two steps."""

from __future__ import annotations

from snakestudio.engines.centred_rows import (
    SLIP,
    write_centred_links,
    write_joints,
    write_sliding_link,
)
from snakestudio.engines.planar_nonholonomic.params import Params
from snakestudio.engines.planar_nonholonomic.state import (
    CONTACTS,
    EVALUATIONS,
    LOAD,
    STEP,
    UNCONVERGED,
    WORKS,
    WORST_ROW,
    State,
    Work,
)
from snakestudio.engines.planar_obstacles import OWNER
from snakestudio.engines.row_buffers import KINETIC, POTENTIAL, ROW, RowBuffers
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.axes import Z


@inlined
def _write_contacts(params: Params, state: State, rows: RowBuffers, i: int, interval: int) -> None:
    """Write the actions of obstacles on both sides of each link in the interval, then those of the ground."""
    n = state.acts.shape[0]
    at = rows.filled[1]
    for side in range(2):
        for k in range(n):
            own = WORKS + 2 * n + 4 * (side * n + k)
            worked = 0.0
            for c in range(4):
                worked += abs(state.sums[own + c] - state.before[interval, own + c])
            if worked == 0.0 or state.met[side, k] < 0:
                continue
            rows.contact_link[at] = k
            rows.contact_other[at] = int(params.obstacles[state.met[side, k], OWNER])
            rows.contact_state[at] = SLIP
            rows.contact_point[at, Z] = params.radius[k]
            for a in range(2):
                rows.contact_point[at, a] = state.touch[side, k, a]
                rows.contact_normal[at, a] = state.sums[own + a] - state.before[interval, own + a]
                rows.contact_friction[at, a] = (
                    state.sums[own + 2 + a] - state.before[interval, own + 2 + a]
                )
            at += 1
    weight = state.figures[LOAD] - state.before[interval, state.sums.shape[0]]
    for k in range(n):
        load = params.chain.weight[k] * weight
        own = WORKS + 2 * k
        fx = state.sums[own] - state.before[interval, own]
        fy = state.sums[own + 1] - state.before[interval, own + 1]
        at = write_sliding_link(k, load, fx, fy, rows, i, at)
    rows.contact_count[i] = at - rows.filled[1]
    rows.filled[1] = at


@jit
def write_row(params: Params, state: State, work: Work, rows: RowBuffers) -> None:
    """Write the present state, with the references in `work`, as the next row; reset the sums for the row after it."""
    write_state(params, state, work, rows, int(ROW))
    for c in range(state.sums.shape[0]):
        state.before[ROW, c] = state.sums[c]
    state.before[ROW, state.sums.shape[0]] = state.figures[LOAD]
    state.figures[WORST_ROW] = 0.0


@jit
def write_state(params: Params, state: State, work: Work, rows: RowBuffers, interval: int) -> None:
    """Write the present state, with the references in `work`, as the next row, without changing the state.

    `interval`: contacts are those since the previous row (`ROW`) or since the beginning of the call
    (`CALL`).
    """
    n = state.acts.shape[0]
    i = rows.filled[0]
    for k in range(n + 2):
        work.x[k] = state.y[k]
        work.v[k] = state.y[n + 2 + k]
    kinetic = write_centred_links(
        params.chain,
        params.radius,
        work.x,
        work.v,
        work,
        rows,
        i,
    )
    sums = state.sums
    for k in range(n):
        for a in range(2):
            rows.impulse_ground[i, k, a] = sums[WORKS + 2 * k + a]
            pushed = 0.0
            for side in range(2):
                own = WORKS + 2 * n + 4 * (side * n + k)
                pushed += sums[own + a] + sums[own + 2 + a]
            rows.impulse_obstacle[i, k, a] = pushed
        rows.impulse_ground[i, k, Z] = params.chain.weight[k] * state.figures[LOAD]
    write_joints(work.x, work.v, work.reference, state.torque, rows, i)
    rows.energy[i, KINETIC] = kinetic
    rows.energy[i, POTENTIAL] = -params.chain.total * (
        params.gx * work.x[n] + params.gy * work.x[n + 1]
    )
    for e in range(WORKS):
        rows.energy[i, 2 + e] = sums[e]
    rows.contacts_closed[i] = state.counts[CONTACTS]
    rows.residual[i] = state.figures[WORST_ROW]
    rows.iterations[i] = state.counts[EVALUATIONS]
    rows.unconverged[i] = state.counts[UNCONVERGED]
    rows.steps[i] = state.counts[STEP]
    _write_contacts(params, state, rows, i, interval)
    rows.filled[0] = i + 1
