"""Solution of a small symmetric positive definite system in place, for kernels that may not allocate."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import inlined

__all__ = ["cholesky_solve"]

FloatArray = NDArray[np.float64]


@inlined
def cholesky_solve(matrix: FloatArray, rhs: FloatArray) -> None:
    """Solve `matrix` x = `rhs` by L L^T; the lower triangle becomes L and `rhs` becomes x.

    A matrix that is not positive definite makes NaN of x.

    Parameters
    ----------
    matrix : (n, n)
        Only its lower triangle is read.
    rhs : (n,)
    """
    n = matrix.shape[0]
    for i in range(n):
        for j in range(i):
            left = matrix[i, j]
            for k in range(j):
                left -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = left * matrix[j, j]
        pivot = matrix[i, i]
        for k in range(i):
            pivot -= matrix[i, k] * matrix[i, k]
        # The diagonal holds 1 / L_ii: one division a row.
        matrix[i, i] = 1.0 / math.sqrt(pivot) if pivot > 0.0 else math.nan
        left = rhs[i]
        for k in range(i):
            left -= matrix[i, k] * rhs[k]
        rhs[i] = left * matrix[i, i]
    for i in range(n - 1, -1, -1):
        x = rhs[i] * matrix[i, i]
        rhs[i] = x
        for k in range(i):
            rhs[k] -= matrix[i, k] * x
