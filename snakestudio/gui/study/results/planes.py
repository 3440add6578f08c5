"""Charts of two columns over each other: the map of two varied values, and the scatter of any two with its front."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.gui.charts.markers import paint_cross, paint_line, paint_range
from snakestudio.gui.charts.point_chart import nearest
from snakestudio.gui.charts.raster_item import (
    Pixels,
    RasterItem,
    one_colour,
    palette_of,
    pixel_size,
)
from snakestudio.gui.core import theme
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.study.results.choosers import Chooser, ChooserRow, beside
from snakestudio.gui.study.results.linked import LinkedRows
from snakestudio.gui.study.results.results_chart import ResultsChart
from snakestudio.study.results import front
from snakestudio.viewmodel.plots.axis_scale import AxisScale
from snakestudio.viewmodel.plots.rasters import coloured, dots, shades
from snakestudio.viewmodel.study.result_columns import Column
from snakestudio.viewmodel.study.result_map import (
    Cells,
    Over,
    cell_scale,
    cells_of,
    choices,
    colour_ends,
    edges,
    fixed_rows,
    independent,
)

__all__ = ["MapView", "ScatterView"]

_RADIUS = 3.4
_FAINT = 60
"""How much of 255 a row that is not brushed covers."""
_PLAIN = "="
"""In place of a column's name where all rows have the same colour."""
_BEYOND = 150
"""How much of 255 a cell beyond a limit covers."""
_MOST_SIGNS = 4_000
"""Cells up to which each has its own sign of a failure or a limit."""


