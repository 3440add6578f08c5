"""Parallel coordinates: an axis a column, a line a point; a range that is dragged on an axis brushes the points."""

from __future__ import annotations

from typing import Literal

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QCheckBox, QToolButton, QVBoxLayout, QWidget, QWidgetAction

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.gui.core import theme
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.study.results.canvas import Canvas
from snakestudio.gui.study.results.choosers import Chooser, beside
from snakestudio.gui.study.results.linked import LinkedRows
from snakestudio.viewmodel.plots.axis_scale import AxisScale
from snakestudio.viewmodel.plots.rasters import Bytes, Lines, shades
from snakestudio.viewmodel.study.result_columns import Column
from snakestudio.viewmodel.study.result_map import colour_ends

__all__ = ["ParallelView"]

_SAMPLE = 800
"""Brushed lines that are drawn at once, for instance while a brush is dragged."""
_FEW = 400
"""Lines that are drawn finely at once."""
_AT_ONCE = 500
"""Further lines that are drawn in one turn, once they rest."""
_REST_MS = 140
_BEHIND = 2_000
"""Lines that stand for all those which are not brushed."""
_GRIP = 7.0
"""How near the mouse has to come to an end of a brush or to a line, px."""
_NEAR, _SIDE = 26, 46
"""Room to the left and to the right, px of the design."""

_What = Literal["", "new", "move", "low", "high", "axis"]


