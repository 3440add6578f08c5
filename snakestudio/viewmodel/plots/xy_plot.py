"""Charts of X-Y plots: channels against each other, and tracks of links from above among obstacles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.model.by_identity import by_identity
from snakestudio.model.obstacles.outlines import Outline, solid_outline
from snakestudio.model.obstacles.shape import Obstacle, obstacle_solids, shape_of
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.plots.chart_data import Axis, ChartData, Dot, Trace
from snakestudio.viewmodel.plots.overlaid import Overlay
from snakestudio.viewmodel.plots.plot_type import CurveSpec, PlotType
from snakestudio.viewmodel.plots.pyramid import BLOCK, stride_for
from snakestudio.viewmodel.plots.scale import readable
from snakestudio.viewmodel.plots.series_cache import SeriesCache, Source

_MOST_POINTS = 20_000
"""Largest number of points of all curves: evenly spaced rows, because bands of two quantities are
meaningless."""
_MARGIN = 0.06
"""Margin around the curves, as a fraction of their extent."""
_CORNER = 24
"""Number of corners of a circle."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Visible part of a plane."""

    left: float
    right: float
    low: float
    high: float

    def fitted_to(self, width: float, height: float) -> Frame:
        """Return the frame extended on two sides, for equal scales in a chart of this size, px."""
        wide = self.right - self.left
        tall = self.high - self.low
        scale = max(wide / max(1.0, width), tall / max(1.0, height))
        more_x, more_y = (scale * width - wide) / 2, (scale * height - tall) / 2
        return Frame(self.left - more_x, self.right + more_x, self.low - more_y, self.high + more_y)


def compose_plane(
    view: PlotType,
    lines: Sequence[CurveSpec],
    series_cache: SeriesCache,
    start: float,
    stop: float,
    size: tuple[float, float],
    frame: Frame | None = None,
    overlaid: Sequence[tuple[Overlay, Sequence[CurveSpec]]] = (),
    row: int | None = None,
) -> ChartData:
    """Return the chart of an X-Y view from start to stop (s), or of the whole run if the view requires it.

    Parameters
    ----------
    lines : sequence of CurveSpec
        Curves in pairs, the horizontal one first.
    size : (float, float)
        Width and height of the chart, px.
    frame : Frame, optional
        Visible part; it follows the curves if omitted.
    overlaid : sequence of (Overlay, sequence of Line)
    row : int, optional
        Row of the cursor, which each curve marks with a disc.
    """
    unit = lines[1].unit if lines else ""
    chart_data = ChartData(unit=unit, across="plane", across_unit=lines[0].unit if lines else "")
    if view.whole_run:
        start = -math.inf
        stop = math.inf
    curves = len(lines) // 2 + sum(len(over) // 2 for _, over in overlaid)
    budget = _MOST_POINTS // max(1, curves)
    _add(chart_data, lines, series_cache, start, stop, budget, whole_run=view.whole_run)
    recording = series_cache.recording
    time = None if recording is None or row is None else float(recording.times[row])
    if recording is not None and row is not None:
        _add_dots(chart_data, lines, series_cache, row)
    for overlay, over in overlaid:
        _add(chart_data, over, overlay.series_cache, start, stop, budget, whole_run=view.whole_run)
        other = overlay.series_cache.recording
        if (
            other is not None
            and len(other)
            and time is not None
            and time <= float(other.times[-1]) + 1e-9
        ):
            _add_dots(chart_data, over, overlay.series_cache, other.index_at(time))
    obstacles = _obstacles(view, recording, time)
    pairs = frame or _around(chart_data, obstacles)
    if view.equal:
        pairs = pairs.fitted_to(*size)
    chart_data.start = pairs.left
    chart_data.stop = pairs.right
    chart_data.axes = [Axis(pairs.low, pairs.high)]
    chart_data.outlines = [outline for outline in obstacles if _inside(outline, pairs)]
    return chart_data


