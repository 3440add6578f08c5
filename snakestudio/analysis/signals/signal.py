"""A signal: an expression over the columns of a run, evaluated for any of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from snakestudio._arrays import FloatArray
from snakestudio.analysis.signals.nodes import Node, Reading, Time, evaluate
from snakestudio.analysis.signals.reader import read
from snakestudio.errors import SignalError
from snakestudio.model.column_units import ending_of
from snakestudio.model.recording import Recording

PIECE = 16384
"""Rows that are worked on at a time; more where a filter looks far. Whole blocks of what is carried
on (`running`)."""


class Signal:
    """An expression that was read.

    Attributes
    ----------
    text : str
        As it was typed.
    columns : tuple of str
        Columns of the run that it reads.
    other_columns : tuple of str
        Columns that it reads of the other run.
    unit : str
        As the ending of a column's name ("mps", "nm"); "" for a plain number or what is not known.
        For people see `model.column_units.unit_text`.
    """

    def __init__(self, text: str, node: Node) -> None:
        self.text = text
        self._node = node
        columns = node.all_columns
        self.columns = tuple(sorted(name for name, other in columns if not other))
        self.other_columns = tuple(sorted(name for name, other in columns if other))
        self.unit = ending_of(node.unit)

    def __repr__(self) -> str:
        return f"<Signal {self.text!r}>"

    def values(
        self,
        recording: Recording,
        start: int = 0,
        stop: int | None = None,
        other: Recording | None = None,
    ) -> FloatArray:
        """Its values at the rows `start` to `stop`; NaN where it has none.

        Filters look at rows on both sides and integrals at all before, so the values of a piece are
        those of the whole to rounding. Rows are read some at a time, so memory does not grow with
        the length of the run.

        Raises `SignalError` if a run lacks a column, or has too few rows a second for a filter.
        Raises `IndexError` if the recording has no such rows.

        Parameters
        ----------
        recording : Recording
            The run; it may still grow.
        start, stop : int
            Rows, within those there are now; all of them if left out.
        other : Recording, optional
            What ``other.`` means, at the times of this run (linearly between its rows, NaN beyond
            its ends).

        Returns
        -------
        (stop - start,) array
        """
        stop = len(recording) if stop is None else stop
        parts = [values for _, values in self.pieces(recording, start, stop, other)]
        return np.concatenate(parts) if parts else np.empty(0)

    def pieces(
        self, recording: Recording, start: int, stop: int, other: Recording | None = None
    ) -> Iterator[tuple[int, FloatArray]]:
        """The same piece by piece: the first row and the values of each, in order.

        The recording counts as it is when the first piece is asked for.
        """
        reading = Reading(recording, other)
        reading.check(self._node.all_columns)
        if not 0 <= start <= stop <= len(reading):
            raise IndexError(f"rows {start} to {stop} of {len(reading)}")
        first = start
        while first < stop:
            last = min((first // PIECE + 1) * PIECE, stop)
            a, b = self._node.reach(reading, first, last)
            last = min(max(last, first + 2 * (b - a - PIECE)), stop)
            yield first, evaluate(self._node, reading, first, last)
            first = last

    def settled_until(
        self, recording: Recording, start: int, stop: int, other: Recording | None = None
    ) -> int:
        """How far the values from row `start` on stay as they are whatever rows the recording still gets.

        Parameters
        ----------
        recording : Recording
            The run, still growing.
        start, stop : int
            Rows, within those there are now.
        other : Recording, optional
            What ``other.`` means.

        Returns
        -------
        int
            `start` where not even that row is settled, at most `stop`.
        """
        reading = Reading(recording, other)
        settled = start
        open_ = stop + 1
        while open_ - settled > 1:
            middle = (settled + open_) // 2
            if self._node.settled(reading, start, middle):
                settled = middle
            else:
                open_ = middle
        return settled


def compile_signal(text: str, names: Sequence[str], other_names: Sequence[str] = ()) -> Signal:
    """Read an expression over columns.

    Raises `SignalError` if it cannot be used, with the place in the text and what to do.

    Parameters
    ----------
    text : str
        For example ``norm(link_6_v?_mps)``, ``lowpass(derivative(com_x_m), 5)`` or ``link_6_x_m -
        other.link_6_x_m``; the functions are in `FUNCTIONS`.
    names : sequence of str
        Columns there are: `column_names(recording.schema)`.
    other_names : sequence of str
        Those of a second run.
    """
    node = read(text, names, other_names)
    if not node.all_columns and not _uses_time(node):
        raise SignalError(
            f"'{text.strip()[:40]}' is the same at every moment", "name a column of the run in it"
        )
    return Signal(text, node)


def _uses_time(node: Node) -> bool:
    return isinstance(node, Time) or any(_uses_time(part) for part in node.parts)


SpectrumWindow = Literal["rectangular", "hann", "hamming", "blackman", "flattop"]
"""How the ends of a span are faded: not at all, for frequencies close to each other (hann), for
sizes (flattop)."""

_FEWEST = 8
"""A span of less rows has no frequency worth naming."""


@dataclass(frozen=True, slots=True)
class SpanStatistics:
    """Figures of a span; NaN where there are too few values. Every row counts the same in the means."""

    count: int
    gaps: int
    """`count` and `gaps`: rows with a value, and without one."""

    minimum: float
    maximum: float
    mean: float
    rms: float
    std: float
    peak_to_peak: float
    """`minimum`, `maximum`, `mean`, `rms`, `std` and `peak_to_peak`: in the signal's unit; `std` is
    the root of the mean squared distance from the mean."""

    slope: float
    """Of the straight line with the least squared distance, unit per s."""

    integral: float
    """Over time, by trapezoids, unit times s; gaps are bridged by straight lines."""

    dominant_hz: float
    """Frequency of the strongest oscillation about that line, Hz."""


def known(times: ArrayLike, values: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Times and values of the rows that have one."""
    t, x = np.asarray(times, np.float64), np.asarray(values, np.float64)
    there = np.isfinite(x)
    return t[there], x[there]


