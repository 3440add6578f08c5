"""Equations of motion of P4 in the coordinates (theta_1 ... theta_n, p): friction, torques, accelerations, powers.

The paper's coordinates (joint angles, head angle, p) are a constant linear map of these: the motion
is the same, and here the mass matrix is block diagonal, with a block of the angles and the total
mass. The program's joint angle is the negative of the paper's, and any end may be the head; neither
changes the equations below.
"""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.engines.planar_lagrangian.params import Params
from snakestudio.engines.planar_lagrangian.state import (
    ACTUATOR,
    COULOMB,
    EXTERNAL,
    GRAVITY,
    STOP,
    VISCOUS,
    Work,
)
from snakestudio.engines.row_buffers import ANGLE, RATE, YAW
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.centred_chain import gather_on_angles, inertia_and_bias, spread_from_centre
from snakestudio.kernels.cholesky import cholesky_solve
from snakestudio.kernels.ground_patches import (
    AGAINST_AXIS,
    SIDEWAYS,
    WITH_AXIS,
    friction_scale,
    load_scale,
    patch_under,
)
from snakestudio.kernels.joint_torques import limited, passive_torque
from snakestudio.kernels.planar_problem import TURN
from snakestudio.kernels.smooth_friction import (
    ACROSS,
    AHEAD,
    BEHIND,
    COMPONENTS,
    smooth_friction,
    tanh,
)
from snakestudio.kernels.trig import sin_cos


@inlined
def _press(params: Params, work: Work, time: float) -> None:
    """Compute the largest friction of each link, `work.limit`, and its load minus its weight, at `work.x`."""
    n = work.cos.shape[0]
    ground = params.ground
    if params.varies:
        for k in range(n):
            work.part[k, X] = work.cos[k]
            work.part[k, Y] = work.sin[k]
        spread_from_centre(work.part, params.chain, work.x, work.place)
    for k in range(n):
        row = 0
        load = params.weight[k]
        work.lift[k] = 0.0
        if params.varies:
            row = patch_under(ground, work.place[k, X], work.place[k, Y])
            load *= load_scale(ground, k, time)
            work.lift[k] = load - params.weight[k]
            load *= friction_scale(ground, time, work.place[k, X], work.place[k, Y])
        work.limit[k, AHEAD] = ground.friction[row, k, AGAINST_AXIS] * load
        work.limit[k, BEHIND] = ground.friction[row, k, WITH_AXIS] * load
        work.limit[k, ACROSS] = ground.friction[row, k, SIDEWAYS] * load
        for c in range(3):
            work.coulomb[k, c] = work.limit[k, c] if params.law == COMPONENTS else 0.0


@inlined
def _coupled_friction(params: Params, work: Work) -> float:
    """Add Coulomb friction by a law that couples both directions to all forces; return its power."""
    power = 0.0
    for k in range(work.cos.shape[0]):
        cos = work.cos[k]
        sin = work.sin[k]
        vx = work.place[k, X]
        vy = work.place[k, Y]
        along = cos * vx + sin * vy
        across = cos * vy - sin * vx
        ft, fn = smooth_friction(
            params.law,
            params.tanh,
            params.smoothing,
            work.limit[k, AHEAD],
            work.limit[k, BEHIND],
            work.limit[k, ACROSS],
            along,
            across,
        )
        power += ft * along + fn * across
        fx = cos * ft - sin * fn
        fy = sin * ft + cos * fn
        work.friction[k, X] += fx
        work.friction[k, Y] += fy
        work.force[k, X] += fx
        work.force[k, Y] += fy
    return power


@inlined
def _forces(params: Params, wrench: FloatArray, work: Work) -> None:
    """Compute friction (13) to (17) on links at velocities (4), (5), external forces, weight, and their powers."""
    n = work.cos.shape[0]
    for k in range(n):
        work.part[k, X] = -work.sin[k] * work.v[k]
        work.part[k, Y] = work.cos[k] * work.v[k]
    spread_from_centre(work.part, params.chain, work.v, work.place)
    eps2 = params.smoothing * params.smoothing
    viscous = coulomb = external = 0.0
    for k in range(n):
        cos = work.cos[k]
        sin = work.sin[k]
        vx = work.place[k, X]
        vy = work.place[k, Y]
        along = cos * vx + sin * vy
        across = cos * vy - sin * vx
        viscous_t, viscous_n = -params.viscous_along * along, -params.viscous_across * across
        most = work.coulomb[k, AHEAD] if along >= 0.0 else work.coulomb[k, BEHIND]
        if params.tanh:
            coulomb_t = -most * tanh(along / params.smoothing)
            coulomb_n = -work.coulomb[k, ACROSS] * tanh(across / params.smoothing)
        else:
            coulomb_t = -most * along / math.sqrt(along * along + eps2)
            coulomb_n = -work.coulomb[k, ACROSS] * across / math.sqrt(across * across + eps2)
        viscous += viscous_t * along + viscous_n * across
        coulomb += coulomb_t * along + coulomb_n * across
        ft, fn = viscous_t + coulomb_t, viscous_n + coulomb_n
        work.friction[k, X] = cos * ft - sin * fn
        work.friction[k, Y] = sin * ft + cos * fn
        external += vx * wrench[k, X] + vy * wrench[k, Y] + work.v[k] * wrench[k, TURN]
        for a in range(2):
            work.force[k, a] = work.friction[k, a] + wrench[k, a]
        work.load[k] = wrench[k, TURN]
    if params.law != COMPONENTS:
        coulomb = _coupled_friction(params, work)
    work.power[VISCOUS] = viscous
    work.power[COULOMB] = coulomb
    work.power[EXTERNAL] = external
    # The weight acts only on the centre of mass.
    work.power[GRAVITY] = params.chain.total * (params.gx * work.v[n] + params.gy * work.v[n + 1])
    gather_on_angles(work.force, params.chain, work.cos, work.sin, work.load)


