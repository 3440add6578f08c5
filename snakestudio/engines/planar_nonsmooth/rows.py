"""Rows of a recording, written by the kernel between two steps."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio.engines.planar_nonsmooth.params import Params
from snakestudio.engines.planar_nonsmooth.state import (
    ACTUATOR,
    CONTACTS,
    ITERATIONS,
    LOAD,
    PROJECTION,
    SLOTS_ROW,
    STEP,
    UNCONVERGED,
    WORST_ROW,
    State,
    Work,
)
from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.kernels._jit import jit
from snakestudio.kernels.prox import AT_LIMIT

__all__ = ["classify_stick", "write_row"]

FloatArray = NDArray[np.float64]

# Values of snakestudio.model.snapshot.ContactState and GROUND.
OPEN, STICK, SLIP = 0, 1, 2
GROUND = -1


@jit
def classify_stick(params: Params, state: State, work: Work) -> None:
    """Say of every link whether it sticks to the ground: whether P - r gamma lies in the friction disc (P2 (51))."""
    mu_max = max(params.mu_along, params.mu_across)
    for k in range(state.q.shape[0]):
        load = work.load[k]
        if load <= 0.0:
            state.stick[k] = OPEN
            continue
        state.stick[k] = SLIP
        if mu_max > 0.0:
            prox_r = params.mass / (mu_max * mu_max)
            cos, sin, vx, vy = work.cos[k], work.sin[k], state.u[k, 0], state.u[k, 1]
            y1 = state.friction[k, 0] - prox_r * params.mu_along * (cos * vx + sin * vy)
            y2 = state.friction[k, 1] - prox_r * params.mu_across * (cos * vy - sin * vx)
            if math.sqrt(y1 * y1 + y2 * y2) <= AT_LIMIT * load:
                state.stick[k] = STICK


@jit
def write_row(params: Params, state: State, reference: FloatArray, rows: RowBuffers) -> None:
    """Write the present state as the next row and begin the sums of the row after it."""
    n = state.q.shape[0]
    i = rows.filled[0]
    at = rows.filled[1]
    counts, sums = state.counts, state.sums
    kinetic = potential = 0.0
    for k in range(n):
        x, y, theta = state.q[k, 0], state.q[k, 1], state.q[k, 2]
        vx, vy, omega = state.u[k, 0], state.u[k, 1], state.u[k, 2]
        rows.link_pose[i, k, 0] = x
        rows.link_pose[i, k, 1] = y
        rows.link_pose[i, k, 2] = params.radius
        rows.link_pose[i, k, 3] = math.cos(0.5 * theta)
        rows.link_pose[i, k, 6] = math.sin(0.5 * theta)
        rows.link_twist[i, k, 0] = vx
        rows.link_twist[i, k, 1] = vy
        rows.link_twist[i, k, 5] = omega
        kinetic += 0.5 * (params.mass * (vx * vx + vy * vy) + params.inertia * omega * omega)
        potential -= params.mass * (params.gx * x + params.gy * y)
        for a in range(2):
            rows.impulse_obstacle[i, k, a] = state.impulse[k, 2 + a]
            rows.impulse_ground[i, k, a] = state.impulse[k, a]
        rows.impulse_ground[i, k, 2] = sums[LOAD]
    for k in range(n - 1):
        rows.joint_angle[i, k, 0] = state.q[k + 1, 2] - state.q[k, 2]
        rows.joint_rate[i, k, 0] = state.u[k + 1, 2] - state.u[k, 2]
        rows.joint_angle_ref[i, k, 0] = reference[k, 0]
        rows.joint_rate_ref[i, k, 0] = reference[k, 1]
        rows.joint_torque[i, k, 0] = state.torque[k]
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
        weight = state.slot_sum[0, s, 4]
        rows.contact_link[at] = state.slot_key[0, s, 0]
        rows.contact_other[at] = state.slot_key[0, s, 1]
        rows.contact_state[at] = state.slot_key[0, s, 4] if state.slot_key[0, s, 3] == counts[STEP] else OPEN
        rows.contact_point[at, 0] = state.slot_sum[0, s, 2] / weight
        rows.contact_point[at, 1] = state.slot_sum[0, s, 3] / weight
        rows.contact_point[at, 2] = params.radius
        rows.contact_normal[at, 0] = state.slot_sum[0, s, 0]
        rows.contact_normal[at, 1] = state.slot_sum[0, s, 1]
        rows.contact_friction[at, 0] = state.slot_sum[0, s, 5]
        rows.contact_friction[at, 1] = state.slot_sum[0, s, 6]
        at += 1
    load = sums[LOAD] - state.before[0, n, 0]
    for k in range(n):
        if load > 0.0:
            rows.contact_link[at] = k
            rows.contact_other[at] = GROUND
            rows.contact_state[at] = state.stick[k]
            rows.contact_point[at, 0] = state.q[k, 0]
            rows.contact_point[at, 1] = state.q[k, 1]
            rows.contact_normal[at, 2] = load
            for a in range(2):
                rows.contact_friction[at, a] = state.impulse[k, a] - state.before[0, k, a]
            at += 1
        for a in range(2):
            state.before[0, k, a] = state.impulse[k, a]
    state.before[0, n, 0] = sums[LOAD]
    rows.contact_count[i] = at - rows.filled[1]
    rows.filled[0] = i + 1
    rows.filled[1] = at
    counts[SLOTS_ROW] = 0
    for c in range(counts[CONTACTS]):
        state.contact[c, 3] = -1
    sums[WORST_ROW] = 0.0
