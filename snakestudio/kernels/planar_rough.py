"""Friction on obstacles in the contact solver; called only in steps with a contact on a rough obstacle.

Coulomb's law along the tangent of an obstacle, -gamma_T in N_C(P_T) with C = [-P_N, P_N] in scaled
coordinates, is solved together with all other laws: the linearised slip P_T = -+ P_N couples it to
the normal impulse.
"""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import jit
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.planar_chain import A_VV, A_VW, SKEW, B
from snakestudio.kernels.planar_problem import (
    EPSILON,
    NORMAL,
    TANGENT,
    TURN,
    ChainImpulses,
    ChainProblem,
)
from snakestudio.kernels.planar_scratch import (
    GAMMA_N,
    GAMMA_T,
    OLD_GAMMA_T,
    OLD_T,
    R_N,
    R_T,
    Y_N,
    Y_T,
    ChainScratch,
    add_contact,
    contact_response,
    sliding_velocities,
)
from snakestudio.kernels.prox import natural_interval, prox_positive
from snakestudio.kernels.vec3 import times, vec3_add_at, vec3_at


@jit
def prepare_rough(problem: ChainProblem, u: FloatArray, scratch: ChainScratch) -> None:
    """Set relative velocities and r = 1 / G of the friction of all obstacle contacts; r = 0 without friction."""
    sliding_velocities(problem, u, scratch.contact, GAMMA_T)
    for c in range(problem.n_contacts):
        tx, ty, arm = vec3_at(problem.rows, c, TANGENT)
        own = contact_response(problem, problem.link[c], tx, ty, arm)
        scratch.contact[c, R_T] = 1.0 / own if own > 0.0 else 0.0


@jit
def evaluate_rough(
    problem: ChainProblem, impulses: ChainImpulses, scratch: ChainScratch
) -> tuple[float, float]:
    """Natural maps of the friction on obstacles: the largest, N s, and the sum of squares, N^2 s^2."""
    worst = 0.0
    squares = 0.0
    for c in range(problem.n_contacts):
        prox_r = scratch.contact[c, R_T]
        if prox_r > 0.0:
            gamma = scratch.contact[c, GAMMA_T]
            scratch.contact[c, Y_T] = impulses.tangent[c] - prox_r * gamma
            bound = prox_positive(impulses.normal[c])
            distance = natural_interval(impulses.tangent[c], gamma, prox_r, bound)
            squares += distance * distance
            worst = max(worst, distance)
    return worst, squares


@jit
def save_rough(problem: ChainProblem, impulses: ChainImpulses, scratch: ChainScratch) -> None:
    """Save the iterate, to step back half-way if the next one is worse."""
    for c in range(problem.n_contacts):
        scratch.old_contact[c, OLD_GAMMA_T] = scratch.contact[c, GAMMA_T]
        scratch.old_contact[c, OLD_T] = impulses.tangent[c]


@jit
def halve_rough(problem: ChainProblem, impulses: ChainImpulses, scratch: ChainScratch) -> None:
    """Step half the way back to the saved iterate."""
    for c in range(problem.n_contacts):
        scratch.contact[c, GAMMA_T] = 0.5 * (
            scratch.contact[c, GAMMA_T] + scratch.old_contact[c, OLD_GAMMA_T]
        )
        impulses.tangent[c] = 0.5 * (impulses.tangent[c] + scratch.old_contact[c, OLD_T])


@jit
def linearise_rough(problem: ChainProblem, impulses: ChainImpulses, scratch: ChainScratch) -> bool:
    """Add the friction of closed contacts to the local matrices, which already contain their normal parts.

    The skew parts must be initialized.

    Returns
    -------
    bool
        Whether a contact slips, so that some matrix is not symmetric.
    """
    local = scratch.local
    rows = problem.rows
    slips = False
    for c in range(problem.n_contacts):
        threshold = scratch.contact[c, Y_N]
        prox_r = scratch.contact[c, R_T]
        y = scratch.contact[c, Y_T]
        if prox_r <= 0.0 or threshold <= 0.0:
            continue
        k = problem.link[c]
        if abs(y) <= threshold:  # stick: P_T becomes P_T - B gamma_T
            stiffness = prox_r / EPSILON
            add_contact(
                local,
                k,
                rows,
                c,
                TANGENT,
                stiffness,
                impulses.tangent[c] - stiffness * scratch.contact[c, GAMMA_T],
            )
            continue
        # Slip: P_T becomes s P_N; the term of the matrix is that of the normal law with its row
        # replaced by s t.
        slips = True
        stiffness = scratch.contact[c, R_N] / EPSILON
        impulse = impulses.normal[c] - stiffness * scratch.contact[c, GAMMA_N]
        sign = 1.0 if y > 0.0 else -1.0
        tx, ty, ta = times(sign, vec3_at(rows, c, TANGENT))
        nx, ny, na = times(stiffness, vec3_at(rows, c, NORMAL))
        vec3_add_at(local, k, A_VV, (tx * nx, 0.5 * (tx * ny + ty * nx), ty * ny))
        vec3_add_at(local, k, A_VW, (0.5 * (tx * na + ta * nx), 0.5 * (ty * na + ta * ny), ta * na))
        vec3_add_at(local, k, B, times(impulse, (tx, ty, ta)))
        skew = 0.5 * (tx * ny - ty * nx), 0.5 * (tx * na - ta * nx), 0.5 * (ty * na - ta * ny)
        vec3_add_at(local, k, SKEW, skew)
    return slips


@jit
def update_rough(problem: ChainProblem, impulses: ChainImpulses, scratch: ChainScratch) -> None:
    """Apply the full Newton step; the normal impulses are already updated."""
    rows = problem.rows
    du = scratch.du
    for c in range(problem.n_contacts):
        prox_r = scratch.contact[c, R_T]
        if prox_r <= 0.0:
            continue
        k = problem.link[c]
        tx, ty, ta = vec3_at(rows, c, TANGENT)
        gamma = scratch.contact[c, GAMMA_T] + tx * du[k, X] + ty * du[k, Y] + ta * du[k, TURN]
        threshold = scratch.contact[c, Y_N]
        y = scratch.contact[c, Y_T]
        scratch.contact[c, GAMMA_T] = gamma
        if threshold <= 0.0:
            impulses.tangent[c] = 0.0
        elif abs(y) <= threshold:
            impulses.tangent[c] -= prox_r / EPSILON * gamma
        else:
            impulses.tangent[c] = impulses.normal[c] if y > 0.0 else -impulses.normal[c]
