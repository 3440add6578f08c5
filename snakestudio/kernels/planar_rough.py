"""What friction on obstacles adds to the contact solver; called only in steps in which a rough obstacle is touched.

Coulomb's law along the tangent of an obstacle, -gamma_T in N_C(P_T) with C = [-P_N, P_N] in scaled coordinates, is
solved together with all other laws: the linearised slip P_T = -+ P_N couples it to the normal impulse.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import jit
from snakestudio.kernels.planar_problem import ChainImpulses, ChainProblem
from snakestudio.kernels.planar_scratch import EPSILON, ChainScratch, add_contact, sliding_velocities
from snakestudio.kernels.prox import natural_interval, prox_positive

__all__ = [
    "evaluate_rough",
    "halve_rough",
    "linearise_rough",
    "prepare_rough",
    "save_rough",
    "update_rough",
]

FloatArray = NDArray[np.float64]


@jit
def prepare_rough(problem: ChainProblem, u: FloatArray, scratch: ChainScratch) -> None:
    """Relative velocities and r = 1 / G of the friction of all obstacle contacts; r = 0 for those without."""
    sliding_velocities(problem, u, scratch.contact, 3)
    for c in range(problem.n_contacts):
        tx, ty, arm = problem.rows[c, 3], problem.rows[c, 4], problem.rows[c, 5]
        own = (tx * tx + ty * ty) / problem.mass + arm * arm / problem.inertia
        scratch.contact[c, 5] = 1.0 / own if own > 0.0 else 0.0


@jit
def evaluate_rough(problem: ChainProblem, impulses: ChainImpulses, scratch: ChainScratch) -> tuple[float, float]:
    """Natural maps of the friction on obstacles: the worst and the sum of squares, N s and its square."""
    worst = 0.0
    squares = 0.0
    for c in range(problem.n_contacts):
        prox_r = scratch.contact[c, 5]
        if prox_r > 0.0:
            gamma = scratch.contact[c, 3]
            scratch.contact[c, 4] = impulses.tangent[c] - prox_r * gamma
            bound = prox_positive(impulses.normal[c])
            distance = natural_interval(impulses.tangent[c], gamma, prox_r, bound)
            squares += distance * distance
            worst = max(worst, distance)
    return worst, squares


@jit
def save_rough(problem: ChainProblem, impulses: ChainImpulses, scratch: ChainScratch) -> None:
    """Keep the iterate, to go back half-way if the next one is worse."""
    for c in range(problem.n_contacts):
        scratch.old_contact[c, 2] = scratch.contact[c, 3]
        scratch.old_contact[c, 3] = impulses.tangent[c]


@jit
def halve_rough(problem: ChainProblem, impulses: ChainImpulses, scratch: ChainScratch) -> None:
    """Go half the way back to the saved iterate."""
    for c in range(problem.n_contacts):
        scratch.contact[c, 3] = 0.5 * (scratch.contact[c, 3] + scratch.old_contact[c, 2])
        impulses.tangent[c] = 0.5 * (impulses.tangent[c] + scratch.old_contact[c, 3])


@jit
def linearise_rough(problem: ChainProblem, impulses: ChainImpulses, scratch: ChainScratch) -> bool:
    """Add the friction of closed contacts to the local matrices, in which their normal parts already are.

    Returns
    -------
    bool
        Whether a contact slips, so that some matrix is not symmetric.
    """
    local, rows = scratch.local, problem.rows
    for k in range(local.shape[0]):
        local[k, 9] = 0.0
        local[k, 10] = 0.0
        local[k, 11] = 0.0
    slips = False
    for c in range(problem.n_contacts):
        threshold = scratch.contact[c, 1]
        prox_r, y = scratch.contact[c, 5], scratch.contact[c, 4]
        if prox_r <= 0.0 or threshold <= 0.0:
            continue
        k = problem.link[c]
        if abs(y) <= threshold:  # stick: P_T becomes P_T - B gamma_T
            stiffness = prox_r / EPSILON
            add_contact(local, k, rows, c, 3, stiffness, impulses.tangent[c] - stiffness * scratch.contact[c, 3])
            continue
        # Slip: P_T becomes s P_N; the row of the matrix is that of the normal law, times s t.
        slips = True
        stiffness = scratch.contact[c, 2] / EPSILON
        impulse = impulses.normal[c] - stiffness * scratch.contact[c, 0]
        sign = 1.0 if y > 0.0 else -1.0
        tx, ty, ta = sign * rows[c, 3], sign * rows[c, 4], sign * rows[c, 5]
        nx, ny, na = stiffness * rows[c, 0], stiffness * rows[c, 1], stiffness * rows[c, 2]
        local[k, 0] += tx * nx
        local[k, 1] += 0.5 * (tx * ny + ty * nx)
        local[k, 2] += ty * ny
        local[k, 3] += 0.5 * (tx * na + ta * nx)
        local[k, 4] += 0.5 * (ty * na + ta * ny)
        local[k, 5] += ta * na
        local[k, 6] += impulse * tx
        local[k, 7] += impulse * ty
        local[k, 8] += impulse * ta
        local[k, 9] += 0.5 * (tx * ny - ty * nx)
        local[k, 10] += 0.5 * (tx * na - ta * nx)
        local[k, 11] += 0.5 * (ty * na - ta * ny)
    return slips


@jit
def update_rough(problem: ChainProblem, impulses: ChainImpulses, scratch: ChainScratch) -> None:
    """Take the full Newton step; the normal impulses are already those after it."""
    rows, du = problem.rows, scratch.du
    for c in range(problem.n_contacts):
        prox_r = scratch.contact[c, 5]
        if prox_r <= 0.0:
            continue
        k = problem.link[c]
        gamma = scratch.contact[c, 3] + rows[c, 3] * du[k, 0] + rows[c, 4] * du[k, 1] + rows[c, 5] * du[k, 2]
        threshold, y = scratch.contact[c, 1], scratch.contact[c, 4]
        scratch.contact[c, 3] = gamma
        if threshold <= 0.0:
            impulses.tangent[c] = 0.0
        elif abs(y) <= threshold:
            impulses.tangent[c] -= prox_r / EPSILON * gamma
        else:
            impulses.tangent[c] = impulses.normal[c] if y > 0.0 else -impulses.normal[c]
