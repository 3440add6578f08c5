"""Smooth dynamics in space: midpoint, joint angles, motors, free velocities, and the end of the step."""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.engines.motors import given_torque, motor_torque
from snakestudio.engines.row_buffers import QUAT_W, QUAT_X, QUAT_Y, QUAT_Z
from snakestudio.engines.spatial_nonsmooth.params import Params
from snakestudio.engines.spatial_nonsmooth.state import (
    COS_PITCH,
    COS_YAW,
    PROJECTION,
    Q_1,
    Q_I,
    Q_J,
    Q_K,
    SIN_PITCH,
    SIN_YAW,
    STEADY,
    State,
    Work,
)
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.spatial_chain import joint_rates
from snakestudio.kernels.spatial_problem import (
    PITCH,
    PITCH_X,
    PITCH_Y,
    PITCH_Z,
    REACH_X,
    REACH_Y,
    REACH_Z,
    RX,
    RY,
    RZ,
    SWING_X,
    SWING_Y,
    SWING_Z,
    YAW,
    YAW_X,
    YAW_Y,
    YAW_Z,
)
from snakestudio.kernels.vec3 import X, Y, Z, vec3, vec3_at

__all__ = ["close_joints", "drive_joints", "end_angles", "midpoint", "move_links"]


FIRST = 0
"""The first link."""

ALIKE = 0.25
"""Share of the squared change of velocities up to which two changes in a row count as alike."""


@inlined
def _axes(
    w: float, x: float, y: float, z: float
) -> tuple[float, float, float, float, float, float, float, float, float]:
    """Body axes x, y, z in the world of a quaternion of any length."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    wx, wy, wz = s * w * x, s * w * y, s * w * z
    xx, xy, xz = s * x * x, s * x * y, s * x * z
    yy, yz, zz = s * y * y, s * y * z, s * z * z
    return 1.0 - (yy + zz), xy + wz, xz - wy, xy - wz, 1.0 - (xx + zz), yz + wx, xz + wy, yz - wx, 1.0 - (xx + yy)


@inlined
def _turned(
    w: float, x: float, y: float, z: float, ax: float, ay: float, az: float
) -> tuple[float, float, float, float]:
    """Quaternion times (1, a), a in the body's frame."""
    return (
        w - x * ax - y * ay - z * az,
        x + w * ax + y * az - z * ay,
        y + w * ay + z * ax - x * az,
        z + w * az + x * ay - y * ax,
    )


@inlined
def midpoint(params: Params, state: State, work: Work) -> None:
    """Poses at the midpoint (P1 (72)), velocities in the world's frame, and free velocities with h_M of (75)."""
    half_dt, quarter_dt, dt = 0.5 * params.dt, 0.25 * params.dt, params.dt
    half = params.half_length
    inverse_mass, inverse_inertia = 1.0 / params.mass, 1.0 / params.inertia
    difference = params.axial - params.inertia
    q, u, wrench = state.q, state.u, state.wrench
    for k in range(q.shape[0]):
        vx, vy, vz = vec3(u, k)
        bx, by, bz = vec3_at(u, k, RX)
        for i in range(3):
            work.position[k, i] = q[k, i] + half_dt * u[k, i]
        p0, p1, p2, p3 = _turned(
            q[k, QUAT_W], q[k, QUAT_X], q[k, QUAT_Y], q[k, QUAT_Z], quarter_dt * bx, quarter_dt * by, quarter_dt * bz
        )
        work.turn[k, Q_1] = p0
        work.turn[k, Q_I] = p1
        work.turn[k, Q_J] = p2
        work.turn[k, Q_K] = p3
        ex, ey, ez, lx, ly, lz, ux, uy, uz = _axes(p0, p1, p2, p3)
        work.axis[k, X] = ex
        work.axis[k, Y] = ey
        work.axis[k, Z] = ez
        work.left[k, X] = lx
        work.left[k, Y] = ly
        work.left[k, Z] = lz
        work.up[k, X] = ux
        work.up[k, Y] = uy
        work.up[k, Z] = uz
        ox, oy, oz = bx * ex + by * lx + bz * ux, bx * ey + by * ly + bz * uy, bx * ez + by * lz + bz * uz
        cx, cy, cz = half * ex, half * ey, half * ez
        work.w_start[k, X] = vx - (oy * cz - oz * cy)
        work.w_start[k, Y] = vy - (oz * cx - ox * cz)
        work.w_start[k, Z] = vz - (ox * cy - oy * cx)
        work.w_start[k, RX] = ox
        work.w_start[k, RY] = oy
        work.w_start[k, RZ] = oz
        # Gyroscopic torque of a body of revolution: -(Theta_3 - Theta_1) omega_x (omega x e).
        spin = difference * u[k, RX]
        gx, gy, gz = -spin * (oy * ez - oz * ey), -spin * (oz * ex - ox * ez), -spin * (ox * ey - oy * ex)
        work.torque_free[k, X] = gx
        work.torque_free[k, Y] = gy
        work.torque_free[k, Z] = gz
        tx, ty, tz = wrench[k, RX] + gx, wrench[k, RY] + gy, wrench[k, RZ] + gz
        # Theta^-1 = 1 / Theta_1 across, 1 / Theta_3 along.
        along = (tx * ex + ty * ey + tz * ez) * (1.0 / params.axial - inverse_inertia)
        work.free[k, X] = vx + dt * (params.gx + inverse_mass * wrench[k, X])
        work.free[k, Y] = vy + dt * (params.gy + inverse_mass * wrench[k, Y])
        work.free[k, Z] = vz + dt * (params.gz + inverse_mass * wrench[k, Z])
        work.free[k, RX] = ox + dt * (inverse_inertia * tx + along * ex)
        work.free[k, RY] = oy + dt * (inverse_inertia * ty + along * ey)
        work.free[k, RZ] = oz + dt * (inverse_inertia * tz + along * ez)


