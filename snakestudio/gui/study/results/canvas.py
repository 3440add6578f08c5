"""What the charts of a study's results have in common: layers that are painted once, axes, and what mouse and keys do.

Every chart is a picture in three layers: what lies still (axes and all rows), the brushed rows, and on top of both the
few that stand out. Each is painted anew only when it changes, so that brushing and hovering stay fluid among ten
thousand rows, of which pyqtgraph paints one or two pictures a second.

With the keyboard one stands at a row, which is hovered as if the mouse were there: arrows step to the row next to it.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QEnterEvent,
    QFocusEvent,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from snakestudio._arrays import BoolArray
from snakestudio.drawing.quantities import colours
from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import Themed
from snakestudio.gui.study.results.linked import LinkedRows
from snakestudio.viewmodel.plots.axis_scale import AxisScale
from snakestudio.viewmodel.plots.rasters import Bytes, coloured
from snakestudio.viewmodel.study.result_columns import Column

__all__ = ["Canvas", "haloed", "star"]

_LEFT, _TOP, _BELOW = 54, 26, 44
"""Room for an axis to the left, for its title above and for an axis below, px of the design."""
_BAR = 62
"""Width that the colours' bar takes with its numbers, px of the design."""
_RIGHT = 16
"""Room to the right without such a bar, px."""
_REACH = 9.0
"""How near the mouse has to come to a dot, px."""
_MARGIN = 10
_LEAST_WORD = 36
"""Room that a category gets below an axis before every second one has to do, px."""
_SIDES = Qt.AlignmentFlag
_ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Down: (0, -1), Qt.Key.Key_Up: (0, 1)}
_OWN_KEYS = frozenset({*_ARROWS, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_P})


def star(place: QPointF, radius: float) -> QPainterPath:
    """A star with five points: what is best."""
    path = QPainterPath()
    for k in range(10):
        size = radius if k % 2 == 0 else 0.45 * radius
        angle = math.pi * (k / 5 - 0.5)
        corner = QPointF(place.x() + size * math.cos(angle), place.y() + size * math.sin(angle))
        (path.lineTo if k else path.moveTo)(corner)
    path.closeSubpath()
    return path


def haloed(painter: QPainter, path: QPainterPath, fill: QColor, ground: QColor) -> None:
    """Fill a shape, with a rim of the ground's colour, so that it is seen over anything."""
    painter.setPen(QPen(ground, 3.0))
    painter.drawPath(path)
    painter.setPen(QPen(ground, 1.0))
    painter.setBrush(fill)
    painter.drawPath(path)
    painter.setBrush(Qt.BrushStyle.NoBrush)


