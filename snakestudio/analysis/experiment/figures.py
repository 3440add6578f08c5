"""The figures by which a run is compared with an experiment: what each is, and in which unit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class FigureKind:
    """What a figure is."""

    name: str
    label: str
    """What people call it."""

    unit: str
    """As shown; values are in it."""

    sort: Literal["error", "pair"]
    """"error": one value, of the distance between both; "pair": one of the run, one of the
    experiment, and the experiment less the run."""

    about: str
    """What it says, in a sentence."""


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
        "across_rmse", "across the path, RMSE", "m", "error", "Distance sideways of the run's path."
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
        "Heading of the tracked body less that of the run's link.",
    ),
    FigureKind("heading_rmse", "heading, RMSE", "°", "error", "The same, root mean square."),
    FigureKind("heading_max", "heading, largest", "°", "error", "The same, largest."),
    FigureKind(
        "net_speed",
        "net speed",
        "m/s",
        "pair",
        "Way from the first to the last sight, over its time (P2 VIII-D).",
    ),
    FigureKind(
        "trend_speed",
        "trend, speed",
        "m/s",
        "pair",
        "Speed of the trend, the gait's oscillation removed (P1 VIII-E).",
    ),
    FigureKind(
        "trend_direction",
        "trend, direction",
        "°",
        "pair",
        "Direction of the trend in the middle of the time.",
    ),
    FigureKind(
        "turning",
        "trend, turning",
        "°/s",
        "pair",
        "How fast the trend turns to the left (P1 VIII-E).",
    ),
    FigureKind(
        "frequency",
        "oscillation, frequency",
        "Hz",
        "pair",
        "Frequency of the oscillation (P1 VIII-E).",
    ),
    FigureKind(
        "amplitude", "oscillation, amplitude", "m", "pair", "Largest excursion of its fundamental."
    ),
)
"""All of them, in the order of tables."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of one trial, or of all of them together."""

    value: float
    """The error; of a pair the experiment less the run. NaN where it cannot be told."""

    run: float = math.nan
    experiment: float = math.nan
    """`run` and `experiment`: both members of a pair; NaN of an error."""

    low: float = math.nan
    high: float = math.nan
    """`low` and `high`: interval of `value` by bootstrap; NaN where there is none."""
