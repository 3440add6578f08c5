"""Comparison of a run with an experiment: its trials are aligned with the run, and the errors evaluated."""

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
"""Mean heading difference above which the body is taken to be mounted at an angle."""


@dataclass(frozen=True, slots=True, eq=False)
class TrialComparison:
    """Comparison of one trial."""

    name: str
    capture: Capture
    """In the times and positions of the run."""

    alignment: Alignment
    link: int
    """0-based link of the values, or -1 for the centre of mass."""

    course: AlignedSamples
    figures: dict[str, Figure]
    """By name, as in `FIGURES`; values that cannot be determined are omitted."""

    notes: tuple[str, ...]
    """Remarks from import, alignment and comparison."""


@dataclass(frozen=True, slots=True, eq=False)
class ExperimentComparison:
    """Comparison of all trials of an experiment with a run."""

    recording: Recording
    options: AlignmentOptions
    trials: tuple[TrialComparison, ...]
    together: dict[str, Figure]
    """Means over the trials."""

    interval: str
    """Description of the method for the intervals."""

    block_s: float
    """Length of the bootstrap blocks, s."""


def compare_experiment(
    recording: Recording,
    captures: Sequence[Capture],
    options: AlignmentOptions | None = None,
    progress: Callable[[float], bool] | None = None,
    alignments: Sequence[Alignment] | None = None,
) -> ExperimentComparison | None:
    """Compare a run with the trials of an experiment; None if `progress` cancelled it.

    Raises `ExperimentError` if they overlap too little.

    Parameters
    ----------
    captures : sequence of Capture
        Trials of the same experiment, as imported (not aligned).
    progress : callable, optional
        Called with the finished fraction; returns False to cancel.
    alignments : sequence of Alignment, optional
        One for each capture; computed if omitted.
    """
    options = options or AlignmentOptions()
    if not captures:
        raise ExperimentError("There is no experiment to compare with. Choose at least one.")
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
    means = _means(trials, series)
    percent = f"{100 * COVERAGE:.0f} %"
    within = f"blocks of {block_s:.3g} s within a trial"
    if len(trials) > 1:
        how = f"trials drawn with replacement, then {within}; differences of pairs: trials alone"
        few = f" With {len(trials)} trials these intervals are coarse." if len(trials) < 6 else ""
    else:
        how = f"moving {within}"
        few = " They do not apply to other trials."
    method = f"{percent} intervals by bootstrap ({DRAWS} draws): {how}.{few}"
    return ExperimentComparison(recording, options, tuple(trials), means, method, block_s)


def _trial(
    run: RunTracks, capture: Capture, alignment: Alignment, robot_length: float
) -> tuple[TrialComparison, float]:
    laid = alignment.apply(capture)
    body, link = _middle_pair(alignment.pairs, run.n_links)
    notes = [*capture.notes, *alignment.notes]
    notes += [note for note in suspicions(capture, robot_length) if note not in notes]
    if len(alignment.pairs) > 1:
        notes.append(
            f"Aligned by {len(alignment.pairs)} bodies; the values are those of link {link + 1}."
        )
    inside = (laid.time >= run.time[0] - 1e-9) & (laid.time <= run.time[-1] + 1e-9)
    outside = int(np.count_nonzero(~inside))
    if outside:
        notes.append(f"Outside the run and ignored: {counted(outside, 'row')}.")
    time = laid.time[inside]
    measured = laid.measured[inside, body]
    if np.count_nonzero(measured) < _LEAST_ROWS:
        raise ExperimentError(
            f"{capture.name}: Only {np.count_nonzero(measured)} measured rows are within the run. "
            "Increase run.duration_s, or change the time offset."
        )
    position = laid.position[inside, body]
    own = run.at(link, time)
    trend, swing = _trends(time[measured], own[measured], position[measured])
    span = float(time[-1] - time[0])
    period = 1.0 / trend.frequency if math.isfinite(trend.frequency) else span / 8.0
    ahead = path_direction(run.time, run.track(link), time, period, trend.direction)
    error = position - own
    along = error[:, 0] * ahead[:, 0] + error[:, 1] * ahead[:, 1]
    across = error[:, 1] * ahead[:, 0] - error[:, 0] * ahead[:, 1]
    heading_run = run.heading(link, time)
    heading, remarks = _heading(laid, inside, body, heading_run)
    notes += remarks
    course = AlignedSamples(time, own, position, measured, along, across, heading_run, heading)
    figures = course_figures(course, trend, swing)
    # A block of one gait period preserves periodic errors; the record must have at least four
    # blocks.
    block_s = min(period, 0.25 * span)
    return TrialComparison(
        capture.name, laid, alignment, link, course, figures, tuple(notes)
    ), block_s


def _trends(time: FloatArray, run: FloatArray, experiment: FloatArray) -> tuple[Trend, Trend]:
    """Return the trends of a run and of an experiment, at the same times.

    The first half period, in which the robot starts, is left out if two periods remain: the gait is not
    periodic yet, and would change the frequency by a few percent.
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


def _middle_pair(pairs: tuple[tuple[int, int], ...], n_links: int) -> tuple[int, int]:
    """Return the body and link whose values are reported: those nearest to the middle of the robot (P2 VIII-C)."""
    return min(
        pairs,
        key=lambda pair: abs(pair[1] - n_links // 2) if pair[1] != CENTRE_OF_MASS else n_links,
    )


def _heading(
    laid: Capture, inside: BoolArray, body: int, heading_run: FloatArray
) -> tuple[FloatArray | None, list[str]]:
    """Return the heading of the experiment minus that of the run (k,), rad, and remarks."""
    if laid.orientation is None or not np.isfinite(laid.orientation[inside, body]).any():
        return None, []
    yaw = roll_pitch_yaw(laid.orientation[inside, body])[:, 2]
    turned = np.exp(1j * (yaw - heading_run))
    mean = float(np.angle(np.nanmean(turned[laid.measured[inside, body]])))
    about: FloatArray = np.angle(turned * np.exp(-1j * mean))
    if abs(mean) > _MOUNTED_RAD:
        return about, [
            f"{laid.bodies[body]} is mounted at {math.degrees(mean):.0f}° to its link; "
            "heading errors are relative to this mean."
        ]
    return about + mean, []


def _draws(trial: TrialComparison, block_s: float, seed: int) -> dict[str, FloatArray]:
    """Return the values of a trial from its resampled series, by name. The maximum of a series has no bootstrap."""
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


def _means(trials: list[TrialComparison], series: list[dict[str, FloatArray]]) -> dict[str, Figure]:
    """Return means over the trials, with intervals if there are several."""
    means = {}
    for kind in FIGURES:
        own = [trial.figures[kind.name] for trial in trials if kind.name in trial.figures]
        if len(own) < len(trials):
            continue  # a mean over only some of the trials would not represent the experiment
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
        means[kind.name] = Figure(value, run, experiment, low, high)
    return means
