"""Axes of charts: small dim numbers without lines; their grid is part of the chart's background."""

from __future__ import annotations

import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem

from snakestudio.gui.charts.tick_marks import Side, paint_dash, paint_text, text_place
from snakestudio.gui.core import theme
from snakestudio.model.ticks import decade_texts, decades, multiples, tick_step, tick_text
from snakestudio.viewmodel.plots.axis_scale import AxisScale

_LINE_SHARE = 0.8
"""Height of a number, in heights of a line of text."""
_BEYOND = 15.0
"""Largest overhang of a number beyond the ends of its axis, px."""
_LOOSE = 2.4
_LEAST_ACROSS = 36.0
"""Least distance of the ticks of a logarithmic axis, in heights of a number and in px."""
_APART = 12.0
"""Space between the numbers of a horizontal axis, px."""
_LEAST_LABEL = 36.0
_LABEL_GAP = 8.0
"""Width of a label of a horizontal axis above which every second one is omitted, and the gap between
two labels, px."""
_DASH = 3.0
_HALO = 0.72
"""Half length of the dashes of an axis with a line, px, and opacity of the background of its numbers."""
_MOST_SIZES = 256
"""Number of texts whose size is cached: a run of hours has a new one every few seconds."""
_SIDES: dict[str, Side] = {"left": "left", "right": "right", "bottom": "below"}


