"""The curves of a chart as pixels: while the view follows the newest data, only what is new is painted."""

from __future__ import annotations

import time

from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QPainter, QPixmap

from snakestudio.gui import theme
from snakestudio.gui.plots.painting import paint_curves
from snakestudio.gui.plots.picture import Picture

__all__ = ["Canvas"]

_SLOW_S = 0.012
"""Painting everything anew must not take longer; if it does, edges are no longer smooth."""

_UNSETTLED = 3
"""Bins at the end of a curve that may still change."""


class Canvas:
    """Keeps the painted curves of one chart and brings them up to date.

    A picture that differs from the one before only by newer data, and by a view that lies a whole number of pixels
    later, is made by shifting what is there and painting a strip at the right.
    """

    def __init__(self) -> None:
        self.pixmap = QPixmap()
        self._look: tuple[object, ...] = ()
        self._start = self._settled = 0.0
        self._smooth = True
        self._cost = 0.0

    def forget(self) -> None:
        """Paint everything anew the next time."""
        self._look = ()

    def update(self, picture: Picture, size: QSize, ratio: float) -> bool:
        """Bring `pixmap` up to date; whether everything had to be painted anew.

        Parameters
        ----------
        picture : Picture
        size : QSize
            Of the area of the curves.
        ratio : float
            Pixels of the screen for one of `size`.
        """
        look = self._look_of(picture, size, ratio)
        pixel = (picture.stop - picture.start) / max(1, round(size.width() * ratio))
        shift = (picture.start - self._start) / pixel
        whole = round(shift)
        can_shift = abs(shift - whole) < 0.05 and 0 <= whole < self.pixmap.width()
        if picture.heat is None and picture.traces and look == self._look and can_shift:
            if whole:
                self.pixmap.scroll(-whole, 0, QRect(0, 0, self.pixmap.width(), self.pixmap.height()))
            self._paint(picture, size, ratio, self._settled)
            anew = False
        else:
            wanted = QSize(round(size.width() * ratio), round(size.height() * ratio))
            if self.pixmap.size() != wanted:
                self.pixmap = QPixmap(wanted)
            began = time.perf_counter()
            self._paint(picture, size, ratio, None)
            self._judge(time.perf_counter() - began)
            anew = True
        self._look, self._start = look, picture.start
        ends = [trace.time[-min(_UNSETTLED, len(trace.time))] for trace in picture.traces if len(trace.time)]
        self._settled = float(min(ends, default=picture.start))
        return anew

    def _look_of(self, picture: Picture, size: QSize, ratio: float) -> tuple[object, ...]:
        """Everything that must be the same for old pixels to be of use."""
        axes = tuple((axis.low, axis.high, axis.decades) for axis in picture.axes)
        traces = tuple((trace.colour, trace.axis, trace.faint) for trace in picture.traces)
        span = round(picture.stop - picture.start, 9)
        return size.width(), size.height(), ratio, span, axes, traces, theme.current().name, picture.stride

    def _paint(self, picture: Picture, size: QSize, ratio: float, since: float | None) -> None:
        painter = QPainter(self.pixmap)
        painter.scale(ratio, ratio)
        area = QRectF(0, 0, size.width(), size.height())
        paint_curves(painter, area, picture, smooth=self._smooth, fast=True, since=since)
        painter.end()

    def _judge(self, seconds: float) -> None:
        self._cost += 0.3 * (seconds - self._cost)
        if self._smooth and self._cost > _SLOW_S:
            self._smooth = False
        elif not self._smooth and self._cost < 0.4 * _SLOW_S:
            self._smooth = True
