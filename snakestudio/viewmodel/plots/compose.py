"""Composition of charts from a time span of the cached series."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.model.ticks import step_above
from snakestudio.viewmodel.plots.chart_data import Axis, ChartData, Heat, Mark, Trace
from snakestudio.viewmodel.plots.overlaid import Overlay
from snakestudio.viewmodel.plots.plot_type import CurveSpec, PlotType
from snakestudio.viewmodel.plots.pyramid import Envelope
from snakestudio.viewmodel.plots.scale import fitted, readable, steady
from snakestudio.viewmodel.plots.series_cache import SeriesCache

Envelopes = dict[str, tuple[FloatArray, Envelope]]
"""Times and bins by key of a series."""

Overlaid = tuple[Overlay, Sequence[CurveSpec]]
"""Overlaid recording and its curves."""

_LEAST_RESIDUAL = 1e-14
"""Value at which a residual of 0 is shown."""
_MOST_POINTS = 9000
"""Largest number of points of all curves together."""
_INVITATION = "Drag channels here from the Channels panel."


def compose(
    view: PlotType,
    lines: Sequence[CurveSpec],
    series_cache: SeriesCache,
    start: float,
    stop: float,
    width: int,
    values: tuple[float, float] | None = None,
    before: ChartData | None = None,
    overlaid: Sequence[Overlaid] = (),
) -> ChartData:
    """Return the chart of `view` from start to stop (s), about `width` pixels wide.

    Parameters
    ----------
    lines : sequence of CurveSpec
        Curves of the view.
    values : (float, float), optional
        Fixed ends of the left axis; they follow the data if omitted.
    before : ChartData, optional
        Previous chart, whose axes are kept if they still fit.
    overlaid : sequence of (Overlay, sequence of Line)
        Other recordings on the same axes.
    """
    chart_data = ChartData(start, stop, unit=view.unit, levels=list(view.levels))
    bins = max(
        60, min(width, _MOST_POINTS // max(1, len(lines) + sum(len(over) for _, over in overlaid)))
    )
    envelopes = _envelopes(lines, series_cache, start, stop, bins)
    chart_data.stride = max((envelope.stride for _, envelope in envelopes.values()), default=1)
    if view.style == "heat":
        sections = () if series_cache.recording is None else series_cache.recording.schema.sections
        _add_heat(chart_data, view, lines, envelopes, sections)
    else:
        _add_traces(chart_data, view, lines, envelopes)
        for overlay, over in overlaid:
            _add_traces(
                chart_data,
                view,
                over,
                _envelopes(over, overlay.series_cache, start, stop, bins),
                dashed=True,
            )
        if view.style == "stacked":
            _stack(chart_data, view, [line.name for line in lines])
        else:
            _fit(chart_data, view, [] if before is None else before.axes)
    _add_marks(chart_data, view, series_cache, bins)
    if view.chosen and not lines:
        chart_data.note = _INVITATION
        chart_data.invites = True
    if values is not None:
        chart_data.axes[0].low, chart_data.axes[0].high = values
    return chart_data


def _envelopes(
    lines: Sequence[CurveSpec], series_cache: SeriesCache, start: float, stop: float, bins: int
) -> Envelopes:
    """Return the cached bins of the series of `lines` from start to stop (s)."""
    return _of_series({line.series for line in lines}, series_cache, start, stop, bins)


def _of_series(
    keys: set[str], series_cache: SeriesCache, start: float, stop: float, bins: int
) -> Envelopes:
    """Return the cached bins of some series from start to stop (s)."""
    envelopes: Envelopes = {}
    recording = series_cache.recording
    if recording is None or not len(recording):
        return envelopes
    times = recording.times
    first = max(0, int(np.searchsorted(times, start)) - 1)
    last = min(len(times), int(np.searchsorted(times, stop)) + 1)
    for key in keys:
        envelope = series_cache.envelope(key, first, last, bins)
        if envelope is not None and len(envelope.row):
            middle = np.minimum(envelope.row + (envelope.stride - 1) / 2, len(times) - 1)
            low = times[np.floor(middle).astype(np.int64)]
            high = times[np.ceil(middle).astype(np.int64)]
            envelopes[key] = (0.5 * (low + high), envelope)
    return envelopes


def _add_traces(
    chart_data: ChartData,
    view: PlotType,
    lines: Sequence[CurveSpec],
    envelopes: Envelopes,
    *,
    dashed: bool = False,
) -> None:
    for line in lines:
        if line.series not in envelopes:
            continue
        time, envelope = envelopes[line.series]
        low = envelope.low[:, line.column].astype(np.float64)
        high = envelope.high[:, line.column].astype(np.float64)
        if view.decades and line.axis == 0:
            low, high = _logarithms(chart_data, view, low, high)
        chart_data.traces.append(
            Trace(time, low, high, line.colour, line.name, line.axis, line.faint, dashed)
        )


def _logarithms(
    chart_data: ChartData, view: PlotType, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return decadic logarithms. A note reports values without one on a chosen axis; a residual of 0 becomes small."""
    if not view.chosen:
        return np.log10(np.maximum(low, _LEAST_RESIDUAL)), np.log10(
            np.maximum(high, _LEAST_RESIDUAL)
        )
    bad = high <= 0.0
    if bad.any() or (low <= 0.0).any():
        none = bool(bad[np.isfinite(high)].all())
        chart_data.note = (
            "A logarithmic axis cannot show these values, because none is positive. Turn it off in the plot menu."
            if none
            else "Values that are not positive are hidden, because the axis is logarithmic."
        )
    least = np.where(low > 0.0, low, high)  # the positive end of a bin that extends below 0
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bad, np.nan, np.log10(least)), np.where(bad, np.nan, np.log10(high))


