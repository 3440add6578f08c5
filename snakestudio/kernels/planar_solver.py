"""Contact solver of a planar chain by Newton's method. Problems it leaves unsolved are passed to `planar_rescue`."""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.planar_newton import newton
from snakestudio.kernels.planar_problem import (
    ACROSS,
    ALONG,
    B_2,
    EPSILON,
    HOLD_1,
    LAW_WIDTH,
    NORMAL,
    OVER_INERTIA,
    OVER_MASS,
    SOFT,
    ChainImpulses,
    ChainProblem,
)
from snakestudio.kernels.planar_scratch import R_N, ChainScratch
from snakestudio.kernels.vec3 import vec3_at

NEWTON_ITERATIONS = 20
"""Limit of iterations, after which Newton's method is regarded as divergent."""

POLISHING = 5
"""Newton iterations to remove the remaining rounding errors."""

SOFTEST = 0.3
ATTEMPTS = 3
"""Initial r / B of softened friction on the ground, and the number of attempts,
each with smaller steps and a different start."""


@jit
def polish_contacts(
    problem: ChainProblem,
    impulses: ChainImpulses,
    u: FloatArray,
    scratch: ChainScratch,
    tolerance: float,
    most: int,
) -> int:
    """Continue from a result of `solve_contacts` with too large a residual; parameters and result as there."""
    iterations, _ = newton(
        problem, impulses, u, scratch, tolerance * problem.scale, min(most, POLISHING)
    )
    return iterations


@jit
def soften_contacts(
    problem: ChainProblem,
    impulses: ChainImpulses,
    u: FloatArray,
    scratch: ChainScratch,
    tolerance: float,
    most: int,
    attempt: int,
) -> int:
    """Solve a problem on which Newton's iteration cycles, by friction that becomes stiffer step by step.

    With a small B, sticking contacts yield, and few links change between stick and slip from one
    iteration to the next; P - B gamma still leads to the same solution, only in more steps.
    Therefore a few iterations are made with each of a sequence of B, each starting from the
    previous result.

    Parameters
    ----------
    problem, impulses, u, scratch, tolerance, most
        As for `solve_contacts`; the guess is the current state.
    attempt : int
        From 0 to ATTEMPTS - 1.

    Returns
    -------
    int
        Number of iterations.
    """
    soft = ChainProblem(
        problem.links,
        scratch.law,
        problem.kind,
        problem.load,
        problem.scale,
        problem.cos,
        problem.sin,
        problem.u_free,
        problem.n_contacts,
        problem.link,
        problem.rows,
        problem.n_rough,
        problem.stops,
        problem.n_stops,
        problem.drag,
        problem.n_drags,
    )
    if attempt > 0:
        for k in range(u.shape[0]):
            impulses.friction[k, ALONG] = 0.0
            impulses.friction[k, ACROSS] = 0.0
            for i in range(3):
                u[k, i] = problem.u_free[k, i]
        for c in range(problem.n_contacts):
            impulses.normal[c] = impulses.tangent[c] = 0.0
    step = 0.1 ** (1.0 / (1 << attempt))
    softness = SOFTEST * 10.0**attempt
    iterations = 0
    while softness > EPSILON and iterations < most:
        stiffer = EPSILON / softness
        for k in range(u.shape[0]):
            for i in range(LAW_WIDTH):
                scratch.law[k, i] = problem.law[k, i] * (stiffer if HOLD_1 <= i <= B_2 else 1.0)
            scratch.law[k, SOFT] /= stiffer
        iterations += polish_contacts(soft, impulses, u, scratch, tolerance, most - iterations)
        softness *= step
    for _ in range(4):
        if iterations < most:
            iterations += polish_contacts(
                problem, impulses, u, scratch, tolerance, most - iterations
            )
    return iterations


@inlined
def solve_contacts(
    problem: ChainProblem,
    impulses: ChainImpulses,
    u: FloatArray,
    scratch: ChainScratch,
    tolerance: float,
    most: int,
) -> int:
    """Solve the step's contact problem (replaces the fixed-point iteration of P2 (64)-(70); the solution is the same).

    Parameters
    ----------
    impulses : ChainImpulses
        Guess on entry, result on return.
    u : (n, 3)
        Guess of the velocities on entry, result on return.
    tolerance : float
        Stop when the natural map of every law is below this, in units of `problem.scale`.
    most : int
        Largest number of Newton iterations.

    Returns
    -------
    int
        Number of iterations; the quality of the result is given by the residual.
    """
    for c in range(problem.n_contacts):
        k = problem.link[c]
        _, _, arm = vec3_at(problem.rows, c, NORMAL)
        scratch.contact[c, R_N] = 1.0 / (
            problem.links[k, OVER_MASS] + arm * arm * problem.links[k, OVER_INERTIA]
        )
    iterations, _ = newton(
        problem, impulses, u, scratch, tolerance * problem.scale, min(most, NEWTON_ITERATIONS)
    )
    return iterations
