"""Trials laid over a run and compared with it: the work that is done beside the window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from snakestudio.analysis.experiment.alignment import AlignmentOptions, align
from snakestudio.analysis.experiment.as_recording import CaptureRecording
from snakestudio.analysis.experiment.comparison import ExperimentComparison, compare_experiment
from snakestudio.analysis.experiment.tracks import RunTracks
from snakestudio.model.capture import Capture
from snakestudio.model.recording import Recording
from snakestudio.viewmodel.job import Progress

__all__ = ["Compared", "compare"]


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Trials beside a run.

    Attributes
    ----------
    recording : Recording
        The run.
    rows : int
        How many rows it had.
    figures : ExperimentComparison
    recordings : tuple of CaptureRecording
        The aligned trials, for plots.
    """

    recording: Recording
    rows: int
    figures: ExperimentComparison
    recordings: tuple[CaptureRecording, ...]


def compare(
    recording: Recording,
    captures: Sequence[Capture],
    given: Sequence[float | None],
    options: AlignmentOptions,
    progress: Progress,
) -> Compared | None:
    """Align trials with a run and compare them.

    Parameters
    ----------
    recording : Recording
    captures : sequence of Capture
    given : sequence of float or None
        Time offsets of those that were given by hand, s.
    options : AlignmentOptions
    progress : Progress

    Returns
    -------
    Compared or None
        None where it was stopped.

    Raises
    ------
    ExperimentError
        If a trial has too little in common with the run.
    """
    rows = len(recording)
    run = RunTracks(recording)
    alignments = []
    for number, (capture, offset) in enumerate(zip(captures, given, strict=True)):
        wanted = options if offset is None else replace(options, offset_bounds_s=(offset, offset))
        alignments.append(align(run, capture, wanted))
        if not progress(0.5 * (number + 1) / len(captures)):
            return None
    figures = compare_experiment(
        recording, captures, options, lambda fraction: progress(0.5 + 0.5 * fraction), alignments
    )
    if figures is None:
        return None
    laid = tuple(CaptureRecording(trial.capture, recording) for trial in figures.trials)
    return Compared(recording, rows, figures, laid)
