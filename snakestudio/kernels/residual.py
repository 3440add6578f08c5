"""Residual of a step, computed from velocities and impulses alone, independently of the solvers.

A step counts as converged if both numbers are at most 1e-8.
"""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.directional import natural_box, natural_unit_velocity
from snakestudio.kernels.planar_problem import (
    ACROSS,
    AGAINST,
    ALONG,
    DISC,
    FORCE_1,
    FORCE_2,
    FRONT,
    HALVES,
    INERTIA,
    LENGTH,
    MASS,
    NORMAL,
    REAR,
    TANGENT,
    TURN,
    UNIT_VELOCITY,
    WITH,
    ChainImpulses,
    ChainProblem,
)
from snakestudio.kernels.prox import (
    natural_disc,
    natural_halves,
    natural_interval,
    natural_positive,
    prox_positive,
)
from snakestudio.kernels.vec3 import vec3_at

EPSILON = 2.220446049250313e-16

CONVERGED = 1e-8
"""Largest residual of a converged step."""

GIVE_UP = 1e-2
"""Largest residual of a step that is accepted. Steps above `CONVERGED` are counted, and the largest
residual is displayed and recorded."""


@inlined
def _between(problem: ChainProblem, k: int) -> float:
    """Reduced inertia of the free links on either side of joint k, kg m^2."""
    first = problem.links[k, INERTIA]
    second = problem.links[k + 1, INERTIA]
    between: float = first * second / (first + second)
    return between


@jit
def _directional_residual(problem: ChainProblem, u: FloatArray, impulses: ChainImpulses) -> float:
    """Largest violation of the friction laws of the ground beyond one disc, N s; NaN if any is."""
    worst = total = 0.0
    for k in range(u.shape[0]):
        plus = problem.law[k, WITH]
        minus = problem.law[k, AGAINST]
        mu_1, mu_2 = problem.law[k, FORCE_1], problem.law[k, FORCE_2]
        rough = max(mu_1, mu_2)
        if rough <= 0.0:
            continue
        prox_r = problem.links[k, MASS] / (rough * rough)
        radius = problem.load[k]
        cos = problem.cos[k]
        sin = problem.sin[k]
        vx = u[k, X]
        vy = u[k, Y]
        along = cos * vx + sin * vy
        across = cos * vy - sin * vx
        p1, p2 = impulses.friction[k, ALONG], impulses.friction[k, ACROSS]
        if problem.kind == UNIT_VELOCITY:
            distance = natural_unit_velocity(
                (p1, p2), (rough * along, rough * across), prox_r, radius, plus, minus
            )
        elif problem.kind == HALVES:
            distance = natural_halves(
                p1, p2, mu_1 * along, mu_2 * across, prox_r, radius, plus, minus
            )
        else:
            distance = natural_box(
                (p1, p2), (mu_1 * along, mu_2 * across), prox_r, radius, plus, minus
            )
        worst = max(worst, distance)
        total += distance
    return worst + 0.0 * total


@inlined
def chain_law_residual(problem: ChainProblem, u: FloatArray, impulses: ChainImpulses) -> float:
    """Largest |P - prox_C(P - gamma / G)| / (m g dt) of all contacts and laws.

    G is the largest diagonal of the law's own block on the free links: max(mu)^2 / m for friction,
    1/m + arm^2 / Theta for an obstacle, mu^2 (1/m + arm^2 / Theta) for the friction on it, the sum
    of 1 / Theta of both links for a joint limit, whose impulse is divided by the link's length to
    be in N s. For a fixed joint, the difference of the two angular velocities is multiplied by
    these inertias.

    Parameters
    ----------
    u : (n, 3)
        Velocities at the end of the step.

    Returns
    -------
    float
        Dimensionless.
    """
    n = u.shape[0]
    links = problem.links
    law = problem.law
    worst = 0.0
    total = 0.0  # preserves a NaN, which max() would ignore
    if problem.kind != DISC:
        worst = total = _directional_residual(problem, u, impulses)
    else:
        for k in range(n):
            mu_1, mu_2 = law[k, FORCE_1], law[k, FORCE_2]
            rough = max(mu_1, mu_2)
            if rough > 0.0:
                cos = problem.cos[k]
                sin = problem.sin[k]
                vx = u[k, X]
                vy = u[k, Y]
                distance = natural_disc(
                    impulses.friction[k, ALONG],
                    impulses.friction[k, ACROSS],
                    mu_1 * (cos * vx + sin * vy),
                    mu_2 * (cos * vy - sin * vx),
                    links[k, MASS] / (rough * rough),
                    problem.load[k],
                )
                worst = max(worst, distance)
                total += distance
    for c in range(problem.n_contacts):
        k = problem.link[c]
        mass = links[k, MASS]
        inertia = links[k, INERTIA]
        nx, ny, arm = vec3_at(problem.rows, c, NORMAL)
        prox_r = 1.0 / (1.0 / mass + arm * arm / inertia)
        distance = natural_positive(
            impulses.normal[c], nx * u[k, X] + ny * u[k, Y] + arm * u[k, TURN], prox_r
        )
        worst = max(worst, distance)
        total += distance
        tx, ty, arm = vec3_at(problem.rows, c, TANGENT)
        own = (tx * tx + ty * ty) / mass + arm * arm / inertia
        if own > 0.0:
            gamma = tx * u[k, X] + ty * u[k, Y] + arm * u[k, TURN]
            bound = prox_positive(impulses.normal[c])
            distance = natural_interval(impulses.tangent[c], gamma, 1.0 / own, bound)
            worst = max(worst, distance)
            total += distance
    if problem.n_stops > 0:
        for k in range(n - 1):
            if problem.stops[k] != 0.0:
                gamma = problem.stops[k] * (u[k + 1, TURN] - u[k, TURN])
                distance = (
                    natural_positive(impulses.stop[k], gamma, _between(problem, k))
                    / links[k, LENGTH]
                )
                worst = max(worst, distance)
                total += distance
    if problem.n_drags > 0:
        for k in range(n - 1):
            if problem.drag[k] == math.inf:
                distance = (
                    _between(problem, k) * abs(u[k + 1, TURN] - u[k, TURN]) / links[k, LENGTH]
                )
                worst = max(worst, distance)
                total += distance
    return (worst + 0.0 * total) / problem.scale


