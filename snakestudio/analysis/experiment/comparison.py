"""Compare a run with an experiment: its trials laid over the run, and how far apart both are, as figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.analysis.experiment.aligned_samples import (
    MEANS,
    SQUARES,
    AlignedSamples,
    course_figures,
    error_series,
)
from snakestudio.analysis.experiment.alignment import Alignment, AlignmentOptions, align
from snakestudio.analysis.experiment.bootstrap import (
    COVERAGE,
    DRAWS,
    among_trials,
    interval,
    mean_in_blocks,
)
from snakestudio.analysis.experiment.figures import FIGURES, Figure
from snakestudio.analysis.experiment.plausible import suspicions
from snakestudio.analysis.experiment.tracks import RunTracks
from snakestudio.analysis.experiment.trend import Trend, path_direction, trend_of
from snakestudio.errors import ExperimentError
from snakestudio.model.capture import CENTRE_OF_MASS, Capture
from snakestudio.model.recording import Recording
from snakestudio.model.rotations import roll_pitch_yaw
from snakestudio.text import counted

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
