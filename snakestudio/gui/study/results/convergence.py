"""Convergence of an optimiser: every point in the order of evaluation, the best so far, and generations."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.gui.charts.markers import paint_line
from snakestudio.gui.charts.point_chart import nearest
from snakestudio.gui.charts.raster_item import Pixels, RasterItem, one_colour, pixel_size
from snakestudio.gui.core import theme
from snakestudio.gui.study.results.choosers import Chooser, side_by_side
from snakestudio.gui.study.results.linked import LinkedRows
from snakestudio.gui.study.results.results_chart import ResultsChart
from snakestudio.viewmodel.plots.axis_scale import AxisScale
from snakestudio.viewmodel.plots.rasters import coloured, dots
from snakestudio.viewmodel.study.result_columns import ResultColumn

_RADIUS = 2.6
_FAINT = 90
_BRIGHT = 200
"""Opacity of a dot, of 255."""
_GAP = 6.0
"""Minimum distance of two separate generation marks, px."""
_FAILURE = 6.0
_MOST_FAILURES = 500
"""Length of the mark of a failed run, px, and how many are drawn."""
_TIP = "Dotted line: a new generation. Dashed line: the search restarts from another point."


class _Convergence(ResultsChart):
    """A goal over the number of points."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        self.goal: ResultColumn | None = None
        self.best: FloatArray = np.zeros(0)
        """Best so far in each row; NaN before the first valid one."""
        self._y = AxisScale(0.0, 1.0)
        super().__init__(linked, parent)
        self.add_raster(RasterItem(self._other_dots, 0.0))
        self.add_raster(RasterItem(self._brushed_dots, 0.0))

    def show_goal(self, goal: ResultColumn | None) -> None:
        """Show the convergence of a goal."""
        self.goal = goal
        if goal is not None:
            results = self.linked.results
            signed = np.where(results.counts, -goal.better * goal.values, np.inf)
            best = np.minimum.accumulate(signed) if len(signed) else signed
            self.best = np.where(np.isinf(best), np.nan, -goal.better * best)
            self._y = goal.scale(0.06)
            self.show_scales(self._x, self._y, ("Evaluated points", goal.heading), bar=False)
        self.refresh()

    def nothing(self) -> str:
        if self.goal is None:
            return "This study has no goal, so there is no convergence to show. See the other views for its results."
        if not np.isfinite(self.goal.values).any():
            return (
                "No point has a result yet."
                if not self.linked.results.failed.all()
                else "Every run has failed."
            )
        return ""

    @property
    def _x(self) -> AxisScale:
        return AxisScale(0.0, max(1.0, 1.02 * len(self.linked.results)))

    def _places(self) -> tuple[FloatArray, FloatArray]:
        assert self.goal is not None
        area = self.area
        x = (
            area.left()
            + self._x.fraction(np.arange(1.0, len(self.linked.results) + 1)) * area.width()
        )
        y = area.bottom() - self._y.fraction(self.goal.values) * area.height()
        return x, np.where(
            np.isnan(y) & self.linked.results.failed, area.bottom() - _FAILURE / 2, y
        )

    def refresh_brushed(self) -> None:
        for raster in self.rasters:
            raster.invalidate()
        super().refresh_brushed()

    def refresh(self) -> None:
        super().refresh()
        self.setToolTip(_TIP if self.shows_points and self.generations() else "")
        self.show_note(self.told_of_generations() if self.shows_points else "")

    def generations(self) -> list[tuple[float, bool]]:
        """Return the starts of generations, px, and whether the search restarts there; omit close ones."""
        area = self.area
        count = len(self.linked.results)
        begun = self.linked.results.table.begun
        places: list[tuple[float, bool]] = []
        for (first, size), end in zip(
            begun, [*(first for first, _ in begun[1:]), count], strict=False
        ):
            apart = self._x.at(size) * area.width() >= _GAP
            for number in range(first, end, size if apart else max(1, end - first)):
                at = area.left() + self._x.at(number + 0.5) * area.width()
                if number and at >= (places[-1][0] if places else area.left()) + _GAP:
                    places.append((at, number == first))
        return places

    def told_of_generations(self) -> str:
        """Return the sizes of the generations as text; "" if none are marked."""
        sizes = [
            str(size)
            for first, size in self.linked.results.table.begun
            if first < len(self.linked.results)
        ]
        if not self.generations():
            return ""
        return f"generations of {sizes[0]}" + (
            f", restarts with {', '.join(sizes[1:])}" if sizes[1:] else ""
        )

    def row_at(self, position: QPointF) -> int:
        return nearest(*self._places(), position) if self.goal is not None else -1

    def position_of(self, row: int) -> QPointF | None:
        if self.goal is None:
            return None
        x, y = (float(at[row]) for at in self._places())
        return QPointF(x, y) if np.isfinite(y) else None

    def row_beside(self, row: int, across: int, up: int) -> int:
        seen = np.flatnonzero(np.isfinite(self._places()[1]) & self.within_reach)
        after = seen[seen > row][:1]
        before = seen[seen < row][-1:]
        return int(next(iter(after if across + up > 0 else before), row))

    # --- drawing ----------------------------------------------------------------------------------

    def _other_dots(self, area: QRectF, scale: float) -> Pixels | None:
        """Return the points that are not brushed, or not valid."""
        if not self.shows_points:
            return None
        results = self.linked.results
        rest = np.flatnonzero(~(self.linked.rows.brushed & results.counts) & ~results.failed)
        return self._dots(rest, area, scale, "dim", _FAINT)

    def _brushed_dots(self, area: QRectF, scale: float) -> Pixels | None:
        if not self.shows_points:
            return None
        rows = np.flatnonzero(self.linked.rows.brushed & self.linked.results.counts)
        return self._dots(rows, area, scale, "accent", _BRIGHT)

    def _dots(self, rows: IntArray, area: QRectF, scale: float, role: str, most: int) -> Pixels:
        x, y = self._places()
        left = (x[rows] - area.left()) * scale
        top = (y[rows] - area.top()) * scale
        shade = np.full(len(rows), 255, np.uint8)
        image, cover = dots(left, top, shade, pixel_size(area, scale), _RADIUS * scale)
        return coloured(image, np.minimum(cover, most), one_colour(theme.colour(role)))

    def draw_lines(self, painter: QPainter) -> None:
        area = self.area
        x = self._places()[0]
        for at, restart in self.generations():
            look = Qt.PenStyle.DashLine if restart else Qt.PenStyle.DotLine
            painter.setPen(
                QPen(theme.colour("dim" if restart else "line"), 1.2 if restart else 1.0, look)
            )
            painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()))
        painter.setPen(QPen(theme.colour("warning"), 1.2))
        failed = np.flatnonzero(self.linked.results.failed)
        for row in failed[:: max(1, len(failed) // _MOST_FAILURES)].tolist():
            painter.drawLine(
                QPointF(x[row], area.bottom()), QPointF(x[row], area.bottom() - _FAILURE)
            )
        known = np.flatnonzero(np.isfinite(self.best))
        if not len(known):
            return
        better = known[np.r_[True, np.diff(self.best[known]) != 0.0]]
        corners: list[QPointF] = []
        for row in better.tolist():
            at = area.bottom() - self._y.at(self.best[row]) * area.height()
            if corners:
                corners.append(QPointF(x[row], corners[-1].y()))
            corners.append(QPointF(x[row], at))
        corners.append(QPointF(x[-1], corners[-1].y()))
        paint_line(painter, corners, theme.colour("good"), 2.0, 4.0)

    def draw_marks(self, painter: QPainter) -> None:
        for row in self.marked_rows:
            if (position := self.position_of(row)) is not None:
                self.paint_point(painter, position, row)


class ConvergenceView(QWidget):
    """Convergence with a box for the goal if there are several."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._linked = linked
        self.goal_box = Chooser("Goal", "Goal whose best value so far is shown")
        self.chart = _Convergence(linked)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(8)
        self._row = QWidget()
        row = side_by_side(self.goal_box)
        row.addStretch(1)
        row.setStretch(0, 3)
        self._row.setLayout(row)
        column.addWidget(self._row)
        column.addWidget(self.chart, 1)
        self.goal_box.chosen.connect(self.refresh)
        linked.results_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Follow the box and the results."""
        results = self._linked.results
        goals = results.named("goal")
        self.goal_box.offer([(goal.name, goal.short) for goal in goals])
        self._row.setVisible(len(goals) > 1)
        goal = results.columns.get(self.goal_box.value)
        self.chart.show_goal(goal)
