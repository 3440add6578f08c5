"""How well a step was solved, computed from velocities and impulses alone: this code knows no solver.

A step counts as converged if both numbers are at most 1e-8.
"""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.planar_problem import ACROSS, ALONG, NORMAL, TANGENT, TURN, ChainImpulses, ChainProblem
from snakestudio.kernels.prox import natural_disc, natural_interval, natural_positive, prox_positive
from snakestudio.kernels.vec3 import X, Y, vec3_at

__all__ = ["CONVERGED", "chain_joint_impulses", "chain_law_residual"]


EPSILON = 2.220446049250313e-16

CONVERGED = 1e-8
"""A step with at most this residual counts as converged."""


@inlined
def chain_law_residual(problem: ChainProblem, u: FloatArray, impulses: ChainImpulses) -> float:
    """Worst |P - prox_C(P - gamma / G)| / (m g dt) over all contacts and laws.

    G is the largest diagonal of the law's own block on the free links: max(mu)^2 / m for friction, 1/m + arm^2 / Theta
    for an obstacle, mu^2 (1/m + arm^2 / Theta) for the friction on it, 2 / Theta for a joint stop, whose impulse is
    divided by the link's length to be one of N s.

    Parameters
    ----------
    problem : ChainProblem
    u : (n, 3)
        Velocities at the end of the step.
    impulses : ChainImpulses

    Returns
    -------
    float
        Dimensionless.
    """
    n = u.shape[0]
    mass, inertia = problem.mass, problem.inertia
    mu_1, mu_2 = problem.mu_along, problem.mu_across
    mu_max = max(mu_1, mu_2)
    worst = 0.0
    total = 0.0  # a NaN, which max() would let slip through, stays in it
    if mu_max > 0.0:
        prox_r = mass / (mu_max * mu_max)
        for k in range(n):
            cos, sin, vx, vy = problem.cos[k], problem.sin[k], u[k, X], u[k, Y]
            distance = natural_disc(
                impulses.friction[k, ALONG], impulses.friction[k, ACROSS], mu_1 * (cos * vx + sin * vy),
                mu_2 * (cos * vy - sin * vx), prox_r, problem.load[k],
            )  # fmt: skip
            worst = max(worst, distance)
            total += distance
    for c in range(problem.n_contacts):
        k = problem.link[c]
        nx, ny, arm = vec3_at(problem.rows, c, NORMAL)
        prox_r = 1.0 / (1.0 / mass + arm * arm / inertia)
        distance = natural_positive(impulses.normal[c], nx * u[k, X] + ny * u[k, Y] + arm * u[k, TURN], prox_r)
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
                distance = natural_positive(impulses.stop[k], gamma, 0.5 * inertia) / (problem.front + problem.rear)
                worst = max(worst, distance)
                total += distance
    return (worst + 0.0 * total) / problem.scale


@inlined
def chain_joint_impulses(problem: ChainProblem, u: FloatArray, impulses: ChainImpulses, joint: FloatArray) -> float:
    """Joint impulses P_J by force recursion from the last link, and by how much the equations of motion are missed.

    The recursion uses the linear equations of all links but the first; what the first link's and all the angular
    equations (P2 (55)) miss is the defect. What rounding of the velocities themselves does to it is not counted: at
    600 m/s and 2 microseconds a step that alone is 1e-7 m g dt.

    Parameters
    ----------
    problem : ChainProblem
    u : (n, 3)
    impulses : ChainImpulses
    joint : (n - 1, 2)
        Filled with P_J: on link i as it is, on link i+1 reversed (P2 (31), (32)), N s.

    Returns
    -------
    float
        Worst defect / (m g dt) beyond rounding, angular ones divided by half the length; dimensionless.
    """
    n: int = u.shape[0]
    half = 0.5 * (problem.front + problem.rear)
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
        along = problem.mu_along * impulses.friction[k, ALONG]
        across = problem.mu_across * impulses.friction[k, ACROSS]
        fx = along * cos - across * sin
        fy = along * sin + across * cos
        moment = 0.0
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
            if k > 0:
                moment -= problem.drag[k - 1] * (u[k, TURN] - u[k - 1, TURN])
            if k < n - 1:
                moment += problem.drag[k] * (u[k + 1, TURN] - u[k, TURN])
        # Impulse at the rear joint, of the linear equation of link k.
        rx = fx + px - problem.mass * (u[k, X] - problem.u_free[k, X])
        ry = fy + py - problem.mass * (u[k, Y] - problem.u_free[k, Y])
        if k > 0:
            joint[k - 1, X] = rx
            joint[k - 1, Y] = ry
        else:
            worst = max(worst, abs(rx), abs(ry))
            total += abs(rx) + abs(ry)
            rx = 0.0
            ry = 0.0
        lever = problem.front * (cos * py - sin * px) + problem.rear * (cos * ry - sin * rx)
        missed = abs(moment + lever - problem.inertia * (u[k, TURN] - problem.u_free[k, TURN])) / half
        worst = max(worst, missed)
        total += missed
        px = rx
        py = ry
    rounding = n * EPSILON * problem.mass * fastest
    defect = max(worst - rounding, 0.0) + 0.0 * total
    return defect / problem.scale
