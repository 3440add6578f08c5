"""How values lie along an axis of a chart of results: evenly, by ratios or by categories, and where numbers stand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.text import MINUS, number_text
from snakestudio.viewmodel.plots.scale import nice_interval
from snakestudio.viewmodel.study.result_columns import Column

__all__ = ["Scale"]


@dataclass(frozen=True, slots=True)
class Scale:
    """Of one axis.

    Attributes
    ----------
    low, high : float
        Ends, in the column's unit.
    log : bool
    categories : tuple of str
        Of texts: the k-th lies at k.
    """

    low: float
    high: float
    log: bool = False
    categories: tuple[str, ...] = ()

    @classmethod
    def of(cls, column: Column, room: float = 0.03) -> Scale:
        """The scale on which all values of a column are seen, with a share of it as room at both ends."""
        if column.categories:
            return cls(-0.5, len(column.categories) - 0.5, categories=column.categories)
        values = np.concatenate([column.values, column.grid]) if column.grid else column.values
        values = values[np.isfinite(values)]
        low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
        log = column.log and low > 0.0
        if high <= low:
            more = 0.5 * abs(low) or 0.5
            low, high = low - more, high + more
        if log:
            by = (high / low) ** room
            return cls(low / by, high * by, True)
        return cls(low - room * (high - low), high + room * (high - low))

    def share(self, values: FloatArray) -> FloatArray:
        """Where values lie, 0 at the low end and 1 at the high one; NaN of what is none."""
        if self.log:
            with np.errstate(all="ignore"):
                shares: FloatArray = np.log(values / self.low) / math.log(self.high / self.low)
            return shares
        return (values - self.low) / (self.high - self.low)

    def at(self, value: float) -> float:
        """Where a value lies."""
        return float(self.share(np.array([value]))[0])

    def value(self, share: float) -> float:
        """What lies there."""
        if self.log:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + share * (self.high - self.low)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Values and texts of at most so many ticks, where they are round."""
        if self.categories:
            every = max(1, math.ceil(len(self.categories) / max(1, most)))
            return [(float(k), text) for k, text in enumerate(self.categories) if k % every == 0]
        if self.log and (found := self._decades(most)):
            return found
        interval = nice_interval((self.high - self.low) / max(1, most))
        first, last = math.ceil(self.low / interval - 1e-9), math.floor(self.high / interval + 1e-9)
        decimals = max(0, -math.floor(math.log10(interval) + 1e-9))
        plain = 1e-4 <= interval < 1e6
        texts = [(k * interval, f"{k * interval:.{decimals}f}" if plain else f"{k * interval:.3g}")
                 for k in range(first, last + 1)]  # fmt: skip
        return [(value, "0" if abs(value) < 1e-9 * interval else text.replace("-", MINUS)) for value, text in texts]

    def _decades(self, most: int) -> list[tuple[float, str]]:
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        for factors in ((1, 2, 5), (1, 3), (1,)):
            values = [f * 10.0**power for power in range(first, last + 1) for f in factors]
            values = [value for value in values if self.low <= value <= self.high]
            if 2 <= len(values) <= max(2, most):
                return [(value, number_text(value)) for value in values]
        if len(values) < 2:
            return []
        every = math.ceil(len(values) / max(2, most))
        return [(value, number_text(value)) for value in values[::every]]
