"""Rows of a recording, written by the kernel between two steps."""

from __future__ import annotations

import math

from snakestudio.engines.contact_sums import (
    ACTUATOR,
    CONTACTS,
    ITERATIONS,
    LOADED,
    SLOT_ROW,
    SLOTS_ROW,
    STEP,
    UNCONVERGED,
)
from snakestudio.engines.row_buffers import (
    BODY,
    FEATURE,
    KINETIC,
    LINK,
    POTENTIAL,
    QUAT_W,
    QUAT_X,
    QUAT_Y,
    QUAT_Z,
    ROW,
    RowBuffers,
)
from snakestudio.engines.spatial_nonsmooth.dynamics import end_angles
from snakestudio.engines.spatial_nonsmooth.params import REST, ROTOR, STIFFNESS, Params
from snakestudio.engines.spatial_nonsmooth.state import (
    DRY_FRICTION,
    GOAL,
    GOAL_RATE,
    LAST,
    LOAD,
    WEIGHT,
    WORST_ROW,
    State,
    Work,
)
from snakestudio.kernels._jit import jit
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.kernels.prox import AT_LIMIT, halves
from snakestudio.kernels.spatial_problem import (
    ACROSS,
    AXIAL,
    GAIN_T,
    LAW_N,
    LAW_T,
    LAW_T2,
    MASS,
    RX,
    RY,
    RZ,
    SHARE_MINUS,
    SHARE_PLUS,
)
from snakestudio.kernels.vec3 import vec3_at

# Values of snakestudio.model.snapshot.ContactState and GROUND.
OPEN = 0
STICK = 1
SLIP = 2
GROUND = -1


@jit
def classify_stick(state: State, work: Work) -> None:
    """Compute for each contact of the last step whether it sticks: whether P - r gamma is in its friction disc (58)."""
    for c in range(state.counts[CONTACTS]):
        p = work.law[c, LAW_N]
        state.stick[c] = OPEN
        if p > 0.0:
            gain = work.gain[c, GAIN_T]
            _, y1 = halves(
                work.law[c, LAW_T],
                work.gamma[c, LAW_T],
                gain,
                work.gain[c, SHARE_PLUS],
                work.gain[c, SHARE_MINUS],
            )
            y2 = work.law[c, LAW_T2] - gain * work.gamma[c, LAW_T2]
            sticks = gain > 0.0 and math.sqrt(y1 * y1 + y2 * y2) <= AT_LIMIT * p
            state.stick[c] = STICK if sticks else SLIP


@jit
def _state_of(state: State, link: int, body: int, feature: int) -> int:
    """Return the `ContactState` of a contact in the last step; OPEN if it was not active."""
    for c in range(state.first[link], state.first[link + 1]):
        if state.contact[c, BODY] == body and state.contact[c, FEATURE] == feature:
            contact_state: int = state.stick[c]
            return contact_state
    return OPEN


@jit
def write_row(params: Params, state: State, work: Work, rows: RowBuffers) -> None:
    """Write the present state as the next row and reset the sums for the row after it; `work` as in `write_state`."""
    write_state(params, state, work, rows, int(ROW))
    counts = state.counts
    for k in range(state.q.shape[0]):
        for end in range(2):
            for a in range(6):
                state.before[ROW, k, end, a] = state.ground[k, end, a]
    counts[SLOTS_ROW] = 0
    for c in range(counts[CONTACTS]):
        state.contact[c, SLOT_ROW] = -1
    state.sums[WORST_ROW] = 0.0


