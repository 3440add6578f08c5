"""Items in a chart's view box: curves drawn from bands, marked values, and heat maps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from snakestudio._arrays import FloatArray
from snakestudio.gui.core import theme
from snakestudio.viewmodel.plots.chart_data import Axis, Heat, Trace

_DASHES = [6.0, 4.0]
"""Dashes and gaps of curves of overlaid runs, in line widths."""
_THICK = 1.5
_MOST_INK = 4.0
"""Total rise and fall of a curve, in heights of the chart, above which it is drawn thin."""


def points(trace: Trace) -> tuple[FloatArray, FloatArray]:
    """Return the line through a band: the middle of bins that the line to their neighbours covers, else both ends.

    The ends of a bin are in the order in which the curve rises or falls through them, so that a steep
    curve remains a line and only oscillations that are too fast to show become a band.
    """
    time = trace.time
    low = trace.low
    high = trace.high
    if len(time) < 3 or not np.any(high > low):
        return time, low
    middle = 0.5 * (low + high)
    covered = np.zeros(len(time), bool)
    np.less_equal(np.fmin(middle[:-2], middle[2:]), low[1:-1], out=covered[1:-1])
    covered[1:-1] &= high[1:-1] <= np.fmax(middle[:-2], middle[2:])
    covered |= high == low
    count = np.where(covered, 1, 2)
    xs, ys = np.repeat(time, count), np.repeat(middle, count)
    ends = ~covered
    second = np.cumsum(count)[ends] - 1
    quarter = 0.25 * (time[-1] - time[0]) / (len(time) - 1)
    xs[second - 1] -= quarter
    xs[second] += quarter
    falling = np.empty(len(time), bool)
    np.less(middle[1:], middle[:-1], out=falling[:-1])
    falling[-1] = falling[-2]
    low = low[ends]
    high = high[ends]
    falling = falling[ends]
    ys[second - 1] = np.where(falling, high, low)
    ys[second] = np.where(falling, low, high)
    return xs, ys


class CurveItem(pg.PlotCurveItem):
    """A trace as a line; a long line is one pixel wide, which Qt draws ten times as fast as any other width."""

    def __init__(self) -> None:
        super().__init__(connect="all", skipFiniteCheck=True, antialias=True)
        self._frame = QRectF()
        self._look = ("", 1.0, False)
        self._thick = False

    def show_trace(
        self, trace: Trace, axis: Axis, left: Axis, frame: QRectF, few: bool, hasty: bool
    ) -> None:
        """Show a trace of `axis` in the units of `left`, the axis of the view box, which shows `frame`.

        One of `few` curves is thicker, unless it oscillates so much that it would become a blot, or
        is drawn for a short time only (`hasty`).
        """
        xs, ys = points(trace)
        if axis is not left:
            ys = left.low + (ys - axis.low) * ((left.high - left.low) / (axis.high - axis.low))
        colour = theme.current().dim if trace.faint else trace.colour
        known = bool(np.isfinite(ys).all())
        ink = float(np.nansum(np.abs(np.diff(ys))))
        self._thick = few and not trace.faint and ink < _MOST_INK * (left.high - left.low)
        self._set_pen(colour, thick=self._thick and not hasty, dashed=trace.dashed)
        self._frame = frame
        self.setData(xs, ys, connect="all" if known else "finite", skipFiniteCheck=known)

    def finish(self) -> None:
        """Redraw the curve at full quality."""
        self._set_pen(self._look[0], thick=self._thick, dashed=self._look[2])

    def _set_pen(self, colour: str, *, thick: bool, dashed: bool) -> None:
        look = colour, _THICK if thick else 1.0, dashed
        if look != self._look:
            self._look = look
            pen = pg.mkPen(colour, width=look[1])
            if dashed:
                pen.setDashPattern(_DASHES)
            self.setPen(pen)

    def informViewBoundsChanged(self) -> None:
        # Nothing depends on the extent of the data.
        pass

    def boundingRect(self) -> QRectF:
        # Always the whole view: computing the extent of the data takes as long as drawing them.
        return self._frame

    def paint(self, painter: QPainter, option: Any, widget: Any) -> None:
        if self._exportOpts is False:
            super().paint(painter, option, widget)
        elif self.xData is not None and len(self.xData):
            self._paint_for_export(painter)

    def _paint_for_export(self, painter: QPainter) -> None:
        """Paint in pixels of the page: a vector file has six digits, too few for a second in hours of data."""
        frame = self._frame
        to_page = painter.transform()
        xs = np.clip(self.xData, frame.left(), frame.right())
        ys = np.clip(self.yData, frame.top(), frame.bottom())
        known = np.isfinite(ys)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(np.int8)))
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        pen = QPen(QColor(self._look[0]), self._look[1])
        if self._look[2]:
            pen.setDashPattern(_DASHES)
        painter.setPen(pen)
        for first, stop in zip(edges[::2], edges[1::2], strict=True):
            line = [
                QPointF(x, y)
                for x, y in zip(xs[first:stop].tolist(), ys[first:stop].tolist(), strict=True)
            ]
            painter.drawPolyline(to_page.map(QPolygonF(line)))
        painter.restore()


def level_line(value: float, text: str) -> pg.InfiniteLine:
    """Return a labelled dotted line at a value of the left axis."""
    dim = theme.colour("dim")
    label_options = {"position": 0.02, "anchors": [(0.0, 1.0), (0.0, 1.0)], "color": dim}
    pen = pg.mkPen(dim, style=Qt.PenStyle.DotLine)
    line = pg.InfiniteLine(
        value, angle=0, movable=False, pen=pen, label=text, labelOpts=label_options
    )
    line.label.setFont(theme.chart_font())
    return line


class HeatStrip(pg.ImageItem):
    """Heat map with a row for every link, the first at the top."""

    def __init__(self) -> None:
        super().__init__(axisOrder="row-major")
        self.setAutoDownsample(False)

    def apply_theme(self) -> None:
        """Apply the present palette: from the background through the colour of forces to nearly white."""
        dark = theme.current().name == "dark"
        stops = [
            theme.colour("ground"),
            theme.colour("warning"),
            QColor("#fff3dc") if dark else QColor("#5a2f00"),
        ]
        t = np.linspace(0.0, 1.0, 256) ** 0.8
        parts = ("red", "green", "blue")
        table = [
            np.interp(t, [0.0, 0.65, 1.0], [getattr(colour, part)() for colour in stops])
            for part in parts
        ]
        self._sizes = np.stack(table, axis=1).astype(np.uint8)
        # Below 0 through the accent colour, so that the sign is visible and the middle is the
        # background.
        stops = [theme.colour("accent"), stops[0], theme.colour("warning")]
        table = [
            np.interp(
                np.linspace(0.0, 1.0, 256), [0.0, 0.5, 1.0], [getattr(c, part)() for c in stops]
            )
            for part in parts
        ]
        self._signed = np.stack(table, axis=1).astype(np.uint8)
        self.setLookupTable(self._sizes)

    def show_heat(self, heat: Heat, start: float, stop: float, columns: int) -> None:
        """Show the range from start to stop (s) in one column per pixel."""
        times = start + (np.arange(columns) + 0.5) * ((stop - start) / columns)
        right = np.clip(np.searchsorted(heat.time, times), 0, len(heat.time) - 1)
        left = np.maximum(right - 1, 0)
        nearest = np.where(
            np.abs(heat.time[left] - times) <= np.abs(heat.time[right] - times), left, right
        )
        values = heat.values[nearest].T[::-1].astype(np.float32)
        spacing = (heat.time[-1] - heat.time[0]) / max(1, len(heat.time) - 1)
        values[:, (times < heat.time[0] - spacing) | (times > heat.time[-1] + spacing)] = np.nan
        top = max(heat.top, 1e-12)
        self.setLookupTable(self._signed if heat.signed else self._sizes, update=False)
        self.setImage(np.ascontiguousarray(values), levels=(-top if heat.signed else 0.0, top))
        self.setRect(QRectF(start, 0.0, stop - start, float(values.shape[0])))


class HoldTicks(pg.GraphicsObject):
    """Ticks at the anchors and supports of a body: active ones in the colour of forces, the others dim."""

    def __init__(self) -> None:
        super().__init__()
        self._ticks: list[tuple[float, bool]] = []
        self._frame = QRectF()

    def show_ticks(self, ticks: list[tuple[float, bool]], frame: QRectF) -> None:
        """Show abscissas (m) in a view that shows `frame`."""
        if frame != self._frame:
            self.prepareGeometryChange()
        self._ticks = list(ticks)
        self._frame = frame
        self.update()

    def boundingRect(self) -> QRectF:
        return self._frame

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        frame = self._frame
        for position, active in self._ticks:
            if not frame.left() <= position <= frame.right():
                continue
            colour = theme.colour("warning" if active else "dim")
            pen = QPen(colour, 1.0, Qt.PenStyle.DotLine)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.drawLine(QPointF(position, frame.top()), QPointF(position, frame.bottom()))
            pen.setStyle(Qt.PenStyle.SolidLine)
            pen.setWidthF(3.0 if active else 1.5)
            painter.setPen(pen)
            painter.drawLine(
                QPointF(position, frame.top()),
                QPointF(position, frame.top() + 0.07 * frame.height()),
            )
