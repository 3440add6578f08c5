"""Smooth dynamics in the plane: reference, joint torques, free velocity, and ledgers of energy and impulses."""

from __future__ import annotations

import math

from snakestudio.engines.contact_sums import (
    ACTUATOR,
    CONTACTS,
    EXTERNAL,
    FRICTION,
    GRAVITY,
    JOINT,
    OBSTACLE,
    STEP,
    STOP,
)
from snakestudio.engines.motors import Motor, commanded_torque, motor_torque
from snakestudio.engines.planar_nonsmooth.params import (
    AXIS,
    CENTRE,
    DAMPING,
    HALF_PLAY,
    KD,
    KP,
    MOST,
    REST,
    ROTOR,
    STIFFNESS,
    Params,
)
from snakestudio.engines.planar_nonsmooth.state import (
    COMMAND,
    DAMPER,
    GROUND_X,
    GROUND_Y,
    GROUND_Z,
    OBSTACLE_X,
    OBSTACLE_Y,
    PROJECTION,
    SPRING,
    State,
    Work,
)
from snakestudio.engines.row_buffers import ANGLE, RATE
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.ground_patches import (
    AGAINST_AXIS,
    SIDEWAYS,
    WITH_AXIS,
    friction_scale,
    load_scale,
    patch_under,
)
from snakestudio.kernels.planar_ground import fill_law
from snakestudio.kernels.planar_problem import (
    ACROSS,
    ALONG,
    FORCE_1,
    FORCE_2,
    FRONT,
    MASS,
    NORMAL,
    OVER_INERTIA,
    OVER_MASS,
    REAR,
    TANGENT,
    TURN,
)
from snakestudio.kernels.stribeck import stribeck
from snakestudio.kernels.trig import sin_cos
from snakestudio.kernels.vec3 import vec3_at, vec3_put

# Columns of Work.spring.
TORQUE, LOSS = range(2)


@inlined
def midpoint(params: Params, state: State, work: Work) -> None:
    """Compute the directions of the links at the midpoint q_M = q_A + dt/2 u_A (P2 (54))."""
    half_dt = 0.5 * params.dt
    for k in range(state.q.shape[0]):
        work.theta[k] = state.q[k, TURN] + half_dt * state.u[k, TURN]
    sin_cos(work.theta, work.cos, work.sin)


@jit
def _spring(params: Params, state: State, work: Work, k: int) -> float:
    """Return the torque of spring and damper of joint k for zero rate at the end of the step, N m; fills `work.spring`.

    The spring torque is that of the mean angle before and after the step, phi_M + dt/4 (phi'_E -
    phi'_A): its work is then exactly the loss of its energy, and the step is stable for any
    stiffness. The damper torque is that of the rate at the end.
    """
    stiffness: float = params.joints[k, STIFFNESS]
    dt = params.dt
    rate = state.u[k + 1, TURN] - state.u[k, TURN]
    stretch = work.theta[k + 1] - work.theta[k] - params.joints[k, REST]
    torque: float = -stiffness * (stretch - 0.25 * dt * rate)
    drag = dt * (0.25 * dt * stiffness + params.joints[k, DAMPING])
    work.spring[k, TORQUE] = torque
    work.spring[k, LOSS] = drag
    work.total[k] += drag
    return torque


@jit
def _vary_ground(params: Params, state: State, work: Work) -> None:
    """Compute friction and load of each link at its present position, in `work.law` and `work.pressed`."""
    ground = params.ground
    half_dt = 0.5 * params.dt
    time = (state.counts[STEP] + 0.5) * params.dt
    for k in range(state.q.shape[0]):
        # The position is that of the middle between the joints at the midpoint.
        reach = params.shape[k, CENTRE]
        x = state.q[k, X] + half_dt * state.u[k, X] + reach * work.cos[k]
        y = state.q[k, Y] + half_dt * state.u[k, Y] + reach * work.sin[k]
        work.pressed[k] = (
            params.links[k, MASS] * params.gn * params.dt * load_scale(ground, k, time)
        )
        scale = friction_scale(ground, time, x, y)
        line = patch_under(ground, x, y)
        own = ground.friction[line, k]
        fill_law(
            work.law,
            k,
            params.links[k, MASS],
            scale * own[WITH_AXIS],
            scale * own[AGAINST_AXIS],
            scale * own[SIDEWAYS],
            params.kind,
        )


