"""Selecting by a rectangle: Shift+drag on free ground, or B and a drag from anywhere."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from snakestudio.drawing.overlays import Overlays
from snakestudio.gui.core import theme
from snakestudio.gui.viewport.viewport_api import ViewportApi

__all__ = ["Band", "BoxTool"]

_SLACK = 4
"""A press that moves less than this many pixels is a click."""


class Band(QWidget):
    """A translucent rectangle over the picture."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setPen(theme.colour("accent"))
            fill = theme.colour("accent")
            fill.setAlpha(38)
            painter.setBrush(fill)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        finally:
            painter.end()


class BoxTool(QObject):
    """Draws a rectangle and selects the obstacles and links whose middle lies in it; with Ctrl it adds them.

    Signals
    -------
    changed()
        Whether a rectangle is drawn or waited for changed.
    """

    changed = Signal()

    def __init__(self, viewport: ViewportApi) -> None:
        super().__init__(viewport.widget)
        self._viewport = viewport
        self.band = Band(viewport.widget)
        self.armed = False
        """Whether the next drag draws a rectangle wherever it begins."""
        self._start: QPointF | None = None

    def arm(self) -> None:
        """Let the next drag draw a rectangle."""
        self.armed = True
        self._viewport.widget.setCursor(Qt.CursorShape.CrossCursor)
        self._viewport.widget.setFocus()
        self.changed.emit()

    @property
    def hint(self) -> str:
        """What the mouse would do."""
        if not self.armed and self._start is None:
            return ""
        return "Drag a rectangle around what is to be selected · Ctrl adds · Esc gives up"

    def dress(self, overlays: Overlays) -> Overlays:
        """The rectangle lies over the picture, not in it."""
        return overlays

    def press(self, event: QMouseEvent) -> bool:
        """A button went down."""
        if self._start is not None:
            return True
        if event.button() != Qt.MouseButton.LeftButton:
            return self.cancel()
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if not self.armed and not (shift and self._viewport.item_at(event.position())[1] is None):
            return False
        self._start = event.position()
        self.changed.emit()
        return True

    def double_click(self, event: QMouseEvent) -> bool:
        """As a click."""
        return self.press(event)

    def move(self, event: QMouseEvent) -> bool:
        """The mouse moved."""
        if self._start is None:
            return self.armed
        rectangle = QRectF(self._start, event.position()).normalized()
        self.band.setGeometry(rectangle.toAlignedRect().intersected(self._viewport.widget.rect()))
        if rectangle.width() + rectangle.height() >= _SLACK:
            self.band.show()
            self.band.raise_()
        return True

    def release(self, event: QMouseEvent) -> bool:
        """A button went up."""
        if self._start is None:
            return False
        if event.button() != Qt.MouseButton.LeftButton:
            return True
        away = event.position() - self._start
        add = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        selection, kept = self._viewport.selection, set()
        if add:
            kept = set(selection.items)
        if abs(away.x()) + abs(away.y()) >= _SLACK:
            kept |= self._viewport.items_in(self._start, event.position())
        self._stop()
        selection.set(kept)
        return True

    def key(self, event: QKeyEvent) -> bool:
        """A key was pressed."""
        return event.key() == Qt.Key.Key_Escape and self.cancel()

    def wants(self, event: QKeyEvent) -> bool:
        """Whether a key that is a shortcut of the window is meant for it just now."""
        return False

    def cancel(self) -> bool:
        """Give the rectangle up; False if there is none."""
        if not self.armed and self._start is None:
            return False
        self._stop()
        return True

    def leave(self) -> None:
        """The cursor is no longer its business."""

    def _stop(self) -> None:
        self.armed, self._start = False, None
        self.band.hide()
        self.band.setGeometry(QRect())
        self._viewport.widget.unsetCursor()
        self.changed.emit()