class _Parallel(Canvas):
    """Points as lines over several axes."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        super().__init__(linked, parent)
        self.columns: list[Column] = []
        self.colour: Column | None = None
        self._ends: tuple[float, float, bool] = (0.0, 1.0, False)
        self._scales: list[AxisScale] = []
        self._shares: FloatArray = np.zeros((0, 0))
        self._what: _What = ""
        self._axis = 0
        self._from: tuple[float, float] = (0.0, 0.0)
        self._shifted = 0.0
        self._stood_axis = 0
        """Along which the keyboard leads."""
        self._axes: QPixmap | None = None
        """Axes and their numbers, which lie over the lines."""
        self._behind = False
        self._drawn: tuple[Bytes, Bytes] | None = None
        self._all: Lines | None = None
        self._left: IntArray = np.zeros(0, np.int64)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._draw_more)

    def show_columns(self, columns: list[Column], colour: Column | None) -> None:
        """Show these columns, from the left."""
        self.columns, self.colour = columns, colour
        self._scales = [AxisScale.of(column) for column in columns]
        shares = [scale.share(column.values) for scale, column in zip(self._scales, columns, strict=True)]
        self._shares = np.stack(shares, axis=1) if shares else np.zeros((0, 0))
        self._ends = colour_ends(colour.values) if colour is not None else (0.0, 1.0, False)
        self.renew()

    # --- where things are -------------------------------------------------------------------------------------------

    @property
    def area(self) -> QRectF:
        side, top = theme.scaled(_SIDE), theme.scaled(64 if self._crowded else 46)
        left = theme.scaled(_NEAR)
        return QRectF(
            left, top, max(20.0, self.width() - left - side), max(20.0, self.height() - top - theme.scaled(16))
        )

    @property
    def _crowded(self) -> bool:
        gap = (self.width() - theme.scaled(_SIDE + _NEAR)) / max(1, len(self.columns) - 1)
        metrics = QFontMetricsF(theme.chart_font())
        return any(metrics.horizontalAdvance(column.short) + 10 > gap for column in self.columns)

    def axis_x(self, axis: int) -> float:
        """Where an axis stands, px from the left."""
        area = self.area
        return area.left() + (
            area.width() * axis / (len(self.columns) - 1) if len(self.columns) > 1 else area.width() / 2
        )

    def scale(self, axis: int) -> AxisScale:
        """How values lie along an axis."""
        return self._scales[axis]

    @property
    def complete(self) -> bool:
        """Whether every brushed line is drawn."""
        return self._drawn is not None

    def axis_at(self, x: float) -> int:
        """Which axis is the nearest."""
        return int(np.argmin([abs(self.axis_x(axis) - x) for axis in range(len(self.columns))]))

    def _heights(self, rows: IntArray) -> FloatArray:
        area = self.area
        heights: FloatArray = area.bottom() - self._shares[rows] * area.height()
        return heights

    def nothing(self) -> str:
        if self.linked.results.failed.all():
            return "Every run has failed, so there is nothing to draw. The table says why."
        if len(self.columns) < 2:
            return "Lines need two axes at least: tick them under Axes."
        return ""

    def row_at(self, place: QPointF) -> int:
        area = self.area
        if len(self.columns) < 2 or not area.adjusted(-4, -4, 4, 4).contains(place):
            return -1
        step = area.width() / (len(self.columns) - 1)
        gap = min(max(int((place.x() - area.left()) / step), 0), len(self.columns) - 2)
        share = (place.x() - area.left()) / step - gap
        keep = np.flatnonzero(self.within_reach)
        parts = self._shares[keep]
        at = area.bottom() - ((1.0 - share) * parts[:, gap] + share * parts[:, gap + 1]) * area.height()
        near = self.nearest(np.full(len(at), place.x()), at, place)
        return int(keep[near]) if near >= 0 else -1

    def place_of(self, row: int) -> QPointF | None:
        axis = min(self._stood_axis, len(self.columns) - 1)
        if axis < 0 or row >= len(self._shares) or not np.isfinite(self._shares[row, axis]):
            return None
        return QPointF(self.axis_x(axis), float(self._heights(np.array([row]))[0, axis]))

    def row_beside(self, row: int, across: int, up: int) -> int:
        """Up and down the next line along the axis one stands at; to the sides the same line at another axis."""
        axis = self._stood_axis = min(self._stood_axis, len(self.columns) - 1)
        if across:
            known = np.flatnonzero(np.isfinite(self._shares[row]))
            others = known[known > axis] if across > 0 else known[known < axis][::-1]
            self._stood_axis = int(next(iter(others), axis))
            return row
        shares = self._shares[:, axis]
        rows = np.flatnonzero(self.within_reach & np.isfinite(shares))
        rows = rows[np.argsort(shares[rows], kind="stable")][::up]
        beyond = (shares[rows] - shares[row]) * up > 0
        beyond |= (shares[rows] == shares[row]) & ((rows - row) * up > 0)  # of those at the same place one by one
        return int(next(iter(rows[beyond]), row))

    # --- painting ---------------------------------------------------------------------------------------------------

    def paint_still(self, painter: QPainter) -> None:
        if self.linked.rows.brushes:
            every = np.arange(len(self._shares))
            whole = QRectF(self.rect())
            width, height, _ = self.pixels(whole)
            behind = Lines((width, height), smooth=False)
            behind.add(*self._crossings(_sample(every, _BEHIND)), np.full(len(_sample(every, _BEHIND)), 255, np.uint8))
            picture, cover = behind.picture()
            self.paint_raster(painter, whole, picture, cover // 5, self.one_colour(theme.colour("dim")))

    def renew(self) -> None:
        self._axes = None
        self._begin_lines()
        super().renew()

    def renew_brushed(self) -> None:
        behind = bool(self.linked.rows.brushes)
        if behind != self._behind:
            self._behind = behind
            self.renew()
        self._begin_lines()
        super().renew_brushed()

    def _begin_lines(self) -> None:
        """Other lines are to be seen: a sample of them at once, and all of them little by little once they rest."""
        self._drawn, self._all = None, None
        self._rest.start()

    def _draw_more(self) -> None:
        """Draw some further lines where they are not yet seen; the window lives meanwhile."""
        if self.linked.held:
            self._rest.start()
            return
        if not self.isVisible() or self._drawn is not None or not self.linked.there or self.nothing():
            return
        if self._all is None:
            width, height, _ = self.pixels(QRectF(self.rect()))
            self._all, self._left = Lines((width, height), smooth=True), self._chosen()
        now, self._left = self._left[:_AT_ONCE], self._left[_AT_ONCE:]
        self._all.add(*self._crossings(now), self._shade(now))
        if len(self._left):
            QTimer.singleShot(0, self, self._draw_more)
            return
        self._drawn, self._all = self._all.picture(), None
        super().renew_brushed()

    def _chosen(self) -> IntArray:
        """The brushed rows, the best last, so that they lie on top."""
        chosen: IntArray = np.flatnonzero(self.linked.rows.brushed)
        if self.colour is not None:
            values = self.colour.values[chosen]
            order = np.argsort(-values if self.colour.better < 0 else values, kind="stable")
            chosen = chosen[order[np.isfinite(values[order])]]
        return chosen

    def _shade(self, rows: IntArray) -> Bytes:
        if self.colour is None:
            return np.full(len(rows), 255, np.uint8)
        return shades(self.colour.values[rows], self._ends[0], self._ends[1])

    def _crossings(self, rows: IntArray) -> tuple[FloatArray, FloatArray]:
        """Where the axes are, and where lines cross them, pixels of the screen."""
        scale = self.devicePixelRatioF()
        places = np.array([self.axis_x(axis) for axis in range(len(self.columns))])
        return places * scale, self._heights(rows) * scale

    def paint_brushed(self, painter: QPainter) -> None:
        palette = self.one_colour(theme.colour("accent")) if self.colour is None else self.palette_of(self._ends[2])
        whole = QRectF(self.rect())
        width, height, _ = self.pixels(whole)
        if self._drawn is not None and self._drawn[0].shape == (height, width):
            self.paint_raster(painter, whole, *self._drawn, palette)
        else:
            chosen = _sample(self._chosen(), _SAMPLE)
            some = Lines((width, height), smooth=len(chosen) <= _FEW)
            some.add(*self._crossings(chosen), self._shade(chosen))
            self.paint_raster(painter, whole, *some.picture(), palette)

    def _paint_axes(self, painter: QPainter) -> None:
        area, font = self.area, theme.chart_font()
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        halo = theme.colour("card")
        halo.setAlphaF(0.72)
        gap = area.width() / max(1, len(self.columns) - 1)
        room = (2 * gap if self._crowded else gap) - 8
        for axis, (column, scale) in enumerate(zip(self.columns, self._scales, strict=True)):
            x = self.axis_x(axis)
            painter.setPen(QPen(theme.colour("dim"), 1.2))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            for value, text in scale.ticks(max(2, int(area.height() / (2.6 * metrics.height())))):
                y = area.bottom() - scale.at(value) * area.height()
                text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, min(gap, theme.scaled(90)) - 12)
                place = QRectF(x + 5, y - metrics.height() / 2, metrics.horizontalAdvance(text) + 4, metrics.height())
                painter.fillRect(place, halo)
                painter.setPen(theme.colour("dim"))
                painter.drawLine(QPointF(x - 3, y), QPointF(x + 3, y))
                painter.drawText(place.adjusted(2, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, text)
            raised = self._crowded and axis % 2 == 0
            self._paint_title(painter, column, x, area.top() - (theme.scaled(62) if raised else theme.scaled(42)), room)

    def _paint_title(self, painter: QPainter, column: Column, x: float, top: float, room: float) -> None:
        metrics = QFontMetricsF(theme.chart_font())
        for text, role, at in ((column.short, "text", top), (column.unit, "dim", top + metrics.height())):
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
            width = metrics.horizontalAdvance(text)
            left = min(max(x - width / 2, 4.0), self.width() - width - 4)
            painter.setPen(theme.colour(role))
            painter.drawText(QPointF(left, at + metrics.ascent()), text)

    def paint_marks(self, painter: QPainter) -> None:
        area = self.area
        if self._axes is None:
            self._axes = self.layer(self._paint_axes)
        painter.drawPixmap(0, 0, self._axes)
        if self._what == "axis":
            x = self.axis_x(self._axis) + self._shifted
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.drawLine(QPointF(x, area.top() - 8), QPointF(x, area.bottom()))
        for axis, (column, scale) in enumerate(zip(self.columns, self._scales, strict=True)):
            ends = self.linked.rows.brushes.get(column.name)
            if ends is not None:
                x = self.axis_x(axis)
                share = scale.at(ends[0]), scale.at(ends[1])
                half = 7 / area.width()
                middle = (x - area.left()) / area.width()
                self.paint_range(painter, area.adjusted(-8, 0, 8, 0), (
                    (middle * area.width() + 8) / (area.width() + 16) - half,
                    (middle * area.width() + 8) / (area.width() + 16) + half), share)  # fmt: skip
        for row in self.marked_rows:
            self._paint_marked(painter, row)

    def _paint_marked(self, painter: QPainter, row: int) -> None:
        if row >= len(self._shares):
            return
        heights = self._heights(np.array([row]))[0]
        corners = [QPointF(self.axis_x(axis), y) for axis, y in enumerate(heights.tolist()) if y == y]
        mark = self.mark_of(row)
        selected = int(self.linked.results.points[row]) in self.linked.rows.selected
        role = "text" if row == self.hover_row else "accent" if selected else ""
        colour = theme.colour(role) if role else mark[0] if mark is not None else theme.colour("accent")
        painter.setPen(QPen(theme.colour("card"), 5.0))
        painter.drawPolyline(QPolygonF(corners))
        painter.setPen(QPen(colour, 2.2))
        painter.drawPolyline(QPolygonF(corners))
        if mark is not None and mark[1]:
            for corner in corners:
                self.paint_dot(painter, corner, row)
        elif row == self.hover_row and self.hasFocus() and (place := self.place_of(row)) is not None:
            self.paint_dot(painter, place, row)

    # --- brushing and the order of axes -----------------------------------------------------------------------------

    def _grip(self, place: QPointF) -> tuple[_What, int]:
        """What a drag from a place does, and to which axis."""
        if not self.columns:
            return "", 0
        axis, area = self.axis_at(place.x()), self.area
        if place.y() < area.top() - 4:
            return "axis", axis
        ends = self.linked.rows.brushes.get(self.columns[axis].name)
        if ends is not None and abs(place.x() - self.axis_x(axis)) < 3 * _GRIP:
            low, high = (area.bottom() - self._scales[axis].at(end) * area.height() for end in ends)
            if abs(place.y() - low) < _GRIP:
                return "low", axis
            if abs(place.y() - high) < _GRIP:
                return "high", axis
            if high < place.y() < low:
                return "move", axis
        return "new", axis

    def _share_at(self, y: float) -> float:
        area = self.area
        return min(max((area.bottom() - y) / area.height(), 0.0), 1.0)

    def drag(self, begin: QPointF, place: QPointF) -> None:
        if self._what == "":
            self._what, self._axis = self._grip(begin)
            ends = self.linked.rows.brushes.get(self.columns[self._axis].name) if self.columns else None
            scale = self._scales[self._axis]
            self._from = (scale.at(ends[0]), scale.at(ends[1])) if ends is not None else (0.0, 0.0)
        if self._what == "axis":
            self._shifted = place.x() - begin.x()
            self.update()
            return
        first, now = self._share_at(begin.y()), self._share_at(place.y())
        low, high = {
            "new": (min(first, now), max(first, now)),
            "low": (min(now, self._from[1]), self._from[1]),
            "high": (self._from[0], max(now, self._from[0])),
            "move": (self._from[0] + now - first, self._from[1] + now - first),
        }[self._what]
        scale = self._scales[self._axis]
        self.linked.brush({self.columns[self._axis].name: (scale.value(low), scale.value(high))})

    def drag_ended(self, begin: QPointF, place: QPointF) -> None:
        what, self._what = self._what, ""
        if what == "axis":
            self.move_axis(self._axis, self.axis_at(self.axis_x(self._axis) + self._shifted))

    def move_axis(self, axis: int, to: int) -> None:
        """Put an axis at another place in the row."""
        columns = list(self.columns)
        columns.insert(to, columns.pop(axis))
        self.show_columns(columns, self.colour)

    def double_clicked(self, place: QPointF) -> None:
        if self.columns:
            self.linked.brush({self.columns[self.axis_at(place.x())].name: None})

    def mouseDoubleClickEvent(self, event: object) -> None:
        place = event.position()  # type: ignore[attr-defined]
        near = self.columns and abs(place.x() - self.axis_x(self.axis_at(place.x()))) < 2 * _GRIP
        if near and self.columns[self.axis_at(place.x())].name in self.linked.rows.brushes:
            self.double_clicked(place)
        else:
            super().mouseDoubleClickEvent(event)  # type: ignore[arg-type]

    def show_cursor(self, place: QPointF, row: int) -> None:
        what, axis = self._grip(place) if self.linked.there and not self.nothing() else ("", 0)
        shapes = Qt.CursorShape
        near = self.columns and abs(place.x() - self.axis_x(axis)) < 3 * _GRIP
        shape = shapes.PointingHandCursor if row >= 0 else shapes.ArrowCursor
        if near and what:
            shape = {
                "axis": shapes.SizeHorCursor, "low": shapes.SizeVerCursor, "high": shapes.SizeVerCursor,
                "move": shapes.SizeAllCursor, "new": shapes.CrossCursor,
            }[what]  # fmt: skip
        self.setCursor(shape)
        titles = [column.heading for column in self.columns]
        self.setToolTip(titles[axis] if what == "axis" and near else "")


def _sample(rows: IntArray, most: int) -> IntArray:
    """So many of some rows, evenly."""
    return rows[:: max(1, -(-len(rows) // most))]


class ParallelView(QWidget):
    """Parallel coordinates with their boxes.

    Parameters
    ----------
    linked : LinkedRows
    """

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._linked = linked
        self._without: set[str] = set()
        self._varied: list[str] = []
        self.colour_box = Chooser("Colour", "What the colours of the lines say")
        self.axes = QToolButton()
        self.axes.setText("Axes")
        self.axes.setToolTip("Which columns have an axis; drag the title of an axis to put it elsewhere")
        self.axes.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.axes.setMenu(Menu(self.axes))
        self.chart = _Parallel(linked)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(8)
        row = beside(self.colour_box, self.axes)
        row.setStretch(0, 1)
        row.insertStretch(1, 0)
        column.addLayout(row)
        column.addWidget(self.chart, 1)
        self.colour_box.chosen.connect(self.renew)
        linked.results_changed.connect(self.renew)

    def renew(self) -> None:
        """Follow the boxes and the results; axes stay where they were put."""
        results = self._linked.results
        every = results.named("varied", "goal", "limit")
        goals = results.named("goal", "limit")
        numbers = [column for column in every if not column.categories]
        self.colour_box.offer([("=", "None"), *((c.name, c.short) for c in numbers)], goals[0].name if goals else "=")
        varied = [column.name for column in results.named("varied")]
        if varied != self._varied:  # another study
            self._varied = varied
            self._without.clear()
            self.chart.show_columns([], None)
        before = [column.name for column in self.chart.columns]
        names = [column.name for column in every if column.name not in self._without]
        kept = [name for name in before if name in names]
        names = kept + [name for name in names if name not in kept] if kept else names
        self.chart.show_columns([results.columns[name] for name in names], results.columns.get(self.colour_box.value))
        self._offer_axes(every)

    def _offer_axes(self, every: list[Column]) -> None:
        menu = self.axes.menu()
        assert menu is not None
        if [action.objectName() for action in menu.actions()] == [column.name for column in every]:
            return
        menu.clear()
        for column in every:
            box = QCheckBox(column.heading)
            box.setChecked(column.name not in self._without)
            box.setContentsMargins(8, 4, 8, 4)
            box.toggled.connect(lambda on, name=column.name: self.show_axis(name, on))
            action = QWidgetAction(menu)
            action.setObjectName(column.name)
            action.setDefaultWidget(box)
            menu.addAction(action)

    def show_axis(self, name: str, on: bool) -> None:
        """Have an axis for a column, or none."""
        (self._without.discard if on else self._without.add)(name)
        self.renew()
