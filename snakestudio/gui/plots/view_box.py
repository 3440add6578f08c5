"""The frame of a chart's curves: drag pans the time, the wheel zooms it, a click sets the cursor."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal

__all__ = ["TimeView"]

_TIME, _VALUES = 0, 1
_PANNING = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton


class TimeView(pg.ViewBox):
    """A view box whose values stand still unless the wheel turns with Ctrl or over their axis.

    Signals
    -------
    time_moved(start: float, stop: float)
        The user panned or zoomed the time, s.
    values_moved(low: float, high: float)
        The user zoomed the values.
    clicked(time: float)
        The user clicked at this time, s.
    fit_asked()
        A double click.
    """

    time_moved = Signal(float, float)
    values_moved = Signal(float, float)
    clicked = Signal(float)
    fit_asked = Signal()

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.standing = False
        """Whether the horizontal axis stands still, because it is not the time."""
        self.disableAutoRange()
        self.setDefaultPadding(0.0)
        self.setLimits(minXRange=1e-3, maxXRange=1e7, minYRange=1e-11, maxYRange=1e11)
        self.setCursor(Qt.CursorShape.CrossCursor)

    def wheelEvent(self, ev: Any, axis: int | None = None) -> None:
        if axis is None:
            axis = _VALUES if ev.modifiers() & Qt.KeyboardModifier.ControlModifier else _TIME
        if axis == _TIME and self.standing:
            ev.ignore()
            return
        super().wheelEvent(ev, axis=axis)
        self._say(axis)

    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:
        if ev.button() not in _PANNING or self.standing:
            ev.ignore()
            return
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
            self.clicked.emit(float(self.mapSceneToView(ev.scenePos()).x()))

    def _say(self, axis: int) -> None:
        low, high = self.viewRange()[axis]
        (self.time_moved if axis == _TIME else self.values_moved).emit(float(low), float(high))
