"""Newton's method for the contacts of a planar chain, semi-smooth and in articulated-body form.

Stick and closed contacts are treated by the method of multipliers: an impulse P is updated to P - B
gamma with B so large that one or two updates suffice. All quantities are advanced by increments,
so that B does not amplify rounding errors of the velocities.
"""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.planar_chain import (
    B_X,
    B_Y,
    PUSH,
    SKEW,
    STIFF,
    XX,
    XY,
    YY,
    close_joints,
    solve_chain,
)
from snakestudio.kernels.planar_chain_skew import solve_chain_skew
from snakestudio.kernels.planar_directional import (
    evaluate_directional,
    linearise_directional,
    update_directional,
)
from snakestudio.kernels.planar_problem import (
    ACROSS,
    ALONG,
    B_1,
    B_2,
    CURVE,
    DISC,
    EPSILON,
    FORCE_1,
    FORCE_2,
    HOLD_1,
    HOLD_2,
    LENGTH,
    NORMAL,
    PROX,
    PUSH_1,
    PUSH_2,
    RATE_1,
    RATE_2,
    SOFT,
    TURN,
    ChainImpulses,
    ChainProblem,
)
from snakestudio.kernels.planar_rough import (
    evaluate_rough,
    halve_rough,
    linearise_rough,
    prepare_rough,
    save_rough,
    update_rough,
)
from snakestudio.kernels.planar_scratch import (
    BETA,
    GAMMA_1,
    GAMMA_2,
    GAMMA_N,
    GAMMA_S,
    N_1,
    N_2,
    NORM,
    OLD_GAMMA_N,
    OLD_GAMMA_S,
    OLD_N,
    OLD_S,
    R_N,
    Y_N,
    Y_S,
    ChainScratch,
    add_contact,
    assemble_inertia,
    relative_velocities,
    stop_gain,
)
from snakestudio.kernels.prox import natural_positive
from snakestudio.kernels.vec3 import dot, vec3, vec3_at, vec3_put_at

HALVINGS = 6


@inlined
def _evaluate(
    problem: ChainProblem, impulses: ChainImpulses, scratch: ChainScratch
) -> tuple[float, float]:
    """Natural maps of all laws at the current iterate: the largest, N s, and the sum of squares, N^2 s^2."""
    squares = 0.0
    worst = 0.0
    law = scratch.friction
    if problem.kind != DISC:
        worst, squares = evaluate_directional(problem, impulses, law)
    else:
        for k in range(law.shape[0]):
            radius = problem.load[k]
            prox_r = problem.law[k, PROX]
            if prox_r <= 0.0 or radius <= 0.0:
                continue
            p1, p2 = impulses.friction[k, ALONG], impulses.friction[k, ACROSS]
            d1, d2 = prox_r * law[k, GAMMA_1], prox_r * law[k, GAMMA_2]
            y1, y2 = p1 - d1, p2 - d2
            norm = math.sqrt(y1 * y1 + y2 * y2)
            law[k, NORM] = norm
            if norm > radius:
                inverse = 1.0 / norm
                n1, n2 = y1 * inverse, y2 * inverse
                law[k, N_1] = n1
                law[k, N_2] = n2
                d1, d2 = p1 - radius * n1, p2 - radius * n2
            square = d1 * d1 + d2 * d2
            squares += square
            worst = max(worst, square)
        worst = math.sqrt(worst)
    for c in range(problem.n_contacts):
        prox_r = scratch.contact[c, R_N]
        scratch.contact[c, Y_N] = impulses.normal[c] - prox_r * scratch.contact[c, GAMMA_N]
        distance = natural_positive(impulses.normal[c], scratch.contact[c, GAMMA_N], prox_r)
        squares += distance * distance
        worst = max(worst, distance)
    if problem.n_rough > 0:
        distance, square = evaluate_rough(problem, impulses, scratch)
        squares += square
        worst = max(worst, distance)
    if problem.n_stops > 0:
        for k in range(law.shape[0] - 1):
            if problem.stops[k] != 0.0:
                prox_r = stop_gain(problem, k)
                scratch.stop[k, Y_S] = impulses.stop[k] - prox_r * scratch.stop[k, GAMMA_S]
                distance = (
                    natural_positive(impulses.stop[k], scratch.stop[k, GAMMA_S], prox_r)
                    / (problem.links[k, LENGTH])
                )
                squares += distance * distance
                worst = max(worst, distance)
    return worst, squares


@inlined
def _save(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, scratch: ChainScratch
) -> None:
    """Save the iterate, to step back half-way if the next one is worse."""
    for k in range(u.shape[0]):
        for i in range(3):
            scratch.old_link[k, i] = u[k, i]
        for i in range(2):
            scratch.old_link[k, 3 + i] = impulses.friction[k, i]
            scratch.old_link[k, 5 + i] = scratch.friction[k, i]
    for c in range(problem.n_contacts):
        scratch.old_contact[c, OLD_GAMMA_N] = scratch.contact[c, GAMMA_N]
        scratch.old_contact[c, OLD_N] = impulses.normal[c]
    if problem.n_rough > 0:
        save_rough(problem, impulses, scratch)
    if problem.n_stops > 0:
        for k in range(u.shape[0] - 1):
            scratch.old_stop[k, OLD_GAMMA_S] = scratch.stop[k, GAMMA_S]
            scratch.old_stop[k, OLD_S] = impulses.stop[k]