class _Plane(ResultsChart):
    """Rows as dots, by two columns; a rectangle that is dragged brushes both."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        self.across: Column | None = None
        self.up: Column | None = None
        self.colour: Column | None = None
        self.rows: IntArray = np.zeros(0, np.int64)
        """Rows of the results that are seen."""
        self._ends: tuple[float, float, bool] = (0.0, 1.0, False)
        self._scales: tuple[AxisScale, AxisScale] = (AxisScale(0.0, 1.0), AxisScale(0.0, 1.0))
        self._at: tuple[FloatArray, FloatArray] = (np.zeros(0), np.zeros(0))
        super().__init__(linked, parent)
        self.add_raster(RasterItem(lambda area, scale: self.raster(area, scale, faint=True), 0.0))
        self.add_raster(RasterItem(lambda area, scale: self.raster(area, scale, faint=False), 0.0))

    def show_columns(self, x: Column, y: Column, colour: Column | None, rows: IntArray) -> None:
        """Show these columns of these rows."""
        self.across = x
        self.up = y
        self.colour = colour
        self.rows = rows
        self._scales = self.scales_of(x, y)
        self._ends = colour_ends(colour.values) if colour is not None else (0.0, 1.0, False)
        if colour is not None:
            if colour.categories:
                self._ends = 0.0, max(1.0, len(colour.categories) - 1.0), False
            self.colour_bar.show_ends(
                self._ends, colour.categories, colour.unit, colour.text(self._ends[0])
            )
        self.show_scales(*self._scales, (x.heading, y.heading), bar=colour is not None)
        self.renew()

    def scales_of(self, x: Column, y: Column) -> tuple[AxisScale, AxisScale]:
        """Return the scales of the axes."""
        return x.scale(0.04), y.scale(0.05)

    def nothing(self) -> str:
        if self.linked.results.failed.all():
            return "Every run has failed, so there is nothing to draw. The table says why."
        if self.across is None or self.up is None:
            return ""
        seen = np.isfinite(self.across.values[self.rows]) & np.isfinite(self.up.values[self.rows])
        if seen.any():
            return ""
        return f"No point has both {self.across.title.lower()} and {self.up.title.lower()} yet."

    # --- where rows are ---------------------------------------------------------------------------

    def renew(self) -> None:
        self._at = np.zeros(0), np.zeros(0)
        super().renew()

    def places(self) -> tuple[FloatArray, FloatArray]:
        """Return where the rows are, px of the chart."""
        if len(self._at[0]) != len(self.rows):
            assert self.across is not None
            assert self.up is not None
            area = self.area
            self._at = (
                area.left() + self._scales[0].share(self.across.values[self.rows]) * area.width(),
                area.bottom() - self._scales[1].share(self.up.values[self.rows]) * area.height(),
            )
        return self._at

    def place_of(self, row: int) -> QPointF | None:
        if (
            self.across is None
            or self.up is None
            or row not in self.rows[np.searchsorted(self.rows, row) :][:1]
        ):
            return None
        shares = (
            self._scales[0].at(self.across.values[row]),
            self._scales[1].at(self.up.values[row]),
        )
        area = self.area
        if not np.isfinite(shares).all():
            return None
        return QPointF(
            area.left() + shares[0] * area.width(), area.bottom() - shares[1] * area.height()
        )

    def row_at(self, place: QPointF) -> int:
        if self.across is None or not len(self.rows):
            return -1
        x, y = self.places()
        near = nearest(np.where(self.within_reach[self.rows], x, np.nan), y, place)
        near = nearest(x, y, place) if near < 0 else near
        return int(self.rows[near]) if near >= 0 else -1

    def row_beside(self, row: int, across: int, up: int) -> int:
        here = self.place_of(row)
        assert here is not None
        # of dots over each other the last, coming from the right
        order = slice(None, None, -1 if across < 0 else 1)
        rows = self.rows[self.within_reach[self.rows]][order]
        x, y = (at[self.within_reach[self.rows]][order] for at in self.places())
        ahead = (x - here.x()) * across - (y - here.y()) * up
        aside = np.abs((x - here.x()) * up + (y - here.y()) * across)
        if across:
            behind = rows[(ahead == 0.0) & (aside == 0.0) & ((rows - row) * across > 0)]
            if len(behind):
                return int(behind[0])
        with np.errstate(invalid="ignore"):  # rather ahead than aside, and of those the nearest
            far = np.where(
                ahead > 0.0, np.hypot(ahead, aside) + np.where(aside <= ahead, 0.0, 1e6), np.inf
            )
        return int(rows[np.argmin(far)]) if np.isfinite(far).any() else row

    # --- drawing ----------------------------------------------------------------------------------

    def raster(self, area: QRectF, scale: float, *, faint: bool) -> Pixels | None:
        """Return the rows as an image: the brushed ones, or faintly all where some are brushed; None for none."""
        if not self.shows_points or (faint and not self.linked.rows.brushes):
            return None  # all of them are drawn over it
        x, y = self.places()
        palette = one_colour(theme.colour("dim" if faint else "accent"))
        shade = np.full(len(self.rows), 255, np.uint8)
        order = (
            np.arange(len(self.rows))
            if faint
            else np.flatnonzero(self.linked.rows.brushed[self.rows])
        )
        if self.colour is not None and not faint:
            values = self.colour.values[self.rows]
            shade = shades(values, self._ends[0], self._ends[1])
            palette = palette_of(self._ends[2])
            order = order[np.isfinite(values[order])]
            better = -values if self.colour.better < 0 else values
            order = order[np.argsort(better[order], kind="stable")]  # the best on top
        left = (x[order] - area.left()) * scale
        top = (y[order] - area.top()) * scale
        image, cover = dots(left, top, shade[order], pixel_size(area, scale), _RADIUS * scale)
        return coloured(image, np.minimum(cover, _FAINT) if faint else cover, palette)

    def draw_lines(self, painter: QPainter) -> None:
        """Draw a cross where a point has no colour because its run failed."""
        if self.colour is None:
            return
        x, y = self.places()
        failed = np.flatnonzero(
            self.linked.results.failed[self.rows] & np.isfinite(x) & np.isfinite(y)
        )
        painter.setPen(QPen(theme.colour("warning"), 1.2))
        for k in failed[:: max(1, len(failed) // _MOST_SIGNS)].tolist():
            paint_cross(painter, QPointF(x[k], y[k]), 3.0)

    def draw_marks(self, painter: QPainter) -> None:
        rows = self.linked.rows
        if self.across is not None and self.up is not None:
            ends = rows.brushes.get(self.across.name), rows.brushes.get(self.up.name)
            if any(ends):
                x, y = (
                    (scale.at(end[0]), scale.at(end[1])) if end is not None else (0.0, 1.0)
                    for end, scale in zip(ends, self._scales, strict=True)
                )
                paint_range(painter, self.area, x, y)
        self.draw_curve(painter)
        for row in self.marked_rows:
            place = self.place_of(row)
            if place is not None:
                self.paint_point(painter, place, row)

    def draw_curve(self, painter: QPainter) -> None:
        """Draw what is between dots and marks."""

    # --- brushing ---------------------------------------------------------------------------------

    def drag(self, begin: QPointF, place: QPointF) -> None:
        if (
            self.across is None
            or self.up is None
            or not self.area.adjusted(-4, -4, 4, 4).contains(begin)
        ):
            return
        area = self.area
        across = sorted((at - area.left()) / area.width() for at in (begin.x(), place.x()))
        up = sorted((area.bottom() - at) / area.height() for at in (begin.y(), place.y()))
        self.linked.brush(
            {
                column.name: (scale.value(max(0.0, low)), scale.value(min(1.0, high)))
                for column, scale, (low, high) in zip(
                    (self.across, self.up), self._scales, (across, up), strict=True
                )
            }
        )

    def double_clicked(self, place: QPointF) -> None:
        if self.across is not None and self.up is not None:
            self.linked.brush({self.across.name: None, self.up.name: None})


class _Scatter(_Plane):
    """Any two columns; of two goals also the front."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        self._front: IntArray | None = None
        super().__init__(linked, parent)

    def show_columns(self, x: Column, y: Column, colour: Column | None, rows: IntArray) -> None:
        self._front = None
        super().show_columns(x, y, colour, rows)

    def front_rows(self) -> IntArray:
        """Return the rows on the front of the two columns, from the left; none unless both are goals."""
        if self._front is None:
            self._front = self._find_front()
        return self._front

    def _find_front(self) -> IntArray:
        if (
            self.across is None
            or self.up is None
            or not (self.across.better and self.up.better)
            or self.across.name == self.up.name
        ):
            return np.zeros(0, np.int64)
        results = self.linked.results
        rows = np.flatnonzero(results.counts)
        both = np.stack(
            [-column.better * column.values[rows] for column in (self.across, self.up)], axis=1
        )
        on_front = rows[front(both)]
        ordered: IntArray = on_front[np.argsort(self.across.values[on_front], kind="stable")]
        return ordered

    def draw_curve(self, painter: QPainter) -> None:
        places = [
            place for row in self.front_rows().tolist() if (place := self.place_of(row)) is not None
        ]
        if not places:
            return
        assert self.across is not None
        # A step: whatever lies on its far side is worse than a point of the front in both.
        corners: list[QPointF] = []
        # towards the better end of x the next point takes over at once
        across_first = self.across.better > 0
        for k, place in enumerate(places):
            corners.append(place)
            if k + 1 < len(places):
                after = places[k + 1]
                corners.append(
                    QPointF(place.x(), after.y()) if across_first else QPointF(after.x(), place.y())
                )
        paint_line(painter, corners, theme.colour("good"), 1.6, 4.0)
        painter.setBrush(theme.colour("good"))
        painter.setPen(QPen(theme.colour("card"), 1.0))
        for place in places:
            painter.drawEllipse(place, 4.0, 4.0)
        painter.setBrush(Qt.BrushStyle.NoBrush)


