"""Smooth dynamics in the plane: reference, joint torques, free velocity, and the ledger of energy and impulses."""

from __future__ import annotations

from snakestudio.engines.motors import given_torque, motor_torque
from snakestudio.engines.planar_nonsmooth.params import Params
from snakestudio.engines.planar_nonsmooth.state import (
    ACTUATOR,
    CONTACTS,
    EXTERNAL,
    FRICTION,
    GRAVITY,
    GROUND_X,
    GROUND_Y,
    JOINT,
    LOAD,
    OBSTACLE,
    OBSTACLE_X,
    OBSTACLE_Y,
    PROJECTION,
    STOP,
    State,
    Work,
)
from snakestudio.engines.row_buffers import ANGLE, RATE, YAW
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.planar_problem import ACROSS, ALONG, NORMAL, TANGENT, TURN
from snakestudio.kernels.stribeck import stribeck
from snakestudio.kernels.trig import sin_cos
from snakestudio.kernels.vec3 import X, Y, vec3_at, vec3_put

__all__ = ["book_works", "free_velocity", "load_discs", "midpoint", "move_links"]


@inlined
def midpoint(params: Params, state: State, work: Work) -> None:
    """Directions of the links at the midpoint q_M = q_A + dt/2 u_A (P2 (54))."""
    half_dt = 0.5 * params.dt
    for k in range(state.q.shape[0]):
        work.theta[k] = state.q[k, TURN] + half_dt * state.u[k, TURN]
    sin_cos(work.theta, work.cos, work.sin)


@inlined
def free_velocity(params: Params, state: State, work: Work, given: bool) -> None:
    """Joint torques (P2 (42), (43)) and u_free = u_A + M^-1 (all but contacts, joints and the motors' drag) dt.

    The torque here is positive if it raises phi_i = theta_{i+1} - theta_i; the paper's tau_i is its negative. `given`:
    it is the one in `work.given`, not the PD law's.
    """
    n = state.q.shape[0]
    dt, dt_mass, dt_inertia = params.dt, params.dt / params.mass, params.dt / params.inertia
    before = 0.0
    for k in range(n):
        after = 0.0
        if k < n - 1 and given:
            after = given_torque(params.motor, work.given[k, YAW], state.torque[k])
            work.torque[k] = after
            work.drag[k] = 0.0
        elif k < n - 1:
            error = work.theta[k + 1] - work.theta[k] - work.reference[k, ANGLE]
            rate = state.u[k + 1, TURN] - state.u[k, TURN]
            after, work.drag[k] = motor_torque(
                params.motor, dt, params.kp, params.kd, error, rate, work.reference[k, RATE], 1.0, state.torque[k]
            )
            work.torque[k] = after
        work.u_free[k, X] = state.u[k, X] + dt * params.gx + dt_mass * state.wrench[k, X]
        work.u_free[k, Y] = state.u[k, Y] + dt * params.gy + dt_mass * state.wrench[k, Y]
        work.u_free[k, TURN] = state.u[k, TURN] + dt_inertia * (before - after + state.wrench[k, TURN])
        before = after


@inlined
def load_discs(params: Params, state: State, work: Work) -> None:
    """Radii of the friction discs: the weight's impulse, and what friction rises by where sliding ceases."""
    load = params.mass * params.gn * params.dt
    for k in range(state.q.shape[0]):
        radius = load
        if params.stribeck_rise > 0.0:
            vx, vy = state.u[k, X], state.u[k, Y]
            radius *= stribeck(vx * vx + vy * vy, params.stribeck_rise, params.stribeck_velocity)
        work.load[k] = radius


