"""Smooth dynamics in space: midpoint, joint angles, motors, free velocities, and the end of the step."""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.engines.motors import Motor, commanded_torque, motor_torque
from snakestudio.engines.row_buffers import QUAT_W, QUAT_X, QUAT_Y, QUAT_Z
from snakestudio.engines.spatial_nonsmooth.joint_kinds import (
    AXES,
    CARDAN,
    HAS_PITCH,
    HAS_ROLL,
    HAS_YAW,
    PITCH_ROLL,
    THREE,
)
from snakestudio.engines.spatial_nonsmooth.params import (
    BACK_EMF,
    CURRENT,
    DAMPING,
    DRY,
    DRY_RISE,
    DRY_SPEED,
    HALF_PLAY,
    HIGH,
    KD,
    KP,
    LAG,
    LOSS,
    LOW,
    MOST,
    OWN_GAIN,
    REST,
    RESTITUTION,
    ROTOR,
    STIFFNESS,
    Params,
)
from snakestudio.engines.spatial_nonsmooth.state import (
    ANGLE,
    BODY_X,
    BODY_Y,
    BODY_Z,
    COS,
    EMF,
    GOAL,
    GOAL_RATE,
    NEW_COS,
    NEW_SIN,
    PROJECTION,
    Q_1,
    Q_I,
    Q_J,
    Q_K,
    RATE_START,
    SHORT,
    SIN,
    STEADY,
    TORQUE,
    State,
    Work,
)
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.kernels.spatial_chain import component, cross, joint_rates
from snakestudio.kernels.spatial_problem import (
    ACROSS,
    AXIAL,
    AXIS_X,
    DRAG,
    DRIVE,
    FRONT,
    IMPULSE_HIGH,
    IMPULSE_LOW,
    INV_ACROSS,
    INV_AXIAL,
    INV_MASS,
    LAW_GAIN,
    MASS,
    REAR,
    REBOUND,
    RX,
    RY,
    RZ,
    SWING_X,
)
from snakestudio.kernels.stribeck import stribeck
from snakestudio.kernels.vec3 import (
    Vec3,
    dot,
    minus,
    plus,
    times,
    vec3,
    vec3_at,
    vec3_put,
    vec3_put_at,
)

FIRST = 0
"""Index of the first link."""

ALIKE = 0.25
"""Fraction of the squared change of velocities up to which two successive changes count as similar."""


@inlined
def _axes(
    w: float, x: float, y: float, z: float
) -> tuple[float, float, float, float, float, float, float, float, float]:
    """Return the body axes x, y, z in the world frame, for a quaternion of any length."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    wx, wy, wz = s * w * x, s * w * y, s * w * z
    xx, xy, xz = s * x * x, s * x * y, s * x * z
    yy, yz, zz = s * y * y, s * y * z, s * z * z
    return (
        1.0 - (yy + zz),
        xy + wz,
        xz - wy,
        xy - wz,
        1.0 - (xx + zz),
        yz + wx,
        xz + wy,
        yz - wx,
        1.0 - (xx + yy),
    )


@inlined
def _turned(
    w: float, x: float, y: float, z: float, ax: float, ay: float, az: float
) -> tuple[float, float, float, float]:
    """Return the quaternion times (1, a), with a in the body's frame."""
    return (
        w - x * ax - y * ay - z * az,
        x + w * ax + y * az - z * ay,
        y + w * ay + z * ax - x * az,
        z + w * az + x * ay - y * ax,
    )


