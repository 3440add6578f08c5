"""Measured tracks in the plain view from above: the same lines, dashes and points, painted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.tracks import track_segments

__all__ = ["paint_tracks"]

FloatArray = NDArray[np.float64]

_DASH, _MARK = 9.0, 5.0
"""Length of a dash and radius of a point, px."""


def paint_tracks(
    painter: QPainter, overlays: Overlays, scale: float, places: Callable[[FloatArray], FloatArray]
) -> None:
    """Paint what the overlays have of tracks.

    Parameters
    ----------
    painter : QPainter
    overlays : Overlays
    scale : float
        Pixels a metre.
    places : callable
        Gives the points (k, 2) of the widget where points (k, 3) of the world are seen.
    """
    for track in overlays.tracks:
        start, end, faint = track_segments(track, _DASH / scale)
        ends = np.hstack([places(start), places(end)])
        for which, opacity in ((~faint, track.opacity), (faint, 0.6 * track.opacity)):
            colour = QColor.fromRgbF(*track.colour)
            colour.setAlphaF(opacity)
            painter.setPen(QPen(colour, track.width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            painter.drawLines([QLineF(*line) for line in ends[which].tolist()])
        if track.marks is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor.fromRgbF(*track.colour))
            for x, y in places(track.marks[np.isfinite(track.marks).all(axis=1)]).tolist():
                painter.drawEllipse(QPointF(x, y), _MARK, _MARK)
