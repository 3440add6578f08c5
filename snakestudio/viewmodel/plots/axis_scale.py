"""Scales of axes: linear, logarithmic or by categories."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray

_LARGEST = 1e300
"""Largest absolute value that an axis can show."""


@dataclass(frozen=True, slots=True)
class AxisScale:
    """Scale of one axis."""

    low: float
    """Value at the lower end, in the unit of the values."""
    high: float
    """Value at the upper end."""
    log: bool = False
    """Whether the scale is logarithmic."""
    categories: tuple[str, ...] = ()
    """Texts instead of numbers; the k-th is at k."""

    @classmethod
    def around(cls, values: FloatArray, space: float, *, log: bool = False) -> AxisScale:
        """Return a scale that shows all values, with the fraction `space` free at both ends.

        A single value is in the middle. Without positive values, the scale is not logarithmic.
        Values from 1e300 are beyond its ends.
        """
        values = np.clip(values[np.isfinite(values)], -_LARGEST, _LARGEST)
        low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
        log = log and low > 1.0 / _LARGEST
        if high - low < 1.0 / _LARGEST:
            high = low
        if high <= low:
            more = 0.5 * abs(low) or 0.5
            low = low - more
            high = high + more
        if log:
            by = (high / low) ** space
            return cls(low / by, high * by, True)
        return cls(low - space * (high - low), high + space * (high - low))

    @classmethod
    def of_categories(cls, categories: tuple[str, ...]) -> AxisScale:
        """Return a scale with evenly spaced texts."""
        return cls(-0.5, len(categories) - 0.5, categories=categories)

    @property
    def span(self) -> tuple[float, float]:
        """Ends of the axis of a chart; decadic logarithms for a logarithmic scale."""
        return (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)

    def fraction(self, values: FloatArray) -> FloatArray:
        """Return positions of values, 0 at the low end and 1 at the high end; NaN if undefined."""
        if self.log:
            with np.errstate(all="ignore"):
                shares: FloatArray = np.log(values / self.low) / math.log(self.high / self.low)
            return shares
        return (values - self.low) / (self.high - self.low)

    def at(self, value: float) -> float:
        """Return the position of a value."""
        return float(self.fraction(np.array([value]))[0])

    def value(self, fraction: float) -> float:
        """Return the value at a position."""
        if self.log:
            return float(self.low * (self.high / self.low) ** fraction)
        return self.low + fraction * (self.high - self.low)
