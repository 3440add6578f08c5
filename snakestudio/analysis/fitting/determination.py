"""Uncertainty of fitted values.

At the optimum, the estimates respond linearly to noise, ``-(J^T J)^-1 J^T r``, so their covariance is
``(J^T J)^-1 S (J^T J)^-1`` with the covariance S of the scores ``J^T r``. White noise would give
S = s^2 J^T J. Residuals of a motion are not white: model errors persist from one time to the next and
are similar for all links. So the scores of all measurements at one time are one contribution. The
contributions at different times are prewhitened; the remaining correlation is included with Bartlett
weights over a bandwidth chosen from the data, and the result is recoloured (Andrews and Monahan
1992). Intervals use Student's t distribution, with the number of independent times as degrees of
freedom.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray, IntArray

CONFIDENCE = 0.95
"""Probability that an interval contains the value."""

_MOST_CORRELATED = 0.97
"""Largest assumed autocorrelation from one time to the next: above it, no bandwidth is wide
enough."""

_WEAK = 0.25
"""Standard error, as a fraction of the range, above which a combination of parameters counts as
undetermined."""

_NO_EFFECT = 1e-9
"""Change of the residuals, m (root mean square) over the whole range, below which a parameter has
no effect."""


@dataclass(frozen=True, slots=True, eq=False)
class Determination:
    """Uncertainty of p parameters, in units of their ranges."""

    covariance: FloatArray
    """NaN in rows and columns of parameters without effect. Shape (p, p)."""

    half_width: FloatArray
    """Half-widths of the intervals. Shape (p,)."""

    correlation: FloatArray
    """Shape (p, p)."""

    singular_values: FloatArray
    """Singular values of the Jacobian, largest first. Shape (p,)."""

    effective: float
    """Equivalent number of independent times."""

    no_effect: tuple[int, ...]
    """Parameters without effect."""

    weak: tuple[tuple[int, ...], ...]
    """Undetermined combinations of parameters, each as a tuple of the participating
    parameters."""


def determination(
    jacobian: FloatArray, residual: FloatArray, instants: Sequence[IntArray], nuisance: int
) -> Determination:
    """Determine the uncertainty of fitted values.

    Parameters
    ----------
    jacobian : (r, p) array
        Jacobian of the residuals with respect to the parameters in units of their ranges.
    residual : (r,) array
        Residuals at the optimum.
    instants : sequence of int arrays
        For each measured run in sequence, the time index of each residual; r entries in
        total.
    nuisance : int
        Number of fitted quantities in addition to the parameters.
    """
    r, p = jacobian.shape
    norms = np.sqrt(np.square(jacobian).mean(axis=0))
    acts = norms > _NO_EFFECT
    no_effect = tuple(int(i) for i in np.flatnonzero(~acts))
    singular = np.asarray(np.linalg.svd(jacobian, compute_uv=False), dtype=np.float64)
    active = jacobian[:, acts]
    covariance = np.full((p, p), np.nan)
    effective = 0.0
    weak = tuple[tuple[int, ...], ...]()
    if acts.any():
        scores = []
        begin = 0
        for part in instants:
            rows = slice(begin, begin + len(part))
            begin += len(part)
            _, which = np.unique(part, return_inverse=True)
            score = np.zeros((int(which.max()) + 1, active.shape[1]))
            np.add.at(score, which, active[rows] * residual[rows, None])
            scores.append(score)
        total = sum(len(score) for score in scores)
        # The estimate is biased low by about (1 + 3 rho) / n, which would make intervals too narrow
        # (Kendall 1954).
        rho = _autocorrelation(scores)
        rho = min(rho + (1.0 + 3.0 * rho) / total, _MOST_CORRELATED) if rho > 0.0 else 0.0
        effective = max(1.0, total * (1.0 - rho) / (1.0 + rho))
        fresh = (
            [score[1:] - rho * score[:-1] for score in scores if len(score) > 1]
            if rho > 0.0
            else scores
        )
        spread = _long_run(fresh, _autocorrelation(fresh)) / (1.0 - rho) ** 2
        # The fit removes part of the scatter: this number of values no longer contributes to
        # it.
        spread *= r / max(1.0, r - p - nuisance)
        inverse, directions = _inverse(active)
        part_covariance = inverse @ spread @ inverse
        covariance[np.ix_(acts, acts)] = part_covariance
        weak = _uncertainty_undetermined(part_covariance, directions, np.flatnonzero(acts))
    deviation = np.sqrt(np.clip(np.diag(covariance), 0.0, None))
    from scipy.stats import t as student

    quantile = float(student.ppf(0.5 + 0.5 * CONFIDENCE, max(1.0, effective - int(acts.sum()))))
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = covariance / np.outer(deviation, deviation)
    return Determination(
        covariance, quantile * deviation, correlation, singular, effective, no_effect, weak
    )


def explains(scatter: float, left: float, fitted: int, effective: float) -> bool:
    """Return whether a fitted run explains more of the measurement than a constant, and than chance (F test).

    Parameters
    ----------
    scatter, left : float
        Sum of squares about constants, and the residual sum of squares of the run, m^2.
    fitted : int
        Number of quantities that were fitted.
    effective : float
        Equivalent number of independent times.
    """
    from scipy.stats import f as fisher

    freedom = effective - fitted - 1.0
    if freedom < 1.0 or not left < scatter:
        return left < 0.5 * scatter
    if left == 0.0:
        return True
    ratio = (scatter - left) / fitted / (left / freedom)
    return ratio > float(fisher.ppf(CONFIDENCE, fitted, freedom))


def _autocorrelation(scores: list[FloatArray]) -> float:
    """Autocorrelation of the scores between successive times, over all parameters and runs; 0 to `_MOST_CORRELATED`."""
    scale = np.sqrt(sum(np.square(score).sum(axis=0) for score in scores))
    safe = np.where(scale > 0, scale, 1.0)
    covariance = sum(float((score[1:] * score[:-1] / safe**2).sum()) for score in scores)
    itself = sum(float((score * score / safe**2).sum()) for score in scores)
    return min(max(covariance / itself if itself > 0 else 0.0, 0.0), _MOST_CORRELATED)


def _long_run(scores: list[FloatArray], rho: float) -> FloatArray:
    """Return the covariance (p, p) of the sum of all scores."""
    p = scores[0].shape[1]
    spread = np.zeros((p, p))
    for score in scores:
        n = len(score)
        steepness = 4.0 * rho**2 / ((1.0 - rho) ** 2 * (1.0 + rho) ** 2)
        lags = min(n - 1, math.ceil(1.1447 * (steepness * n) ** (1.0 / 3.0)))
        spread += score.T @ score
        for lag in range(1, lags + 1):
            shifted = score[lag:].T @ score[:-lag]
            spread += (1.0 - lag / (lags + 1.0)) * (shifted + shifted.T)
    return spread


def _inverse(jacobian: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Inverse of ``J^T J``, and as rows its singular vectors; the smallest singular value is bounded away from 0."""
    _, singular, directions = np.linalg.svd(jacobian, full_matrices=False)
    floor = 1e-12 * singular[0]
    inverse: FloatArray = (directions.T / np.maximum(singular, floor) ** 2) @ directions
    return inverse, directions


def _uncertainty_undetermined(
    covariance: FloatArray, directions: FloatArray, which: IntArray
) -> tuple[tuple[int, ...], ...]:
    """Return the combinations whose standard error is a large fraction of the range."""
    combinations = []
    for direction in directions:
        if direction @ covariance @ direction > _WEAK**2:
            part = np.abs(direction) > 0.3 * np.abs(direction).max()
            combinations.append(tuple(int(i) for i in which[part]))
    return tuple(dict.fromkeys(combinations))
