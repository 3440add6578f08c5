"""The energy ledger: the works of all forces in a step."""

from __future__ import annotations

from snakestudio.engines.contact_sums import (
    ACTUATOR,
    EXTERNAL,
    FRICTION,
    GRAVITY,
    JOINT,
    OBSTACLE,
    STOP,
)
from snakestudio.engines.spatial_nonsmooth.dynamics import spring_impulse
from snakestudio.engines.spatial_nonsmooth.params import DAMPING, ROTOR, Params
from snakestudio.engines.spatial_nonsmooth.state import (
    ANGLE,
    DAMPER,
    DRY_FRICTION,
    EMF,
    GYROSCOPIC,
    RATE_START,
    SHORT,
    SPRING,
    State,
    Work,
)
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.kernels.spatial_chain import component, joint_rates
from snakestudio.kernels.spatial_problem import (
    DRAG,
    DRIVE,
    IMPULSE_HIGH,
    IMPULSE_LOW,
    LAW_N,
    MASS,
    REAR,
    RX,
    RY,
    RZ,
)
from snakestudio.kernels.vec3 import minus, vec3, vec3_at


@inlined
def book_works(params: Params, state: State, work: Work) -> None:
    """Add the works of the step: impulse times the mean of the velocities before and after it.

    With these works, the kinetic energy, whose mass matrix is constant in the velocities (P1 (5)),
    changes by exactly their sum. The kinetic energy includes that of the rotors. Must be called
    while `state` is that before the step.
    """
    half_dt = 0.5 * params.dt
    links = params.links
    friction = normal = gravity = external = gyroscopic = actuator = joint = stop = 0.0
    spring = damper = dry = 0.0
    w = work.w
    start = work.w_start
    for k in range(w.shape[0]):
        ox, oy, oz = w[k, RX] + start[k, RX], w[k, RY] + start[k, RY], w[k, RZ] + start[k, RZ]
        half = links[k, REAR]
        ex = half * work.orientation[k, X]
        ey = half * work.orientation[k, Y]
        ez = half * work.orientation[k, Z]
        vx = w[k, X] + start[k, X] + oy * ez - oz * ey
        vy = w[k, Y] + start[k, Y] + oz * ex - ox * ez
        vz = w[k, Z] + start[k, Z] + ox * ey - oy * ex
        gravity += links[k, MASS] * (params.gx * vx + params.gy * vy + params.gz * vz)
        force = state.wrench[k]
        external += (
            force[0] * vx
            + force[1] * vy
            + force[2] * vz
            + force[3] * ox
            + force[4] * oy
            + force[5] * oz
        )
        torque = work.torque_free[k]
        gyroscopic += torque[0] * ox + torque[1] * oy + torque[2] * oz
        # Total work of the contacts minus the work along the normals.
        for i in range(6):
            friction += work.pushed[k, i] * (w[k, i] + start[k, i])
        for c in range(work.first[k], work.first[k + 1]):
            normal += work.law[c, LAW_N] * (work.gamma[c, LAW_N] + work.gamma_start[c])
    for k in range(w.shape[0] - 1):
        begin = params.joints[k]
        end = params.joints[k + 1]
        rates = joint_rates(work.axes, begin, end, minus(vec3_at(w, k + 1, RX), vec3_at(w, k, RX)))
        own = stopped = passive = 0.0
        for j in range(begin, end):
            rate = component(rates, j - begin)
            mean = rate + work.axes[j, RATE_START]
            motor = work.axes[j, DRIVE] - work.axes[j, DRAG] * rate
            law = work.joint[j]
            if params.springs != 0:
                drive, drag = spring_impulse(
                    params, j, work.axes[j, ANGLE], work.axes[j, RATE_START]
                )
                spring_push = drive - drag * rate
                damper_push = -params.dt * params.axes[j, DAMPING] * rate
                motor -= spring_push + damper_push
                spring += spring_push * mean
                damper += damper_push * mean
                passive += (spring_push + damper_push) * mean
            if params.extras != 0:
                inertia = params.axes[j, ROTOR]
                before = state.rate[j]
                motor += inertia * (rate - before)
                # The impulse of the rotor does this work if the axis does not turn in the step;
                # the rest is part of the work of the joint.
                passive -= inertia * (rate * rate - before * before)
                state.rate[j] = rate
                # What stops a joint that runs into a limit is its friction first.
                most = min(-work.axes[j, IMPULSE_LOW], work.axes[j, IMPULSE_HIGH])
                held = min(max(law, -most), most)
                law -= held
                dry += held * mean
                passive += held * mean
            state.torque[j] = motor / params.dt
            state.motor[j] = state.torque[j]
            if params.extras != 0:
                # The lag is that of the voltage.
                state.motor[j] += (work.axes[j, SHORT] + work.axes[j, EMF] * rate) / params.dt
            own += motor * mean
            stopped += law * mean
        # Total work of the joint: its wrench at p_k+1 times the velocity of link k + 1 there
        # relative to link k.
        rx, ry, rz = vec3(work.reach, k)
        ox, oy, oz = w[k, RX] + start[k, RX], w[k, RY] + start[k, RY], w[k, RZ] + start[k, RZ]
        f = work.wrench[k]
        total = (
            f[0] * (w[k + 1, X] + start[k + 1, X] - (w[k, X] + start[k, X]) - (oy * rz - oz * ry))
            + f[1] * (w[k + 1, Y] + start[k + 1, Y] - (w[k, Y] + start[k, Y]) - (oz * rx - ox * rz))
            + f[2] * (w[k + 1, Z] + start[k + 1, Z] - (w[k, Z] + start[k, Z]) - (ox * ry - oy * rx))
            + f[3] * (w[k + 1, RX] + start[k + 1, RX] - ox)
            + f[4] * (w[k + 1, RY] + start[k + 1, RY] - oy)
            + f[5] * (w[k + 1, RZ] + start[k + 1, RZ] - oz)
        )
        actuator += own
        stop += stopped
        joint += total - own - stopped - passive
    sums = state.sums
    sums[ACTUATOR] += 0.5 * actuator
    sums[FRICTION] += 0.5 * (friction - normal)
    sums[GRAVITY] += half_dt * gravity
    sums[OBSTACLE] += 0.5 * normal
    sums[JOINT] += 0.5 * joint
    sums[STOP] += 0.5 * stop
    sums[EXTERNAL] += half_dt * external
    sums[GYROSCOPIC] += half_dt * gyroscopic
    sums[SPRING] += 0.5 * spring
    sums[DAMPER] += 0.5 * damper
    sums[DRY_FRICTION] += 0.5 * dry
