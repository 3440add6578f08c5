"""Minima and maxima of a growing table at increasingly coarse steps, from which any span is drawn fast.

Level 0 has the values; level k has the smallest and largest values of every 8^k rows, and the
values of the first of them. Each level keeps a bounded number of its newest bins and extends
further back than the finer one. Older rows are in the next coarser level, without losing peaks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import Float32Array

_FACTOR = 8
_SHARES = (6, 4, 3, 4, 2, 1, 1, 1)
"""Shares of the memory for each level. Level 3, with 512 rows per bin, extends back a hundred times as
far as level 0."""
_LEVELS = len(_SHARES)
BLOCK = 1024
"""Recommended number of rows per write."""

_BYTES = 48 * 1024 * 1024
_FIRST = 64
"""Initial capacity of a level, bins."""
_FEWEST = 2 * BLOCK
"""Smallest capacity of a level for any number of columns, bins."""


class Envelope(NamedTuple):
    """Span of the table in bins."""

    row: NDArray[np.int64]
    """First row of each bin. Shape (b,)."""

    stride: int
    """Number of rows per bin; if it is 1, `low` and `high` are the values."""

    low: Float32Array
    """Smallest value of each bin; NaN if unknown. Shape (b, m)."""

    high: Float32Array
    """Largest value of each bin; NaN if unknown. Shape (b, m)."""


class Samples(NamedTuple):
    """Single rows of the table."""

    row: NDArray[np.int64]
    """Indices of the rows, ascending. Shape (k,)."""

    values: Float32Array
    """Values of the rows; NaN if unknown. Shape (k, m)."""


def stride_for(rows: int, bins: int) -> int:
    """Return the number of rows per bin, a power of 2, so that `rows` fill at most `bins` bins."""
    return 1 << (max(1, -(-rows // max(1, bins))) - 1).bit_length()


def _coarser(values: Float32Array, per: int, pick: np.ufunc) -> Float32Array:
    """Reduce every `per` rows to one, including a partial last group, in a quarter of the time of `reduceat`."""
    complete = len(values) // per * per
    picked = values[0:complete:per]
    for i in range(1, per):
        picked = pick(picked, values[i:complete:per])
    if complete < len(values):
        picked = np.concatenate([picked, pick.reduce(values[complete:], axis=0)[None]])
    return picked


class _Level:
    """Bins `first` to `first + count` of one level, which grows by quarters and drops its oldest quarter if full."""

    def __init__(self, width: int, tables: int, capacity: int) -> None:
        self._capacity = capacity
        self.first = 0
        self.count = 0
        self.tables = [np.full((_FIRST, width), np.nan, np.float32) for _ in range(tables)]

    def set_capacity(self, capacity: int) -> None:
        """Set the largest number of bins, and keep the newest ones."""
        self._capacity = capacity
        if self.count > capacity:
            self._drop(self.stop - capacity)
        if len(self.tables[0]) > capacity:
            self.tables = [table[:capacity].copy() for table in self.tables]

    @property
    def stop(self) -> int:
        return self.first + self.count

    def make_room(self, stop: int) -> None:
        """Extend the level to `stop`; an empty level starts at most its capacity before `stop`."""
        if stop <= self.stop:
            return
        if stop - self.first > self._capacity:
            self._drop(max(stop - self._capacity, self.first + self._capacity // 4))
        self.count = stop - self.first
        size = len(self.tables[0])
        if self.count > size:
            grown = min(self._capacity, max(size + size // 4, self.count))
            for i, table in enumerate(self.tables):
                larger = np.empty((grown, table.shape[1]), np.float32)
                larger[:size] = table
                larger[size:] = np.nan
                self.tables[i] = larger

    def _drop(self, first: int) -> None:
        dropped = first - self.first
        for table in self.tables:
            if dropped < self.count:
                table[: self.count - dropped] = table[dropped : self.count]
            table[max(0, self.count - dropped) : self.count] = np.nan
        self.count = max(0, self.count - dropped)
        self.first = first


class Pyramid:
    """Table of `width` columns, which is written in any order and read by spans.

    Parameters
    ----------
    width : int
        Number of columns.
    limit : int
        Memory limit, bytes; a quarter is for level 0.
    """

    def __init__(self, width: int, limit: int = _BYTES) -> None:
        self.width = width
        self._levels = [_Level(width, 3 if number else 1, _FEWEST) for number in range(_LEVELS)]
        self.set_limit(limit)

    def set_limit(self, limit: int) -> None:
        """Set the memory limit, bytes; the oldest rows lose detail first."""
        for number, level in enumerate(self._levels):
            bytes_of_bin = 4 * len(level.tables) * max(1, self.width)
            budget = limit * _SHARES[number] // sum(_SHARES)
            level.set_capacity(max(_FEWEST, budget // bytes_of_bin // BLOCK * BLOCK))

    @property
    def nbytes(self) -> int:
        """Used memory, bytes."""
        return sum(table.nbytes for level in self._levels for table in level.tables)

    def write(self, start: int, values: NDArray[np.floating]) -> None:
        """Set rows from `start` to `values` (k, width); each row is written once."""
        if not len(values):
            return
        low = high = sample = np.ascontiguousarray(values, dtype=np.float32)
        at = start  # bin of the first of the samples
        for number, level in enumerate(self._levels):
            if number:
                if len(sample):
                    sample = sample[-at % _FACTOR :: _FACTOR]
                    at = -(-at // _FACTOR)
                edges = np.arange((-start) % _FACTOR, len(low), _FACTOR)
                if not len(edges) or edges[0]:
                    edges = np.concatenate([[0], edges])
                low = np.fmin.reduceat(low, edges, axis=0)
                high = np.fmax.reduceat(high, edges, axis=0)
                start //= _FACTOR
            stop = start + len(low)
            level.make_room(stop)
            skip = max(0, level.first - start)
            if skip < len(low):
                part = slice(start + skip - level.first, stop - level.first)
                if number:
                    # Bins at the ends can contain rows written earlier.
                    np.fmin(level.tables[0][part], low[skip:], out=level.tables[0][part])
                    np.fmax(level.tables[1][part], high[skip:], out=level.tables[1][part])
                    if len(sample):
                        newer = sample[max(0, level.first - at) :]
                        first = max(at, level.first) - level.first
                        level.tables[2][first : first + len(newer)] = newer
                else:
                    level.tables[0][part] = low[skip:]

    def row(self, index: int) -> Float32Array | None:
        """Return the values of one row; None if they are unknown or no longer stored."""
        level = self._levels[0]
        if not level.first <= index < level.stop:
            return None
        values: Float32Array = level.tables[0][index - level.first]
        return values if np.isfinite(values).any() else None

    def envelope(self, start: int, stop: int, bins: int) -> Envelope:
        """Return rows start to stop in at most about `bins` bins, with borders that do not depend on the span.

        Bins at both ends can extend beyond the span.
        """
        return self.binned(start, stop, stride_for(stop - start, bins))

    def binned(self, start: int, stop: int, stride: int) -> Envelope:
        """Return rows start to stop in bins of `stride` rows (a power of 2), or more if the first are very old."""
        number = self._level_of(stride)
        # Only coarser levels have very old rows.
        while number < _LEVELS - 1 and start // _FACTOR**number < self._levels[number].first:
            number += 1
        size = _FACTOR**number
        stride = max(stride, size)
        level = self._levels[number]
        per = stride // size
        first = start // stride
        last = -(-stop // stride)
        rows = np.arange(first, last, dtype=np.int64) * stride
        a = first * per - level.first
        b = min(last * per, level.stop) - level.first
        low = level.tables[0]
        high = level.tables[1 if number else 0]
        lead = max(0, -a)
        low, high = low[max(0, a) : max(0, b)], high[max(0, a) : max(0, b)]
        if lead:
            nothing = np.full((lead, self.width), np.nan, np.float32)
            low, high = np.concatenate([nothing, low]), np.concatenate([nothing, high])
        if per > 1 and len(low):
            low, high = _coarser(low, per, np.fmin), _coarser(high, per, np.fmax)
        return Envelope(rows[: len(low)], stride, low, high)

    def reach(self, stride: int) -> int:
        """Return the first row that is stored in bins of `stride` rows (a power of 2)."""
        number = self._level_of(stride)
        return int(self._levels[number].first * _FACTOR**number)

    @staticmethod
    def _level_of(stride: int) -> int:
        return min((stride.bit_length() - 1) // 3, _LEVELS - 1)

    def samples(self, start: int, stop: int, stride: int) -> Samples:
        """Return the rows from start to stop at multiples of `stride` (a power of 2); old rows can be missing.

        Tables with the same levels return the same rows.
        """
        rows = [np.empty(0, np.int64)]
        parts = [np.empty((0, self.width), np.float32)]
        for number in range(self._level_of(stride), _LEVELS):
            level = self._levels[number]
            size = _FACTOR**number
            step = max(stride, size)
            first = -(-max(start, level.first * size) // step) * step
            row = np.arange(first, min(stop, level.stop * size), step, dtype=np.int64)
            if len(row):
                rows.append(row)
                parts.append(level.tables[2 if number else 0][row // size - level.first])
                stop = first
            if stop <= start:
                break
        return Samples(np.concatenate(rows[::-1]), np.concatenate(parts[::-1]))
