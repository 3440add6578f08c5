"""A comparison with an experiment as tables: of text, printed and copied, and as CSV with tracks and errors."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio.analysis.experiment.comparison import ExperimentComparison, TrialComparison
from snakestudio.analysis.experiment.figures import FIGURES, Figure, FigureKind
from snakestudio.export.comparison_tables import aligned
from snakestudio.export.csv import write_blocks
from snakestudio.export.provenance import change_lines, origin_lines, scene_lines
from snakestudio.model.capture import CENTRE_OF_MASS

__all__ = [
    "COLUMNS",
    "alignment_rows",
    "figure_rows",
    "link_name",
    "recognition_rows",
    "report",
    "shown",
    "told",
    "trial_rows",
    "unit",
    "write_experiment",
]

_MILLI = {"m": ("mm", 1000.0, 1), "m/s": ("mm/s", 1000.0, 2)}
"""Metres are shown as millimetres, in so many decimals: what motion capture tells."""

_DECIMALS = {"°": 2, "°/s": 3, "Hz": 4}


def link_name(link: int) -> str:
    """What people call a link (0-based), or the centre of mass."""
    return "centre of mass" if link == CENTRE_OF_MASS else f"link {link + 1}"


def shown(kind: FigureKind, value: float) -> str:
    """A value of a figure without its unit; a dash where there is none."""
    if not math.isfinite(value):
        return "-"
    _, factor, decimals = _MILLI.get(kind.unit, (kind.unit, 1.0, _DECIMALS.get(kind.unit, 4)))
    text = f"{factor * value:.{decimals}f}"
    return text[1:] if text.startswith("-") and not float(text) else text


def unit(kind: FigureKind) -> str:
    """The unit that `shown` shows a figure in."""
    return _MILLI.get(kind.unit, (kind.unit,))[0]


def _interval(kind: FigureKind, figure: Figure) -> str:
    if not (math.isfinite(figure.low) and math.isfinite(figure.high)):
        return "-"
    return f"{shown(kind, figure.low)} to {shown(kind, figure.high)}"


def figure_rows(figures: dict[str, Figure]) -> list[tuple[str, ...]]:
    """Rows of cells: label, unit, run, experiment, error, interval."""
    rows = []
    for kind in FIGURES:
        figure = figures.get(kind.name)
        if figure is not None:
            values = (shown(kind, value) for value in (figure.run, figure.experiment, figure.value))
            rows.append((kind.label, unit(kind), *values, _interval(kind, figure)))
    return rows


def trial_rows(comparison: ExperimentComparison) -> list[tuple[str, ...]]:
    """Rows of cells: label, unit, the error of every trial, of all together, interval."""
    rows = []
    for kind in FIGURES:
        whole = comparison.together.get(kind.name)
        own = [trial.figures.get(kind.name, Figure(math.nan)) for trial in comparison.trials]
        if any(kind.name in trial.figures for trial in comparison.trials):
            values = [shown(kind, figure.value) for figure in own]
            last = ("-", "-") if whole is None else (shown(kind, whole.value), _interval(kind, whole))
            rows.append((kind.label, unit(kind), *values, *last))
    return rows


def alignment_rows(comparison: ExperimentComparison) -> list[tuple[str, ...]]:
    """Rows of cells with how every trial was laid over the run, under a row of names."""
    rows: list[tuple[str, ...]] = [
        ("trial", "link", "offset / s", "± / s", "correlation", "turn / °", "shift x / m", "shift y / m", "rows",
         "filled in", "unseen"),
    ]  # fmt: skip
    for trial in comparison.trials:
        how, course = trial.alignment, trial.course
        unseen = sum(math.isnan(value) for value in course.experiment[:, 0].tolist())
        seen = int(course.measured.sum())
        rows.append(
            (
                trial.name, link_name(trial.link), f"{how.offset_s:.3f}",
                f"{how.offset_std_s:.3f}" if 0.0 < how.offset_std_s < 10.0 else "-", f"{how.correlation:.4f}",
                f"{math.degrees(how.heading_rad):.2f}", f"{how.shift_m[0]:.4f}", f"{how.shift_m[1]:.4f}",
                str(len(course.time)), str(len(course.time) - seen - unseen), str(unseen),
            )
        )  # fmt: skip
    return rows


def told(trials: Sequence[TrialComparison]) -> list[str]:
    """Notes of all trials, each naming its trial, but for those that `recognition_rows` show."""
    return [
        f"{trial.name}: {note}"
        for trial in trials
        for note in trial.notes
        if trial.capture.recognition is None or note not in trial.capture.recognition.sentences()
    ]


_LINE = 90
"""Characters of a line of what was recognized."""


def recognition_rows(trials: Sequence[TrialComparison]) -> list[tuple[str, str, str]]:
    """What the file of each trial was found to hold: trial, caption, text; long texts take several rows."""
    rows: list[tuple[str, str, str]] = []
    for trial in trials:
        name = trial.name
        recognition = trial.capture.recognition
        for caption, text in () if recognition is None else recognition.rows():
            for index, line in enumerate(textwrap.wrap(text, _LINE)):
                rows.append((name, "" if index else caption, line))
                name = ""
    return rows


def report(comparison: ExperimentComparison) -> str:
    """The whole comparison as lines of text."""
    trials = comparison.trials
    recognized = recognition_rows(trials)
    parts = [aligned(recognized, left=3)] if recognized else []
    parts.append(aligned(alignment_rows(comparison)))
    head = ("", "unit", "run", "experiment", "experiment less run", "interval")
    if len(trials) == 1:
        parts.append(aligned([head, *figure_rows(trials[0].figures)], left=2))
    else:
        names = ("", "unit", *(trial.name for trial in trials), "together", "interval")
        parts.append("experiment less run, by trial\n" + aligned([names, *trial_rows(comparison)], left=2))
        pairs = [row for row in figure_rows(comparison.together) if row[2] != "-"]
        if pairs:
            parts.append("means over the trials\n" + aligned([head, *pairs], left=2))
    parts.append(comparison.interval)
    notes = told(trials)
    if notes:
        parts.append("\n".join(notes))
    return "\n\n".join(parts)


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
