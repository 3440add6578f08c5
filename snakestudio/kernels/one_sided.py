"""Linear complementarity problem of a few one-sided reactions, solved exactly by principal pivoting."""

from __future__ import annotations

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.cholesky import cholesky_backward, cholesky_factor, cholesky_forward

ROUNDING = 1e-12
"""Tolerance relative to the largest reaction or acceleration of the problem."""

TOGETHER = 8
"""Number of pivots in which all wrong rows are changed simultaneously; after that one at a time,
which cannot cycle."""


@inlined
def _reactions(
    matrix: FloatArray,
    free: FloatArray,
    count: int,
    active: IntArray,
    which: IntArray,
    factor: FloatArray,
    part: FloatArray,
    reaction: FloatArray,
) -> None:
    """Reactions that keep the rows in `active` at rest."""
    size = 0
    for a in range(count):
        reaction[a] = 0.0
        if active[a] != 0:
            which[size] = a
            part[size] = -free[a]
            for b in range(size + 1):
                factor[size, b] = matrix[a, which[b]]
            size += 1
    cholesky_factor(factor, size)
    cholesky_forward(factor, size, part)
    cholesky_backward(factor, size, part)
    for a in range(size):
        reaction[which[a]] = part[a]


@inlined
def solve_one_sided(
    matrix: FloatArray,
    free: FloatArray,
    side: FloatArray,
    count: int,
    active: IntArray,
    which: IntArray,
    factor: FloatArray,
    part: FloatArray,
    reaction: FloatArray,
) -> int:
    """Find z with side z >= 0, side (A z + b) >= 0, and one of both 0 in every row; return pivots, or -1 on failure.

    A row with side 0 resists in both directions: A z + b = 0. For a positive definite A the
    solution is unique, and changing only the first wrong row leads to it after finitely many steps
    (K. G. Murty, 1974).

    Parameters
    ----------
    matrix : (c, c) or larger
        A, symmetric positive definite; its lower triangle is read.
    free : (c,) or longer
        b.
    side : (c,) or longer
        1, -1 or 0.
    count : int
        c.
    active : (c,) or longer, int
        Initially active rows, 1 or 0; on return, the rows that react.
    which, factor, part : (c,) int, (c, c), (c,) or larger
        Workspace.
    reaction : (c,) or longer
        Filled: z.
    """
    largest = 0.0
    for a in range(count):
        largest = max(largest, abs(free[a]))
        if side[a] == 0.0:
            active[a] = 1
    for pivot in range(50 + 20 * count):
        _reactions(matrix, free, count, active, which, factor, part, reaction)
        strongest = 0.0
        for a in range(count):
            strongest = max(strongest, abs(reaction[a]))
        wrong = False
        for a in range(count):
            if side[a] == 0.0:
                continue
            if active[a] != 0:
                bad = side[a] * reaction[a] < -ROUNDING * strongest
            else:
                moves = free[a]
                for b in range(count):
                    moves += (matrix[a, b] if b <= a else matrix[b, a]) * reaction[b]
                bad = side[a] * moves < -ROUNDING * largest
            if bad:
                wrong = True
                active[a] = 1 - active[a]
                if pivot >= TOGETHER:
                    break
        if not wrong:
            return pivot + 1
    return -1


@inlined
def one_sided_residual(
    matrix: FloatArray,
    free: FloatArray,
    side: FloatArray,
    count: int,
    scale: float,
    reaction: FloatArray,
) -> float:
    """Largest |z - prox(z - r (A z + b))| of all rows with r = `scale`, in the unit of z."""
    worst = 0.0
    for a in range(count):
        moves = free[a]
        for b in range(count):
            moves += (matrix[a, b] if b <= a else matrix[b, a]) * reaction[b]
        target = reaction[a] - scale * moves
        if side[a] != 0.0 and side[a] * target < 0.0:
            target = 0.0
        worst = max(worst, abs(reaction[a] - target))
    return worst