@inlined
def _near(angle: float, before: float) -> float:
    """`angle` plus whole turns, as near to `before` as it can be."""
    return angle + 2.0 * math.pi * math.floor((before - angle) / (2.0 * math.pi) + 0.5)


@inlined
def _turn(cos_0: float, sin_0: float, cos_1: float, sin_1: float) -> float:
    """Angle from one direction to another, rad; the series is exact to rounding for what a joint turns in a step."""
    sin = cos_0 * sin_1 - sin_0 * cos_1
    cos = cos_0 * cos_1 + sin_0 * sin_1
    if abs(sin) < 0.01 and cos > 0.9:
        square = sin * sin
        return sin * (1.0 + square * (1.0 / 6.0 + square * (3.0 / 40.0 + square * (5.0 / 112.0))))
    return math.atan2(sin, cos)


@inlined
def drive_joints(params: Params, state: State, work: Work, given: bool) -> int:
    """Joint frames and angles, motor impulses (P1 (68), (69)), and which axes are at their stops; returns how many.

    `given`: the motors' torques are those in `work.given`, not the PD law's.
    """
    n_stops = 0
    dt = params.dt
    offset, half = params.offset, params.half_length
    for k in range(state.q.shape[0] - 1):
        zx, zy, zz = vec3(work.up, k)
        yx, yy, yz = vec3(work.left, k + 1)
        ex, ey, ez = vec3(work.axis, k)
        joint = work.joint
        joint[k, YAW_X] = zx
        joint[k, YAW_Y] = zy
        joint[k, YAW_Z] = zz
        joint[k, PITCH_X] = yx
        joint[k, PITCH_Y] = yy
        joint[k, PITCH_Z] = yz
        if offset != 0.0:
            # The piece between the axes points along y x z; turning about z moves its end along z x (y x z).
            bx, by, bz = yy * zz - yz * zy, yz * zx - yx * zz, yx * zy - yy * zx
            joint[k, SWING_X] = offset * (zy * bz - zz * by)
            joint[k, SWING_Y] = offset * (zz * bx - zx * bz)
            joint[k, SWING_Z] = offset * (zx * by - zy * bx)
            # From p_k (the pitch axis behind link k) to p_k+1; `half` reaches from a joint axis to the centre.
            joint[k, REACH_X] = 2.0 * half * ex + offset * bx
            joint[k, REACH_Y] = 2.0 * half * ey + offset * by
            joint[k, REACH_Z] = 2.0 * half * ez + offset * bz
        else:
            joint[k, REACH_X] = 2.0 * half * ex
            joint[k, REACH_Y] = 2.0 * half * ey
            joint[k, REACH_Z] = 2.0 * half * ez
        rate_yaw, rate_pitch = joint_rates(joint, k, work.w_start)
        work.rate_start[k, YAW] = rate_yaw
        work.rate_start[k, PITCH] = rate_pitch
        # (65), (66): yaw about z_k, then pitch about y_k+1.
        left = work.left
        sin_yaw = -(ex * yx + ey * yy + ez * yz)
        cos_yaw = left[k, X] * yx + left[k, Y] * yy + left[k, Z] * yz
        sin_pitch = -(zx * work.axis[k + 1, X] + zy * work.axis[k + 1, Y] + zz * work.axis[k + 1, Z])
        cos_pitch = zx * work.up[k + 1, X] + zy * work.up[k + 1, Y] + zz * work.up[k + 1, Z]
        yaw = state.angle[k, YAW] + _turn(state.turned[k, COS_YAW], state.turned[k, SIN_YAW], cos_yaw, sin_yaw)
        pitch = state.angle[k, PITCH] + _turn(
            state.turned[k, COS_PITCH], state.turned[k, SIN_PITCH], cos_pitch, sin_pitch
        )
        work.turned[k, COS_YAW] = cos_yaw
        work.turned[k, SIN_YAW] = sin_yaw
        work.turned[k, COS_PITCH] = cos_pitch
        work.turned[k, SIN_PITCH] = sin_pitch
        work.angle[k, YAW] = yaw
        work.angle[k, PITCH] = pitch
        # omega_h of (67) is alpha_h' cos(alpha_v).
        measured = rate_yaw * cos_pitch
        for a in range(2):
            angle = yaw if a == 0 else pitch
            rate = measured if a == 0 else rate_pitch
            slope = cos_pitch if a == 0 else 1.0
            kp = params.kp_yaw if a == 0 else params.kp_pitch
            kd = params.kd_yaw if a == 0 else params.kd_pitch
            goal, goal_rate = work.reference[k, a], work.reference[k, 2 + a]
            if given:
                torque, drag = given_torque(params.motor, work.given[k, a], state.motor[k, a]), 0.0
            else:
                torque, drag = motor_torque(
                    params.motor, dt, kp, kd, angle - goal, rate, goal_rate, slope, state.motor[k, a]
                )
            work.drive[k, a] = dt * torque
            work.drag[k, a] = drag
            sign = 0.0
            if angle >= params.joint_limit:
                sign = -1.0
            elif angle <= -params.joint_limit:
                sign = 1.0
            work.stop_sign[k, a] = sign
            if sign != 0.0:
                n_stops += 1
    return n_stops


