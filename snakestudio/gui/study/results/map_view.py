"""Map of two varied values, coloured by a measure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolButton, QWidget

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.gui.charts.markers import paint_cross
from snakestudio.gui.charts.raster_item import (
    Pixels,
    palette_of,
    pixel_size,
)
from snakestudio.gui.core import theme
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.study.results.choosers import Chooser, ChooserRow, fill_view, side_by_side
from snakestudio.gui.study.results.linked import LinkedRows
from snakestudio.gui.study.results.results_chart import FAINT, MOST_SIGNS, PlaneChart
from snakestudio.viewmodel.plots.axis_scale import AxisScale
from snakestudio.viewmodel.plots.rasters import coloured, shades
from snakestudio.viewmodel.study.result_columns import ResultColumn
from snakestudio.viewmodel.study.result_map import (
    Cells,
    Over,
    cell_scale,
    cells_of,
    choices,
    edges,
    fixed_rows,
    independent,
)

_BEYOND = 150
_LEFT_OUT = 70
"""Opacity of a cell beyond a limit, and of one that is left out and hatched, of 255."""


class _Map(PlaneChart):
    """Two varied values coloured by a measure; a curve if only one value varies."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        self.cells: Cells | None = None
        self._bright_cells: Cells | None = None
        self._over: Over = "best"
        self._curve = False
        super().__init__(linked, parent)

    def show_map(
        self,
        x: ResultColumn,
        y: ResultColumn | None,
        colour: ResultColumn,
        rows: IntArray,
        over: Over,
    ) -> None:
        """Show a measure over one or two varied values."""
        self._over = over
        self._curve = y is None
        self.cells = cells_of(self.linked.results, rows, x, y, colour, over)
        self.show_columns(x, y or colour, None if y is None else colour, rows)
        cells = self.cells if y is not None else None
        signs = (
            []
            if cells is None
            else [
                (cells.failed, "× failed"),
                (cells.beyond, "⁄ beyond a limit"),
                (cells.left_out, "▨ not plausible"),
            ]
        )
        self.show_note("   ".join(text for sign, text in signs if sign.any()))

    def scales_of(self, x: ResultColumn, y: ResultColumn) -> tuple[AxisScale, AxisScale]:
        if self.cells is None or self._curve:
            return super().scales_of(x, y)
        return cell_scale(x, self.cells.x), cell_scale(y, self.cells.y)

    def refresh_brushed(self) -> None:
        self._bright_cells = None
        if self.cells is not None and not self._curve:
            self.lines.invalidate()
        super().refresh_brushed()

    def refresh(self) -> None:
        self._bright_cells = None
        super().refresh()

    def _seen_cells(self) -> Cells | None:
        """Return the cells of the brushed rows."""
        rows = self.linked.rows
        results = self.linked.results
        if self.cells is None or not rows.brushes or self.x_column is None:
            return self.cells
        if self._bright_cells is None:
            y, column = (None, self.y_column) if self._curve else (self.y_column, self.colour)
            assert column is not None
            keep = self.rows[rows.brushed[self.rows]]
            brushed = cells_of(results, keep, self.x_column, y, column, self._over)
            same = brushed is not None and brushed.values.shape == self.cells.values.shape
            self._bright_cells = brushed if same else None
        return self._bright_cells

    def position_of(self, row: int) -> QPointF | None:
        position = super().position_of(row)
        if position is None or self._curve or self.cells is None:
            return position
        # The point is drawn in the centre of its cell, and only if the cell shows it.
        at = np.argwhere(self.cells.rows == row)
        seen = self._seen_cells()
        return position if len(at) or (seen is not None and (seen.rows == row).any()) else None

    def nothing(self) -> str:
        column = self.y_column if self._curve else self.colour
        if (
            column is not None
            and not np.isfinite(column.values).any()
            and not self.linked.results.failed.all()
        ):
            return "No point has a result yet."
        return super().nothing()

    def row_at(self, position: QPointF) -> int:
        if self.cells is None or self._curve or self.y_column is None or self.x_column is None:
            return super().row_at(position)
        area = self.area
        if not area.contains(position):
            return -1
        column, line = self._cell_of_pixels(
            np.array([position.x() - area.left()]), np.array([position.y() - area.top()])
        )
        for cells in (self._seen_cells(), self.cells):
            if cells is not None and (row := int(cells.rows[line[0], column[0]])) >= 0:
                return row
        return -1

    def row_beside(self, row: int, across: int, up: int) -> int:
        position = super().position_of(row)
        cells = self._seen_cells() or self.cells
        if cells is None or position is None or (self._curve and up):
            return super().row_beside(row, across, up)
        left = np.array([position.x() - self.area.left()])
        top = np.array([position.y() - self.area.top()])
        column, line = (int(at[0]) for at in self._cell_of_pixels(left, top))
        lane, at = (cells.rows[line], column) if across else (cells.rows[:, column], line)
        ahead = lane[at + 1 :] if across + up > 0 else lane[:at][::-1]
        return int(next(iter(ahead[ahead >= 0]), row))

    def _cell_of_pixels(self, x: FloatArray, y: FloatArray) -> tuple[IntArray, IntArray]:
        """Return columns and rows of cells at positions in the area, px from its upper left corner."""
        assert self.cells is not None
        area = self.area
        across = np.searchsorted(edges(self._scales[0], self.cells.x)[1:-1], x / area.width())
        up = np.searchsorted(edges(self._scales[1], self.cells.y)[1:-1], 1.0 - y / area.height())
        return across, up

    def raster(self, area: QRectF, scale: float, *, faint: bool) -> Pixels | None:
        if self.cells is None or self._curve:
            return super().raster(area, scale, faint=faint)
        if not self.shows_points or (faint and not self.linked.rows.brushes):
            return None
        cells = self.cells if faint else self._seen_cells()
        if cells is None:
            return None
        width, height = pixel_size(area, scale)
        column, line = self._cell_of_pixels(
            np.arange(0.5, width) / scale, np.arange(0.5, height) / scale
        )
        shade = shades(cells.values.ravel(), self.colour_ends[0], self.colour_ends[1]).reshape(
            cells.values.shape
        )
        shade[np.isnan(cells.values)] = 0
        cover = np.where(cells.beyond, _BEYOND, 255).astype(np.uint8)
        cover[cells.left_out] = _LEFT_OUT
        index = np.ix_(line, column)
        return coloured(
            shade[index],
            np.minimum(cover, FAINT)[index] if faint else cover[index],
            palette_of(self.colour_ends[2]),
        )

    def draw_lines(self, painter: QPainter) -> None:
        """Draw gaps between large cells, and signs of failed runs, exceeded limits and left-out runs."""
        if self.cells is None or self._curve:
            super().draw_lines(painter)
            return
        cells = self._seen_cells()
        if cells is None:
            return
        area = self.area
        x = area.left() + edges(self._scales[0], cells.x) * area.width()
        y = area.bottom() - edges(self._scales[1], cells.y) * area.height()
        wide = float(np.diff(x).min())
        tall = float(-np.diff(y).max())
        if min(wide, tall) >= 9.0:
            painter.setPen(QPen(theme.colour("card"), 1.0))
            for at in x[1:-1]:
                painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()))
            for at in y[1:-1]:
                painter.drawLine(QPointF(area.left(), at), QPointF(area.right(), at))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(theme.colour("dim"), Qt.BrushStyle.BDiagPattern))
        for line, column in np.argwhere(cells.left_out)[:MOST_SIGNS].tolist():
            painter.drawRect(
                QRectF(QPointF(x[column], y[line + 1]), QPointF(x[column + 1], y[line]))
            )
        painter.setBrush(Qt.BrushStyle.NoBrush)
        size = min(wide, tall, 16.0) / 4
        crosses = np.argwhere(cells.failed)
        strokes = np.argwhere(cells.beyond)
        if size < 1.0 or len(crosses) + len(strokes) > MOST_SIGNS:
            return
        painter.setPen(QPen(theme.colour("warning"), 1.4))
        for line, column in crosses.tolist():
            paint_cross(
                painter, QPointF((x[column] + x[column + 1]) / 2, (y[line] + y[line + 1]) / 2), size
            )
        painter.setPen(QPen(theme.colour("card"), 1.4))
        for line, column in strokes.tolist():
            middle = QPointF((x[column] + x[column + 1]) / 2, (y[line] + y[line + 1]) / 2)
            painter.drawLine(middle + QPointF(-size, size), middle + QPointF(size, -size))

    def draw_curve(self, painter: QPainter) -> None:
        cells = (self._seen_cells() or self.cells) if self._curve else None
        if cells is None:
            return
        area = self.area
        known = np.isfinite(cells.values[0])
        at = area.left() + self._scales[0].fraction(cells.x[known]) * area.width()
        up = area.bottom() - self._scales[1].fraction(cells.values[0][known]) * area.height()
        painter.setPen(QPen(theme.colour("accent"), 1.8))
        painter.drawPolyline(QPolygonF([QPointF(a, b) for a, b in zip(at, up, strict=True)]))