@inlined
def midpoint(params: Params, state: State, work: Work) -> None:
    """Compute poses at the midpoint (P1 (72)), velocities in the world frame, and free velocities with h_M of (75)."""
    half_dt = 0.5 * params.dt
    quarter_dt = 0.25 * params.dt
    dt = params.dt
    q = state.q
    u = state.u
    wrench = state.wrench
    links = params.links
    for k in range(q.shape[0]):
        half = links[k, REAR]
        inverse_mass = links[k, INV_MASS]
        inverse_inertia = links[k, INV_ACROSS]
        difference = links[k, AXIAL] - links[k, ACROSS]
        vx, vy, vz = vec3(u, k)
        bx, by, bz = vec3_at(u, k, RX)
        for i in range(3):
            work.position[k, i] = q[k, i] + half_dt * u[k, i]
        p0, p1, p2, p3 = _turned(
            q[k, QUAT_W],
            q[k, QUAT_X],
            q[k, QUAT_Y],
            q[k, QUAT_Z],
            quarter_dt * bx,
            quarter_dt * by,
            quarter_dt * bz,
        )
        work.turn[k, Q_1] = p0
        work.turn[k, Q_I] = p1
        work.turn[k, Q_J] = p2
        work.turn[k, Q_K] = p3
        ex, ey, ez, lx, ly, lz, ux, uy, uz = _axes(p0, p1, p2, p3)
        vec3_put_at(work.orientation, k, BODY_X, (ex, ey, ez))
        vec3_put_at(work.orientation, k, BODY_Y, (lx, ly, lz))
        vec3_put_at(work.orientation, k, BODY_Z, (ux, uy, uz))
        ox = bx * ex + by * lx + bz * ux
        oy = bx * ey + by * ly + bz * uy
        oz = bx * ez + by * lz + bz * uz
        cx, cy, cz = half * ex, half * ey, half * ez
        work.w_start[k, X] = vx - (oy * cz - oz * cy)
        work.w_start[k, Y] = vy - (oz * cx - ox * cz)
        work.w_start[k, Z] = vz - (ox * cy - oy * cx)
        work.w_start[k, RX] = ox
        work.w_start[k, RY] = oy
        work.w_start[k, RZ] = oz
        # Gyroscopic torque of a body of revolution: -(Theta_3 - Theta_1) omega_x (omega x e).
        spin = difference * u[k, RX]
        gx = -spin * (oy * ez - oz * ey)
        gy = -spin * (oz * ex - ox * ez)
        gz = -spin * (ox * ey - oy * ex)
        work.torque_free[k, X] = gx
        work.torque_free[k, Y] = gy
        work.torque_free[k, Z] = gz
        tx, ty, tz = wrench[k, RX] + gx, wrench[k, RY] + gy, wrench[k, RZ] + gz
        # Theta^-1 = 1 / Theta_1 across, 1 / Theta_3 along.
        along = (tx * ex + ty * ey + tz * ez) * (links[k, INV_AXIAL] - inverse_inertia)
        work.free[k, X] = vx + dt * (params.gx + inverse_mass * wrench[k, X])
        work.free[k, Y] = vy + dt * (params.gy + inverse_mass * wrench[k, Y])
        work.free[k, Z] = vz + dt * (params.gz + inverse_mass * wrench[k, Z])
        work.free[k, RX] = ox + dt * (inverse_inertia * tx + along * ex)
        work.free[k, RY] = oy + dt * (inverse_inertia * ty + along * ey)
        work.free[k, RZ] = oz + dt * (inverse_inertia * tz + along * ez)


@inlined
def _near(angle: float, before: float) -> float:
    """Return `angle` plus the number of full turns for which it is closest to `before`."""
    return angle + 2.0 * math.pi * math.floor((before - angle) / (2.0 * math.pi) + 0.5)


@inlined
def _turn(cos_0: float, sin_0: float, cos_1: float, sin_1: float) -> float:
    """Return the angle between two directions, rad; the series is exact to rounding for joint motions in a step."""
    sin = cos_0 * sin_1 - sin_0 * cos_1
    cos = cos_0 * cos_1 + sin_0 * sin_1
    if abs(sin) < 0.01 and cos > 0.9:
        square = sin * sin
        return sin * (1.0 + square * (1.0 / 6.0 + square * (3.0 / 40.0 + square * (5.0 / 112.0))))
    return math.atan2(sin, cos)