def spectrum(
    times: ArrayLike, values: ArrayLike, window: SpectrumWindow = "hann"
) -> tuple[FloatArray, FloatArray]:
    """Amplitude spectrum, one-sided.

    A sine of amplitude A whose frequency is one of those returned shows as A, whatever the window
    (between two of them a little less: up to 36 % with "rectangular", 15 % with "hann", 0.1 % with
    "flattop"). At 0 Hz stands the size of the mean, which is taken out before the window is laid
    over the values. Gaps are bridged by straight lines, and uneven times are resampled, linearly,
    at the median interval.

    Parameters
    ----------
    times : (n,)
        s, ascending.
    values : (n,)
        NaN for gaps.
    window : str
        One of `SpectrumWindow`.

    Returns
    -------
    frequency, amplitude : (n // 2 + 1,)
        Hz, and in the unit of the values; both empty where there are less than two values.
    """
    t, x = known(times, values)
    if len(t) < 2 or not t[-1] > t[0]:
        return np.zeros(0), np.zeros(0)
    step, x = _evenly(t, x)
    from scipy import signal

    mean = float(x.mean())
    fade = signal.get_window("boxcar" if window == "rectangular" else window, len(x))
    amplitude = np.abs(np.fft.rfft((x - mean) * fade)) * (2.0 / fade.sum())
    if len(x) % 2 == 0:
        amplitude[-1] *= 0.5  # half the sampling rate has no negative twin
    amplitude[0] = abs(mean)
    return np.asarray(np.fft.rfftfreq(len(x), step), np.float64), np.asarray(amplitude, np.float64)


def _evenly(t: FloatArray, x: FloatArray) -> tuple[float, FloatArray]:
    """Values at even times from the first to the last, and how far those are apart."""
    count = max(round((t[-1] - t[0]) / float(np.median(np.diff(t)))), 1) + 1
    grid = np.linspace(t[0], t[-1], count)
    step = (t[-1] - t[0]) / (count - 1)
    if len(t) == count and np.all(np.abs(t - grid) <= 1e-3 * step):
        return step, x
    return step, np.interp(grid, t, x)


def statistics(times: ArrayLike, values: ArrayLike) -> SpanStatistics:
    """Figures of a span.

    Parameters
    ----------
    times, values : (n,)
        s, ascending; NaN for gaps.
    """
    t, x = known(times, values)
    gaps = int(np.size(values)) - len(x)
    nan = float("nan")
    if not len(x):
        return SpanStatistics(0, gaps, nan, nan, nan, nan, nan, nan, nan, nan, nan)
    low = float(x.min())
    high = float(x.max())
    mean = float(x.mean())
    rms = float(np.sqrt(np.mean(x * x)))
    slope = dominant = nan
    integral = 0.0
    if t[-1] > t[0]:
        centred = t - t.mean()
        slope = float(centred @ (x - mean) / (centred @ centred))
        integral = float(np.trapezoid(x, t))
        dominant = _dominant(t, x - mean - slope * centred)
    return SpanStatistics(
        len(x), gaps, low, high, mean, rms, float(x.std()), high - low, slope, integral, dominant
    )


def _dominant(t: FloatArray, x: FloatArray) -> float:
    """Frequency of the highest peak, between the lines of the spectrum by a parabola through their logarithms."""
    if len(t) < _FEWEST or float(np.ptp(x)) <= 1e-12 * max(1e-300, float(np.abs(x).max()) + 1e-300):
        return float("nan")
    frequency, amplitude = spectrum(t, x, "hann")
    inner = amplitude[1:]
    k = int(np.argmax(inner)) + 1
    if not amplitude[k] > 0.0:
        return float("nan")
    if k in (1, len(amplitude) - 1) or min(amplitude[k - 1], amplitude[k + 1]) <= 0.0:
        return float(frequency[k])
    a, b, c = np.log(amplitude[k - 1 : k + 2])
    shift = 0.5 * (a - c) / (a - 2.0 * b + c) if a - 2.0 * b + c < 0.0 else 0.0
    return float(frequency[k] + shift * (frequency[1] - frequency[0]))
