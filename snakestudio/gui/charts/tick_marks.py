"""Ticks: the dash at a value and its text, painted alike on axes, rulers, colour bars and the time bar."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QPainter

Side = Literal["left", "right", "above", "below"]
"""Side of the axis line on which the texts of the ticks are."""

_AWAY = {"left": (-1.0, 0.0), "right": (1.0, 0.0), "above": (0.0, -1.0), "below": (0.0, 1.0)}


def paint_dash(
    painter: QPainter, side: Side, line: float, at: float, begin: float, end: float
) -> None:
    """Paint the dash of a tick with the painter's pen.

    Parameters
    ----------
    line, at : float
        Position across the axis line and along it, px.
    begin, end : float
        Distances from the axis line, px; negative ones are on its other side.
    """
    x, y = _AWAY[side]
    foot = QPointF(line, at) if x else QPointF(at, line)
    painter.drawLine(foot + QPointF(x, y) * begin, foot + QPointF(x, y) * end)


def text_place(side: Side, line: float, at: float, size: QSizeF, gap: float) -> QRectF:
    """Return the rectangle of the text of a tick: centred at the tick, a gap (px) away from the axis line."""
    x, y = _AWAY[side]
    if x:
        left = line + gap if x > 0 else line - gap - size.width()
        return QRectF(left, at - size.height() / 2, size.width(), size.height())
    top = line + gap if y > 0 else line - gap - size.height()
    return QRectF(at - size.width() / 2, top, size.width(), size.height())


def paint_text(painter: QPainter, rect: QRectF, text: str, *, turned: bool = False) -> None:
    """Paint the text of a tick in the middle of its rectangle; a turned text reads upwards.

    The rectangle of a turned text has the width and height of the unrotated text.
    """
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip
    if not turned:
        painter.drawText(rect, flags, text)
        return
    painter.save()
    painter.translate(rect.center())
    painter.rotate(-90)
    painter.drawText(
        QRectF(-rect.width() / 2, -rect.height() / 2, rect.width(), rect.height()), flags, text
    )
    painter.restore()