@inlined
def _measure_single(kind: int, j: int, k: int, orientation: FloatArray, axes: FloatArray) -> None:
    """Write axis j, the only one of joint k, and cosine and sine of its angle, to axes[j].

    The angle is that between the other two body axes, combined; these are selected by an index, not
    by a branch.
    """
    at = 3 * (2 - (kind >> 1))  # the body axis: z for yaw, y for pitch, x for roll
    b = at + 3 if at < 6 else 0
    c = b + 3 if b < 6 else 0
    b_ahead = vec3_at(orientation, k, b)
    c_ahead = vec3_at(orientation, k, c)
    b_behind = vec3_at(orientation, k + 1, b)
    c_behind = vec3_at(orientation, k + 1, c)
    vec3_put_at(axes, j, AXIS_X, vec3_at(orientation, k, at))
    axes[j, NEW_COS] = 0.5 * (dot(b_ahead, b_behind) + dot(c_ahead, c_behind))
    axes[j, NEW_SIN] = 0.5 * (dot(c_ahead, b_behind) - dot(b_ahead, c_behind))


@inlined
def _measure_cardan(j: int, k: int, orientation: FloatArray, axes: FloatArray) -> None:
    """Write axes j (yaw, z_k) and j + 1 (pitch, y_k+1) of joint k and their angles (P1 (65), (66)) to axes[j:]."""
    ex, ey, ez = vec3_at(orientation, k, BODY_X)
    lx, ly, lz = vec3_at(orientation, k, BODY_Y)
    zx, zy, zz = vec3_at(orientation, k, BODY_Z)
    fx, fy, fz = vec3_at(orientation, k + 1, BODY_X)
    yx, yy, yz = vec3_at(orientation, k + 1, BODY_Y)
    ux, uy, uz = vec3_at(orientation, k + 1, BODY_Z)
    vec3_put_at(axes, j, AXIS_X, (zx, zy, zz))
    vec3_put_at(axes, j + 1, AXIS_X, (yx, yy, yz))
    axes[j, NEW_SIN] = -(ex * yx + ey * yy + ez * yz)
    axes[j, NEW_COS] = lx * yx + ly * yy + lz * yz
    axes[j + 1, NEW_SIN] = -(zx * fx + zy * fy + zz * fz)
    axes[j + 1, NEW_COS] = zx * ux + zy * uy + zz * uz


@jit
def measure_with_roll(kind: int, j: int, k: int, orientation: FloatArray, axes: FloatArray) -> None:
    """Write axes, cosines and sines of joint k, which has roll and yaw, roll and pitch, or all three, to axes[j:].

    R = R_z(yaw) R_y(pitch) R_x(roll); the roll axis is x of the link behind.
    """
    x = vec3_at(orientation, k, BODY_X)
    y = vec3_at(orientation, k, BODY_Y)
    z = vec3_at(orientation, k, BODY_Z)
    f = vec3_at(orientation, k + 1, BODY_X)
    m = vec3_at(orientation, k + 1, BODY_Y)
    u = vec3_at(orientation, k + 1, BODY_Z)
    roll = j + 1
    if kind == PITCH_ROLL:
        vec3_put_at(axes, j, AXIS_X, y)
        axes[j, NEW_COS] = dot(x, f)
        axes[j, NEW_SIN] = -dot(z, f)
        roll_cos = dot(y, m)
        roll_sin = -dot(y, u)
    else:
        cos, sin = dot(x, f), dot(y, f)
        roll_cos = dot(z, u)
        roll_sin = dot(z, m)
        if kind == THREE:
            pitch_cos = math.sqrt(cos * cos + sin * sin)  # a factor of all the others
            inverse = 1.0 / pitch_cos
            cos = inverse * cos
            sin = inverse * sin
            roll_cos = inverse * roll_cos
            roll_sin = inverse * roll_sin
            vec3_put_at(axes, j + 1, AXIS_X, times(inverse, cross(z, f)))
            axes[j + 1, NEW_COS] = pitch_cos
            axes[j + 1, NEW_SIN] = -dot(z, f)
            roll = j + 2
        vec3_put_at(axes, j, AXIS_X, z)
        axes[j, NEW_COS] = cos
        axes[j, NEW_SIN] = sin
    vec3_put_at(axes, roll, AXIS_X, f)
    axes[roll, NEW_COS] = roll_cos
    axes[roll, NEW_SIN] = roll_sin


