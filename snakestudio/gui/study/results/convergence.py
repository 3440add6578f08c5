"""How an optimiser goes: every point in the order they were tried in, the best so far, and where generations begin."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QVBoxLayout, QWidget

from snakestudio._arrays import FloatArray
from snakestudio.gui.core import theme
from snakestudio.gui.study.results.canvas import Canvas
from snakestudio.gui.study.results.choosers import Chooser, beside
from snakestudio.gui.study.results.linked import LinkedRows
from snakestudio.viewmodel.plots.axis_scale import AxisScale
from snakestudio.viewmodel.plots.rasters import dots
from snakestudio.viewmodel.study.result_columns import Column

__all__ = ["ConvergenceView"]

_RADIUS = 2.6
_GAP = 6.0
"""Between two generations that can be told apart, px."""
_TIP = "A dotted line: a generation begins. A dashed one, a restart: the search begins anew from elsewhere"


class _Convergence(Canvas):
    """One goal over the number of points."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        super().__init__(linked, parent)
        self.goal: Column | None = None
        self.best: FloatArray = np.zeros(0)
        """Best so far at every row; NaN before the first that counts."""
        self._y = AxisScale(0.0, 1.0)

    def show_goal(self, goal: Column | None) -> None:
        """Show how a goal became better."""
        self.goal = goal
        if goal is not None:
            results = self.linked.results
            signed = np.where(results.counts, -goal.better * goal.values, np.inf)
            best = np.minimum.accumulate(signed) if len(signed) else signed
            self.best = np.where(np.isinf(best), np.nan, -goal.better * best)
            self._y = AxisScale.of(goal, 0.06)
        self.renew()

    def nothing(self) -> str:
        if self.goal is None:
            return "This study has no goal, so there is nothing to converge. The other views show what was found."
        if not np.isfinite(self.goal.values).any():
            return "No point has a result yet." if not self.linked.results.failed.all() else "Every run has failed."
        return ""

    @property
    def area(self) -> QRectF:
        return self.area_between_axes()

    @property
    def _x(self) -> AxisScale:
        return AxisScale(0.0, max(1.0, 1.02 * len(self.linked.results)))

    def _places(self) -> tuple[FloatArray, FloatArray]:
        assert self.goal is not None
        area = self.area
        x = area.left() + self._x.share(np.arange(1.0, len(self.linked.results) + 1)) * area.width()
        y = area.bottom() - self._y.share(self.goal.values) * area.height()
        return x, np.where(np.isnan(y) & self.linked.results.failed, area.bottom() - 3, y)

    def renew(self) -> None:
        super().renew()
        self.setToolTip(_TIP if self.linked.there and self.generations() else "")

    def generations(self) -> list[tuple[float, bool]]:
        """Where generations begin, px, and whether the search begins anew there; those that can be told apart."""
        area, count = self.area, len(self.linked.results)
        begun = self.linked.results.table.begun
        found: list[tuple[float, bool]] = []
        for (first, size), end in zip(begun, [*(first for first, _ in begun[1:]), count], strict=False):
            apart = self._x.at(size) * area.width() >= _GAP
            for number in range(first, end, size if apart else max(1, end - first)):
                at = area.left() + self._x.at(number + 0.5) * area.width()
                if number and at >= (found[-1][0] if found else area.left()) + _GAP:
                    found.append((at, number == first))
        return found

    def told_of_generations(self) -> str:
        """How large they are, in words; "" where none are marked."""
        sizes = [str(size) for first, size in self.linked.results.table.begun if first < len(self.linked.results)]
        if not self.generations():
            return ""
        return f"generations of {sizes[0]}" + (f", restarts with {', '.join(sizes[1:])}" if sizes[1:] else "")

    def row_at(self, place: QPointF) -> int:
        return self.nearest(*self._places(), place) if self.goal is not None else -1

    def place_of(self, row: int) -> QPointF | None:
        if self.goal is None:
            return None
        x, y = (float(at[row]) for at in self._places())
        return QPointF(x, y) if np.isfinite(y) else None

    def row_beside(self, row: int, across: int, up: int) -> int:
        seen = np.flatnonzero(np.isfinite(self._places()[1]) & self.within_reach)
        after, before = seen[seen > row][:1], seen[seen < row][-1:]
        return int(next(iter(after if across + up > 0 else before), row))

    def paint_still(self, painter: QPainter) -> None:
        assert self.goal is not None
        area, results = self.area, self.linked.results
        tried = Column("tried", "Points tried", "", "other", results.points)
        self.paint_below(painter, area, self._x, tried)
        self.paint_left(painter, area, self._y, self.goal)
        for at, anew in self.generations():
            look = Qt.PenStyle.DashLine if anew else Qt.PenStyle.DotLine
            painter.setPen(QPen(theme.colour("dim" if anew else "line"), 1.2 if anew else 1.0, look))
            painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()))
        self.paint_note(painter, area, self.goal, self.told_of_generations())
        x, y = self._places()
        painter.setPen(QPen(theme.colour("warning"), 1.2))
        failed = np.flatnonzero(results.failed)
        for row in failed[:: max(1, len(failed) // 500)].tolist():
            painter.drawLine(QPointF(x[row], area.bottom()), QPointF(x[row], area.bottom() - 6))
        y = np.where(results.failed, np.nan, y)
        rest = np.flatnonzero(~(self.linked.rows.brushed & results.counts))
        self._paint_dots(painter, x[rest], y[rest], "dim", 90)

    def renew_brushed(self) -> None:
        self._still = None
        super().renew_brushed()

    def _paint_dots(self, painter: QPainter, x: FloatArray, y: FloatArray, role: str, most: int) -> None:
        area = self.area
        width, height, scale = self.pixels(area)
        shade = np.full(len(x), 255, np.uint8)
        picture, cover = dots(
            (x - area.left()) * scale, (y - area.top()) * scale, shade, (width, height), _RADIUS * scale
        )
        self.paint_raster(painter, area, picture, np.minimum(cover, most), self.one_colour(theme.colour(role)))

    def paint_brushed(self, painter: QPainter) -> None:
        x, y = self._places()
        rows = np.flatnonzero(self.linked.rows.brushed & self.linked.results.counts)
        self._paint_dots(painter, x[rows], y[rows], "accent", 200)
        known = np.flatnonzero(np.isfinite(self.best))
        if not len(known):
            return
        area = self.area
        better = known[np.r_[True, np.diff(self.best[known]) != 0.0]]
        corners: list[QPointF] = []
        for row in better.tolist():
            at = area.bottom() - self._y.at(self.best[row]) * area.height()
            if corners:
                corners.append(QPointF(x[row], corners[-1].y()))
            corners.append(QPointF(x[row], at))
        corners.append(QPointF(x[-1], corners[-1].y()))
        painter.setPen(QPen(theme.colour("card"), 4.0))
        painter.drawPolyline(QPolygonF(corners))
        painter.setPen(QPen(theme.colour("good"), 2.0))
        painter.drawPolyline(QPolygonF(corners))

    def paint_marks(self, painter: QPainter) -> None:
        for row in self.marked_rows:
            if (place := self.place_of(row)) is not None:
                self.paint_dot(painter, place, row)


class ConvergenceView(QWidget):
    """The convergence, with a box for the goal where there are several.

    Parameters
    ----------
    linked : LinkedRows
    """

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._linked = linked
        self.goal_box = Chooser("Goal", "Whose best so far is shown")
        self.chart = _Convergence(linked)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(8)
        self._row = QWidget()
        row = beside(self.goal_box)
        row.addStretch(1)
        row.setStretch(0, 3)
        self._row.setLayout(row)
        column.addWidget(self._row)
        column.addWidget(self.chart, 1)
        self.goal_box.chosen.connect(self.renew)
        linked.results_changed.connect(self.renew)

    def renew(self) -> None:
        """Follow the box and the results."""
        results = self._linked.results
        goals = results.named("goal")
        self.goal_box.offer([(goal.name, goal.short) for goal in goals])
        self._row.setVisible(len(goals) > 1)
        goal = results.columns.get(self.goal_box.value)
        self.chart.show_goal(goal)
