"""Trials overlaid on a run: comparison in the background, and curves shifted in time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from snakestudio.analysis.experiment.alignment import AlignmentOptions, align
from snakestudio.analysis.experiment.as_recording import CaptureRecording
from snakestudio.analysis.experiment.comparison import ExperimentComparison, compare_experiment
from snakestudio.analysis.experiment.tracks import RunTracks
from snakestudio.model.capture import Capture
from snakestudio.model.events import Change, RunEvent
from snakestudio.model.pull import Pull
from snakestudio.model.recording import Recording, Rows, Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.viewmodel.work import Progress


@dataclass(frozen=True, slots=True, eq=False)
class ComparedTrials:
    """Trials compared with a run."""

    recording: Recording
    """Run that the trials are compared with."""

    rows: int
    """Number of rows of the run at the time of the comparison."""

    comparison: ExperimentComparison
    recordings: tuple[CaptureRecording, ...]
    """Aligned trials for plots."""


def compare(
    recording: Recording,
    captures: Sequence[Capture],
    offsets: Sequence[float | None],
    options: AlignmentOptions,
    progress: Progress,
) -> ComparedTrials | None:
    """Align trials with a run and compare them.

    Raises `ExperimentError` if a trial overlaps too little with the run.

    Parameters
    ----------
    offsets : sequence of float or None
        Time offset of each trial, s; None to estimate it.

    Returns
    -------
    ComparedTrials or None
        None if it was cancelled.
    """
    rows = len(recording)
    run = RunTracks(recording)
    alignments = []
    for number, (capture, offset) in enumerate(zip(captures, offsets, strict=True)):
        adjusted = options if offset is None else replace(options, offset_bounds_s=(offset, offset))
        alignments.append(align(run, capture, adjusted))
        if not progress(0.5 * (number + 1) / len(captures)):
            return None
    comparison = compare_experiment(
        recording, captures, options, lambda fraction: progress(0.5 + 0.5 * fraction), alignments
    )
    if comparison is None:
        return None
    laid = tuple(CaptureRecording(trial.capture, recording) for trial in comparison.trials)
    return ComparedTrials(recording, rows, comparison, laid)


class ShiftedRecording:
    """Recording that is shifted in time without recomputation.

    Attributes
    ----------
    shift : float
        Shift of its rows to later times, s.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.shift = 0.0

    def move(self, shift: float) -> None:
        """Set the shift (s) of the rows to later times."""
        self.shift = shift

    @property
    def scene(self) -> Scene:
        """Scene of the recording."""
        return self._recording.scene

    @property
    def changes(self) -> tuple[Change, ...]:
        """Changes of the scene during the run."""
        return tuple(
            replace(change, time=change.time + self.shift) for change in self._recording.changes
        )

    @property
    def pulls(self) -> Sequence[Pull]:
        """Wrenches of the user's pulls on the robot."""
        return [replace(pull, time=pull.time + self.shift) for pull in self._recording.pulls]

    @property
    def events(self) -> tuple[RunEvent, ...]:
        """Events of the run."""
        return tuple(
            replace(event, time=event.time + self.shift) for event in self._recording.events
        )

    def scene_at(self, time: float) -> Scene:
        """Return the scene at `time` (s)."""
        return self._recording.scene_at(time - self.shift)

    @property
    def schema(self) -> Schema:
        """Schema of the rows."""
        return self._recording.schema

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of all rows, s."""
        return self._recording.times + self.shift

    def __len__(self) -> int:
        return len(self._recording)

    def rows(self, start: int, stop: int) -> Rows:
        """Return the rows from `start` to `stop`."""
        rows = self._recording.rows(start, stop)
        return replace(rows, time=rows.time + self.shift)

    def index_at(self, time: float) -> int:
        """Return the index of the row nearest to `time` (s)."""
        return self._recording.index_at(time - self.shift)

    def chunks(self) -> Iterator[Rows]:
        """Yield all rows in order, in blocks that fit in memory."""
        for rows in self._recording.chunks():
            yield replace(rows, time=rows.time + self.shift)

    def snapshot(self, index: int) -> Snapshot:
        """Return the row at `index` as a snapshot."""
        snapshot = self._recording.snapshot(index)
        return replace(snapshot, time=snapshot.time + self.shift)
