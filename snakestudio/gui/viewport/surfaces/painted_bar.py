"""The colour bar of the plain view: the same pieces as in the picture by OpenGL, drawn with QPainter."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from snakestudio.drawing.colour_bar import Bar, bar_corner, bar_labels, bar_lines
from snakestudio.drawing.style import Theme
from snakestudio.drawing.view import reference_pixel

__all__ = ["paint_bar"]


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
