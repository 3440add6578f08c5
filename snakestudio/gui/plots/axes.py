"""Axes of a chart: pyqtgraph's, with one level of ticks, small dim numbers and no lines."""

from __future__ import annotations

import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QGraphicsItem

from snakestudio.gui import theme
from snakestudio.gui.plots.scale import MINUS, superscript

__all__ = ["ChartAxis", "chart_font"]


def chart_font() -> QFont:
    """The small font of everything in a chart."""
    font = QFont()
    font.setPixelSize(theme.scaled(11))
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


class ChartAxis(pg.AxisItem):
    """An axis whose grid lines are the chart's background.

    Parameters
    ----------
    orientation : {"left", "right", "bottom"}
    room : int
        Width, of a horizontal axis the height, px.
    unit : str
        Stands behind the last number.
    """

    def __init__(self, orientation: str, room: int, unit: str = "") -> None:
        super().__init__(orientation, maxTickLength=0)
        self.decades = False
        self._unit, self._first = unit, ""
        self._labels: list[tuple[float, str]] | None = None
        self.setStyle(
            tickTextOffset=4 if orientation == "bottom" else 6,
            autoExpandTextSpace=False,
            autoReduceTextSpace=False,
            hideOverlappingLabels=False,
            maxTickLevel=0,
            tickAlpha=0,  # one of no length would still be a dot
            tickFont=chart_font(),
        )
        self.setTickDensity(1.25)
        self.setPen(None)
        # Kept as pixels: the text is not drawn again when the curves beside it are.
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        # Units stand in the line above the curves: numbers are never scaled to another one.
        self.enableAutoSIPrefix(False)
        (self.setHeight if orientation == "bottom" else self.setWidth)(room)
        self.dress()

    def dress(self) -> None:
        """Take over the palette."""
        self.setTextPen(theme.colour("dim"))

    def show_as(self, decades: bool, labels: list[tuple[float, str]] | None) -> None:
        """Read values as decadic logarithms, or write `labels` at some of them instead of numbers."""
        if decades != self.decades or labels != self._labels:
            self.decades, self._labels = decades, labels
            self.setTicks(None if labels is None else [labels])

    def set_unit(self, unit: str, first: str = "") -> None:
        """Write `unit` behind the last number, and `first` in place of 0."""
        if (unit, first) != (self._unit, self._first):
            self._unit, self._first = unit, first
            self.picture = None
            self.update()

    def places(self) -> list[float]:
        """Where the ticks are; none where they are labels."""
        size = self.size().width() if self.orientation == "bottom" else self.size().height()
        if self._labels is not None or size < 1:
            return []
        low, high = self.range
        return [float(v) for _, values in self.tickValues(low, high, size) for v in values if low <= v <= high]

    # --- what pyqtgraph asks ---------------------------------------------------------------------------------------

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:  # noqa: N803
        levels = super().tickSpacing(minVal, maxVal, size)[:1]
        return [(max(1.0, spacing), 0.0) for spacing, _ in levels] if self.decades else levels

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        if self.decades:
            return ["10" + superscript(round(value)) for value in values]
        texts = [self._text(value, spacing) for value in values]
        if self._first and texts and "." in texts[-1]:
            texts[-1] = texts[-1].rstrip("0").rstrip(".")  # wider ones are not drawn at the border
        if self._unit and texts:
            texts[-1] = f"{texts[-1]} {self._unit}"
        if self._first:
            texts = [self._first if text == "0" else text for text in texts]
        return texts

    @staticmethod
    def _text(value: float, spacing: float) -> str:
        if abs(value) < spacing * 1e-6:
            return "0"
        if not 1e-4 <= spacing < 1e6:
            return f"{value:.3g}".replace("-", MINUS)
        decimals = max(0, -math.floor(math.log10(spacing) + 1e-9))
        return f"{value:.{decimals}f}".replace("-", MINUS)

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        # Dragging belongs to the curves; over an axis only the wheel does something.
        event.ignore()

    def mouseClickEvent(self, event: Any) -> None:
        event.ignore()
