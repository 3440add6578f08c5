"""The label beside the cursor: by how much something is being moved, what is typed, and why that cannot be."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.viewport.tools.transform import Transform
from snakestudio.model.formula.quantity import MINUS, NumberTextError

__all__ = ["AmountLabel", "amount_text"]

_PAD, _ROW, _WIDEST = 9, 20, 380
_AWAY = QPointF(20, 18)
_CARET = "▏"


def amount_text(transform: Transform) -> str:
    """The amount in words: "Δx +0.250 m", "30.0° about z", "×1.50"; what was typed stands before its value."""
    own = "own " if transform.local else ""
    if transform.mode == "move":
        shift = transform.frame.T @ transform.shift
        return "   ".join(
            f"Δ{own}{name} " + _typed(transform, name, f"{shift['xyz'.index(name)]:+.{transform.decimals}f} m")
            for name in transform.used
        )
    if transform.mode == "turn":
        value = f"{math.degrees(transform.angle):.1f}°"
        return f"{_typed(transform, transform.used, value)} about {own}{transform.used}"
    factor = next((f for f in transform.factors if f != 1.0), 1.0)
    entry = transform.axes or transform.allowed
    along = f" along {' and '.join(transform.axes)}" if transform.axes and transform.axes != transform.allowed else ""
    return _typed(transform, entry if not along else transform.typed.entry, f"×{factor:.2f}") + along


def _typed(transform: Transform, axis: str, value: str) -> str:
    """A value, behind what was typed for it."""
    value = value.replace("-", MINUS)
    text, here = transform.typed.text(axis), transform.typed.entry == axis and bool(transform.typed)
    if not text and not here:
        return value
    try:
        known = transform.typed.value(axis) is not None
    except NumberTextError:
        known = False
    return f"{text}{_CARET if here else ''}" + (f" = {value}" if known else "")


class AmountLabel(QWidget):
    """A line or two beside the cursor that never take the mouse; hidden while there is nothing to say."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.text, self.problem = "", ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFont(theme.value_font(13, bold=False))
        self.hide()

    def say(self, text: str, problem: str, cursor: QPointF) -> None:
        """Show an amount and what is wrong with it beside the cursor, within the widget around it."""
        self.text, self.problem = text, problem
        metrics = QFontMetrics(self.font())
        flags = int(Qt.TextFlag.TextWordWrap)
        sentence = metrics.boundingRect(QRect(0, 0, _WIDEST, 400), flags, problem) if problem else QRect()
        width = max(metrics.horizontalAdvance(text), sentence.width()) + 2 * _PAD
        self.resize(width, (_ROW if text else 0) + sentence.height() + 10)
        around = self.parentWidget()
        place = cursor + _AWAY
        if around is not None:
            if place.x() + width > around.width() - 4:
                place.setX(cursor.x() - _AWAY.x() - width)
            place.setX(max(4.0, place.x()))
            place.setY(max(4.0, min(place.y(), around.height() - self.height() - 4.0)))
        self.move(place.toPoint())
        self.setVisible(bool(text or problem))
        self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            ground = theme.colour("raised" if theme.current() is theme.DARK else "card")
            ground.setAlpha(240)
            painter.setPen(theme.colour("line"))
            painter.setBrush(ground)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
            room = self.rect().adjusted(_PAD, 5, -_PAD, -5)
            painter.setPen(theme.colour("text"))
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, self.text)
            if self.problem:
                painter.setPen(theme.colour("warning"))
                below = room.adjusted(0, _ROW if self.text else 0, 0, 0)
                painter.drawText(below, int(Qt.TextFlag.TextWordWrap), self.problem)
        finally:
            painter.end()