@jit
def write_state(params: Params, state: State, work: Work, rows: RowBuffers, interval: int) -> None:
    """Write the present state as the next row, with contacts of an interval, without changing the state.

    Parameters
    ----------
    work : Work
        `work.reference` must hold the present references of the joints; `work.angle` and
        `work.rate` are filled.
    interval : int
        `ROW` or `CALL`: contacts since the previous row or since the beginning of the call.
    """
    n = state.q.shape[0]
    i = rows.filled[0]
    at = rows.filled[1]
    counts = state.counts
    sums = state.sums
    q = state.q
    u = state.u
    kinetic = potential = 0.0
    for k in range(n):
        for a in range(7):
            rows.link_pose[i, k, a] = q[k, a]
        w, x, y, z = q[k, QUAT_W], q[k, QUAT_X], q[k, QUAT_Y], q[k, QUAT_Z]
        bx, by, bz = vec3_at(u, k, RX)
        for a in range(3):
            rows.link_twist[i, k, a] = u[k, a]
        # omega in the world frame: b + 2 v x (v x b + w b), with v the quaternion's vector part.
        cx, cy, cz = y * bz - z * by + w * bx, z * bx - x * bz + w * by, x * by - y * bx + w * bz
        rows.link_twist[i, k, RX] = bx + 2.0 * (y * cz - z * cy)
        rows.link_twist[i, k, RY] = by + 2.0 * (z * cx - x * cz)
        rows.link_twist[i, k, RZ] = bz + 2.0 * (x * cy - y * cx)
        speed = u[k, X] * u[k, X] + u[k, Y] * u[k, Y] + u[k, Z] * u[k, Z]
        mass = params.links[k, MASS]
        axial = params.links[k, AXIAL]
        across = params.links[k, ACROSS]
        kinetic += 0.5 * (mass * speed + axial * bx * bx + across * (by * by + bz * bz))
        potential -= mass * (params.gx * q[k, X] + params.gy * q[k, Y] + params.gz * q[k, Z])
        for a in range(3):
            rows.impulse_ground[i, k, a] = state.impulse[k, a]
            rows.impulse_obstacle[i, k, a] = state.impulse[k, 3 + a]
    end_angles(params, state, work, work.angle, work.rate)
    if params.springs != 0:
        for j in range(work.angle.shape[0]):
            stretch = work.angle[j] - params.axes[j, REST]
            potential += 0.5 * params.axes[j, STIFFNESS] * stretch * stretch
    if params.extras != 0:
        for j in range(work.angle.shape[0]):
            kinetic += 0.5 * params.axes[j, ROTOR] * state.rate[j] * state.rate[j]
    for j in range(work.angle.shape[0]):
        rows.joint_angle[i, j] = work.angle[j]
        rows.joint_rate[i, j] = work.rate[j]
        rows.joint_angle_ref[i, j] = work.reference[j, GOAL]
        rows.joint_rate_ref[i, j] = work.reference[j, GOAL_RATE]
        rows.joint_torque[i, j] = state.torque[j]
    rows.contacts_closed[i] = counts[CONTACTS]
    rows.energy[i, KINETIC] = kinetic
    rows.energy[i, POTENTIAL] = potential
    for e in range(rows.energy.shape[1] - 2):
        rows.energy[i, 2 + e] = sums[ACTUATOR + e]
    if params.dry != 0:
        rows.energy[i, rows.energy.shape[1] - 1] = sums[DRY_FRICTION]
    rows.residual[i] = sums[WORST_ROW]
    rows.iterations[i] = counts[ITERATIONS]
    rows.unconverged[i] = counts[UNCONVERGED]
    rows.steps[i] = counts[STEP]
    # Contacts with obstacles in the interval, then with the ground.
    for s in range(counts[SLOTS_ROW + interval]):
        weight = state.slot_sum[interval, s, WEIGHT]
        link = state.slot_key[interval, s, LINK]
        body = state.slot_key[interval, s, BODY]
        feature = state.slot_key[interval, s, FEATURE]
        rows.contact_link[at] = link
        rows.contact_other[at] = body
        loaded = state.slot_key[interval, s, LOADED] == counts[STEP]
        rows.contact_state[at] = _state_of(state, link, body, feature) if loaded else OPEN
        for a in range(3):
            rows.contact_normal[at, a] = state.slot_sum[interval, s, a]
            rows.contact_friction[at, a] = state.slot_sum[interval, s, 3 + a]
            rows.contact_point[at, a] = state.slot_sum[interval, s, 6 + a] / weight
        at += 1
    for k in range(n):
        for end in range(2):
            load = state.ground[k, end, LOAD] - state.before[interval, k, end, LOAD]
            if load > 0.0:
                rows.contact_link[at] = k
                rows.contact_other[at] = GROUND
                loaded = state.ground[k, end, LAST] == counts[STEP]
                rows.contact_state[at] = _state_of(state, k, int(GROUND), end) if loaded else OPEN
                rows.contact_normal[at, X] = 0.0
                rows.contact_normal[at, Y] = 0.0
                rows.contact_normal[at, Z] = load
                for a in range(2):
                    rows.contact_friction[at, a] = (
                        state.ground[k, end, 1 + a] - state.before[interval, k, end, 1 + a]
                    )
                    moment = state.ground[k, end, 3 + a] - state.before[interval, k, end, 3 + a]
                    rows.contact_point[at, a] = moment / load
                rows.contact_friction[at, Z] = 0.0
                rows.contact_point[at, Z] = 0.0
                at += 1
    rows.contact_count[i] = at - rows.filled[1]
    rows.filled[0] = i + 1
    rows.filled[1] = at
