"""Preview of a table of joint angles: a summary, and a small plot of the angles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.painting import paint_card
from snakestudio.model.scene import Scene
from snakestudio.model.table_gait import TableFields, joint_table
from snakestudio.model.tables.joint_angles import JointTable
from snakestudio.text import counted

_HEIGHT = 92
_MARGIN = 8.0
_CAPTION = 18.0
_MOST_POINTS = 600
"""Maximum number of points of a curve: the plot is only some hundred pixels wide."""
_MOST_CURVES = 64


class TablePreview(QWidget):
    """Angles of all axes over the time of the table, and a summary.

    Attributes
    ----------
    table : JointTable or None
        Drawn table; None if the file cannot be used.
    text : str
        Text above the curves.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Angles in the table")
        self.table: JointTable | None = None
        self.text = ""
        self._read: Any = None

    def sizeHint(self) -> QSize:
        return QSize(240, _HEIGHT)

    def show_table(self, scene: Scene, base_dir: Path | None) -> None:
        """Draw the table of a scene's gait; nothing for other gaits."""
        gait = scene.gait
        if not isinstance(gait, TableFields):
            return
        of = (gait.model_copy(update={"speed": 1.0}), scene.robot, scene.model.kind, base_dir)
        if of == self._read:
            return
        self._read = of
        self.table = None
        try:
            self.table = joint_table(scene, base_dir)
            self.text = _summary(self.table)
            self.setToolTip("")
        except SnakeStudioError as error:
            self.text = "no table" if not gait.file else "the file cannot be used"
            self.setToolTip(str(error))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            paint_card(painter, self.rect())
            painter.setFont(theme.value_font(10, bold=False))
            painter.setPen(theme.colour("dim"))
            across = QRectF(_MARGIN, 3, self.width() - 2 * _MARGIN, 14)
            metrics = painter.fontMetrics()
            text = metrics.elidedText(self.text, Qt.TextElideMode.ElideRight, int(across.width()))
            painter.drawText(
                across, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text
            )
            if self.table is not None:
                self._draw(painter, self.table)

    def _draw(self, painter: QPainter, table: JointTable) -> None:
        chosen = np.unique(np.linspace(0, len(table.time) - 1, _MOST_POINTS).round().astype(int))
        time = table.time[chosen]
        angle = np.degrees(table.angle[chosen])
        largest = max(float(np.nanmax(np.abs(angle), initial=0.0)), 1e-6)
        left = _MARGIN
        right = self.width() - _MARGIN
        top = _CAPTION
        bottom = self.height() - _MARGIN
        middle = 0.5 * (top + bottom)
        up = 0.5 * (bottom - top) / largest
        painter.setPen(QPen(theme.colour("line"), 1.0))
        painter.drawLine(QPointF(left, middle), QPointF(right, middle))
        x = left + (right - left) * time / time[-1]
        count = min(angle.shape[1], _MOST_CURVES)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for axis in range(count):
            colour = QColor(theme.colour("accent"))
            hue = (colour.hsvHueF() + 0.5 * axis / max(count, 1)) % 1.0
            colour.setHsvF(hue, colour.hsvSaturationF(), colour.valueF(), 0.8)
            painter.setPen(QPen(colour, 1.2))
            known = np.isfinite(angle[:, axis])
            points = [
                QPointF(a, middle - up * b)
                for a, b in zip(x[known], angle[known, axis], strict=True)
            ]
            painter.drawPolyline(points)


def _summary(table: JointTable) -> str:
    """Return a summary of a table in one line."""
    rows, axes = table.angle.shape
    rate = (rows - 1) / table.time[-1]
    largest = float(np.degrees(np.nanmax(np.abs(table.angle), initial=0.0)))
    unit = "degrees" if table.unit == "deg" else "radians"
    what = counted(axes, "axis")
    return f"{rows} rows, {table.time[-1]:.3g} s at {rate:.3g} Hz, {what}, ±{largest:.3g}°, file in {unit}"
