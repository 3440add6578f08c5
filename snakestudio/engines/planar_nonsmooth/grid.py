"""Broad phase: a uniform grid that tells, for the one cell a link's centre is in, which obstacles it may touch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Grid", "make_grid"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MOST_CELLS = 1 << 20
MOST_ITEMS = 1 << 22


class Grid(NamedTuple):
    """Obstacles by cell; see `Params`."""

    x: float
    y: float
    inverse: float
    nx: int
    ny: int
    first: IntArray
    items: IntArray


def make_grid(obstacles: FloatArray, reach: float) -> Grid:
    """Enter every obstacle in each cell from which it can be touched.

    Parameters
    ----------
    obstacles : (k, 3) array
        Centre and radius, m.
    reach : float
        Distance from a link's centre of gravity to the farthest point of its outline, m.
    """
    if len(obstacles) == 0:
        return Grid(0.0, 0.0, 1.0, 0, 0, np.zeros(1, np.int64), np.zeros(0, np.int64))
    # A little wider than needed, so that rounding in the cell's index cannot lose a contact.
    touch = (obstacles[:, 2] + reach) * (1.0 + 1e-9) + 1e-9
    low = (obstacles[:, :2] - touch[:, None]).min(axis=0)
    high = (obstacles[:, :2] + touch[:, None]).max(axis=0)
    width, height = high - low
    cell = max(0.5 * float(np.median(touch)), float(np.sqrt(width * height / MOST_CELLS)), 1e-9)
    while True:
        shape = (int(width / cell) + 1, int(height / cell) + 1)
        first_cell = np.floor((obstacles[:, :2] - touch[:, None] - low) / cell).astype(np.int64)
        last_cell = np.floor((obstacles[:, :2] + touch[:, None] - low) / cell).astype(np.int64)
        first_cell = np.clip(first_cell, 0, np.array(shape) - 1)
        last_cell = np.clip(last_cell, 0, np.array(shape) - 1)
        spans = last_cell - first_cell + 1
        counts = spans[:, 0] * spans[:, 1]
        if shape[0] * shape[1] <= MOST_CELLS and counts.sum() <= MOST_ITEMS:
            break
        cell *= 2.0
    # All (obstacle, cell) pairs of the bounding boxes, then only those whose cell the disc of reach meets.
    obstacle = np.repeat(np.arange(len(obstacles)), counts)
    index = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    ix = first_cell[obstacle, 0] + index % spans[obstacle, 0]
    iy = first_cell[obstacle, 1] + index // spans[obstacle, 0]
    corner_x, corner_y = low[0] + ix * cell, low[1] + iy * cell
    slack = 1e-9 * cell
    away_x = obstacles[obstacle, 0] - np.clip(obstacles[obstacle, 0], corner_x - slack, corner_x + cell + slack)
    away_y = obstacles[obstacle, 1] - np.clip(obstacles[obstacle, 1], corner_y - slack, corner_y + cell + slack)
    near = away_x**2 + away_y**2 <= touch[obstacle] ** 2
    cells = (iy * shape[0] + ix)[near]
    order = np.argsort(cells, kind="stable")
    first = np.zeros(shape[0] * shape[1] + 1, np.int64)
    np.cumsum(np.bincount(cells, minlength=shape[0] * shape[1]), out=first[1:])
    return Grid(float(low[0]), float(low[1]), 1.0 / cell, shape[0], shape[1], first, obstacle[near][order])
