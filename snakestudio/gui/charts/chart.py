"""A chart on the screen: pyqtgraph's plot widget with the grid in its background and a draggable cursor line."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import QGraphicsItem, QWidget

from snakestudio.gui.charts.curve import CurveItem, HeatStrip, HoldTicks, level_line
from snakestudio.gui.charts.extras import ViewItems
from snakestudio.gui.charts.plot_base import Margins, PlotBase
from snakestudio.gui.charts.time_view import TimeView
from snakestudio.gui.core import theme
from snakestudio.viewmodel.plots.chart_data import ChartData

HEIGHT = 28.0
"""Height of the line above the curves, px."""
_MARGINS = Margins(left=48, top=round(HEIGHT), right=14, below=20)
_RIGHT_AXIS = 40
_FEW = 2
"""Largest number of curves that are drawn thick."""


class Chart(PlotBase):
    """Shows a `ChartData`.

    Drag pans, the wheel zooms the time (over the left axis, or with Ctrl, the values), a click sets
    the cursor, dragging the cursor moves it, the arrow keys step it, Shift+drag selects a span, a
    double click follows the newest data again.

    Signals
    -------
    view_dragged(start: float, stop: float)
        The user requests this time range, s, or range of frequencies of a spectrum, Hz.
    values_dragged(low: float, high: float)
        The user requests this range of the left axis.
    plane_dragged(left: float, right: float, low: float, high: float)
        The user requests this part of a plane.
    plane_clicked(x: float, y: float)
        The user clicked at this position of a plane.
    span_dragged(start: float, stop: float)
        The user selects this time span, s.
    cursor_dragged(time: float)
    cursor_stepped(rows: int)
    fit_requested()
    probed(abscissa: float or None)
        The mouse is over this position of a profile (m) or a spectrum (Hz), or no longer over any.
    menu_requested(position: QPoint)
        Requests the menu at a global position.
    legend_requested(entry: int, position: QPoint)
        Requests the menu of an entry of the legend, at a global position.
    resized()
        The area of the curves was resized.
    """

    view_dragged = Signal(float, float)
    values_dragged = Signal(float, float)
    plane_dragged = Signal(float, float, float, float)
    plane_clicked = Signal(float, float)
    span_dragged = Signal(float, float)
    cursor_dragged = Signal(float)
    cursor_stepped = Signal(int)
    fit_requested = Signal()
    probed = Signal(object)
    menu_requested = Signal(QPoint)
    legend_requested = Signal(int, QPoint)
    resized = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.data = ChartData()
        self._legend_from = 0.0
        self._levels: list[tuple[tuple[float, str], pg.InfiniteLine]] = []
        self.curves: list[CurveItem] = []
        """Lines of the traces; further ones at the end may be hidden."""
        self.view: TimeView
        super().__init__(TimeView(), _MARGINS, parent, ground="ground", around="panel", unit="s")
        self.cursor_legend = CursorLegend()
        self.scene().addItem(self.cursor_legend)
        self.cursor_line = pg.InfiniteLine(angle=90, movable=True)
        self.cursor_line.setCursor(Qt.CursorShape.SplitHCursor)
        self.cursor_line.setZValue(10)
        self.heat = HeatStrip()
        self.marks = pg.ScatterPlotItem(size=11, pxMode=True)
        self.marks.setZValue(5)
        self.marks.setVisible(False)
        self.view.addItem(self.marks, ignoreBounds=True)
        self.ticks = HoldTicks()
        self.ticks.setZValue(-1000)
        for item in (self.heat, self.ticks, self.cursor_line):
            self.view.addItem(item, ignoreBounds=True)
            item.setVisible(False)
        self.extras = ViewItems(self.view, self)
        self.setMinimumSize(160, 96)
        self.apply_theme()
        self.view.time_moved.connect(self.view_dragged)
        self.view.values_moved.connect(self.values_dragged)
        self.view.plane_moved.connect(self.plane_dragged)
        self.view.span_drawn.connect(self.span_dragged)
        self.extras.span_dragged.connect(self.span_dragged)
        self.view.clicked.connect(self._on_clicked)
        self.view.fit_requested.connect(self.fit_requested)
        self.cursor_line.sigDragged.connect(
            lambda line: self.cursor_dragged.emit(float(line.value()))
        )

    def sizeHint(self) -> QSize:
        return QSize(420, 168)

    def x_of(self, time_s: float) -> float:
        """Return the horizontal position of a time, px."""
        (start, stop), area = self.view.viewRange()[0], self.area
        return float(area.left() + (time_s - start) / (stop - start) * area.width())

    # --- content ----------------------------------------------------------------------------------

    def show_data(self, chart_data: ChartData, *, hasty: bool = False) -> None:
        """Show chart data; with `hasty`, for frames while the user moves the view, with thin lines until `finish`."""
        self.data = chart_data
        left = chart_data.axes[0]
        self.view.set_across(chart_data.across)
        self.cursor_line.setMovable(chart_data.across == "time")
        self.bottom_axis.set_unit(chart_data.across_unit, "head" if chart_data.profile else "")
        view_range = [[chart_data.start, chart_data.stop], [left.low, left.high]]
        if self.view.viewRange() != view_range:
            self.view.setRange(xRange=view_range[0], yRange=view_range[1], padding=0)
        self.left_axis.show_as(left.decades, left.labels)
        self._show_right(len(chart_data.axes) > 1)
        if len(chart_data.axes) > 1 and self.right_axis.range != [
            chart_data.axes[1].low,
            chart_data.axes[1].high,
        ]:
            self.right_axis.setRange(chart_data.axes[1].low, chart_data.axes[1].high)
        self._show_curves(chart_data, hasty)
        self._show_levels(chart_data)
        self._show_marks(chart_data)
        self.extras.show(chart_data)
        self.show_cursor(chart_data.cursor, chart_data.legend)
        self._paint_once()

    def _paint_once(self) -> None:
        """Repaint the chart now.

        Otherwise every chart would be painted twice: the first one causes the whole window to be
        painted, and the changes of the others cause another one.
        """
        # pyqtgraph updates the view and the layout of lines while painting, which would cause another
        # repaint.
        self.scene().prepareForPaint()
        for line in (
            self.cursor_line,
            *(line for _, line in self._levels),
            *self.extras.span.lines,
        ):
            line.boundingRect()
        QCoreApplication.sendPostedEvents(self.scene(), QEvent.Type.MetaCall.value)

    def _show_right(self, visible: bool) -> None:
        if self.right_axis.isVisible() != visible:
            self.right_axis.setVisible(visible)
            self.set_margins(_MARGINS._replace(right=_RIGHT_AXIS) if visible else _MARGINS)

    def finish(self) -> None:
        """Redraw the chart at full quality."""
        for curve in self.curves:
            curve.finish()

    def _show_curves(self, chart_data: ChartData, hasty: bool) -> None:
        left = chart_data.axes[0]
        frame = QRectF(
            chart_data.start, left.low, chart_data.stop - chart_data.start, left.high - left.low
        )
        while len(self.curves) < len(chart_data.traces):
            curve = CurveItem()
            curve.setZValue(-len(self.curves))
            self.view.addItem(curve, ignoreBounds=True)
            self.curves.append(curve)
        few = len(chart_data.traces) <= _FEW
        for curve, trace in zip(self.curves, chart_data.traces, strict=False):
            curve.show_trace(trace, chart_data.axes[trace.axis], left, frame, few, hasty)
        for number, curve in enumerate(self.curves):
            curve.setVisible(number < len(chart_data.traces))
        self.ticks.setVisible(bool(chart_data.ticks))
        if chart_data.ticks:
            self.ticks.show_ticks(chart_data.ticks, frame)
        heat = chart_data.heat
        self.heat.setVisible(heat is not None)
        if heat is not None:
            self.heat.show_heat(
                heat, chart_data.start, chart_data.stop, max(2, int(self.area.width()))
            )

    def _show_levels(self, chart_data: ChartData) -> None:
        if [level for level, _ in self._levels] == chart_data.levels:
            return
        for _, line in self._levels:
            self.view.removeItem(line)
        self._levels = []
        for value, text in chart_data.levels:
            line = level_line(value, text)
            self.view.addItem(line, ignoreBounds=True)
            self._levels.append(((value, text), line))

    def _show_marks(self, chart_data: ChartData) -> None:
        if not chart_data.marks and not self.marks.isVisible():
            return
        self.marks.setVisible(bool(chart_data.marks))
        brushes = {True: theme.colour("warning"), False: theme.colour("good")}
        self.marks.setData(
            [
                {
                    "pos": (mark.time, mark.value),
                    "symbol": "t" if mark.begins else "t1",
                    "brush": brushes[mark.begins],
                    "pen": None,
                }
                for mark in chart_data.marks
            ]
        )

    def show_cursor(self, time_s: float | None, legend: list[tuple[str, str]]) -> None:
        """Move the cursor without redrawing the curves."""
        self.data.cursor = time_s
        self.data.legend = legend
        self.cursor_line.setVisible(time_s is not None)
        if time_s is not None:
            self.cursor_line.setValue(time_s)
        self.cursor_legend.set_legend(self.data.unit, legend)

    def place_legend(self, left: float) -> None:
        """Set the left limit of the legend, px."""
        self._legend_from = left
        self.cursor_legend.place(left, self.area.right())

    # --- painting ---------------------------------------------------------------------------------

    def apply_theme(self) -> None:
        accent = theme.colour("accent")
        self.cursor_line.setPen(pg.mkPen(accent, style=Qt.PenStyle.DashLine))
        self.cursor_line.setHoverPen(pg.mkPen(accent))
        self.heat.apply_theme()
        self.extras.apply_theme()
        for _, line in self._levels:
            self.view.removeItem(line)
        self._levels = []
        super().apply_theme()

    def _on_laid_out(self) -> None:
        self.cursor_legend.place(self._legend_from, self.area.right())
        super()._on_laid_out()
        self.resized.emit()

    @property
    def has_grid(self) -> bool:
        return self.data.heat is None

    def paint_for_export(self, painter: QPainter, target: QRectF, title: str) -> None:
        """Paint the visible chart into `target` at full quality, under a title."""
        self.cursor_legend.set_title(title)
        for curve in self.curves:
            curve.setExportMode(True, {"antialias": True})
        axes = self.bottom_axis, self.left_axis, self.right_axis
        for axis in axes:
            axis.setCacheMode(QGraphicsItem.CacheMode.NoCache)
        try:
            self.render(painter, target, self.rect())
        finally:
            self.cursor_legend.set_title("")
            for curve in self.curves:
                curve.setExportMode(False)
            for axis in axes:
                axis.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)

    # --- mouse, keys and menu ---------------------------------------------------------------------

    def _on_clicked(self, x: float, y: float) -> None:
        if self.data.across == "time":  # other axes do not show time
            self.cursor_dragged.emit(x)
        elif self.data.across == "plane":
            self.plane_clicked.emit(x, y)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if self.data.across in ("body", "frequency"):
            x = float(self.view.mapSceneToView(event.position()).x())
            over = self.area.contains(event.position())
            self.probed.emit(min(max(x, self.data.start), self.data.stop) if over else None)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if self.data.across in ("body", "frequency"):
            self.probed.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_PageUp: -10,
            Qt.Key.Key_PageDown: 10,
        }
        if event.key() in steps:
            factor = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
            self.cursor_stepped.emit(steps[Qt.Key(event.key())] * factor)
        elif event.key() == Qt.Key.Key_Home:
            self.fit_requested.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        entry = self.cursor_legend.entry_at(QPointF(event.pos()))
        if entry is None:
            self.menu_requested.emit(event.globalPos())
        else:
            self.legend_requested.emit(entry, event.globalPos())


_BASELINE = 18.0


class CursorLegend(pg.GraphicsObject):
    """Legend and unit, right-aligned; the most important entry is leftmost, and entries that do not fit are omitted."""

    def __init__(self) -> None:
        super().__init__()
        self._left = 0.0
        self._right = 1.0
        self._title = self._unit = ""
        self._legend: list[tuple[str, str]] = []
        self._places: list[QRectF] = []
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def place(self, left: float, right: float) -> None:
        """Set the available space from left to right, px."""
        if (left, right) != (self._left, self._right):
            self.prepareGeometryChange()
            self._left = left
            self._right = right

    def set_legend(self, unit: str, legend: list[tuple[str, str]]) -> None:
        """Set the unit, and colour and text of every curve."""
        if (unit, legend) != (self._unit, self._legend):
            self._unit = unit
            self._legend = list(legend)
            self.update()

    @property
    def unit_width(self) -> float:
        """Return the width of the unit, px."""
        return (
            QFontMetricsF(theme.chart_font()).horizontalAdvance(self._unit) if self._unit else 0.0
        )

    def set_title(self, title: str) -> None:
        """Set a title before the legend, for files, which have no buttons there."""
        self._title = title
        self.update()

    def entry_at(self, position: QPointF) -> int | None:
        """Return the entry of the legend at a position, px; None outside of all entries."""
        return next(
            (number for number, rect in enumerate(self._places) if rect.contains(position)), None
        )

    def boundingRect(self) -> QRectF:
        return QRectF(0.0, 0.0, self._right + 1, HEIGHT)

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        left = self._paint_title(painter) if self._title else self._left
        font = theme.chart_font()
        dim = theme.colour("dim")
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
        """Paint the title; return its right edge, px."""
        font = QFont()
        font.setPixelSize(theme.scaled(13))
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(theme.colour("text"))
        painter.drawText(QPointF(48.0, _BASELINE), self._title)
        return 48.0 + QFontMetricsF(font).horizontalAdvance(self._title) + 12
