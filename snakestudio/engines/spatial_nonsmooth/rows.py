"""Rows of a recording, written by the kernel between two steps."""

from __future__ import annotations

import math

from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.engines.spatial_nonsmooth.dynamics import end_angles
from snakestudio.engines.spatial_nonsmooth.params import Params
from snakestudio.engines.spatial_nonsmooth.state import (
    ACTUATOR,
    CONTACTS,
    ITERATIONS,
    PROJECTION,
    SLOTS_ROW,
    STEP,
    UNCONVERGED,
    WORST_ROW,
    State,
    Work,
)
from snakestudio.kernels._jit import jit
from snakestudio.kernels.prox import AT_LIMIT

__all__ = ["classify_stick", "write_row"]

# Values of snakestudio.model.snapshot.ContactState and GROUND.
OPEN, STICK, SLIP = 0, 1, 2
GROUND = -1


@jit
def classify_stick(state: State, work: Work) -> None:
    """Say of every contact of the last step whether it sticks: whether P - r gamma lies in its friction disc (58)."""
    for c in range(state.counts[CONTACTS]):
        p = work.law[c, 0]
        state.stick[c] = OPEN
        if p > 0.0:
            gain = work.gain[c, 1]
            y1, y2 = work.law[c, 1] - gain * work.gamma[c, 1], work.law[c, 2] - gain * work.gamma[c, 2]
            sticks = gain > 0.0 and math.sqrt(y1 * y1 + y2 * y2) <= AT_LIMIT * p
            state.stick[c] = STICK if sticks else SLIP


@jit
def _state_of(state: State, link: int, body: int, feature: int) -> int:
    """`ContactState` of a contact in the last step."""
    for c in range(state.first[link], state.first[link + 1]):
        if state.contact[c, 1] == body and state.contact[c, 2] == feature:
            found: int = state.stick[c]
            return found
    return OPEN


@jit
def write_row(params: Params, state: State, work: Work, rows: RowBuffers) -> None:
    """Write the present state as the next row and begin the sums of the row after it.

    `work.reference` must hold what the joints shall do now; angles and rates pass through `work`.
    """
    n = state.q.shape[0]
    i = rows.filled[0]
    at = rows.filled[1]
    counts, sums, q, u = state.counts, state.sums, state.q, state.u
    kinetic = potential = 0.0
    for k in range(n):
        for a in range(7):
            rows.link_pose[i, k, a] = q[k, a]
        w, x, y, z = q[k, 3], q[k, 4], q[k, 5], q[k, 6]
        bx, by, bz = u[k, 3], u[k, 4], u[k, 5]
        for a in range(3):
            rows.link_twist[i, k, a] = u[k, a]
        # omega in the world: b + 2 v x (v x b + w b), v the quaternion's vector part.
        cx, cy, cz = y * bz - z * by + w * bx, z * bx - x * bz + w * by, x * by - y * bx + w * bz
        rows.link_twist[i, k, 3] = bx + 2.0 * (y * cz - z * cy)
        rows.link_twist[i, k, 4] = by + 2.0 * (z * cx - x * cz)
        rows.link_twist[i, k, 5] = bz + 2.0 * (x * cy - y * cx)
        speed = u[k, 0] * u[k, 0] + u[k, 1] * u[k, 1] + u[k, 2] * u[k, 2]
        kinetic += 0.5 * (params.mass * speed + params.axial * bx * bx + params.inertia * (by * by + bz * bz))
        potential -= params.mass * (params.gx * q[k, 0] + params.gy * q[k, 1] + params.gz * q[k, 2])
        for a in range(3):
            rows.impulse_ground[i, k, a] = state.impulse[k, a]
            rows.impulse_obstacle[i, k, a] = state.impulse[k, 3 + a]
    end_angles(state, rows.joint_angle[i], rows.joint_rate[i])
    for k in range(n - 1):
        for a in range(2):
            rows.joint_angle_ref[i, k, a] = work.reference[k, a]
            rows.joint_rate_ref[i, k, a] = work.reference[k, 2 + a]
            rows.joint_torque[i, k, a] = state.torque[k, a]
    rows.contacts_closed[i] = counts[CONTACTS]
    rows.energy[i, 0] = kinetic
    rows.energy[i, 1] = potential
    for e in range(ACTUATOR, PROJECTION + 1):
        rows.energy[i, 2 + e - ACTUATOR] = sums[e]
    rows.residual[i] = sums[WORST_ROW]
    rows.iterations[i] = counts[ITERATIONS]
    rows.unconverged[i] = counts[UNCONVERGED]
    rows.steps[i] = counts[STEP]
    # Contacts with obstacles since the row before, then with the ground.
    for s in range(counts[SLOTS_ROW]):
        weight = state.slot_sum[0, s, 9]
        link, body, feature = state.slot_key[0, s, 0], state.slot_key[0, s, 1], state.slot_key[0, s, 2]
        rows.contact_link[at] = link
        rows.contact_other[at] = body
        loaded = state.slot_key[0, s, 3] == counts[STEP]
        rows.contact_state[at] = _state_of(state, link, body, feature) if loaded else OPEN
        for a in range(3):
            rows.contact_normal[at, a] = state.slot_sum[0, s, a]
            rows.contact_friction[at, a] = state.slot_sum[0, s, 3 + a]
            rows.contact_point[at, a] = state.slot_sum[0, s, 6 + a] / weight
        at += 1
    for k in range(n):
        for end in range(2):
            load = state.ground[k, end, 0] - state.before[0, k, end, 0]
            if load > 0.0:
                rows.contact_link[at] = k
                rows.contact_other[at] = GROUND
                loaded = state.ground[k, end, 5] == counts[STEP]
                rows.contact_state[at] = _state_of(state, k, int(GROUND), end) if loaded else OPEN
                rows.contact_normal[at, 0] = 0.0
                rows.contact_normal[at, 1] = 0.0
                rows.contact_normal[at, 2] = load
                for a in range(2):
                    rows.contact_friction[at, a] = state.ground[k, end, 1 + a] - state.before[0, k, end, 1 + a]
                    moment = state.ground[k, end, 3 + a] - state.before[0, k, end, 3 + a]
                    rows.contact_point[at, a] = moment / load
                rows.contact_friction[at, 2] = 0.0
                rows.contact_point[at, 2] = 0.0
                at += 1
            for a in range(6):
                state.before[0, k, end, a] = state.ground[k, end, a]
    rows.contact_count[i] = at - rows.filled[1]
    rows.filled[0] = i + 1
    rows.filled[1] = at
    counts[SLOTS_ROW] = 0
    for c in range(counts[CONTACTS]):
        state.contact[c, 3] = -1
    sums[WORST_ROW] = 0.0