@inlined
def _measure_joint(kind: int, j: int, k: int, orientation: FloatArray, axes: FloatArray) -> None:
    """Write axes of joint k (world frame) and cosines and sines of their angles to axes[j:].

    `kind` are the bits of its axes, `orientation` (n, 9) the body axes of all links.
    """
    if kind == CARDAN:
        _measure_cardan(j, k, orientation, axes)
    elif kind > HAS_ROLL:  # roll and another axis
        measure_with_roll(kind, j, k, orientation, axes)
    elif kind != 0:
        _measure_single(kind, j, k, orientation, axes)


@inlined
def spring_impulse(params: Params, j: int, angle: float, rate: float) -> tuple[float, float]:
    """Return the impulse of the passive spring of joint axis j as drive, N m s, and drag, N m s per rad/s.

    The spring torque is that of the mean angle before and after the step, alpha_M + dt/4 (alpha'_E
    - alpha'_A). Its work is then exactly the loss of its energy, and the step is stable for any
    stiffness. The damper is not included.

    Parameters
    ----------
    angle : float
        Angle at the midpoint, rad.
    rate : float
        Rate at the beginning of the step, rad/s.
    """
    stiffness = params.axes[j, STIFFNESS]
    dt = params.dt
    return -dt * stiffness * (
        angle - params.axes[j, REST] - 0.25 * dt * rate
    ), 0.25 * dt * dt * stiffness


@inlined
def _real_motor(
    params: Params, axes: FloatArray, j: int, drive: float, drag: float, rate: float
) -> tuple[float, float]:
    """Return drive and drag of the motor of axis j with back EMF and current limit, and note both in `axes`.

    Parameters
    ----------
    drive, drag : float
        Impulse at standstill for the requested voltage, and the drag as from `motor_torque`.
    rate : float
        Rate at the end of the previous step, rad/s, which decides whether the current is limited.
    """
    emf = params.dt * params.axes[j, BACK_EMF]
    most = params.dt * params.axes[j, CURRENT]
    push = drive - (drag + emf) * rate
    short = 0.0
    if abs(push) > most:
        limited = math.copysign(most, push)
        short = drive - limited
        drive = limited
        drag = emf = 0.0
    axes[j, EMF] = emf
    axes[j, SHORT] = short
    return drive, drag + emf


@inlined
def _dry_friction(params: Params, j: int, push: float, rate: float) -> float:
    """Return the largest impulse of dry friction of axis j, N m s.

    Parameters
    ----------
    push : float
        Impulse of the motor, of which the gear loses a fraction, N m s.
    rate : float
        Rate at the end of the previous step, rad/s.
    """
    own = params.axes
    bound: float = own[j, DRY]
    if own[j, DRY_RISE] > 0.0:
        bound *= stribeck(rate * rate, own[j, DRY_RISE], own[j, DRY_SPEED])
    bound = params.dt * bound + own[j, LOSS] * abs(push)
    return bound


