"""Friction patches of the ground: hatched, with an outline and draggable corners."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.instances import LINE_WIDTH, ROW_WIDTH, Batch, line_rows, solid_rows
from snakestudio.drawing.style import Theme
from snakestudio.model.world import GroundPatch

_ABOVE = 0.002
"""Height above the ground, m: in front of the grid and below path and robot."""

_STROKES = 40
"""Number of hatching lines across a patch."""


def _raised(points: FloatArray) -> FloatArray:
    return np.column_stack([points, np.full(len(points), _ABOVE)])


def hatching(corners: FloatArray) -> FloatArray:
    """Return the ends of hatching lines inside a polygon of corners (k, 2), at 45 degrees, (m, 2, 2), m."""
    turned = corners @ np.array([[1.0, -1.0], [1.0, 1.0]]) / np.sqrt(2.0)
    low, high = turned[:, 1].min(), turned[:, 1].max()
    start = turned
    end = np.roll(turned, -1, axis=0)
    strokes = []
    for y in low + (np.arange(_STROKES) + 0.5) * (high - low) / _STROKES:
        crossed = (start[:, 1] > y) != (end[:, 1] > y)
        fraction = (y - start[crossed, 1]) / (end[crossed, 1] - start[crossed, 1])
        x = np.sort(start[crossed, 0] + fraction * (end[crossed, 0] - start[crossed, 0]))
        strokes += [((a, y), (b, y)) for a, b in zip(x[::2], x[1::2], strict=False)]
    lines = np.array(strokes).reshape(-1, 2, 2)
    back: FloatArray = lines @ np.array([[1.0, 1.0], [-1.0, 1.0]]) / np.sqrt(2.0)
    return back


@lru_cache(maxsize=4)
def patch_lines(patches: tuple[GroundPatch, ...], chosen: int, theme: Theme) -> Batch:
    """Return the outlines and hatching of all patches, the selected one in the accent colour; read-only."""
    batches = [np.zeros((0, LINE_WIDTH), np.float32)]
    for index, patch in enumerate(patches):
        colour = theme.accent if index == chosen else theme.support
        corners = np.array(patch.points_m)
        strokes = hatching(corners)
        batches.append(line_rows(_raised(strokes[:, 0]), _raised(strokes[:, 1]), 3.0, colour, 0.25))
        batches.append(
            line_rows(
                _raised(corners),
                _raised(np.roll(corners, -1, axis=0)),
                3.0 if index == chosen else 2.0,
                colour,
                0.8,
            )
        )
    return np.concatenate(batches)


def corner_marks(
    patches: tuple[GroundPatch, ...], chosen: int, camera: Camera, theme: Theme
) -> Batch:
    """Marks of the corners of all patches; the one at index `chosen`, counted through all patches, is highlighted."""
    if not patches:
        return np.zeros((0, ROW_WIDTH), np.float32)
    at = _raised(np.concatenate([np.array(patch.points_m) for patch in patches]))
    which = np.arange(len(at)) == chosen
    size = np.where(which, 0.0115, 0.006) * camera.view_height(at)
    colour = np.where(which[:, None], np.array(theme.accent), np.array(theme.support))
    return solid_rows(at, (1.0, 0.0, 0.0, 0.0), 0.0, size, colour, glow=0.6)
