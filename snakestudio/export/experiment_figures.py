"""Figures of a comparison with an experiment: plan view, positions and errors over time."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.analysis.experiment.comparison import ExperimentComparison, TrialComparison
from snakestudio.analysis.experiment.tracks import RunTracks
from snakestudio.drawing.style import LIGHT, Colour, colour
from snakestudio.export.experiment_tables import link_name
from snakestudio.export.plan_drawing import draw_world

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RUN: Colour = LIGHT.text
"""Colour of the run; the measurements are coloured."""

TRIALS: tuple[Colour, ...] = tuple(
    colour(text) for text in ("#0a84d0", "#d97a00", "#8d4fc0", "#1f9d57", "#c64a60", "#667484")
)
"""Colours of trials, in sequence."""

_WIDTH_IN = 6.9
_LETTERS = 105
"""Characters per line of a legend."""

_SMOOTH_S = 0.5
"""Time over which speeds are computed: shorter changes are noise of the cameras."""


def plan_figure(comparison: ExperimentComparison, base_dir: Path | None = None) -> Figure:
    """Return the tracks from above with the obstacles; triangles at the start, circles at the end (P1, Fig. 10)."""
    from matplotlib.figure import Figure

    points = [course.run[:, :2] for course in (trial.course for trial in comparison.trials)]
    points += [trial.course.experiment[:, :2] for trial in comparison.trials]
    seen = np.concatenate(points)
    seen = seen[np.isfinite(seen).all(axis=1)]
    low, high = seen.min(axis=0), seen.max(axis=0)
    air = 0.12 * float((high - low).max()) + 0.1
    low = low - air
    high = high + air
    width, height = high - low
    # As large as possible on the page, and to scale.
    scale = min((_WIDTH_IN - 1.0) / width, 5.2 / height)
    figure = Figure(figsize=(_WIDTH_IN, scale * height + 0.9), layout="constrained")
    axes = figure.add_subplot()
    axes.set_aspect("equal")
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    draw_world(axes, comparison.recording.scene, base_dir)
    drawn: set[int] = set()
    for trial in comparison.trials:
        if trial.link not in drawn:
            drawn.add(trial.link)
            track = trial.course.run
            label = f"run, {link_name(trial.link)}"
            axes.plot(
                track[:, 0],
                track[:, 1],
                color=RUN,
                linewidth=1.6,
                linestyle=(0, (5, 2)),
                label=label,
                zorder=3,
            )
            _ends(axes, track, RUN)
    for index, trial in enumerate(comparison.trials):
        own = TRIALS[index % len(TRIALS)]
        _measured(axes, trial, trial.course.experiment[:, 0], trial.course.experiment[:, 1], own)
        _ends(axes, trial.course.experiment, own)
    axes.set_xlabel("x / m")
    axes.set_ylabel("y / m")
    _legend(figure, axes)
    return figure


def course_figure(comparison: ExperimentComparison) -> Figure:
    """Return the positions over time (P2, Figs 13 and 14), and the height if it changes."""
    from matplotlib.figure import Figure

    lifts = any("height_rmse" in trial.figures for trial in comparison.trials)
    names = "xyz" if lifts else "xy"
    figure = Figure(figsize=(_WIDTH_IN, 1.5 * len(names) + 0.7), layout="constrained")
    panels = figure.subplots(len(names), 1, sharex=True)
    for axis, (axes, name) in enumerate(zip(panels, names, strict=True)):
        _run(axes, comparison, lambda trial, axis=axis: trial.course.run[:, axis])
        for index, trial in enumerate(comparison.trials):
            _measured(
                axes,
                trial,
                trial.course.time,
                trial.course.experiment[:, axis],
                TRIALS[index % len(TRIALS)],
            )
        axes.set_ylabel(f"{name} / m")
    _timed(figure, panels)
    return figure


def error_figure(comparison: ExperimentComparison) -> Figure:
    """Return the errors over time: distance, components along and across the path, and the heading if measured."""
    from matplotlib.figure import Figure

    turned = any(trial.course.heading is not None for trial in comparison.trials)
    figure = Figure(figsize=(_WIDTH_IN, 1.4 * (4 if turned else 3) + 0.7), layout="constrained")
    panels = figure.subplots(4 if turned else 3, 1, sharex=True)
    for index, trial in enumerate(comparison.trials):
        own = TRIALS[index % len(TRIALS)]
        course = trial.course
        for axes, values in zip(
            panels, (course.distance, course.along, course.across), strict=False
        ):
            _measured(axes, trial, course.time, 1000.0 * values, own)
        if course.heading is not None:
            _measured(panels[3], trial, course.time, np.degrees(course.heading), own)
    for axes, label in zip(
        panels, ("distance / mm", "along / mm", "across / mm", "heading / °"), strict=False
    ):
        axes.set_ylabel(label)
        axes.axhline(0.0, color=LIGHT.text_dim, linewidth=0.6, zorder=1)
    panels[0].set_ylim(bottom=0.0)
    _timed(figure, panels)
    return figure


def motion_figure(comparison: ExperimentComparison) -> Figure:
    """Return the speed in the plane over time, and the heading if measured."""
    from matplotlib.figure import Figure

    turned = any(trial.course.heading is not None for trial in comparison.trials)
    figure = Figure(figsize=(_WIDTH_IN, 1.5 * (2 if turned else 1) + 0.8), layout="constrained")
    panels = figure.subplots(2 if turned else 1, 1, sharex=True, squeeze=False)[:, 0]
    tracks = RunTracks(comparison.recording)
    first = comparison.trials[0]
    begin, end = first.course.time[[0, -1]]
    inside = (tracks.time >= begin) & (tracks.time <= end)
    time = tracks.time[inside]
    position = tracks.track(first.link)[inside]
    panels[0].plot(
        time, _speed(time, position), color=RUN, linewidth=1.4, linestyle=(0, (5, 2)), label="run"
    )
    for index, trial in enumerate(comparison.trials):
        own = TRIALS[index % len(TRIALS)]
        course = trial.course
        _measured(panels[0], trial, course.time, _speed(course.time, course.experiment), own)
        if course.heading is not None:
            _measured(
                panels[1], trial, course.time, np.degrees(course.run_heading + course.heading), own
            )
    panels[0].set_ylabel("speed / (m/s)")
    panels[0].set_ylim(bottom=0.0)
    if turned:
        _run(panels[1], comparison, lambda trial: np.degrees(trial.course.run_heading))
        panels[1].set_ylabel("heading / °")
    _timed(figure, panels)
    return figure


def _speed(time: FloatArray, position: FloatArray) -> FloatArray:
    """Return the speed in the plane (k,), m/s: slopes of lines through half a second; NaN if a position is missing."""
    from scipy.signal import savgol_filter

    step = float(np.median(np.diff(time)))
    window = max(3, 2 * round(0.5 * _SMOOTH_S / step) + 1)
    if window > len(time):
        return np.full(len(time), math.nan)
    rate = savgol_filter(position[:, :2], window, 1, deriv=1, delta=step, axis=0)
    speed: FloatArray = np.hypot(rate[:, 0], rate[:, 1])
    return speed


def _run(axes: Axes, comparison: ExperimentComparison, values: object) -> None:
    """Time series of the run, once for each compared link."""
    assert callable(values)
    drawn: set[int] = set()
    for trial in comparison.trials:
        if trial.link not in drawn:
            drawn.add(trial.link)
            label = f"run, {link_name(trial.link)}"
            axes.plot(
                trial.course.time,
                values(trial),
                color=RUN,
                linewidth=1.4,
                linestyle=(0, (5, 2)),
                label=label,
                zorder=3,
            )


def _measured(
    axes: Axes, trial: TrialComparison, x: FloatArray, y: FloatArray, own: Colour
) -> None:
    """Measured curve: solid where measured, dotted and pale where interpolated."""
    seen = trial.course.measured
    axes.plot(x, np.where(seen, y, np.nan), color=own, linewidth=1.1, label=trial.name, zorder=2.5)
    # Interpolated stretches extend to the measured points on both sides.
    edges = ~seen | np.roll(~seen, 1) | np.roll(~seen, -1)
    axes.plot(
        x,
        np.where(edges, y, np.nan),
        color=own,
        linewidth=1.1,
        linestyle=":",
        alpha=0.8,
        zorder=2.4,
    )


def _ends(axes: Axes, track: FloatArray, own: Colour) -> None:
    known = track[np.isfinite(track).all(axis=1)]
    axes.plot(*known[0, :2], marker="^", markersize=5, color=own, markeredgecolor="white", zorder=4)
    axes.plot(
        *known[-1, :2], marker="o", markersize=5, color=own, markeredgecolor="white", zorder=4
    )


def _timed(figure: Figure, panels: NDArray[np.object_]) -> None:
    for axes in panels:
        axes.grid(color=LIGHT.grid_minor, linewidth=0.5)
        axes.margins(x=0.0)
    panels[-1].set_xlabel("time / s")
    figure.align_ylabels(list(panels))
    _legend(figure, panels[0])


def _legend(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    widest = max(map(len, labels))
    columns = max(1, min(len(labels), _LETTERS // (widest + 6)))
    figure.legend(handles, labels, loc="outside upper center", ncols=columns, frameon=False)
