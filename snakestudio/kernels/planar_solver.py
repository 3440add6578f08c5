"""Contact solver of a planar chain: Newton's method. What it leaves unsolved is for `planar_rescue`."""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.planar_newton import newton
from snakestudio.kernels.planar_problem import NORMAL, OVER_INERTIA, OVER_MASS, ChainImpulses, ChainProblem
from snakestudio.kernels.planar_scratch import R_N, ChainScratch
from snakestudio.kernels.vec3 import vec3_at

__all__ = ["polish_contacts", "solve_contacts"]


NEWTON_ITERATIONS = 20
"""After that many iterations it has gone astray."""

POLISHING = 5
"""Newton iterations to remove what rounding left."""


@jit
def polish_contacts(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, scratch: ChainScratch, tolerance: float, most: int
) -> int:
    """Go on from a result of `solve_contacts` that left too much, if only rounding; parameters and result as there."""
    iterations, _ = newton(problem, impulses, u, scratch, tolerance * problem.scale, min(most, POLISHING))
    return iterations


@inlined
def solve_contacts(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, scratch: ChainScratch, tolerance: float, most: int
) -> int:
    """Solve the step's contact problem (replaces the fixed-point iteration of P2 (64)-(70); the solution is the same).

    Parameters
    ----------
    problem : ChainProblem
    impulses : ChainImpulses
        Guess on entry, result on return.
    u : (n, 3)
        Guess of the velocities on entry, result on return.
    scratch : ChainScratch
    tolerance : float
        Stop when the natural map of every law is below this, in units of `problem.scale`.
    most : int
        Newton iterations at most.

    Returns
    -------
    int
        Iterations taken; how good the result is, the residual says.
    """
    for c in range(problem.n_contacts):
        k = problem.link[c]
        _, _, arm = vec3_at(problem.rows, c, NORMAL)
        scratch.contact[c, R_N] = 1.0 / (problem.links[k, OVER_MASS] + arm * arm * problem.links[k, OVER_INERTIA])
    iterations, _ = newton(problem, impulses, u, scratch, tolerance * problem.scale, min(most, NEWTON_ITERATIONS))
    return iterations
