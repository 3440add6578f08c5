"""The ledger of energy: the work of everything that acted in a step."""

from __future__ import annotations

from snakestudio.engines.spatial_nonsmooth.params import Params
from snakestudio.engines.spatial_nonsmooth.state import (
    ACTUATOR,
    EXTERNAL,
    FRICTION,
    GRAVITY,
    GYROSCOPIC,
    JOINT,
    OBSTACLE,
    STOP,
    State,
    Work,
)
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.spatial_chain import joint_rates
from snakestudio.kernels.spatial_problem import LAW_N, PITCH, REACH_X, RX, RY, RZ, YAW
from snakestudio.kernels.vec3 import X, Y, Z, vec3_at

__all__ = ["book_works"]


@inlined
def book_works(params: Params, state: State, work: Work) -> None:
    """Add what everything did in the step: impulse times the mean of the velocities before and after it.

    So the kinetic energy, whose mass matrix is constant in the velocities (P1 (5)), changes by just their sum.
    Must be called while `state` is that before the step.
    """
    half, half_dt, mass = params.half_length, 0.5 * params.dt, params.mass
    friction = normal = gravity = external = gyroscopic = actuator = joint = stop = 0.0
    w, start = work.w, work.w_start
    for k in range(w.shape[0]):
        ox, oy, oz = w[k, RX] + start[k, RX], w[k, RY] + start[k, RY], w[k, RZ] + start[k, RZ]
        ex, ey, ez = half * work.axis[k, X], half * work.axis[k, Y], half * work.axis[k, Z]
        vx = w[k, X] + start[k, X] + oy * ez - oz * ey
        vy = w[k, Y] + start[k, Y] + oz * ex - ox * ez
        vz = w[k, Z] + start[k, Z] + ox * ey - oy * ex
        gravity += params.gx * vx + params.gy * vy + params.gz * vz
        force = state.wrench[k]
        external += force[0] * vx + force[1] * vy + force[2] * vz + force[3] * ox + force[4] * oy + force[5] * oz
        torque = work.torque_free[k]
        gyroscopic += torque[0] * ox + torque[1] * oy + torque[2] * oz
        # All that the contacts do, less what is done along the normals.
        for i in range(6):
            friction += work.pushed[k, i] * (w[k, i] + start[k, i])
        for c in range(work.first[k], work.first[k + 1]):
            normal += work.law[c, LAW_N] * (work.gamma[c, LAW_N] + work.gamma_start[c])
    for k in range(w.shape[0] - 1):
        yaw, pitch = joint_rates(work.joint, k, w)
        mean_yaw, mean_pitch = yaw + work.rate_start[k, YAW], pitch + work.rate_start[k, PITCH]
        stop_yaw, stop_pitch = (
            work.stop_sign[k, YAW] * work.stop[k, YAW],
            work.stop_sign[k, PITCH] * work.stop[k, PITCH],
        )
        motor_yaw = work.drive[k, YAW] - work.drag[k, YAW] * yaw
        motor_pitch = work.drive[k, PITCH] - work.drag[k, PITCH] * pitch
        state.torque[k, YAW] = motor_yaw / params.dt
        state.torque[k, PITCH] = motor_pitch / params.dt
        state.motor[k, YAW] = state.torque[k, YAW]
        state.motor[k, PITCH] = state.torque[k, PITCH]
        own = motor_yaw * mean_yaw + motor_pitch * mean_pitch
        stopped = stop_yaw * mean_yaw + stop_pitch * mean_pitch
        # All the joint does: its wrench at p_k+1 and the velocity of link k + 1 there relative to link k.
        rx, ry, rz = vec3_at(work.joint, k, REACH_X)
        ox, oy, oz = w[k, RX] + start[k, RX], w[k, RY] + start[k, RY], w[k, RZ] + start[k, RZ]
        f = work.wrench[k]
        whole = (
            f[0] * (w[k + 1, X] + start[k + 1, X] - (w[k, X] + start[k, X]) - (oy * rz - oz * ry))
            + f[1] * (w[k + 1, Y] + start[k + 1, Y] - (w[k, Y] + start[k, Y]) - (oz * rx - ox * rz))
            + f[2] * (w[k + 1, Z] + start[k + 1, Z] - (w[k, Z] + start[k, Z]) - (ox * ry - oy * rx))
            + f[3] * (w[k + 1, RX] + start[k + 1, RX] - ox)
            + f[4] * (w[k + 1, RY] + start[k + 1, RY] - oy)
            + f[5] * (w[k + 1, RZ] + start[k + 1, RZ] - oz)
        )
        actuator += own
        stop += stopped
        joint += whole - own - stopped
    sums = state.sums
    sums[ACTUATOR] += 0.5 * actuator
    sums[FRICTION] += 0.5 * (friction - normal)
    sums[GRAVITY] += half_dt * mass * gravity
    sums[OBSTACLE] += 0.5 * normal
    sums[JOINT] += 0.5 * joint
    sums[STOP] += 0.5 * stop
    sums[EXTERNAL] += half_dt * external
    sums[GYROSCOPIC] += half_dt * gyroscopic
