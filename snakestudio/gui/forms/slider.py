"""A slider for real numbers that jumps to a click and ignores the wheel, which scrolls its panel."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QSlider, QWidget

_HANDLE = 14


class ValueSlider(QSlider):
    """A horizontal slider from `low` to `high` in steps of `step`.

    Signals
    -------
    began()
        A drag or a key press begins; the following movements are one gesture.
    moved(value: float)
        The user moved it.
    reset()
        The slider was double-clicked.
    """

    began = Signal()
    moved = Signal(float)
    reset = Signal()

    def __init__(self, low: float, high: float, step: float, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._low = low
        self._high = high
        self._step = step
        self.setRange(0, max(1, round((high - low) / step)))
        self.setPageStep(10)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumWidth(60)

    def set_value(self, value: float) -> None:
        """Show a value, limited to the range."""
        if not self.isSliderDown():
            self.setValue(max(0, min(self.maximum(), round((value - self._low) / self._step))))

    def _real(self, position: int) -> float:
        value = self._low + position * self._step
        return float(f"{min(value, self._high):.12g}")

    def move_to(self, position: int) -> None:
        """Move the handle to a position, as if by the user."""
        position = max(0, min(self.maximum(), position))
        if position != self.value():
            self.setValue(position)
            self.moved.emit(self._real(position))

    def _position_at(self, x: float) -> int:
        travel = max(1, self.width() - _HANDLE)
        return round((x - _HANDLE / 2) / travel * self.maximum())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self.began.emit()
        self.setSliderDown(True)
        handle = self.value() / self.maximum() * (self.width() - _HANDLE) + _HANDLE / 2
        # Grabbing the handle off its centre must not move it.
        self._grip = (
            event.position().x() - handle
            if abs(event.position().x() - handle) <= _HANDLE / 2
            else 0.0
        )
        self.move_to(self._position_at(event.position().x() - self._grip))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self.move_to(self._position_at(event.position().x() - self._grip))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.reset.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Down: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: 1,
            Qt.Key.Key_PageDown: -self.pageStep(),
            Qt.Key.Key_PageUp: self.pageStep(),
        }
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        if not event.isAutoRepeat():
            self.began.emit()
        self.move_to(self.value() + step)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
