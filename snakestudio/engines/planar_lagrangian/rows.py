"""Rows of a recording, written by the kernel between two steps."""

from __future__ import annotations

from snakestudio.engines.centred_rows import write_centred_links
from snakestudio.engines.planar_lagrangian.params import Params
from snakestudio.engines.planar_lagrangian.state import (
    ACTUATOR,
    COULOMB,
    EXTERNAL,
    GRAVITY,
    LOAD,
    STEP,
    VISCOUS,
    State,
    Work,
)
from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.kernels._jit import jit

__all__ = ["write_row"]

# Values of snakestudio.model.snapshot.ContactState and GROUND: a smoothed law holds no link, so all of them slip.
SLIP = 2
GROUND = -1


@jit
def write_row(params: Params, state: State, work: Work, rows: RowBuffers) -> None:
    """Write the present state, with the references in `work`, as the next row; begin the sums of the row after it."""
    n = state.impulse.shape[0]
    i, at = rows.filled[0], rows.filled[1]
    kinetic = write_centred_links(
        params.half_length, params.radius, params.mass, params.inertia, state.x, state.v, work.theta, work.cos,
        work.sin, work.part, work.place, rows, i,
    )  # fmt: skip
    for k in range(n):
        for a in range(2):
            rows.impulse_ground[i, k, a] = state.impulse[k, a]
        rows.impulse_ground[i, k, 2] = state.sums[LOAD]
    for k in range(n - 1):
        rows.joint_angle[i, k, 0] = state.x[k + 1] - state.x[k]
        rows.joint_rate[i, k, 0] = state.v[k + 1] - state.v[k]
        rows.joint_angle_ref[i, k, 0] = work.reference[k, 0]
        rows.joint_rate_ref[i, k, 0] = work.reference[k, 1]
        rows.joint_torque[i, k, 0] = state.torque[k]
    sums = state.sums
    rows.energy[i, 0] = kinetic
    rows.energy[i, 1] = -n * params.mass * (params.gx * state.x[n] + params.gy * state.x[n + 1])
    rows.energy[i, 2] = sums[ACTUATOR]
    rows.energy[i, 3] = sums[VISCOUS] + sums[COULOMB]
    rows.energy[i, 4] = sums[GRAVITY]
    rows.energy[i, 5] = sums[EXTERNAL]
    rows.energy[i, 6] = sums[VISCOUS]
    rows.energy[i, 7] = sums[COULOMB]
    rows.steps[i] = state.counts[STEP]
    load = sums[LOAD] - state.before[0, n, 0]
    for k in range(n):
        fx, fy = state.impulse[k, 0] - state.before[0, k, 0], state.impulse[k, 1] - state.before[0, k, 1]
        if load > 0.0 or fx != 0.0 or fy != 0.0:  # viscous friction does not need a load
            rows.contact_link[at] = k
            rows.contact_other[at] = GROUND
            rows.contact_state[at] = SLIP
            rows.contact_point[at, 0] = rows.link_pose[i, k, 0]
            rows.contact_point[at, 1] = rows.link_pose[i, k, 1]
            rows.contact_normal[at, 2] = load
            rows.contact_friction[at, 0] = fx
            rows.contact_friction[at, 1] = fy
            at += 1
        for a in range(2):
            state.before[0, k, a] = state.impulse[k, a]
    state.before[0, n, 0] = sums[LOAD]
    rows.contact_count[i] = at - rows.filled[1]
    rows.filled[0] = i + 1
    rows.filled[1] = at