def _add_marks(chart_data: ChartData, view: PlotType, series_cache: SeriesCache, bins: int) -> None:
    """Add marks at the starts and ends of a controller phase, on the first curve."""
    recording = series_cache.recording
    phase = view.phase(recording.schema) if recording is not None else None
    if phase is None or recording is None or not chart_data.traces:
        return
    entry = _of_series({phase[0]}, series_cache, chart_data.start, chart_data.stop, bins).get(
        phase[0]
    )
    if entry is None:
        return
    time, envelope = entry
    up = np.nan_to_num(envelope.high[:, 0]) > 0.5
    curve = chart_data.traces[0]
    for bin_ in np.flatnonzero(up[1:] != up[:-1]):
        begins = bool(up[bin_ + 1])
        at = float(time[bin_ + 1] if begins else time[bin_])
        middle = 0.5 * (
            np.interp(at, curve.time, curve.low) + np.interp(at, curve.time, curve.high)
        )
        chart_data.marks.append(Mark(at, float(middle), begins))


def _extent(traces: Sequence[Trace], start: float, stop: float) -> tuple[float, float] | None:
    """Return the smallest and largest visible value; None if there is none."""
    lows = []
    highs = []
    for trace in traces:
        seen = (trace.time >= start) & (trace.time <= stop)
        if not seen.any():
            continue
        lows.append(float(np.fmin.reduce(trace.low[seen])))
        highs.append(float(np.fmax.reduce(trace.high[seen])))
    lows = [v for v in lows if math.isfinite(v)]
    highs = [v for v in highs if math.isfinite(v)]
    return (min(lows), max(highs)) if lows and highs else None


def _fit(chart_data: ChartData, view: PlotType, before: Sequence[Axis]) -> None:
    chart_data.axes = []
    for number in range(1 + max((trace.axis for trace in chart_data.traces), default=0)):
        of_axis = [trace for trace in chart_data.traces if trace.axis == number]
        extent = _extent(of_axis, chart_data.start, chart_data.stop)
        if number == 0 and view.decades:
            axis = _decades(view, extent)
        elif number == 0:
            empty = 0.0, 1.0 if view.chosen else view.least
            axis = Axis(*fitted(*(extent or empty), from_zero=view.from_zero, least=view.least))
        elif view.chosen:
            axis = Axis(*fitted(*(extent or (0.0, 1.0)), from_zero=False, least=view.least))
        else:
            axis = Axis(*fitted(*(extent or (0.0, 1.0)), from_zero=True, least=1.0))
        ends = (before[number].low, before[number].high) if number < len(before) else None
        axis.low, axis.high = steady(axis.low, axis.high, ends)
        chart_data.axes.append(axis)


def _decades(view: PlotType, extent: tuple[float, float] | None) -> Axis:
    """Return the axis of whole decades: all visible values of chosen curves, or the usual range of solver residuals."""
    if not view.chosen:
        low, high = extent or (-12.0, -8.0)
        return Axis(min(math.floor(low), -12.0), max(math.ceil(high), -6.0), decades=True)
    low, high = extent or (0.0, 1.0)
    bottom = math.floor(low + 1e-9)
    return Axis(bottom, max(bottom + 1.0, math.ceil(high - 1e-9)), decades=True)


