"""Parallel coordinates of a study; dragging a range on an axis brushes points."""

from __future__ import annotations

from typing import Literal

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QCheckBox, QToolButton, QVBoxLayout, QWidget, QWidgetAction

from snakestudio._arrays import IntArray
from snakestudio.gui.charts.markers import paint_line, paint_range
from snakestudio.gui.charts.parallel_item import FrontLines, ParallelAxis, ParallelItem
from snakestudio.gui.charts.point_chart import nearest
from snakestudio.gui.charts.raster_item import one_colour, palette_of
from snakestudio.gui.core import theme
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.study.results.choosers import Chooser, side_by_side
from snakestudio.gui.study.results.linked import LinkedRows
from snakestudio.gui.study.results.results_chart import ResultsChart
from snakestudio.viewmodel.plots.axis_scale import AxisScale
from snakestudio.viewmodel.plots.rasters import shades
from snakestudio.viewmodel.study.result_columns import ResultColumn
from snakestudio.viewmodel.study.result_map import colour_ends

_GRIP = 7.0
"""Distance at which the mouse grabs an end of a brush or a line, px."""
_HALF = 7.0
"""Half of the width of a brush, px."""

_What = Literal["", "new", "move", "low", "high", "axis"]


class _Parallel(ResultsChart):
    """Points as lines over several axes."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        self.columns: list[ResultColumn] = []
        self.colour: ResultColumn | None = None
        self._ends: tuple[float, float, bool] = (0.0, 1.0, False)
        self._what: _What = ""
        self._axis = 0
        self._from: tuple[float, float] = (0.0, 0.0)
        self._shifted = 0.0
        self._present_axis = 0
        """Axis along which the arrow keys move."""
        super().__init__(linked, parent)
        self.item = ParallelItem(
            self, self._front_lines, lambda: self.is_brushed, lambda: linked.held
        )
        self.scene().addItem(self.item)
        for axis in (self.bottom_axis, self.left_axis):
            axis.setVisible(False)

    def show_columns(self, columns: list[ResultColumn], colour: ResultColumn | None) -> None:
        """Show these columns from left to right."""
        self.columns = columns
        self.colour = colour
        scales = [column.scale() for column in columns]
        shares = [
            scale.fraction(column.values) for scale, column in zip(scales, columns, strict=True)
        ]
        axes = [
            ParallelAxis(column.short, column.unit, scale)
            for column, scale in zip(columns, scales, strict=True)
        ]
        self._ends = (
            colour_ends(colour.values, self.linked.results.left_out)
            if colour is not None
            else (0.0, 1.0, False)
        )
        self.item.show_axes(axes, np.stack(shares, axis=1) if shares else np.zeros((0, 0)))
        self.refresh()

    # --- positions -------------------------------------------------------------------------------

    @property
    def area(self) -> QRectF:
        return self.item.area

    @property
    def has_grid(self) -> bool:
        return False

    def axis_x(self, axis: int) -> float:
        """Return the position of an axis, px from the left."""
        return self.item.axis_x(axis)

    def scale(self, axis: int) -> AxisScale:
        """Return the scale of an axis."""
        return self.item.axes[axis].scale

    @property
    def complete(self) -> bool:
        """Whether all brushed lines are drawn."""
        return self.item.complete

    def nothing(self) -> str:
        if self.linked.results.failed.all():
            return (
                "Every run has failed, so there is nothing to draw. See the table for the reasons."
            )
        if len(self.columns) < 2:
            return "Select at least two axes under Axes."
        return ""

    def row_at(self, position: QPointF) -> int:
        if len(self.columns) < 2 or not self.area.adjusted(-4, -4, 4, 4).contains(position):
            return -1
        keep = np.flatnonzero(self.within_reach)
        at = self.item.heights_at(position.x(), keep)
        near = nearest(np.full(len(at), position.x()), at, position)
        return int(keep[near]) if near >= 0 else -1

    def position_of(self, row: int) -> QPointF | None:
        axis = min(self._present_axis, len(self.columns) - 1)
        shares = self.item.shares
        if axis < 0 or row >= len(shares) or not np.isfinite(shares[row, axis]):
            return None
        return QPointF(self.axis_x(axis), float(self.item.heights(np.array([row]))[0, axis]))

    def row_beside(self, row: int, across: int, up: int) -> int:
        """Return the next line up or down the current axis; sideways the same line at another axis."""
        axis = self._present_axis = min(self._present_axis, len(self.columns) - 1)
        if across:
            known = np.flatnonzero(np.isfinite(self.item.shares[row]))
            others = known[known > axis] if across > 0 else known[known < axis][::-1]
            self._present_axis = int(next(iter(others), axis))
            return row
        shares = self.item.shares[:, axis]
        rows = np.flatnonzero(self.within_reach & np.isfinite(shares))
        rows = rows[np.argsort(shares[rows], kind="stable")][::up]
        beyond = (shares[rows] - shares[row]) * up > 0
        # those at the same position one by one
        beyond |= (shares[rows] == shares[row]) & ((rows - row) * up > 0)
        return int(next(iter(rows[beyond]), row))

    # --- drawing ----------------------------------------------------------------------------------

    def refresh(self) -> None:
        self.item.fit(QRectF(self.rect()))
        super().refresh()

    def refresh_brushed(self) -> None:
        self.item.refresh_front()
        super().refresh_brushed()

    def apply_theme(self) -> None:
        self.item.apply_theme()
        super().apply_theme()

    def _front_lines(self) -> FrontLines:
        """Return brushed rows, the best last, so that it is on top."""
        rows: IntArray = np.flatnonzero(self.linked.rows.brushed)
        if self.colour is None:
            return FrontLines(
                rows, np.full(len(rows), 255, np.uint8), one_colour(theme.colour("accent"))
            )
        values = self.colour.values[rows]
        order = np.argsort(-values if self.colour.better < 0 else values, kind="stable")
        rows = rows[order[np.isfinite(values[order])]]
        shade = shades(self.colour.values[rows], self._ends[0], self._ends[1])
        return FrontLines(rows, shade, palette_of(self._ends[2]))

    def draw_marks(self, painter: QPainter) -> None:
        area = self.area
        if self._what == "axis":
            x = self.axis_x(self._axis) + self._shifted
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.drawLine(QPointF(x, area.top() - 8), QPointF(x, area.bottom()))
        for axis, column in enumerate(self.columns):
            ends = self.linked.rows.brushes.get(column.name)
            if ends is not None:
                x = self.axis_x(axis)
                scale = self.scale(axis)
                strip = QRectF(x - _HALF, area.top(), 2 * _HALF, area.height())
                paint_range(painter, strip, (0.0, 1.0), (scale.at(ends[0]), scale.at(ends[1])))
        for row in self.marked_rows:
            self._paint_marked(painter, row)

    def _paint_marked(self, painter: QPainter, row: int) -> None:
        if row >= len(self.item.shares):
            return
        corners = self.item.corners(row)
        mark = self.mark_of(row)
        role = "text" if row == self.hover_row else "accent" if self.is_selected(row) else ""
        colour = (
            theme.colour(role) if role else mark[0] if mark is not None else theme.colour("accent")
        )
        paint_line(painter, corners, colour, 2.2, 5.0)
        if mark is not None and mark[1]:
            for corner in corners:
                self.paint_point(painter, corner, row)
        elif (
            row == self.hover_row
            and self.hasFocus()
            and (position := self.position_of(row)) is not None
        ):
            self.paint_point(painter, position, row)

    # --- brushing and the order of axes -----------------------------------------------------------

    def _grip(self, position: QPointF) -> tuple[_What, int]:
        """Return the action of a drag from a position, and its axis."""
        if not self.columns:
            return "", 0
        axis = self.item.axis_at(position.x())
        area = self.area
        if position.y() < area.top() - 4:
            return "axis", axis
        ends = self.linked.rows.brushes.get(self.columns[axis].name)
        if ends is not None and abs(position.x() - self.axis_x(axis)) < 3 * _GRIP:
            low, high = (area.bottom() - self.scale(axis).at(end) * area.height() for end in ends)
            if abs(position.y() - low) < _GRIP:
                return "low", axis
            if abs(position.y() - high) < _GRIP:
                return "high", axis
            if high < position.y() < low:
                return "move", axis
        return "new", axis

    def _share_at(self, y: float) -> float:
        area = self.area
        return min(max((area.bottom() - y) / area.height(), 0.0), 1.0)

    def drag(self, begin: QPointF, position: QPointF) -> None:
        if not self.columns:
            return
        if self._what == "":
            self._what, self._axis = self._grip(begin)
            ends = self.linked.rows.brushes.get(self.columns[self._axis].name)
            scale = self.scale(self._axis)
            self._from = (scale.at(ends[0]), scale.at(ends[1])) if ends is not None else (0.0, 0.0)
        if self._what == "axis":
            self._shifted = position.x() - begin.x()
            self.refresh_marks()
            return
        first = self._share_at(begin.y())
        now = self._share_at(position.y())
        low, high = {
            "new": (min(first, now), max(first, now)),
            "low": (min(now, self._from[1]), self._from[1]),
            "high": (self._from[0], max(now, self._from[0])),
            "move": (self._from[0] + now - first, self._from[1] + now - first),
        }[self._what]
        scale = self.scale(self._axis)
        self.linked.brush({self.columns[self._axis].name: (scale.value(low), scale.value(high))})

    def drag_ended(self, begin: QPointF, position: QPointF) -> None:
        what = self._what
        self._what = ""
        if what == "axis":
            self.move_axis(self._axis, self.item.axis_at(self.axis_x(self._axis) + self._shifted))

    def move_axis(self, axis: int, to: int) -> None:
        """Move an axis to another position in the row."""
        columns = list(self.columns)
        columns.insert(to, columns.pop(axis))
        self.show_columns(columns, self.colour)

    def double_clicked(self, position: QPointF) -> None:
        if self.columns:
            self.linked.brush({self.columns[self.item.axis_at(position.x())].name: None})

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        axis = self.item.axis_at(position.x()) if self.columns else 0
        near = self.columns and abs(position.x() - self.axis_x(axis)) < 2 * _GRIP
        if near and self.columns[axis].name in self.linked.rows.brushes:
            self.double_clicked(position)
        else:
            super().mouseDoubleClickEvent(event)

    def show_cursor(self, position: QPointF, row: int) -> None:
        what, axis = self._grip(position) if self.shows_points else ("", 0)
        shapes = Qt.CursorShape
        near = self.columns and abs(position.x() - self.axis_x(axis)) < 3 * _GRIP
        shape = shapes.PointingHandCursor if row >= 0 else shapes.ArrowCursor
        if near and what:
            shape = {
                "axis": shapes.SizeHorCursor,
                "low": shapes.SizeVerCursor,
                "high": shapes.SizeVerCursor,
                "move": shapes.SizeAllCursor,
                "new": shapes.CrossCursor,
            }[what]
        self.viewport().setCursor(shape)
        titles = [column.heading for column in self.columns]
        self.setToolTip(titles[axis] if what == "axis" and near else "")


class ParallelView(QWidget):
    """Parallel coordinates with their boxes."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._linked = linked
        self._without: set[str] = set()
        self._varied: list[str] = []
        self.colour_box = Chooser("Colour", "Value shown as line colour")
        self.axes = QToolButton()
        self.axes.setText("Axes")
        self.axes.setToolTip("Columns to show as axes; drag the title of an axis to move it")
        self.axes.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.axes.setMenu(Menu(self.axes))
        self.chart = _Parallel(linked)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(8)
        row = side_by_side(self.colour_box, self.axes)
        row.setStretch(0, 1)
        row.insertStretch(1, 0)
        column.addLayout(row)
        column.addWidget(self.chart, 1)
        self.colour_box.chosen.connect(self.refresh)
        linked.results_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Follow the boxes and the results; moved axes stay where they are."""
        results = self._linked.results
        every = results.named("varied", "goal", "limit")
        goals = results.named("goal", "limit")
        numbers = [column for column in every if not column.categories]
        self.colour_box.offer(
            [("=", "None"), *((c.name, c.short) for c in numbers)], goals[0].name if goals else "="
        )
        varied = [column.name for column in results.named("varied")]
        if varied != self._varied:  # another study
            self._varied = varied
            self._without.clear()
            self.chart.show_columns([], None)
        before = [column.name for column in self.chart.columns]
        names = [column.name for column in every if column.name not in self._without]
        remaining = [name for name in before if name in names]
        names = (
            remaining + [name for name in names if name not in remaining] if remaining else names
        )
        self.chart.show_columns(
            [results.columns[name] for name in names], results.columns.get(self.colour_box.value)
        )
        self._offer_axes(every)

    def _offer_axes(self, every: list[ResultColumn]) -> None:
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
        """Show or hide the axis of a column."""
        (self._without.discard if on else self._without.add)(name)
        self.refresh()
