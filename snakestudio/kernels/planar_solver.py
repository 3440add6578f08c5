"""Contact solver of a planar chain: Newton's method, with fallbacks that end where it does not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.planar_augmented import solve_augmented
from snakestudio.kernels.planar_newton import newton
from snakestudio.kernels.planar_problem import ChainImpulses, ChainProblem
from snakestudio.kernels.planar_rough import begin_bounds, better_bounds
from snakestudio.kernels.planar_scratch import ChainScratch

__all__ = ["polish_contacts", "rescue_contacts", "solve_contacts"]

FloatArray = NDArray[np.float64]

NEWTON_ITERATIONS = 20
"""After that many iterations the fallback takes over."""

POLISHING = 5
"""Newton iterations to remove what rounding left."""

RETRYING = 8
"""Newton iterations from the solution of a convex problem with bounded friction."""

ATTEMPTS = 60
"""How often friction on obstacles is bounded anew."""

PATIENCE = 10
"""How many times the iterations that a step may take these attempts may take: a robot jammed among rough obstacles
needs them once in some thousand steps, and otherwise its run would end there."""


@jit
def _newton_again(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, scratch: ChainScratch, goal: float, most: int
) -> tuple[int, bool]:
    """As `newton`, compiled once for all that goes on from a result."""
    return newton(problem, impulses, u, scratch, goal, most)


@jit
def rescue_contacts(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, scratch: ChainScratch, goal: float, most: int
) -> int:
    """Go on where Newton's method has not come to an end; returns the iterations taken.

    With friction on obstacles nothing is minimised. But with that friction bounded by given numbers there is a convex
    problem, whose normal impulses are the better bounds (a solution of all laws exists by Brouwer's theorem), and from
    one that is near enough Newton's method ends.
    """
    if problem.n_rough == 0:
        return solve_augmented(problem, impulses, u, scratch, goal, most)
    done = 0
    most *= PATIENCE
    for attempt in range(ATTEMPTS):
        begin_bounds(problem, impulses, scratch, attempt)
        done += solve_augmented(problem, impulses, u, scratch, goal, most - done)
        if done >= most:
            break
        better_bounds(problem, impulses, scratch, attempt)
        iterations, solved = _newton_again(problem, impulses, u, scratch, goal, min(most - done, RETRYING))
        done += iterations
        if solved or done >= most:
            break
    return done


@jit
def polish_contacts(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, scratch: ChainScratch, tolerance: float, most: int
) -> int:
    """Go on from a result of `solve_contacts` that left too much, if only rounding; parameters and result as there."""
    goal = tolerance * problem.scale
    iterations, solved = _newton_again(problem, impulses, u, scratch, goal, min(most, POLISHING))
    if not solved and most > iterations:
        iterations += rescue_contacts(problem, impulses, u, scratch, goal, most - iterations)
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
        Newton iterations at most; with friction on obstacles `rescue_contacts` may take more.

    Returns
    -------
    int
        Iterations taken; how good the result is, the residual says.
    """
    goal = tolerance * problem.scale
    for c in range(problem.n_contacts):
        arm = problem.rows[c, 2]
        scratch.contact[c, 2] = 1.0 / (1.0 / problem.mass + arm * arm / problem.inertia)
    iterations, solved = newton(problem, impulses, u, scratch, goal, min(most, NEWTON_ITERATIONS))
    if not solved and most > iterations:
        iterations += rescue_contacts(problem, impulses, u, scratch, goal, most - iterations)
    return iterations
