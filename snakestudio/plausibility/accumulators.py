"""Peaks, rises and quantiles of values that arrive in blocks, in constant memory."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray

_PER_DECADE = 40
_SMALLEST = 1e-9
_DECADES = 18


class Peak:
    """Largest value so far, with its time and part."""

    def __init__(self) -> None:
        self.value = 0.0
        self.time = math.nan
        self.part = 0

    def feed(self, time: FloatArray, values: FloatArray) -> None:
        """Add values (k,) or (k, parts) at times (k,), s; NaN is ignored."""
        if not values.size:
            return
        table = np.nan_to_num(values.reshape(len(time), -1), nan=0.0)
        index = int(table.argmax())
        row, part = divmod(index, table.shape[1])
        if table[row, part] > self.value:
            self.value = float(table[row, part])
            self.time = float(time[row])
            self.part = part


class Rise:
    """Largest rise of a value above its smallest value before."""

    def __init__(self) -> None:
        self.largest = Peak()
        self._lowest = math.inf

    def feed(self, time: FloatArray, values: FloatArray) -> None:
        """Add values (k,) at times (k,), s."""
        lowest = np.fmin(np.fmin.accumulate(values), self._lowest)
        self._lowest = float(lowest[-1])
        self.largest.feed(time, values - lowest)


class Quantiles:
    """Quantiles of non-negative values from a histogram with 40 bins per decade: 6 % above the value at most.

    Values below 1e-9 count as 0, values above 1e9 as 1e9.
    """

    def __init__(self) -> None:
        self._counts = np.zeros(_PER_DECADE * _DECADES + 2, np.int64)

    def feed(self, values: FloatArray) -> None:
        """Add values of any shape; those that are not finite are ignored."""
        values = values[np.isfinite(values)]
        if not len(values):
            return
        bins = np.ceil(_PER_DECADE * np.log10(np.maximum(values, 1e-300) / _SMALLEST))
        bins = np.clip(bins, 0, len(self._counts) - 1).astype(np.int64)
        self._counts += np.bincount(bins, minlength=len(self._counts))

    def at(self, fraction: float) -> float:
        """Return the smallest bound with at least this fraction of the values below it; 0 without values."""
        total = int(self._counts.sum())
        if not total:
            return 0.0
        index = int(np.searchsorted(np.cumsum(self._counts), math.ceil(fraction * total)))
        return 0.0 if index == 0 else float(_SMALLEST * 10.0 ** (index / _PER_DECADE))
