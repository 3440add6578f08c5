"""Smooth dynamics in space: midpoint, joint angles, motors, free velocities, and the end of the step."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio.engines.motors import given_torque, motor_torque
from snakestudio.engines.spatial_nonsmooth.params import Params
from snakestudio.engines.spatial_nonsmooth.state import PROJECTION, STEADY, State, Work
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.spatial_chain import joint_rates

__all__ = ["close_joints", "drive_joints", "end_angles", "midpoint", "move_links"]

FloatArray = NDArray[np.float64]

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
        vx, vy, vz = u[k, 0], u[k, 1], u[k, 2]
        bx, by, bz = u[k, 3], u[k, 4], u[k, 5]
        for i in range(3):
            work.position[k, i] = q[k, i] + half_dt * u[k, i]
        p0, p1, p2, p3 = _turned(q[k, 3], q[k, 4], q[k, 5], q[k, 6], quarter_dt * bx, quarter_dt * by, quarter_dt * bz)
        work.turn[k, 0] = p0
        work.turn[k, 1] = p1
        work.turn[k, 2] = p2
        work.turn[k, 3] = p3
        ex, ey, ez, lx, ly, lz, ux, uy, uz = _axes(p0, p1, p2, p3)
        work.axis[k, 0] = ex
        work.axis[k, 1] = ey
        work.axis[k, 2] = ez
        work.left[k, 0] = lx
        work.left[k, 1] = ly
        work.left[k, 2] = lz
        work.up[k, 0] = ux
        work.up[k, 1] = uy
        work.up[k, 2] = uz
        ox, oy, oz = bx * ex + by * lx + bz * ux, bx * ey + by * ly + bz * uy, bx * ez + by * lz + bz * uz
        cx, cy, cz = half * ex, half * ey, half * ez
        work.w_start[k, 0] = vx - (oy * cz - oz * cy)
        work.w_start[k, 1] = vy - (oz * cx - ox * cz)
        work.w_start[k, 2] = vz - (ox * cy - oy * cx)
        work.w_start[k, 3] = ox
        work.w_start[k, 4] = oy
        work.w_start[k, 5] = oz
        # Gyroscopic torque of a body of revolution: -(Theta_3 - Theta_1) omega_x (omega x e).
        spin = difference * u[k, 3]
        gx, gy, gz = -spin * (oy * ez - oz * ey), -spin * (oz * ex - ox * ez), -spin * (ox * ey - oy * ex)
        work.torque_free[k, 0] = gx
        work.torque_free[k, 1] = gy
        work.torque_free[k, 2] = gz
        tx, ty, tz = wrench[k, 3] + gx, wrench[k, 4] + gy, wrench[k, 5] + gz
        # Theta^-1 = 1 / Theta_1 across, 1 / Theta_3 along.
        along = (tx * ex + ty * ey + tz * ez) * (1.0 / params.axial - inverse_inertia)
        work.free[k, 0] = vx + dt * (params.gx + inverse_mass * wrench[k, 0])
        work.free[k, 1] = vy + dt * (params.gy + inverse_mass * wrench[k, 1])
        work.free[k, 2] = vz + dt * (params.gz + inverse_mass * wrench[k, 2])
        work.free[k, 3] = ox + dt * (inverse_inertia * tx + along * ex)
        work.free[k, 4] = oy + dt * (inverse_inertia * ty + along * ey)
        work.free[k, 5] = oz + dt * (inverse_inertia * tz + along * ez)


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
        zx, zy, zz = work.up[k, 0], work.up[k, 1], work.up[k, 2]
        yx, yy, yz = work.left[k + 1, 0], work.left[k + 1, 1], work.left[k + 1, 2]
        ex, ey, ez = work.axis[k, 0], work.axis[k, 1], work.axis[k, 2]
        joint = work.joint
        joint[k, 0] = zx
        joint[k, 1] = zy
        joint[k, 2] = zz
        joint[k, 3] = yx
        joint[k, 4] = yy
        joint[k, 5] = yz
        if offset != 0.0:
            # The piece between the axes points along y x z; turning about z moves its end along z x (y x z).
            bx, by, bz = yy * zz - yz * zy, yz * zx - yx * zz, yx * zy - yy * zx
            joint[k, 9] = offset * (zy * bz - zz * by)
            joint[k, 10] = offset * (zz * bx - zx * bz)
            joint[k, 11] = offset * (zx * by - zy * bx)
            # From p_k (the pitch axis behind link k) to p_k+1; `half` reaches from a joint axis to the centre.
            joint[k, 6] = 2.0 * half * ex + offset * bx
            joint[k, 7] = 2.0 * half * ey + offset * by
            joint[k, 8] = 2.0 * half * ez + offset * bz
        else:
            joint[k, 6] = 2.0 * half * ex
            joint[k, 7] = 2.0 * half * ey
            joint[k, 8] = 2.0 * half * ez
        rate_yaw, rate_pitch = joint_rates(joint, k, work.w_start)
        work.rate_start[k, 0] = rate_yaw
        work.rate_start[k, 1] = rate_pitch
        # (65), (66): yaw about z_k, then pitch about y_k+1.
        left = work.left
        sin_yaw = -(ex * yx + ey * yy + ez * yz)
        cos_yaw = left[k, 0] * yx + left[k, 1] * yy + left[k, 2] * yz
        sin_pitch = -(zx * work.axis[k + 1, 0] + zy * work.axis[k + 1, 1] + zz * work.axis[k + 1, 2])
        cos_pitch = zx * work.up[k + 1, 0] + zy * work.up[k + 1, 1] + zz * work.up[k + 1, 2]
        yaw = state.angle[k, 0] + _turn(state.turned[k, 0], state.turned[k, 1], cos_yaw, sin_yaw)
        pitch = state.angle[k, 1] + _turn(state.turned[k, 2], state.turned[k, 3], cos_pitch, sin_pitch)
        work.turned[k, 0] = cos_yaw
        work.turned[k, 1] = sin_yaw
        work.turned[k, 2] = cos_pitch
        work.turned[k, 3] = sin_pitch
        work.angle[k, 0] = yaw
        work.angle[k, 1] = pitch
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
        ox, oy, oz = w[k, 3], w[k, 4], w[k, 5]
        ex, ey, ez = work.axis[k, 0], work.axis[k, 1], work.axis[k, 2]
        cx, cy, cz = half * ex, half * ey, half * ez
        u[k, 0] = w[k, 0] + oy * cz - oz * cy
        u[k, 1] = w[k, 1] + oz * cx - ox * cz
        u[k, 2] = w[k, 2] + ox * cy - oy * cx
        bx = ox * ex + oy * ey + oz * ez
        by = ox * work.left[k, 0] + oy * work.left[k, 1] + oz * work.left[k, 2]
        bz = ox * work.up[k, 0] + oy * work.up[k, 1] + oz * work.up[k, 2]
        u[k, 3] = bx
        u[k, 4] = by
        u[k, 5] = bz
        for i in range(3):
            q[k, i] = work.position[k, i] + half_dt * u[k, i]
        turn = work.turn
        p0, p1, p2, p3 = _turned(
            turn[k, 0], turn[k, 1], turn[k, 2], turn[k, 3], quarter_dt * bx, quarter_dt * by, quarter_dt * bz
        )
        inverse = 1.0 / math.sqrt(p0 * p0 + p1 * p1 + p2 * p2 + p3 * p3)
        q[k, 3] = p0 * inverse
        q[k, 4] = p1 * inverse
        q[k, 5] = p2 * inverse
        q[k, 6] = p3 * inverse
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
        ex, ey, ez, lx, ly, lz, ux, uy, uz = _axes(q[k, 3], q[k, 4], q[k, 5], q[k, 6])
        if k > 0:
            # Turn by psi about e so that y_k . z_k-1 = 0.
            zx, zy, zz = end[k - 1, 6], end[k - 1, 7], end[k - 1, 8]
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
                p0, p1, p2, p3 = _turned(q[k, 3], q[k, 4], q[k, 5], q[k, 6], half_tangent, 0.0, 0.0)
                inverse = 1.0 / math.sqrt(1.0 + half_tangent * half_tangent)
                q[k, 3] = p0 * inverse
                q[k, 4] = p1 * inverse
                q[k, 5] = p2 * inverse
                q[k, 6] = p3 * inverse
            if offset != 0.0:
                jx += offset * (ly * zz - lz * zy)
                jy += offset * (lz * zx - lx * zz)
                jz += offset * (lx * zy - ly * zx)
            x, y, z = jx + half * ex, jy + half * ey, jz + half * ez
            shifted += params.gx * (x - q[k, 0]) + params.gy * (y - q[k, 1]) + params.gz * (z - q[k, 2])
            q[k, 0] = x
            q[k, 1] = y
            q[k, 2] = z
        jx, jy, jz = q[k, 0] + half * ex, q[k, 1] + half * ey, q[k, 2] + half * ez
        end[k, 0] = ex
        end[k, 1] = ey
        end[k, 2] = ez
        end[k, 3] = lx
        end[k, 4] = ly
        end[k, 5] = lz
        end[k, 6] = ux
        end[k, 7] = uy
        end[k, 8] = uz
    state.sums[PROJECTION] += params.mass * shifted


@jit
def end_angles(state: State, angle: FloatArray, rate: FloatArray) -> None:
    """Angles and rates of all joints, each (n - 1, 2), at the present poses and velocities."""
    ex, ey, ez, lx, ly, lz, ux, uy, uz = _axes(state.q[0, 3], state.q[0, 4], state.q[0, 5], state.q[0, 6])
    bx, by, bz = state.u[0, 3], state.u[0, 4], state.u[0, 5]
    ox, oy, oz = bx * ex + by * lx + bz * ux, bx * ey + by * ly + bz * uy, bx * ez + by * lz + bz * uz
    for k in range(state.q.shape[0] - 1):
        fx, fy, fz, mx, my, mz, vx, vy, vz = _axes(
            state.q[k + 1, 3], state.q[k + 1, 4], state.q[k + 1, 5], state.q[k + 1, 6]
        )
        bx, by, bz = state.u[k + 1, 3], state.u[k + 1, 4], state.u[k + 1, 5]
        px, py, pz = bx * fx + by * mx + bz * vx, bx * fy + by * my + bz * vy, bx * fz + by * mz + bz * vz
        yaw = math.atan2(-(ex * mx + ey * my + ez * mz), lx * mx + ly * my + lz * mz)
        pitch = math.atan2(-(ux * fx + uy * fy + uz * fz), ux * vx + uy * vy + uz * vz)
        angle[k, 0] = _near(yaw, state.angle[k, 0])
        angle[k, 1] = _near(pitch, state.angle[k, 1])
        rate[k, 0] = ux * (px - ox) + uy * (py - oy) + uz * (pz - oz)
        rate[k, 1] = mx * (px - ox) + my * (py - oy) + mz * (pz - oz)
        ex, ey, ez, lx, ly, lz, ux, uy, uz = fx, fy, fz, mx, my, mz, vx, vy, vz
        ox, oy, oz = px, py, pz
