"""What frames a chart's curves: axes with small dim numbers and no lines, and the box whose view the mouse moves."""

from __future__ import annotations

import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QGraphicsItem

from snakestudio.gui.core import theme
from snakestudio.text import MINUS
from snakestudio.viewmodel.plots.chart_data import Across
from snakestudio.viewmodel.plots.scale import superscript

__all__ = ["ChartAxis", "TimeView"]

_LINE_SHARE = 0.8
"""Height of a number, in heights of a line of text."""
_BEYOND = 15.0
"""How far a number may reach beyond the ends of its axis, px."""
_MOST_SIZES = 256
"""Texts whose size is remembered: a run of hours has a new one every few seconds."""


def _rounder(spacing: float, least: float) -> float:
    """The first of 1, 2 and 5 times powers of ten that is at least `spacing` and at least `least`."""
    if spacing >= least:
        return spacing
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= least * (1.0 - 1e-9))


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
        self._font, self._sizes = theme.chart_font(), {}
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
            self.update()

    def places(self) -> list[float]:
        """Where the ticks are; none where they are labels."""
        return [] if self._labels is not None else [place for place, _ in self._found()]

    def shown(self) -> list[tuple[float, str]]:
        """Places and texts of all that is written."""
        return self._found()

    def _found(self) -> list[tuple[float, str]]:
        """Places and texts of the ticks in view; the grid and the numbers beside it ask for the same."""
        low, high = self.range
        size = self.size().width() if self.orientation == "bottom" else self.size().height()
        if self._labels is not None:
            return self._apart([label for label in self._labels if low <= label[0] <= high], size / (high - low))
        if size < 1 or not high > low:
            return []
        key = (low, high, size, self.decades, self._unit, self._first)
        if key != self._ticks_for:
            spacing, values = self.tickValues(low, high, size)[0]
            texts = self.tickStrings(values, 1.0, spacing)
            self._ticks, self._ticks_for = list(zip(values, texts, strict=True)), key
        return self._ticks

    def _apart(self, labels: list[tuple[float, str]], scale: float) -> list[tuple[float, str]]:
        """Of labels in a row those that do not lie over the one before; `scale` is px for a unit of the axis."""
        if self.orientation == "bottom":
            return labels
        kept: list[tuple[float, str]] = []
        for label in labels:
            if not kept or abs(label[0] - kept[-1][0]) * scale >= self.line_height:
                kept.append(label)
        return kept

    @property
    def line_height(self) -> float:
        """What a number takes of the height, px."""
        return self._room("0").height()

    def _room(self, text: str) -> QSizeF:
        """What a text takes, px: numbers come again and again while one zooms."""
        if text not in self._sizes:
            if len(self._sizes) >= _MOST_SIZES:
                self._sizes.clear()
            line = QFontMetricsF(self._font).boundingRect(QRectF(0, 0, 100, 100), Qt.AlignmentFlag.AlignCenter, text)
            self._sizes[text] = QSizeF(line.width(), _LINE_SHARE * line.height())
        return self._sizes[text]

    # --- what pyqtgraph asks ---------------------------------------------------------------------------------------

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        # Numbers only: looking for lines and crowded levels, pyqtgraph's own takes longer than the curves.
        low, high = self.range
        width, height = self.size().width(), self.size().height()
        painter.setFont(self._font)
        painter.setPen(self.textPen())
        across = self.orientation == "bottom"
        offset = self.style["tickTextOffset"][1 if across else 0]
        top, left = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignLeft
        for value, text in self._found():
            share, room = (value - low) / (high - low), self._room(text)
            if across:
                place = QRectF(share * width - room.width() / 2, offset, room.width(), room.height())
                seen, flags = place.left() >= -_BEYOND and place.right() <= width + _BEYOND, top | left
            else:
                x = width - offset - room.width() if self.orientation == "left" else float(offset)
                place = QRectF(x, (1.0 - share) * height - room.height() / 2, room.width(), room.height())
                seen = place.top() >= -_BEYOND and place.bottom() <= height + _BEYOND
                seen &= place.left() >= 0.0 and place.right() <= width
                flags = Qt.AlignmentFlag.AlignVCenter | left
            if seen:
                painter.drawText(place, flags | Qt.TextFlag.TextDontClip, text)

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        spacing = self.tickSpacing(minVal, maxVal, size)[0][0]
        first, last = math.ceil(minVal / spacing - 1e-9), math.floor(maxVal / spacing + 1e-9)
        return [(spacing, [number * spacing for number in range(first, last + 1)])]

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:  # noqa: N803
        levels = super().tickSpacing(minVal, maxVal, size)[:1]
        if self.orientation != "bottom" and maxVal > minVal:  # pyqtgraph knows nothing of how high a number is
            levels = [(_rounder(spacing, self.line_height * (maxVal - minVal) / size), 0.0) for spacing, _ in levels]
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


