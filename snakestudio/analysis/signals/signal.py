"""A signal: an expression over the columns of a run that can be evaluated for any of its rows."""

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
"""Number of rows per evaluation; more if a filter needs them. A multiple of the blocks of stored states
(`running`)."""


class Signal:
    """A parsed expression.

    Attributes
    ----------
    text : str
        The text as entered.
    columns : tuple of str
        Columns of the run that it reads.
    other_columns : tuple of str
        Columns of the other run that it reads.
    unit : str
        In the form used at the end of column names ("mps", "nm"); "" for a plain number and for unknown units.
        The text for people is `model.column_units.unit_text`.
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
        """Return the values at the rows `start` to `stop`; NaN where it has none.

        Filters use rows on both sides and integrals all previous rows, so the values of a piece equal those of
        the whole up to rounding. Rows are read in pieces, so memory does not grow with
        the length of the run.

        Raises `SignalError` if a run lacks a column, or has too few rows per second for a filter.
        Raises `IndexError` if the recording has no such rows.

        Parameters
        ----------
        recording : Recording
            The run; it may still grow.
        start, stop : int
            Rows among the current ones; all of them if omitted.
        other : Recording, optional
            Run to which ``other.`` refers, evaluated at the times of this run (interpolated linearly, NaN beyond
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
        """Yield the same in pieces: first row and values of each piece, in order.

        The length of the recording is that at the first piece.
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
        """Return the row up to which the values from row `start` on no longer change when rows are appended.

        Parameters
        ----------
        recording : Recording
            The run, which may still grow.
        start, stop : int
            Rows among the current ones.
        other : Recording, optional
            Run to which ``other.`` refers.

        Returns
        -------
        int
            `start` if that row can still change, at most `stop`.
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


def compile_signal(
    text: str, names: Sequence[str], other_names: Sequence[str] = (), check_units: bool = False
) -> Signal:
    """Parse an expression over columns.

    Raises `SignalError` if it is invalid, with the position in the text and a remedy.

    Parameters
    ----------
    text : str
        For example ``norm(link_6_v?_mps)``, ``lowpass(derivative(com_x_m), 5)`` or ``link_6_x_m -
        other.link_6_x_m``; the functions are in `FUNCTIONS`.
    names : sequence of str
        Available columns: `column_names(recording.schema)`.
    other_names : sequence of str
        Columns of a second run.
    check_units : bool
        Whether values of different units cannot be added or compared; otherwise the result has no
        unit.
    """
    node = read(text, names, other_names, check_units=check_units)
    if not node.all_columns and not _uses_time(node):
        raise SignalError(
            f"'{text.strip()[:40]}' is the same at every time", "use a column of the run in it"
        )
    return Signal(text, node)


def _uses_time(node: Node) -> bool:
    return isinstance(node, Time) or any(_uses_time(part) for part in node.parts)


SpectrumWindow = Literal["rectangular", "hann", "hamming", "blackman", "flattop"]
"""Window function: rectangular (no tapering), hann for frequencies close to each other, flattop for
amplitudes."""

_FEWEST = 8
"""Smallest number of rows for which a dominant frequency is computed."""


@dataclass(frozen=True, slots=True)
class SpanStatistics:
    """Statistics of a span; NaN for too few values. All rows have the same weight in the means."""

    count: int
    """Number of rows with a value."""

    gaps: int
    """Number of rows without a value."""

    minimum: float
    """Smallest value, in the signal's unit."""

    maximum: float
    """Largest value, in the signal's unit."""

    mean: float
    """Mean, in the signal's unit."""

    rms: float
    """Root mean square, in the signal's unit."""

    std: float
    """Standard deviation from the mean, in the signal's unit."""

    peak_to_peak: float
    """Difference of the largest and the smallest value, in the signal's unit."""

    slope: float
    """Slope of the least-squares line, unit per s."""

    integral: float
    """Integral over time by the trapezoidal rule, unit times s; gaps are bridged by straight lines."""

    dominant_hz: float
    """Frequency of the strongest oscillation about the least-squares line, Hz."""


def known(times: ArrayLike, values: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the times and values of the rows that have a value."""
    t, x = np.asarray(times, np.float64), np.asarray(values, np.float64)
    valid = np.isfinite(x)
    return t[valid], x[valid]


def spectrum(
    times: ArrayLike, values: ArrayLike, window: SpectrumWindow = "hann"
) -> tuple[FloatArray, FloatArray]:
    """Return the one-sided amplitude spectrum.

    A sine of amplitude A at one of the returned frequencies has the value A with any window
    (between two frequencies a little less: up to 36 % with "rectangular", 15 % with "hann", 0.1 %
    with "flattop"). The value at 0 Hz is the absolute mean, which is subtracted before the window
    is applied. Gaps are bridged by straight lines, and uneven times are resampled linearly at the
    median interval.

    Parameters
    ----------
    times : (n,)
        Times in ascending order, s.
    values : (n,)
        Values; NaN for gaps.
    window : str
        One of `SpectrumWindow`.

    Returns
    -------
    frequency, amplitude : (n // 2 + 1,)
        Hz, and in the unit of the values; both empty for fewer than two values.
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
        amplitude[-1] *= 0.5  # half the sampling rate has no negative counterpart
    amplitude[0] = abs(mean)
    return np.asarray(np.fft.rfftfreq(len(x), step), np.float64), np.asarray(amplitude, np.float64)


def _evenly(t: FloatArray, x: FloatArray) -> tuple[float, FloatArray]:
    """Return the interval and values of the signal resampled at even times from first to last."""
    count = max(round((t[-1] - t[0]) / float(np.median(np.diff(t)))), 1) + 1
    grid = np.linspace(t[0], t[-1], count)
    step = (t[-1] - t[0]) / (count - 1)
    if len(t) == count and np.all(np.abs(t - grid) <= 1e-3 * step):
        return step, x
    return step, np.interp(grid, t, x)


def statistics(times: ArrayLike, values: ArrayLike) -> SpanStatistics:
    """Return the statistics of a span.

    Parameters
    ----------
    times, values : (n,)
        Times in ascending order, s, and values; NaN for gaps.
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
    """Return the frequency of the highest peak, interpolated by a parabola through the logarithms of the spectrum."""
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