@inlined
def free_velocity(params: Params, state: State, work: Work, commanded: bool) -> None:
    """Compute joint torques (P2 (42), (43)) and u_free = u_A + M^-1 (all but contacts, joints and the motors' drag) dt.

    Torques are positive if they increase phi_i = theta_{i+1} - theta_i; the paper's tau_i is the
    negative. If `commanded`, they are those in `work.command` instead of the PD law.
    """
    n = state.q.shape[0]
    dt = params.dt
    joints = params.joints
    before = 0.0
    for k in range(n):
        dt_mass = dt * params.links[k, OVER_MASS]
        dt_inertia = dt * params.links[k, OVER_INERTIA]
        after = 0.0
        if k < n - 1 and joints[k, AXIS] >= 0.0:
            motor = Motor(joints[k, HALF_PLAY], joints[k, MOST], params.lag, params.implicit)
            axis = int(joints[k, AXIS])
            if commanded:
                after = commanded_torque(motor, work.command[axis, COMMAND], state.torque[k])
                work.drag[k] = 0.0
            else:
                error = work.theta[k + 1] - work.theta[k] - work.reference[axis, ANGLE]
                rate = state.u[k + 1, TURN] - state.u[k, TURN]
                after, work.drag[k] = motor_torque(
                    motor,
                    dt,
                    joints[k, KP],
                    joints[k, KD],
                    error,
                    rate,
                    work.reference[axis, RATE],
                    1.0,
                    state.torque[k],
                )
            work.torque[k] = after
            work.total[k] = work.drag[k]
            if params.springs != 0:
                after += _spring(params, state, work, k)
            if params.rotors != 0:
                # Its impulse is that of the change of the rate, -I (phi'_E - phi'_A).
                rotor = joints[k, ROTOR]
                after += rotor * (state.u[k + 1, TURN] - state.u[k, TURN]) / dt
                work.total[k] += rotor
        elif k < n - 1:
            work.total[k] = math.inf
        work.u_free[k, X] = state.u[k, X] + dt * params.gx + dt_mass * state.wrench[k, X]
        work.u_free[k, Y] = state.u[k, Y] + dt * params.gy + dt_mass * state.wrench[k, Y]
        work.u_free[k, TURN] = state.u[k, TURN] + dt_inertia * (
            before - after + state.wrench[k, TURN]
        )
        before = after


@inlined
def load_discs(params: Params, state: State, work: Work) -> None:
    """Compute the radii of the friction discs: the weight's impulse, and the increase of friction near sticking."""
    if params.varied != 0:
        _vary_ground(params, state, work)
    for k in range(state.q.shape[0]):
        if params.varied == 0:
            work.pressed[k] = params.links[k, MASS] * params.gn * params.dt
        radius = work.pressed[k]
        if params.stribeck_rise > 0.0:
            vx, vy = state.u[k, X], state.u[k, Y]
            radius *= stribeck(vx * vx + vy * vy, params.stribeck_rise, params.stribeck_velocity)
        work.load[k] = radius