def _add(
    chart_data: ChartData,
    lines: Sequence[CurveSpec],
    series_cache: SeriesCache,
    start: float,
    stop: float,
    budget: int,
    *,
    whole_run: bool,
) -> None:
    recording = series_cache.recording
    if recording is None or not len(recording):
        return
    times = recording.times
    first = int(np.searchsorted(times, start))
    last = int(np.searchsorted(times, stop, side="right"))
    stride = stride_for(last - first, max(2, budget))
    first = first // stride * stride  # reuse the same rows when the view moves
    chart_data.stride = max(chart_data.stride, stride)
    for _, upwards, (_, xs, ys) in _pairs(
        lines, series_cache, first, last, stride, whole_run=whole_run
    ):
        chart_data.traces.append(Trace(np.nan_to_num(xs), ys, ys, upwards.colour, upwards.name))


def _pairs(
    lines: Sequence[CurveSpec],
    series_cache: SeriesCache,
    first: int,
    last: int,
    stride: int,
    *,
    whole_run: bool,
) -> Iterator[tuple[CurveSpec, CurveSpec, tuple[NDArray[np.int64], FloatArray, FloatArray]]]:
    """Yield the pairs of lines, the rows with both values, and these values."""
    samples = {
        key: series_cache.samples(key, first, last, stride, whole_run=whole_run)
        for key in {line.series for line in lines}
    }
    for across, upwards in zip(lines[::2], lines[1::2], strict=True):
        x, y = samples[across.series], samples[upwards.series]
        if x is None or y is None:
            continue
        rows = x.row
        xs = x.values[:, across.column].astype(np.float64)
        ys = y.values[:, upwards.column].astype(np.float64)
        if not np.array_equal(rows, y.row):  # series with more columns extend less far back
            rows, of_x, of_y = np.intersect1d(x.row, y.row, assume_unique=True, return_indices=True)
            xs, ys = xs[of_x], ys[of_y]
        xs[~np.isfinite(xs)] = ys[~np.isfinite(xs)] = np.nan
        yield across, upwards, (rows, xs, ys)


def _add_dots(
    chart_data: ChartData, lines: Sequence[CurveSpec], series_cache: SeriesCache, row: int
) -> None:
    for across, upwards in zip(lines[::2], lines[1::2], strict=True):
        x, y = (
            series_cache.values_at(across.series, row),
            series_cache.values_at(upwards.series, row),
        )
        if x is not None and y is not None and math.isfinite(x[across.column] + y[upwards.column]):
            chart_data.dots.append(
                Dot(float(x[across.column]), float(y[upwards.column]), upwards.colour, upwards.name)
            )


def _around(chart_data: ChartData, obstacles: Sequence[FloatArray]) -> Frame:
    """Return the frame of all curves with a margin, and of obstacles near them."""
    xs = [trace.time[np.isfinite(trace.low)] for trace in chart_data.traces]
    ys = [trace.low[np.isfinite(trace.low)] for trace in chart_data.traces]
    if not sum(map(len, xs)):
        return Frame(0.0, 1.0, 0.0, 1.0)
    left, right = min(x.min() for x in xs if len(x)), max(x.max() for x in xs if len(x))
    low, high = min(y.min() for y in ys if len(y)), max(y.max() for y in ys if len(y))
    reach = 0.35 * max(right - left, high - low)
    near = Frame(left - reach, right + reach, low - reach, high + reach)
    for outline in obstacles:
        if _inside(outline, near):
            left, right = min(left, outline[:, 0].min()), max(right, outline[:, 0].max())
            low, high = min(low, outline[:, 1].min()), max(high, outline[:, 1].max())
    wide = max(right - left, 1e-9 + 1e-6 * abs(left))
    tall = max(high - low, 1e-9 + 1e-6 * abs(low))
    return Frame(
        float(left - _MARGIN * wide),
        float(right + _MARGIN * wide),
        float(low - _MARGIN * tall),
        float(high + _MARGIN * tall),
    )


