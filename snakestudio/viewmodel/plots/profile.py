"""Charts of profiles: a quantity along a continuous body from head to tail at one time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.run_time import run_time
from snakestudio.viewmodel.plots.chart_data import Axis, ChartData, Trace
from snakestudio.viewmodel.plots.overlaid import Overlay
from snakestudio.viewmodel.plots.plot_type import CurveSpec, PlotType
from snakestudio.viewmodel.plots.scale import fitted, readable
from snakestudio.viewmodel.plots.series_cache import SeriesCache

HOLDS = ("contact_*_active", "contact_*_abscissa_m")
"""Series of the states and abscissas of anchors and supports."""

_BINS = 200


def compose_profile(
    view: PlotType,
    lines: Sequence[CurveSpec],
    series_cache: SeriesCache,
    row: int | None,
    values: tuple[float, float] | None = None,
    overlaid: Sequence[tuple[Overlay, Sequence[CurveSpec]]] = (),
) -> ChartData:
    """Return the chart of `view` at a row of the recording, with other recordings at the same time.

    The value axis covers the known part of the run, so that it does not jump when the cursor moves.

    Parameters
    ----------
    lines : sequence of CurveSpec
        One curve, whose series has one column per cross-section.
    values : (float, float), optional
        Fixed ends of the value axis; they follow the data if omitted.
    overlaid : sequence of (Overlay, sequence of Line)
    """
    chart_data = ChartData(
        0.0,
        1.0,
        unit=lines[0].unit if lines else "",
        levels=[(0.0, "")],
        across="body",
        across_unit="m",
    )
    extents: list[tuple[float, float]] = []
    time = math.nan
    if series_cache.recording is not None and series_cache.recording.schema.sections:
        chart_data.stop = series_cache.recording.schema.sections[-1]
        if row is not None:
            time = float(series_cache.recording.times[row])
            _add(chart_data, lines, series_cache, row, extents)
            _add_ticks(chart_data, series_cache, row)
    for overlay, over in overlaid:
        recording = overlay.series_cache.recording
        if recording is None or not len(recording) or not recording.schema.sections:
            continue
        chart_data.stop = max(chart_data.stop, recording.schema.sections[-1])
        at = math.inf if math.isnan(time) else time
        if at <= float(recording.times[-1]) or math.isinf(at):  # a curve ends where its run ended
            nearest = len(recording) - 1 if math.isinf(at) else recording.index_at(at)
            _add(chart_data, over, overlay.series_cache, nearest, extents)
    low, high = min((e[0] for e in extents), default=0.0), max((e[1] for e in extents), default=1.0)
    chart_data.axes = [
        Axis(*fitted(min(low, 0.0), max(high, 0.0), from_zero=False, least=view.least))
    ]
    if values is not None:
        chart_data.axes[0].low, chart_data.axes[0].high = values
    return chart_data


def _add(
    chart_data: ChartData,
    lines: Sequence[CurveSpec],
    series_cache: SeriesCache,
    row: int,
    extents: list[tuple[float, float]],
) -> None:
    """Add curves at a row, and the ranges of their quantities in the run."""
    assert series_cache.recording is not None
    abscissa = np.array(series_cache.recording.schema.sections)
    for line in lines:
        values = series_cache.values_at(line.series, row)
        if values is None:
            continue
        chart_data.traces.append(Trace(abscissa, values, values, line.colour, line.name))
        known = series_cache.envelope(line.series, 0, len(series_cache.recording), _BINS)
        parts: list[NDArray[np.floating]] = (
            [values] if known is None or not len(known.row) else [values, known.low, known.high]
        )
        lows = [float(np.fmin.reduce(part, axis=None)) for part in parts]
        highs = [float(np.fmax.reduce(part, axis=None)) for part in parts]
        extents += [
            (low, high) for low, high in zip(lows, highs, strict=True) if math.isfinite(low + high)
        ]


def _add_ticks(chart_data: ChartData, series_cache: SeriesCache, row: int) -> None:
    active, places = (series_cache.values_at(key, row) for key in HOLDS)
    if active is None or places is None:
        return
    chart_data.ticks = [
        (float(position), bool(holds > 0.5))
        for holds, position in zip(active, places, strict=True)
        if math.isfinite(position)
    ]


def profile_legend(
    chart_data: ChartData, time: float | None, at: float | None
) -> list[tuple[str, str]]:
    """Return colours and texts of all curves with values at an abscissa (m), or their largest values."""
    entries: list[tuple[str, str]] = []
    for trace in chart_data.traces:
        known = np.isfinite(trace.low)
        if not known.any():
            continue
        if at is None:
            abscissa = float(trace.time[np.nanargmax(np.abs(trace.low))])
        else:
            abscissa = min(max(at, float(trace.time[0])), float(trace.time[-1]))
        value = float(np.interp(abscissa, trace.time, trace.low))
        most = "peak " if at is None else ""
        entries.append((trace.colour, f"{most}{readable(value, '')} at {abscissa:.3g} m"))
    if time is not None:
        entries.insert(1, ("#00000000", f"t {run_time(time, 2)}"))
    return entries
