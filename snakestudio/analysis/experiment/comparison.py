"""Compare a run with an experiment: its trials laid over the run, and how far apart both are, as figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.analysis.experiment.alignment import Alignment, AlignmentOptions, align
from snakestudio.analysis.experiment.figures import FIGURES, Figure
from snakestudio.analysis.experiment.plausible import suspicions
from snakestudio.analysis.experiment.tracks import RunTracks
from snakestudio.analysis.experiment.trend import Trend, path_direction, trend_of
from snakestudio.errors import ExperimentError
from snakestudio.model.capture import CENTRE_OF_MASS, Capture
from snakestudio.model.recording import Recording
from snakestudio.model.rotations import roll_pitch_yaw
from snakestudio.text import counted

__all__ = [
    "AlignedSamples",
    "ExperimentComparison",
    "TrialComparison",
    "among_trials",
    "compare_experiment",
    "interval",
    "mean_in_blocks",
]

# Bootstrap: how sure figures are, by drawing the data anew, in blocks of time within a trial, and
# among trials.
#
# The errors of neighbouring instants go together, so within a trial whole blocks are drawn (the
# moving-block bootstrap, Künsch 1989), from the series closed to a circle (Politis and Romano
# 1992): else its ends, where alignment errors are largest, would be drawn too seldom. Where there
# are several trials, trials are drawn first, then blocks within each.


DRAWS = 2000
COVERAGE = 0.95
"""Share of the draws that an interval holds."""


def mean_in_blocks(values: FloatArray, block: int, seed: int) -> FloatArray:
    """Means (draws,) of a series (k,) drawn anew in blocks of so many rows that follow each other, round its end."""
    k = len(values)
    block = max(1, min(block, k))
    sums = np.concatenate([[0.0], np.cumsum(np.concatenate([values, values[: block - 1]]))])
    of_blocks = (sums[block:] - sums[:-block]) / block
    count = math.ceil(k / block)
    random = np.random.default_rng(seed)
    chosen = random.integers(0, len(of_blocks), (DRAWS, count))
    means: FloatArray = of_blocks[chosen].mean(axis=1)
    return means


def among_trials(draws: FloatArray, seed: int) -> FloatArray:
    """Means (draws,) over trials drawn with replacement, of the figures (trials, draws) that each trial's draw gave."""
    trials, n = draws.shape
    random = np.random.default_rng(seed)
    chosen = random.integers(0, trials, (n, trials))
    means: FloatArray = draws[chosen, np.arange(n)[:, None]].mean(axis=1)
    return means


def interval(draws: FloatArray) -> tuple[float, float]:
    """The percentile interval of draws (n,)."""
    tail = 50.0 * (1.0 - COVERAGE)
    low, high = np.percentile(draws, [tail, 100.0 - tail])
    return float(low), float(high)


# Run and experiment beside each other at the same instants, and the error figures of that.


_LIFTS_M = 0.002
"""A run whose link stays within this height tells nothing about heights."""

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
    """Run and experiment beside each other at the k instants of a capture that lie within the run."""

    time: FloatArray
    """Of the run, s. Shape (k,)."""

    run: FloatArray
    experiment: FloatArray
    """`run` and `experiment`: places of the link, m; of the experiment NaN where nothing is known.
    Shape (k, 3)."""

    measured: BoolArray
    """Where the experiment was really seen; only this counts in figures. Shape (k,)."""

    along: FloatArray
    across: FloatArray
    """`along` and `across`: the experiment's place less the run's, along the run's path and to the
    left of it, m. Shape (k,)."""

    run_heading: FloatArray
    heading: FloatArray | None
    """`run_heading` and `heading`: heading of the run's link, and the experiment's less that, rad.
    Shape (k,)."""

    @property
    def distance(self) -> FloatArray:
        """Distance in the plane (k,), m."""
        distance: FloatArray = np.hypot(self.along, self.across)
        return distance

    @property
    def height(self) -> FloatArray:
        """The experiment's height less the run's (k,), m."""
        return self.experiment[:, 2] - self.run[:, 2]


