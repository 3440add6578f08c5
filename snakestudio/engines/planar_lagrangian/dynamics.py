"""Equations of motion of P4 in the coordinates (theta_1 ... theta_n, p): friction, torques, accelerations, powers.

The paper's coordinates (joint angles, head angle, p) are a constant linear map of these: the motion is the same, and
here the mass matrix falls into a block of the angles and the total mass. The program's joint angle is the negative of
the paper's, and any end may be the head; neither changes the equations below.
"""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.engines.planar_lagrangian.params import Params
from snakestudio.engines.planar_lagrangian.state import ACTUATOR, COULOMB, EXTERNAL, GRAVITY, VISCOUS, Work
from snakestudio.engines.row_buffers import ANGLE, RATE, YAW
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.centred_chain import gather_on_angles, inertia_and_bias, spread_from_centre
from snakestudio.kernels.cholesky import cholesky_solve
from snakestudio.kernels.planar_problem import TURN
from snakestudio.kernels.trig import sin_cos
from snakestudio.kernels.vec3 import X, Y

__all__ = ["accelerate", "linearizing_torques"]


LN2_HEAD, LN2_TAIL = 6.93147180369123816490e-01, 1.90821492927058770002e-10
"""ln 2; the first has so few bits that its products with small integers are exact."""
ROUND = 6755399441055744.0
"""1.5 * 2^52: adding and subtracting it rounds to the nearest integer."""


@inlined
def _tanh(x: float) -> float:
    """Hyperbolic tangent, E / (E + 2) with E = exp(2 |x|) - 1; to two units in the last place, the same everywhere.

    The library's has other last bits where the processor multiplies and adds at once.
    """
    twice = min(2.0 * abs(x), 40.0)  # from there on it is 1
    k = (twice / LN2_HEAD + ROUND) - ROUND
    r = (twice - k * LN2_HEAD) - k * LN2_TAIL
    # exp(r) - 1 by its series, |r| <= ln(2) / 2: what is left out is below 1e-18 of it.
    e = 1.0
    for i in range(14, 1, -1):
        e = 1.0 + e * r / i
    power = math.ldexp(1.0, int(k))
    grown = power * (e * r) + (power - 1.0)
    return math.copysign(grown / (grown + 2.0), x)


@inlined
def _forces(params: Params, wrench: FloatArray, work: Work) -> None:
    """Friction (13) to (17) on every link at its velocity (4), (5), external forces and weight, and their powers.

    As in (15), Coulomb friction along and across do not know of each other, so equal coefficients do not make it
    isotropic; sgn v is smoothed to v / sqrt(v^2 + eps^2), or to tanh(v / eps).
    """
    n = work.cos.shape[0]
    for k in range(n):
        work.part[k, X] = -work.sin[k] * work.v[k]
        work.part[k, Y] = work.cos[k] * work.v[k]
    spread_from_centre(work.part, params.half_length, work.v, work.place)
    eps2 = params.smoothing * params.smoothing
    viscous = coulomb = external = 0.0
    for k in range(n):
        cos, sin, vx, vy = work.cos[k], work.sin[k], work.place[k, X], work.place[k, Y]
        along, across = cos * vx + sin * vy, cos * vy - sin * vx
        viscous_t, viscous_n = -params.viscous_along * along, -params.viscous_across * across
        if params.tanh:
            coulomb_t = -params.coulomb_along * _tanh(along / params.smoothing)
            coulomb_n = -params.coulomb_across * _tanh(across / params.smoothing)
        else:
            coulomb_t = -params.coulomb_along * along / math.sqrt(along * along + eps2)
            coulomb_n = -params.coulomb_across * across / math.sqrt(across * across + eps2)
        viscous += viscous_t * along + viscous_n * across
        coulomb += coulomb_t * along + coulomb_n * across
        ft, fn = viscous_t + coulomb_t, viscous_n + coulomb_n
        work.friction[k, X] = cos * ft - sin * fn
        work.friction[k, Y] = sin * ft + cos * fn
        external += vx * wrench[k, X] + vy * wrench[k, Y] + work.v[k] * wrench[k, TURN]
        for a in range(2):
            work.force[k, a] = work.friction[k, a] + wrench[k, a]
        work.load[k] = wrench[k, TURN]
    work.power[VISCOUS] = viscous
    work.power[COULOMB] = coulomb
    work.power[EXTERNAL] = external
    # The weight of equal links acts on their centre of mass alone.
    work.power[GRAVITY] = n * params.mass * (params.gx * work.v[n] + params.gy * work.v[n + 1])
    gather_on_angles(work.force, params.half_length, work.cos, work.sin, work.load)


@inlined
def linearizing_torques(params: Params, work: Work) -> None:
    """Torques under which the joints accelerate as commanded, (24), from the mass matrix, C x' and loads in `work`.

    With theta_i'' = theta_1'' + s_i, s_i the sum of the commanded accelerations of the joints before link i, the sum
    of all equations of the angles, in which torques cancel, gives theta_1'': this is (22). Every equation in turn
    gives a torque: (23).
    """
    n = work.cos.shape[0]
    # `acceleration` serves as s; it is overwritten by the real accelerations afterwards.
    relative = work.acceleration
    relative[0] = 0.0
    for k in range(n - 1):
        commanded = (
            work.wanted[k, YAW]
            + params.kd * (work.reference[k, RATE] - (work.v[k + 1] - work.v[k]))
            + params.kp * (work.reference[k, ANGLE] - (work.x[k + 1] - work.x[k]))
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
    """PD control, tau = K_P (phi_ref - phi) + K_D (phi_ref' - phi')."""
    for k in range(work.torque.shape[0]):
        work.torque[k] = params.kp * (work.reference[k, ANGLE] - (work.x[k + 1] - work.x[k])) + params.kd * (
            work.reference[k, RATE] - (work.v[k + 1] - work.v[k])
        )


@inlined
def accelerate(params: Params, wrench: FloatArray, work: Work, given: bool) -> None:
    """Solve (11) for the accelerations at (work.x, work.v); fills torques, friction and powers, too.

    `given`: the torques are those in `work.wanted`, whatever the control law.
    """
    n = work.cos.shape[0]
    for k in range(n):
        work.theta[k] = work.x[k]
    sin_cos(work.theta, work.cos, work.sin)
    _forces(params, wrench, work)
    inertia_and_bias(params.coupling, params.inertia, work.cos, work.sin, work.v, work.matrix, work.bias)
    if given:
        for k in range(n - 1):
            work.torque[k] = work.wanted[k, YAW]
    elif params.linearized:
        linearizing_torques(params, work)
    else:
        _pd_torques(params, work)
    actuator = before = force_x = force_y = 0.0
    for k in range(n):
        after = 0.0
        if k < n - 1:
            after = work.torque[k]
            actuator += after * (work.v[k + 1] - work.v[k])
        work.load[k] += before - after - work.bias[k]
        before = after
        force_x += work.force[k, X]
        force_y += work.force[k, Y]
    work.power[ACTUATOR] = actuator
    cholesky_solve(work.matrix, work.load)
    for k in range(n):
        work.acceleration[k] = work.load[k]
    total = n * params.mass
    work.acceleration[n] = force_x / total + params.gx
    work.acceleration[n + 1] = force_y / total + params.gy
