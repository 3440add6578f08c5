"""Colour bar, gizmo, guides and measured tracks of the plain view: what OpenGL draws, painted with QPainter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.colour_bar import Bar, bar_corner, bar_labels, bar_lines
from snakestudio.drawing.gizmo import Gizmo, Guide, handles
from snakestudio.drawing.gizmo_solids import handle_colour
from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.style import Theme
from snakestudio.drawing.tracks import track_segments
from snakestudio.drawing.view import reference_pixel

__all__ = ["paint_bar", "paint_gizmo", "paint_tracks"]

Place = Callable[[ArrayLike], QPointF]

_HEAD, _BOX = 13.0, 5.0
_DASH, _MARK = 9.0, 5.0
"""Length of a dash and radius of a point, px."""


def paint_bar(painter: QPainter, bar: Bar | None, colours: Theme) -> None:
    """Draw the bar into the upper right corner of what the painter draws on."""
    if bar is None:
        return
    device = painter.viewport()
    left, top, size = bar_corner(bar, device.width(), device.height(), reference_pixel(device.height()))
    painter.save()
    painter.translate(left, top)
    painter.scale(size, size)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # or there would be gaps between the colours
    for x0, y0, _, width, x1, y1, _, opacity, red, green, blue, _ in bar_lines(bar, colours, 1.0).tolist():
        pen = QPen(QColor.fromRgbF(red, green, blue, opacity), width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.drawLine(QPointF(x0, y0), QPointF(x1, y1))
    font = painter.font()
    font.setPixelSize(12)
    painter.setFont(font)
    for label in bar_labels(bar, colours, 1.0):
        x, y, _ = label.position
        wide, high = painter.fontMetrics().horizontalAdvance(label.text) + 1.0, painter.fontMetrics().height()
        # Anchors count from the lower left corner of the text.
        place = QRectF(x - label.anchor[0] * wide, y - (1.0 - label.anchor[1]) * high, wide, high)
        painter.setPen(QColor.fromRgbF(*label.colour, label.opacity))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, label.text)
    painter.restore()


def paint_gizmo(painter: QPainter, overlays: Overlays, camera: Camera, colours: Theme, place: Place) -> None:
    """Paint what the overlays have of handles and guides.

    Parameters
    ----------
    painter : QPainter
    overlays : Overlays
    camera : Camera
    colours : Theme
    place : callable
        Gives the point of the widget where a point of the world is seen.
    """
    for guide in overlays.guides:
        _guide(painter, guide, colours, place)
    if overlays.gizmo is not None:
        _gizmo(painter, overlays.gizmo, camera, colours, place)


def _guide(painter: QPainter, guide: Guide, colours: Theme, place: Place) -> None:
    colour = QColor.fromRgbF(*colours.accent)
    painter.setPen(QPen(colour, 1.5))
    painter.drawLine(place(guide.start), place(guide.end))
    if guide.dot:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(place(guide.end), 4, 4)


def _gizmo(painter: QPainter, gizmo: Gizmo, camera: Camera, colours: Theme, place: Place) -> None:
    for handle in handles(gizmo, camera):
        bright = handle.name in (gizmo.hovered, gizmo.held)
        colour = QColor.fromRgbF(*handle_colour(gizmo, handle, colours))
        points = [place(point) for point in handle.points]
        if handle.kind == "ring":
            painter.setPen(QPen(colour, 4 if bright else 3))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPolyline(QPolygonF(points))
            continue
        if handle.kind == "axis":
            painter.setPen(QPen(colour, 4 if bright else 3))
            painter.drawLine(*points)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        if handle.kind == "axis" and gizmo.mode == "move":
            painter.drawPolygon(_head(*points))
        elif handle.kind == "plane":
            painter.drawPolygon(QPolygonF(points))
        else:
            at = points[-1]
            painter.drawRect(int(at.x() - _BOX), int(at.y() - _BOX), int(2 * _BOX), int(2 * _BOX))


def _head(start: QPointF, end: QPointF) -> QPolygonF:
    """An arrow's head whose base is at the end of its shaft."""
    way = np.array((end.x() - start.x(), end.y() - start.y()))
    way /= max(float(np.linalg.norm(way)), 1e-9)
    along, across = QPointF(*(_HEAD * way)), QPointF(-0.5 * _HEAD * way[1], 0.5 * _HEAD * way[0])
    return QPolygonF([end + along, end + across, end - across])


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
