"""The named columns of a run: the ones that users' scripts rely on (CSV, `run["link_6_x_m"]`).

What they are and how they follow from rows is declared in `quantities`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.quantities import Column, Piece, columns_of
from snakestudio.model.recording import Recording, Rows, Schema

_PIECE = 4096
"""Rows that are taken at a time where only some columns of them are wanted."""


def column_names(schema: Schema) -> tuple[str, ...]:
    """Names of all columns, in the order of a CSV."""
    return columns_of(schema).exported


def filled_columns(schema: Schema) -> tuple[str, ...]:
    """Names of the columns that the source of a run fills, in the order of a CSV."""
    return columns_of(schema).filled


def table(recording: Recording, names: tuple[str, ...] | None = None) -> Iterator[FloatArray]:
    """The columns of a recording, some rows at a time.

    Raises `KeyError` if there is no such column.

    Parameters
    ----------
    names : tuple of str, optional
        Columns; all of them if left out.

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
    """Some columns of some rows.

    Raises `KeyError` if there is no such column.

    Parameters
    ----------
    before : Rows or None
        The row before them, if there is one: means are taken since then.

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
    """Some columns of the rows `start` to `stop`; the rows themselves are read piece by piece.

    Raises `KeyError` if there is no such column.

    Parameters
    ----------
    start, stop : int
        Rows that the recording has.

    Returns
    -------
    (stop - start, columns) array
    """
    values = np.empty((stop - start, len(names)))
    before: Rows | None = recording.rows(start - 1, start) if 0 < start < stop else None
    first = start
    while first < stop:
        # whole chunks of the recording, none of them twice
        last = min((first // _PIECE + 1) * _PIECE, stop)
        rows = recording.rows(first, last)
        values[first - start : last - start] = column_values(recording.schema, rows, before, names)
        before = rows.slice(len(rows) - 1, len(rows))
        first = last
    return values
