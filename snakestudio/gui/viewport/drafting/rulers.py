"""Rulers along the left and lower edges of the view from above, with marks at the cursor."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from snakestudio.gui.charts.tick_marks import Side, paint_dash, paint_text, text_place
from snakestudio.gui.core import theme
from snakestudio.model.ticks import tick_text
from snakestudio.viewmodel.viewport.length_units import cursor_step, scale_of

THICK = 22
"""Width of a ruler, pixels."""
_TEXT = QSizeF(80, THICK - 8)
"""Space for a number, pixels."""


def paint_rulers(
    painter: QPainter,
    area: QRectF,
    origin: QPointF,
    pixels_per_metre: float,
    cursor: QPointF | None,
) -> None:
    """Draw both rulers.

    Parameters
    ----------
    area : QRectF
        The whole view, pixels.
    origin : QPointF
        Position of the world's origin in the view, pixels.
    cursor : QPointF or None
        Position of the cursor in the view.
    """
    scale = scale_of(pixels_per_metre)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setFont(theme.value_font(11, bold=False))
    ground = theme.colour("ground" if theme.current() is theme.DARK else "card")
    ground.setAlphaF(0.92)
    across = QRectF(area.left(), area.bottom() - THICK, area.width(), THICK)
    upright = QRectF(area.left(), area.top(), THICK, area.height() - THICK)
    for ruler in (across, upright):
        painter.fillRect(ruler, ground)
    line = theme.colour("line")
    painter.setPen(QPen(line, 1))
    painter.drawLine(across.topLeft() + QPointF(THICK, 0), across.topRight())
    painter.drawLine(upright.topRight(), upright.bottomRight())
    small = scale.step / scale.parts
    _ticks(
        painter, across, origin.x(), pixels_per_metre, small, scale.parts, scale.text, upright=False
    )
    _ticks(
        painter,
        upright,
        origin.y(),
        -pixels_per_metre,
        small,
        scale.parts,
        scale.text,
        upright=True,
    )
    corner = QRectF(area.left(), area.bottom() - THICK, THICK, THICK)
    painter.fillRect(corner, ground)
    painter.setPen(theme.colour("dim"))
    painter.drawText(corner, Qt.AlignmentFlag.AlignCenter, scale.unit)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    if cursor is not None and area.contains(cursor):
        step = cursor_step(pixels_per_metre)
        for value, at in (
            ((cursor.x() - origin.x()) / pixels_per_metre, cursor.x()),
            ((origin.y() - cursor.y()) / pixels_per_metre, cursor.y()),
        ):
            text = tick_text(round(value / step) * step * scale.per_metre, step * scale.per_metre)
            _tag(
                painter, across if at == cursor.x() else upright, at, text, upright=at != cursor.x()
            )


def _ticks(
    painter: QPainter,
    ruler: QRectF,
    zero: float,
    pixels: float,
    small: float,
    parts: int,
    text: Callable[[float], str],
    *,
    upright: bool,
) -> None:
    """Draw ticks and numbers of one ruler; `pixels` per metre along it, negative if against the screen axis."""
    begin, end = (ruler.top(), ruler.bottom()) if upright else (ruler.left() + THICK, ruler.right())
    side: Side = "left" if upright else "below"
    line = ruler.right() if upright else ruler.top()
    first, last = sorted(((begin - zero) / pixels, (end - zero) / pixels))
    for k in range(math.ceil(first / small), math.floor(last / small) + 1):
        at = round(zero + k * small * pixels)
        major = k % parts == 0
        half = parts % 2 == 0 and k % (parts // 2) == 0
        painter.setPen(theme.colour("dim" if major else "line"))
        paint_dash(painter, side, line, at, 1, 8 if major else 6 if half else 4)
        if major:
            painter.setPen(theme.colour("dim"))
            middle = 8 + _TEXT.height() / 2
            rect = text_place(side, line, at, _TEXT, middle - _TEXT.width() / 2 if upright else 8)
            paint_text(painter, rect, text(k * small), turned=upright)


def _tag(painter: QPainter, ruler: QRectF, at: float, text: str, *, upright: bool) -> None:
    """Draw the position of the cursor on a label in the accent colour, over the numbers."""
    half = 0.5 * painter.fontMetrics().horizontalAdvance(text) + 6
    painter.save()
    if upright:
        painter.translate(ruler.left(), at)
        painter.rotate(-90)
        tip = QPointF(0, THICK)
        box = QRectF(-half, 1, 2 * half, THICK - 6)
        foot = THICK - 5
    else:
        painter.translate(at, ruler.top())
        tip = QPointF(0, 0)
        box = QRectF(-half, 5, 2 * half, THICK - 6)
        foot = 5
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("accent"))
    painter.drawRoundedRect(box, 3, 3)
    painter.drawPolygon(QPolygonF([tip, QPointF(-4, foot), QPointF(4, foot)]))
    painter.setPen(theme.colour("on_accent"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()
