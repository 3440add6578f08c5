"""Equations of motion of P3, (29), in the coordinates (theta_1 ... theta_n, p), and the rates of the sums.

The program's joint angle is the negative of the paper's, and any end may be the head; neither
changes the equations.
"""

from __future__ import annotations

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.planar_nonholonomic.contact import constraint_forces, find_obstacles
from snakestudio.engines.planar_nonholonomic.params import AHEAD, BEHIND, SIDE, TWIST, Params
from snakestudio.engines.planar_nonholonomic.state import (
    ACROSS,
    ACTUATOR,
    ALONG,
    COS,
    EXTERNAL,
    FRICTION,
    GRAVITY,
    HOLD,
    LEFT,
    NORMAL,
    OBSTACLE,
    RIGHT,
    SIN,
    STOP,
    TURNING,
    WORKS,
    Work,
    X,
    Y,
)
from snakestudio.engines.row_buffers import ANGLE, RATE, YAW
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.centred_chain import gather_on_angles, spread_from_centre
from snakestudio.kernels.cholesky import (
    cholesky_backward,
    cholesky_factor,
    cholesky_forward,
    wide_backward,
    wide_factor,
    wide_forward,
)
from snakestudio.kernels.joint_torques import limited, passive_torque
from snakestudio.kernels.octet import (
    WIDTH,
    octet,
    octet_plus,
    octet_product,
    octet_put,
    octet_signs,
    octet_times,
)
from snakestudio.kernels.planar_problem import TURN
from snakestudio.kernels.trig import sin_cos


@inlined
def _ground_forces(params: Params, wrench: FloatArray, work: Work) -> None:
    """Compute friction (13), (16) and external forces on each link, and their powers; sgn v is smoothed."""
    n = work.cos.shape[0]
    at = 0
    while at < n:
        for row in range(3):
            eps = params.turn_smoothing if row == TURNING else params.smoothing
            octet_put(work.signs, row, at, octet_signs(octet(work.rates, row, at), eps))
        at += WIDTH
    friction = external = total_x = total_y = 0.0
    for k in range(n):
        cos = work.cos[k]
        sin = work.sin[k]
        along = work.along[k]
        across = work.across[k]
        vx = work.velocity[k, X]
        vy = work.velocity[k, Y]
        omega = work.v[k]
        most = params.coulomb[k, AHEAD if along >= 0.0 else BEHIND]
        ft = -along * params.viscous_along - most * work.signs[ALONG, k]
        fn = -across * params.viscous_across - params.coulomb[k, SIDE] * work.signs[ACROSS, k]
        torque = -params.coulomb[k, TWIST] * work.signs[TURNING, k]
        fx = cos * ft - sin * fn
        fy = sin * ft + cos * fn
        friction += ft * along + fn * across + torque * omega
        external += vx * wrench[k, X] + vy * wrench[k, Y] + omega * wrench[k, TURN]
        work.rate_sums[WORKS + 2 * k] = fx
        work.rate_sums[WORKS + 2 * k + 1] = fy
        fx += wrench[k, X]
        fy += wrench[k, Y]
        total_x += fx
        total_y += fy
        # Accelerations due to rotation count as opposing forces: C x' of (28).
        work.force[k, X] = fx - params.chain.mass[k] * work.swing[k, X]
        work.force[k, Y] = fy - params.chain.mass[k] * work.swing[k, Y]
        work.load[k] = torque + wrench[k, TURN]
    work.rate_sums[FRICTION] = friction
    work.rate_sums[EXTERNAL] = external
    # The weight acts only on the centre of mass.
    work.rate_sums[GRAVITY] = params.chain.total * (
        params.gx * work.v[n] + params.gy * work.v[n + 1]
    )
    total = params.chain.total
    work.acceleration[n] = total_x / total + params.gx
    work.acceleration[n + 1] = total_y / total + params.gy


