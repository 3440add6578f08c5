"""The course of a comparison with an experiment as CSV: both tracks and their errors, under a header that says how."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio.analysis.experiment.comparison import ExperimentComparison, TrialComparison
from snakestudio.export.csv import write_blocks
from snakestudio.export.provenance import change_lines, origin_lines, scene_lines

__all__ = ["COLUMNS", "write_experiment"]

COLUMNS = (
    "trial", "time_s", "run_x_m", "run_y_m", "run_z_m", "experiment_x_m", "experiment_y_m", "experiment_z_m",
    "measured", "error_along_m", "error_across_m", "run_heading_rad", "error_heading_rad",
)  # fmt: skip
"""Names of the columns; trials are counted from 1, `measured` is 0 where a gap was filled in or nothing is known."""


def write_experiment(
    path: str | Path,
    comparison: ExperimentComparison,
    scene_file: str | None = None,
    progress: Callable[[float], bool] | None = None,
) -> bool:
    """Write the course of every trial, one below the other; what is not known is an empty cell.

    Returns
    -------
    bool
        False if it was cancelled.

    Raises
    ------
    ExportError
        If the file cannot be written.
    """
    recording = comparison.recording
    header = [*origin_lines(recording.scene, scene_file), "# comparison of a run with an experiment"]
    for index, trial in enumerate(comparison.trials, 1):
        header += _lines(index, trial)
    header += [*change_lines(recording.changes), *scene_lines(recording.scene)]
    blocks: Iterable[NDArray[np.float64]] = (_block(i, trial) for i, trial in enumerate(comparison.trials, 1))
    rows = sum(len(trial.course.time) for trial in comparison.trials)
    return write_blocks(path, header, COLUMNS, blocks, rows, progress)


def _lines(index: int, trial: TrialComparison) -> list[str]:
    how, capture = trial.alignment, trial.capture
    digest = f", sha256 {capture.digest}" if capture.digest else ""
    link = "centre of mass" if trial.link < 0 else f"link {trial.link + 1}"
    return [
        f"# trial {index}: {capture.source or trial.name}{digest}",
        f"# trial {index}: {link}, time offset {how.offset_s!r} s, turn {how.heading_rad!r} rad about "
        f"{how.pivot_m.tolist()} m, shift {how.shift_m.tolist()} m, correlation {how.correlation!r}",
        *(f"# trial {index}: {note}" for note in trial.notes),
    ]


def _block(index: int, trial: TrialComparison) -> NDArray[np.float64]:
    c = trial.course
    heading = np.full(len(c.time), np.nan) if c.heading is None else c.heading
    number_of, seen = np.full(len(c.time), float(index)), c.measured.astype(np.float64)
    return np.column_stack([number_of, c.time, c.run, c.experiment, seen, c.along, c.across, c.run_heading, heading])
