"""How well the data determine fitted values.

At the optimum the estimates answer to the noise by a linear map, ``-(J^T J)^-1 J^T r``, so their
covariance is ``(J^T J)^-1 S (J^T J)^-1`` with S that of the scores ``J^T r``. White noise would
make S = s^2 J^T J. Residuals of a motion are not white: what the model gets wrong at one instant it
gets wrong at the next, and on all links alike. So the scores of all that was measured at one
instant are one contribution. Contributions at different instants are freed of their correlation
from one to the next, what is left of it is taken in by Bartlett's weights over a bandwidth that the
data choose, and the correlation is put back (Andrews and Monahan 1992). Intervals are Student's,
with as many degrees of freedom as there are independent instants.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray, IntArray

CONFIDENCE = 0.95
"""Probability with which intervals hold the value."""

_MOST_CORRELATED = 0.97
"""Autocorrelation from one instant to the next that is reckoned with at most: above, no bandwidth
is wide enough."""

_WEAK = 0.25
"""Standard error, as a share of the range, from which on a combination of parameters counts as
undetermined."""

_NO_EFFECT = 1e-9
"""Change of the residuals, m (root mean square) over the whole range, below which a parameter has
none."""


@dataclass(frozen=True, slots=True, eq=False)
class Determination:
    """What the data say about p parameters, each in units of its range."""

    covariance: FloatArray
    """NaN in rows and columns of parameters without effect. Shape (p, p)."""

    half_width: FloatArray
    """Half of the interval's width. Shape (p,)."""

    correlation: FloatArray
    """Shape (p, p)."""

    singular_values: FloatArray
    """Of the Jacobian, the largest first. Shape (p,)."""

    effective: float
    """Number of instants that would say as much if they were independent."""

    no_effect: tuple[int, ...]
    """Parameters that change nothing."""

    weak: tuple[tuple[int, ...], ...]
    """Combinations of parameters that the data do not determine, each as the parameters that take
    part."""


def determination(
    jacobian: FloatArray, residual: FloatArray, instants: Sequence[IntArray], nuisance: int
) -> Determination:
    """What the data determine.

    Parameters
    ----------
    jacobian : (r, p) array
        Of the residuals, by parameters in units of their ranges.
    residual : (r,) array
        At the optimum.
    instants : sequence of int arrays
        A part for each measured run, one after the other: at which of its instants every residual
        is, r in all.
    nuisance : int
        Number of quantities that were fitted beside the parameters.
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
        # The estimate is too low by about (1 + 3 rho) / n, and intervals would be too narrow
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
        # What was fitted took part of the scatter away; so many of the values say nothing about it
        # any more.
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
    """Whether a fitted run explains more of what was measured than a constant, and than chance would (F test).

    Parameters
    ----------
    scatter, left : float
        Sum of squares about constants, and what the run leaves, m^2.
    fitted : int
        Number of quantities that were fitted.
    effective : float
        Number of instants that say something of their own.
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
    """Of the scores from one instant to the next, all parameters and runs together; 0 to `_MOST_CORRELATED`."""
    scale = np.sqrt(sum(np.square(score).sum(axis=0) for score in scores))
    safe = np.where(scale > 0, scale, 1.0)
    beside = sum(float((score[1:] * score[:-1] / safe**2).sum()) for score in scores)
    itself = sum(float((score * score / safe**2).sum()) for score in scores)
    return min(max(beside / itself if itself > 0 else 0.0, 0.0), _MOST_CORRELATED)


def _long_run(scores: list[FloatArray], rho: float) -> FloatArray:
    """Covariance (p, p) of the sum of all scores."""
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
    """Inverse of ``J^T J`` and, as rows, the directions of its singular vectors; the least of them cannot be 0."""
    _, singular, directions = np.linalg.svd(jacobian, full_matrices=False)
    floor = 1e-12 * singular[0]
    inverse: FloatArray = (directions.T / np.maximum(singular, floor) ** 2) @ directions
    return inverse, directions


def _uncertainty_undetermined(
    covariance: FloatArray, directions: FloatArray, which: IntArray
) -> tuple[tuple[int, ...], ...]:
    """Combinations whose standard error is a large share of the range."""
    found = []
    for direction in directions:
        if direction @ covariance @ direction > _WEAK**2:
            part = np.abs(direction) > 0.3 * np.abs(direction).max()
            found.append(tuple(int(i) for i in which[part]))
    return tuple(dict.fromkeys(found))
