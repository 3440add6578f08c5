"""Samples of a run and an experiment at common times, and their error values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.analysis.experiment.figures import FIGURES, Figure
from snakestudio.analysis.experiment.trend import Trend

_LIFTS_M = 0.002
"""Height range of a run's link below which heights are not compared, m."""

MEANS = {"along_mean": "along", "heading_mean": "heading"}

SQUARES = {
    "position_rmse": "distance",
    "along_rmse": "along",
    "across_rmse": "across",
    "height_rmse": "height",
    "heading_rmse": "heading",
}

_LARGEST = {
    "position_max": "distance",
    "along_max": "along",
    "across_max": "across",
    "heading_max": "heading",
}


@dataclass(frozen=True, slots=True, eq=False)
class AlignedSamples:
    """Run and experiment at the k times of a capture that are within the run."""

    time: FloatArray
    """Times of the run, s. Shape (k,)."""

    run: FloatArray
    """Positions of the link in the run, m; NaN where the experiment has none. Shape (k, 3)."""

    experiment: FloatArray
    """Positions of the link in the experiment, m; NaN where it has none. Shape (k, 3)."""

    measured: BoolArray
    """Where the experiment was actually measured; only these samples are evaluated. Shape (k,)."""

    along: FloatArray
    """Position of the experiment relative to the run, along the path of the run, m. Shape (k,)."""

    across: FloatArray
    """Position of the experiment relative to the run, to the left of its path, m. Shape (k,)."""

    run_heading: FloatArray
    """Heading of the run's link, rad. Shape (k,)."""

    heading: FloatArray | None
    """Difference of the experiment's heading from that of the run, rad. Shape (k,)."""

    @property
    def distance(self) -> FloatArray:
        """Distance in the plane (k,), m."""
        distance: FloatArray = np.hypot(self.along, self.across)
        return distance

    @property
    def height(self) -> FloatArray:
        """Height of the experiment minus that of the run (k,), m."""
        return self.experiment[:, 2] - self.run[:, 2]


def course_figures(course: AlignedSamples, run: Trend, experiment: Trend) -> dict[str, Figure]:
    """Return the error values of aligned samples, by name; those that cannot be determined are omitted.

    Parameters
    ----------
    run, experiment : Trend
        Trends of both tracks.
    """
    seen = course.measured
    figures: dict[str, Figure] = {}
    for name, column in MEANS.items():
        values = error_series(course, column)
        if values is not None:
            figures[name] = Figure(float(values.mean()))
    for name, column in SQUARES.items():
        values = error_series(course, column)
        if values is not None:
            figures[name] = Figure(math.sqrt(float(np.mean(values * values))))
    for name, column in _LARGEST.items():
        values = error_series(course, column)
        if values is not None:
            figures[name] = Figure(float(np.abs(values).max()))
    time = course.time[seen]
    speeds = [
        float(np.linalg.norm(position[seen][-1, :2] - position[seen][0, :2]) / (time[-1] - time[0]))
        for position in (course.run, course.experiment)
    ]
    turn = math.remainder(experiment.direction - run.direction, 2.0 * math.pi)
    pairs = {
        "net_speed": (speeds[0], speeds[1]),
        "trend_speed": (run.speed, experiment.speed),
        "trend_direction": (math.degrees(run.direction), math.degrees(run.direction + turn)),
        "turning": (math.degrees(run.turning), math.degrees(experiment.turning)),
        "frequency": (run.frequency, experiment.frequency),
        "amplitude": (run.amplitude, experiment.amplitude),
    }
    for name, (own, other) in pairs.items():
        if math.isfinite(own) or math.isfinite(other):
            figures[name] = Figure(other - own, own, other)
    return {kind.name: figures[kind.name] for kind in FIGURES if kind.name in figures}


def error_series(course: AlignedSamples, name: str) -> FloatArray | None:
    """Return one measured error series, in the unit of its value; None if there is none."""
    values: FloatArray | None = getattr(course, name)
    if values is None:
        return None
    if name == "height" and float(np.ptp(course.run[:, 2])) < _LIFTS_M:
        return None
    seen = values[course.measured & np.isfinite(values)]
    if not len(seen):
        return None
    return np.degrees(seen) if name == "heading" else seen