@inlined
def drive_joints(params: Params, state: State, work: Work, commanded: bool) -> int:
    """Compute joint frames and angles, motor impulses (P1 (68), (69)), and laws of axes; return the number of these.

    If `commanded`, the motor torques are those in `work.command` instead of the PD law.
    """
    n_laws = 0
    dt = params.dt
    axes = work.axes
    links = params.links
    own = params.axes
    for k in range(state.q.shape[0] - 1):
        begin = params.joints[k]
        end = params.joints[k + 1]
        kind = params.kinds[k] & AXES
        _measure_joint(kind, begin, k, work.orientation, axes)
        length = links[k, REAR] + links[k, FRONT]
        ex, ey, ez = vec3_at(work.orientation, k, BODY_X)
        offset = params.offsets[k]
        if offset != 0.0:
            zx, zy, zz = vec3_at(axes, begin, AXIS_X)
            yx, yy, yz = vec3_at(axes, begin + 1, AXIS_X)
            # The piece between the axes points along y x z; a rotation about z moves its end along
            # z x (y x z).
            bx, by, bz = yy * zz - yz * zy, yz * zx - yx * zz, yx * zy - yy * zx
            swing = (
                offset * (zy * bz - zz * by),
                offset * (zz * bx - zx * bz),
                offset * (zx * by - zy * bx),
            )
            vec3_put_at(axes, begin, SWING_X, swing)
            # From p_k (the pitch axis behind link k) to p_k+1.
            vec3_put(
                work.reach,
                k,
                (length * ex + offset * bx, length * ey + offset * by, length * ez + offset * bz),
            )
        else:
            vec3_put(work.reach, k, (length * ex, length * ey, length * ez))
        rates = joint_rates(
            axes, begin, end, minus(vec3_at(work.w_start, k + 1, RX), vec3_at(work.w_start, k, RX))
        )
        for i in range(begin, end):
            rate = component(rates, i - begin)
            cos, sin = axes[i, NEW_COS], axes[i, NEW_SIN]
            angle = state.angle[i] + _turn(state.turned[i, COS], state.turned[i, SIN], cos, sin)
            # omega_h of (67), which the paper's controller measures, is alpha_h' cos(alpha_v).
            slope = axes[begin + 1, NEW_COS] if i == begin and params.kinds[k] == CARDAN else 1.0
            motor = Motor(own[i, HALF_PLAY], own[i, MOST], own[i, LAG], params.implicit)
            if commanded:
                torque = commanded_torque(motor, work.command[i, TORQUE], state.motor[i])
                drag = 0.0
            else:
                torque, drag = motor_torque(
                    motor,
                    dt,
                    own[i, KP],
                    own[i, KD],
                    angle - work.reference[i, GOAL],
                    rate * slope,
                    work.reference[i, GOAL_RATE],
                    slope,
                    state.motor[i],
                )
            drive = dt * torque
            least = most = rebound = 0.0
            if params.extras != 0:
                # The projection `rate` of the links' velocities on the new axes differs by O(dt)
                # from the rate at the end of the previous step if a joint has several axes. For
                # what depends on the change of the rate, this error would add up in all steps.
                before = state.rate[i]
                drive, drag = _real_motor(params, axes, i, drive, drag, before)
                most = _dry_friction(params, i, drive - drag * before, before)
                least = 0.0 - most
                if angle >= own[i, HIGH]:
                    rebound = -own[i, RESTITUTION] * max(before, 0.0)
                elif angle <= own[i, LOW]:
                    rebound = own[i, RESTITUTION] * max(-before, 0.0)
                drive += own[i, ROTOR] * before
                drag += own[i, ROTOR]
            if params.springs != 0:
                spring_drive, spring_drag = spring_impulse(params, i, angle, rate)
                drive += spring_drive
                drag += spring_drag + dt * own[i, DAMPING]
            if angle >= own[i, HIGH]:
                least = -math.inf
            elif angle <= own[i, LOW]:
                most = math.inf
            axes[i, LAW_GAIN] = own[i, OWN_GAIN]
            axes[i, DRIVE] = drive
            axes[i, DRAG] = drag
            axes[i, IMPULSE_LOW] = least
            axes[i, IMPULSE_HIGH] = most
            axes[i, REBOUND] = rebound
            axes[i, ANGLE] = angle
            axes[i, RATE_START] = rate
            if least < most:
                n_laws += 1
    return n_laws