@inlined
def linearizing_torques(params: Params, work: Work) -> None:
    """Compute the torques for the commanded joint accelerations, (24), from the mass matrix, C x' and loads in `work`.

    With theta_i'' = theta_1'' + s_i, where s_i is the sum of the commanded accelerations of the
    joints before link i, the sum of the equations of all angles, in which torques cancel, gives
    theta_1'': this is (22). Each equation in turn then gives a torque: (23).
    """
    n = work.cos.shape[0]
    # `acceleration` is used for s, and is overwritten by the actual accelerations afterwards.
    relative = work.acceleration
    relative[0] = 0.0
    for k in range(n - 1):
        commanded = (
            work.command[k, YAW]
            + params.joints.kd[k] * (work.reference[k, RATE] - (work.v[k + 1] - work.v[k]))
            + params.joints.kp[k] * (work.reference[k, ANGLE] - (work.x[k + 1] - work.x[k]))
        )
        relative[k + 1] = relative[k] + commanded
    total = free = 0.0
    for i in range(n):
        free += work.load[i] - work.bias[i]
        for j in range(n):
            total += work.matrix[i, j]
            free -= work.matrix[i, j] * relative[j]
    first = free / total
    torque = 0.0
    for i in range(n - 1):
        left = work.bias[i] - work.load[i]
        for j in range(n):
            left += work.matrix[i, j] * (first + relative[j])
        torque -= left
        work.torque[i] = torque


@inlined
def _pd_torques(params: Params, work: Work) -> None:
    """Compute the PD control torques tau = K_P (phi_ref - phi) + K_D (phi_ref' - phi')."""
    for k in range(work.torque.shape[0]):
        work.torque[k] = params.joints.kp[k] * (
            work.reference[k, ANGLE] - (work.x[k + 1] - work.x[k])
        ) + params.joints.kd[k] * (work.reference[k, RATE] - (work.v[k + 1] - work.v[k]))


@inlined
def _passive_torques(params: Params, work: Work) -> None:
    """Add springs, dampers and stops of the joints to the loads on the angles."""
    stopped = 0.0
    for k in range(work.torque.shape[0]):
        rate = work.v[k + 1] - work.v[k]
        torque = passive_torque(params.joints, k, work.x[k + 1] - work.x[k], rate)
        work.load[k] -= torque
        work.load[k + 1] += torque
        stopped += torque * rate
    work.power[STOP] = stopped


@inlined
def accelerate(
    params: Params, wrench: FloatArray, work: Work, commanded: bool, time: float
) -> None:
    """Solve (11) for the accelerations at (work.x, work.v) and `time`; also fill torques, friction and powers.

    If `commanded`, the torques are those in `work.command`, independent of the control law.
    """
    n = work.cos.shape[0]
    for k in range(n):
        work.theta[k] = work.x[k]
    sin_cos(work.theta, work.cos, work.sin)
    _press(params, work, time)
    _forces(params, wrench, work)
    _passive_torques(params, work)
    inertia_and_bias(
        params.coupling, params.chain.inertia, work.cos, work.sin, work.v, work.matrix, work.bias
    )
    if params.rotors:
        for k in range(n - 1):
            rotor = params.rotor[k]
            work.matrix[k, k] += rotor
            work.matrix[k + 1, k + 1] += rotor
            work.matrix[k, k + 1] -= rotor
            work.matrix[k + 1, k] -= rotor
    if commanded:
        for k in range(n - 1):
            work.torque[k] = work.command[k, YAW]
    elif params.linearized:
        linearizing_torques(params, work)
    else:
        _pd_torques(params, work)
    actuator = before = force_x = force_y = 0.0
    for k in range(n):
        after = 0.0
        if k < n - 1:
            after = work.torque[k] = limited(params.joints, k, work.torque[k])
            actuator += after * (work.v[k + 1] - work.v[k])
        work.load[k] += before - after - work.bias[k]
        before = after
        force_x += work.force[k, X]
        force_y += work.force[k, Y]
    work.power[ACTUATOR] = actuator
    cholesky_solve(work.matrix, work.load)
    for k in range(n):
        work.acceleration[k] = work.load[k]
    work.acceleration[n] = force_x / params.chain.total + params.gx
    work.acceleration[n + 1] = force_y / params.chain.total + params.gy
