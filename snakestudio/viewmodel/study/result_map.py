"""Content of a map of two varied values: grid cells, scattered points, or a curve over one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray, IntArray
from snakestudio.viewmodel.plots.axis_scale import AxisScale
from snakestudio.viewmodel.study.result_columns import ResultColumn
from snakestudio.viewmodel.study.result_rows import Results

Over = Literal["best", "mean", "worst"]
"""How to combine points that share a cell."""

_MOST_CHOICES = 60
"""Largest number of choices for another varied value; one with more values is not part of a grid."""

_MOST_CELLS = 250_000
_OUTLYING = 3.0
"""Distance of outliers from the middle 80 % of the values, in spans of these."""

_FEWEST = 10
"""Smallest number of values among which there are outliers."""

_TWO_SIDED = 0.2
"""Fraction of the longer side of 0 above which the shorter side is more than noise."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Grid of values."""

    x: FloatArray
    """Values of the first column, ascending."""

    y: FloatArray
    """Values of the second column, ascending."""

    values: FloatArray
    """Values of the cells; NaN if there is none."""

    rows: IntArray
    """Row of the results that represents each cell, -1 for none."""

    failed: BoolArray
    """Cells without a successful run."""

    beyond: BoolArray
    """Cells without a run within the limits."""

    left_out: BoolArray
    """Cells without a plausible run."""

    several: bool
    """Whether some cell has more than one point."""


def choices(column: ResultColumn) -> FloatArray:
    """Return the choices for a varied value; empty if it is not a list or a grid."""
    values = np.array(column.grid) if column.grid else column.values[np.isfinite(column.values)]
    distinct: FloatArray = np.unique(values)
    return distinct if 1 < len(distinct) <= _MOST_CHOICES else distinct[:0]


def fixed_rows(results: Results, fixed: Mapping[str, float]) -> IntArray:
    """Return the rows with these values of other varied values."""
    keep = np.ones(len(results), np.bool_)
    for name, value in fixed.items():
        if name in results.columns:
            keep &= np.isclose(results.columns[name].values, value, rtol=1e-9, atol=0.0)
    matching: IntArray = np.flatnonzero(keep)
    return matching


def _signed(column: ResultColumn, rows: IntArray) -> FloatArray:
    """Return the values with smaller as better; without a preference, larger counts as better."""
    return -column.values[rows] if column.better >= 0 else column.values[rows]


def _best_of_each(
    results: Results, rows: IntArray, group: IntArray, colour: ResultColumn, over: Over
) -> IntArray:
    """Return the best or worst row of each group; rows within the limits take precedence.

    Parameters
    ----------
    rows : (k,)
    group : (k,)
        Number of the group of each row.
    colour : Column
        Column to compare.
    over : str
        "best", "mean" (which also uses the best row) or "worst".

    Returns
    -------
    (groups,)
        Positions in `rows` by ascending group.
    """
    signed = _signed(colour, rows)
    order = np.lexsort(
        (-signed if over == "worst" else signed, ~results.counts[rows], np.isnan(signed), group)
    )
    first = np.ones(len(order), np.bool_)
    first[1:] = np.diff(group[order]) != 0
    chosen: IntArray = order[first]
    return chosen


def _nearest(values: FloatArray, known: FloatArray) -> IntArray:
    """Return the index of the nearest of ascending values."""
    right = np.clip(np.searchsorted(known, values), 1, max(1, len(known) - 1))
    if len(known) < 2:
        return np.zeros(len(values), np.int64)
    nearest: IntArray = np.where(
        values - known[right - 1] <= known[right] - values, right - 1, right
    )
    return nearest


