"""Tables of a comparison with an experiment: values by trial, alignment, and tracks as CSV columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.analysis.experiment.comparison import ExperimentComparison, TrialComparison
from snakestudio.analysis.experiment.figures import FIGURES, Figure, FigureKind
from snakestudio.export.report import Series
from snakestudio.export.tables import MISSING, Cell, Column, Row, Table, text_cells
from snakestudio.model.capture import CENTRE_OF_MASS

_MILLI = {"m": ("mm", 1000.0, 1), "m/s": ("mm/s", 1000.0, 2)}
"""Metres are displayed as millimetres with these decimals: the resolution of motion capture."""

_DECIMALS = {"°": 2, "°/s": 3, "Hz": 4}


def link_name(link: int) -> str:
    """Return the name of a link (0-based), or of the centre of mass, for people."""
    return "centre of mass" if link == CENTRE_OF_MASS else f"link {link + 1}"


def _text(kind: FigureKind, value: float) -> str:
    if not math.isfinite(value):
        return MISSING
    _, factor, decimals = _MILLI.get(kind.unit, (kind.unit, 1.0, _DECIMALS.get(kind.unit, 4)))
    text = f"{factor * value:.{decimals}f}"
    return text[1:] if text.startswith("-") and not float(text) else text


def _unit(kind: FigureKind) -> str:
    """Return the unit in which a value is displayed."""
    return _MILLI.get(kind.unit, (kind.unit,))[0]


def _cell(kind: FigureKind, value: float) -> Cell:
    _, factor, _ = _MILLI.get(kind.unit, (kind.unit, 1.0, 0))
    return Cell(_text(kind, value), (factor * value,))


def _interval(kind: FigureKind, figure: Figure) -> Cell:
    ends = (_cell(kind, figure.low), _cell(kind, figure.high))
    if not all(math.isfinite(end.value) for end in ends):
        return Cell(MISSING)
    return Cell(f"{ends[0].text} to {ends[1].text}", (ends[0].value, ends[1].value))


_LABEL = Column("", is_text=True, name="value")
_INTERVAL = Column(
    "95 % interval", parts=("low", "high"), name="interval", tip="Bootstrap interval of the error"
)


def error_table(heading: str, figures: dict[str, Figure], note: str = "") -> Table:
    """Return the errors of a trial, or of all trials together."""
    columns = (_LABEL, Column("error", tip="Experiment minus run"), _INTERVAL)
    rows = []
    for kind in FIGURES:
        figure = figures.get(kind.name)
        if figure is not None and kind.sort == "error":
            cells = (*text_cells(kind.label), _cell(kind, figure.value), _interval(kind, figure))
            rows.append(Row(cells, _unit(kind), kind.about))
    return Table(heading, columns, tuple(rows), note)


def pair_table(
    heading: str, figures: dict[str, Figure], note: str = "", *, with_errors: bool = False
) -> Table:
    """Return the values of run and experiment, of a trial or of all trials together; optionally with the errors."""
    columns = (
        _LABEL,
        Column("run"),
        Column("experiment"),
        Column("difference", tip="Experiment minus run"),
        _INTERVAL,
    )
    rows = []
    for kind in FIGURES:
        figure = figures.get(kind.name)
        if figure is None or not (with_errors or kind.sort == "pair"):
            continue
        values = (_cell(kind, value) for value in (figure.run, figure.experiment, figure.value))
        interval = _interval(kind, figure)
        tip = kind.about
        if kind.sort == "pair":
            tip += "\nDifference: experiment minus run."
            if interval.values:
                tip += f"\n95 % interval of the difference: {interval.text} {_unit(kind)}."
        rows.append(Row((*text_cells(kind.label), *values, interval), _unit(kind), tip))
    return Table(heading, columns, tuple(rows), note)


def trial_table(heading: str, comparison: ExperimentComparison) -> Table:
    """Return the errors of each trial, and of all together."""
    columns = (
        _LABEL,
        *(Column(trial.name) for trial in comparison.trials),
        Column("together"),
        _INTERVAL,
    )
    rows = []
    for kind in FIGURES:
        if not any(kind.name in trial.figures for trial in comparison.trials):
            continue
        own = [trial.figures.get(kind.name, Figure(math.nan)) for trial in comparison.trials]
        mean = comparison.together.get(kind.name, Figure(math.nan))
        cells = (_cell(kind, figure.value) for figure in (*own, mean))
        rows.append(
            Row((*text_cells(kind.label), *cells, _interval(kind, mean)), _unit(kind), kind.about)
        )
    return Table(heading, columns, tuple(rows), comparison.interval)


def alignment_table(comparison: ExperimentComparison, note: str = "") -> Table:
    """Return the alignment of each trial with the run."""
    columns = (
        Column("trial", is_text=True),
        Column("link", is_text=True),
        Column("offset", "s", tip="Offset of the measurement's clock"),
        Column("±", "s", tip="Standard deviation of the offset"),
        Column("correlation", tip="Correlation of the oscillations of both tracks"),
        Column("turn", "°"),
        Column("shift x", "m"),
        Column("shift y", "m"),
        Column("rows"),
        Column("filled in", tip="Interpolated rows"),
        Column("unseen", tip="Rows without measured data"),
    )
    return Table("Alignment", columns, tuple(map(_alignment_row, comparison.trials)), note)


def _alignment_row(trial: TrialComparison) -> Row:
    how = trial.alignment
    course = trial.course
    n_rows = len(course.time)
    unseen = int(np.isnan(course.experiment[:, 0]).sum())
    filled = n_rows - int(course.measured.sum()) - unseen
    turn = math.degrees(how.heading_rad)
    is_certain = 0.0 < how.offset_std_s < 10.0
    return Row(
        (
            *text_cells(trial.name, link_name(trial.link)),
            Cell(f"{how.offset_s:.3f}", (how.offset_s,)),
            Cell(f"{how.offset_std_s:.3f}", (how.offset_std_s,)) if is_certain else Cell(MISSING),
            Cell(f"{how.correlation:.4f}", (how.correlation,)),
            Cell(f"{turn:.2f}", (turn,)),
            *(Cell(f"{shift:.4f}", (float(shift),)) for shift in how.shift_m[:2]),
            *(Cell(str(count), (count,)) for count in (n_rows, filled, unseen)),
        )
    )


def trial_notes(trials: Sequence[TrialComparison]) -> list[str]:
    """Return the notes of all trials, with the name of the trial, except those in `recognition_table`."""
    return [
        f"{trial.name}: {note}"
        for trial in trials
        for note in trial.notes
        if trial.capture.recognition is None or note not in trial.capture.recognition.sentences()
    ]


def recognition_table(trials: Sequence[TrialComparison]) -> Table | None:
    """Return the recognized content of each trial's file; None if all layouts were given."""
    rows = []
    for trial in trials:
        recognition = trial.capture.recognition
        for caption, text in () if recognition is None else recognition.rows():
            rows.append(Row(text_cells(trial.name, caption, text)))
    columns = (
        Column("trial", is_text=True),
        Column("", is_text=True, name="property"),
        Column("recognized", is_text=True, is_prose=True),
    )
    return Table("Measured files", columns, tuple(rows)) if rows else None