@inlined
def move_links(params: Params, state: State, work: Work) -> None:
    """Compute q_E = q_M + dt/2 F(q_M) u_E (P1 (83)) and the velocities in the frames of (5); fills `work.end`."""
    half_dt = 0.5 * params.dt
    quarter_dt = 0.25 * params.dt
    q, u, w = state.q, state.u, work.w
    size = turn_of_change = 0.0
    for k in range(q.shape[0]):
        half = params.links[k, REAR]
        for i in range(6):
            change = w[k, i] - work.w_start[k, i]
            if i < 3:
                size += change * change
                turn_of_change += (change - state.change[k, i]) * (change - state.change[k, i])
            state.change[k, i] = change
        ox, oy, oz = vec3_at(w, k, RX)
        ex, ey, ez = vec3_at(work.orientation, k, BODY_X)
        lx, ly, lz = vec3_at(work.orientation, k, BODY_Y)
        ux, uy, uz = vec3_at(work.orientation, k, BODY_Z)
        cx, cy, cz = half * ex, half * ey, half * ez
        u[k, X] = w[k, X] + oy * cz - oz * cy
        u[k, Y] = w[k, Y] + oz * cx - ox * cz
        u[k, Z] = w[k, Z] + ox * cy - oy * cx
        bx = ox * ex + oy * ey + oz * ez
        by = ox * lx + oy * ly + oz * lz
        bz = ox * ux + oy * uy + oz * uz
        u[k, RX] = bx
        u[k, RY] = by
        u[k, RZ] = bz
        for i in range(3):
            q[k, i] = work.position[k, i] + half_dt * u[k, i]
        turn = work.turn
        p0, p1, p2, p3 = _turned(
            turn[k, Q_1],
            turn[k, Q_I],
            turn[k, Q_J],
            turn[k, Q_K],
            quarter_dt * bx,
            quarter_dt * by,
            quarter_dt * bz,
        )
        inverse = 1.0 / math.sqrt(p0 * p0 + p1 * p1 + p2 * p2 + p3 * p3)
        q[k, QUAT_W] = p0 * inverse
        q[k, QUAT_X] = p1 * inverse
        q[k, QUAT_Y] = p2 * inverse
        q[k, QUAT_Z] = p3 * inverse
    # A prediction is useful only if velocities changed in this step much as in the previous one.
    if turn_of_change > ALIKE * size:
        state.counts[STEADY] = 0


@inlined
def _turn_link(q: FloatArray, k: int, ax: float, ay: float, az: float) -> None:
    """Rotate link k by the quaternion (1, a) of any length, with a in its own frame."""
    p0, p1, p2, p3 = _turned(q[k, QUAT_W], q[k, QUAT_X], q[k, QUAT_Y], q[k, QUAT_Z], ax, ay, az)
    inverse = 1.0 / math.sqrt(1.0 + ax * ax + ay * ay + az * az)
    q[k, QUAT_W] = p0 * inverse
    q[k, QUAT_X] = p1 * inverse
    q[k, QUAT_Y] = p2 * inverse
    q[k, QUAT_Z] = p3 * inverse


