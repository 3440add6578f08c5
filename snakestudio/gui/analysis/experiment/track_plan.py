"""A small plan of measured tracks, with the robot's length beside them: a wrong unit or axis is seen at a glance."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from snakestudio._arrays import FloatArray
from snakestudio.drawing.overlays import Track
from snakestudio.drawing.tracks import track_segments
from snakestudio.gui.core import theme
from snakestudio.gui.core.run_colours import trial_colour
from snakestudio.model.capture import Capture

__all__ = ["TrackPlan"]


_MARGIN, _FOOT, _DASH = 16.0, 36.0, 5.0
"""Room around the tracks, and below them for the scale, and length of a dash, px."""


class TrackPlan(QWidget):
    """Tracks from above, x to the right and y up.

    Parameters
    ----------
    robot_length : float
        m; drawn to scale beside the tracks.
    """

    def __init__(self, robot_length: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._robot_length = robot_length
        self._capture: Capture | None = None
        self._text = ""
        self.setMinimumSize(theme.scaled(220), theme.scaled(180))
        self.setAccessibleName("Plan of the tracks")
        self.setToolTip("The tracks from above; dashed where gaps were filled, with a dot where each begins")

    def show_capture(self, capture: Capture | None, text: str = "") -> None:
        """Show the tracks of a capture, or a text while there are none."""
        self._capture, self._text = capture, text
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("ground"))
            painter.drawRoundedRect(self.rect(), 6, 6)
            painter.setFont(theme.text_font(12))
            capture = self._capture
            known = None if capture is None else capture.position[np.isfinite(capture.position).all(axis=2)]
            if capture is None or known is None or not len(known):
                painter.setPen(theme.colour("dim"))
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._text or "no track yet")
            else:
                self._paint(painter, capture, known[:, :2].min(axis=0), known[:, :2].max(axis=0))
        finally:
            painter.end()

    def _paint(self, painter: QPainter, capture: Capture, low: FloatArray, high: FloatArray) -> None:
        # The scale follows the longer of track and robot, so that both are always seen.
        width, height = self.width() - 2 * _MARGIN, self.height() - 2 * _MARGIN - _FOOT
        size = np.maximum(high - low, [self._robot_length, 1e-6])
        scale = float(min(width / size[0], height / size[1]))
        centre = 0.5 * (low + high)
        middle = np.array([self.width() / 2, _MARGIN + height / 2])

        def places(points: FloatArray) -> FloatArray:
            return middle + (points[:, :2] - centre) * [scale, -scale]

        for body in range(len(capture.bodies)):
            track = capture.position[:, body]
            gaps = ~(capture.measured[1:, body] & capture.measured[:-1, body])
            start, end, faint = track_segments(Track(track, (0.0, 0.0, 0.0), gaps), _DASH / scale)
            colour = QColor(trial_colour(body))
            pen = QPen(colour, 2.0 if len(capture.bodies) < 4 else 1.2)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            painter.setPen(pen)
            ends = np.hstack([places(start), places(end)])
            painter.setOpacity(1.0)
            painter.drawLines([QLineF(*line) for line in ends[~faint].tolist()])
            painter.setOpacity(0.6)
            painter.drawLines([QLineF(*line) for line in ends[faint].tolist()])
            painter.setOpacity(1.0)
            first = track[np.isfinite(track).all(axis=1)][:1]
            for x, y in places(first).tolist():
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(pen.color())
                painter.drawEllipse(QPointF(x, y), 4, 4)
        self._paint_scale(painter, scale)

    def _paint_scale(self, painter: QPainter, scale: float) -> None:
        """The robot's length, or a round one if that is too short to be seen."""
        length, text = self._robot_length, f"robot, {self._robot_length:.3g} m"
        if length * scale < 6:
            length = 10.0 ** math.ceil(math.log10(24 / scale))
            text = f"{length:g} m; the robot has {self._robot_length:.3g} m"
        y = self.height() - 14.0
        left = _MARGIN
        painter.setPen(QPen(theme.colour("text"), 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(QPointF(left, y), QPointF(left + length * scale, y))
        painter.setPen(theme.colour("dim"))
        room = QRectF(left, y - 26, self.width() - 2 * left, 20)
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
