"""Charts of amplitude spectra of curves over the time in view."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.ticks import step_above
from snakestudio.viewmodel.plots.chart_data import Axis, ChartData, Dot, Trace
from snakestudio.viewmodel.plots.overlaid import Overlay
from snakestudio.viewmodel.plots.plot_type import CurveSpec, PlotType
from snakestudio.viewmodel.plots.scale import fitted, readable, steady
from snakestudio.viewmodel.plots.series_cache import SeriesCache

if TYPE_CHECKING:
    from snakestudio.analysis.signals import SpectrumWindow

_MOST_ROWS = 1 << 17
"""Largest number of rows of a spectrum, the newest ones: twenty minutes at 100 Hz, 15 ms per curve."""
_LEAST_ROWS = 8
_DECADES_DOWN = 6.0
"""Number of decades that a logarithmic axis extends below its top."""
_MOST_POINTS = 4000
_MUCH = 0.02
_ROOM = 3.0
"""Share of the peak that is worth seeing, and how many times as far as that reaches the axis
does."""


class _Spectrum(NamedTuple):
    frequency: FloatArray
    amplitude: FloatArray
    since: int
    """First row of the spectrum."""


class Spectra:
    """Cache of spectra of curves."""

    def __init__(self) -> None:
        self._spectra: dict[tuple[object, ...], _Spectrum | None] = {}
        self._used: set[tuple[object, ...]] = set()

    def of(
        self,
        line: CurveSpec,
        series_cache: SeriesCache,
        first: int,
        stop: int,
        window: SpectrumWindow,
    ) -> _Spectrum | None:
        """Return the amplitude spectrum of a curve over rows first to stop; None if there is none."""
        key = (
            id(series_cache.recording),
            line.series,
            line.column,
            first,
            stop,
            window,
            series_cache.known(line.series),
        )
        self._used.add(key)
        if key not in self._spectra:
            self._spectra[key] = self._compute(line, series_cache, first, stop, window)
        return self._spectra[key]

    def discard_unused(self) -> None:
        """Discard spectra that were not used since the last call."""
        self._spectra = {key: value for key, value in self._spectra.items() if key in self._used}
        self._used = set()

    @staticmethod
    def _compute(
        line: CurveSpec, series_cache: SeriesCache, first: int, stop: int, window: SpectrumWindow
    ) -> _Spectrum | None:
        from snakestudio.analysis.signals import (
            spectrum,
        )  # slow to import and rarely needed

        samples = series_cache.samples(line.series, first, stop, 1)
        if samples is None or series_cache.recording is None:
            return None
        # Old rows are incomplete until they are read again, and would appear as low frequencies.
        thinned = np.flatnonzero(np.diff(samples.row) > 1)
        since = int(thinned[-1]) + 1 if len(thinned) else 0
        curve = samples.values[since:, line.column].astype(np.float64)
        valid = np.isfinite(curve)
        if valid.sum() < _LEAST_ROWS:
            return None
        times = series_cache.recording.times[samples.row[since:]]
        return _Spectrum(*spectrum(times[valid], curve[valid], window), int(samples.row[since]))


def compose_spectrum(
    view: PlotType,
    lines: Sequence[CurveSpec],
    series_cache: SeriesCache,
    spectra: Spectra,
    start: float,
    stop: float,
    limits: tuple[float, float] | None = None,
    values: tuple[float, float] | None = None,
    before: ChartData | None = None,
    overlaid: Sequence[tuple[Overlay, Sequence[CurveSpec]]] = (),
) -> ChartData:
    """Return the chart of the spectra of `lines` from start to stop (s).

    Parameters
    ----------
    start, stop : float
        Time span, s.
    limits : (float, float), optional
        Frequencies in view, Hz; all if omitted.
    values : (float, float), optional
        Fixed ends of the value axis; they follow the data if omitted.
    before : ChartData, optional
        Previous chart, whose axes are kept if they still fit.
    overlaid : sequence of (Overlay, sequence of Line)
    """
    chart_data = ChartData(across="frequency", across_unit="Hz", unit=view.unit)
    highest = 0.0
    busy = 0.0
    for memory, curves in (
        (series_cache, lines),
        *((overlay.series_cache, over) for overlay, over in overlaid),
    ):
        recording = memory.recording
        if recording is None or not len(recording):
            continue
        first = max(0, int(np.searchsorted(recording.times, start - 1e-9)))
        last = int(np.searchsorted(recording.times, stop + 1e-9))
        requested = first
        first = max(first, last - _MOST_ROWS)
        for line in curves:
            result = spectra.of(line, memory, first, last, view.window)
            if result is not None:
                if result.since > requested:
                    chart_data.note = (
                        "Of the last "
                        f"{recording.times[last - 1] - recording.times[result.since]:.0f} s in view."
                    )
                highest = max(highest, float(result.frequency[-1]))
                busy = max(busy, _busy_until(result))
                _add(chart_data, view, line, result, limits)
    spectra.discard_unused()
    if lines and not chart_data.traces:
        reading = series_cache.filling or any(
            overlay.series_cache.filling for overlay, _ in overlaid
        )
        chart_data.note = (
            "Reading the run..."
            if reading
            else "There are too few rows in view for a spectrum. Show a longer time span."
        )
    if busy > 0.0:  # whole steps, so that new data do not move the axis
        step = step_above(busy)
        highest = min(highest, math.ceil(_ROOM * busy / step) * step)
    chart_data.start, chart_data.stop = limits or (0.0, highest or 1.0)
    chart_data.axes = [_value_axis(chart_data, view, before)]
    if values is not None:
        chart_data.axes[0].low, chart_data.axes[0].high = values
    return chart_data


def _busy_until(spectrum: _Spectrum) -> float:
    """Return the highest significant frequency, Hz."""
    inner = spectrum.amplitude[1:]
    much = np.flatnonzero(inner > _MUCH * inner.max()) if len(inner) else np.zeros(0, np.int64)
    return float(spectrum.frequency[1 + much[-1]]) if len(much) else 0.0


def _add(
    chart_data: ChartData,
    view: PlotType,
    line: CurveSpec,
    spectrum: _Spectrum,
    limits: tuple[float, float] | None,
) -> None:
    frequency, amplitude, _ = spectrum
    low, high = limits or (0.0, float(frequency[-1]))
    step = float(frequency[1] - frequency[0])
    first = max(0, int(low / step) - 1)
    last = min(len(frequency), int(high / step) + 3)
    seen = frequency[first:last]
    sizes = amplitude[first:last]
    if not len(seen):
        return
    peak = int(np.argmax(np.where(seen > 0.5 * step, sizes, -1.0)))
    per = max(1, -(-len(seen) // _MOST_POINTS))
    if per > 1:  # the largest of neighbours, so that no peak is lost
        even = len(seen) // per * per
        sizes = sizes[:even].reshape(-1, per)
        largest = np.argmax(sizes, axis=1)
        rows = np.arange(len(sizes))
        seen = seen[:even].reshape(-1, per)[rows, largest]
        sizes = sizes[rows, largest]
        peak = int(np.argmax(np.where(seen > 0.5 * step, sizes, -1.0)))
    values = np.log10(np.maximum(sizes, 1e-30)) if view.decades else sizes
    chart_data.traces.append(Trace(seen, values, values, line.colour, line.name))
    if sizes[peak] > 0.0:
        label = f"{seen[peak]:.3g} Hz"
        chart_data.dots.append(Dot(float(seen[peak]), float(values[peak]), line.colour, label))


def _value_axis(chart_data: ChartData, view: PlotType, before: ChartData | None) -> Axis:
    highest = [float(np.max(trace.high)) for trace in chart_data.traces if len(trace.high)]
    top = max(
        (value for value in highest if math.isfinite(value)), default=0.0 if view.decades else 1.0
    )
    if view.decades:
        ceiling = math.ceil(top + 1e-9)
        return Axis(ceiling - _DECADES_DOWN, float(ceiling), decades=True)
    low, high = fitted(0.0, 1.05 * max(top, 1e-12), from_zero=True, least=1e-12)
    ends = (
        None
        if before is None or before.axes[0].decades
        else (before.axes[0].low, before.axes[0].high)
    )
    return Axis(*steady(low, high, ends))


def spectrum_legend(
    chart_data: ChartData, view: PlotType, at: float | None
) -> list[tuple[str, str]]:
    """Return colours and texts of all curves with their peaks, or amplitudes at a frequency (Hz)."""
    entries = []
    for trace in chart_data.traces:
        if at is not None:
            index = int(np.argmin(np.abs(trace.time - at)))
        else:
            index = int(np.argmax(np.where(trace.time > 0.0, trace.low, -np.inf)))
        where = float(trace.time[index])
        value = float(trace.low[index])
        value = 10.0**value if view.decades else value
        what = f"{trace.name} " if trace.name else ""
        entries.append((trace.colour, f"{what}{readable(value, '')} at {where:.3g} Hz"))
    return entries