def course_figures(course: AlignedSamples, run: Trend, experiment: Trend) -> dict[str, Figure]:
    """The figures of a course, by name; what cannot be told is left out.

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
        float(np.linalg.norm(place[seen][-1, :2] - place[seen][0, :2]) / (time[-1] - time[0]))
        for place in (course.run, course.experiment)
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
    """One error series where it was measured, in the unit of its figures; None if there is none."""
    values: FloatArray | None = getattr(course, name)
    if values is None:
        return None
    if name == "height" and float(np.ptp(course.run[:, 2])) < _LIFTS_M:
        return None
    seen = values[course.measured & np.isfinite(values)]
    if not len(seen):
        return None
    return np.degrees(seen) if name == "heading" else seen


# Compare a run with an experiment: its trials laid over the run, and how far apart both are, as
# figures.


_LEAST_ROWS = 8
_MOUNTED_RAD = math.radians(30.0)
"""A mean difference of headings above this is how the body sits on its link, no error."""


@dataclass(frozen=True, slots=True, eq=False)
class TrialComparison:
    """One trial."""

    name: str
    capture: Capture
    """In the times and places of the run."""

    alignment: Alignment
    link: int
    """0-based link whose figures these are, or -1 for the centre of mass."""

    course: AlignedSamples
    figures: dict[str, Figure]
    """By name, as in `FIGURES`; what cannot be told is left out."""

    notes: tuple[str, ...]
    """What was found on import, in aligning and in comparing."""


@dataclass(frozen=True, slots=True, eq=False)
class ExperimentComparison:
    """All trials of an experiment beside a run."""

    recording: Recording
    options: AlignmentOptions
    trials: tuple[TrialComparison, ...]
    together: dict[str, Figure]
    """Means over the trials."""

    interval: str
    """How the intervals were found, in a sentence."""

    block_s: float
    """Length of the blocks that were drawn, s."""


def compare_experiment(
    recording: Recording,
    captures: Sequence[Capture],
    options: AlignmentOptions | None = None,
    progress: Callable[[float], bool] | None = None,
    alignments: Sequence[Alignment] | None = None,
) -> ExperimentComparison | None:
    """Compare a run with the trials of an experiment; None if `progress` cancelled it.

    Raises `ExperimentError` if they have too little in common.

    Parameters
    ----------
    captures : sequence of Capture
        Trials of the same experiment, as imported (not aligned).
    progress : callable, optional
        Gets the finished fraction; returns False to cancel.
    alignments : sequence of Alignment, optional
        One for each capture, where these are not to be found anew.
    """
    options = options or AlignmentOptions()
    if not captures:
        raise ExperimentError("There is no experiment to compare with; give at least one.")
    run = RunTracks(recording)
    length = recording.scene.robot.n_links * recording.scene.robot.link_length_m
    trials = []
    series = []
    block_s = 0.0
    for index, capture in enumerate(captures):
        alignment = alignments[index] if alignments is not None else align(run, capture, options)
        trial, block_s = _trial(run, capture, alignment, length)
        draws = _draws(trial, block_s, index)
        trials.append(_with_intervals(trial, draws))
        series.append(draws)
        if progress is not None and not progress((index + 1) / len(captures)):
            return None
    together = _together(trials, series)
    percent = f"{100 * COVERAGE:.0f} %"
    within = f"blocks of {block_s:.3g} s within a trial"
    if len(trials) > 1:
        how = f"trials drawn with replacement, then {within}; differences of pairs: trials alone"
        few = f" With {len(trials)} trials these intervals are coarse." if len(trials) < 6 else ""
    else:
        how = f"moving {within}"
        few = " They tell nothing about other trials."
    told = f"{percent} intervals by bootstrap ({DRAWS} draws): {how}.{few}"
    return ExperimentComparison(recording, options, tuple(trials), together, told, block_s)


def _trial(
    run: RunTracks, capture: Capture, alignment: Alignment, robot_length: float
) -> tuple[TrialComparison, float]:
    laid = alignment.apply(capture)
    body, link = _shown(alignment.pairs, run.n_links)
    notes = [*capture.notes, *alignment.notes]
    notes += [note for note in suspicions(capture, robot_length) if note not in notes]
    if len(alignment.pairs) > 1:
        notes.append(
            f"Laid over each other by {len(alignment.pairs)} bodies; the figures are of link {link + 1}."
        )
    inside = (laid.time >= run.time[0] - 1e-9) & (laid.time <= run.time[-1] + 1e-9)
    outside = int(np.count_nonzero(~inside))
    if outside:
        notes.append(f"Left out before or behind the run: {counted(outside, 'row')}.")
    time = laid.time[inside]
    measured = laid.measured[inside, body]
    if np.count_nonzero(measured) < _LEAST_ROWS:
        raise ExperimentError(
            f"{capture.name}: only {np.count_nonzero(measured)} measured rows lie within the run; "
            "let the run go on for longer, or give another time offset."
        )
    place = laid.position[inside, body]
    own = run.at(link, time)
    trend, swing = _trends(time[measured], own[measured], place[measured])
    span = float(time[-1] - time[0])
    period = 1.0 / trend.frequency if math.isfinite(trend.frequency) else span / 8.0
    ahead = path_direction(run.time, run.track(link), time, period, trend.direction)
    error = place - own
    along = error[:, 0] * ahead[:, 0] + error[:, 1] * ahead[:, 1]
    across = error[:, 1] * ahead[:, 0] - error[:, 0] * ahead[:, 1]
    heading_run = run.heading(link, time)
    heading, told = _heading(laid, inside, body, heading_run)
    notes += told
    course = AlignedSamples(time, own, place, measured, along, across, heading_run, heading)
    figures = course_figures(course, trend, swing)
    # A block as long as the gait's period keeps what comes again with it; four fit into the record
    # at least.
    block_s = min(period, 0.25 * span)
    return TrialComparison(
        capture.name, laid, alignment, link, course, figures, tuple(notes)
    ), block_s


def _trends(time: FloatArray, run: FloatArray, experiment: FloatArray) -> tuple[Trend, Trend]:
    """Trend of a run and of an experiment, at the same instants.

    The first half period, in which the robot gets going, is left out where two periods remain:
    there the gait is not yet what it becomes, and a frequency told with it is wrong by percents.
    """
    trend = trend_of(time, run)
    near = None if math.isnan(trend.frequency) else trend.frequency
    if near is not None and (time[-1] - time[0]) * near >= 2.5:
        going = time >= time[0] + 0.5 / near
        time = time[going]
        run = run[going]
        experiment = experiment[going]
        trend = trend_of(time, run, near)
    return trend, trend_of(time, experiment, near)


def _shown(pairs: tuple[tuple[int, int], ...], n_links: int) -> tuple[int, int]:
    """Body and link whose figures are told: the one nearest to the middle of the robot (P2 VIII-C)."""
    return min(
        pairs,
        key=lambda pair: abs(pair[1] - n_links // 2) if pair[1] != CENTRE_OF_MASS else n_links,
    )


def _heading(
    laid: Capture, inside: BoolArray, body: int, heading_run: FloatArray
) -> tuple[FloatArray | None, list[str]]:
    """The experiment's heading less the run's (k,), rad, and what is to be said about it."""
    if laid.orientation is None or not np.isfinite(laid.orientation[inside, body]).any():
        return None, []
    yaw = roll_pitch_yaw(laid.orientation[inside, body])[:, 2]
    turned = np.exp(1j * (yaw - heading_run))
    mean = float(np.angle(np.nanmean(turned[laid.measured[inside, body]])))
    about: FloatArray = np.angle(turned * np.exp(-1j * mean))
    if abs(mean) > _MOUNTED_RAD:
        return about, [
            f"{laid.bodies[body]} stands at {math.degrees(mean):.0f}° to its link, so it is mounted at that angle; "
            "heading errors are those about this mean."
        ]
    return about + mean, []


def _draws(trial: TrialComparison, block_s: float, seed: int) -> dict[str, FloatArray]:
    """Figures of a trial from its series drawn anew, by name. The largest of a series has no bootstrap."""
    seen = trial.course.time[trial.course.measured]
    block = max(1, round(block_s * (len(seen) - 1) / float(seen[-1] - seen[0])))
    draws = {}
    for name, column in (*MEANS.items(), *SQUARES.items()):
        values = error_series(trial.course, column)
        if values is None:
            continue
        if name in SQUARES:
            draws[name] = np.sqrt(mean_in_blocks(values * values, block, seed))
        else:
            draws[name] = mean_in_blocks(values, block, seed)
    return draws


def _with_intervals(trial: TrialComparison, draws: dict[str, FloatArray]) -> TrialComparison:
    figures = dict(trial.figures)
    for name, drawn in draws.items():
        low, high = interval(drawn)
        figures[name] = replace(figures[name], low=low, high=high)
    return replace(trial, figures=figures)


def _together(
    trials: list[TrialComparison], series: list[dict[str, FloatArray]]
) -> dict[str, Figure]:
    """Means over the trials, with intervals where there are several."""
    together = {}
    for kind in FIGURES:
        own = [trial.figures[kind.name] for trial in trials if kind.name in trial.figures]
        if len(own) < len(trials):
            continue  # a mean over some of the trials would not be one of the experiment
        value, run, experiment = (
            float(np.mean([getattr(figure, part) for figure in own]))
            for part in ("value", "run", "experiment")
        )
        low, high = own[0].low, own[0].high
        if len(own) > 1:
            if all(kind.name in drawn for drawn in series):
                draws = np.stack([drawn[kind.name] for drawn in series])
            else:
                draws = np.repeat(np.array([[figure.value] for figure in own]), DRAWS, axis=1)
            low, high = (
                interval(among_trials(draws, len(trials)))
                if np.isfinite(draws).all()
                else (math.nan, math.nan)
            )
        if kind.name.endswith("_max"):
            value = max(figure.value for figure in own)
            low = high = math.nan
        together[kind.name] = Figure(value, run, experiment, low, high)
    return together
