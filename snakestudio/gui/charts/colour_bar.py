"""The colour bar of a chart: a strip of colours with an axis to its right and the unit below."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from snakestudio.gui.charts.axes import ChartAxis
from snakestudio.gui.charts.raster_item import Pixels, RasterItem, palette_of
from snakestudio.gui.core import theme
from snakestudio.viewmodel.plots.axis_scale import AxisScale
from snakestudio.viewmodel.plots.rasters import coloured

_GAP = 12.0
_THICK = 10.0
"""Gap between the curves and the bar, and width of the bar, px."""
_UNIT_MARGIN = 6.0
"""Least distance of the unit from the bar, px: half of the last number of the axis below the area ends
there."""


class ColourBar(pg.GraphicsObject):
    """The colour scale next to the area of a chart."""

    def __init__(self) -> None:
        super().__init__()
        self._raster = RasterItem(self._colours, 0.0)
        self.axis = ChartAxis("right", 0, density=1.6)
        for item in (self._raster, self.axis):
            item.setParentItem(self)
        self._signed = False
        self._unit = ""
        self._text = ""
        self._bar = QRectF()
        self._frame = QRectF()

    def apply_theme(self) -> None:
        """Apply the present palette."""
        self.axis.apply_theme()
        self._raster.invalidate()

    def show_ends(
        self,
        ends: tuple[float, float, bool],
        categories: tuple[str, ...],
        unit: str,
        text: str = "",
    ) -> None:
        """Show the colours between two ends.

        Parameters
        ----------
        ends : (float, float, bool)
            Values of the first and the last colour, and whether 0 is in the middle.
        text : str
            The only value, if both ends are equal.
        """
        low, high, self._signed = ends
        self._unit = unit
        self._text = "" if high > low else text
        self.axis.setVisible(high > low)
        self.axis.show_scale(
            AxisScale(low, high if high > low else low + 1.0, categories=categories)
        )
        self._raster.invalidate()
        self.update()

    def fit(self, area: QRectF, right: float) -> None:
        """Move the bar next to an area, up to `right`, px of the chart."""
        self.prepareGeometryChange()
        self._bar = QRectF(area.right() + _GAP, area.top(), _THICK, area.height())
        self._frame = QRectF(
            area.right(), area.top(), max(0.0, right - area.right()), area.height() + 40.0
        )
        self._raster.fit(self._bar)
        width = max(1.0, right - self._bar.right())
        self.axis.setWidth(width)
        self.axis.setGeometry(QRectF(self._bar.right(), self._bar.top(), width, self._bar.height()))

    def boundingRect(self) -> QRectF:
        return self._frame

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        font = theme.chart_font()
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        painter.setPen(theme.colour("dim"))
        bar = self._bar
        if self._text:
            painter.drawText(QPointF(bar.right() + 5, bar.center().y()), self._text)
        if self._unit:
            left = bar.left() + _UNIT_MARGIN
            width = self._frame.right() - left
            rect = QRectF(left, bar.bottom() + 5, width, metrics.height() + 2)
            fits = metrics.horizontalAdvance(self._unit) <= width
            side = Qt.AlignmentFlag.AlignRight if fits else Qt.AlignmentFlag.AlignLeft
            painter.drawText(rect, side, self._unit)

    def _colours(self, area: QRectF, scale: float) -> Pixels:
        ramp = np.arange(255, 0, -1, dtype=np.uint8)[:, None]
        return coloured(ramp, np.full_like(ramp, 255), palette_of(self._signed))
