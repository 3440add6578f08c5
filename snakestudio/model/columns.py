"""Named columns of a run, on which users' scripts rely (CSV, `run["link_6_x_m"]`).

Their meaning and computation are declared in `quantities`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.quantities import Column, Piece, columns_of
from snakestudio.model.recording import Recording, Rows, Schema

_PIECE = 4096
"""Number of rows processed together if only some columns are needed."""


def column_names(schema: Schema) -> tuple[str, ...]:
    """Names of all columns, in CSV order."""
    return columns_of(schema).exported


def filled_columns(schema: Schema) -> tuple[str, ...]:
    """Names of the columns that the source of a run fills, in CSV order."""
    return columns_of(schema).filled


def table(recording: Recording, names: tuple[str, ...] | None = None) -> Iterator[FloatArray]:
    """Columns of a recording, some rows at a time.

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
    """Values of some columns for some rows.

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
    """Values of some columns, (rows, columns); NaN where the source of the run does not fill them."""
    values = np.empty((len(piece.rows), len(columns)))
    for place, column in enumerate(columns):
        values[:, place] = (
            piece.values(column.quantity)[:, column.index] if column.filled else np.nan
        )
    return values


def columns_between(
    recording: Recording, names: tuple[str, ...], start: int, stop: int
) -> FloatArray:
    """Values of some columns in rows `start` to `stop`; the rows are read in pieces.

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
