"""Base classes of the charts of results, which follow the shared rows; one shows rows as dots in a plane."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from snakestudio._arrays import BoolArray, FloatArray, IntArray
from snakestudio.gui.charts.markers import paint_cross, paint_mark, paint_range, paint_ring
from snakestudio.gui.charts.point_chart import PointChart, nearest
from snakestudio.gui.charts.raster_item import (
    Pixels,
    RasterItem,
    one_colour,
    palette_of,
    pixel_size,
)
from snakestudio.gui.core import theme
from snakestudio.gui.study.results.linked import LinkedRows
from snakestudio.viewmodel.plots.axis_scale import AxisScale
from snakestudio.viewmodel.plots.rasters import coloured, dots, shades
from snakestudio.viewmodel.study.result_columns import ResultColumn
from snakestudio.viewmodel.study.result_map import colour_ends

_RADIUS = 3.4
FAINT = 60
"""Opacity of a row that is not brushed, of 255."""
MOST_SIGNS = 4_000
"""Maximum number of cells with individual signs of a failure or a limit."""


class ResultsChart(PointChart):
    """Chart of results; subclasses draw the content."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        self.linked = linked
        self._present_point = -1
        """Number of the current point of the keyboard, which survives a change of its row."""
        super().__init__(parent)
        linked.results_changed.connect(self.refresh)
        linked.shown_changed.connect(self.refresh_marks)
        linked.brushed_changed.connect(self.refresh_brushed)
        linked.selected_changed.connect(self.refresh_marks)
        linked.hovered.connect(lambda row, _: self.show_hovered(row))
        self.hovered.connect(linked.hovered)
        self.held.connect(linked.hold)
        self.open_requested.connect(linked.open_requested)
        self.selected.connect(linked.select)
        self.toggled.connect(linked.toggle)
        self.pin_toggled.connect(lambda row: linked.toggle_pins([row]))
        self.menu_requested.connect(self._show_menu)

    @property
    def has_points(self) -> bool:
        return self.linked.has_results

    @property
    def within_reach(self) -> BoolArray:
        """Rows within reach of mouse and keys: the brushed ones, which are on top, or all if none are brushed."""
        brushed = self.linked.rows.brushed
        return brushed if brushed.any() else np.ones_like(brushed)

    def likely_rows(self) -> Iterable[int]:
        """Yield the current row, the last selected one, the best, and then all others."""
        rows = self.linked.rows
        results = self.linked.results
        present = results.row_of(self._present_point) if self.present_row >= 0 else None
        yield from [] if present is None else [present]
        yield from rows.selected_rows[-1:]
        yield from [] if results.best is None else [results.best]
        yield from np.flatnonzero(self.within_reach).tolist()

    def focus_row(self, row: int) -> None:
        if row >= 0:
            self._present_point = int(self.linked.results.points[row])
        super().focus_row(row)

    def restore_focus(self) -> None:
        """Move the keyboard back to its point after the results changed."""
        row = self.linked.results.row_of(self._present_point) if self.present_row >= 0 else None
        if row is not None and self.hasFocus():
            self.focus_row(row)

    def clear_brushes(self) -> bool:
        brushed = self.is_brushed
        if brushed:
            self.linked.clear_brushes()
        return brushed

    @property
    def is_brushed(self) -> bool:
        return self.has_points and bool(self.linked.rows.brushes)

    def _show_menu(self, row: int, position: QPoint) -> None:
        if row not in self.linked.rows.selected_rows:
            self.linked.select([row])
        self.linked.menu_requested.emit(position)

    # --- marks ------------------------------------------------------------------------------------

    def mark_of(self, row: int) -> tuple[QColor, bool] | None:
        """Return the colour of a highlighted row, and whether it is a star; None for other rows."""
        rows = self.linked.rows
        if row == rows.results.best:
            return theme.colour("good"), True
        if int(rows.results.points[row]) in rows.pins:
            return theme.colour("warning"), False
        return None

    def is_selected(self, row: int) -> bool:
        """Return whether a row is selected."""
        return int(self.linked.results.points[row]) in self.linked.rows.selected

    @property
    def marked_rows(self) -> list[int]:
        """Highlighted rows, the most important one last."""
        rows = self.linked.rows
        results = self.linked.results
        best = [] if results.best is None else [results.best]
        every = [*results.rows_of(rows.pins), *best, *rows.selected_rows, self.hover_row]
        return [row for row in reversed(dict.fromkeys(reversed(every))) if 0 <= row < len(results)]

    def paint_point(self, painter: QPainter, position: QPointF, row: int) -> None:
        """Paint a highlighted row."""
        if self.is_selected(row) or row == self.hover_row:
            paint_ring(
                painter, position, theme.colour("text" if row == self.hover_row else "accent")
            )
        mark = self.mark_of(row)
        if mark is not None:
            paint_mark(painter, position, mark[0], star=mark[1])