@inlined
def move_links(params: Params, state: State, work: Work) -> None:
    """q_E = q_M + dt/2 F(q_M) u_E (P1 (83)) and the velocities in the frames of (5); fills `work.end`."""
    half_dt, quarter_dt = 0.5 * params.dt, 0.25 * params.dt
    half = params.half_length
    q, u, w = state.q, state.u, work.w
    size = turn_of_change = 0.0
    for k in range(q.shape[0]):
        for i in range(6):
            change = w[k, i] - work.w_start[k, i]
            if i < 3:
                size += change * change
                turn_of_change += (change - state.change[k, i]) * (change - state.change[k, i])
            state.change[k, i] = change
        ox, oy, oz = vec3_at(w, k, RX)
        ex, ey, ez = vec3(work.axis, k)
        cx, cy, cz = half * ex, half * ey, half * ez
        u[k, X] = w[k, X] + oy * cz - oz * cy
        u[k, Y] = w[k, Y] + oz * cx - ox * cz
        u[k, Z] = w[k, Z] + ox * cy - oy * cx
        bx = ox * ex + oy * ey + oz * ez
        by = ox * work.left[k, X] + oy * work.left[k, Y] + oz * work.left[k, Z]
        bz = ox * work.up[k, X] + oy * work.up[k, Y] + oz * work.up[k, Z]
        u[k, RX] = bx
        u[k, RY] = by
        u[k, RZ] = bz
        for i in range(3):
            q[k, i] = work.position[k, i] + half_dt * u[k, i]
        turn = work.turn
        p0, p1, p2, p3 = _turned(
            turn[k, Q_1], turn[k, Q_I], turn[k, Q_J], turn[k, Q_K], quarter_dt * bx, quarter_dt * by, quarter_dt * bz
        )
        inverse = 1.0 / math.sqrt(p0 * p0 + p1 * p1 + p2 * p2 + p3 * p3)
        q[k, QUAT_W] = p0 * inverse
        q[k, QUAT_X] = p1 * inverse
        q[k, QUAT_Y] = p2 * inverse
        q[k, QUAT_Z] = p3 * inverse
    # Only where velocities changed much as in the step before is it worth guessing that they will again.
    if turn_of_change > ALIKE * size:
        state.counts[STEADY] = 0


