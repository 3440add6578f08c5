"""Rows of eight numbers as values: six coordinates, a right-hand side and a filler, which is two vector registers.

Reading a whole row before writing one tells the compiler that nothing overlaps, so that it uses vector instructions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import inlined

__all__ = ["Octet", "octet", "octet_add", "octet_minus", "octet_plus", "octet_put", "octet_times"]

FloatArray = NDArray[np.float64]
Octet = tuple[float, float, float, float, float, float, float, float]


@inlined
def octet(rows: FloatArray, i: int) -> Octet:
    """Row `i` of `rows` (m, 8)."""
    return (
        rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3], rows[i, 4], rows[i, 5], rows[i, 6], rows[i, 7],
    )  # fmt: skip


@inlined
def octet_put(rows: FloatArray, i: int, a: Octet) -> None:
    """Write `a` to row `i` of `rows` (m, 8)."""
    rows[i, 0] = a[0]
    rows[i, 1] = a[1]
    rows[i, 2] = a[2]
    rows[i, 3] = a[3]
    rows[i, 4] = a[4]
    rows[i, 5] = a[5]
    rows[i, 6] = a[6]
    rows[i, 7] = a[7]


@inlined
def octet_times(x: float, a: Octet) -> Octet:
    """X a."""
    return (x * a[0], x * a[1], x * a[2], x * a[3], x * a[4], x * a[5], x * a[6], x * a[7])


@inlined
def octet_plus(a: Octet, x: float, b: Octet) -> Octet:
    """A + x b."""
    return (
        a[0] + x * b[0], a[1] + x * b[1], a[2] + x * b[2], a[3] + x * b[3],
        a[4] + x * b[4], a[5] + x * b[5], a[6] + x * b[6], a[7] + x * b[7],
    )  # fmt: skip


@inlined
def octet_minus(a: Octet, x: float, b: Octet) -> Octet:
    """A - x b."""
    return (
        a[0] - x * b[0], a[1] - x * b[1], a[2] - x * b[2], a[3] - x * b[3],
        a[4] - x * b[4], a[5] - x * b[5], a[6] - x * b[6], a[7] - x * b[7],
    )  # fmt: skip


@inlined
def octet_add(rows: FloatArray, i: int, x: float, b: Octet) -> None:
    """Add x b to row `i` of `rows` (m, 8)."""
    octet_put(rows, i, octet_plus(octet(rows, i), x, b))
