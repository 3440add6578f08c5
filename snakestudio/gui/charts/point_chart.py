"""A chart of points that are hovered, selected, brushed and opened, with the mouse and with the keyboard.

The chart is painted in layers, all in pixels of the chart: images of thousands of dots or lines made
by numpy, cached until they change, and above them a few marks. Brushing and hovering therefore stay
smooth with ten thousand points.

The keyboard has a current point, which is hovered as if the mouse were there: arrow keys step to the
next point.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QEnterEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from snakestudio._arrays import FloatArray
from snakestudio.gui.charts.colour_bar import ColourBar
from snakestudio.gui.charts.plot_base import Headline, Margins, PlotBase
from snakestudio.gui.charts.raster_item import PaintedItem, RasterItem
from snakestudio.gui.core import theme
from snakestudio.viewmodel.plots.axis_scale import AxisScale

_LEFT = 54
_TOP = 26
_BELOW = 44
"""Space for an axis to the left, for its title above and for an axis below, px of the design."""
_BAR = 62
_RIGHT = 16
"""Space to the right with a colour bar and its numbers, px of the design, and without, px."""
_REACH = 9.0
"""Largest distance of the mouse from a point that it hovers, px."""
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Down: (0, -1),
    Qt.Key.Key_Up: (0, 1),
}
_OWN_KEYS = frozenset(
    {*_ARROWS, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_P}
)
_RASTERS = 0.0
_LINES = 10.0
_MARKS = 20.0
"""Order of the layers."""


class PointChart(PlotBase):
    """A chart of points, each with a row; subclasses draw them.

    Signals
    -------
    hovered(row: int, place: QPoint)
        The mouse or the keyboard is at a row (-1: none), at a position on the screen.
    selected(rows: list)
        The user selects these rows.
    toggled(row: int)
        The user adds a row to the selection or removes it.
    pin_toggled(row: int)
        The user pins or unpins a row.
    open_requested(row: int)
        The user opens a row.
    menu_requested(row: int, place: QPoint)
        The user requests the menu of a row, at a position on the screen.
    held(on: bool)
        A drag begins or ends.
    """

    hovered = Signal(int, QPoint)
    selected = Signal(list)
    toggled = Signal(int)
    pin_toggled = Signal(int)
    open_requested = Signal(int)
    menu_requested = Signal(int, QPoint)
    held = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        self.hover_row = -1
        self.present_row = -1
        """The row with the keyboard focus; -1 for none."""
        self._pressed: QPointF | None = None
        self._dragging = False
        self._title = ""
        self._note = ""
        view = pg.ViewBox(enableMenu=False)
        view.setMouseEnabled(False, False)
        view.disableAutoRange()
        view.setDefaultPadding(0.0)
        super().__init__(view, _margins(bar=False), parent, density=2.0)
        self.colour_bar = ColourBar()
        self.colour_bar.setVisible(False)
        self.lines = PaintedItem(self._draw_lines, _LINES, once=True)
        self.marks = PaintedItem(self._draw_marks, _MARKS, once=False)
        self.rasters: list[RasterItem] = []
        """Images of the points, from the lowest to the highest; the highest shows the brushed points."""
        self._was_brushed = False
        self.headline = Headline(self)
        for item in (self.colour_bar, self.headline, self.lines, self.marks):
            self.scene().addItem(item)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleDescription(
            "Arrow keys go from point to point, Enter opens the run, Space selects, P pins"
        )
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setMinimumSize(theme.scaled(200), theme.scaled(150))

    def add_raster(self, raster: RasterItem) -> None:
        """Add an image above the existing ones."""
        raster.setZValue(_RASTERS + len(self.rasters))
        self.rasters.append(raster)
        self.scene().addItem(raster)

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(420), theme.scaled(300))

    # --- for subclasses ---------------------------------------------------------------------------

    @property
    @abstractmethod
    def has_points(self) -> bool:
        """Whether there are any points."""

    @abstractmethod
    def nothing(self) -> str:
        """Return a message on why no points are visible; "" if some are."""

    @abstractmethod
    def row_at(self, position: QPointF) -> int:
        """Return the row at a position; -1 for none."""

    @abstractmethod
    def position_of(self, row: int) -> QPointF | None:
        """Return the position of a row; None if it is not visible."""

    @abstractmethod
    def row_beside(self, row: int, across: int, up: int) -> int:
        """Return the row next to a visible one: to the right (across 1), left (-1), above (up 1) or below (-1).

        The row itself if there is no other.
        """

    @abstractmethod
    def likely_rows(self) -> Iterable[int]:
        """Yield the rows for the initial keyboard focus, the preferred ones first."""

    def draw_lines(self, painter: QPainter) -> None:
        """Draw items between the images and the marks that change as rarely as the images."""

    def draw_marks(self, painter: QPainter) -> None:
        """Draw the marks."""

    def drag(self, begin: QPointF, position: QPointF) -> None:
        """Handle a drag of the mouse from one position to another."""

    def drag_ended(self, begin: QPointF, position: QPointF) -> None:
        """Handle the end of a drag."""

    def double_clicked(self, position: QPointF) -> None:
        """Handle a double click outside all rows."""

    @property
    def is_brushed(self) -> bool:
        """Return whether points are brushed, so that all other points are faint."""
        return False

    def clear_brushes(self) -> bool:
        """Clear all brushes; return whether there were any."""
        return False

    # --- content ----------------------------------------------------------------------------------

    @property
    def area(self) -> QRectF:
        """Area of the points, px."""
        left, top, right, below = self.margins
        return QRectF(
            left,
            top,
            max(20.0, self.width() - left - right),
            max(20.0, self.height() - top - below),
        )

    @property
    def shows_points(self) -> bool:
        """Whether points are visible."""
        return self.has_points and not self.nothing()

    @property
    def has_grid(self) -> bool:
        return self.shows_points

    def show_scales(
        self, across: AxisScale, up: AxisScale, titles: tuple[str, str], *, bar: bool
    ) -> None:
        """Set scales and titles (below, above) of the axes, and whether there is space for a colour bar."""
        self.set_margins(_margins(bar=bar))
        self.colour_bar.setVisible(bar)
        self.bottom_axis.show_scale(across, titles[0])
        self.left_axis.show_scale(up)
        self._title = titles[1]
        self.headline.show_texts(self._title, self._note)
        view_range = [list(across.span), list(up.span)]
        if self.view.viewRange() != view_range:
            self.view.setRange(xRange=view_range[0], yRange=view_range[1], padding=0)

    def show_note(self, note: str) -> None:
        """Show a note above the area, if the title leaves space."""
        self._note = note
        self.headline.show_texts(self._title, note)

    def refresh(self) -> None:
        """Redraw everything."""
        area = self.area
        self.colour_bar.fit(area, self.width())
        self.headline.fit(QRectF(self.rect()))
        for raster in self.rasters:
            raster.fit(area)
        for item in (self.lines, self.marks):
            item.fit(QRectF(self.rect()))
        self.refresh_grid()

    def refresh_brushed(self) -> None:
        """Redraw the items that depend on the brushed rows."""
        brushed = self.is_brushed
        begins = brushed != self._was_brushed
        self._was_brushed = brushed
        for raster in self.rasters if begins else self.rasters[-1:]:
            raster.invalidate()
        self.marks.update()

    def refresh_marks(self) -> None:
        """Redraw the marks."""
        self.marks.update()

    def apply_theme(self) -> None:
        self.colour_bar.apply_theme()
        self.headline.update()
        super().apply_theme()
        self.refresh()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if event is not None:  # pyqtgraph calls it while it constructs the widget
            self.refresh()

    def _draw_lines(self, painter: QPainter) -> None:
        if self.shows_points:
            self.draw_lines(painter)

    def _draw_marks(self, painter: QPainter) -> None:
        if not self.shows_points:
            painter.fillRect(self.rect(), theme.colour("card"))  # over axes without a meaning
        if self.has_points and (why := self.nothing()):
            painter.setPen(theme.colour("dim"))
            painter.setFont(theme.text_font(13))
            space = QRectF(self.rect()).adjusted(24, 12, -24, -12)
            painter.drawText(space, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, why)
        elif self.has_points:
            self.draw_marks(painter)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("accent"), 2.0))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    # --- mouse ------------------------------------------------------------------------------------

    def show_hovered(self, row: int) -> None:
        """Show a row as hovered, also if it is hovered in another view."""
        if row != self.hover_row:
            self.hover_row = row
            self.marks.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            moved = (position - self._pressed).manhattanLength()
            if self._dragging or moved >= QApplication.startDragDistance():
                if not self._dragging:
                    self._dragging = True
                    self.held.emit(True)
                    self.hovered.emit(-1, QPoint())
                self.drag(self._pressed, position)
            return
        row = self.row_at(position) if self.shows_points else -1
        self.present_row = -1
        if row != self.hover_row or row >= 0:
            self.hovered.emit(row, event.globalPosition().toPoint())
        self.show_cursor(position, row)

    def show_cursor(self, position: QPointF, row: int) -> None:
        """Set the shape of the mouse cursor at a position."""
        self.viewport().setCursor(
            Qt.CursorShape.PointingHandCursor if row >= 0 else Qt.CursorShape.ArrowCursor
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.has_points:
            self._pressed = event.position()
            self._dragging = False

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed = self._pressed
        self._pressed = None
        if pressed is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if self._dragging:
            self._dragging = False
            self.held.emit(False)
            self.drag_ended(pressed, event.position())
            return
        row = self.row_at(event.position()) if self.shows_points else -1
        if row >= 0 and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.toggled.emit(row)
        elif row >= 0 or not event.modifiers():
            self.selected.emit([row] if row >= 0 else [])

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self.shows_points:
            return
        row = self.row_at(event.position())
        if row >= 0:
            self.open_requested.emit(row)
        else:
            self.double_clicked(event.position())

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the panel around it scrolls

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not self.shows_points:
            return
        keyed = event.reason() is QContextMenuEvent.Reason.Keyboard
        row = self._present() if keyed else self.row_at(QPointF(event.pos()))
        position = self.position_of(row) if keyed and row >= 0 else None
        if row >= 0:
            self.menu_requested.emit(
                row, event.globalPos() if position is None else self.mapToGlobal(position.toPoint())
            )

    def leaveEvent(self, event: QEvent) -> None:
        if self.hover_row >= 0:
            self.hovered.emit(-1, QPoint())

    def enterEvent(self, event: QEnterEvent) -> None:
        self._pressed = None
        super().enterEvent(event)

    # --- keys -------------------------------------------------------------------------------------

    def _present(self) -> int:
        """Return the row that keys act on; -1 if no row is visible."""
        rows = (self.hover_row, self.present_row, *self.likely_rows())
        return next((row for row in rows if row >= 0 and self.position_of(row) is not None), -1)

    def focus_row(self, row: int) -> None:
        """Move the keyboard focus to a row, if it is visible."""
        position = self.position_of(row) if row >= 0 else None
        if position is not None:
            self.present_row = row
            self.hovered.emit(row, self.mapToGlobal(position.toPoint()))
            self.marks.update()  # the row may be the same at another position

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = (
                event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
                == Qt.KeyboardModifier.NoModifier
            )
            if plain and event.key() in _OWN_KEYS:
                event.accept()  # these keys mean something else in the window
                return True
        return bool(super().event(event))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        row = self._present() if key in _OWN_KEYS and self.shows_points else -1
        if key == Qt.Key.Key_Escape and self.has_points and self.clear_brushes():
            pass
        elif key == Qt.Key.Key_Escape and self.hover_row >= 0:
            self.present_row = -1
            self.hovered.emit(-1, QPoint())
        elif row < 0:
            event.ignore()
        elif key in _ARROWS:
            self.focus_row(self.row_beside(row, *_ARROWS[key]) if self.hover_row >= 0 else row)
        elif key == Qt.Key.Key_Space:
            self.toggled.emit(row)
        elif key == Qt.Key.Key_P:
            self.pin_toggled.emit(row)
        else:
            self.open_requested.emit(row)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.marks.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if event.reason() is not Qt.FocusReason.PopupFocusReason:
            self.present_row = -1
            if self.hover_row >= 0:
                self.hovered.emit(-1, QPoint())
        super().focusOutEvent(event)
        self.marks.update()


def nearest(x: FloatArray, y: FloatArray, position: QPointF) -> int:
    """Return the index of the nearest position within reach of `position`; -1 for none."""
    if not len(x):
        return -1
    with np.errstate(invalid="ignore"):
        far = np.hypot(x - position.x(), y - position.y())
    far = np.where(np.isnan(far), np.inf, far)
    row = int(np.argmin(far))
    return row if far[row] <= _REACH else -1


def _margins(*, bar: bool) -> Margins:
    right = theme.scaled(_BAR) if bar else _RIGHT
    return Margins(theme.scaled(_LEFT), theme.scaled(_TOP), right, theme.scaled(_BELOW))
