"""Values by which a run is compared with an experiment: definitions and units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class FigureKind:
    """Definition of a value."""

    name: str
    label: str
    """Label for people."""

    unit: str
    """Unit of the values, as displayed."""

    sort: Literal["error", "pair"]
    """"error": one value, of the distance between the two; "pair": a value of the run, a value of the
    experiment, and their difference, experiment minus run."""

    about: str
    """Description in a sentence."""


FIGURES = (
    FigureKind(
        "position_rmse", "position, RMSE", "m", "error", "Distance in the plane, root mean square."
    ),
    FigureKind("position_max", "position, largest", "m", "error", "Largest distance in the plane."),
    FigureKind(
        "along_mean",
        "along the path, mean",
        "m",
        "error",
        "How far the experiment is ahead of the run along its path; negative: behind (P2 VIII-D).",
    ),
    FigureKind("along_rmse", "along the path, RMSE", "m", "error", "The same, root mean square."),
    FigureKind("along_max", "along the path, largest", "m", "error", "The same, largest."),
    FigureKind(
        "across_rmse",
        "across the path, RMSE",
        "m",
        "error",
        "Lateral distance from the run's path.",
    ),
    FigureKind("across_max", "across the path, largest", "m", "error", "The same, largest."),
    FigureKind(
        "height_rmse", "height, RMSE", "m", "error", "Difference in height, root mean square."
    ),
    FigureKind(
        "heading_mean",
        "heading, mean",
        "°",
        "error",
        "Heading of the tracked body minus that of the run's link.",
    ),
    FigureKind("heading_rmse", "heading, RMSE", "°", "error", "The same, root mean square."),
    FigureKind("heading_max", "heading, largest", "°", "error", "The same, largest."),
    FigureKind(
        "net_speed",
        "net speed",
        "m/s",
        "pair",
        "Distance from the first to the last measured position, divided by the time (P2 VIII-D).",
    ),
    FigureKind(
        "trend_speed",
        "trend, speed",
        "m/s",
        "pair",
        "Speed of the trend, without the oscillation of the gait (P1 VIII-E).",
    ),
    FigureKind(
        "trend_direction",
        "trend, direction",
        "°",
        "pair",
        "Direction of the trend at the middle of the time.",
    ),
    FigureKind(
        "turning",
        "trend, turning",
        "°/s",
        "pair",
        "Rate at which the trend turns to the left (P1 VIII-E).",
    ),
    FigureKind(
        "frequency",
        "oscillation, frequency",
        "Hz",
        "pair",
        "Frequency of the oscillation (P1 VIII-E).",
    ),
    FigureKind(
        "amplitude", "oscillation, amplitude", "m", "pair", "Largest excursion of the fundamental."
    ),
)
"""All values, in the order of tables."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One value of one trial, or of all of them together."""

    value: float
    """The error; for a pair, experiment minus run. NaN if it cannot be determined."""

    run: float = math.nan
    """Value of the run; NaN for an error."""

    experiment: float = math.nan
    """Value of the experiment; NaN for an error."""

    low: float = math.nan
    """Lower end of the bootstrap interval of `value`; NaN if there is none."""

    high: float = math.nan
    """Upper end of the bootstrap interval of `value`; NaN if there is none."""
