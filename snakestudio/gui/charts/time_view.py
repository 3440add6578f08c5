"""The view box of a chart, which the mouse pans and zooms in time, in values, or as a map."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal

from snakestudio.viewmodel.plots.chart_data import Across

_TIME = 0
_VALUES = 1
_PANNING = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_CTRL = Qt.KeyboardModifier.ControlModifier


class TimeView(pg.ViewBox):
    """A view box whose value range is fixed unless the wheel turns with Ctrl or over the value axis.

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
        The user draws a time span, s.
    clicked(x: float, y: float)
        The user clicked at this position: s, and value of the left axis.
    fit_requested()
        The user double-clicked.
    """

    time_moved = Signal(float, float)
    values_moved = Signal(float, float)
    plane_moved = Signal(float, float, float, float)
    span_drawn = Signal(float, float)
    clicked = Signal(float, float)
    fit_requested = Signal()

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.across: Across = "time"
        """Quantity of the horizontal axis; that of a body cannot be moved."""
        self.disableAutoRange()
        self.setDefaultPadding(0.0)
        self.setLimits(minXRange=1e-9, maxXRange=1e7, minYRange=1e-11, maxYRange=1e11)
        self.setCursor(Qt.CursorShape.CrossCursor)

    def set_across(self, across: Across) -> None:
        """Set the quantity of the horizontal axis."""
        self.across = across

    def wheelEvent(self, ev: Any, axis: int | None = None) -> None:
        if self.across == "plane":
            super().wheelEvent(ev, axis=None)
            self._emit_plane()
            return
        if axis is None:
            axis = _VALUES if ev.modifiers() & _CTRL else _TIME
        if axis == _TIME and self.across == "body":
            ev.ignore()
            return
        super().wheelEvent(ev, axis=axis)
        self._emit_range(axis)

    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:
        if ev.button() not in _PANNING or self.across == "body":
            ev.ignore()
        elif self.across == "plane":
            super().mouseDragEvent(ev, axis=None)
            self._emit_plane()
        elif (
            self.across == "time"
            and ev.modifiers() & _SHIFT
            and ev.button() == Qt.MouseButton.LeftButton
        ):
            ev.accept()
            ends = sorted(
                float(self.mapToView(position).x()) for position in (ev.buttonDownPos(), ev.pos())
            )
            if ends[1] > ends[0]:
                self.span_drawn.emit(*ends)
        else:
            super().mouseDragEvent(ev, axis=_TIME)
            self._emit_range(_TIME)

    def mouseClickEvent(self, ev: Any) -> None:
        if ev.button() != Qt.MouseButton.LeftButton:
            ev.ignore()
            return
        ev.accept()
        if ev.double():
            self.fit_requested.emit()
        else:
            position = self.mapSceneToView(ev.scenePos())
            self.clicked.emit(float(position.x()), float(position.y()))

    def _emit_range(self, axis: int) -> None:
        low, high = self.viewRange()[axis]
        (self.time_moved if axis == _TIME else self.values_moved).emit(float(low), float(high))

    def _emit_plane(self) -> None:
        (left, right), (low, high) = self.viewRange()
        self.plane_moved.emit(float(left), float(right), float(low), float(high))
