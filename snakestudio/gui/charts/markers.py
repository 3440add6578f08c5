"""Marks of highlighted points of a chart: stars, discs, rings, lines with a rim, and the range of a brush."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from snakestudio.gui.core import theme

_RING = 8.0
_STAR = 8.0
_DISC = 4.5
"""Radii of marks, px."""
_BRUSH = 0.08
"""Opacity of the range of a brush."""


def star_path(position: QPointF, radius: float) -> QPainterPath:
    """Return a star with five points, which marks the best point."""
    path = QPainterPath()
    for k in range(10):
        size = radius if k % 2 == 0 else 0.45 * radius
        angle = math.pi * (k / 5 - 0.5)
        corner = QPointF(
            position.x() + size * math.cos(angle), position.y() + size * math.sin(angle)
        )
        (path.lineTo if k else path.moveTo)(corner)
    path.closeSubpath()
    return path


def paint_mark(painter: QPainter, position: QPointF, colour: QColor, *, star: bool) -> None:
    """Paint a star or a disc with a rim in the background colour, so that it is visible over other marks."""
    path = star_path(position, _STAR) if star else QPainterPath()
    if not star:
        path.addEllipse(position, _DISC, _DISC)
    ground = theme.colour("card")
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(ground, 3.0))
    painter.drawPath(path)
    painter.setPen(QPen(ground, 1.0))
    painter.setBrush(colour)
    painter.drawPath(path)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def paint_ring(painter: QPainter, position: QPointF, colour: QColor) -> None:
    """Paint a ring around a point that is selected or hovered."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for ink, width in ((theme.colour("card"), 4.0), (colour, 2.0)):
        painter.setPen(QPen(ink, width))
        painter.drawEllipse(position, _RING, _RING)


def paint_line(
    painter: QPainter, corners: list[QPointF], colour: QColor, width: float, rim: float
) -> None:
    """Paint a line over a wider one in the background colour, widths in px."""
    line = QPolygonF(corners)
    for ink, size in ((theme.colour("card"), rim), (colour, width)):
        painter.setPen(QPen(ink, size))
        painter.drawPolyline(line)


def paint_cross(painter: QPainter, middle: QPointF, size: float) -> None:
    """Paint a cross with the painter's pen, which marks a failed point."""
    painter.drawLine(middle + QPointF(-size, -size), middle + QPointF(size, size))
    painter.drawLine(middle + QPointF(-size, size), middle + QPointF(size, -size))


def paint_range(
    painter: QPainter, area: QRectF, x: tuple[float, float], y: tuple[float, float]
) -> None:
    """Paint the range of a brush, as shares of an area from the left and from the bottom."""
    left, right = (area.left() + min(max(fraction, 0.0), 1.0) * area.width() for fraction in x)
    low, high = (area.bottom() - min(max(fraction, 0.0), 1.0) * area.height() for fraction in y)
    fill = theme.colour("accent")
    fill.setAlphaF(_BRUSH)
    rect = QRectF(QPointF(round(left), round(high)), QPointF(round(right), round(low)))
    # the path is large, and painted during drags
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.fillRect(rect, fill)
    painter.setPen(QPen(theme.colour("accent"), 1))
    painter.drawRect(rect)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