class ScatterView(QWidget):
    """The scatter with its boxes."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._linked = linked
        self.x_box = Chooser("X", "What stands to the right")
        self.y_box = Chooser("Y", "What stands upwards")
        self.colour_box = Chooser("Colour", "What the colours of the dots say")
        self.chart = _Scatter(linked)
        _framed(self, [ChooserRow(self.x_box, self.y_box, self.colour_box)], self.chart)
        for chooser in (self.x_box, self.y_box, self.colour_box):
            chooser.chosen.connect(self.renew)
        linked.results_changed.connect(self.renew)

    def renew(self) -> None:
        """Follow the boxes and the results."""
        results = self._linked.results
        varied = results.named("varied")
        goals = results.named("goal")
        limits = results.named("limit")
        every = [*goals, *limits, *varied, *results.named("point", "other")]
        entries = [(column.name, column.short) for column in every]
        usual = [*goals[:2], *varied, *limits, *every]
        self.y_box.offer(entries, usual[1].name if len(goals) > 1 else usual[0].name)
        self.x_box.offer(
            entries, usual[0].name if len(goals) > 1 else usual[min(1, len(usual) - 1)].name
        )
        self.colour_box.offer(
            [(_PLAIN, "None"), *entries, ("state", "State")], varied[0].name if varied else _PLAIN
        )
        columns = results.columns
        self.chart.show_columns(
            columns[self.x_box.value],
            columns[self.y_box.value],
            columns.get(self.colour_box.value),
            np.arange(len(results)),
        )


class _Map(_Plane):
    """Two varied values with a measure as colour; a curve where one value varies."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        self.cells: Cells | None = None
        self._bright_cells: Cells | None = None
        self._over: Over = "best"
        self._curve = False
        super().__init__(linked, parent)

    def show_map(
        self, x: Column, y: Column | None, shown: Column, rows: IntArray, over: Over
    ) -> None:
        """Show a measure over one or two varied values."""
        self._over = over
        self._curve = y is None
        self.cells = cells_of(self.linked.results, rows, x, y, shown, over)
        self.show_columns(x, y or shown, None if y is None else shown, rows)
        cells = self.cells if y is not None else None
        signs = (
            []
            if cells is None
            else [(cells.failed, "× failed"), (cells.beyond, "⁄ beyond a limit")]
        )
        self.show_note("   ".join(text for sign, text in signs if sign.any()))

    def scales_of(self, x: Column, y: Column) -> tuple[AxisScale, AxisScale]:
        if self.cells is None or self._curve:
            return super().scales_of(x, y)
        return cell_scale(x, self.cells.x), cell_scale(y, self.cells.y)

    def renew_brushed(self) -> None:
        self._bright_cells = None
        if self.cells is not None and not self._curve:
            self.lines.renew()
        super().renew_brushed()

    def renew(self) -> None:
        self._bright_cells = None
        super().renew()

    def _seen_cells(self) -> Cells | None:
        """The cells of the brushed rows."""
        rows = self.linked.rows
        results = self.linked.results
        if self.cells is None or not rows.brushes or self.across is None:
            return self.cells
        if self._bright_cells is None:
            y, shown = (None, self.up) if self._curve else (self.up, self.colour)
            assert shown is not None
            keep = self.rows[rows.brushed[self.rows]]
            brushed = cells_of(results, keep, self.across, y, shown, self._over)
            same = brushed is not None and brushed.values.shape == self.cells.values.shape
            self._bright_cells = brushed if same else None
        return self._bright_cells

    def place_of(self, row: int) -> QPointF | None:
        place = super().place_of(row)
        if place is None or self._curve or self.cells is None:
            return place
        # In the middle of its cell, and only if it is what the cell shows.
        at = np.argwhere(self.cells.rows == row)
        seen = self._seen_cells()
        return place if len(at) or (seen is not None and (seen.rows == row).any()) else None

    def nothing(self) -> str:
        shown = self.up if self._curve else self.colour
        if (
            shown is not None
            and not np.isfinite(shown.values).any()
            and not self.linked.results.failed.all()
        ):
            return "No point has a result yet."
        return super().nothing()

    def row_at(self, place: QPointF) -> int:
        if self.cells is None or self._curve or self.up is None or self.across is None:
            return super().row_at(place)
        area = self.area
        if not area.contains(place):
            return -1
        column, line = self._cell_of_pixels(
            np.array([place.x() - area.left()]), np.array([place.y() - area.top()])
        )
        for cells in (self._seen_cells(), self.cells):
            if cells is not None and (row := int(cells.rows[line[0], column[0]])) >= 0:
                return row
        return -1

    def row_beside(self, row: int, across: int, up: int) -> int:
        place = super().place_of(row)
        cells = self._seen_cells() or self.cells
        if cells is None or place is None or (self._curve and up):
            return super().row_beside(row, across, up)
        left = np.array([place.x() - self.area.left()])
        top = np.array([place.y() - self.area.top()])
        column, line = (int(at[0]) for at in self._cell_of_pixels(left, top))
        lane, at = (cells.rows[line], column) if across else (cells.rows[:, column], line)
        ahead = lane[at + 1 :] if across + up > 0 else lane[:at][::-1]
        return int(next(iter(ahead[ahead >= 0]), row))

    def _cell_of_pixels(self, x: FloatArray, y: FloatArray) -> tuple[IntArray, IntArray]:
        """Columns and lines of cells at places in the area, px from its upper left corner."""
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
        shade = shades(cells.values.ravel(), self._ends[0], self._ends[1]).reshape(
            cells.values.shape
        )
        shade[np.isnan(cells.values)] = 0
        cover = np.where(cells.beyond, _BEYOND, 255).astype(np.uint8)
        index = np.ix_(line, column)
        return coloured(
            shade[index],
            np.minimum(cover, _FAINT)[index] if faint else cover[index],
            palette_of(self._ends[2]),
        )

    def draw_lines(self, painter: QPainter) -> None:
        """Draw gaps between large cells, a cross where runs failed, and a stroke where a limit is passed."""
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
        size = min(wide, tall, 16.0) / 4
        crosses = np.argwhere(cells.failed)
        strokes = np.argwhere(cells.beyond)
        if size < 1.0 or len(crosses) + len(strokes) > _MOST_SIGNS:
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
        at = area.left() + self._scales[0].share(cells.x[known]) * area.width()
        up = area.bottom() - self._scales[1].share(cells.values[0][known]) * area.height()
        painter.setPen(QPen(theme.colour("accent"), 1.8))
        painter.drawPolyline(QPolygonF([QPointF(a, b) for a, b in zip(at, up, strict=True)]))


