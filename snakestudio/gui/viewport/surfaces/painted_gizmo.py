"""The gizmo and the guides in the plain view from above: the same handles, painted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.gizmo import Gizmo, Guide, handles
from snakestudio.drawing.gizmo_solids import handle_colour
from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.style import Theme

__all__ = ["paint_gizmo"]

Place = Callable[[ArrayLike], QPointF]

_HEAD, _BOX = 13.0, 5.0


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
