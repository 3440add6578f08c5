"""How values lie along an axis of a chart of results: evenly, by ratios or by categories, and where numbers stand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.ticks import decade_texts, decades, multiples, step_above, tick_text
from snakestudio.viewmodel.study.result_columns import Column

__all__ = ["AxisScale"]


@dataclass(frozen=True, slots=True)
class AxisScale:
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
    def of(cls, column: Column, room: float = 0.03) -> AxisScale:
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

    @property
    def span(self) -> tuple[float, float]:
        """Ends as an axis of a chart has them: of a logarithmic scale the decadic logarithms."""
        return (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)

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
        if self.log and len(values := decades(self.low, self.high, most)) > 1:
            return list(zip(values, decade_texts(values), strict=True))
        step = step_above((self.high - self.low) / max(1, most))
        return [(value, tick_text(value, step)) for value in multiples(self.low, self.high, step)]