@jit
def _halve(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, scratch: ChainScratch
) -> None:
    """Step half the way back to the saved iterate; the joints stay closed because they are linear."""
    for k in range(u.shape[0]):
        for i in range(3):
            u[k, i] = 0.5 * (u[k, i] + scratch.old_link[k, i])
        for i in range(2):
            impulses.friction[k, i] = 0.5 * (impulses.friction[k, i] + scratch.old_link[k, 3 + i])
            scratch.friction[k, i] = 0.5 * (scratch.friction[k, i] + scratch.old_link[k, 5 + i])
    for c in range(problem.n_contacts):
        scratch.contact[c, GAMMA_N] = 0.5 * (
            scratch.contact[c, GAMMA_N] + scratch.old_contact[c, OLD_GAMMA_N]
        )
        impulses.normal[c] = 0.5 * (impulses.normal[c] + scratch.old_contact[c, OLD_N])
    if problem.n_rough > 0:
        halve_rough(problem, impulses, scratch)
    if problem.n_stops > 0:
        for k in range(u.shape[0] - 1):
            scratch.stop[k, GAMMA_S] = 0.5 * (
                scratch.stop[k, GAMMA_S] + scratch.old_stop[k, OLD_GAMMA_S]
            )
            impulses.stop[k] = 0.5 * (impulses.stop[k] + scratch.old_stop[k, OLD_S])


@inlined
def _linearise(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, scratch: ChainScratch
) -> None:
    """Local quadratics of all links and joints: inertia, and the force laws linearised at the current iterate."""
    n = u.shape[0]
    local = scratch.local
    law = scratch.friction
    ground = problem.law
    for k in range(n):
        assemble_inertia(problem, u, local, k)
        if problem.kind == DISC and ground[k, PROX] > 0.0 and problem.load[k] > 0.0:
            mu_1, mu_2 = ground[k, FORCE_1], ground[k, FORCE_2]
            cos = problem.cos[k]
            sin = problem.sin[k]
            radius = problem.load[k]
            p1, p2 = impulses.friction[k, ALONG], impulses.friction[k, ACROSS]
            norm = law[k, NORM]
            if norm <= radius:  # stick: P becomes P - B gamma
                f1 = mu_1 * p1 - ground[k, PUSH_1] * law[k, GAMMA_1]
                f2 = mu_2 * p2 - ground[k, PUSH_2] * law[k, GAMMA_2]
                stiff_1, stiff_2 = ground[k, HOLD_1], ground[k, HOLD_2]
                local[k, XX] += stiff_1 * cos * cos + stiff_2 * sin * sin
                local[k, XY] += (stiff_1 - stiff_2) * cos * sin
                local[k, YY] += stiff_1 * sin * sin + stiff_2 * cos * cos
            else:  # slip: P becomes load n + tau beta (...), tau the tangent of the disc at n
                n1, n2 = law[k, N_1], law[k, N_2]
                curvature = ground[k, CURVE] / radius  # 1 / (r load)
                soft = ground[k, SOFT]
                beta = 1.0 / ((norm - radius) * curvature + soft)
                law[k, BETA] = beta
                pull = beta * (
                    (n1 * p2 - n2 * p1) * soft - (n1 * law[k, GAMMA_2] - n2 * law[k, GAMMA_1])
                )
                w1 = -mu_1 * n2
                w2 = mu_2 * n1
                f1 = mu_1 * n1 * radius + w1 * pull
                f2 = mu_2 * n2 * radius + w2 * pull
                wx = w1 * cos - w2 * sin
                wy = w1 * sin + w2 * cos
                local[k, XX] += beta * wx * wx
                local[k, XY] += beta * wx * wy
                local[k, YY] += beta * wy * wy
            local[k, B_X] += f1 * cos - f2 * sin
            local[k, B_Y] += f1 * sin + f2 * cos
    for c in range(problem.n_contacts):
        if scratch.contact[c, Y_N] > 0.0:
            stiffness = scratch.contact[c, R_N] / EPSILON
            impulse = impulses.normal[c] - stiffness * scratch.contact[c, GAMMA_N]
            add_contact(local, problem.link[c], problem.rows, c, NORMAL, stiffness, impulse)
    if problem.n_stops + problem.n_drags > 0:
        for k in range(n - 1):
            drag = problem.drag[k]
            scratch.stop[k, STIFF] = drag
            scratch.stop[k, PUSH] = (
                -drag * (u[k + 1, TURN] - u[k, TURN]) if drag < math.inf else 0.0
            )
            if problem.stops[k] != 0.0 and scratch.stop[k, Y_S] > 0.0:
                stiffness = stop_gain(problem, k) / EPSILON
                scratch.stop[k, STIFF] += stiffness
                scratch.stop[k, PUSH] += problem.stops[k] * (
                    impulses.stop[k] - stiffness * scratch.stop[k, GAMMA_S]
                )


