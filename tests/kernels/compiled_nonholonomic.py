"""Entry points into kernels of the nonholonomic model that are otherwise inlined into a time step."""

from __future__ import annotations

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.planar_nonholonomic.dynamics import evaluate as equations_of_motion
from snakestudio.engines.planar_nonholonomic.params import Params
from snakestudio.engines.planar_nonholonomic.state import Work
from snakestudio.kernels._jit import jit
from snakestudio.kernels.cholesky import wide_backward, wide_factor, wide_forward
from snakestudio.kernels.one_sided import one_sided_residual, solve_one_sided


@jit
def solve(
    matrix: FloatArray,
    free: FloatArray,
    side: FloatArray,
    acts: IntArray,
    which: IntArray,
    factor: FloatArray,
    part: FloatArray,
    reaction: FloatArray,
) -> int:
    return solve_one_sided(matrix, free, side, free.shape[0], acts, which, factor, part, reaction)


@jit
def residual(
    matrix: FloatArray, free: FloatArray, side: FloatArray, scale: float, reaction: FloatArray
) -> float:
    return one_sided_residual(matrix, free, side, free.shape[0], scale, reaction)


@jit
def evaluate(params: Params, wrench: FloatArray, acts: IntArray, y: FloatArray, work: Work) -> int:
    return equations_of_motion(params, wrench, acts, y, work, False)


@jit
def factor(matrix: FloatArray, inverse: FloatArray, used: int) -> None:
    wide_factor(matrix, inverse, used)


@jit
def forward(matrix: FloatArray, inverse: FloatArray, rhs: FloatArray) -> None:
    wide_forward(matrix, inverse, rhs)


@jit
def backward(matrix: FloatArray, inverse: FloatArray, rhs: FloatArray) -> None:
    wide_backward(matrix, inverse, rhs)