@jit
def turn_into_joint(kind: int, k: int, q: FloatArray, end: FloatArray) -> None:
    """Rotate link k so that its joint with link k - 1 has no angle about an axis that the joint lacks.

    With a single axis, the axes of both links are aligned; with two, they are made perpendicular by
    a rotation about their normal, which is never singular. With three there is nothing to do. end[k
    - 1] (9) are the body axes of link k - 1.
    """
    ex = vec3_at(end, k - 1, BODY_X)
    ey = vec3_at(end, k - 1, BODY_Y)
    ez = vec3_at(end, k - 1, BODY_Z)
    r = _axes(q[k, QUAT_W], q[k, QUAT_X], q[k, QUAT_Y], q[k, QUAT_Z])
    fx, fy, fz = (r[0], r[1], r[2]), (r[3], r[4], r[5]), (r[6], r[7], r[8])
    if kind == THREE:
        return
    turn = cross(fx, ex)  # tangent of half the angle, times the unit vector of the rotation
    if kind == 0:
        # All axes are equal except for a small rotation vector, which is half the sum of the
        # products of corresponding axes.
        turn = times(0.25, plus(turn, plus(cross(fy, ey), cross(fz, ez))))
    elif kind == HAS_YAW:
        turn = times(1.0 / (1.0 + dot(fz, ez)), cross(fz, ez))
    elif kind == HAS_PITCH:
        turn = times(1.0 / (1.0 + dot(fy, ey)), cross(fy, ey))
    elif kind == HAS_ROLL:
        turn = times(1.0 / (1.0 + dot(fx, ex)), turn)
    else:
        first = ez
        second = fx
        if kind == CARDAN:
            second = fy
        elif kind == PITCH_ROLL:
            first = ey
        turn = times(0.5 * dot(first, second), cross(first, second))
    if dot(turn, turn) > 0.0:
        _turn_link(q, k, dot(turn, fx), dot(turn, fy), dot(turn, fz))


@inlined
def close_joints(params: Params, state: State, work: Work) -> None:
    """Project on the joints (P1, VII-C): link 1 is fixed; each further link is rotated, then moved; fills `work.end`.

    Links behind a cardan joint are rotated about their own axes, as in the paper, all others by
    `turn_into_joint`.
    """
    q = state.q
    end = work.end
    links = params.links
    jx = jy = jz = lifted = 0.0
    for k in range(q.shape[0]):
        kind = params.kinds[k - 1] if k > 0 else THREE
        if k > 0 and kind != CARDAN:
            turn_into_joint(kind & AXES, k, q, end)
        ex, ey, ez, lx, ly, lz, ux, uy, uz = _axes(
            q[k, QUAT_W], q[k, QUAT_X], q[k, QUAT_Y], q[k, QUAT_Z]
        )
        if k > 0:
            zx, zy, zz = vec3_at(end, k - 1, BODY_Z)
            if kind == CARDAN:
                # Rotate by psi about e so that y_k . z_k-1 = 0.
                on_left = zx * lx + zy * ly + zz * lz
                on_up = zx * ux + zy * uy + zz * uz
                if on_left != 0.0 and abs(on_left) < 0.1 * abs(on_up):
                    tangent = -on_left / on_up
                    cos = 1.0 / math.sqrt(1.0 + tangent * tangent)
                    sin = tangent * cos
                    lx, ly, lz, ux, uy, uz = (
                        cos * lx + sin * ux,
                        cos * ly + sin * uy,
                        cos * lz + sin * uz,
                        cos * ux - sin * lx,
                        cos * uy - sin * ly,
                        cos * uz - sin * lz,
                    )
                    _turn_link(q, k, sin / (1.0 + cos), 0.0, 0.0)
            offset = params.offsets[k - 1]
            if offset != 0.0:
                yx, yy, yz = lx, ly, lz  # the pitch axis
                if kind == THREE:
                    yx, yy, yz = zy * ez - zz * ey, zz * ex - zx * ez, zx * ey - zy * ex
                    inverse = 1.0 / math.sqrt(yx * yx + yy * yy + yz * yz)
                    yx, yy, yz = inverse * yx, inverse * yy, inverse * yz
                jx += offset * (yy * zz - yz * zy)
                jy += offset * (yz * zx - yx * zz)
                jz += offset * (yx * zy - yy * zx)
            rear = links[k, REAR]
            x, y, z = jx + rear * ex, jy + rear * ey, jz + rear * ez
            shifted = (
                params.gx * (x - q[k, X]) + params.gy * (y - q[k, Y]) + params.gz * (z - q[k, Z])
            )
            lifted += links[k, MASS] * shifted
            q[k, X] = x
            q[k, Y] = y
            q[k, Z] = z
        front = links[k, FRONT]
        jx, jy, jz = q[k, X] + front * ex, q[k, Y] + front * ey, q[k, Z] + front * ez
        vec3_put_at(end, k, BODY_X, (ex, ey, ez))
        vec3_put_at(end, k, BODY_Y, (lx, ly, lz))
        vec3_put_at(end, k, BODY_Z, (ux, uy, uz))
    state.sums[PROJECTION] += lifted


