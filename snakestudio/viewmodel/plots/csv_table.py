"""Recorded values of the curves of a plot as CSV."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio._version import __version__
from snakestudio.errors import ExportError
from snakestudio.model.atomic import replacing
from snakestudio.model.recording import Schema
from snakestudio.viewmodel.plots.channels import series_of
from snakestudio.viewmodel.plots.overlaid import Overlay
from snakestudio.viewmodel.plots.plot_type import CurveSpec
from snakestudio.viewmodel.plots.pyramid import BLOCK
from snakestudio.viewmodel.plots.series_cache import Source
from snakestudio.viewmodel.plots.span_values import curve_table
from snakestudio.viewmodel.work import Progress


def names_of(schema: Schema, lines: Sequence[CurveSpec]) -> list[str]:
    """Return the names of the columns of curves."""
    return [series_of(line.series, schema).names[line.column] for line in lines]


def number_text(value: float) -> str:
    """Return a number with all digits; empty for NaN."""
    return "" if math.isnan(value) else repr(value)


def _at_times(recording: Source, lines: Sequence[CurveSpec], times: FloatArray) -> list[FloatArray]:
    """Return the curves of another run at some times (s), NaN where it was not recorded."""
    theirs = recording.times
    first = max(0, int(np.searchsorted(theirs, times[0])) - 1)
    last = min(len(theirs), int(np.searchsorted(theirs, times[-1])) + 1)
    if last <= first:
        return [np.full(len(times), np.nan) for _ in lines]
    table = next(curve_table(recording, lines, first, last, last - first))
    near = 1e-9 * max(1.0, abs(float(times[-1])))
    outside = (times < theirs[0] - near) | (times > theirs[-1] + near)
    curves = []
    for column in table.T:
        values = np.interp(times, theirs[first:last], column)
        values[outside] = np.nan
        curves.append(values)
    return curves


class CsvTable:
    """Recorded rows of some curves, which are written as CSV.

    Parameters
    ----------
    start, stop : float
        Time span, s.
    overlaid : sequence of (Overlay, sequence of CurveSpec)
        Curves of other runs, as additional columns with the name of the run and a dot before their
        names; empty after the end of the run.
    other : Source, optional
        Run that derived channels call the other one.
    """

    def __init__(
        self,
        recording: Source,
        lines: list[CurveSpec],
        start: float,
        stop: float,
        title: str,
        overlaid: Sequence[tuple[Overlay, Sequence[CurveSpec]]] = (),
        other: Source | None = None,
    ) -> None:
        self._recording = recording
        self._lines = list(dict.fromkeys(lines))
        self._other = other
        self._overlaid = [
            (overlay.run, list(dict.fromkeys(over))) for overlay, over in overlaid if over
        ]
        times = recording.times
        self._first = int(np.searchsorted(times, start - 1e-9))
        self._stop = int(np.searchsorted(times, stop + 1e-9))
        names = names_of(recording.schema, self._lines)
        for run, over in self._overlaid:
            prefix = re.sub(r"\W+", "_", run.name).strip("_").lower() or "other"
            names += [f"{prefix}.{name}" for name in names_of(run.recording.schema, over)]
        remark = (
            "# Other runs: values at the times of this one, linearly between their rows\n"
            if self._overlaid
            else ""
        )
        self._head = (
            f"# SnakeStudio {__version__}\n# {title}\n{remark}"
            + ",".join(["time_s", *names])
            + "\n"
        )

    def write(self, path: Path, progress: Progress) -> Path | None:
        """Write a file and return its path; None, without a file, if `progress` cancelled it.

        Raises `ExportError` if the file cannot be written.
        """
        try:
            with replacing(path) as partial:
                with partial.path.open("w", encoding="utf-8", newline="\n") as file:
                    file.write(self._head)
                    partial.keep = self._write_rows(file, progress)
                return path if partial.keep else None
        except OSError as error:
            why = error.strerror or error
            remedy = "choose another folder or free some space"
            raise ExportError(f"{path}: the data cannot be written ({why}); {remedy}.") from error

    def _write_rows(self, file: TextIO, progress: Progress) -> bool:
        start = self._first
        while start < self._stop:
            stop = min(self._stop, start // BLOCK * BLOCK + BLOCK)
            file.write(self._block(start, stop))
            start = stop
            if not progress((start - self._first) / (self._stop - self._first)):
                return False
        return True

    def _block(self, start: int, stop: int) -> str:
        times = self._recording.times[start:stop]
        columns = [
            times,
            *next(
                curve_table(self._recording, self._lines, start, stop, stop - start, self._other)
            ).T,
        ]
        for run, over in self._overlaid:
            columns += _at_times(run.recording, over, times)
        table = np.stack(columns, axis=1)
        return "\n".join(",".join(map(number_text, row)) for row in table.tolist()) + "\n"