def glossary_table(trials: Sequence[TrialComparison]) -> Table:
    """Return the descriptions of the values of these trials."""
    known = {name for trial in trials for name in trial.figures}
    rows = tuple(Row(text_cells(kind.label, kind.about)) for kind in FIGURES if kind.name in known)
    columns = (Column("value", is_text=True), Column("meaning", is_text=True, is_prose=True))
    return Table("Meaning of the values", columns, rows)


COLUMNS = (
    "trial",
    "time_s",
    "run_x_m",
    "run_y_m",
    "run_z_m",
    "experiment_x_m",
    "experiment_y_m",
    "experiment_z_m",
    "measured",
    "error_along_m",
    "error_across_m",
    "run_heading_rad",
    "error_heading_rad",
)
"""Names of the columns; trials are numbered from 1, `measured` is 0 where a gap was interpolated or
data are missing."""


def series_of(comparison: ExperimentComparison) -> Series:
    """Return the time series of all trials, one below the other; unknown values are empty cells."""

    def blocks() -> Iterable[FloatArray]:
        return (_block(index, trial) for index, trial in enumerate(comparison.trials, 1))

    return Series(COLUMNS, blocks, sum(len(trial.course.time) for trial in comparison.trials))


def trial_lines(index: int, trial: TrialComparison) -> list[str]:
    """Return the lines about a trial in the header of a CSV, with all digits."""
    how = trial.alignment
    capture = trial.capture
    digest = f", sha256 {capture.digest}" if capture.digest else ""
    link = "centre of mass" if trial.link < 0 else f"link {trial.link + 1}"
    return [
        f"trial {index}: {capture.source or trial.name}{digest}",
        f"trial {index}: {link}, time offset {how.offset_s!r} s, turn {how.heading_rad!r} rad about "
        f"{how.pivot_m.tolist()} m, shift {how.shift_m.tolist()} m, correlation {how.correlation!r}",
        *(f"trial {index}: {note}" for note in trial.notes),
    ]


def _block(index: int, trial: TrialComparison) -> NDArray[np.float64]:
    c = trial.course
    heading = np.full(len(c.time), np.nan) if c.heading is None else c.heading
    number_of = np.full(len(c.time), float(index))
    seen = c.measured.astype(np.float64)
    return np.column_stack(
        [number_of, c.time, c.run, c.experiment, seen, c.along, c.across, c.run_heading, heading]
    )