@inlined
def book_works(params: Params, state: State, work: Work) -> None:
    """Add the step's impulses and works to the ledger; `state.counts[CONTACTS]` must already be that of this step.

    An impulse P along W does the work P W^T (u_A + u_E) / 2: with M (u_E - u_A) = sum of W P, the
    change of kinetic energy is then the sum of all works exactly, not only in the limit of small
    steps.
    """
    n = state.q.shape[0]
    half_dt = 0.5 * params.dt
    links = params.links
    law = work.law
    spring = damper = 0.0
    actuator = friction = gravity = obstacle = joint = stop = external = 0.0
    omega_before = jx = jy = (
        0.0  # previous link: omega, and velocity of its front joint, both as u_A + u_E
    )
    for k in range(n):
        cos, sin = work.cos[k], work.sin[k]
        vx, vy = state.u[k, X] + work.u[k, X], state.u[k, Y] + work.u[k, Y]
        omega = state.u[k, TURN] + work.u[k, TURN]
        along = law[k, FORCE_1] * work.friction[k, ALONG]
        across = law[k, FORCE_2] * work.friction[k, ACROSS]
        px = along * cos - across * sin
        py = along * sin + across * cos
        state.impulse[k, GROUND_X] += px
        state.impulse[k, GROUND_Y] += py
        state.impulse[k, GROUND_Z] += work.pressed[k]
        friction += vx * px + vy * py
        gravity += links[k, MASS] * (vx * params.gx + vy * params.gy)
        external += (
            vx * state.wrench[k, X] + vy * state.wrench[k, Y] + omega * state.wrench[k, TURN]
        )
        turn_x = -sin * omega
        turn_y = cos * omega
        if k > 0:
            rate = omega - omega_before
            if params.implicit:
                work.torque[k - 1] -= (
                    work.drag[k - 1] * (work.u[k, TURN] - work.u[k - 1, TURN]) / params.dt
                )
            if params.springs != 0:
                end_rate = work.u[k, TURN] - work.u[k - 1, TURN]
                damping = params.joints[k - 1, DAMPING]
                damper -= damping * end_rate * rate
                spring += (
                    work.spring[k - 1, TORQUE]
                    - (work.spring[k - 1, LOSS] / params.dt - damping) * end_rate
                ) * rate
            actuator += work.torque[k - 1] * rate
            stop += work.stops[k - 1] * work.stop[k - 1] * rate
            rear = links[k, REAR]
            joint += work.joint[k - 1, X] * (jx - (vx - rear * turn_x))
            joint += work.joint[k - 1, Y] * (jy - (vy - rear * turn_y))
        omega_before = omega
        front = links[k, FRONT]
        jx, jy = vx + front * turn_x, vy + front * turn_y
    for c in range(state.counts[CONTACTS]):
        k = work.link[c]
        nx, ny, arm = vec3_at(work.rows, c, NORMAL)
        p = work.normal[c]
        state.impulse[k, OBSTACLE_X] += p * nx
        state.impulse[k, OBSTACLE_Y] += p * ny
        vx = state.u[k, X] + work.u[k, X]
        vy = state.u[k, Y] + work.u[k, Y]
        omega = state.u[k, TURN] + work.u[k, TURN]
        obstacle += p * (vx * nx + vy * ny + omega * arm)
        if work.active[1] > 0:
            tx, ty, arm = vec3_at(work.rows, c, TANGENT)
            p = work.tangent[c]
            state.impulse[k, OBSTACLE_X] += p * tx
            state.impulse[k, OBSTACLE_Y] += p * ty
            friction += p * (vx * tx + vy * ty + omega * arm)
    sums = state.sums
    sums[ACTUATOR] += half_dt * actuator
    sums[FRICTION] += 0.5 * friction
    sums[GRAVITY] += half_dt * gravity
    sums[SPRING] += half_dt * spring
    sums[DAMPER] += half_dt * damper
    sums[OBSTACLE] += 0.5 * obstacle
    sums[JOINT] += 0.5 * joint
    sums[STOP] += 0.5 * stop
    sums[EXTERNAL] += half_dt * external


@inlined
def move_links(params: Params, state: State, work: Work) -> None:
    """Compute q_E = q_M + dt/2 u_E (P2 (63)), then close the joints with link 1 and all angles fixed (P2, VI-C)."""
    n = state.q.shape[0]
    half_dt = 0.5 * params.dt
    links = params.links
    for k in range(n):
        work.theta_end[k] = work.theta[k] + half_dt * work.u[k, TURN]
    sin_cos(work.theta_end, work.cos_end, work.sin_end)
    jx = jy = shifted = 0.0
    for k in range(n):
        x = state.q[k, X] + half_dt * state.u[k, X] + half_dt * work.u[k, X]
        y = state.q[k, Y] + half_dt * state.u[k, Y] + half_dt * work.u[k, Y]
        ex, ey = work.cos_end[k], work.sin_end[k]
        if k > 0:
            closed_x, closed_y = jx + links[k, REAR] * ex, jy + links[k, REAR] * ey
            shifted += links[k, MASS] * (params.gx * (closed_x - x) + params.gy * (closed_y - y))
            x, y = closed_x, closed_y
        jx, jy = x + links[k, FRONT] * ex, y + links[k, FRONT] * ey
        vec3_put(state.q, k, (x, y, work.theta_end[k]))
        for i in range(3):
            state.u[k, i] = work.u[k, i]
    for k in range(n - 1):
        state.torque[k] = work.torque[k]
    state.sums[PROJECTION] += shifted
