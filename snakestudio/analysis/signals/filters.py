"""Functions over a time window: derivative, filters, moving mean and median, delay.

Filters are centred, so they do not shift signals in time, and treat each stretch between gaps (NaN)
separately. They are convolutions with their impulse response: importing scipy's filters takes two
seconds, during which a window would not respond.
"""

from __future__ import annotations

import bisect
import math
from abc import abstractmethod
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.signals.nodes import Block, Node, Reading
from snakestudio.errors import SignalError
from snakestudio.model.column_units import combined, of_column

_SECOND = of_column("time_s")

_PASSES = (math.sqrt(2.0) - 1.0) ** 0.25
"""Factor of the cut-off frequency with which two passes of a second-order Butterworth filter let half the
power pass at that frequency."""

_FORGOTTEN = 1e-15
"""Remaining weight of a row at the end of a filter's window."""

_MOST_ROWS = 4_000_000
"""Largest number of rows in a filter's window: a few hundred megabytes."""

_MOST_SORTED = 20_000
"""The same for a median, which sorts the rows."""


class _Window(Node):
    """A function of one part that reads rows on both sides of each row."""

    def __init__(self, part: Node) -> None:
        super().__init__(part.unit, (part,))

    @property
    def part(self) -> Node:
        return self.parts[0]

    @abstractmethod
    def window(self, reading: Reading, start: int, stop: int) -> tuple[int, int]:
        """Return the rows of its part that are needed for the rows `start` to `stop`."""

    def reach(self, reading: Reading, start: int, stop: int) -> tuple[int, int]:
        """Return the reach of its part, extended by the window."""
        return self.part.reach(reading, *self.window(reading, start, stop))

    def settled(self, reading: Reading, start: int, stop: int) -> bool:
        """False where the window is truncated at the end of the recording."""
        first, last = self.window(reading, start, stop)
        return last < len(reading) and self.part.settled(reading, first, last)


class Derivative(_Window):
    """Rate of change: slope of the parabola through a row and its neighbours (second order, also at the ends)."""

    def __init__(self, part: Node) -> None:
        super().__init__(part)
        self.unit = combined(part.unit, _SECOND, -1.0)

    def window(self, reading: Reading, start: int, stop: int) -> tuple[int, int]:
        """Return two more rows on each side, because an end needs as many."""
        return max(start - 2, 0), min(stop + 2, len(reading))

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """NaN next to a gap, and if a recording has only one row."""
        first, last = self.window(block.reading, start, stop)
        values = self.part.values(block, first, last)
        times = block.times(first, last)
        if len(values) < 2:
            return np.full(stop - start, np.nan)
        with np.errstate(all="ignore"):
            slopes = np.gradient(values, times, edge_order=2 if len(values) > 2 else 1)
        rates: FloatArray = slopes[start - first : stop - first]
        return rates


class _Filter(NamedTuple):
    """A filter for one of two passes."""

    response: FloatArray
    """Impulse response up to the end of its memory. Shape (m,)."""

    constant: float
    """Response to a constant 1."""

    @property
    def memory(self) -> int:
        """Number of rows after which the influence of a row has vanished."""
        return len(self.response)


def _memory(fraction: float) -> int:
    """Return the number of rows after which a filter at a fraction of the row rate has lost the influence of a row."""
    return (
        math.ceil(-1.3 * math.log(_FORGOTTEN) / (math.sqrt(2.0) * math.pi * max(fraction, 1e-300)))
        + 8
    )


@lru_cache(maxsize=16)
def _designed(kind: Literal["lowpass", "highpass"], fraction: float, rows: int) -> _Filter:
    """Return the second-order Butterworth filter at a fraction of the row rate, by the bilinear transform.

    The impulse response is truncated after `rows` rows.

    Its poles are a pair r exp(+-i theta), so that the impulse response of one over its denominator is
    r^n sin((n + 1) theta) / sin(theta).
    """
    warped = math.tan(math.pi * fraction)
    warped = warped / _PASSES if kind == "lowpass" else warped * _PASSES
    denominator = 1.0 + math.sqrt(2.0) * warped + warped * warped
    radius = math.sqrt((1.0 - math.sqrt(2.0) * warped + warped * warped) / denominator)
    angle = math.atan2(math.sqrt(2.0) * warped, 1.0 - warped * warped)
    memory = (
        math.ceil(1.3 * math.log(_FORGOTTEN) / math.log(min(max(radius, 1e-3), 1.0 - 1e-15))) + 8
    )
    memory = min(memory, rows)
    count = np.arange(memory)
    poles = radius**count * np.sin((count + 1) * angle) / math.sin(angle)
    first, middle = (
        (warped * warped / denominator, 2.0) if kind == "lowpass" else (1.0 / denominator, -2.0)
    )
    response = poles.copy()
    response[1:] += middle * poles[:-1]
    response[2:] += poles[:-2]
    return _Filter(first * response, 1.0 if kind == "lowpass" else 0.0)