class ChartAxis(pg.AxisItem):
    """An axis whose grid lines are drawn in the chart's background.

    Parameters
    ----------
    space : int
        Width, or height of a horizontal axis, px.
    unit : str
        Unit after the last number.
    density : float
        Density of ticks as in `ticks.tick_step`.
    line : bool
        Whether it has a line with dashes, and a background behind its numbers, for an axis over
        curves.
    """

    def __init__(
        self,
        orientation: str,
        space: int,
        unit: str = "",
        *,
        density: float = 1.25,
        line: bool = False,
    ) -> None:
        super().__init__(orientation, maxTickLength=0)
        self.decades = False
        self.title = ""
        """Title of a horizontal axis, below its numbers."""
        self._density = density
        self._line = line
        self._unit = unit
        self._first = ""
        self._labels: list[tuple[float, str]] | None = None
        self._ticks: list[tuple[float, str]] = []
        self._ticks_for: tuple[object, ...] = ()
        self._font = theme.chart_font()
        self._sizes: dict[str, QSizeF] = {}
        self.setStyle(
            tickTextOffset=4 if orientation == "bottom" else 6,
            autoExpandTextSpace=False,
            autoReduceTextSpace=False,
            hideOverlappingLabels=False,
            maxTickLevel=0,
            tickFont=self._font,
        )
        self.setPen(None)
        # Cached as pixels: the text is not redrawn with the curves next to it.
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        # Units are in the line above the curves: numbers are never scaled to another unit.
        self.enableAutoSIPrefix(False)
        (self.setHeight if orientation == "bottom" else self.setWidth)(space)
        self.apply_theme()

    def apply_theme(self) -> None:
        """Apply the present palette."""
        self._font = theme.chart_font()
        self._sizes = {}
        self.setTextPen(theme.colour("dim"))

    def show_as(self, decades: bool, labels: list[tuple[float, str]] | None) -> None:
        """Interpret values as decadic logarithms, or show `labels` at some values instead of numbers."""
        if decades != self.decades or labels != self._labels:
            self.decades = decades
            self._labels = labels
            self._ticks_for = ()
            self.picture = None
            self.update()

    def show_scale(self, scale: AxisScale, title: str = "") -> None:
        """Show the ticks of a scale: numbers, powers of ten or categories; a linked view sets its range itself."""
        categories = [(float(k), text) for k, text in enumerate(scale.categories)]
        self.show_as(scale.log, categories or None)
        self.set_title(title)
        if self.linkedView() is None:
            self.setRange(*scale.span)

    def set_title(self, title: str) -> None:
        """Set the title of a horizontal axis, below its numbers."""
        if title != self.title:
            self.title = title
            self.update()

    def setLogMode(self, *args: Any, **options: Any) -> None:
        super().setLogMode(*args, **options)
        self.show_as(bool(self.logMode), self._labels)

    def set_unit(self, unit: str, first: str = "") -> None:
        """Show `unit` after the last number, and `first` in place of 0."""
        if (unit, first) != (self._unit, self._first):
            self._unit = unit
            self._first = first
            self.update()

    def places(self) -> list[float]:
        """Return the values of the ticks; empty for labels."""
        return (
            [] if self._labels is not None else [position for position, _ in self.visible_labels()]
        )

    def visible_labels(self) -> list[tuple[float, str]]:
        """Return values and texts of the ticks in view, cached for grid and numbers."""
        low, high = self.range
        size = self.size().width() if self.orientation == "bottom" else self.size().height()
        if size < 1 or not high > low:
            return []
        key = (low, high, size, self.decades, self._unit, self._first)
        if key != self._ticks_for:
            make = self._round_ticks if self._labels is None else self._labels_apart
            self._ticks = make(low, high, size)
            self._ticks_for = key
        return self._ticks

    def _round_ticks(self, low: float, high: float, size: float) -> list[tuple[float, str]]:
        """Return values and texts of round ticks on an axis of length `size`, px."""
        apart = 0.0 if self.orientation == "bottom" else self.line_height
        if self.decades:
            low, high = 10.0**low, 10.0**high
            values = decades(low, high, int(size / max(_LOOSE * apart, _LEAST_ACROSS)))
            texts = decade_texts(values)
            if len(values) < 2:
                step = tick_step(high - low, size, _LOOSE * apart or _LEAST_ACROSS)
                values = multiples(max(low, step), high, step)
                texts = [tick_text(value, step) for value in values]
            return list(zip(map(math.log10, values), texts, strict=True))
        step = tick_step(high - low, size, apart, self._density)
        texts = self.tickStrings(multiples(low, high, step), 1.0, step)
        if self.orientation == "bottom" and texts:
            apart = max(self._text_size(text).width() for text in texts) + _APART
            step = tick_step(high - low, size, apart, self._density)
        values = multiples(low, high, step)
        return list(zip(values, self.tickStrings(values, 1.0, step), strict=True))

    def _labels_apart(self, low: float, high: float, size: float) -> list[tuple[float, str]]:
        """Return the labels in view without those that would overlap the previous one; long ones are shortened."""
        labels = [label for label in self._labels or [] if low <= label[0] <= high]
        least = _LEAST_LABEL + _LABEL_GAP if self.orientation == "bottom" else self.line_height
        apart: list[tuple[float, str]] = []
        for label in labels:
            if not apart or abs(label[0] - apart[-1][0]) * size / (high - low) >= least:
                apart.append(label)
        offset = self.style["tickTextOffset"][0]
        space = max(_LEAST_LABEL, size / max(1, len(apart)) - _LABEL_GAP)
        space = space if self.orientation == "bottom" else self.size().width() - offset
        metrics = QFontMetricsF(self._font)
        return [
            (at, metrics.elidedText(text, Qt.TextElideMode.ElideRight, space)) for at, text in apart
        ]

    @property
    def line_height(self) -> float:
        """Height of a number, px."""
        return self._text_size("0").height()

    def _text_size(self, text: str) -> QSizeF:
        """Return the size of a text, px, cached because numbers recur during zooming."""
        if text not in self._sizes:
            if len(self._sizes) >= _MOST_SIZES:
                self._sizes.clear()
            line = QFontMetricsF(self._font).boundingRect(
                QRectF(0, 0, 100, 100), Qt.AlignmentFlag.AlignCenter, text
            )
            self._sizes[text] = QSizeF(line.width(), _LINE_SHARE * line.height())
        return self._sizes[text]

    # --- overrides of pyqtgraph -------------------------------------------------------------------

    def boundingRect(self) -> QRectF:
        rect = QRectF(super().boundingRect())
        return rect.adjusted(-_DASH - 1, 0, 0, 0) if self._line else rect

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        # Only numbers are drawn: pyqtgraph's own drawing, with lines and levels, takes longer than
        # the curves.
        low, high = self.range
        width, height = self.size().width(), self.size().height()
        painter.setFont(self._font)
        painter.setPen(self.textPen())
        side = _SIDES[self.orientation]
        gap = self.style["tickTextOffset"][1 if side == "below" else 0]
        line = width if side == "left" else 0.0
        for value, text in self.visible_labels():
            fraction = (value - low) / (high - low)
            at = fraction * width if side == "below" else (1.0 - fraction) * height
            rect = text_place(side, line, at, self._text_size(text), gap)
            if side == "below":
                seen = rect.left() >= -_BEYOND and rect.right() <= width + _BEYOND
            else:
                seen = rect.top() >= -_BEYOND and rect.bottom() <= height + _BEYOND
                seen &= rect.left() >= 0.0 and rect.right() <= width
            if self._line:
                paint_dash(painter, side, line, at, -_DASH, _DASH)
                self._paint_halo(painter, rect)
            if seen:
                paint_text(painter, rect, text)
        if self._line:
            painter.setPen(QPen(theme.colour("dim"), 1.2))
            painter.drawLine(0, 0, 0, round(height))
        if self.title:
            self._paint_title(painter, width, height)

    def _paint_halo(self, painter: QPainter, rect: QRectF) -> None:
        halo = theme.colour("card")
        halo.setAlphaF(_HALO)
        painter.fillRect(rect.adjusted(-2, -1, 2, 1), halo)

    def _paint_title(self, painter: QPainter, width: float, height: float) -> None:
        metrics = QFontMetricsF(self._font)
        painter.setPen(theme.colour("text"))
        text = metrics.elidedText(self.title, Qt.TextElideMode.ElideMiddle, width)
        rect = QRectF(0.0, metrics.height() + 7, width, metrics.height() + 2)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        texts = [tick_text(value, spacing) for value in values]
        if self._first and texts and "." in texts[-1]:
            texts[-1] = texts[-1].rstrip("0").rstrip(".")  # wider texts are not drawn at the border
        if self._unit and texts:
            texts[-1] = f"{texts[-1]} {self._unit}"
        if self._first:
            texts = [self._first if text == "0" else text for text in texts]
        return texts

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        # Drags belong to the curves; over an axis only the wheel has an effect.
        event.ignore()

    def mouseClickEvent(self, event: Any) -> None:
        event.ignore()
