"""Coefficients of the Runge-Kutta-Chebyshev schemes of order 2, in plain numpy.

B. P. Sommeijer, L. F. Shampine, J. G. Verwer, "RKC: an explicit solver for parabolic PDEs", J.
Comput. Appl. Math. 88, 1998. A scheme of s stages is stable for real eigenvalues down to -0.65 s^2
/ h.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from snakestudio._arrays import FloatArray

MOST_STAGES = 60
"""Number of stages of the longest tabulated scheme, which is stable up to 2300 / h."""

BEGINNING, FIRST = range(2)
"""Row of a scheme that is not a stage, and row of the first stage."""

STAGE, OLDER, SLOPE, FIRST_SLOPE, TIME, WEIGHT = range(6)
"""Columns of a scheme; see `scheme`."""

DAMPING = 2.0 / 13.0
"""Damping parameter of the schemes' stability polynomial (its authors' choice)."""


def scheme(stages: int) -> FloatArray:
    """Return the scheme of `stages` stages, at least 2, (stages + 1, 6).

    Row j for stage j (the last one is the result, and row 0 is the beginning) holds: the
    coefficients of the previous stage and of the one before it, of the derivatives at the previous
    stage and at the beginning (both times the step); its time relative to the step; and the weight
    of its derivative in the result.
    """
    s = stages
    w0 = 1.0 + DAMPING / s**2
    t, u, v = np.zeros((3, s + 1))  # Chebyshev polynomials T_j(w0), T'_j(w0), T''_j(w0)
    t[0] = 1.0
    t[1] = w0
    u[1] = 1.0
    for j in range(2, s + 1):
        t[j] = 2.0 * w0 * t[j - 1] - t[j - 2]
        u[j] = 2.0 * w0 * u[j - 1] - u[j - 2] + 2.0 * t[j - 1]
        v[j] = 2.0 * w0 * v[j - 1] - v[j - 2] + 4.0 * u[j - 1]
    w1 = u[s] / v[s]
    b = np.empty(s + 1)
    b[2:] = v[2:] / u[2:] ** 2
    b[0] = b[2]
    b[1] = 1.0 / w0
    rows = np.zeros((s + 1, 6))
    rows[FIRST, FIRST_SLOPE] = b[1] * w1
    for j in range(2, s + 1):
        ahead = 2.0 * b[j] * w1 / b[j - 1]
        rows[j, :4] = (
            2.0 * b[j] * w0 / b[j - 1],
            -b[j] / b[j - 2],
            ahead,
            -(1.0 - b[j - 1] * t[j - 1]) * ahead,
        )
        rows[j, TIME] = w1 * v[j] / u[j]
    rows[FIRST, TIME] = rows[FIRST, FIRST_SLOPE]
    # Contribution of each derivative to the result, from the last stage backwards.
    share = np.zeros(s + 1)
    share[s] = 1.0
    for j in range(s, 0, -1):
        rows[j - 1, WEIGHT] += share[j] * rows[j, SLOPE]
        rows[BEGINNING, WEIGHT] += share[j] * rows[j, FIRST_SLOPE]
        share[j - 1] += share[j] * rows[j, STAGE]
        if j > 1:
            share[j - 2] += share[j] * rows[j, OLDER]
    return rows


def longest_part(decay: float) -> float:
    """Return the longest step for which the tabulated schemes are stable at decay rates up to `decay` (1/s), s."""
    return ((MOST_STAGES - 1.0) ** 2 - 1.0) / (1.54 * max(decay, 1e-9))


@cache
def table() -> FloatArray:
    """Return all schemes up to `MOST_STAGES`, (MOST_STAGES + 1, MOST_STAGES + 1, 6)."""
    schemes = np.zeros((MOST_STAGES + 1, MOST_STAGES + 1, 6))
    for stages in range(2, MOST_STAGES + 1):
        schemes[stages, : stages + 1] = scheme(stages)
    return schemes