class Butterworth(_Window):
    """Second-order Butterworth filter, forwards and backwards: no shift in time, half the power passes at `hz`.

    Rows at uneven times are resampled linearly at even times, filtered, and resampled back.
    """

    def __init__(self, kind: Literal["lowpass", "highpass"], part: Node, hz: float) -> None:
        super().__init__(part)
        self._kind = kind
        self._hz = hz

    def _filter(self, reading: Reading) -> _Filter:
        """Return the filter for the rate of the rows."""
        rate = 1.0 / reading.interval
        if not self._hz < 0.5 * rate:
            raise SignalError(
                f"{self._kind} at {self._hz:g} Hz: the run has {rate:.4g} rows per second, so there are no frequencies "
                f"above {0.5 * rate:.4g} Hz",
                "give a lower frequency, or record at a higher rate",
            )
        # A run that is shorter than the filter's memory does not need more of it.
        span = max(float(len(reading)), float(reading.times[-1] - reading.times[0]) * rate + 2.0)
        if min(_memory(self._hz / rate), 3.0 * span) > _MOST_ROWS:
            least = rate * _memory(1.0) / _MOST_ROWS
            raise SignalError(
                f"{self._kind} at {self._hz:g} Hz needs more than {_MOST_ROWS} rows for each value",
                f"give at least {1.1 * least:.2g} Hz, or record at a lower rate",
            )
        return _designed(self._kind, self._hz / rate, 1 << math.ceil(math.log2(3.0 * span)))

    def window(self, reading: Reading, start: int, stop: int) -> tuple[int, int]:
        """Return the rows within the filter's memory on both sides."""
        if len(reading) < 3:
            return start, stop
        memory = self._filter(reading).memory
        if reading.even:
            return max(start - memory, 0), min(stop + memory, len(reading))
        margin = (memory + 2) * reading.interval
        times = reading.times
        return reading.from_time(times[start] - margin), reading.to_time(times[stop - 1] + margin)

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """Gaps remain gaps."""
        reading = block.reading
        if len(reading) < 3:
            return np.full(stop - start, np.nan)
        designed = self._filter(reading)
        first, last = self.window(reading, start, stop)
        values = self.part.values(block, first, last)
        times = block.times(first, last)
        filtered = np.full(len(values), np.nan)
        for a, b in _stretches(values):
            if reading.even:
                filtered[a:b] = _both_ways(designed, values[a:b])
                continue
            # Even times at fixed multiples of the step, independent of the requested rows.
            step = reading.interval
            zero = float(reading.times[0])
            grid = zero + step * np.arange(
                math.floor((times[a] - zero) / step), math.ceil((times[b - 1] - zero) / step) + 1
            )
            smooth = _both_ways(designed, np.interp(grid, times[a:b], values[a:b]))
            filtered[a:b] = np.interp(times[a:b], grid, smooth)
        return filtered[start - first : stop - first]


def _both_ways(designed: _Filter, values: FloatArray) -> FloatArray:
    """Filter forwards and backwards, extending the values by point reflection about their ends."""
    if len(values) < 2:
        return values if len(values) == 0 else np.full(len(values), np.nan)
    more = min(designed.memory, len(values) - 1)
    before = 2.0 * values[0] - values[more:0:-1]
    after = 2.0 * values[-1] - values[-2 : -more - 2 : -1]
    forwards = _forwards(designed, np.concatenate([before, values, after]))
    back = _forwards(designed, forwards[::-1])[::-1]
    return back[more : more + len(values)]


def _forwards(designed: _Filter, values: FloatArray) -> FloatArray:
    """Filter values, as if the first value had been constant before."""
    response = designed.response[: len(values)]
    size = 1 << (len(values) + len(response) - 2).bit_length()
    changed = np.fft.rfft(values - values[0], size) * np.fft.rfft(response, size)
    filtered: FloatArray = (
        np.fft.irfft(changed, size)[: len(values)] + designed.constant * values[0]
    )
    return filtered


