"""Broad phase: a uniform grid that lists, for each cell, the bodies that a link with its centre there may touch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.kernels.axes import X, Y

MOST_CELLS = 1 << 20
MOST_ITEMS = 1 << 22


class Grid(NamedTuple):
    """Bodies by grid cell."""

    x: float
    """x of the corner of the grid, m."""

    y: float
    """y of the corner of the grid, m."""

    inverse: float
    """Reciprocal of the size of its cells, 1/m."""

    nx: int
    """Number of cells along x; 0 without bodies."""

    ny: int
    """Number of cells along y; 0 without bodies."""

    first: IntArray
    """The bodies of cell c are items[first[c]:first[c + 1]]."""

    items: IntArray
    """Bodies by cell, see `first`."""


def make_grid(lowest: FloatArray, highest: FloatArray, touch: FloatArray) -> Grid:
    """Return a grid in which each rectangle is listed in all cells with a point closer to it than `touch`.

    Parameters
    ----------
    lowest, highest : (k, 2) array
        Corners with the smallest and largest coordinates, m; equal for discs (`touch` then
        includes their radius).
    touch : (k,) array
        Reach beyond the rectangle, m.
    """
    if len(lowest) == 0:
        return Grid(0.0, 0.0, 1.0, 0, 0, np.zeros(1, np.int64), np.zeros(0, np.int64))
    # A little wider than needed, so that rounding in the cell's index cannot lose a contact.
    touch = touch * (1.0 + 1e-9) + 1e-9
    low = (lowest - touch[:, None]).min(axis=0)
    high = (highest + touch[:, None]).max(axis=0)
    width, height = high - low
    size = touch + 0.5 * (highest - lowest).min(axis=1)
    cell = max(0.5 * float(np.median(size)), float(np.sqrt(width * height / MOST_CELLS)), 1e-9)
    while True:
        shape = (int(width / cell) + 1, int(height / cell) + 1)
        first_cell = np.floor((lowest - touch[:, None] - low) / cell).astype(np.int64)
        last_cell = np.floor((highest + touch[:, None] - low) / cell).astype(np.int64)
        first_cell = np.clip(first_cell, 0, np.array(shape) - 1)
        last_cell = np.clip(last_cell, 0, np.array(shape) - 1)
        spans = last_cell - first_cell + 1
        counts = spans[:, X] * spans[:, Y]
        if shape[0] * shape[1] <= MOST_CELLS and counts.sum() <= MOST_ITEMS:
            break
        cell *= 2.0
    # All (body, cell) pairs of the bounding boxes, then only those whose cell intersects the
    # rounded rectangle.
    body = np.repeat(np.arange(len(lowest)), counts)
    index = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    ix = first_cell[body, X] + index % spans[body, X]
    iy = first_cell[body, Y] + index // spans[body, X]
    corner = low + np.column_stack([ix, iy]) * cell
    slack = 1e-9 * cell
    away = np.maximum(
        np.maximum(lowest[body] - (corner + cell + slack), corner - slack - highest[body]), 0.0
    )
    near = (away**2).sum(axis=1) <= touch[body] ** 2
    cells = (iy * shape[0] + ix)[near]
    order = np.argsort(cells, kind="stable")
    first = np.zeros(shape[0] * shape[1] + 1, np.int64)
    np.cumsum(np.bincount(cells, minlength=shape[0] * shape[1]), out=first[1:])
    return Grid(
        float(low[0]), float(low[1]), 1.0 / cell, shape[0], shape[1], first, body[near][order]
    )
