"""Layers of a chart in its pixels: images made by numpy, and cached drawings of a painter."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap

from snakestudio.drawing.quantities import colours
from snakestudio.gui.core import theme
from snakestudio.viewmodel.plots.rasters import Bytes

P = ParamSpec("P")
Pixels = NDArray[np.uint32]
"""Premultiplied colours 0xAARRGGBB. Shape (height, width)."""


def reported(paint: Callable[P, None]) -> Callable[P, None]:
    """Report exceptions while an item is painted: Qt cannot propagate them, and would end the program."""

    @wraps(paint)
    def painted(*args: P.args, **options: P.kwargs) -> None:
        try:
            paint(*args, **options)
        except Exception:
            sys.excepthook(*sys.exc_info())

    return painted


class _Layer(pg.GraphicsObject):
    """An item that covers an area of a chart and ignores the mouse."""

    def __init__(self, z: float, **options: Any) -> None:
        super().__init__(**options)
        self._area = QRectF()
        self.setZValue(z)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def fit(self, area: QRectF) -> None:
        """Cover another area of the chart."""
        if area != self._area:
            self.prepareGeometryChange()
            self._area = QRectF(area)
        self.invalidate()

    def invalidate(self) -> None:
        """Discard the drawing, so that it is redrawn in the next paint event."""
        raise NotImplementedError

    def boundingRect(self) -> QRectF:
        return self._area


class RasterItem(_Layer, pg.ImageItem):
    """An image in pixels of the screen, made in the first paint event after a change.

    Thousands of dots and lines are one image, because separate items take a second to paint.

    Parameters
    ----------
    make : callable
        Returns the pixels for an area of the chart and the number of screen pixels per chart pixel;
        None for no image.
    z : float
        Order of the layer; larger values are above.
    """

    def __init__(self, make: Callable[[QRectF, float], Pixels | None], z: float) -> None:
        super().__init__(z, axisOrder="row-major")
        self._make = make
        self._stale = True
        self._pixmap: QPixmap | None = None

    def invalidate(self) -> None:
        """Discard the image, so that it is made again in the next paint event."""
        self._stale = True
        self.update()

    @reported
    def paint(self, painter: QPainter, *_: Any) -> None:
        scale = painter.device().devicePixelRatioF()
        if self._stale:
            self._stale = False
            pixels = self._make(self._area, scale)
            self._pixmap = None if pixels is None else _pixmap_of(pixels)
        if self._pixmap is not None:
            painter.drawPixmap(self._area, self._pixmap, QRectF(self._pixmap.rect()))


def _pixmap_of(pixels: Pixels) -> QPixmap:
    """Return a copy of the pixels in the format that Qt paints fastest."""
    pixels = np.ascontiguousarray(pixels)
    height, width = pixels.shape
    image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
    return QPixmap.fromImage(image.copy())


class PaintedItem(_Layer):
    """A layer that a painter draws in pixels of the chart.

    Parameters
    ----------
    draw : callable
        Draws with a painter whose origin is the chart's upper left corner.
    z : float
        Order of the layer; larger values are above.
    once : bool
        Whether it is cached as pixels until it changes, instead of being redrawn with the layers
        above or below it.
    """

    def __init__(self, draw: Callable[[QPainter], None], z: float, *, once: bool) -> None:
        super().__init__(z)
        self._draw = draw
        self._once = once
        self._pixels: QPixmap | None = None

    def invalidate(self) -> None:
        """Discard the drawing, so that it is redrawn in the next paint event."""
        self._pixels = None
        self.update()

    @reported
    def paint(self, painter: QPainter, *_: Any) -> None:
        if not self._once:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._draw(painter)
            return
        if self._pixels is None:
            self._pixels = self._drawn(painter.device().devicePixelRatioF())
        painter.drawPixmap(self._area.topLeft(), self._pixels)

    def _drawn(self, scale: float) -> QPixmap:
        area = self._area
        pixels = QPixmap(max(1, round(area.width() * scale)), max(1, round(area.height() * scale)))
        pixels.setDevicePixelRatio(scale)
        pixels.fill(Qt.GlobalColor.transparent)
        with QPainter(pixels) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(-area.topLeft())
            self._draw(painter)
        return pixels


def palette_of(signed: bool) -> Bytes:
    """Return the colours (256, 3) of the shades 1 to 255, with high contrast to the background."""
    low, high = (
        (0.0, 1.0) if signed else (0.12, 1.0) if theme.current() is theme.DARK else (0.0, 0.88)
    )
    ramp = colours(np.linspace(low, high, 255), (0.0, 1.0), signed)
    return np.vstack([np.zeros(3), 255.0 * ramp]).round().astype(np.uint8)


def one_colour(colour: QColor) -> Bytes:
    """Return the same colour (256, 3) for all shades."""
    return np.tile(np.array([colour.red(), colour.green(), colour.blue()], np.uint8), (256, 1))


def pixel_size(area: QRectF, scale: float) -> tuple[int, int]:
    """Return the width and height of an area in pixels of the screen."""
    return max(1, round(area.width() * scale)), max(1, round(area.height() * scale))
