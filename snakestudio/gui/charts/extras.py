"""Items of a chart in addition to curves: outlines of obstacles, discs on curves, a selected span, a note."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QObject, QPointF, QRectF, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from snakestudio.gui.core import theme
from snakestudio.viewmodel.plots.chart_data import ChartData, Dot

_RADIUS = 4.5
_SMALL = 0.10
"""Opacity of a selected span."""


class _Outlines(pg.GraphicsObject):
    """Closed polygons in units of the axes, below all other items."""

    def __init__(self) -> None:
        super().__init__()
        self._polygons: list[QPolygonF] = []
        self._polygons_shown: list[Any] = []
        self._frame = QRectF()
        self.setZValue(-2000)

    def show_in(self, chart_data: ChartData, frame: QRectF) -> None:
        if frame != self._frame:
            self.prepareGeometryChange()
        self._frame = frame
        if len(chart_data.outlines) != len(self._polygons_shown) or any(
            a is not b for a, b in zip(chart_data.outlines, self._polygons_shown, strict=True)
        ):
            self._polygons_shown = list(chart_data.outlines)
            self._polygons = [
                QPolygonF([QPointF(x, y) for x, y in polygon.tolist()])
                for polygon in self._polygons_shown
            ]
        self.update()

    def boundingRect(self) -> QRectF:
        return self._frame

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        pen = QPen(theme.colour("dim"), 1.0)
        pen.setCosmetic(True)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(pen)
        fill = theme.colour("dim")
        fill.setAlphaF(0.22)
        painter.setBrush(fill)
        painter.setClipRect(self._frame)
        for polygon in self._polygons:
            painter.drawPolygon(polygon)


class _Dots(pg.GraphicsObject):
    """Discs of a size in pixels, with labels if there are few."""

    MOST_TEXTS = 4

    def __init__(self) -> None:
        super().__init__()
        self._dots: list[Dot] = []
        self._frame = QRectF()
        self.setZValue(8)

    def show_in(self, chart_data: ChartData, frame: QRectF) -> None:
        if frame != self._frame:
            self.prepareGeometryChange()
        self._dots = list(chart_data.dots)
        self._frame = frame
        self.update()

    def boundingRect(self) -> QRectF:
        return self._frame

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        to_page = painter.transform()
        painter.save()
        painter.setClipRect(self._frame)
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setFont(theme.chart_font())
        has_texts = len(self._dots) <= self.MOST_TEXTS
        for dot in self._dots:
            point = to_page.map(QPointF(dot.x, dot.y))
            painter.setPen(QPen(theme.colour("ground"), 1.5))
            painter.setBrush(QColor(dot.colour))
            painter.drawEllipse(point, _RADIUS, _RADIUS)
            if has_texts and dot.text:
                painter.setPen(theme.colour("text"))
                painter.drawText(point + QPointF(8.0, -6.0), dot.text)
        painter.restore()


class _Span(pg.LinearRegionItem):
    """The selected span; both ends can be dragged."""

    def __init__(self) -> None:
        super().__init__((0.0, 1.0), movable=True, swapMode="sort")
        self.setZValue(4)

    def apply_theme(self) -> None:
        fill = theme.colour("accent")
        fill.setAlphaF(_SMALL)
        self.setBrush(fill)
        fill.setAlphaF(1.8 * _SMALL)
        self.setHoverBrush(fill)
        for line in self.lines:
            line.setPen(pg.mkPen(theme.colour("accent"), width=1))
            line.setHoverPen(pg.mkPen(theme.colour("accent"), width=3))

    def mouseDragEvent(self, ev: Any) -> None:
        # Only the ends are handles: a drag between them pans the plot as elsewhere.
        ev.ignore()

    def hoverEvent(self, ev: Any) -> None:
        self.setMouseHover(False)


class ViewItems(QObject):
    """All additional items of one view box.

    Signals
    -------
    span_dragged(start: float, stop: float)
        An end of the span was dragged, s.
    """

    span_dragged = Signal(float, float)

    def __init__(self, view: pg.ViewBox, parent: QObject) -> None:
        super().__init__(parent)
        self._outlines, self._dots, self.span = _Outlines(), _Dots(), _Span()
        self.note = pg.TextItem(anchor=(0.0, 0.0))
        self.note.setFont(theme.chart_font())
        self.note.setZValue(20)
        for item in (self._outlines, self._dots, self.span, self.note):
            view.addItem(item, ignoreBounds=True)
            item.setVisible(False)
        self._quiet = False
        self.span.sigRegionChanged.connect(self._on_span)

    def apply_theme(self) -> None:
        """Apply the present palette."""
        self.span.apply_theme()
        self.note.fill = pg.mkBrush(theme.colour("panel"))

    def show(self, chart_data: ChartData) -> None:
        """Show the additional items of chart data."""
        left = chart_data.axes[0]
        frame = QRectF(
            chart_data.start, left.low, chart_data.stop - chart_data.start, left.high - left.low
        )
        for item, content in ((self._outlines, chart_data.outlines), (self._dots, chart_data.dots)):
            item.setVisible(bool(content))
            if content:
                item.show_in(chart_data, frame)
        self.note.setVisible(bool(chart_data.note))
        if chart_data.note:
            self.note.setColor(theme.colour("dim" if chart_data.invites else "warning"))
            if self.note.toPlainText() != chart_data.note:
                self.note.setPlainText(chart_data.note)
            self.note.setPos(
                chart_data.start + 0.015 * frame.width(), left.high - 0.04 * frame.height()
            )
        self.show_span(chart_data.span if chart_data.across == "time" else None)

    def show_span(self, span: tuple[float, float] | None) -> None:
        """Show a time span as selected, s; None for none."""
        self.span.setVisible(span is not None)
        if span is not None and tuple(self.span.getRegion()) != span:
            self._quiet = True
            self.span.setRegion(span)
            self._quiet = False

    def _on_span(self) -> None:
        if not self._quiet:
            start, stop = self.span.getRegion()
            self.span_dragged.emit(float(start), float(stop))