@inlined
def _joint_torques(params: Params, work: Work, commanded: bool) -> None:
    """Compute torques of PD control (59) or commands, springs, dampers and stops, on the angles, with their powers."""
    n = work.cos.shape[0]
    actuator = stop = before = 0.0
    for k in range(n):
        after = 0.0
        if k < n - 1:
            angle, rate = work.x[k + 1] - work.x[k], work.v[k + 1] - work.v[k]
            if commanded:
                own = work.command[k, YAW]
            else:
                own = params.joints.kp[k] * (work.reference[k, ANGLE] - angle) + params.joints.kd[
                    k
                ] * (work.reference[k, RATE] - rate)
            own = limited(params.joints, k, own)
            pushed = passive_torque(params.joints, k, angle, rate)
            actuator += own * rate
            stop += pushed * rate
            work.rate_sums[WORKS + 10 * n + k] = own
            after = own + pushed
        work.load[k] += before - after
        before = after
    work.rate_sums[ACTUATOR] = actuator
    work.rate_sums[STOP] = stop


@inlined
def _kinematics(params: Params, y: FloatArray, work: Work) -> None:
    """Compute positions, velocities and accelerations due to rotation, of all links at `y`."""
    n = work.cos.shape[0]
    for k in range(n + 2):
        work.x[k] = y[k]
        work.v[k] = y[n + 2 + k]
    for k in range(n):
        work.theta[k] = work.x[k]
    sin_cos(work.theta, work.cos, work.sin)
    for k in range(n):
        work.part[k, X] = work.cos[k]
        work.part[k, Y] = work.sin[k]
    spread_from_centre(work.part, params.chain, work.x, work.place)
    for k in range(n):
        work.part[k, X] = -work.sin[k] * work.v[k]
        work.part[k, Y] = work.cos[k] * work.v[k]
    spread_from_centre(work.part, params.chain, work.v, work.velocity)
    for k in range(n):
        cos = work.cos[k]
        sin = work.sin[k]
        vx = work.velocity[k, X]
        vy = work.velocity[k, Y]
        omega = work.v[k]
        work.along[k] = cos * vx + sin * vy
        work.across[k] = cos * vy - sin * vx
        work.rates[TURNING, k] = omega
        work.part[k, X] = -cos * omega * omega
        work.part[k, Y] = -sin * omega * omega
    work.acceleration[n] = work.acceleration[n + 1] = 0.0
    spread_from_centre(work.part, params.chain, work.acceleration, work.swing)


@inlined
def _factor(params: Params, work: Work, count: int) -> None:
    """Factor the mass matrix of the angles, (28), augmented by `work.load` and the angles' part of the constraints."""
    n = work.cos.shape[0]
    used = n + 1 + count
    for j in range(n):
        cos, sin = work.cos[j], work.sin[j]
        at = j // WIDTH * WIDTH
        while at < used:
            aligned = octet_plus(
                octet_times(cos, octet(work.turn, COS, at)), sin, octet(work.turn, SIN, at)
            )
            octet_put(work.matrix, j, at, octet_product(octet(params.coupling, j, at), aligned))
            at += WIDTH
        work.matrix[j, n] = work.load[j]
        for c in range(count):
            k = work.link[c]
            lever = params.levers[k, j]
            work.matrix[j, n + 1 + c] = lever * (cos * work.cos[k] + sin * work.sin[k])
    wide_factor(work.matrix, work.inverse, used)


@inlined
def _book_normal_accelerations(params: Params, work: Work) -> None:
    """Record the rates of the links' lateral velocities, the derivative of (31), which are 0 for held links."""
    n = work.cos.shape[0]
    at = work.rate_sums.shape[0] - n
    for k in range(n):
        work.part[k, X] = -work.sin[k] * work.acceleration[k]
        work.part[k, Y] = work.cos[k] * work.acceleration[k]
    spread_from_centre(work.part, params.chain, work.acceleration, work.force)
    for k in range(n):
        ax, ay = work.force[k, X] + work.swing[k, X], work.force[k, Y] + work.swing[k, Y]
        work.rate_sums[at + k] = work.cos[k] * ay - work.sin[k] * ax - work.v[k] * work.along[k]


