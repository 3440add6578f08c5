"""Entry points into the kernels of the chain in space, which are otherwise inlined into a time step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import jit
from snakestudio.kernels.spatial_problem import SpatialImpulses, SpatialProblem
from snakestudio.kernels.spatial_residual import spatial_joint_impulses, spatial_law_residual
from snakestudio.kernels.spatial_scratch import SpatialScratch, make_spatial_scratch
from snakestudio.kernels.spatial_solver import solve_spatial

FloatArray = NDArray[np.float64]


@jit
def _solve(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, scratch: SpatialScratch, tolerance: float,
    most: int,
) -> int:  # fmt: skip
    return solve_spatial(problem, impulses, w, scratch, tolerance, most)


@jit
def _residuals(
    problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, gamma: FloatArray, pushed: FloatArray,
    wrench: FloatArray,
) -> tuple[float, float]:  # fmt: skip
    laws = spatial_law_residual(problem, w, impulses, gamma)
    return laws, spatial_joint_impulses(problem, w, impulses, pushed, wrench)


def solve(problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray, most: int) -> int:
    """Solve in place to 1e-9; returns the iterations."""
    scratch = make_spatial_scratch(len(w), max(len(impulses.contact), 1))
    iterations: int = _solve(problem, impulses, w, scratch, 1e-9, most)
    return iterations


def residuals(problem: SpatialProblem, impulses: SpatialImpulses, w: FloatArray) -> tuple[float, float]:
    """What the force laws and what the equations of motion miss."""
    found: tuple[float, float] = _residuals(
        problem, impulses, w, np.zeros((len(impulses.contact), 5)), np.zeros((len(w), 6)), np.zeros((len(w) - 1, 6))
    )
    return found
