"""Curves in the fewest points that look the same, handed to Qt without touching a point in Python."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QPainter, QPolygonF
from shiboken6 import getCppPointer

__all__ = ["polylines", "stroke"]

FloatArray = NDArray[np.float64]


def polylines(x: FloatArray, lower: FloatArray, upper: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """Lines through a band in as few points as show it, one for every stretch without gaps.

    Parameters
    ----------
    x, lower, upper : (b,) arrays
        Pixels; `lower` is lower on the screen, so its values are the greater.
    """
    known = np.isfinite(lower + upper)
    if not known.all():
        edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(np.int8)))
        return [
            line
            for a, b in zip(edges[::2], edges[1::2], strict=True)
            for line in polylines(x[a:b], lower[a:b], upper[a:b])
        ]
    if len(x) < 2:
        return []
    if lower is upper or not np.any(tall := lower - upper > 0.75):
        xs, ys = x, 0.5 * (lower + upper)
    else:
        # A bin whose band is not seen as one is a point; the others become two, in the order in which the curve rises
        # or falls through them, so that a steep curve stays a line and only what is too fast to show becomes a band.
        count = np.where(tall, 2, 1)
        end = np.cumsum(count)
        middle = 0.5 * (lower + upper)
        xs, ys = np.repeat(x, count), np.repeat(middle, count)
        second = end[tall] - 1
        first = second - 1
        quarter = 0.25 * (x[-1] - x[0]) / (len(x) - 1)
        xs[first] -= quarter
        xs[second] += quarter
        # Where the next bin lies lower on the screen (the last goes on as the one before), the upper end comes first.
        downwards = np.empty(len(x), bool)
        np.greater(middle[1:], middle[:-1], out=downwards[:-1])
        downwards[-1] = downwards[-2]
        downwards = downwards[tall]
        ys[first] = np.where(downwards, upper[tall], lower[tall])
        ys[second] = np.where(downwards, lower[tall], upper[tall])
    # Points on a level stretch say nothing.
    level = np.abs(ys[1:] - ys[:-1]) < 1e-3
    if level.any():
        keep = np.ones(len(ys), bool)
        keep[1:-1] = ~(level[:-1] & level[1:])
        xs, ys = xs[keep], ys[keep]
    return [(xs, ys)]


def stroke(painter: QPainter, xs: FloatArray, ys: FloatArray, *, as_segments: bool) -> None:
    """Draw a line through points with the painter's pen.

    `as_segments` draws every segment by itself: without joins it takes a third of the time for thick pens.
    """
    if not as_segments:
        painter.drawPolyline(_polygon(xs, ys))
        return
    # Every point but the two ends is the end of one segment and the start of the next.
    pairs = _polygon(np.repeat(xs, 2)[1:-1], np.repeat(ys, 2)[1:-1])
    painter.drawLines(pairs.data(), len(xs) - 1)


def _polygon(xs: FloatArray, ys: FloatArray) -> QPolygonF:
    polygon = QPolygonF()
    polygon.resize(len(xs))
    # Two doubles a point, one after the other: written in place, a point at a time would take longer than drawing.
    address = getCppPointer(polygon.data())[0]
    memory = np.ctypeslib.as_array((ctypes.c_double * (2 * len(xs))).from_address(address))
    memory[0::2], memory[1::2] = xs, ys
    return polygon
