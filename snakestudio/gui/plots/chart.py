"""A chart on the screen: paints a picture and turns mouse and keys into another view or another cursor."""

from __future__ import annotations

import time

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from snakestudio.gui.plots.canvas import Canvas
from snakestudio.gui.plots.painting import paint_cursor, paint_labels, plot_area
from snakestudio.gui.plots.picture import Picture

__all__ = ["Chart"]

_GRIP = 6
"""How far beside the cursor it can be grabbed, pixels."""


class Chart(QWidget):
    """Shows a `Picture`.

    Drag pans, the wheel zooms the time (over the left axis, or with Ctrl, the values), a click sets the cursor,
    dragging the cursor moves it, the arrow keys step it, a double click follows the newest data again.

    Signals
    -------
    view_dragged(start: float, stop: float)
        The user wants this stretch of time, s.
    values_dragged(low: float, high: float)
        The user wants the left axis from low to high.
    cursor_dragged(time: float)
    cursor_stepped(rows: int)
    fit_asked()
    menu_asked(position: QPoint)
        Global position.
    """

    view_dragged = Signal(float, float)
    values_dragged = Signal(float, float)
    cursor_dragged = Signal(float)
    cursor_stepped = Signal(int)
    fit_asked = Signal()
    menu_asked = Signal(QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picture = Picture()
        self.legend_from = 0.0
        self.cost = 0.002
        self._canvas = Canvas()
        self._renewed = True
        self._press_x = 0.0
        self._press_view = (0.0, 1.0)
        self._mode = ""
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 96)

    def sizeHint(self) -> QSize:
        return QSize(420, 168)

    @property
    def area(self) -> QRectF:
        """Where the curves are."""
        return plot_area(self.picture, QRectF(self.rect()))

    def show_picture(self, picture: Picture, *, extends: bool = False) -> None:
        """Show another picture; with `extends`, what it shares with the one before shows the same data."""
        self.picture = picture
        self._renewed = True
        if not extends:
            self._canvas.forget()
        self.update()

    def show_cursor(self, time_s: float | None, legend: list[tuple[str, str]]) -> None:
        """Move the cursor without painting the curves anew."""
        if (time_s, legend) != (self.picture.cursor, self.picture.legend):
            self.picture.cursor, self.picture.legend = time_s, legend
            self.update()

    def time_at(self, x: float) -> float:
        """Time at a horizontal position, s."""
        area, picture = self.area, self.picture
        return picture.start + (x - area.left()) / max(1.0, area.width()) * (picture.stop - picture.start)

    def x_of(self, time_s: float) -> float:
        """Horizontal position of a time."""
        area, picture = self.area, self.picture
        return area.left() + (time_s - picture.start) / (picture.stop - picture.start) * area.width()

    # --- painting --------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        began = time.perf_counter()
        area = self.area.toRect()
        painter = QPainter(self)
        if area.width() >= 20 and area.height() >= 20:
            if self._renewed:
                self._canvas.update(self.picture, area.size(), self.devicePixelRatioF())
            painter.drawPixmap(area, self._canvas.pixmap)
            paint_labels(painter, QRectF(area), self.picture)
        paint_cursor(painter, QRectF(self.rect()), self.picture, self.legend_from)
        painter.end()
        if self._renewed:
            self._renewed = False
            self.cost += 0.2 * (time.perf_counter() - began - self.cost)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._renewed = True

    # --- mouse and keys --------------------------------------------------------------------------------------------

    def _over_cursor(self, x: float) -> bool:
        cursor = self.picture.cursor
        return cursor is not None and abs(self.x_of(cursor) - x) <= _GRIP

    def mousePressEvent(self, event: QMouseEvent) -> None:
        buttons = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
        if event.button() not in buttons or not self.area.contains(event.position()):
            event.ignore()
            return
        self._press_x = event.position().x()
        self._press_view = self.picture.start, self.picture.stop
        grab = event.button() == Qt.MouseButton.LeftButton and self._over_cursor(self._press_x)
        self._mode = "cursor" if grab else "press" if event.button() == Qt.MouseButton.LeftButton else "pan"

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._mode == "press" and abs(x - self._press_x) > 4:
            self._mode = "pan"
        if self._mode == "cursor":
            self.cursor_dragged.emit(self.time_at(x))
        elif self._mode == "pan":
            start, stop = self._press_view
            shift = (self._press_x - x) / max(1.0, self.area.width()) * (stop - start)
            self.view_dragged.emit(start + shift, stop + shift)
        elif not event.buttons():
            inside = self.area.contains(event.position())
            shape = Qt.CursorShape.SplitHCursor if self._over_cursor(x) else Qt.CursorShape.CrossCursor
            self.setCursor(shape if inside else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._mode == "press":
            self.cursor_dragged.emit(self.time_at(event.position().x()))
        self._mode = ""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._mode = ""
        if event.button() == Qt.MouseButton.LeftButton:
            self.fit_asked.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y() or event.angleDelta().x()
        if not turned:
            event.ignore()
            return
        factor = 0.999**turned
        area, picture, place = self.area, self.picture, event.position()
        if place.x() < area.left() or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            axis = picture.axes[0]
            share = (area.bottom() - place.y()) / max(1.0, area.height())
            fixed = axis.low + min(1.0, max(0.0, share)) * (axis.high - axis.low)
            self.values_dragged.emit(fixed + (axis.low - fixed) * factor, fixed + (axis.high - fixed) * factor)
        else:
            fixed = self.time_at(min(area.right(), max(area.left(), place.x())))
            self.view_dragged.emit(fixed + (picture.start - fixed) * factor, fixed + (picture.stop - fixed) * factor)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}
        if event.key() in steps:
            factor = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
            self.cursor_stepped.emit(steps[Qt.Key(event.key())] * factor)
        elif event.key() == Qt.Key.Key_Home:
            self.fit_asked.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_asked.emit(event.globalPos())