@jit
def other_end_angles(
    params: Params,
    state: State,
    work: Work,
    k: int,
    turn: Vec3,
    angle: FloatArray,
    rate: FloatArray,
) -> None:
    """Compute `end_angles` of joint k if it is not a cardan joint; `turn` is its relative angular velocity."""
    begin = params.joints[k]
    end = params.joints[k + 1]
    axes = work.end_axes
    _measure_joint(params.kinds[k] & AXES, begin, k, work.end, axes)
    rates = joint_rates(axes, begin, end, turn)
    for j in range(begin, end):
        angle[j] = _near(math.atan2(axes[j, NEW_SIN], axes[j, NEW_COS]), state.angle[j])
        rate[j] = component(rates, j - begin)


@jit
def end_angles(
    params: Params, state: State, work: Work, angle: FloatArray, rate: FloatArray
) -> None:
    """Compute angles and rates of all joint axes, each (m,), rad and rad/s, at the present poses and velocities.

    Changes only `work.end` and `work.end_axes`.
    """
    q, u = state.q, state.u
    ex, ey, ez, lx, ly, lz, ux, uy, uz = _axes(
        q[FIRST, QUAT_W], q[FIRST, QUAT_X], q[FIRST, QUAT_Y], q[FIRST, QUAT_Z]
    )
    bx, by, bz = vec3_at(u, FIRST, RX)
    ox = bx * ex + by * lx + bz * ux
    oy = bx * ey + by * ly + bz * uy
    oz = bx * ez + by * lz + bz * uz
    for k in range(q.shape[0] - 1):
        fx, fy, fz, mx, my, mz, vx, vy, vz = _axes(
            q[k + 1, QUAT_W], q[k + 1, QUAT_X], q[k + 1, QUAT_Y], q[k + 1, QUAT_Z]
        )
        bx, by, bz = vec3_at(u, k + 1, RX)
        px = bx * fx + by * mx + bz * vx
        py = bx * fy + by * my + bz * vy
        pz = bx * fz + by * mz + bz * vz
        if params.kinds[k] & AXES == CARDAN:
            j = params.joints[k]
            yaw = math.atan2(-(ex * mx + ey * my + ez * mz), lx * mx + ly * my + lz * mz)
            pitch = math.atan2(-(ux * fx + uy * fy + uz * fz), ux * vx + uy * vy + uz * vz)
            angle[j] = _near(yaw, state.angle[j])
            angle[j + 1] = _near(pitch, state.angle[j + 1])
            rate[j] = ux * (px - ox) + uy * (py - oy) + uz * (pz - oz)
            rate[j + 1] = mx * (px - ox) + my * (py - oy) + mz * (pz - oz)
        else:
            vec3_put_at(work.end, k, BODY_X, (ex, ey, ez))
            vec3_put_at(work.end, k, BODY_Y, (lx, ly, lz))
            vec3_put_at(work.end, k, BODY_Z, (ux, uy, uz))
            vec3_put_at(work.end, k + 1, BODY_X, (fx, fy, fz))
            vec3_put_at(work.end, k + 1, BODY_Y, (mx, my, mz))
            vec3_put_at(work.end, k + 1, BODY_Z, (vx, vy, vz))
            other_end_angles(params, state, work, k, (px - ox, py - oy, pz - oz), angle, rate)
        ex = fx
        ey = fy
        ez = fz
        lx = mx
        ly = my
        lz = mz
        ux = vx
        uy = vy
        uz = vz
        ox, oy, oz = px, py, pz
