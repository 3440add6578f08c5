"""The picture of what is asked of the robot and of what acts: speed up and down, turn across, amplitude beside it."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from snakestudio.gui.core import theme
from snakestudio.model.teleop import NEUTRAL, TeleopCommand

__all__ = ["Acting", "Picture"]

_EDGE, _BAR, _GAP = 18, 14, 18


class Acting(NamedTuple):
    """What the joints do by now, in shares as a command has them."""

    speed: float
    turn: float
    amplitude: float


class Picture(QWidget):
    """A field for speed and turn with a ring for what is asked and a dot for what acts, and a bar for the amplitude."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._command, self._acting, self._on = NEUTRAL, None, False  # type: TeleopCommand, Acting | None, bool
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(theme.scaled(232))
        self.setAccessibleName("Command and what acts")

    def show_state(self, command: TeleopCommand, acting: Acting | None, on: bool) -> None:
        """Show another command, what acts (None: not known), and whether the mode is on."""
        if (command, acting, on) != (self._command, self._acting, self._on):
            self._command, self._acting, self._on = command, acting, on
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(300), theme.scaled(232))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            side = min(self.height() - 2.0 * _EDGE, self.width() - 2.0 * _EDGE - _BAR - _GAP - 30)
            left = 0.5 * (self.width() - side - _GAP - _BAR)
            field = QRectF(left, 0.5 * (self.height() - side), side, side)
            self._field(painter, field)
            self._bar(painter, QRectF(field.right() + _GAP + 12, field.top(), _BAR, side))
        finally:
            painter.end()

    @property
    def _strong(self) -> QColor:
        return theme.colour("accent" if self._on else "dim")

    def _field(self, painter: QPainter, field: QRectF) -> None:
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.setBrush(theme.colour("card"))
        painter.drawRoundedRect(field, 8, 8)
        middle = field.center()
        half = 0.5 * field.width() - 14
        thin = QPen(theme.colour("line"), 1)
        painter.setPen(thin)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for share in (0.5, 1.0):
            painter.drawEllipse(middle, share * half, share * half)
        painter.drawLine(QPointF(field.left() + 8, middle.y()), QPointF(field.right() - 8, middle.y()))
        painter.drawLine(QPointF(middle.x(), field.top() + 8), QPointF(middle.x(), field.bottom() - 8))
        painter.setPen(theme.colour("dim"))
        painter.setFont(theme.text_font(11))
        for text, flag in (
            ("ahead", Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop),
            ("back", Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom),
            ("left", Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter),
            ("right", Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter),
        ):
            wide = painter.fontMetrics().horizontalAdvance(text) + 8
            tall = painter.fontMetrics().height()
            inside = field.adjusted(6, 3, -6, -3)
            place = QRectF(0, 0, wide, tall)
            place.moveCenter(middle)
            if flag & Qt.AlignmentFlag.AlignTop:
                place.moveTop(inside.top())
            elif flag & Qt.AlignmentFlag.AlignBottom:
                place.moveBottom(inside.bottom())
            elif flag & Qt.AlignmentFlag.AlignLeft:
                place.moveLeft(inside.left())
            else:
                place.moveRight(inside.right())
            painter.fillRect(place, theme.colour("card"))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

        def at(speed: float, turn: float) -> QPointF:
            return QPointF(middle.x() - turn * half, middle.y() - speed * half)

        asked = at(self._command.speed, self._command.turn)
        if self._acting is not None:
            acts = at(self._acting.speed, self._acting.turn)
            painter.setPen(QPen(self._strong, 2))
            painter.drawLine(middle, acts)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._strong)
            painter.drawEllipse(acts, 6, 6)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("text" if self._on else "dim"), 2))
        painter.drawEllipse(asked, 10, 10)

    def _bar(self, painter: QPainter, bar: QRectF) -> None:
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.setBrush(theme.colour("card"))
        painter.drawRoundedRect(bar, 5, 5)
        acts = self._command.amplitude if self._acting is None else self._acting.amplitude
        full = bar.adjusted(3, 3, -3, -3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._strong)
        painter.drawRoundedRect(
            QRectF(full.left(), full.bottom() - acts * full.height(), full.width(), acts * full.height()), 3, 3
        )
        asked = full.bottom() - self._command.amplitude * full.height()
        painter.setPen(QPen(theme.colour("text" if self._on else "dim"), 2))
        painter.drawLine(QPointF(bar.left() - 5, asked), QPointF(bar.right() + 5, asked))