@inlined
def hold_links(params: Params, work: Work, count: int, sums0: FloatArray) -> None:
    """Correct the lateral velocities of `work.held` links by impulses to the integral of their accelerations.

    A constraint acts on accelerations, (33), (37), while angles and velocities are integrated with
    separate errors, so that nothing would pull back a link that drifts away from its obstacle. The
    impulses act along the constraints; `count` constraints, masses and `work.link` are those of the
    last evaluation. Changes `work.y1`, and records impulses in `work.sums`.
    """
    n = work.cos.shape[0]
    _kinematics(params, work.y1, work)
    at = work.sums.shape[0] - n
    size = 0
    for a in range(count):
        k = work.link[a]
        if work.held[k] != 0:
            work.chosen[size] = a
            work.rest[size] = work.begun[k] + (work.sums[at + k] - sums0[at + k]) - work.across[k]
            for b in range(size + 1):
                work.factor[size, b] = work.delassus[a, work.chosen[b]]
            size += 1
    if size == 0:
        return
    cholesky_factor(work.factor, size)
    cholesky_forward(work.factor, size, work.rest)
    cholesky_backward(work.factor, size, work.rest)
    for k in range(n):
        work.force[k, X] = work.force[k, Y] = work.load[k] = 0.0
    for i in range(size):
        k = work.link[work.chosen[i]]
        work.force[k, X] = -work.sin[k] * work.rest[i]
        work.force[k, Y] = work.cos[k] * work.rest[i]
        side = LEFT if work.near[LEFT, k] >= 0 else RIGHT
        own = WORKS + 2 * n + 4 * (side * n + k) + NORMAL
        work.sums[own] += work.force[k, X]
        work.sums[own + 1] += work.force[k, Y]
        corrected = work.begun[k] + (work.sums[at + k] - sums0[at + k])
        work.sums[OBSTACLE] += 0.5 * work.rest[i] * (work.across[k] + corrected)
    gather_on_angles(work.force, params.chain, work.cos, work.sin, work.load)
    wide_forward(work.matrix, work.inverse, work.load)
    wide_backward(work.matrix, work.inverse, work.load)
    for k in range(n):
        work.y1[n + 2 + k] += work.load[k]
        work.y1[2 * n + 2] += work.force[k, X] / params.chain.total
        work.y1[2 * n + 3] += work.force[k, Y] / params.chain.total


@inlined
def evaluate(
    params: Params, wrench: FloatArray, acts: IntArray, y: FloatArray, work: Work, commanded: bool
) -> int:
    """Compute the derivatives `work.rate_y` and `work.rate_sums` at `y`; return the number of constraints, or -1.

    If `commanded`, the joint torques are those in `work.command` instead of PD control.
    """
    n = work.cos.shape[0]
    for i in range(work.rate_sums.shape[0]):
        work.rate_sums[i] = 0.0
    _kinematics(params, y, work)
    _ground_forces(params, wrench, work)
    _joint_torques(params, work, commanded)
    gather_on_angles(work.force, params.chain, work.cos, work.sin, work.load)
    work.felt[HOLD] = 0.0
    count = find_obstacles(params, work)
    _factor(params, work, count)
    # (27): without any action of obstacles.
    for k in range(n):
        work.acceleration[k] = work.matrix[k, n]
    if count > 0:
        for k in range(n):
            work.force[k, X] = work.force[k, Y] = 0.0
            work.load[k] = 0.0
        count = constraint_forces(params, acts, count, work)
        gather_on_angles(work.force, params.chain, work.cos, work.sin, work.load)
        wide_forward(work.matrix, work.inverse, work.load)
        total = params.chain.total
        power = 0.0
        for k in range(n):
            work.acceleration[k] += work.load[k]
            work.acceleration[n] += work.force[k, X] / total
            work.acceleration[n + 1] += work.force[k, Y] / total
            power += work.force[k, X] * work.velocity[k, X] + work.force[k, Y] * work.velocity[k, Y]
        work.rate_sums[OBSTACLE] = power
    else:
        for k in range(n):
            acts[k] = 0
    wide_backward(work.matrix, work.inverse, work.acceleration)
    if count > 0:
        _book_normal_accelerations(params, work)
    for k in range(n + 2):
        work.rate_y[k] = work.v[k]
        work.rate_y[n + 2 + k] = work.acceleration[k]
    return count