def _stretches(values: FloatArray) -> Iterator[tuple[int, int]]:
    """Yield the stretches of consecutive values without a gap."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.isfinite(values).astype(np.int8), [0]])))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


class MovingMean(_Window):
    """Mean over the rows within half of `seconds` on both sides, ignoring gaps."""

    def __init__(self, part: Node, seconds: float) -> None:
        super().__init__(part)
        self._half = 0.5 * seconds * (1.0 + 1e-9)

    def window(self, reading: Reading, start: int, stop: int) -> tuple[int, int]:
        """Return half the window on both sides."""
        times = reading.times
        return reading.from_time(times[start] - self._half), reading.to_time(
            times[stop - 1] + self._half
        )

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """NaN if there is no value in the window."""
        first, last = self.window(block.reading, start, stop)
        values = self.part.values(block, first, last)
        times = block.times(first, last)
        valid = np.isfinite(values)
        # Without the mean, small changes of large values would be lost by rounding.
        middle = float(values[valid].mean()) if valid.any() else 0.0
        sums = np.concatenate([[0.0], np.cumsum(np.where(valid, values - middle, 0.0))])
        counts = np.concatenate([[0], np.cumsum(valid)])
        at = block.times(start, stop)
        a = np.searchsorted(times, at - self._half, "left")
        b = np.searchsorted(times, at + self._half, "right")
        with np.errstate(invalid="ignore"):
            means: FloatArray = (sums[b] - sums[a]) / (counts[b] - counts[a]) + middle
        return means


class RunningMedian(_Window):
    """Median of the rows within half of `seconds` on both sides, ignoring gaps. Removes single spikes."""

    def __init__(self, part: Node, seconds: float) -> None:
        super().__init__(part)
        self._seconds = seconds

    def _half(self, reading: Reading) -> int:
        if len(reading) < 2:
            return 0
        half = int(min(0.5 * self._seconds / reading.interval + 1e-6, len(reading)))
        if _MOST_SORTED < half < len(reading):
            raise SignalError(
                f"a median over {self._seconds:g} s sorts {2 * half + 1} rows for every row",
                f"give at most {2 * _MOST_SORTED * reading.interval:.3g} s, or more than the run is long",
            )
        return half

    def window(self, reading: Reading, start: int, stop: int) -> tuple[int, int]:
        """Return half the window on both sides."""
        half = self._half(reading)
        return max(start - half, 0), min(stop + half, len(reading))

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """NaN if there is no value in the window; the window is shorter at the ends of the recording."""
        half = self._half(block.reading)
        first, last = self.window(block.reading, start, stop)
        values = self.part.values(block, first, last)
        gap = ~np.isfinite(values)
        if half >= len(block.reading):  # all rows have the same median
            return np.full(stop - start, np.nan if gap.all() else np.median(values[~gap]))
        from scipy import ndimage

        size = 2 * half + 1
        medians: FloatArray = ndimage.median_filter(
            np.where(gap, 0.0, values), size=size, mode="nearest"
        )
        # Rows with a gap or an end of the recording in their window are computed one by one.
        broken = ndimage.maximum_filter1d(gap.astype(np.int8), size, mode="constant", cval=1) > 0
        for a, b in _stretches(np.where(broken, 0.0, np.nan)):
            medians[a:b] = _medians(values, a, b, half)
        return medians[start - first : stop - first]


def _medians(values: FloatArray, start: int, stop: int, half: int) -> list[float]:
    """Return the medians around the rows `start` to `stop`; the values in the moving window are kept sorted."""
    held = sorted(
        x for x in values[max(start - half, 0) : start + half].tolist() if math.isfinite(x)
    )
    medians = []
    for i in range(start, stop):
        if i + half < len(values) and math.isfinite(values[i + half]):
            bisect.insort(held, float(values[i + half]))
        if i - half - 1 >= 0 and i > start and math.isfinite(values[i - half - 1]):
            del held[bisect.bisect_left(held, float(values[i - half - 1]))]
        count = len(held)
        medians.append(0.5 * (held[(count - 1) // 2] + held[count // 2]) if count else math.nan)
    return medians


class Delay(_Window):
    """Value some time before (after, if `seconds` is negative), interpolated linearly between rows."""

    def __init__(self, part: Node, seconds: float) -> None:
        super().__init__(part)
        self._seconds = seconds

    def window(self, reading: Reading, start: int, stop: int) -> tuple[int, int]:
        """Return the rows around that time."""
        times = reading.times
        first = reading.from_time(times[start] - self._seconds)
        return first, max(reading.to_time(times[stop - 1] - self._seconds), first + 1)

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """Delayed values; NaN before the start of the recording and after its end."""
        first, last = self.window(block.reading, start, stop)
        values = self.part.values(block, first, last)
        times = block.times(first, last)
        shifted = block.times(start, stop) - self._seconds
        # A row at that exact time is used even if its time differs in the last bits.
        near = 1e-9 * max(1.0, abs(float(shifted[-1])))
        delayed = np.interp(shifted, times, values)
        delayed[(shifted < times[0] - near) | (shifted > times[-1] + near)] = np.nan
        return delayed