def _stack(chart_data: ChartData, view: PlotType, names: Sequence[str]) -> None:
    """Stack curves on separate base lines with one scale, the first at the top; equal names share a line."""
    rows = {
        name: row
        for row, name in enumerate(
            dict.fromkeys([*names, *(trace.name for trace in chart_data.traces)])
        )
    }
    n = len(rows)
    extent = _extent(chart_data.traces, chart_data.start, chart_data.stop)
    _, top = fitted(*(extent or (0.0, view.least)), from_zero=True, least=view.least)
    # Forces rarely peak in neighbours at the same time, so curves can extend over the two
    # lines above.
    scale = min(2.4, max(1.0, n / 3)) / top
    for trace in chart_data.traces:
        base = n - 1 - rows[trace.name]
        trace.low = base + trace.low * scale
        trace.high = base + trace.high * scale
    chart_data.axes = [
        Axis(-0.4, n - 1 + scale * top + 0.2, labels=_row_labels(n, lambda row: float(n - 1 - row)))
    ]
    chart_data.unit = f"spacing {readable(1 / scale, view.unit)}"


def _row_labels(n: int, position_of: object) -> list[tuple[float, str]]:
    assert callable(position_of)
    every = max(1, math.ceil(n / 6))
    return [(position_of(row), str(row + 1)) for row in range(0, n, every)]


def _place_labels(sections: Sequence[float]) -> list[tuple[float, str]]:
    """Return the ticks for rows of evenly spaced cross-sections: abscissas from the head, which is at the top."""
    n = len(sections)
    length = sections[-1]
    interval = step_above(length / 5)
    count = int(length / interval + 1e-6)
    unit = {0: "head 0", count: f"{count * interval:g} m"}
    return [
        (n - 0.5 - i * interval / length * (n - 1), unit.get(i, f"{i * interval:g}"))
        for i in range(count + 1)
    ]


def _add_heat(
    chart_data: ChartData,
    view: PlotType,
    lines: Sequence[CurveSpec],
    envelopes: Envelopes,
    sections: Sequence[float],
) -> None:
    n = max(1, len(lines))
    along = view.of == "body" and len(sections) == n
    labels = _place_labels(sections) if along else _row_labels(n, lambda row: n - 0.5 - row)
    chart_data.axes = [Axis(0.0, float(n), labels=labels)]
    if not lines or lines[0].series not in envelopes:
        return
    time, envelope = envelopes[lines[0].series]
    seen = (time >= chart_data.start) & (time <= chart_data.stop)
    columns = [line.column for line in lines]
    values = envelope.high[:, columns]
    if view.signed:
        low = envelope.low[:, columns]
        values = np.where(np.abs(low) > np.abs(values), low, values)
    sizes = np.abs(values[seen])
    greatest = float(np.fmax.reduce(sizes, axis=None)) if sizes.size else 0.0
    _, top = fitted(
        0.0, greatest if math.isfinite(greatest) else 0.0, from_zero=True, least=view.least
    )
    chart_data.heat = Heat(time, values, top, view.signed)
    chart_data.unit = f"full scale {'±' if view.signed else ''}{readable(top, view.unit)}"


def legend(
    view: PlotType,
    lines: Sequence[CurveSpec],
    series_cache: SeriesCache,
    index: int | None,
    overlaid: Sequence[Overlaid] = (),
) -> list[tuple[str, str]]:
    """Return colours and texts of all curves with values at a row, the most important first.

    Names of overlaid runs come first, so that they are not cut off.
    """
    values: dict[str, NDArray[np.float64] | None] = {}
    entries: list[tuple[float, str, str]] = []
    for line in lines:
        if line.series not in values:
            values[line.series] = (
                None if index is None else series_cache.values_at(line.series, index)
            )
        row = values[line.series]
        value = math.nan if row is None else float(row[line.column])
        unit = "" if line.unit == view.unit and line.axis == 0 else line.unit
        text = line.name if row is None else f"{line.name} {readable(value, unit)}"
        entries.append((value, line.colour, text))
    if len(entries) > 4 and not (view.chosen and view.style == "lines"):
        # Eleven links do not fit, and those with the largest forces matter most.
        if view.signed:
            entries = [(abs(value), colour, text) for value, colour, text in entries]
        least = 0.0 if view.signed else 1e-3
        entries = sorted(
            (entry for entry in entries if entry[0] > least), key=lambda entry: -entry[0]
        )[:4]
    phase = (
        view.phase(series_cache.recording.schema) if series_cache.recording is not None else None
    )
    if phase is not None:
        entries = [(0.0, "warning", f"▼ {phase[1]}"), (0.0, "good", f"▲ {phase[2]}"), *entries]
    names = [
        (o.run.colour, o.run.name if over else f"no {o.run.name}") for o, over in overlaid if lines
    ]
    return [*names, *((colour, text) for _, colour, text in entries)]
