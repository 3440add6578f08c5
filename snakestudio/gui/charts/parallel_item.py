"""Parallel coordinates: an axis per column, a line per row; thousands of lines are images completed while idle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QGraphicsItem, QWidget

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.gui.charts.axes import ChartAxis
from snakestudio.gui.charts.raster_item import Pixels, RasterItem, one_colour, pixel_size
from snakestudio.gui.core import theme
from snakestudio.gui.core.delay import Delay
from snakestudio.viewmodel.plots.axis_scale import AxisScale
from snakestudio.viewmodel.plots.rasters import Bytes, Lines, coloured

_SAMPLE = 800
"""Number of front lines that are drawn immediately, for instance while a brush is dragged."""
_FEW = 400
"""Number of lines that are drawn immediately at full quality."""
_AT_ONCE = 500
"""Number of further lines that are drawn per turn of the event loop while idle."""
_REST_MS = 140
_BEHIND = 2_000
"""Number of lines that represent all others."""
_NEAR = 26
_SIDE = 46
_BELOW = 16
"""Space to the left, to the right and below, px of the design."""
_TOP = 46
_TOP_CROWDED = 64
"""Space above for the titles in one row and in two rows, px of the design."""
_WIDEST = 90
"""Largest width of the numbers of an axis, px of the design."""


class ParallelAxis(NamedTuple):
    """One of the axes."""

    title: str
    unit: str
    scale: AxisScale


class FrontLines(NamedTuple):
    """The lines in front: their rows, the last ones on top, their shades, and the colours of the shades."""

    rows: IntArray
    shade: Bytes
    palette: Bytes


class ParallelItem(pg.GraphicsObject):
    """The axes with their lines, in pixels of the chart.

    Parameters
    ----------
    chart : QWidget
        The chart; drawing pauses while it is hidden.
    front : callable
        Returns the lines in front.
    behind : callable
        Returns whether all other lines are faintly visible.
    held : callable
        Returns whether something is being dragged.
    """

    def __init__(
        self,
        chart: QWidget,
        front: Callable[[], FrontLines],
        behind: Callable[[], bool],
        held: Callable[[], bool],
    ) -> None:
        super().__init__()
        self.axes: list[ParallelAxis] = []
        self.shares: FloatArray = np.zeros((0, 0))
        """Positions at which lines cross axes, 0 at the low end and 1 at the high end; NaN if a line does
        not cross an axis. Shape (rows, axes)."""
        self._chart = chart
        self._front = front
        self._is_behind = behind
        self._held = held
        self._frame = QRectF()
        self._area = QRectF(0.0, 0.0, 20.0, 20.0)
        self._crowded = False
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self._chart_axes: list[ChartAxis] = []
        self.rasters = [RasterItem(self._make_behind, 0.0), RasterItem(self._make_front, 1.0)]
        for raster in self.rasters:
            raster.setParentItem(self)
        self._drawn: tuple[Bytes, Bytes] | None = None
        self._drawn_lines: Lines | None = None
        self._front_lines = FrontLines(
            np.zeros(0, np.int64), np.zeros(0, np.uint8), np.zeros((256, 3), np.uint8)
        )
        self._was_behind = False
        self._rest_timer = Delay(_REST_MS, self._draw_more, self)

    def show_axes(self, axes: Sequence[ParallelAxis], shares: FloatArray) -> None:
        """Set the axes from the left, and the positions at which lines cross them."""
        self.axes = list(axes)
        self.shares = shares
        while len(self._chart_axes) > len(axes):
            axis = self._chart_axes.pop()
            axis.setParentItem(None)
            if axis.scene() is not None:
                axis.scene().removeItem(axis)
        while len(self._chart_axes) < len(axes):
            axis = ChartAxis("right", 0, density=2.0, line=True)
            axis.setParentItem(self)
            axis.setZValue(2.0)
            self._chart_axes.append(axis)
        for axis, axis_data in zip(self._chart_axes, axes, strict=True):
            axis.show_scale(axis_data.scale)
        self.fit(self._frame)
        self.update()

    def apply_theme(self) -> None:
        """Apply the present palette."""
        for axis in self._chart_axes:
            axis.apply_theme()
        self.update()

    def fit(self, frame: QRectF) -> None:
        """Adapt to the size of the chart."""
        self.prepareGeometryChange()
        self._frame = QRectF(frame)
        self._lay_out()
        for raster in self.rasters:
            raster.fit(frame)
        area = self.area
        width = max(1.0, min(self.gap, theme.scaled(_WIDEST)) - 4)
        for number, axis in enumerate(self._chart_axes):
            axis.setWidth(width)
            axis.setGeometry(QRectF(self.axis_x(number), area.top(), width, area.height()))
        self.refresh_front()

    # --- layout -----------------------------------------------------------------------------------

    @property
    def area(self) -> QRectF:
        """Area of the lines, px of the chart."""
        return self._area

    @property
    def gap(self) -> float:
        """Distance between neighbouring axes, px."""
        return (self._frame.width() - theme.scaled(_SIDE + _NEAR)) / max(1, len(self.axes) - 1)

    def _lay_out(self) -> None:
        """Compute the area of the lines, and whether the titles need two rows."""
        metrics = QFontMetricsF(theme.chart_font())
        self._crowded = any(
            metrics.horizontalAdvance(axis.title) + 10 > self.gap for axis in self.axes
        )
        left = theme.scaled(_NEAR)
        side = theme.scaled(_SIDE)
        below = theme.scaled(_BELOW)
        top = theme.scaled(_TOP_CROWDED if self._crowded else _TOP)
        width, height = self._frame.width() - left - side, self._frame.height() - top - below
        self._area = QRectF(left, top, max(20.0, width), max(20.0, height))

    def axis_x(self, axis: int) -> float:
        """Return the position of an axis, px from the left."""
        area = self.area
        return area.left() + area.width() * (
            axis / (len(self.axes) - 1) if len(self.axes) > 1 else 0.5
        )

    def axis_at(self, x: float) -> int:
        """Return the nearest axis."""
        return int(np.argmin([abs(self.axis_x(axis) - x) for axis in range(len(self.axes))]))

    def heights(self, rows: IntArray) -> FloatArray:
        """Return the heights at which the lines of rows cross the axes, px from the upper edge of the chart."""
        area = self.area
        heights: FloatArray = area.bottom() - self.shares[rows] * area.height()
        return heights

    def heights_at(self, x: float, rows: IntArray) -> FloatArray:
        """Return the heights of the lines of rows at a position between axes, px from the upper edge of the chart."""
        area = self.area
        step = area.width() / (len(self.axes) - 1)
        gap = min(max(int((x - area.left()) / step), 0), len(self.axes) - 2)
        weight = (x - area.left()) / step - gap
        shares = self.shares[rows]
        at: FloatArray = (1.0 - weight) * shares[:, gap] + weight * shares[:, gap + 1]
        return area.bottom() - at * area.height()

    def corners(self, row: int) -> list[QPointF]:
        """Return the points at which the line of a row crosses axes."""
        heights = self.heights(np.array([row]))[0]
        return [QPointF(self.axis_x(axis), y) for axis, y in enumerate(heights.tolist()) if y == y]

    # --- lines ------------------------------------------------------------------------------------

    @property
    def complete(self) -> bool:
        """Whether every line in front is drawn."""
        return self._drawn is not None

    def refresh_front(self) -> None:
        """Redraw the front lines: a sample of them immediately, and all of them step by step while idle."""
        self._drawn = None
        self._drawn_lines = None
        behind = self._is_behind()
        if behind != self._was_behind:
            self._was_behind = behind
            self.rasters[0].invalidate()
        self.rasters[1].invalidate()
        self._rest_timer.start()

    def _draw_more(self) -> None:
        """Draw some further lines, so few that the window stays responsive."""
        if self._held():
            self._rest_timer.start()
            return
        if not self._chart.isVisible() or self._drawn is not None or len(self.axes) < 2:
            return
        scale = self._chart.devicePixelRatioF()
        if self._drawn_lines is None:
            self._drawn_lines, self._front_lines = (
                Lines(pixel_size(self._frame, scale), smooth=True),
                self._front(),
            )
        now = FrontLines(
            self._front_lines.rows[:_AT_ONCE],
            self._front_lines.shade[:_AT_ONCE],
            self._front_lines.palette,
        )
        self._front_lines = FrontLines(
            self._front_lines.rows[_AT_ONCE:],
            self._front_lines.shade[_AT_ONCE:],
            self._front_lines.palette,
        )
        self._drawn_lines.add(*self._crossings(now.rows, scale), now.shade)
        if len(self._front_lines.rows):
            QTimer.singleShot(0, self, self._draw_more)
            return
        self._drawn = self._drawn_lines.picture()
        self._drawn_lines = None
        self.rasters[1].invalidate()

    def _crossings(self, rows: IntArray, scale: float) -> tuple[FloatArray, FloatArray]:
        """Return the positions of the axes and the heights at which lines cross them, pixels of the screen."""
        places = np.array([self.axis_x(axis) for axis in range(len(self.axes))])
        return places * scale, self.heights(rows) * scale

    def _make_behind(self, area: QRectF, scale: float) -> Pixels | None:
        if len(self.axes) < 2 or not self._is_behind():
            return None
        rows = _sample(np.arange(len(self.shares)), _BEHIND)
        lines = Lines(pixel_size(area, scale), smooth=False)
        lines.add(*self._crossings(rows, scale), np.full(len(rows), 255, np.uint8))
        image, cover = lines.picture()
        return coloured(image, cover // 5, one_colour(theme.colour("dim")))

    def _make_front(self, area: QRectF, scale: float) -> Pixels | None:
        if len(self.axes) < 2:
            return None
        rows, shade, palette = self._front()
        width, height = pixel_size(area, scale)
        if self._drawn is not None and self._drawn[0].shape == (height, width):
            return coloured(*self._drawn, palette)
        rows = _sample(rows, _SAMPLE)
        shade = _sample(shade, _SAMPLE)
        lines = Lines((width, height), smooth=len(rows) <= _FEW)
        lines.add(*self._crossings(rows, scale), shade)
        return coloured(*lines.picture(), palette)

    # --- titles -----------------------------------------------------------------------------------

    def boundingRect(self) -> QRectF:
        return QRectF(0.0, 0.0, self._frame.width(), self._area.top())

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        painter.setFont(theme.chart_font())
        metrics = QFontMetricsF(theme.chart_font())
        crowded = self._crowded
        space = (2 * self.gap if crowded else self.gap) - 8
        for number, axis in enumerate(self.axes):
            top = self.area.top() - theme.scaled(62 if crowded and number % 2 == 0 else 42)
            for text, role, at in (
                (axis.title, "text", top),
                (axis.unit, "dim", top + metrics.height()),
            ):
                text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, space)
                width = metrics.horizontalAdvance(text)
                left = min(
                    max(self.axis_x(number) - width / 2, 4.0), self._frame.width() - width - 4
                )
                painter.setPen(theme.colour(role))
                painter.drawText(QPointF(left, at + metrics.ascent()), text)


def _sample(values: Any, most: int) -> Any:
    """Return at most `most` of the values, evenly sampled."""
    return values[:: max(1, -(-len(values) // most))]
