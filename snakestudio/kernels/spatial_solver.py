"""Contact solver of a chain in space: Newton's iteration, and where it fails, the same undamped with other gains.

All but some thousandths of the steps of a run are solved by the first. What neither solves is for `contact_rescue`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.spatial_chain import prepare_inertia
from snakestudio.kernels.spatial_newton import begin, choose_all, copy_rows, newton
from snakestudio.kernels.spatial_problem import SpatialImpulses, SpatialProblem
from snakestudio.kernels.spatial_scratch import SpatialScratch

__all__ = ["solve_spatial"]

FloatArray = NDArray[np.float64]

NEWTON_ITERATIONS = 12
"""After that many iterations other factors of the gains are tried."""

HALVINGS, NO_HALVINGS = 6, 0
"""How often a step that makes the natural maps worse is halved (used as `int(...)`: a literal is compiled apart)."""

FACTORS = ((10.0, 10.0, 10.0), (1.0, 0.1, 1.0), (1.0, 10.0, 1.0))
"""Factors of the gains of normal force, friction and rolling friction that are tried one after the other. No step is
halved here: three quarters of the problems the damped iteration cannot solve are solved then, half of them else."""


@jit
def _vary(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, goal: float, most: int
) -> tuple[int, bool]:
    """Go on from where the iteration stands with other factors of the gains, one set after the other."""
    done = 0
    for r_n, r_t, r_v in FACTORS:
        choose_all(problem, impulses, scratch.gamma, scratch, r_n, r_t, r_v)
        more, solved = newton(
            problem, impulses, w, scratch, goal, min(most - done, NEWTON_ITERATIONS), r_n, r_t, r_v, int(NO_HALVINGS)
        )
        done += more
        if solved or done >= most:
            return done, solved
    return done, False


@inlined
def solve_spatial(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, tolerance: float,
    most: int,
) -> int:  # fmt: skip
    """Solve the step's contact problem (replaces the iteration P1 (84)-(93); the laws solved are (77)-(82)).

    Parameters
    ----------
    problem : SpatialProblem
    impulses : SpatialImpulses
        Guess on entry, result on return.
    w : (n, 6)
        Guess of the velocities on entry, result on return.
    scratch : SpatialScratch
    tolerance : float
        Stop when the natural map of every law is below this, in units of `problem.scale`.
    most : int
        Newton iterations at most.

    Returns
    -------
    int
        Iterations taken; how good the result is, the residual says.
    """
    goal = tolerance * problem.scale
    prepare_inertia(problem, scratch.inertia)
    begin(problem, w, scratch)
    copy_rows(impulses.contact, int(problem.first[w.shape[0]]), scratch.guess.contact)
    copy_rows(impulses.stop, w.shape[0] - 1, scratch.guess.stop)
    choose_all(problem, impulses, scratch.gamma, scratch, 1.0, 1.0, 1.0)
    iterations, solved = newton(
        problem, impulses, w, scratch, goal, min(most, NEWTON_ITERATIONS), 1.0, 1.0, 1.0, int(HALVINGS)
    )
    if not solved and most > iterations:
        more, _ = _vary(problem, impulses, w, scratch, goal, most - iterations)
        iterations += more
    return iterations
