"""Scatter plot of any two columns of results, with the Pareto front of two goals."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from snakestudio._arrays import IntArray
from snakestudio.gui.charts.markers import paint_line
from snakestudio.gui.core import theme
from snakestudio.gui.study.results.choosers import Chooser, ChooserRow, fill_view
from snakestudio.gui.study.results.linked import LinkedRows
from snakestudio.gui.study.results.results_chart import PlaneChart
from snakestudio.study.results import front
from snakestudio.viewmodel.study.result_columns import ResultColumn

_PLAIN = "="
"""Value that replaces a column's name if all rows have the same colour."""


class _Scatter(PlaneChart):
    """Any two columns, and the Pareto front of two goals."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        self._front: IntArray | None = None
        super().__init__(linked, parent)

    def show_columns(
        self, x: ResultColumn, y: ResultColumn, colour: ResultColumn | None, rows: IntArray
    ) -> None:
        self._front = None
        super().show_columns(x, y, colour, rows)

    def front_rows(self) -> IntArray:
        """Return the rows on the front of the two columns from left to right; none unless both are goals."""
        if self._front is None:
            self._front = self._find_front()
        return self._front

    def _find_front(self) -> IntArray:
        if (
            self.x_column is None
            or self.y_column is None
            or not (self.x_column.better and self.y_column.better)
            or self.x_column.name == self.y_column.name
        ):
            return np.zeros(0, np.int64)
        results = self.linked.results
        rows = np.flatnonzero(results.counts)
        both = np.stack(
            [-column.better * column.values[rows] for column in (self.x_column, self.y_column)],
            axis=1,
        )
        on_front = rows[front(both)]
        ordered: IntArray = on_front[np.argsort(self.x_column.values[on_front], kind="stable")]
        return ordered

    def draw_curve(self, painter: QPainter) -> None:
        places = [
            position
            for row in self.front_rows().tolist()
            if (position := self.position_of(row)) is not None
        ]
        if not places:
            return
        assert self.x_column is not None
        # A step: all points on its far side are worse than a point of the front in both.
        corners: list[QPointF] = []
        # towards the better end of x the next point follows immediately
        across_first = self.x_column.better > 0
        for k, position in enumerate(places):
            corners.append(position)
            if k + 1 < len(places):
                after = places[k + 1]
                corners.append(
                    QPointF(position.x(), after.y())
                    if across_first
                    else QPointF(after.x(), position.y())
                )
        paint_line(painter, corners, theme.colour("good"), 1.6, 4.0)
        painter.setBrush(theme.colour("good"))
        painter.setPen(QPen(theme.colour("card"), 1.0))
        for position in places:
            painter.drawEllipse(position, 4.0, 4.0)
        painter.setBrush(Qt.BrushStyle.NoBrush)


class ScatterView(QWidget):
    """Scatter plot with its boxes."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._linked = linked
        self.x_box = Chooser("X", "Column on the horizontal axis")
        self.y_box = Chooser("Y", "Column on the vertical axis")
        self.colour_box = Chooser("Colour", "Value shown as dot colour")
        self.chart = _Scatter(linked)
        fill_view(self, [ChooserRow(self.x_box, self.y_box, self.colour_box)], self.chart)
        for chooser in (self.x_box, self.y_box, self.colour_box):
            chooser.chosen.connect(self.refresh)
        linked.results_changed.connect(self.refresh)

    def refresh(self) -> None:
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