class MapView(QWidget):
    """The map with its boxes."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._linked = linked
        self.x_box = Chooser("X", "Varied value to the right")
        self.y_box = Chooser("Y", "Varied value upwards")
        self.colour_box = Chooser(
            "Colour", "What the colours say: a goal, a limit, or the time that a run takes"
        )
        self.over_box = Chooser(
            "Show the",
            "What stands for several points that differ in the values which are not seen",
        )
        self.over_box.setMaximumWidth(theme.scaled(170))
        self.fixed: dict[str, float] = {}
        """Other varied values that are fixed, by name."""
        self.where = QToolButton()
        self.where.setText("Where …")
        self.where.setToolTip("Fix varied values that are on no axis")
        self.where.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.where.setMenu(Menu(self.where))
        self.told = QLabel()
        self.told.setProperty("role", "dim")
        self.told.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.chart = _Map(linked)
        self._others = QWidget()
        others = beside(self.over_box, self.where, self.told)
        others.setStretch(2, 1)
        self._others.setLayout(others)
        _framed(
            self, [ChooserRow(self.x_box, self.y_box, self.colour_box), self._others], self.chart
        )
        for chooser in (self.x_box, self.y_box, self.colour_box, self.over_box):
            chooser.chosen.connect(self.renew)
        linked.results_changed.connect(self.renew)

    def fix(self, name: str, value: float | None) -> None:
        """Show only points in which another varied value is this; None: whatever it is."""
        if value is None:
            self.fixed.pop(name, None)
        else:
            self.fixed[name] = value
        self.renew()

    def renew(self) -> None:
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
        shown = columns[self.colour_box.value]
        extremes = ("Best", "Worst") if shown.better else ("Largest", "Smallest")
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
            shown,
            fixed_rows(results, self.fixed),
            over,
        )
        cells = self.chart.cells
        self._others.setVisible(bool(others) or (cells is not None and cells.several))
        self.over_box.setVisible(cells is not None)
        self._tell(others, cells)

    def _tell(self, others: Sequence[Column], cells: Cells | None) -> None:
        parts = [
            f"{column.short} = {column.told(self.fixed[column.name])}"
            for column in others
            if column.name in self.fixed
        ]
        free = [column.short for column in others if column.name not in self.fixed]
        if free and cells is not None:
            parts.append(f"over {', '.join(free)}")
        elif free:
            parts.append(f"with any {', '.join(free)}")
        text = ", ".join(parts)
        self.told.setText(text)
        self.told.setToolTip(text)

    def _offer_others(self, others: Sequence[Column]) -> None:
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


def _framed(view: QWidget, rows: Sequence[QWidget], chart: ResultsChart) -> None:
    column = QVBoxLayout(view)
    column.setContentsMargins(0, 8, 0, 0)
    column.setSpacing(8)
    for row in rows:
        column.addWidget(row)
    column.addWidget(chart, 1)
