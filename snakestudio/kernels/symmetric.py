"""Pseudo-inverse of a small symmetric matrix by Jacobi rotations, without allocation."""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import jit


@jit
def pseudo_solve(
    matrix: FloatArray, vectors: FloatArray, d: int, cutoff: float, rhs: FloatArray, out: FloatArray
) -> int:
    """Compute `out` = A^+ `rhs`, the shortest x that minimises |A x - rhs|; return the rank of A.

    Parameters
    ----------
    matrix : (d, d) or larger
        A, symmetric; overwritten.
    vectors : (d, d) or larger
        Workspace for the eigenvectors.
    cutoff : float
        Eigenvalues smaller than this fraction of the largest count as 0.
    rhs, out : (d,) or longer
    """
    for i in range(d):
        for j in range(d):
            vectors[i, j] = 1.0 if i == j else 0.0
    for _ in range(30):
        off = size = 0.0
        for i in range(d):
            size += matrix[i, i] * matrix[i, i]
            for j in range(i):
                off += matrix[i, j] * matrix[i, j]
        if not off > 1e-32 * size:
            break
        for p in range(d - 1):
            for q in range(p + 1, d):
                if matrix[p, q] == 0.0:
                    continue
                ratio = 0.5 * (matrix[q, q] - matrix[p, p]) / matrix[p, q]
                t = math.copysign(1.0, ratio) / (abs(ratio) + math.sqrt(ratio * ratio + 1.0))
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for k in range(d):
                    a, b = matrix[k, p], matrix[k, q]
                    matrix[k, p] = c * a - s * b
                    matrix[k, q] = s * a + c * b
                for k in range(d):
                    a, b = matrix[p, k], matrix[q, k]
                    matrix[p, k] = c * a - s * b
                    matrix[q, k] = s * a + c * b
                for k in range(d):
                    a, b = vectors[k, p], vectors[k, q]
                    vectors[k, p] = c * a - s * b
                    vectors[k, q] = s * a + c * b
    largest = 0.0
    for i in range(d):
        largest = max(largest, matrix[i, i])
    rank = 0
    for i in range(d):
        out[i] = 0.0
    for j in range(d):
        if matrix[j, j] > cutoff * largest:
            rank += 1
            along = 0.0
            for i in range(d):
                along += vectors[i, j] * rhs[i]
            along /= matrix[j, j]
            for i in range(d):
                out[i] += along * vectors[i, j]
    return rank