@inlined
def chain_joint_impulses(
    problem: ChainProblem, u: FloatArray, impulses: ChainImpulses, joint: FloatArray
) -> float:
    """Joint impulses P_J by force recursion from the last link, and the error of the equations of motion.

    The recursion uses the linear equations of all links except the first; the error is the residual
    of the first link's linear and all angular equations (P2 (55)); the moment transmitted by a
    fixed joint is the angular residual of the link behind it. The effect of rounding of the
    velocities is not counted: at 600 m/s and 2 microseconds per step that alone is 1e-7 m g dt.

    Parameters
    ----------
    u : (n, 3)
    joint : (n - 1, 2)
        Filled with P_J: acts on link i, and reversed on link i+1 (P2 (31), (32)), N s.

    Returns
    -------
    float
        Largest error / (m g dt) beyond rounding, angular ones divided by half the length;
        dimensionless.
    """
    n: int = u.shape[0]
    links = problem.links
    law = problem.law
    turning = 0.0  # moment exerted by a fixed joint before link k
    heaviest = 0.0
    px = 0.0  # impulse at the front joint of link k
    py = 0.0
    worst = 0.0
    total = 0.0
    fastest = 0.0
    c = problem.n_contacts - 1
    for j in range(n):
        k = n - 1 - j
        cos, sin = problem.cos[k], problem.sin[k]
        fastest = max(fastest, abs(u[k, X]), abs(u[k, Y]))
        along = law[k, FORCE_1] * impulses.friction[k, ALONG]
        across = law[k, FORCE_2] * impulses.friction[k, ACROSS]
        fx = along * cos - across * sin
        fy = along * sin + across * cos
        moment = turning
        turning = 0.0
        heaviest = max(heaviest, links[k, MASS])
        while c >= 0 and problem.link[c] == k:
            p = impulses.normal[c]
            nx, ny, arm = vec3_at(problem.rows, c, NORMAL)
            fx += p * nx
            fy += p * ny
            moment += p * arm
            if problem.n_rough > 0:
                p = impulses.tangent[c]
                tx, ty, arm = vec3_at(problem.rows, c, TANGENT)
                fx += p * tx
                fy += p * ty
                moment += p * arm
            c -= 1
        if problem.n_stops > 0:
            if k > 0:
                moment += problem.stops[k - 1] * impulses.stop[k - 1]
            if k < n - 1:
                moment -= problem.stops[k] * impulses.stop[k]
        if problem.n_drags > 0:
            if k > 0 and problem.drag[k - 1] < math.inf:
                moment -= problem.drag[k - 1] * (u[k, TURN] - u[k - 1, TURN])
            if k < n - 1 and problem.drag[k] < math.inf:
                moment += problem.drag[k] * (u[k + 1, TURN] - u[k, TURN])
        # Impulse at the rear joint, from the linear equation of link k.
        rx = fx + px - links[k, MASS] * (u[k, X] - problem.u_free[k, X])
        ry = fy + py - links[k, MASS] * (u[k, Y] - problem.u_free[k, Y])
        if k > 0:
            joint[k - 1, X] = rx
            joint[k - 1, Y] = ry
        else:
            worst = max(worst, abs(rx), abs(ry))
            total += abs(rx) + abs(ry)
            rx = 0.0
            ry = 0.0
        lever = links[k, FRONT] * (cos * py - sin * px) + links[k, REAR] * (cos * ry - sin * rx)
        left = moment + lever - links[k, INERTIA] * (u[k, TURN] - problem.u_free[k, TURN])
        if k > 0 and problem.n_drags > 0 and problem.drag[k - 1] == math.inf:
            turning = left
            left = 0.0
        violation = abs(left) / (0.5 * links[k, LENGTH])
        worst = max(worst, violation)
        total += violation
        px = rx
        py = ry
    rounding = n * EPSILON * heaviest * fastest
    defect = max(worst - rounding, 0.0) + 0.0 * total
    return defect / problem.scale
