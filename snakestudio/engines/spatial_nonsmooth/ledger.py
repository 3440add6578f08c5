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
        ox, oy, oz = w[k, 3] + start[k, 3], w[k, 4] + start[k, 4], w[k, 5] + start[k, 5]
        ex, ey, ez = half * work.axis[k, 0], half * work.axis[k, 1], half * work.axis[k, 2]
        vx = w[k, 0] + start[k, 0] + oy * ez - oz * ey
        vy = w[k, 1] + start[k, 1] + oz * ex - ox * ez
        vz = w[k, 2] + start[k, 2] + ox * ey - oy * ex
        gravity += params.gx * vx + params.gy * vy + params.gz * vz
        force = state.wrench[k]
        external += force[0] * vx + force[1] * vy + force[2] * vz + force[3] * ox + force[4] * oy + force[5] * oz
        torque = work.torque_free[k]
        gyroscopic += torque[0] * ox + torque[1] * oy + torque[2] * oz
        # All that the contacts do, less what is done along the normals.
        for i in range(6):
            friction += work.pushed[k, i] * (w[k, i] + start[k, i])
        for c in range(work.first[k], work.first[k + 1]):
            normal += work.law[c, 0] * (work.gamma[c, 0] + work.gamma_start[c])
    for k in range(w.shape[0] - 1):
        yaw, pitch = joint_rates(work.joint, k, w)
        mean_yaw, mean_pitch = yaw + work.rate_start[k, 0], pitch + work.rate_start[k, 1]
        stop_yaw, stop_pitch = work.stop_sign[k, 0] * work.stop[k, 0], work.stop_sign[k, 1] * work.stop[k, 1]
        motor_yaw = work.drive[k, 0] - work.drag[k, 0] * yaw
        motor_pitch = work.drive[k, 1] - work.drag[k, 1] * pitch
        state.torque[k, 0] = motor_yaw / params.dt
        state.torque[k, 1] = motor_pitch / params.dt
        state.motor[k, 0] = state.torque[k, 0]
        state.motor[k, 1] = state.torque[k, 1]
        own = motor_yaw * mean_yaw + motor_pitch * mean_pitch
        stopped = stop_yaw * mean_yaw + stop_pitch * mean_pitch
        # All the joint does: its wrench at p_k+1 and the velocity of link k + 1 there relative to link k.
        rx, ry, rz = work.joint[k, 6], work.joint[k, 7], work.joint[k, 8]
        ox, oy, oz = w[k, 3] + start[k, 3], w[k, 4] + start[k, 4], w[k, 5] + start[k, 5]
        f = work.wrench[k]
        whole = (
            f[0] * (w[k + 1, 0] + start[k + 1, 0] - (w[k, 0] + start[k, 0]) - (oy * rz - oz * ry))
            + f[1] * (w[k + 1, 1] + start[k + 1, 1] - (w[k, 1] + start[k, 1]) - (oz * rx - ox * rz))
            + f[2] * (w[k + 1, 2] + start[k + 1, 2] - (w[k, 2] + start[k, 2]) - (ox * ry - oy * rx))
            + f[3] * (w[k + 1, 3] + start[k + 1, 3] - ox)
            + f[4] * (w[k + 1, 4] + start[k + 1, 4] - oy)
            + f[5] * (w[k + 1, 5] + start[k + 1, 5] - oz)
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
