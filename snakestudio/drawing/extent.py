"""Part of the frame that contains solids, the only part that is multisampled or smoothed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import DrawList
from snakestudio.drawing.instances import Batch

TILE = 32
"""Side of a tile, pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Extent:
    """Area of the solids in the frame."""

    x: int
    """Left edge of the bounding rectangle, pixels from the left edge of the frame."""

    y: int
    """Lower edge, pixels from the lower edge of the frame."""

    width: int
    """Width, pixels."""

    height: int
    """Height, pixels."""

    tiles: NDArray[np.float32]
    """Non-empty tiles: corner and size, pixels; they do not overlap. Shape (k, 4)."""


def extent(draw_list: DrawList, camera: Camera, width: int, height: int) -> Extent | None:
    """Return the area of the solids and lines in a frame; None if none are visible.

    Parameters
    ----------
    width, height : int
        Size of the frame, pixels.
    """
    batches = [
        *draw_list.opaque.values(),
        *draw_list.ghosts,
        draw_list.obstacles,
        *draw_list.outlines.values(),
    ]
    batches += draw_list.handles.values()
    balls = [_balls(rows) for rows in batches if len(rows)]
    balls += [_balls(rows, mesh == "arrow") for mesh, rows in draw_list.marks.items()]
    for tube in (*draw_list.ghost_tubes, *([draw_list.tube] if draw_list.tube is not None else [])):
        balls.append(np.column_stack((tube.links.position, tube.half + 1.6 * tube.reach)))
    if draw_list.world.terrain is not None:
        balls.append(draw_list.world.terrain.balls.astype(np.float32))
    for strokes in (draw_list.lines, draw_list.handle_lines):
        if not len(strokes):
            continue
        # The bounding ball of a segment is centred at its middle.
        start = strokes[:, :3]
        end = strokes[:, 4:7]
        balls.append(
            np.column_stack((0.5 * (start + end), 0.5 * np.linalg.norm(end - start, axis=1)))
        )
    if not balls:
        return None
    lower, upper = _boxes(np.concatenate(balls).astype(float), camera, width, height)
    columns = -(-width // TILE)
    lines = -(-height // TILE)
    low: IndexArray = np.maximum(np.floor(lower / TILE), 0).astype(np.intp)
    high: IndexArray = np.minimum(np.ceil(upper / TILE), (columns, lines)).astype(np.intp)
    seen = (high > low).all(axis=1)
    if not seen.any():
        return None
    (x0, y0), (x1, y1) = low[seen].T, high[seen].T
    # Number of boxes over each tile from the differences at their corners.
    change = np.zeros((lines + 1, columns + 1), int)
    for column, line, sign in ((x0, y0, 1), (x1, y1, 1), (x0, y1, -1), (x1, y0, -1)):
        np.add.at(change, (line, column), sign)
    used = change.cumsum(axis=0).cumsum(axis=1)[:lines, :columns] > 0
    y, x = np.nonzero(used)
    left = x * TILE
    bottom = y * TILE
    right = np.minimum(left + TILE, width)
    top = np.minimum(bottom + TILE, height)
    tiles = np.column_stack((left, bottom, right - left, top - bottom)).astype(np.float32)
    corner = int(left.min()), int(bottom.min())
    return Extent(*corner, int(right.max()) - corner[0], int(top.max()) - corner[1], tiles)


def _balls(rows: Batch, arrows: bool = False) -> Batch:
    """Return bounding balls (centre, radius) of solids; the position of an arrow is its foot."""
    balls = np.column_stack((rows[:, :3], rows[:, 3] + 1.2 * rows[:, 12]))
    if arrows:
        x, y, z, w = rows[:, 4:8].T
        along = np.column_stack((1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)))
        balls[:, :3] += rows[:, 3:4] * along
    return balls


def _boxes(
    balls: FloatArray, camera: Camera, width: int, height: int
) -> tuple[FloatArray, FloatArray]:
    """Corners in pixels of the boxes around balls (k, 4) in the frame; the whole frame for balls close to the eye."""
    centre = balls[:, :3]
    radius = balls[:, 3]
    seen = (centre - camera.eye) @ camera.axes.T
    depth = -seen[:, 2]
    middle = np.array((0.5 * width, 0.5 * height))
    if camera.orthographic:
        per_metre = np.full(len(balls), height / float(camera.view_height(camera.target)))
        stretch = np.ones(len(balls))
        near = np.zeros(len(balls), bool)
        behind = np.zeros(len(balls), bool)
    else:
        safe = np.maximum(depth, camera.clip[0])
        per_metre = height / camera.view_height(camera.eye - safe[:, None] * camera.axes[2])
        # Off the line of sight, a ball appears as an ellipse, elongated outwards; a near one appears
        # larger than at its centre.
        slope = np.hypot(seen[:, 0], seen[:, 1]) / safe
        stretch = (
            np.hypot(1.0, slope) * safe / np.maximum(safe - radius * (1.0 + slope), 0.3 * safe)
        )
        near = (depth < 2.5 * radius + camera.clip[0]) & (depth > -radius)
        behind = depth <= -radius
    margin = radius * stretch * per_metre + 5.0 * height / 720.0
    at = middle + seen[:, :2] * per_metre[:, None]
    low = at - margin[:, None]
    high = at + margin[:, None]
    limit = 4.0 * max(width, height)
    low, high = np.clip(low, -limit, limit), np.clip(high, -limit, limit)
    low[near] = 0.0
    high[near] = (width, height)
    low[behind] = 0.0
    high[behind] = 0.0
    return low, high
