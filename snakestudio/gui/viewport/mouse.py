"""What the mouse does in the viewport: a click selects, a drag turns, shifts, or moves selected obstacles."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent

from snakestudio.gui.selection import Item
from snakestudio.gui.viewport.obstacle_drag import ObstacleDrag

if TYPE_CHECKING:
    from snakestudio.gui.viewport.viewport import Viewport

__all__ = ["Mouse"]

_SLACK = 4
"""A press that moves less than this many pixels is a click."""


class _Mode(enum.Enum):
    IDLE = enum.auto()
    PRESSED = enum.auto()
    ORBIT = enum.auto()
    PAN = enum.auto()
    MOVE = enum.auto()


class Mouse(QObject):
    """Turns the mouse events of a viewport into navigation, selection and edits."""

    def __init__(self, viewport: Viewport) -> None:
        super().__init__(viewport)
        self._viewport = viewport
        self._mode = _Mode.IDLE
        self._button = Qt.MouseButton.NoButton
        self._start = self._last = QPointF()
        self._item: Item | None = None
        self._pivot: NDArray[np.float64] = np.zeros(3)
        self._axis = ""
        self.drag: ObstacleDrag | None = None

    @property
    def busy(self) -> bool:
        """Whether a button is held."""
        return self._mode is not _Mode.IDLE

    def press(self, event: QMouseEvent) -> None:
        """A button went down: what happens is known once the mouse moves or the button is released."""
        if self.busy:
            return
        self._viewport.navigator.finish()
        picked, self._item = self._viewport.item_at(event.position())
        self._pivot = self._viewport.navigator.pivot(picked.point if picked is not None else None)
        self._button = event.button()
        self._start = self._last = event.position()
        self._mode = _Mode.PRESSED

    def move(self, event: QMouseEvent) -> None:
        """The mouse moved, with or without a button held."""
        position = event.position()
        if self._mode is _Mode.IDLE:
            self._viewport.hover(position)
            return
        if self._mode is _Mode.PRESSED:
            far = position - self._start
            if abs(far.x()) + abs(far.y()) < _SLACK:
                return
            self._mode = self._begin(event)
        dx, dy = position.x() - self._last.x(), position.y() - self._last.y()
        self._last = position
        navigator = self._viewport.navigator
        if self._mode is _Mode.ORBIT:
            navigator.orbit(dx, dy, self._pivot)
        elif self._mode is _Mode.PAN:
            size = self._viewport.size()
            navigator.pan(2 * dx / max(1, size.width()), -2 * dy / max(1, size.height()), self._pivot)
        elif self._mode is _Mode.MOVE and self.drag is not None:
            self.drag.move(self._viewport.ndc(position), axis=self._axis)
            self._viewport.show_drag(self.drag)

    def _begin(self, event: QMouseEvent) -> _Mode:
        """Which kind of drag this is going to be."""
        viewport = self._viewport
        if self._button != Qt.MouseButton.LeftButton:
            viewport.setCursor(Qt.CursorShape.ClosedHandCursor)
            return _Mode.PAN
        item = self._item
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if item is not None and item[0] == "obstacle" and (item in viewport.selection or shift):
            if item not in viewport.selection:
                viewport.selection.set([item])
            self._axis = ""
            self.drag = ObstacleDrag(
                viewport.document,
                viewport.selection.obstacles,
                viewport.navigator.camera,
                viewport.ndc(self._start),
                viewport.navigator.aspect,
                float(self._pivot[2]),
                self,
            )
            viewport.setCursor(Qt.CursorShape.SizeAllCursor)
            return _Mode.MOVE
        return _Mode.PAN if viewport.navigator.flat else _Mode.ORBIT

    def release(self, event: QMouseEvent) -> None:
        """A button went up."""
        if event.button() != self._button:
            return
        if self._mode is _Mode.PRESSED and self._button == Qt.MouseButton.LeftButton:
            self._click(bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
        if self.drag is not None:
            self.drag.finish()
        self._end()
        self._viewport.hover(event.position())

    def _click(self, toggle: bool) -> None:
        selection = self._viewport.selection
        if self._item is None:
            if not toggle:
                selection.clear()
        elif toggle:
            selection.toggle(self._item)
        else:
            selection.set([self._item])

    def keep_to_axis(self, axis: str) -> bool:
        """Let the obstacle being dragged move along "x" or "y" only, or freely again; False if none is."""
        if self.drag is None:
            return False
        self._axis = "" if axis == self._axis else axis
        self.drag.move(self._viewport.ndc(self._last), axis=self._axis)
        self._viewport.show_drag(self.drag)
        return True

    def cancel(self) -> bool:
        """Undo the drag that is going on; False if there is none."""
        if not self.busy:
            return False
        if self.drag is not None:
            self.drag.cancel()
        self._end()
        return True

    def _end(self) -> None:
        self._mode = _Mode.IDLE
        if self.drag is not None:
            self.drag.deleteLater()
            self.drag = None
        self._viewport.unsetCursor()
        self._viewport.show_drag(None)

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom to what is under the cursor."""
        notches = event.angleDelta().y() / 120.0
        if not notches or self.busy:
            return
        viewport = self._viewport
        viewport.navigator.finish()
        picked = viewport.pick(event.position())
        point = viewport.navigator.pivot(picked.point if picked is not None else None)
        viewport.navigator.zoom(notches, viewport.ndc(event.position()), point)