class PlaneChart(ResultsChart):
    """Rows as dots in two columns; dragging a rectangle brushes both."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        self.x_column: ResultColumn | None = None
        self.y_column: ResultColumn | None = None
        self.colour: ResultColumn | None = None
        self.rows: IntArray = np.zeros(0, np.int64)
        """Visible rows of the results."""
        self.colour_ends: tuple[float, float, bool] = (0.0, 1.0, False)
        """Ends of the colour scale, and whether it is centred at 0."""
        self._scales: tuple[AxisScale, AxisScale] = (AxisScale(0.0, 1.0), AxisScale(0.0, 1.0))
        self._at: tuple[FloatArray, FloatArray] = (np.zeros(0), np.zeros(0))
        super().__init__(linked, parent)
        self.add_raster(RasterItem(lambda area, scale: self.raster(area, scale, faint=True), 0.0))
        self.add_raster(RasterItem(lambda area, scale: self.raster(area, scale, faint=False), 0.0))

    def show_columns(
        self, x: ResultColumn, y: ResultColumn, colour: ResultColumn | None, rows: IntArray
    ) -> None:
        """Show two columns of these rows."""
        self.x_column = x
        self.y_column = y
        self.colour = colour
        self.rows = rows
        self._scales = self.scales_of(x, y)
        self.colour_ends = (
            colour_ends(colour.values, self.linked.results.left_out)
            if colour is not None
            else (0.0, 1.0, False)
        )
        if colour is not None:
            if colour.categories:
                self.colour_ends = 0.0, max(1.0, len(colour.categories) - 1.0), False
            self.colour_bar.show_ends(
                self.colour_ends, colour.categories, colour.unit, colour.text(self.colour_ends[0])
            )
        self.show_scales(*self._scales, (x.heading, y.heading), bar=colour is not None)
        self.refresh()

    def scales_of(self, x: ResultColumn, y: ResultColumn) -> tuple[AxisScale, AxisScale]:
        """Return the scales of the axes."""
        return x.scale(0.04), y.scale(0.05)

    def nothing(self) -> str:
        if self.linked.results.failed.all():
            return (
                "Every run has failed, so there is nothing to draw. See the table for the reasons."
            )
        if self.x_column is None or self.y_column is None:
            return ""
        seen = np.isfinite(self.x_column.values[self.rows]) & np.isfinite(
            self.y_column.values[self.rows]
        )
        if seen.any():
            return ""
        return f"No point has both {self.x_column.title.lower()} and {self.y_column.title.lower()} yet."

    # --- positions -------------------------------------------------------------------------------

    def refresh(self) -> None:
        self._at = np.zeros(0), np.zeros(0)
        super().refresh()

    def places(self) -> tuple[FloatArray, FloatArray]:
        """Return the positions of the rows, px of the chart."""
        if len(self._at[0]) != len(self.rows):
            assert self.x_column is not None
            assert self.y_column is not None
            area = self.area
            self._at = (
                area.left()
                + self._scales[0].fraction(self.x_column.values[self.rows]) * area.width(),
                area.bottom()
                - self._scales[1].fraction(self.y_column.values[self.rows]) * area.height(),
            )
        return self._at

    def position_of(self, row: int) -> QPointF | None:
        if (
            self.x_column is None
            or self.y_column is None
            or row not in self.rows[np.searchsorted(self.rows, row) :][:1]
        ):
            return None
        shares = (
            self._scales[0].at(self.x_column.values[row]),
            self._scales[1].at(self.y_column.values[row]),
        )
        area = self.area
        if not np.isfinite(shares).all():
            return None
        return QPointF(
            area.left() + shares[0] * area.width(), area.bottom() - shares[1] * area.height()
        )

    def row_at(self, position: QPointF) -> int:
        if self.x_column is None or not len(self.rows):
            return -1
        x, y = self.places()
        near = nearest(np.where(self.within_reach[self.rows], x, np.nan), y, position)
        near = nearest(x, y, position) if near < 0 else near
        return int(self.rows[near]) if near >= 0 else -1

    def row_beside(self, row: int, across: int, up: int) -> int:
        here = self.position_of(row)
        assert here is not None
        # Coming from the right, the last of overlapping dots is next.
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
        """Return an image of the brushed rows, or faintly of all rows if some are brushed; None if empty."""
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
            shade = shades(values, self.colour_ends[0], self.colour_ends[1])
            palette = palette_of(self.colour_ends[2])
            order = order[
                np.isfinite(values[order]) & ~self.linked.results.left_out[self.rows][order]
            ]
            better = -values if self.colour.better < 0 else values
            order = order[np.argsort(better[order], kind="stable")]  # the best on top
        left = (x[order] - area.left()) * scale
        top = (y[order] - area.top()) * scale
        image, cover = dots(left, top, shade[order], pixel_size(area, scale), _RADIUS * scale)
        return coloured(image, np.minimum(cover, FAINT) if faint else cover, palette)

    def draw_lines(self, painter: QPainter) -> None:
        """Draw a cross for each failed run, and a circle for each point that is left out."""
        if self.colour is None:
            return
        x, y = self.places()
        failed = np.flatnonzero(
            self.linked.results.failed[self.rows] & np.isfinite(x) & np.isfinite(y)
        )
        hollow = np.flatnonzero(
            self.linked.results.left_out[self.rows] & np.isfinite(x) & np.isfinite(y)
        )
        painter.setPen(QPen(theme.colour("dim"), 1.2))
        for k in hollow[:: max(1, len(hollow) // MOST_SIGNS)].tolist():
            painter.drawEllipse(QPointF(x[k], y[k]), _RADIUS, _RADIUS)
        painter.setPen(QPen(theme.colour("warning"), 1.2))
        for k in failed[:: max(1, len(failed) // MOST_SIGNS)].tolist():
            paint_cross(painter, QPointF(x[k], y[k]), 3.0)

    def draw_marks(self, painter: QPainter) -> None:
        rows = self.linked.rows
        if self.x_column is not None and self.y_column is not None:
            ends = rows.brushes.get(self.x_column.name), rows.brushes.get(self.y_column.name)
            if any(ends):
                x, y = (
                    (scale.at(end[0]), scale.at(end[1])) if end is not None else (0.0, 1.0)
                    for end, scale in zip(ends, self._scales, strict=True)
                )
                paint_range(painter, self.area, x, y)
        self.draw_curve(painter)
        for row in self.marked_rows:
            position = self.position_of(row)
            if position is not None:
                self.paint_point(painter, position, row)

    def draw_curve(self, painter: QPainter) -> None:
        """Draw curves between dots and marks."""

    # --- brushing ---------------------------------------------------------------------------------

    def drag(self, begin: QPointF, position: QPointF) -> None:
        if (
            self.x_column is None
            or self.y_column is None
            or not self.area.adjusted(-4, -4, 4, 4).contains(begin)
        ):
            return
        area = self.area
        across = sorted((at - area.left()) / area.width() for at in (begin.x(), position.x()))
        up = sorted((area.bottom() - at) / area.height() for at in (begin.y(), position.y()))
        self.linked.brush(
            {
                column.name: (scale.value(max(0.0, low)), scale.value(min(1.0, high)))
                for column, scale, (low, high) in zip(
                    (self.x_column, self.y_column), self._scales, (across, up), strict=True
                )
            }
        )

    def double_clicked(self, position: QPointF) -> None:
        if self.x_column is not None and self.y_column is not None:
            self.linked.brush({self.x_column.name: None, self.y_column.name: None})