class MapView(QWidget):
    """The map with its boxes."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._linked = linked
        self.x_box = Chooser("X", "Varied value on the horizontal axis")
        self.y_box = Chooser("Y", "Varied value on the vertical axis")
        self.colour_box = Chooser(
            "Colour", "Value shown as colour: a goal, a limit, or the time that a run takes"
        )
        self.over_box = Chooser(
            "Show the",
            "How to combine points that share a cell",
        )
        self.over_box.setMaximumWidth(theme.scaled(170))
        self.fixed: dict[str, float] = {}
        """Fixed values of other varied values, by name."""
        self.where = QToolButton()
        self.where.setText("Where...")
        self.where.setToolTip("Fix varied values that are not on an axis")
        self.where.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.where.setMenu(Menu(self.where))
        self.fixed_label = QLabel()
        self.fixed_label.setProperty("role", "dim")
        self.fixed_label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.chart = _Map(linked)
        self._others = QWidget()
        others = side_by_side(self.over_box, self.where, self.fixed_label)
        others.setStretch(2, 1)
        self._others.setLayout(others)
        fill_view(
            self, [ChooserRow(self.x_box, self.y_box, self.colour_box), self._others], self.chart
        )
        for chooser in (self.x_box, self.y_box, self.colour_box, self.over_box):
            chooser.chosen.connect(self.refresh)
        linked.results_changed.connect(self.refresh)

    def fix(self, name: str, value: float | None) -> None:
        """Show only points with this value of another varied value; None for all points."""
        if value is None:
            self.fixed.pop(name, None)
        else:
            self.fixed[name] = value
        self.refresh()

    def refresh(self) -> None:
        """Follow the boxes and the results."""
        results = self._linked.results
        varied = results.named("varied")
        measures = [*results.named("goal", "limit"), *results.named("other")]
        if not varied:
            self.chart.show_columns(
                results.columns["point"], measures[0], None, np.arange(len(results))
            )
            return
        entries = [(column.name, column.short) for column in varied]
        free = independent(results)
        self.x_box.offer(entries, free[0].name)
        second = next((column for column in free if column.name != self.x_box.value), None)
        self.y_box.setVisible(len(varied) > 1)
        self.y_box.offer(
            [entry for entry in entries if entry[0] != self.x_box.value],
            second.name if second else "",
        )
        self.colour_box.offer(
            [(column.name, column.short) for column in measures], measures[0].name
        )
        columns = results.columns
        colour = columns[self.colour_box.value]
        extremes = ("Best", "Worst") if colour.better else ("Largest", "Smallest")
        self.over_box.offer(
            [("best", extremes[0]), ("mean", "Mean"), ("worst", extremes[1])], "best"
        )
        others = [
            column for column in varied if column.name not in (self.x_box.value, self.y_box.value)
        ]
        self.fixed = {
            name: value for name, value in self.fixed.items() if name in {c.name for c in others}
        }
        self._offer_others(others)
        over: Over = (
            "mean"
            if self.over_box.value == "mean"
            else "worst"
            if self.over_box.value == "worst"
            else "best"
        )
        self.chart.show_map(
            columns[self.x_box.value],
            columns.get(self.y_box.value),
            colour,
            fixed_rows(results, self.fixed),
            over,
        )
        cells = self.chart.cells
        self._others.setVisible(bool(others) or (cells is not None and cells.several))
        self.over_box.setVisible(cells is not None)
        self._show_fixed(others, cells)

    def _show_fixed(self, others: Sequence[ResultColumn], cells: Cells | None) -> None:
        parts = [
            f"{column.short} = {column.text_with_unit(self.fixed[column.name])}"
            for column in others
            if column.name in self.fixed
        ]
        free = [column.short for column in others if column.name not in self.fixed]
        if free and cells is not None:
            parts.append(f"over {', '.join(free)}")
        elif free:
            parts.append(f"with any {', '.join(free)}")
        text = ", ".join(parts)
        self.fixed_label.setText(text)
        self.fixed_label.setToolTip(text)

    def _offer_others(self, others: Sequence[ResultColumn]) -> None:
        menu = self.where.menu()
        assert menu is not None
        menu.clear()
        for column in others:
            values = choices(column)
            part = menu.addMenu(column.heading)
            part.setEnabled(len(values) > 0)
            for value in [None, *values.tolist()]:
                action = part.addAction("All" if value is None else column.text(value))
                action.setCheckable(True)
                action.setChecked(self.fixed.get(column.name) == value)
                action.triggered.connect(lambda _=False, n=column.name, v=value: self.fix(n, v))
        self.where.setVisible(any(len(choices(column)) for column in others))
