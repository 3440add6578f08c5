"""Display of how to move a joint by hand, now and in the next seconds: a curve that moves towards a needle."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from snakestudio.gui.core import theme
from snakestudio.link.learning.motion import Cue, directions
from snakestudio.link.profile.schema import AxisKind

_BEFORE_S = 1.0
_AFTER_S = 4.0


class CueView(QWidget):
    """The two links of a joint on the left in their present reference pose; the coming motion on the right.

    A yaw joint is drawn from above, a pitch joint from its right side, a roll joint from the link
    before it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cue: Cue | None = None
        self.axis: AxisKind = "yaw"
        self.now = 0.0
        self.setMinimumHeight(theme.scaled(150))
        self.setAccessibleName("How to move the joint")

    def show_moment(self, cue: Cue | None, now: float, axis: AxisKind) -> None:
        """Show a cue for an axis at time `now` (s)."""
        self.cue = cue
        self.now = now
        self.axis = axis
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("card"))
            painter.drawRoundedRect(box, 6, 6)
            side = min(box.height(), box.width() / 3)
            self._paint_joint(painter, QRectF(box.left(), box.top(), side * 1.3, box.height()))
            self._paint_course(painter, box.adjusted(side * 1.3 + 8, 8, -12, -8))
        finally:
            painter.end()

    def _angle(self, time: float) -> float:
        return 0.0 if self.cue is None else float(self.cue.angle(time))

    def _paint_joint(self, painter: QPainter, box: QRectF) -> None:
        angle = self._angle(self.now)
        length = 0.38 * min(box.width(), box.height() * 1.3)
        joint = box.center()
        width = theme.scaled(14)
        round_pen = QPen(theme.colour("dim"), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
        painter.setPen(round_pen)
        if (
            self.axis == "roll"
        ):  # the links hide each other: the previous one is a ring, the next one a pointer on it
            radius = 0.6 * length
            round_pen.setWidth(theme.scaled(4))
            painter.setPen(round_pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(joint, radius, radius)
            end = joint + QPointF(radius * math.sin(angle), -radius * math.cos(angle))
        else:
            painter.drawLine(joint, joint - QPointF(length, 0))
            up = -1.0 if self.axis == "pitch" else 1.0
            end = joint + QPointF(length * math.cos(angle), -up * length * math.sin(angle))
        round_pen.setColor(theme.colour("accent"))
        painter.setPen(round_pen)
        painter.drawLine(joint, end)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("text"))
        painter.drawEllipse(joint, width * 0.45, width * 0.45)
        painter.setPen(theme.colour("dim"))
        painter.setFont(theme.text_font(12))
        painter.drawText(
            box.adjusted(8, 0, 0, -6),
            Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignHCenter,
            self._instruction(angle),
        )

    def _instruction(self, angle: float) -> str:
        if self.cue is None:
            return ""
        fraction = angle / self.cue.amplitude
        if abs(fraction) < 0.05:
            return "hold it straight"
        positive, negative = directions(self.axis)
        return positive if fraction > 0 else negative

    def _paint_course(self, painter: QPainter, box: QRectF) -> None:
        middle = box.center().y()
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.drawLine(QPointF(box.left(), middle), QPointF(box.right(), middle))
        at_now = box.left() + box.width() * _BEFORE_S / (_BEFORE_S + _AFTER_S)
        painter.drawLine(QPointF(at_now, box.top()), QPointF(at_now, box.bottom()))
        if self.cue is None:
            return
        times = np.linspace(self.now - _BEFORE_S, self.now + _AFTER_S, 120)
        heights = middle - 0.42 * box.height() * self.cue.angle(times) / self.cue.amplitude
        along = np.linspace(box.left(), box.right(), len(times))
        painter.setPen(QPen(theme.colour("accent"), 2))
        painter.drawPolyline(
            QPolygonF([QPointF(x, y) for x, y in zip(along, heights, strict=True)])
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("text"))
        y_now = middle - 0.42 * box.height() * self._angle(self.now) / self.cue.amplitude
        painter.drawEllipse(QPointF(at_now, y_now), 5, 5)