def _inside(outline: FloatArray, frame: Frame) -> bool:
    low, high = outline.min(axis=0), outline.max(axis=0)
    return bool(
        low[0] < frame.right
        and high[0] > frame.left
        and low[1] < frame.high
        and high[1] > frame.low
    )


def _obstacles(view: PlotType, recording: Source | None, time: float | None) -> list[FloatArray]:
    """Return the polygons of the obstacles at a time."""
    if not view.outlines or recording is None:
        return []
    scene: Scene = recording.scene if time is None else recording.scene_at(time)
    return [polygon for obstacle in scene.obstacles for polygon in _polygons(obstacle)]


@by_identity
def _polygons(obstacle: Obstacle) -> tuple[FloatArray, ...]:
    solids = obstacle_solids(shape_of(obstacle).without_files(obstacle))
    return tuple(_polygon(solid_outline(solid)) for solid in solids)


def _polygon(outline: Outline) -> FloatArray:
    """Return the boundary of a polygon, or of a disc with short edges."""
    if outline.radius <= 0.0:
        return outline.points
    angle = np.arange(_CORNER) * (2 * math.pi / _CORNER)
    return np.asarray(
        outline.points[0] + outline.radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    )


def plane_legend(chart_data: ChartData, lines: Sequence[CurveSpec]) -> list[tuple[str, str]]:
    """Return colours and texts of all curves with their positions at the cursor."""
    places = {(dot.colour, dot.text): dot for dot in chart_data.dots}
    entries = []
    for upwards in lines[1::2]:
        dot = places.get((upwards.colour, upwards.name))
        text = (
            upwards.name
            if dot is None
            else f"{upwards.name} ({readable(dot.x, '')}, {readable(dot.y, '')})"
        )
        entries.append((upwards.colour, text))
    return entries


def row_near(
    lines: Sequence[CurveSpec],
    series_cache: SeriesCache,
    start: float,
    stop: float,
    point: tuple[float, float],
    scale: tuple[float, float],
) -> int | None:
    """Return the row of the run whose point is nearest to a position in the plane.

    Parameters
    ----------
    lines : sequence of CurveSpec
        Curves in pairs.
    start, stop : float
        Time span of the rows to search, s.
    point : (float, float)
    scale : (float, float)
        Pixels per unit of each axis, so that the visually nearest row is found.
    """
    recording = series_cache.recording
    if recording is None or not len(recording):
        return None
    times = recording.times
    first = int(np.searchsorted(times, start))
    last = int(np.searchsorted(times, stop, side="right"))

    def away(xs: FloatArray, ys: FloatArray) -> FloatArray:
        return np.hypot((xs - point[0]) * scale[0], (ys - point[1]) * scale[1])

    best: tuple[float, int] | None = None
    reread: tuple[CurveSpec, CurveSpec, int, int] | None = None
    for across, upwards, (rows, xs, ys) in _pairs(
        lines, series_cache, first, last, 1, whole_run=True
    ):
        distances = away(xs, ys)
        if not np.isfinite(distances).any():
            continue
        nearest = int(np.nanargmin(distances))
        if best is None or distances[nearest] < best[0]:
            best = float(distances[nearest]), int(rows[nearest])
            around = rows[max(0, nearest - 1) : nearest + 2]
            reread = (
                across,
                upwards,
                max(int(around[0]), best[1] - BLOCK),
                min(int(around[-1]), best[1] + BLOCK),
            )
    if best is None or reread is None:
        return None
    across, upwards, since, until = reread
    if until - since <= 2:
        return best[1]
    # Only some of the old rows are cached, so rows between them are also searched.
    x = series_cache.read(across.series, since, until + 1)
    y = series_cache.read(upwards.series, since, until + 1)
    if x is None or y is None:
        return best[1]
    distances = away(x[:, across.column], y[:, upwards.column])
    return since + int(np.nanargmin(distances)) if np.isfinite(distances).any() else best[1]