class Canvas(Themed):
    """A chart of results; what it shows is painted by who derives from it.

    Parameters
    ----------
    linked : LinkedRows
    """

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.linked = linked
        self.hover_row = -1
        self._stood = -1
        """The point at which one stands with the keyboard; -1 for none."""
        self._still: QPixmap | None = None
        self._bright: QPixmap | None = None
        self._pressed: QPointF | None = None
        self._dragging = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleDescription("Arrow keys go from point to point, Enter opens the run, Space selects, P pins")
        self.setMinimumSize(theme.scaled(200), theme.scaled(150))
        linked.results_changed.connect(self.renew)
        linked.shown_changed.connect(self.update)
        linked.brushed_changed.connect(self.renew_brushed)
        linked.selected_changed.connect(self.update)
        linked.hovered.connect(self._on_hovered)

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(420), theme.scaled(300))

    def renew_theme(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Paint everything anew."""
        self._still = self._bright = None
        self.update()

    def renew_brushed(self) -> None:
        """Paint the brushed rows anew."""
        self._bright = None
        self.update()

    # --- for who derives --------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def area(self) -> QRectF:
        """Where the rows are."""

    @abstractmethod
    def paint_still(self, painter: QPainter) -> None:
        """Axes and all rows."""

    @abstractmethod
    def paint_brushed(self, painter: QPainter) -> None:
        """The brushed rows."""

    @abstractmethod
    def paint_marks(self, painter: QPainter) -> None:
        """What stands out: best, front, pinned, selected, hovered, and brushes."""

    @abstractmethod
    def row_at(self, place: QPointF) -> int:
        """The row that is at a place; -1 if none is."""

    @abstractmethod
    def place_of(self, row: int) -> QPointF | None:
        """Where a row is; None if it is not seen."""

    @abstractmethod
    def row_beside(self, row: int, across: int, up: int) -> int:
        """The row next to one that is seen, to the right (across 1), to the left (-1), above (up 1) or below (-1).

        The row itself where there is no other.
        """

    def nothing(self) -> str:
        """Why there is nothing to be seen, in a sentence; "" if there is something."""
        return ""

    def drag(self, begin: QPointF, place: QPointF) -> None:
        """The mouse is dragged from one place to another."""

    def drag_ended(self, begin: QPointF, place: QPointF) -> None:
        """It was let go."""

    def double_clicked(self, place: QPointF) -> None:
        """A double click where no row is."""

    def mark_of(self, row: int) -> tuple[QColor, bool] | None:
        """Colour of a row that stands out, and whether it is a star; None of one that does not."""
        rows = self.linked.rows
        if row == rows.results.best:
            return theme.colour("good"), True
        if int(rows.results.points[row]) in rows.pins:
            return theme.colour("warning"), False
        return None

    @property
    def marked_rows(self) -> list[int]:
        """Rows that stand out, the most important one last."""
        rows, results = self.linked.rows, self.linked.results
        best = [] if results.best is None else [results.best]
        found = [*results.rows_of(rows.pins), *best, *rows.selected_rows, self.hover_row]
        return [row for row in reversed(dict.fromkeys(reversed(found))) if 0 <= row < len(results)]

    @property
    def within_reach(self) -> BoolArray:
        """Rows that mouse and keys find: the brushed ones, which lie on top, as long as there are some."""
        brushed = self.linked.rows.brushed
        return brushed if brushed.any() else np.ones_like(brushed)

    def area_between_axes(self, bar: bool = False) -> QRectF:
        """What an axis to the left, one below, and perhaps the colours' bar to the right leave."""
        left, top, below = theme.scaled(_LEFT), theme.scaled(_TOP), theme.scaled(_BELOW)
        right = theme.scaled(_BAR) if bar else _RIGHT
        return QRectF(left, top, max(20.0, self.width() - left - right), max(20.0, self.height() - top - below))

    # --- painting ---------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(self.rect(), theme.colour("card"))
            if self.linked.there:
                self._paint(painter)
            if self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(theme.colour("accent"), 2.0))
                painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def _paint(self, painter: QPainter) -> None:
        if why := self.nothing():
            painter.setPen(theme.colour("dim"))
            painter.setFont(theme.text_font(13))
            room = QRectF(self.rect()).adjusted(24, 12, -24, -12)
            painter.drawText(room, int(_SIDES.AlignCenter) | int(Qt.TextFlag.TextWordWrap), why)
            return
        if self._still is None:
            self._still = self.layer(self.paint_still)
        painter.drawPixmap(0, 0, self._still)
        if self._bright is None:
            self._bright = self.layer(self.paint_brushed)
        painter.drawPixmap(0, 0, self._bright)
        self.paint_marks(painter)

    def layer(self, paint: Callable[[QPainter], None]) -> QPixmap:
        """A picture over all of the chart, painted once."""
        scale = self.devicePixelRatioF()
        layer = QPixmap(max(1, round(self.width() * scale)), max(1, round(self.height() * scale)))
        layer.setDevicePixelRatio(scale)
        layer.fill(Qt.GlobalColor.transparent)
        with QPainter(layer) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint(painter)
        return layer

    def pixels(self, area: QRectF) -> tuple[int, int, float]:
        """Width and height of an area in pixels of the screen, and how many of them are one of the window's."""
        scale = self.devicePixelRatioF()
        return max(1, round(area.width() * scale)), max(1, round(area.height() * scale)), scale

    def paint_raster(self, painter: QPainter, area: QRectF, shade: Bytes, cover: Bytes, palette: Bytes) -> None:
        """Paint a picture of `rasters` into an area."""
        self.paint_pixels(painter, area, coloured(shade, cover, palette))

    def paint_pixels(self, painter: QPainter, area: QRectF, made: NDArray[np.uint32]) -> None:
        """Paint pixels of 0xAARRGGBB, whose colours are multiplied by how much is covered, into an area."""
        made = np.ascontiguousarray(made)
        height, width = made.shape
        image = QImage(made.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
        painter.drawImage(area, image)

    def palette_of(self, signed: bool) -> Bytes:
        """Colours of the shades 1 to 255, as far from the ground as they can be."""
        low, high = (0.0, 1.0) if signed else (0.12, 1.0) if theme.current() is theme.DARK else (0.0, 0.88)
        found = colours(np.linspace(low, high, 255), (0.0, 1.0), signed)
        return np.vstack([np.zeros(3), 255.0 * found]).round().astype(np.uint8)

    @staticmethod
    def one_colour(colour: QColor) -> Bytes:
        """The same colour for all shades."""
        return np.tile(np.array([colour.red(), colour.green(), colour.blue()], np.uint8), (256, 1))

    def paint_below(self, painter: QPainter, area: QRectF, scale: AxisScale, column: Column) -> None:
        """An axis below an area: grid, numbers, and what it is of."""
        font = theme.chart_font()
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        room = area.width() / max(1, len(scale.categories)) - 8 if scale.categories else area.width()
        widest = max((metrics.horizontalAdvance(text) for _, text in scale.ticks(4)), default=20.0)
        widest = min(widest, room) if room >= _LEAST_WORD else widest
        for value, text in scale.ticks(max(2, int(area.width() / (widest + (8 if scale.categories else 22))))):
            x = area.left() + scale.at(value) * area.width()
            if not scale.categories:
                painter.setPen(QPen(theme.colour("line"), 1))
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            painter.setPen(theme.colour("dim"))
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(room, _LEAST_WORD))
            width = metrics.horizontalAdvance(text)
            left = min(max(x - width / 2, 2.0), min(self.width() - 2, area.right() + 14) - width)
            painter.drawText(QPointF(left, area.bottom() + metrics.ascent() + 5), text)
        painter.setPen(theme.colour("text"))
        title = metrics.elidedText(column.heading, Qt.TextElideMode.ElideMiddle, area.width())
        place = QRectF(area.left(), area.bottom() + metrics.height() + 7, area.width(), metrics.height() + 2)
        painter.drawText(place, _SIDES.AlignCenter, title)

    def paint_left(self, painter: QPainter, area: QRectF, scale: AxisScale, column: Column) -> None:
        """An axis to the left of an area; what it is of stands above it."""
        font = theme.chart_font()
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        for value, text in scale.ticks(max(2, int(area.height() / (2.4 * metrics.height())))):
            y = area.bottom() - scale.at(value) * area.height()
            if not scale.categories:
                painter.setPen(QPen(theme.colour("line"), 1))
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(theme.colour("dim"))
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.left() - 10)
            painter.drawText(
                QRectF(2, y - metrics.height() / 2, area.left() - 8, metrics.height()),
                _SIDES.AlignRight | _SIDES.AlignVCenter, text,
            )  # fmt: skip
        painter.setPen(theme.colour("text"))
        title = metrics.elidedText(column.heading, Qt.TextElideMode.ElideRight, self.width() - 2 * _MARGIN)
        painter.drawText(QRectF(_MARGIN, area.top() - metrics.height() - 8, self.width(), metrics.height() + 2),
                         _SIDES.AlignLeft | _SIDES.AlignVCenter, title)  # fmt: skip

    def paint_note(self, painter: QPainter, area: QRectF, column: Column, note: str) -> None:
        """A note above an area, as far as what stands to its left is of leaves room for it."""
        metrics = QFontMetricsF(theme.chart_font())
        taken = _MARGIN + metrics.horizontalAdvance(column.heading) + 12
        room = QRectF(taken, 0, min(area.right() + 22, self.width() - _MARGIN) - taken, area.top() - 8)
        painter.setFont(theme.chart_font())
        painter.setPen(theme.colour("dim"))
        text = metrics.elidedText(note, Qt.TextElideMode.ElideRight, max(0.0, room.width()))
        painter.drawText(room, _SIDES.AlignRight | _SIDES.AlignBottom, text)

    def paint_bar(self, painter: QPainter, area: QRectF, ends: tuple[float, float, bool], column: Column) -> None:
        """The colours of a column beside an area, with its numbers; what it is stands above."""
        font = theme.chart_font()
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        low, high, signed = ends
        bar = QRectF(area.right() + 12, area.top(), 10, area.height())
        ramp = np.arange(255, 0, -1, dtype=np.uint8)[:, None]
        self.paint_raster(painter, bar, ramp, np.full_like(ramp, 255), self.palette_of(signed))
        scale = AxisScale(low, high if high > low else low + 1.0, categories=column.categories)
        painter.setPen(theme.colour("dim"))
        if high > low:
            for value, text in scale.ticks(max(2, int(bar.height() / (2.6 * metrics.height())))):
                y = bar.bottom() - scale.at(value) * bar.height()
                room = QRectF(
                    bar.right() + 5, y - metrics.height() / 2, self.width() - bar.right() - 6, metrics.height()
                )
                text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
                painter.drawText(room, _SIDES.AlignLeft | _SIDES.AlignVCenter, text)
        else:
            painter.drawText(QPointF(bar.right() + 5, bar.center().y()), column.text(low))
        if column.unit:
            place = QRectF(bar.left() - 4, bar.bottom() + 5, self.width() - bar.left() + 4, metrics.height() + 2)
            painter.drawText(place, _SIDES.AlignLeft, column.unit)

    def paint_dot(self, painter: QPainter, place: QPointF, row: int) -> None:
        """A row that stands out, at a place."""
        mark = self.mark_of(row)
        ground = theme.colour("card")
        selected = int(self.linked.results.points[row]) in self.linked.rows.selected
        if selected or row == self.hover_row:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(ground, 4.0))
            painter.drawEllipse(place, 8.0, 8.0)
            painter.setPen(QPen(theme.colour("text" if row == self.hover_row else "accent"), 2.0))
            painter.drawEllipse(place, 8.0, 8.0)
        if mark is not None:
            path = star(place, 8.0) if mark[1] else QPainterPath()
            if not mark[1]:
                path.addEllipse(place, 4.5, 4.5)
            haloed(painter, path, mark[0], ground)

    def paint_range(self, painter: QPainter, area: QRectF, x: tuple[float, float], y: tuple[float, float]) -> None:
        """A brushed rectangle, by shares of an area from the left and from below."""
        left, right = (area.left() + min(max(share, 0.0), 1.0) * area.width() for share in x)
        low, high = (area.bottom() - min(max(share, 0.0), 1.0) * area.height() for share in y)
        fill = theme.colour("accent")
        fill.setAlphaF(0.08)
        room = QRectF(QPointF(round(left), round(high)), QPointF(round(right), round(low)))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # large, and painted while something is dragged
        painter.fillRect(room, fill)
        painter.setPen(QPen(theme.colour("accent"), 1))
        painter.drawRect(room)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    # --- mouse ------------------------------------------------------------------------------------------------------

    def _on_hovered(self, row: int, place: QPoint) -> None:
        if row != self.hover_row:
            self.hover_row = row
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        if self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            moved = (place - self._pressed).manhattanLength()
            if self._dragging or moved >= QApplication.startDragDistance():
                if not self._dragging:
                    self._dragging = True
                    self.linked.hold(True)
                    self.linked.hovered.emit(-1, QPoint())
                self.drag(self._pressed, place)
            return
        row = self.row_at(place) if self.linked.there and not self.nothing() else -1
        self._stood = -1
        if row != self.hover_row or row >= 0:
            self.linked.hovered.emit(row, event.globalPosition().toPoint())
        self.show_cursor(place, row)

    def show_cursor(self, place: QPointF, row: int) -> None:
        """The mouse's shape over a place."""
        self.setCursor(Qt.CursorShape.PointingHandCursor if row >= 0 else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.linked.there:
            self._pressed, self._dragging = event.position(), False

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        if pressed is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if self._dragging:
            self._dragging = False
            self.linked.hold(False)
            self.drag_ended(pressed, event.position())
            return
        row = self.row_at(event.position())
        if row >= 0 and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.linked.toggle(row)
        elif row >= 0 or not event.modifiers():
            self.linked.select([row] if row >= 0 else [])

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self.linked.there:
            return
        row = self.row_at(event.position())
        if row >= 0:
            self.linked.open_asked.emit(row)
        else:
            self.double_clicked(event.position())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not self.linked.there:
            return
        keyed = event.reason() is QContextMenuEvent.Reason.Keyboard
        row = self._present() if keyed else self.row_at(QPointF(event.pos()))
        place = self.place_of(row) if keyed and row >= 0 else None
        if row >= 0:
            if row not in self.linked.rows.selected_rows:
                self.linked.select([row])
            self.linked.menu_asked.emit(event.globalPos() if place is None else self.mapToGlobal(place.toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        if self.hover_row >= 0:
            self.linked.hovered.emit(-1, QPoint())
        super().leaveEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._pressed = None
        super().enterEvent(event)

    # --- keys -------------------------------------------------------------------------------------------------------

    def _present(self) -> int:
        """The row that keys are about; -1 if none is seen.

        That of the card, or the last one of the card, or the last that was selected, or the best, or any.
        """
        rows, results = self.linked.rows, self.linked.results
        stood = results.row_of(self._stood)
        likely = [self.hover_row, -1 if stood is None else stood, *rows.selected_rows[-1:]]
        likely += [] if results.best is None else [results.best]
        every = (*likely, *np.flatnonzero(self.within_reach).tolist())
        return next((row for row in every if 0 <= row < len(results) and self.place_of(row) is not None), -1)

    def _stand_at(self, row: int) -> None:
        place = self.place_of(row) if row >= 0 else None
        if place is not None:
            self._stood = int(self.linked.results.points[row])
            self.linked.hovered.emit(row, self.mapToGlobal(place.toPoint()))
            self.update()  # the same row may be stood at in another place

    def stand_again(self) -> None:
        """Stand where one stood before other results were shown."""
        if self.hasFocus() and (row := self.linked.results.row_of(self._stood)) is not None:
            self._stand_at(row)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
            if plain and event.key() in _OWN_KEYS:
                event.accept()  # these keys mean something else in the window
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        row = self._present() if key in _OWN_KEYS and self.linked.there and not self.nothing() else -1
        if key == Qt.Key.Key_Escape and self.linked.there and self.linked.rows.brushes:
            self.linked.clear_brushes()
        elif key == Qt.Key.Key_Escape and self.hover_row >= 0:
            self._stood = -1
            self.linked.hovered.emit(-1, QPoint())
        elif row < 0:
            super().keyPressEvent(event)
        elif key in _ARROWS:
            self._stand_at(self.row_beside(row, *_ARROWS[key]) if self.hover_row >= 0 else row)
        elif key == Qt.Key.Key_Space:
            self.linked.toggle(row)
        elif key == Qt.Key.Key_P:
            self.linked.toggle_pins([row])
        else:
            self.linked.open_asked.emit(row)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if event.reason() is not Qt.FocusReason.PopupFocusReason:
            self._stood = -1
            if self.hover_row >= 0:
                self.linked.hovered.emit(-1, QPoint())
        super().focusOutEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.renew()
        super().resizeEvent(event)

    def nearest(self, x: NDArray[np.float64], y: NDArray[np.float64], place: QPointF) -> int:
        """Which of some places is nearest to another and near enough; -1 if none is."""
        if not len(x):
            return -1
        with np.errstate(invalid="ignore"):
            far = np.hypot(x - place.x(), y - place.y())
        far = np.where(np.isnan(far), np.inf, far)
        row = int(np.argmin(far))
        return row if far[row] <= _REACH else -1