@inlined
def book_works(params: Params, state: State, work: Work) -> None:
    """Add the step's impulses and works to the ledger; `state.counts[CONTACTS]` must already be that of this step.

    An impulse P along W works P W^T (u_A + u_E) / 2: with M (u_E - u_A) = sum of W P this makes the change of kinetic
    energy the sum of all works exactly, not only in the limit of small steps.
    """
    n = state.q.shape[0]
    half_dt, front, rear = 0.5 * params.dt, params.front, params.rear
    actuator = friction = gravity = obstacle = joint = stop = external = 0.0
    omega_before = jx = jy = 0.0  # of the link before: omega, and velocity of its front joint, both as u_A + u_E
    for k in range(n):
        cos, sin = work.cos[k], work.sin[k]
        vx, vy = state.u[k, X] + work.u[k, X], state.u[k, Y] + work.u[k, Y]
        omega = state.u[k, TURN] + work.u[k, TURN]
        along, across = params.mu_along * work.friction[k, ALONG], params.mu_across * work.friction[k, ACROSS]
        px, py = along * cos - across * sin, along * sin + across * cos
        state.impulse[k, GROUND_X] += px
        state.impulse[k, GROUND_Y] += py
        friction += vx * px + vy * py
        gravity += vx * params.gx + vy * params.gy
        external += vx * state.wrench[k, X] + vy * state.wrench[k, Y] + omega * state.wrench[k, TURN]
        turn_x, turn_y = -sin * omega, cos * omega
        if k > 0:
            rate = omega - omega_before
            if params.motor.implicit:
                work.torque[k - 1] -= work.drag[k - 1] * (work.u[k, TURN] - work.u[k - 1, TURN]) / params.dt
            actuator += work.torque[k - 1] * rate
            stop += work.stops[k - 1] * work.stop[k - 1] * rate
            joint += work.joint[k - 1, X] * (jx - (vx - rear * turn_x))
            joint += work.joint[k - 1, Y] * (jy - (vy - rear * turn_y))
        omega_before = omega
        jx, jy = vx + front * turn_x, vy + front * turn_y
    for c in range(state.counts[CONTACTS]):
        k = work.link[c]
        nx, ny, arm = vec3_at(work.rows, c, NORMAL)
        p = work.normal[c]
        state.impulse[k, OBSTACLE_X] += p * nx
        state.impulse[k, OBSTACLE_Y] += p * ny
        vx, vy, omega = state.u[k, X] + work.u[k, X], state.u[k, Y] + work.u[k, Y], state.u[k, TURN] + work.u[k, TURN]
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
    sums[GRAVITY] += half_dt * params.mass * gravity
    sums[OBSTACLE] += 0.5 * obstacle
    sums[JOINT] += 0.5 * joint
    sums[STOP] += 0.5 * stop
    sums[EXTERNAL] += half_dt * external
    sums[LOAD] += params.mass * params.gn * params.dt


@inlined
def move_links(params: Params, state: State, work: Work) -> None:
    """q_E = q_M + dt/2 u_E (P2 (63)), then close the joints keeping link 1 and all angles (P2, VI-C)."""
    n = state.q.shape[0]
    half_dt, front, rear = 0.5 * params.dt, params.front, params.rear
    for k in range(n):
        work.theta_end[k] = work.theta[k] + half_dt * work.u[k, TURN]
    sin_cos(work.theta_end, work.cos_end, work.sin_end)
    jx = jy = shifted = 0.0
    for k in range(n):
        x = state.q[k, X] + half_dt * state.u[k, X] + half_dt * work.u[k, X]
        y = state.q[k, Y] + half_dt * state.u[k, Y] + half_dt * work.u[k, Y]
        ex, ey = work.cos_end[k], work.sin_end[k]
        if k > 0:
            closed_x, closed_y = jx + rear * ex, jy + rear * ey
            shifted += params.gx * (closed_x - x) + params.gy * (closed_y - y)
            x, y = closed_x, closed_y
        jx, jy = x + front * ex, y + front * ey
        vec3_put(state.q, k, (x, y, work.theta_end[k]))
        for i in range(3):
            state.u[k, i] = work.u[k, i]
    for k in range(n - 1):
        state.torque[k] = work.torque[k]
    state.sums[PROJECTION] += params.mass * shifted
