"""Bootstrap confidence intervals: data are resampled in blocks of time within a trial, and among trials.

The errors at neighbouring times are correlated, so whole blocks are drawn within a trial (moving-block
bootstrap, Künsch 1989), from the series closed to a circle (Politis and Romano 1992): otherwise its
ends, where alignment errors are largest, would be drawn too rarely. With several trials, trials are
drawn first, then blocks within each.
"""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray

DRAWS = 2000

COVERAGE = 0.95
"""Fraction of the draws within an interval."""


def mean_in_blocks(values: FloatArray, block: int, seed: int) -> FloatArray:
    """Return means (draws,) of a series (k,) resampled in blocks of consecutive rows, wrapped around at its end."""
    k = len(values)
    block = max(1, min(block, k))
    sums = np.concatenate([[0.0], np.cumsum(np.concatenate([values, values[: block - 1]]))])
    of_blocks = (sums[block:] - sums[:-block]) / block
    count = math.ceil(k / block)
    random = np.random.default_rng(seed)
    chosen = random.integers(0, len(of_blocks), (DRAWS, count))
    means: FloatArray = of_blocks[chosen].mean(axis=1)
    return means


def among_trials(draws: FloatArray, seed: int) -> FloatArray:
    """Return means (draws,) over trials drawn with replacement, of the values (trials, draws) of each trial."""
    trials, n = draws.shape
    random = np.random.default_rng(seed)
    chosen = random.integers(0, trials, (n, trials))
    means: FloatArray = draws[chosen, np.arange(n)[:, None]].mean(axis=1)
    return means


def interval(draws: FloatArray) -> tuple[float, float]:
    """Return the percentile interval of draws (n,)."""
    tail = 50.0 * (1.0 - COVERAGE)
    low, high = np.percentile(draws, [tail, 100.0 - tail])
    return float(low), float(high)