_TIME, _VALUES = 0, 1
_PANNING = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
_SHIFT, _CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


class TimeView(pg.ViewBox):
    """A view box whose values stand still unless the wheel turns with Ctrl or over their axis.

    In a plane both axes move together, as in a map.

    Signals
    -------
    time_moved(start: float, stop: float)
        The user panned or zoomed the horizontal axis, s or Hz.
    values_moved(low: float, high: float)
        The user zoomed the values.
    plane_moved(left: float, right: float, low: float, high: float)
        The user panned or zoomed a plane.
    span_drawn(start: float, stop: float)
        The user draws a span of time, s.
    clicked(x: float, y: float)
        The user clicked at this place: s, of the left axis.
    fit_asked()
        A double click.
    """

    time_moved = Signal(float, float)
    values_moved = Signal(float, float)
    plane_moved = Signal(float, float, float, float)
    span_drawn = Signal(float, float)
    clicked = Signal(float, float)
    fit_asked = Signal()

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.across: Across = "time"
        """What the horizontal axis is; that of a body stands still."""
        self.disableAutoRange()
        self.setDefaultPadding(0.0)
        self.setLimits(minXRange=1e-9, maxXRange=1e7, minYRange=1e-11, maxYRange=1e11)
        self.setCursor(Qt.CursorShape.CrossCursor)

    def set_across(self, across: Across) -> None:
        """The horizontal axis is another thing."""
        self.across = across

    def wheelEvent(self, ev: Any, axis: int | None = None) -> None:
        if self.across == "plane":
            super().wheelEvent(ev, axis=None)
            self._say_plane()
            return
        if axis is None:
            axis = _VALUES if ev.modifiers() & _CTRL else _TIME
        if axis == _TIME and self.across == "body":
            ev.ignore()
            return
        super().wheelEvent(ev, axis=axis)
        self._say(axis)

    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:
        if ev.button() not in _PANNING or self.across == "body":
            ev.ignore()
        elif self.across == "plane":
            super().mouseDragEvent(ev, axis=None)
            self._say_plane()
        elif self.across == "time" and ev.modifiers() & _SHIFT and ev.button() == Qt.MouseButton.LeftButton:
            ev.accept()
            ends = sorted(float(self.mapToView(place).x()) for place in (ev.buttonDownPos(), ev.pos()))
            if ends[1] > ends[0]:
                self.span_drawn.emit(*ends)
        else:
            super().mouseDragEvent(ev, axis=_TIME)
            self._say(_TIME)

    def mouseClickEvent(self, ev: Any) -> None:
        if ev.button() != Qt.MouseButton.LeftButton:
            ev.ignore()
            return
        ev.accept()
        if ev.double():
            self.fit_asked.emit()
        else:
            place = self.mapSceneToView(ev.scenePos())
            self.clicked.emit(float(place.x()), float(place.y()))

    def _say(self, axis: int) -> None:
        low, high = self.viewRange()[axis]
        (self.time_moved if axis == _TIME else self.values_moved).emit(float(low), float(high))

    def _say_plane(self) -> None:
        (left, right), (low, high) = self.viewRange()
        self.plane_moved.emit(float(left), float(right), float(low), float(high))