def cells_of(
    results: Results,
    rows: IntArray,
    x: ResultColumn,
    y: ResultColumn | None,
    colour: ResultColumn,
    over: Over,
) -> Cells | None:
    """Return the cells of some rows; None if the points are scattered.

    Parameters
    ----------
    rows : (k,)
    x, y : Column
        Columns of the axes; without `y` there is one row of cells.
    colour : Column
        Column that the cells show.
    over : str
        How to combine several points in a cell.
    """
    sides = [column for column in (x, y) if column is not None]
    rows = rows[np.all([np.isfinite(column.values[rows]) for column in sides], axis=0)]
    known = [np.unique(np.array(c.grid) if c.grid else c.values[rows]) for c in sides]
    nx = len(known[0])
    ny = len(known[1]) if y is not None else 1
    if not nx or not ny or nx * ny > _MOST_CELLS:
        return None
    column = _nearest(x.values[rows], known[0])
    line = _nearest(y.values[rows], known[1]) if y is not None else np.zeros(len(rows), np.int64)
    cell = line * nx + column
    occupied = len(np.unique(cell))
    if not all(c.grid for c in sides) and occupied * 2 < nx * ny:
        return None
    values = np.full(nx * ny, np.nan)
    visible = np.full(nx * ny, -1, np.int64)
    failed = np.zeros(nx * ny, np.bool_)
    beyond = np.zeros(nx * ny, np.bool_)
    left_out = np.zeros(nx * ny, np.bool_)
    if len(rows):
        chosen = _best_of_each(results, rows, cell, colour, over)
        at = cell[chosen]
        visible[at] = rows[chosen]
        values[at] = colour.values[rows[chosen]]
        failed[at] = results.failed[rows[chosen]]
        left_out[at] = results.left_out[rows[chosen]]
        beyond[at] = ~results.counts[rows[chosen]] & np.isfinite(values[at]) & ~left_out[at]
        if over == "mean":
            good = np.isfinite(colour.values[rows])
            good &= ~results.left_out[rows] | left_out[cell]
            sums = np.bincount(cell[good], colour.values[rows][good], nx * ny)
            number = np.bincount(cell[good], minlength=nx * ny)
            values = np.divide(sums, number, out=np.full(nx * ny, np.nan), where=number > 0)
    shape = ny, nx
    return Cells(
        known[0],
        known[1] if y is not None else np.zeros(1),
        values.reshape(shape),
        visible.reshape(shape),
        failed.reshape(shape),
        beyond.reshape(shape),
        left_out.reshape(shape),
        len(rows) > occupied,
    )


def colour_ends(values: FloatArray, left_out: BoolArray | None = None) -> tuple[float, float, bool]:
    """Return the ends of the colour scale, and whether it is centred at 0 because the sign is significant.

    Rows that are `left_out`, and outliers far beyond the middle 80 % of the values, do not extend the
    scale.
    """
    known = np.isfinite(values)
    if left_out is not None and (known & ~left_out).any():
        known &= ~left_out
    values = values[known]
    if not len(values):
        return 0.0, 1.0, False
    low, high = _bulk(values)
    if low < 0.0 < high and min(-low, high) > _TWO_SIDED * max(-low, high):
        return -max(-low, high), max(-low, high), True
    return low, high, False


def _bulk(values: FloatArray) -> tuple[float, float]:
    """Return the ends of the values without outliers; few values have no outliers."""
    low, high = float(values.min()), float(values.max())
    first, last = (float(end) for end in np.quantile(values, (0.1, 0.9)))
    if len(values) < _FEWEST or not first < last:
        return low, high
    margin = _OUTLYING * (last - first)
    inner = values[(values >= first - margin) & (values <= last + margin)]
    return float(inner.min()), float(inner.max())


def edges(scale: AxisScale, values: FloatArray) -> FloatArray:
    """Return the borders of cells around values, as fractions of an axis."""
    shares = scale.fraction(values)
    if len(shares) == 1:
        return np.array([0.0, 1.0])
    between = (shares[1:] + shares[:-1]) / 2
    borders: FloatArray = np.concatenate(
        [[2 * shares[0] - between[0]], between, [2 * shares[-1] - between[-1]]]
    )
    return borders


def cell_scale(column: ResultColumn, values: FloatArray) -> AxisScale:
    """Return the scale that whole cells fill."""
    plain = column.scale(0.0)
    if column.categories or len(values) < 2:
        return plain if column.categories else column.scale()
    low, high = (plain.value(float(fraction)) for fraction in edges(plain, values)[[0, -1]])
    return AxisScale(low, high, plain.log)


def independent(results: Results) -> list[ResultColumn]:
    """Return varied values that vary independently; of values that vary together, only the first."""
    names = {group[0].name for group in results.table.study.groups}
    return [column for column in results.named("varied") if column.name in names]
