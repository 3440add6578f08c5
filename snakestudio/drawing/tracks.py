"""Drawing of measured tracks: lines, dashed across gaps in the measurement, and points on them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.instances import LINE_WIDTH, ROW_WIDTH, Batch, line_rows, solid_rows
from snakestudio.drawing.overlays import MeasuredLine

_LONGEST = 4000
"""Largest number of drawn segments of a track; longer ones are decimated."""

_DASH = 0.012
_MOST_DASHES = 2000
"""Length of a dash and of a gap as a fraction of the frame height, and their largest number per
track."""

_SHORT = 8
"""Largest number of points of a track whose lines are not cached."""

_FAINT = 0.6
"""Relative opacity of dashed segments."""

_MARK = 0.0085
"""Radius of a point as a fraction of the frame height."""


def dashes(
    points: FloatArray, dashed: BoolArray, length: float
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Split the dashed segments of a line.

    Parameters
    ----------
    points : (m, 3) array
        m, without NaN, m > 1.
    dashed : (m - 1,) bool array
    length : float
        Length of a dash and of a gap, m; dashes continue around corners.

    Returns
    -------
    start, end : (k, 3) arrays
        Ends of the drawn segments, m.
    faint : (k,) bool array
        Whether a segment is a dash.
    """
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    length = max(length, along[-1] / _MOST_DASHES)
    if not dashed.any() or length <= 0.0:
        return points[:-1], points[1:], np.zeros(len(points) - 1, bool)
    borders = np.arange(1, int(along[-1] / length) + 1) * length
    piece = np.searchsorted(along, borders, side="right") - 1
    borders = borders[(piece < len(dashed)) & dashed[np.minimum(piece, len(dashed) - 1)]]
    cuts = np.unique(np.concatenate([along, borders]))
    at = np.column_stack([np.interp(cuts, along, points[:, axis]) for axis in range(3)])
    middle = 0.5 * (cuts[:-1] + cuts[1:])
    faint = dashed[np.clip(np.searchsorted(along, middle, side="right") - 1, 0, len(dashed) - 1)]
    drawn = ~faint | (np.floor(middle / length) % 2 == 0)
    return at[:-1][drawn], at[1:][drawn], faint[drawn]


def track_segments(track: MeasuredLine, dash: float) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Drawn segments of a track: starts and ends, (k, 3) each, m, and a mask of the dashes; `dash` length in m."""
    points = np.asarray(track.points, float)
    dashed = track.dashed
    if dashed is None:
        dashed = np.zeros(max(len(points) - 1, 0), bool)
    if len(points) > _LONGEST:
        stride = -(-len(points) // _LONGEST)
        chosen = np.unique(np.append(np.arange(0, len(points), stride), len(points) - 1))
        dashed = np.logical_or.reduceat(dashed, chosen[:-1])
        points = points[chosen]
    known = np.isfinite(points).all(axis=1)
    starts = [np.zeros((0, 3))]
    ends = [np.zeros((0, 3))]
    faints = [np.zeros(0, bool)]
    for run in np.split(np.arange(len(points)), np.flatnonzero(np.diff(known)) + 1):
        if len(run) > 1 and known[run[0]]:
            start, end, faint = dashes(points[run], dashed[run[:-1]], dash)
            starts.append(start)
            ends.append(end)
            faints.append(faint)
    return np.concatenate(starts), np.concatenate(ends), np.concatenate(faints)


def track_lines(tracks: Sequence[MeasuredLine], camera: Camera) -> Batch:
    """Return the lines of tracks; dashes have a constant screen length."""
    dash = _DASH * float(camera.view_height(camera.target))
    parts = [np.zeros((0, LINE_WIDTH), np.float32)]
    # Tracks that move with the robot are short; long ones do not change between frames.
    parts += [
        (_kept_rows if len(track.points) > _SHORT else _rows)(track, dash) for track in tracks
    ]
    return np.concatenate(parts)


def _rows(track: MeasuredLine, dash: float) -> Batch:
    """Return the lines of one track; read-only."""
    start, end, faint = track_segments(track, dash)
    return line_rows(
        start, end, track.width, track.colour, np.where(faint, _FAINT, 1.0) * track.opacity
    )


_kept_rows = lru_cache(maxsize=32)(_rows)


def track_marks(tracks: Sequence[MeasuredLine], camera: Camera) -> Batch:
    """Return the highlighted points on tracks."""
    parts = [np.zeros((0, ROW_WIDTH), np.float32)]
    for track in tracks:
        if track.marks is not None:
            at = track.marks[np.isfinite(track.marks).all(axis=1)]
            size = _MARK * camera.view_height(at)
            parts.append(solid_rows(at, (1.0, 0.0, 0.0, 0.0), 0.0, size, track.colour, glow=0.6))
    return np.concatenate(parts)
