"""Rows of a recording, written by the kernel between two steps."""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
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
from snakestudio.engines.planar_nonsmooth.params import AXIS, RADIUS, REST, ROTOR, STIFFNESS, Params
from snakestudio.engines.planar_nonsmooth.state import (
    DAMPER,
    FRICTION_X,
    FRICTION_Y,
    GROUND_Z,
    NORMAL_X,
    NORMAL_Y,
    POINT_X,
    POINT_Y,
    PROJECTION,
    STICKS,
    WEIGHT,
    WORST_ROW,
    State,
    Work,
)
from snakestudio.engines.planar_obstacles import OWNER
from snakestudio.engines.row_buffers import (
    ANGLE,
    BODY,
    KINETIC,
    LINK,
    POTENTIAL,
    QUAT_W,
    QUAT_Z,
    RATE,
    ROW,
    TURN_Z,
    WORKS,
    RowBuffers,
)
from snakestudio.kernels._jit import jit
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.kernels.planar_directional import choose_side
from snakestudio.kernels.planar_problem import (
    ACROSS,
    AGAINST,
    ALONG,
    BOX,
    DISC,
    INERTIA,
    MASS,
    PROX,
    RATE_1,
    RATE_2,
    TURN,
    WITH,
)
from snakestudio.kernels.prox import AT_LIMIT
from snakestudio.kernels.vec3 import vec3

# Values of snakestudio.model.snapshot.ContactState and GROUND.
OPEN = 0
STICK = 1
SLIP = 2
GROUND = -1


@jit
def classify_stick(params: Params, state: State, work: Work) -> None:
    """Compute for each link whether it sticks to the ground: whether P - r gamma is in the friction disc (P2 (51))."""
    law = work.law
    for k in range(state.q.shape[0]):
        load = work.load[k]
        if load <= 0.0:
            state.stick[k] = OPEN
            continue
        state.stick[k] = SLIP
        if law[k, PROX] > 0.0:
            prox_r = law[k, PROX]
            plus = law[k, WITH]
            minus = law[k, AGAINST]
            cos = work.cos[k]
            sin = work.sin[k]
            vx = state.u[k, X]
            vy = state.u[k, Y]
            p1 = state.friction[k, ALONG]
            g1 = law[k, RATE_1] * (cos * vx + sin * vy)
            y1 = p1 - prox_r * g1
            y2 = state.friction[k, ACROSS] - prox_r * law[k, RATE_2] * (cos * vy - sin * vx)
            if params.kind == BOX:
                # Outside the interval along the link, a point is outside any disc; inside it, the
                # component across decides.
                y1 = 0.0 if -minus * load * AT_LIMIT <= y1 <= plus * load * AT_LIMIT else math.inf
            elif params.kind != DISC:
                y1, _ = choose_side(params.kind, plus, minus, p1, g1, prox_r)
            if math.sqrt(y1 * y1 + y2 * y2) <= AT_LIMIT * load:
                state.stick[k] = STICK


@jit
def write_row(params: Params, state: State, reference: FloatArray, rows: RowBuffers) -> None:
    """Write the present state as the next row, and reset the sums for the row after it."""
    write_state(params, state, reference, rows, int(ROW))
    counts = state.counts
    for k in range(state.q.shape[0]):
        for a in range(2):
            state.before[ROW, k, a] = state.impulse[k, a]
        state.before[ROW, k, Z] = state.impulse[k, GROUND_Z]
    counts[SLOTS_ROW] = 0
    for c in range(counts[CONTACTS]):
        state.contact[c, SLOT_ROW] = -1
    state.sums[WORST_ROW] = 0.0


