"""The line above a chart's curves: the legend with the values at the cursor, and the unit."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from snakestudio.gui.core import theme

__all__ = ["HEIGHT", "CursorLegend"]

HEIGHT = 28.0
_BASELINE = 18.0


class CursorLegend(pg.GraphicsObject):
    """Legend and unit, flush right; the most important stands leftmost, and what does not fit is left out."""

    def __init__(self) -> None:
        super().__init__()
        self._left, self._right = 0.0, 1.0
        self._title = self._unit = ""
        self._legend: list[tuple[str, str]] = []
        self._places: list[QRectF] = []
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def place(self, left: float, right: float) -> None:
        """Use the room from left to right, px."""
        if (left, right) != (self._left, self._right):
            self.prepareGeometryChange()
            self._left, self._right = left, right

    def say(self, unit: str, legend: list[tuple[str, str]]) -> None:
        """Show a unit, and colour and text of every curve."""
        if (unit, legend) != (self._unit, self._legend):
            self._unit, self._legend = unit, list(legend)
            self.update()

    @property
    def unit_width(self) -> float:
        """What the unit takes, px."""
        return QFontMetricsF(theme.chart_font()).horizontalAdvance(self._unit) if self._unit else 0.0

    def set_title(self, title: str) -> None:
        """Write a title before the legend: in files, where no buttons stand there."""
        self._title = title
        self.update()

    def entry_at(self, place: QPointF) -> int | None:
        """Which entry of the legend is there, px; None if none is."""
        return next((number for number, rect in enumerate(self._places) if rect.contains(place)), None)

    def boundingRect(self) -> QRectF:
        return QRectF(0.0, 0.0, self._right + 1, HEIGHT)

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        left = self._paint_title(painter) if self._title else self._left
        font, dim = theme.chart_font(), theme.colour("dim")
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        x = self._right
        if self._unit:
            unit = metrics.elidedText(self._unit, Qt.TextElideMode.ElideRight, x - left)
            x -= metrics.horizontalAdvance(unit)
            painter.setPen(dim)
            painter.drawText(QPointF(x, _BASELINE), unit)
            x -= 14
        widths = [metrics.horizontalAdvance(text) + 24 for _, text in self._legend]
        count = len(widths)
        while count and sum(widths[:count]) > x - left:
            count -= 1
        x -= sum(widths[:count]) - 14
        self._places = []
        swatch = _BASELINE - metrics.ascent() / 2 + 1
        for (colour, text), width in zip(self._legend[:count], widths[:count], strict=True):
            painter.fillRect(QRectF(x, round(swatch), 8, 2), QColor(colour))
            painter.setPen(dim)
            painter.drawText(QPointF(x + 12, _BASELINE), text)
            self._places.append(QRectF(x - 4, 0.0, width - 6, HEIGHT))
            x += width

    def _paint_title(self, painter: QPainter) -> float:
        """Paint the title; where it ends."""
        font = QFont()
        font.setPixelSize(theme.scaled(13))
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(theme.colour("text"))
        painter.drawText(QPointF(48.0, _BASELINE), self._title)
        return 48.0 + QFontMetricsF(font).horizontalAdvance(self._title) + 12
