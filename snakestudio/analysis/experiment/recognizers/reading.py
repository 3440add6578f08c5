"""Result of recognition, and shared parts of all recognizers: rows of cells, ranges, rotations, upward axes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.experiment.layout import AXES, BodyColumns, Layout
from snakestudio.analysis.experiment.upright import up_axis
from snakestudio.inputs import MEASUREMENT
from snakestudio.model.recognition import IgnoredColumns
from snakestudio.model.tables.cells import beginning_of, cells, is_number, number

_BEGINNING = 400
"""Number of data lines that a recognizer checks."""

_CHARACTERS = 2_000_000
"""Number of characters that it checks."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Interpretation of a table by a recognizer."""

    file_type: str
    layout: Layout
    kinds: tuple[str, ...] = ()
    """Kind of each body of the layout."""
    ignored: tuple[IgnoredColumns, ...] = ()
    remarks: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    """Open questions with remedies. While there are any, the table is not read without a
    layout."""
    unit_stated: bool = True
    """Whether the unit of length is stated in the file or fixed by its type."""


@dataclass(slots=True)
class IgnoredList:
    """Ignored columns; those with the same name and reason share an entry."""

    _counts: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, name: str, reason: str) -> None:
        """Add a column."""
        key = (name.strip() or "unnamed", reason)
        self._counts[key] = self._counts.get(key, 0) + 1

    def entries(self) -> tuple[IgnoredColumns, ...]:
        """Return the entries, in the order of the file."""
        return tuple(
            IgnoredColumns(name, reason, count) for (name, reason), count in self._counts.items()
        )


def trimmed(row: Sequence[str]) -> list[str]:
    """Return a row without trailing empty cells."""
    end = len(row)
    while end and not row[end - 1]:
        end -= 1
    return list(row[:end])


def data_rows(
    lines: list[str], first: int, delimiter: str, count: int | None = None
) -> list[list[str]]:
    """Return the cells of the first rows of numbers from line `first` on; empty lines and comments are skipped."""
    end = len(lines) if count is None else first + count
    part = beginning_of(lines[first : min(end, first + _BEGINNING)], _BEGINNING, _CHARACTERS)
    return [
        cells(line, delimiter)[: MEASUREMENT.columns]
        for line in part
        if line.strip() and not line.startswith("#")
    ]


def decimal_of(rows: Iterable[Sequence[str]]) -> str:
    """Return the decimal mark of rows of cells: a comma if numbers can only be read with it."""
    points = commas = 0
    for row in rows:
        for cell in row:
            if "," in cell:
                commas += is_number(cell, ",")
            elif "." in cell:
                points += is_number(cell, ".")
    return "," if commas > points else "."


def values_of(rows: Sequence[Sequence[str]], n_columns: int, decimal: str) -> FloatArray:
    """Return numbers (k, n) of rows of cells; NaN for everything else."""
    values = np.full((len(rows), n_columns), np.nan)
    for i, row in enumerate(rows):
        for j, cell in enumerate(row[:n_columns]):
            if is_number(cell, decimal):
                with contextlib.suppress(ValueError):  # too large for a number
                    values[i, j] = number(cell, decimal)
    return values


def is_unit_quaternion(values: FloatArray) -> bool:
    """Return whether all known rows (k, 4) have a norm of 1 to three digits; rows of zeros count as unknown."""
    size = np.linalg.norm(values[np.isfinite(values).all(axis=1)], axis=1)
    size = size[size > 0.0]
    return bool(len(size)) and bool(np.all(np.abs(size - 1.0) < 5e-3))


def unique_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names made unique by numbers, and those that were repeated."""
    result: list[str] = []
    repeated: list[str] = []
    used: set[str] = set()
    for name in names:
        unique = name
        count = 1
        while unique in used:
            count += 1
            unique = f"{name} ({count})"
        if unique != name and name not in repeated:
            repeated.append(name)
        used.add(unique)
        result.append(unique)
    return result, repeated


_CONTRADICTED = 0.15
"""An axis is up if the motion along it is less than this fraction of that along the documented
upward axis."""


def upright_axes(
    bodies: Sequence[BodyColumns], values: FloatArray, documented: str
) -> tuple[str, tuple[str, ...]]:
    """Return the axes of a layout with the documented upward axis, and a remark if the tracks contradict it.

    A robot on a floor moves least along the vertical. The documented axis is used unless another one
    fits much better.
    """
    spans = np.zeros(3)
    places = []
    for body in bodies:
        columns = [c for c in (body.x, body.y, body.z) if c is not None]
        if len(columns) < 3:
            return AXES["z"], ()
        position = values[:, columns]
        position = np.where((position == 0.0).all(axis=1, keepdims=True), np.nan, position)
        seen = position[np.isfinite(position).all(axis=1)]
        if len(seen) > 1:
            spans = np.maximum(spans, np.ptp(seen, axis=0))
        places.append(position)
    if not places:
        return AXES[documented], ()
    by_tracks = up_axis(np.stack(places, axis=1))
    if by_tracks == documented:
        return AXES[documented], ()
    if spans["xyz".index(by_tracks)] < _CONTRADICTED * spans["xyz".index(documented)]:
        return AXES[by_tracks], (
            f"The tracks move least along {by_tracks}, so {by_tracks} is read as up; this program usually points "
            f"{documented} up. Check the axes.",
        )
    return AXES[documented], ()
