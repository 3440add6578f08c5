"""A comparison of models as CSV: every model's own course and its differences from the reference, row by row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio.analysis.comparison.models import ModelComparison
from snakestudio.analysis.run_differences import LINKS, QUANTITIES
from snakestudio.export.comparison_text import report
from snakestudio.export.csv import write_blocks
from snakestudio.export.provenance import change_lines, origin_lines, scene_lines

__all__ = ["write_comparison"]

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
