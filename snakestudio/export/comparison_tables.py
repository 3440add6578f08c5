"""A comparison of models as tables: of text, printed and copied, and as CSV with every model's course, row by row."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio.analysis.comparison.models import ModelComparison, ModelRun
from snakestudio.analysis.run_differences import LINKS, QUANTITIES
from snakestudio.export.csv import write_blocks
from snakestudio.export.provenance import change_lines, origin_lines, scene_lines

__all__ = ["DifferenceRow", "aligned", "difference_rows", "number", "report", "told", "write_comparison"]


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One quantity of a run and of the reference, as texts.

    Attributes
    ----------
    name : str
        Of the quantity.
    label, unit : str
        What it is.
    reference, run : str
        Both at the last time that both have reached; of a vector the parts along x, y and z.
    end, worst, rms : str
        Difference at that time, the largest, and the root mean square.
    """

    name: str
    label: str
    unit: str
    reference: str
    run: str
    end: str
    worst: str
    rms: str


def number(value: float, digits: int = 4) -> str:
    """A value as tables show it, in little room."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.{digits}g}"
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return f"{mantissa}e{int(exponent)}"


def difference_rows(comparison: ModelComparison, label: str) -> list[DifferenceRow]:
    """The differences of the run called `label` from the reference."""
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
        found = comparison.differences[label][quantity.name]
        rows.append(
            DifferenceRow(
                quantity.name, quantity.label, quantity.unit, *own, *map(number, (found.end, found.worst, found.rms))
            )
        )
    return rows


def told(run: ModelRun) -> list[str]:
    """What went wrong with a run: why there is none, or why it ended early."""
    sentences = [f"cannot run this scene: {sentence}" for sentence in run.refusals]
    if run.failure:
        sentences.append(f"ended at {run.end:g} s: {run.failure}")
    return sentences


def report(comparison: ModelComparison) -> str:
    """The whole comparison as lines of text."""
    reference = comparison.reference
    parts = [aligned(_figures(comparison))]
    sentences = [f"{run.label}: {sentence}" for run in comparison.runs for sentence in (*told(run), *run.notes)]
    if sentences:
        parts.append("\n".join(sentences))
    for label in comparison.differences:
        assert reference is not None
        last = min(comparison.samples[name].count for name in (reference.label, label)) - 1
        head = f"{label} less {reference.label}, 0 to {comparison.times[last]:g} s"
        table = [
            ("", "", reference.label, label, "difference", "", ""),
            ("", "", "at the end", "at the end", "at the end", "worst", "RMS"),
        ]
        for row in difference_rows(comparison, label):
            table.append((row.label, row.unit, row.reference, row.run, row.end, row.worst, row.rms))
        parts.append(f"{head}\n{aligned(table, left=2)}")
    return "\n\n".join(parts)


def _figures(comparison: ModelComparison) -> list[tuple[str, ...]]:
    """How every model ran."""
    rows: list[tuple[str, ...]] = [("model", "time step", "simulated", "processor time", "real-time factor")]
    for run in comparison.ran:
        factor = run.real_time_factor
        speed = f"{factor:.3g}" if math.isfinite(factor) else "-"
        rows.append(
            (run.label, f"{run.scene.solver.step_s:.6g} s", f"{run.end:g} s", f"{run.engine_seconds:.3g} s", speed)
        )
    return rows


def aligned(rows: Sequence[tuple[str, ...]], left: int = 1) -> str:
    """Cells in columns two blanks apart; the first `left` columns stand to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if index < left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


_BLOCK = 1024


def write_comparison(
    path: str | Path,
    comparison: ModelComparison,
    scene_file: str | None = None,
    progress: Callable[[float], bool] | None = None,
) -> bool:
    """Write a comparison under a header that rebuilds it and says what the table of differences says.

    Columns are called as in the CSV of a run, with the model before them; differences end in "_minus_" and the
    reference before their unit. Of a vector the difference is the size of the vectors' difference. Where a run has
    ended, cells are empty.

    Parameters
    ----------
    path : path
    comparison : ModelComparison
    scene_file : str, optional
        Name of the scene's file, for the header.
    progress : callable, optional
        Gets the finished fraction; the export is cancelled, leaving no file, when it returns False.

    Returns
    -------
    bool
        False if it was cancelled.

    Raises
    ------
    ExportError
        If the file cannot be written.
    """
    names, table = _table(comparison)
    blocks = (table[start : start + _BLOCK] for start in range(0, len(table), _BLOCK))
    return write_blocks(path, _header(comparison, scene_file), names, blocks, len(table), progress)


def _table(comparison: ModelComparison) -> tuple[list[str], NDArray[np.float64]]:
    names, columns = ["time_s"], [comparison.times]
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


def _header(comparison: ModelComparison, scene_file: str | None) -> list[str]:
    labels = " ".join(run.kind for run in comparison.runs)
    lines = origin_lines(comparison.scene, scene_file)
    lines.append(f"# To compare again: snakestudio compare models THIS_FILE.csv {labels} --csv AGAIN.csv")
    lines += [f"# {line}".rstrip() for line in report(comparison).splitlines()]
    reference = comparison.reference
    if reference is not None and reference.recording is not None:
        lines += change_lines(reference.recording.changes)
    return lines + scene_lines(comparison.scene)
