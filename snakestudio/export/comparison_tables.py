"""Report of a comparison of models: status of each run, differences, and time series as CSV."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.analysis.comparison.models import ModelComparison, ModelRun
from snakestudio.analysis.run_differences import LINKS, QUANTITIES
from snakestudio.export.provenance import plausibility_notes
from snakestudio.export.report import Report, Series, scene_title
from snakestudio.export.tables import (
    MISSING,
    Cell,
    Column,
    Row,
    Table,
    number,
    number_cell,
    text_cells,
)
from snakestudio.kinds.formulation import FORMULATIONS


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One quantity of a run and of the reference, as text."""

    name: str
    """Name of the quantity."""

    label: str
    """Name of the quantity."""

    unit: str
    """Unit of its values."""

    reference: str
    """Value of the reference at the last time that both reached; components x, y and z of a
    vector."""

    run: str
    """Value of the run at that time."""

    end: str
    """Difference at that time."""

    worst: str
    """Largest difference."""

    rms: str
    """Root mean square of the difference."""


def difference_rows(comparison: ModelComparison, label: str) -> list[DifferenceRow]:
    """Return the differences of the run `label` from the reference."""
    reference = comparison.reference
    assert reference is not None
    samples = comparison.samples[reference.label], comparison.samples[label]
    last = min(part.count for part in samples) - 1
    rows = []
    for quantity in QUANTITIES:
        own = ["", ""]
        if quantity is not LINKS:
            ends = (part.values[quantity.name][last] for part in samples)
            own = [", ".join(map(number, end)) if quantity.axes else number(end) for end in ends]
        result = comparison.differences[label][quantity.name]
        rows.append(
            DifferenceRow(
                quantity.name,
                quantity.label,
                quantity.unit,
                *own,
                *map(number, (result.end, result.worst, result.rms)),
            )
        )
    return rows


def difference_table(comparison: ModelComparison, label: str, digits: int = 4) -> Table:
    """Return the differences of the run `label` from the reference, with this number of digits."""
    reference = comparison.reference
    assert reference is not None
    run = next(run for run in comparison.runs if run.label == label)
    last = min(comparison.samples[name].count for name in (reference.label, label)) - 1
    rows = []
    for row in difference_rows(comparison, label):
        difference = comparison.differences[label][row.name]
        values = (_scalar(comparison, each, row.name, last) for each in (reference.label, label))
        own = (
            Cell(text, value) for text, value in zip((row.reference, row.run), values, strict=True)
        )
        cells = (
            number_cell(value, digits)
            for value in (difference.end, difference.worst, difference.rms)
        )
        tip = "Distance of the link centres from those of the reference, root mean square over the links"
        if row.run:
            tip = (
                f"{row.label.capitalize()} at the end ({row.unit})\n"
                f"{_short(run.kind)}: {row.run}\n"
                f"{_short(reference.kind)}: {row.reference}"
            )
        rows.append(Row((*text_cells(row.label), *own, *cells), unit=row.unit, tip=tip))
    columns = (
        Column("", is_text=True, name="quantity"),
        Column(
            f"{reference.label}\nat the end",
            tip="Value of the reference; for a vector, its components along x, y and z",
        ),
        Column(
            f"{label}\nat the end",
            tip="Value of this model; for a vector, its components along x, y and z",
        ),
        Column("difference\nat the end", tip="Difference at the last time that both reached"),
        Column("\nlargest", tip="Largest difference in the run"),
        Column("\nRMS", tip="Root mean square of the difference over the run"),
    )
    return Table(
        f"{label} minus {reference.label}, 0 to {comparison.times[last]:g} s", columns, tuple(rows)
    )


def _short(kind: str) -> str:
    # a plug-in may no longer be loaded
    return FORMULATIONS[kind].short if kind in FORMULATIONS else kind


def _scalar(comparison: ModelComparison, label: str, name: str, index: int) -> tuple[float, ...]:
    """Return the value of a scalar quantity at a time; empty for a vector."""
    values = comparison.samples[label].values.get(name)
    return () if values is None or values.ndim > 1 else (float(values[index]),)


def reported(run: ModelRun) -> list[str]:
    """Return the problems of a run: why it could not run, ended early, or is not plausible."""
    sentences = [f"cannot run this scene: {sentence}" for sentence in run.refusals]
    if run.failure:
        sentences.append(f"ended at {run.end:g} s: {run.failure}")
    return sentences + (plausibility_notes(run.recording) if run.recording is not None else [])


def comparison_report(comparison: ModelComparison, scene_file: str | None = None) -> Report:
    """Return the report of a comparison of models.

    Columns of its CSV have the names of a run's columns, prefixed by the model; differences end in
    "_minus_" and the reference before their unit. For a vector the difference is the norm of the
    vectors' difference. After the end of a run, cells are empty.
    """
    reference = comparison.reference
    notes = [
        f"{run.label}: {sentence}"
        for run in comparison.runs
        for sentence in (*reported(run), *run.notes)
    ]
    differences = tuple(difference_table(comparison, label) for label in comparison.differences)
    kinds = " ".join(run.kind for run in comparison.runs)
    recording = None if reference is None else reference.recording
    return Report(
        subject="models",
        title=f"{scene_title(comparison.scene)}: comparison of models",
        lead="",
        tables=differences or (_runs_table(comparison),),
        details=(_runs_table(comparison),) if differences else (),
        notes=tuple(notes),
        scene=comparison.scene,
        scene_file=scene_file,
        changes=() if recording is None else recording.changes,
        header=(
            f"To repeat the comparison: snakestudio compare models THIS_FILE.csv {kinds} --csv AGAIN.csv",
        ),
        series=lambda: _series(comparison),
    )


def _runs_table(comparison: ModelComparison) -> Table:
    """Return the summary of all runs."""
    rows = []
    for run in comparison.ran:
        factor = run.real_time_factor
        cells = (
            Cell(f"{run.scene.solver.step_s:.6g}", (run.scene.solver.step_s,)),
            Cell(f"{run.end:g}", (run.end,)),
            Cell(f"{run.engine_seconds:.3g}", (run.engine_seconds,)),
            Cell(f"{factor:.3g}" if math.isfinite(factor) else MISSING, (factor,)),
        )
        rows.append(Row((*text_cells(run.label), *cells)))
    columns = (
        Column("model", is_text=True),
        Column("time step", "s"),
        Column("simulated", "s"),
        Column("processor time", "s"),
        Column("real-time factor"),
    )
    return Table("Runs", columns, tuple(rows))


_BLOCK = 1024


def _series(comparison: ModelComparison) -> Series:
    names, table = _table(comparison)

    def blocks() -> Iterable[FloatArray]:
        return (table[start : start + _BLOCK] for start in range(0, len(table), _BLOCK))

    return Series(tuple(names), blocks, len(table))


def _table(comparison: ModelComparison) -> tuple[list[str], NDArray[np.float64]]:
    names = ["time_s"]
    columns = [comparison.times]
    for label, samples in comparison.samples.items():
        for quantity in QUANTITIES:
            if quantity is not LINKS:
                names += [f"{label}_{name}" for name in quantity.columns()]
                columns += list(np.atleast_2d(samples.values[quantity.name].T))
    reference = comparison.reference
    for label, differences in comparison.differences.items():
        assert reference is not None
        for quantity in QUANTITIES:
            names.append(f"{label}_{quantity.name}_minus_{reference.label}_{quantity.suffix}")
            columns.append(differences[quantity.name].series)
    return names, np.stack(columns, axis=1)
