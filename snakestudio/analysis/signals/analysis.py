"""Figures of a span of a signal: its spectrum and its statistics, gaps and uneven times allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from snakestudio._arrays import FloatArray
from snakestudio.analysis.signals.reductions import known

__all__ = ["SpanStatistics", "SpectrumWindow", "spectrum", "statistics"]

SpectrumWindow = Literal["rectangular", "hann", "hamming", "blackman", "flattop"]
"""How the ends of a span are faded: not at all, for frequencies close to each other (hann), for sizes (flattop)."""

_FEWEST = 8
"""A span of less rows has no frequency worth naming."""


@dataclass(frozen=True, slots=True)
class SpanStatistics:
    """Figures of a span; NaN where there are too few values. Every row counts the same in the means.

    Attributes
    ----------
    count, gaps : int
        Rows with a value, and without one.
    minimum, maximum, mean, rms, std, peak_to_peak : float
        In the signal's unit; `std` is the root of the mean squared distance from the mean.
    slope : float
        Of the straight line with the least squared distance, unit per s.
    integral : float
        Over time, by trapezoids, unit times s; gaps are bridged by straight lines.
    dominant_hz : float
        Frequency of the strongest oscillation about that line, Hz.
    """

    count: int
    gaps: int
    minimum: float
    maximum: float
    mean: float
    rms: float
    std: float
    peak_to_peak: float
    slope: float
    integral: float
    dominant_hz: float


def spectrum(times: ArrayLike, values: ArrayLike, window: SpectrumWindow = "hann") -> tuple[FloatArray, FloatArray]:
    """Amplitude spectrum, one-sided.

    A sine of amplitude A whose frequency is one of those returned shows as A, whatever the window (between two of them
    a little less: up to 36 % with "rectangular", 15 % with "hann", 0.1 % with "flattop"). At 0 Hz stands the size of
    the mean, which is taken out before the window is laid over the values. Gaps are bridged by straight lines, and
    uneven times are resampled, linearly, at the median interval.

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
    low, high, mean = float(x.min()), float(x.max()), float(x.mean())
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
    )  # fmt: skip


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
