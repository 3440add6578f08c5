"""Bootstrap: how certain values are, by drawing the data again, in blocks of time within a trial, and among trials.

The errors of neighbouring instants go together, so within a trial whole blocks are drawn (the
moving-block bootstrap, Künsch 1989), from the series closed to a circle (Politis and Romano 1992):
else its ends, where alignment errors are largest, would be drawn too seldom. Where there are
several trials, trials are drawn first, then blocks within each.
"""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray

DRAWS = 2000

COVERAGE = 0.95
"""Share of the draws that an interval holds."""


def mean_in_blocks(values: FloatArray, block: int, seed: int) -> FloatArray:
    """Means (draws,) of a series (k,) drawn anew in blocks of so many rows that follow each other, round its end."""
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
    """Means (draws,) over trials drawn with replacement, of the figures (trials, draws) that each trial's draw gave."""
    trials, n = draws.shape
    random = np.random.default_rng(seed)
    chosen = random.integers(0, trials, (n, trials))
    means: FloatArray = draws[chosen, np.arange(n)[:, None]].mean(axis=1)
    return means


def interval(draws: FloatArray) -> tuple[float, float]:
    """The percentile interval of draws (n,)."""
    tail = 50.0 * (1.0 - COVERAGE)
    low, high = np.percentile(draws, [tail, 100.0 - tail])
    return float(low), float(high)