@inlined
def close_joints(params: Params, state: State, work: Work) -> None:
    """Project on the joints (P1, VII-C): link 1 stays; every further link turns about its own axis, then is moved."""
    q, end = state.q, work.end
    offset, half = params.offset, params.half_length
    jx = jy = jz = shifted = 0.0
    for k in range(q.shape[0]):
        ex, ey, ez, lx, ly, lz, ux, uy, uz = _axes(q[k, QUAT_W], q[k, QUAT_X], q[k, QUAT_Y], q[k, QUAT_Z])
        if k > 0:
            # Turn by psi about e so that y_k . z_k-1 = 0.
            zx, zy, zz = vec3(end, k - 1)
            on_left, on_up = zx * lx + zy * ly + zz * lz, zx * ux + zy * uy + zz * uz
            if on_left != 0.0 and abs(on_left) < 0.1 * abs(on_up):
                tangent = -on_left / on_up
                cos = 1.0 / math.sqrt(1.0 + tangent * tangent)
                sin = tangent * cos
                lx, ly, lz, ux, uy, uz = (
                    cos * lx + sin * ux, cos * ly + sin * uy, cos * lz + sin * uz,
                    cos * ux - sin * lx, cos * uy - sin * ly, cos * uz - sin * lz,
                )  # fmt: skip
                half_tangent = sin / (1.0 + cos)
                p0, p1, p2, p3 = _turned(q[k, QUAT_W], q[k, QUAT_X], q[k, QUAT_Y], q[k, QUAT_Z], half_tangent, 0.0, 0.0)
                inverse = 1.0 / math.sqrt(1.0 + half_tangent * half_tangent)
                q[k, QUAT_W] = p0 * inverse
                q[k, QUAT_X] = p1 * inverse
                q[k, QUAT_Y] = p2 * inverse
                q[k, QUAT_Z] = p3 * inverse
            if offset != 0.0:
                jx += offset * (ly * zz - lz * zy)
                jy += offset * (lz * zx - lx * zz)
                jz += offset * (lx * zy - ly * zx)
            x, y, z = jx + half * ex, jy + half * ey, jz + half * ez
            shifted += params.gx * (x - q[k, X]) + params.gy * (y - q[k, Y]) + params.gz * (z - q[k, Z])
            q[k, X] = x
            q[k, Y] = y
            q[k, Z] = z
        jx, jy, jz = q[k, X] + half * ex, q[k, Y] + half * ey, q[k, Z] + half * ez
        end[k, X] = ux
        end[k, Y] = uy
        end[k, Z] = uz
    state.sums[PROJECTION] += params.mass * shifted


@jit
def end_angles(state: State, angle: FloatArray, rate: FloatArray) -> None:
    """Angles and rates of all joints, each (n - 1, 2), at the present poses and velocities."""
    ex, ey, ez, lx, ly, lz, ux, uy, uz = _axes(
        state.q[FIRST, QUAT_W], state.q[FIRST, QUAT_X], state.q[FIRST, QUAT_Y], state.q[FIRST, QUAT_Z]
    )
    bx, by, bz = vec3_at(state.u, FIRST, RX)
    ox, oy, oz = bx * ex + by * lx + bz * ux, bx * ey + by * ly + bz * uy, bx * ez + by * lz + bz * uz
    for k in range(state.q.shape[0] - 1):
        fx, fy, fz, mx, my, mz, vx, vy, vz = _axes(
            state.q[k + 1, QUAT_W], state.q[k + 1, QUAT_X], state.q[k + 1, QUAT_Y], state.q[k + 1, QUAT_Z]
        )
        bx, by, bz = vec3_at(state.u, k + 1, RX)
        px, py, pz = bx * fx + by * mx + bz * vx, bx * fy + by * my + bz * vy, bx * fz + by * mz + bz * vz
        yaw = math.atan2(-(ex * mx + ey * my + ez * mz), lx * mx + ly * my + lz * mz)
        pitch = math.atan2(-(ux * fx + uy * fy + uz * fz), ux * vx + uy * vy + uz * vz)
        angle[k, YAW] = _near(yaw, state.angle[k, YAW])
        angle[k, PITCH] = _near(pitch, state.angle[k, PITCH])
        rate[k, YAW] = ux * (px - ox) + uy * (py - oy) + uz * (pz - oz)
        rate[k, PITCH] = mx * (px - ox) + my * (py - oy) + mz * (pz - oz)
        ex, ey, ez, lx, ly, lz, ux, uy, uz = fx, fy, fz, mx, my, mz, vx, vy, vz
        ox, oy, oz = px, py, pz
