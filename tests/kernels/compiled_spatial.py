"""Entry points into the kernels of the chain in space, which are otherwise inlined into a time step."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import jit
from snakestudio.kernels.contact_rescue import rescue
from snakestudio.kernels.residual import CONVERGED
from snakestudio.kernels.spatial_problem import SpatialImpulses, SpatialProblem
from snakestudio.kernels.spatial_residual import spatial_residual
from snakestudio.kernels.spatial_scratch import SpatialScratch, make_spatial_scratch
from snakestudio.kernels.spatial_solver import solve_spatial


@jit
def _solve(
    problem: SpatialProblem,
    impulses: SpatialImpulses,
    w: FloatArray,
    scratch: SpatialScratch,
    tolerance: float,
    most: int,
) -> int:
    return solve_spatial(problem, impulses, w, scratch, tolerance, most)


def solve(problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, most: int) -> int:
    """Solve in place as a step does; return the number of iterations."""
    scratch = make_spatial_scratch(len(w), len(problem.axes), max(len(impulses.contact), 1))
    iterations: int = _solve(problem, impulses, w, scratch, 1e-9, most)
    if residual(problem, impulses, w) > CONVERGED:
        more, _ = rescue(problem, impulses, w, scratch.guess, most - iterations, scratch.rescue)
        iterations += more
    return iterations


def solve_by_rescue(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, most: int
) -> int:
    """Solve as `solve`, without the fast iteration first."""
    scratch = make_spatial_scratch(len(w), len(problem.axes), max(len(impulses.contact), 1))
    guess = SpatialImpulses(impulses.contact.copy(), impulses.joint.copy())
    iterations, _ = rescue(problem, impulses, w, guess, most, scratch.rescue)
    return iterations


def residual(problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray) -> float:
    """Larger residual of the force laws and the equations of motion."""
    result: float = spatial_residual(
        problem,
        w,
        impulses,
        np.zeros((len(impulses.contact), 5)),
        np.zeros((len(w), 6)),
        np.zeros((len(w) - 1, 6)),
    )
    return result