@jit
def write_state(
    params: Params, state: State, reference: FloatArray, rows: RowBuffers, interval: int
) -> None:
    """Write the present state as the next row, with contacts of an interval, without changing the state.

    Parameters
    ----------
    reference : (m, 2)
        Present reference angle and rate of the joints.
    interval : int
        `ROW` or `CALL`: contacts since the previous row or since the beginning of the call.
    """
    n = state.q.shape[0]
    i = rows.filled[0]
    at = rows.filled[1]
    counts = state.counts
    sums = state.sums
    kinetic = potential = 0.0
    for k in range(n):
        x, y, theta = vec3(state.q, k)
        vx, vy, omega = vec3(state.u, k)
        rows.link_pose[i, k, X] = x
        rows.link_pose[i, k, Y] = y
        rows.link_pose[i, k, Z] = params.shape[k, RADIUS]
        rows.link_pose[i, k, QUAT_W] = math.cos(0.5 * theta)
        rows.link_pose[i, k, QUAT_Z] = math.sin(0.5 * theta)
        rows.link_twist[i, k, X] = vx
        rows.link_twist[i, k, Y] = vy
        rows.link_twist[i, k, TURN_Z] = omega
        mass = params.links[k, MASS]
        kinetic += 0.5 * (mass * (vx * vx + vy * vy) + params.links[k, INERTIA] * omega * omega)
        potential -= mass * (params.gx * x + params.gy * y)
        for a in range(2):
            rows.impulse_obstacle[i, k, a] = state.impulse[k, 2 + a]
            rows.impulse_ground[i, k, a] = state.impulse[k, a]
        rows.impulse_ground[i, k, Z] = state.impulse[k, GROUND_Z]
    for k in range(n - 1):
        axis = int(params.joints[k, AXIS])
        if axis >= 0:
            rows.joint_angle[i, axis] = state.q[k + 1, TURN] - state.q[k, TURN]
            rows.joint_rate[i, axis] = state.u[k + 1, TURN] - state.u[k, TURN]
            rows.joint_angle_ref[i, axis] = reference[axis, ANGLE]
            rows.joint_rate_ref[i, axis] = reference[axis, RATE]
            rows.joint_torque[i, axis] = state.torque[k]
        if params.springs != 0:
            stretch = state.q[k + 1, TURN] - state.q[k, TURN] - params.joints[k, REST]
            potential += 0.5 * params.joints[k, STIFFNESS] * stretch * stretch
        if params.rotors != 0:
            rate = state.u[k + 1, TURN] - state.u[k, TURN]
            kinetic += 0.5 * params.joints[k, ROTOR] * rate * rate
    rows.contacts_closed[i] = counts[CONTACTS]
    rows.energy[i, KINETIC] = kinetic
    rows.energy[i, POTENTIAL] = potential
    last = DAMPER if params.springs != 0 else PROJECTION
    for e in range(ACTUATOR, last + 1):
        rows.energy[i, WORKS + e - ACTUATOR] = sums[e]
    rows.residual[i] = sums[WORST_ROW]
    rows.iterations[i] = counts[ITERATIONS]
    rows.unconverged[i] = counts[UNCONVERGED]
    rows.steps[i] = counts[STEP]
    # Contacts with obstacles in the interval, then with the ground.
    for s in range(counts[SLOTS_ROW + interval]):
        weight = state.slot_sum[interval, s, WEIGHT]
        rows.contact_link[at] = state.slot_key[interval, s, LINK]
        rows.contact_other[at] = int(params.obstacles[state.slot_key[interval, s, BODY], OWNER])
        rows.contact_state[at] = (
            state.slot_key[interval, s, STICKS]
            if state.slot_key[interval, s, LOADED] == counts[STEP]
            else OPEN
        )
        rows.contact_point[at, X] = state.slot_sum[interval, s, POINT_X] / weight
        rows.contact_point[at, Y] = state.slot_sum[interval, s, POINT_Y] / weight
        rows.contact_point[at, Z] = params.shape[state.slot_key[interval, s, LINK], RADIUS]
        rows.contact_normal[at, X] = state.slot_sum[interval, s, NORMAL_X]
        rows.contact_normal[at, Y] = state.slot_sum[interval, s, NORMAL_Y]
        rows.contact_friction[at, X] = state.slot_sum[interval, s, FRICTION_X]
        rows.contact_friction[at, Y] = state.slot_sum[interval, s, FRICTION_Y]
        at += 1
    for k in range(n):
        load = state.impulse[k, GROUND_Z] - state.before[interval, k, Z]
        if load > 0.0:
            rows.contact_link[at] = k
            rows.contact_other[at] = GROUND
            rows.contact_state[at] = state.stick[k]
            rows.contact_point[at, X] = state.q[k, X]
            rows.contact_point[at, Y] = state.q[k, Y]
            rows.contact_normal[at, Z] = load
            for a in range(2):
                rows.contact_friction[at, a] = state.impulse[k, a] - state.before[interval, k, a]
            at += 1
    rows.contact_count[i] = at - rows.filled[1]
    rows.filled[0] = i + 1
    rows.filled[1] = at
