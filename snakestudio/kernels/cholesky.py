"""Cholesky factors of small symmetric positive definite matrices, computed in place without allocation."""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.octet import WIDTH, octet, octet_minus, octet_put


@inlined
def cholesky_factor(matrix: FloatArray, n: int) -> None:
    """Replace the lower triangle of the leading (n, n) block of `matrix` by L; its diagonal becomes 1 / L_ii.

    If the block is not positive definite, entries of the diagonal become NaN.
    """
    for i in range(n):
        for j in range(i):
            left = matrix[i, j]
            for k in range(j):
                left -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = left * matrix[j, j]
        pivot = matrix[i, i]
        for k in range(i):
            pivot -= matrix[i, k] * matrix[i, k]
        # The diagonal contains 1 / L_ii: one division per row.
        matrix[i, i] = 1.0 / math.sqrt(pivot) if pivot > 0.0 else math.nan


@inlined
def cholesky_forward(matrix: FloatArray, n: int, rhs: FloatArray) -> None:
    """Replace `rhs` (n or more,) by L^-1 rhs."""
    for i in range(n):
        left = rhs[i]
        for k in range(i):
            left -= matrix[i, k] * rhs[k]
        rhs[i] = left * matrix[i, i]


@inlined
def cholesky_backward(matrix: FloatArray, n: int, rhs: FloatArray) -> None:
    """Replace `rhs` (n or more,) by L^-T rhs."""
    for i in range(n - 1, -1, -1):
        x = rhs[i] * matrix[i, i]
        rhs[i] = x
        for k in range(i):
            rhs[k] -= matrix[i, k] * x


@inlined
def cholesky_solve(matrix: FloatArray, rhs: FloatArray) -> None:
    """Solve `matrix` x = `rhs` by L L^T; the lower triangle becomes L (see `cholesky_factor`) and `rhs` becomes x.

    Parameters
    ----------
    matrix : (n, n)
        Only its lower triangle is read.
    rhs : (n,)
    """
    n = matrix.shape[0]
    cholesky_factor(matrix, n)
    cholesky_forward(matrix, n, rhs)
    cholesky_backward(matrix, n, rhs)


@inlined
def wide_factor(matrix: FloatArray, inverse: FloatArray, used: int) -> None:
    """Factor A = L D L^T with vector instructions, and apply L^-1 to all columns to the right of A.

    Parameters
    ----------
    matrix : (n, a multiple of 8)
        A, whose upper triangle is read, becomes D L^T; each further column b becomes L^-1 b.
    inverse : (n,)
        Filled: 1 / D.
    used : int
        Number of columns to process, including those of A.
    """
    for j in range(matrix.shape[0]):
        at = j // WIDTH * WIDTH
        while at < used:
            left = octet(matrix, j, at)
            for k in range(j):
                left = octet_minus(left, matrix[k, j] * inverse[k], octet(matrix, k, at))
            octet_put(matrix, j, at, left)
            at += WIDTH
        inverse[j] = 1.0 / matrix[j, j]


@inlined
def wide_forward(matrix: FloatArray, inverse: FloatArray, rhs: FloatArray) -> None:
    """Replace `rhs` (n,) by L^-1 rhs, with the factors of `wide_factor`."""
    n = matrix.shape[0]
    for k in range(n):
        share = rhs[k] * inverse[k]
        for i in range(k + 1, n):
            rhs[i] -= matrix[k, i] * share


@inlined
def wide_backward(matrix: FloatArray, inverse: FloatArray, rhs: FloatArray) -> None:
    """Replace `rhs` (n or more,) by L^-T D^-1 rhs, with the factors of `wide_factor`."""
    n = matrix.shape[0]
    for j in range(n - 1, -1, -1):
        left = rhs[j]
        for i in range(n - 1, j, -1):
            left -= matrix[j, i] * rhs[i]
        rhs[j] = left * inverse[j]