@inlined
def _linearise_skew(problem: ChainProblem, impulses: ChainImpulses, scratch: ChainScratch) -> bool:
    """Add the terms that can make local matrices unsymmetric; return whether any was added."""
    if problem.n_rough == 0 and problem.kind == DISC:
        return False
    local = scratch.local
    for k in range(local.shape[0]):
        vec3_put_at(local, k, SKEW, (0.0, 0.0, 0.0))
    skew = problem.kind != DISC and linearise_directional(
        problem, impulses, scratch.friction, local
    )
    if problem.n_rough > 0 and linearise_rough(problem, impulses, scratch):
        skew = True
    return skew


@inlined
def _update(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, scratch: ChainScratch
) -> None:
    """Apply the full Newton step: velocities, relative velocities by their increments, impulses."""
    n = u.shape[0]
    law = scratch.friction
    du = scratch.du
    ground = problem.law
    for k in range(n):
        dx, dy = du[k, X], du[k, Y]
        u[k, X] += dx
        u[k, Y] += dy
        u[k, TURN] += du[k, TURN]
        if problem.kind == DISC and ground[k, PROX] > 0.0 and problem.load[k] > 0.0:
            cos = problem.cos[k]
            sin = problem.sin[k]
            radius = problem.load[k]
            p1, p2 = impulses.friction[k, ALONG], impulses.friction[k, ACROSS]
            g1 = law[k, GAMMA_1] + ground[k, RATE_1] * (cos * dx + sin * dy)
            g2 = law[k, GAMMA_2] + ground[k, RATE_2] * (cos * dy - sin * dx)
            law[k, GAMMA_1] = g1
            law[k, GAMMA_2] = g2
            if law[k, NORM] <= radius:
                p1 -= ground[k, B_1] * g1
                p2 -= ground[k, B_2] * g2
            else:
                n1, n2 = law[k, N_1], law[k, N_2]
                pull = law[k, BETA] * ((n1 * p2 - n2 * p1) * ground[k, SOFT] - (n1 * g2 - n2 * g1))
                p1 = n1 * radius - n2 * pull
                p2 = n2 * radius + n1 * pull
            impulses.friction[k, ALONG] = p1
            impulses.friction[k, ACROSS] = p2
    if problem.kind != DISC:
        update_directional(problem, impulses, law, du)
    for c in range(problem.n_contacts):
        k = problem.link[c]
        rows = problem.rows
        scratch.contact[c, GAMMA_N] += dot(vec3_at(rows, c, NORMAL), vec3(du, k))
        if scratch.contact[c, Y_N] > 0.0:
            impulses.normal[c] -= scratch.contact[c, R_N] / EPSILON * scratch.contact[c, GAMMA_N]
        else:
            impulses.normal[c] = 0.0
    if problem.n_rough > 0:
        update_rough(problem, impulses, scratch)
    if problem.n_stops > 0:
        for k in range(n - 1):
            scratch.stop[k, GAMMA_S] += problem.stops[k] * (du[k + 1, TURN] - du[k, TURN])
            if problem.stops[k] != 0.0 and scratch.stop[k, Y_S] > 0.0:
                impulses.stop[k] -= stop_gain(problem, k) / EPSILON * scratch.stop[k, GAMMA_S]
            else:
                impulses.stop[k] = 0.0


@inlined
def newton(
    problem: ChainProblem,
    impulses: ChainImpulses,
    u: FloatArray,
    scratch: ChainScratch,
    goal: float,
    most: int,
) -> tuple[int, bool]:
    """Do 1 to `most` Newton iterations; return their number, and whether all residuals are at most `goal`."""
    close_joints(problem, u)
    relative_velocities(problem, u, scratch.friction, scratch.contact, scratch.stop)
    if problem.n_rough > 0:
        prepare_rough(problem, u, scratch)
    worst, squares = _evaluate(problem, impulses, scratch)
    solved = False
    iteration = 0
    while iteration < most and not solved:
        iteration += 1
        _save(problem, impulses, u, scratch)
        _linearise(problem, impulses, u, scratch)
        if _linearise_skew(problem, impulses, scratch):
            solve_chain_skew(problem, scratch.local, scratch.stop, scratch.eliminated, scratch.du)
        else:
            solve_chain(problem, scratch.local, scratch.stop, scratch.eliminated, scratch.du)
        _update(problem, impulses, u, scratch)
        before = squares
        worst, squares = _evaluate(problem, impulses, scratch)
        # Only a full step satisfies the equations of motion, so a result after halving is not
        # accepted.
        solved = worst <= goal
        if not solved and iteration > 1:
            halvings = 0
            while squares > before and halvings < HALVINGS:
                halvings += 1
                _halve(problem, impulses, u, scratch)
                worst, squares = _evaluate(problem, impulses, scratch)
    return iteration, solved
