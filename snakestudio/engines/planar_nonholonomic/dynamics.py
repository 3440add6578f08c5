"""Equations of motion of P3, (29), in the coordinates (theta_1 ... theta_n, p), and what they do to the sums.

The program's joint angle is the negative of the paper's, and any end may be the head; neither changes the equations.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio.engines.planar_nonholonomic.contact import constraint_forces, find_obstacles
from snakestudio.engines.planar_nonholonomic.params import Params
from snakestudio.engines.planar_nonholonomic.state import (
    ACTUATOR,
    EXTERNAL,
    FRICTION,
    GRAVITY,
    OBSTACLE,
    STOP,
    WORKS,
    Work,
)
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.centred_chain import gather_on_angles, inertia_and_bias, spread_from_centre
from snakestudio.kernels.cholesky import cholesky_backward, cholesky_factor, cholesky_forward
from snakestudio.kernels.trig import sin_cos

__all__ = ["evaluate"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@inlined
def _ground_forces(params: Params, wrench: FloatArray, work: Work) -> None:
    """Friction (13), (16) and external forces on every link, and their powers; sgn v is smoothed."""
    n = work.cos.shape[0]
    eps2, turn2 = params.smoothing * params.smoothing, params.turn_smoothing * params.turn_smoothing
    friction = external = 0.0
    for k in range(n):
        cos, sin, along, across = work.cos[k], work.sin[k], work.along[k], work.across[k]
        vx, vy, omega = work.velocity[k, 0], work.velocity[k, 1], work.v[k]
        ft = -along * (params.viscous_along + params.coulomb_along / math.sqrt(along * along + eps2))
        fn = -across * (params.viscous_across + params.coulomb_across / math.sqrt(across * across + eps2))
        torque = -params.coulomb_turning * omega / math.sqrt(omega * omega + turn2)
        fx, fy = cos * ft - sin * fn, sin * ft + cos * fn
        friction += ft * along + fn * across + torque * omega
        external += vx * wrench[k, 0] + vy * wrench[k, 1] + omega * wrench[k, 2]
        work.rate_sums[WORKS + 2 * k] = fx
        work.rate_sums[WORKS + 2 * k + 1] = fy
        work.force[k, 0] = fx + wrench[k, 0]
        work.force[k, 1] = fy + wrench[k, 1]
        work.load[k] = torque + wrench[k, 2]
    work.rate_sums[FRICTION] = friction
    work.rate_sums[EXTERNAL] = external
    # The weight of equal links acts on their centre of mass alone.
    work.rate_sums[GRAVITY] = n * params.mass * (params.gx * work.v[n] + params.gy * work.v[n + 1])


@inlined
def _joint_torques(params: Params, work: Work, given: bool) -> None:
    """PD control (59) or given torques, and the springs beyond joint limits, on the angles, with their powers."""
    n = work.cos.shape[0]
    actuator = stop = before = 0.0
    for k in range(n):
        after = 0.0
        if k < n - 1:
            angle, rate = work.x[k + 1] - work.x[k], work.v[k + 1] - work.v[k]
            if given:
                own = work.given[k, 0]
            else:
                own = params.kp * (work.reference[k, 0] - angle) + params.kd * (work.reference[k, 1] - rate)
            beyond = angle - min(max(angle, -params.joint_limit), params.joint_limit)
            pushed = -params.stop_stiffness * beyond if beyond != 0.0 else 0.0
            actuator += own * rate
            stop += pushed * rate
            work.rate_sums[WORKS + 10 * n + k] = own
            after = own + pushed
        work.load[k] += before - after - work.bias[k]
        before = after
    work.rate_sums[ACTUATOR] = actuator
    work.rate_sums[STOP] = stop


@inlined
def evaluate(params: Params, wrench: FloatArray, acts: IntArray, y: FloatArray, work: Work, given: bool) -> int:
    """Derivatives of motion and sums at `y` into `work.rate_y` and `work.rate_sums`; returns the constraints, or -1.

    `given`: the joints' torques are those in `work.given`, not PD control's.
    """
    n = work.cos.shape[0]
    for k in range(n + 2):
        work.x[k] = y[k]
        work.v[k] = y[n + 2 + k]
    for i in range(work.rate_sums.shape[0]):
        work.rate_sums[i] = 0.0
    for k in range(n):
        work.theta[k] = work.x[k]
    sin_cos(work.theta, work.cos, work.sin)
    for k in range(n):
        work.part[k, 0] = work.cos[k]
        work.part[k, 1] = work.sin[k]
    spread_from_centre(work.part, params.half_length, work.x, work.place)
    for k in range(n):
        work.part[k, 0] = -work.sin[k] * work.v[k]
        work.part[k, 1] = work.cos[k] * work.v[k]
    spread_from_centre(work.part, params.half_length, work.v, work.velocity)
    for k in range(n):
        cos, sin, vx, vy = work.cos[k], work.sin[k], work.velocity[k, 0], work.velocity[k, 1]
        work.along[k] = cos * vx + sin * vy
        work.across[k] = cos * vy - sin * vx
    _ground_forces(params, wrench, work)
    inertia_and_bias(params.coupling, params.inertia, work.cos, work.sin, work.v, work.matrix, work.bias)
    _joint_torques(params, work, given)
    gather_on_angles(work.force, params.half_length, work.cos, work.sin, work.load)
    # (27): without anything that obstacles do.
    total = n * params.mass
    fx = fy = 0.0
    for k in range(n):
        fx += work.force[k, 0]
        fy += work.force[k, 1]
        work.acceleration[k] = work.load[k]
        work.force[k, 0] = work.force[k, 1] = 0.0
        work.load[k] = 0.0
    cholesky_factor(work.matrix, n)
    cholesky_forward(work.matrix, n, work.acceleration)
    cholesky_backward(work.matrix, n, work.acceleration)
    work.acceleration[n] = fx / total + params.gx
    work.acceleration[n + 1] = fy / total + params.gy
    count = find_obstacles(params, work)
    if count > 0:
        count = constraint_forces(params, acts, work)
        gather_on_angles(work.force, params.half_length, work.cos, work.sin, work.load)
        cholesky_forward(work.matrix, n, work.load)
        cholesky_backward(work.matrix, n, work.load)
        power = 0.0
        for k in range(n):
            work.acceleration[k] += work.load[k]
            work.acceleration[n] += work.force[k, 0] / total
            work.acceleration[n + 1] += work.force[k, 1] / total
            power += work.force[k, 0] * work.velocity[k, 0] + work.force[k, 1] * work.velocity[k, 1]
        work.rate_sums[OBSTACLE] = power
    else:
        for k in range(n):
            acts[k] = 0
    for k in range(n + 2):
        work.rate_y[k] = work.v[k]
        work.rate_y[n + 2 + k] = work.acceleration[k]
    return count
