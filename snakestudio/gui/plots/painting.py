"""Paints a chart: on the screen, into a bitmap and into an SVG alike.

Qt's painter on numpy-made polygons: redrawing pyqtgraph's plot widget costs ten milliseconds for axes and grid alone on
a machine without a graphics card; all of this costs two to four.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen

from snakestudio.gui import theme
from snakestudio.gui.plots.picture import Axis, Heat, Picture, Trace
from snakestudio.gui.plots.polyline import polylines, stroke
from snakestudio.gui.plots.scale import decade_ticks, tick_text, ticks

__all__ = ["chart_font", "paint", "paint_cursor", "paint_curves", "paint_labels", "plot_area"]

_LEFT_MARGIN, _RIGHT_MARGIN, _RIGHT_MARGIN_AXIS = 48.0, 12.0, 40.0
_TOP_MARGIN, _BOTTOM_MARGIN = 28.0, 20.0
_LEAST = 20.0
"""Side of a chart below which there is nothing to see, pixels."""
_MOST_INK = 6.0
"""Height of all bins of a curve together, in widths of the chart, beyond which it is a band and no line."""


def plot_area(picture: Picture, rect: QRectF) -> QRectF:
    """Where in `rect` the curves are."""
    right = _RIGHT_MARGIN_AXIS if len(picture.axes) > 1 else _RIGHT_MARGIN
    return rect.adjusted(_LEFT_MARGIN, _TOP_MARGIN, -right, -_BOTTOM_MARGIN)


def paint(painter: QPainter, rect: QRectF, picture: Picture) -> None:
    """Paint all of a picture but its cursor and legend into `rect`, as well as it can be."""
    area = plot_area(picture, rect)
    if area.width() < _LEAST or area.height() < _LEAST:
        return
    paint_curves(painter, area, picture, smooth=True, fast=False)
    paint_labels(painter, area, picture)


def paint_curves(
    painter: QPainter, area: QRectF, picture: Picture, *, smooth: bool, fast: bool, since: float | None = None
) -> None:
    """Paint background, grid and curves into `area`.

    Parameters
    ----------
    painter : QPainter
    area : QRectF
    picture : Picture
    smooth : bool
        Whether edges are smooth, which costs more.
    fast : bool
        Leave out the joins of thick lines, which only a magnifier shows.
    since : float, optional
        Time (s) from which on to paint; what lies before is there already.
    """
    painter.save()
    strip = QRectF(area)
    if since is not None:
        strip.setLeft(max(area.left(), math.floor(_x_of(since, area, picture)) - 2.0))
    painter.setClipRect(strip)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.fillRect(strip, theme.colour("ground"))
    if picture.heat is not None:
        _paint_heat(painter, area, picture, picture.heat)
    else:
        _paint_grid(painter, area, picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth)
    for trace in reversed(picture.traces):
        first = 0 if since is None else max(0, int(np.searchsorted(trace.time, since)) - 4)
        _paint_trace(painter, area, picture, trace, first, 1.0 if len(picture.traces) > 4 else 1.6, fast)
    painter.restore()


def _x_of(time: float, area: QRectF, picture: Picture) -> float:
    return area.left() + (time - picture.start) / (picture.stop - picture.start) * area.width()


def paint_cursor(painter: QPainter, rect: QRectF, picture: Picture, legend_from: float) -> None:
    """Paint the cursor, and legend and unit in the line above the curves, right of `legend_from`."""
    area = plot_area(picture, rect)
    painter.setFont(chart_font(painter))
    metrics = QFontMetricsF(painter.font())
    dim = theme.colour("dim")
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    baseline = area.top() - 10
    x = area.right()
    if picture.unit:
        x -= metrics.horizontalAdvance(picture.unit)
        painter.setPen(dim)
        painter.drawText(QPointF(x, baseline), picture.unit)
        x -= 14
    # The most important stands leftmost, and what does not fit is left out from the right.
    widths = [metrics.horizontalAdvance(text) + 24 for _, text in picture.legend]
    count = len(widths)
    while count and sum(widths[:count]) > x - legend_from:
        count -= 1
    x -= sum(widths[:count]) - 14
    for (colour, text), width in zip(picture.legend[:count], widths[:count], strict=True):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        painter.drawRoundedRect(QRectF(x, baseline - metrics.ascent() / 2 + 1, 8, 3), 1.5, 1.5)
        painter.setPen(dim)
        painter.drawText(QPointF(x + 12, baseline), text)
        x += width
    if picture.cursor is not None and picture.start <= picture.cursor <= picture.stop:
        x = area.left() + (picture.cursor - picture.start) / (picture.stop - picture.start) * area.width()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(theme.colour("accent"), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(round(x), area.top()), QPointF(round(x), area.bottom()))


def chart_font(painter: QPainter) -> QFont:
    """The small font of everything in a chart."""
    font = QFont(painter.font())
    font.setPixelSize(11)
    font.setBold(False)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def _time_ticks(area: QRectF, picture: Picture) -> list[tuple[float, str]]:
    """Where the ticks of the time axis stand, and what is written there."""
    places, interval = ticks(picture.start, picture.stop, max(2, int(area.width() / 45)))
    # The little more keeps a tick that lies midway between two pixels from jumping while the view moves.
    return [(math.floor(_x_of(place, area, picture) + 0.5001), tick_text(place, interval)) for place in places]


def _y_of(value: float, axis: Axis, area: QRectF) -> float:
    return round(area.bottom() - (value - axis.low) / (axis.high - axis.low) * area.height())


def _paint_grid(painter: QPainter, area: QRectF, picture: Picture) -> None:
    line, left = theme.colour("line"), picture.axes[0]
    # One-pixel rectangles: lines take several times as long.
    for x, _ in _time_ticks(area, picture):
        painter.fillRect(QRectF(x, area.top(), 1, area.height()), line)
    if left.labels is None:
        for value, _ in _axis_ticks(left, area):
            painter.fillRect(QRectF(area.left(), _y_of(value, left, area), area.width(), 1), line)


def paint_labels(painter: QPainter, area: QRectF, picture: Picture) -> None:
    """Paint what is written beside and below the curves."""
    painter.setFont(chart_font(painter))
    metrics = QFontMetricsF(painter.font())
    dim, left = theme.colour("dim"), picture.axes[0]
    half, ascent = metrics.height() / 2, metrics.ascent()
    painter.setPen(dim)
    below = area.bottom() + ascent + 4
    painter.drawText(QPointF(area.right() - 5, below), "s")
    for x, text in _time_ticks(area, picture):
        width = metrics.horizontalAdvance(text)
        if x + width / 2 <= area.right() - 6:  # the unit stands there
            painter.drawText(QPointF(x - width / 2, below), text)
    for number, axis in enumerate(picture.axes):
        for value, text in _axis_ticks(axis, area):
            y = _y_of(value, axis, area) + ascent - half
            beside = area.right() + 6 if number else area.left() - 6 - metrics.horizontalAdvance(text)
            painter.drawText(QPointF(beside, min(max(y, area.top() + ascent - 3), area.bottom())), text)
    for value, text in picture.levels:
        if left.low <= value <= left.high:
            y = _y_of(value, left, area)
            painter.setPen(QPen(dim, 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.drawText(QPointF(area.left() + 6, y - 4), text)


def _axis_ticks(axis: Axis, area: QRectF) -> list[tuple[float, str]]:
    if axis.labels is not None:
        return axis.labels
    most = max(2, int(area.height() / 20))
    if axis.decades:
        return decade_ticks(axis.low, axis.high, most)
    places, interval = ticks(axis.low, axis.high, most)
    return [(place, tick_text(place, interval)) for place in places]


def _paint_trace(
    painter: QPainter, area: QRectF, picture: Picture, trace: Trace, first: int, width: float, fast: bool
) -> None:
    """Paint a curve from its bin `first` on."""
    axis = picture.axes[trace.axis]
    x = area.left() + (trace.time[first:] - picture.start) * (area.width() / (picture.stop - picture.start))
    scale = area.height() / (axis.high - axis.low)
    # y runs down the screen: the low values become the lower ends. Far outside, coordinates overflow the rasteriser;
    # what is off the screen need only stay off it.
    limits = area.top() - 2 * area.height(), area.bottom() + 2 * area.height()
    lower = np.clip(area.bottom() - (trace.low[first:] - axis.low) * scale, *limits)
    upper = np.clip(area.bottom() - (trace.high[first:] - axis.low) * scale, *limits)
    if width > 1.0 and float(np.add.reduce(lower - upper)) > _MOST_INK * area.width():
        width = 1.0  # a band that fills the chart: a thick line would take ten times as long and show no more
    painter.setPen(QPen(theme.colour("dim") if trace.faint else QColor(trace.colour), width))
    for xs, ys in polylines(x, lower, upper):
        stroke(painter, xs, ys, as_segments=fast and width > 1.0)


def _paint_heat(painter: QPainter, area: QRectF, picture: Picture, heat: Heat) -> None:
    columns = max(2, int(area.width()))
    if len(heat.time) < 1:
        return
    wanted = picture.start + (np.arange(columns) + 0.5) * ((picture.stop - picture.start) / columns)
    right = np.clip(np.searchsorted(heat.time, wanted), 0, len(heat.time) - 1)
    left = np.maximum(right - 1, 0)
    nearest = np.where(np.abs(heat.time[left] - wanted) <= np.abs(heat.time[right] - wanted), left, right)
    share = np.clip(heat.values[nearest].T / max(heat.top, 1e-12), 0.0, 1.0)
    spacing = (heat.time[-1] - heat.time[0]) / max(1, len(heat.time) - 1)
    share[:, (wanted < heat.time[0] - spacing) | (wanted > heat.time[-1] + spacing)] = np.nan
    pixels = _heat_colours()[np.where(np.isfinite(share), share * 254 + 1, 0).astype(np.uint8)]
    pixels = np.ascontiguousarray(pixels)
    image = QImage(pixels.data, columns, pixels.shape[0], 4 * columns, QImage.Format.Format_RGB32)
    painter.drawImage(area, image)


def _heat_colours() -> NDArray[np.uint32]:
    """256 colours from the background over the colour of forces to nearly white; 0 is where nothing is known."""
    dark = theme.current().name == "dark"
    stops = [theme.colour("ground"), theme.colour("warning"), QColor("#fff3dc") if dark else QColor("#5a2f00")]
    places = np.array([0.0, 0.65, 1.0])
    t = np.linspace(0.0, 1.0, 255) ** 0.8
    channels = [np.interp(t, places, [getattr(c, name)() for c in stops]) for name in ("red", "green", "blue")]
    red, green, blue = (np.concatenate([[channel[0]], channel]).astype(np.uint32) for channel in channels)
    return (np.uint32(0xFF) << np.uint32(24)) | (red << np.uint32(16)) | (green << np.uint32(8)) | blue
