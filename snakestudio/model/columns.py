"""Named columns of a run, on which users' scripts rely (CSV, `run["link_6_x_m"]`).

Their meaning and computation are declared in `quantities`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.piece import Piece
from snakestudio.model.quantities import GROUPS, Quantity, all_quantities, numbered
from snakestudio.model.recording import Recording, Rows, Schema


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Column of runs with a schema."""

    name: str
    quantity: Quantity
    index: int
    """Index of the column in the quantity."""

    filled: bool
    """Whether the source fills it."""

    group: tuple[str, ...]
    """Groups in the channel browser, from the top: ("Links", "Link 6"); () if not listed."""


class Columns(NamedTuple):
    """All columns of runs with a schema."""

    by_name: dict[str, Column]
    """Columns in CSV order, followed by displayed-only ones."""

    by_key: dict[str, tuple[Column, ...]]
    """Columns of each quantity by its key (see `Quantity.key`)."""

    exported: tuple[str, ...]
    """Names of the CSV columns."""

    filled: tuple[str, ...]
    """Names of the CSV columns that the source fills."""

    clashes: tuple[tuple[Column, Column], ...] = ()
    """Pairs of exported columns with the same name; `by_name` has the second one, which a capture measured.
    Runs have none."""


def columns_of(schema: Schema) -> Columns:
    """Return all columns of runs with a schema."""
    return _columns(schema, all_quantities())


@lru_cache(maxsize=64)
def _columns(schema: Schema, quantities: tuple[Quantity, ...]) -> Columns:
    by_name: dict[str, Column] = {}
    by_key: dict[str, tuple[Column, ...]] = {}
    clashes: list[tuple[Column, Column]] = []
    for (of, exported), neighbours in groupby(
        quantities, lambda quantity: (quantity.of, quantity.exported)
    ):
        here = [
            (
                quantity,
                {label: index for index, label in enumerate((quantity.having or of)(schema))},
            )
            for quantity in neighbours
            if quantity.there(schema) and quantity.yields_to not in schema.extra
        ]
        for label in of(schema):
            for quantity, indices in here:
                index = indices.get(label)
                if index is None:
                    continue
                name = quantity.name.format(label)
                filled = quantity.needs in schema.valid
                column = Column(name, quantity, index, filled, _group(quantity, name, schema))
                present = by_name.get(name)
                if present is None or exported:
                    by_name[name] = column
                if exported and present is not None:
                    clashes.append((present, column))
                key = quantity.key or quantity.name.replace("{}", "*")
                by_key[key] = (*by_key.get(key, ()), column)
    those = [column for column in by_name.values() if column.quantity.exported]
    names = tuple(column.name for column in those)
    filled_names = tuple(column.name for column in those if column.filled)
    return Columns(by_name, by_key, names, filled_names, tuple(clashes))


def _group(quantity: Quantity, name: str, schema: Schema) -> tuple[str, ...]:
    numbers = numbered(name)
    if numbers is not None:
        part = "section" if numbers[0] == "link" and schema.sections else numbers[0]
        return GROUPS[part], f"{part.capitalize()} {numbers[1]}"
    if name.startswith("resultant_"):  # additions of a model, not of its controller
        return ("Body",)
    return (quantity.group,) if quantity.group else ()


_PIECE = 4096
"""Number of rows processed together if only some columns are needed."""


def column_names(schema: Schema) -> tuple[str, ...]:
    """Return the names of all columns, in CSV order."""
    return columns_of(schema).exported


def filled_columns(schema: Schema) -> tuple[str, ...]:
    """Return the names of the columns that the source of a run fills, in CSV order."""
    return columns_of(schema).filled


def table(recording: Recording, names: tuple[str, ...] | None = None) -> Iterator[FloatArray]:
    """Yield the columns of a recording, some rows at a time.

    Raises `KeyError` if there is no such column.

    Parameters
    ----------
    names : tuple of str, optional
        Columns; all if omitted.

    Yields
    ------
    (rows, columns) array
    """
    chosen = names if names is not None else column_names(recording.schema)
    before: Rows | None = None
    for rows in recording.chunks():
        yield column_values(recording.schema, rows, before, chosen)
        before = rows.slice(len(rows) - 1, len(rows))


def column_values(
    schema: Schema, rows: Rows, before: Rows | None, names: Sequence[str]
) -> FloatArray:
    """Return the values of some columns for some rows.

    Raises `KeyError` if there is no such column.

    Parameters
    ----------
    before : Rows or None
        Row before `rows`, if any: start of the interval of mean values.

    Returns
    -------
    (rows, columns) array
    """
    columns = columns_of(schema).by_name
    return values_of([columns[name] for name in names], Piece(schema, rows, before))


def values_of(columns: Sequence[Column], piece: Piece) -> FloatArray:
    """Return the values of some columns, (rows, columns); NaN where the source of the run does not fill them."""
    values = np.empty((len(piece.rows), len(columns)))
    for index, column in enumerate(columns):
        values[:, index] = (
            piece.values(column.quantity)[:, column.index] if column.filled else np.nan
        )
    return values


def columns_between(
    recording: Recording, names: tuple[str, ...], start: int, stop: int
) -> FloatArray:
    """Return the values of some columns in rows `start` to `stop`; the rows are read in pieces.

    Raises `KeyError` if there is no such column.

    Parameters
    ----------
    start, stop : int
        Range of rows in the recording.

    Returns
    -------
    (stop - start, columns) array
    """
    values = np.empty((stop - start, len(names)))
    before: Rows | None = recording.rows(start - 1, start) if 0 < start < stop else None
    first = start
    while first < stop:
        # whole chunks of the recording, each only once
        last = min((first // _PIECE + 1) * _PIECE, stop)
        rows = recording.rows(first, last)
        values[first - start : last - start] = column_values(recording.schema, rows, before, names)
        before = rows.slice(len(rows) - 1, len(rows))
        first = last
    return values
