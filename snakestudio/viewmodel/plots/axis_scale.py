"""How values lie along an axis: evenly, by ratios or by categories."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray

_LARGEST = 1e300
"""Size of a value that an axis can show."""


@dataclass(frozen=True, slots=True)
class AxisScale:
    """How values lie along one axis."""

    low: float
    """Value at the lower end, in the unit of the values."""
    high: float
    """Value at the upper end."""
    log: bool = False
    """Whether equal ratios are equally far apart."""
    categories: tuple[str, ...] = ()
    """Texts in place of numbers: the k-th is at k."""

    @classmethod
    def around(cls, values: FloatArray, space: float, *, log: bool = False) -> AxisScale:
        """Return the scale on which all values are seen, with a share of it left free at both ends.

        A single value is in the middle. Of values that are not positive there is no logarithmic
        scale. Values of an unusual size, from 1e300 on, are beyond its ends.
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
        """Return the scale on which texts are evenly apart."""
        return cls(-0.5, len(categories) - 0.5, categories=categories)

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
