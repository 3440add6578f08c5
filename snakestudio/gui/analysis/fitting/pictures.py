"""Results of a fit: its values, convergence, both runs from above, and the distance over time."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from snakestudio.analysis.fitting import FitPlotData, FitProgress, FitResult, pictured
from snakestudio.export.fit_text import correlation_lines, fit_table, length, trial_line
from snakestudio.gui.charts.line_chart import LineChart
from snakestudio.gui.core import theme
from snakestudio.gui.core.run_colours import BEFORE, FITTED, fit_colour
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.lines import column_of, line_of
from snakestudio.gui.forms.table import TableView

_NOTHING = (
    "A fit runs the scene many times with different values and keeps those that match the measurement best."
    "\n\nTick the measured runs and the parameters to fit, and press Fit."
)


_SPACING = 10
"""Spacing of charts, px."""


class FitPictures(ThemedWidget):
    """Charts of convergence, of both runs from above, and of their distance over time."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.convergence = LineChart("Evaluations", "Distance in mm")
        self.distance = LineChart("t in s", "Distance in mm")
        self.plan = LineChart("x in m", "y in m")
        self.plan.setAspectLocked(True)
        self.convergence.legend_at_bottom_left()  # the curve leaves that corner free
        self._plan_part = _titled("Both runs from above, aligned with the measurement", self.plan)
        self._distance_part = _titled("Distance between run and measurement", self.distance)
        self._convergence_part = _titled("Best distance so far", self.convergence)
        self._nothing = QLabel(_NOTHING)
        self._nothing.setProperty("role", "dim")
        self._nothing.setWordWrap(True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.setContentsMargins(60, 0, 60, 0)
        self._charts = line_of(
            (self._convergence_part, 1), (self._distance_part, 1), spacing=_SPACING
        )
        self._column = column_of(self._plan_part, self._charts, self._nothing, spacing=_SPACING)
        self.setLayout(self._column)
        self._progress: FitProgress | None = None
        self._result: tuple[FitResult, int] | None = None
        self._plot_data: FitPlotData | None = None
        self.apply_theme()

    def apply_theme(self) -> None:
        self._draw_progress()
        self._draw_result()

    def show_progress(self, progress: FitProgress | None) -> None:
        """Show the progress of a fit."""
        if progress is not self._progress:
            self._progress = progress
            self._draw_progress()

    def show_result(self, result: FitResult | None, trial: int = 0) -> None:
        """Show a trial of a result, or nothing."""
        content = None if result is None else (result, trial)
        if content != self._result:
            self._result = content
            self._plot_data = None if result is None else pictured(result.trials[trial])
            self._draw_result()

    def _draw_progress(self) -> None:
        chart = self.convergence
        progress = self._progress
        chart.clear_curves()
        self._convergence_part.setVisible(progress is not None)
        self._nothing.setVisible(progress is None)
        self._column.setStretchFactor(self._charts, 0 if progress is None else 4)
        self._column.setStretchFactor(self._nothing, 1 if progress is None else 0)
        if progress is None or not progress.history:
            return
        at = np.array(
            [moment.evaluations for moment in progress.history] + [progress.evaluations],
            dtype=np.float64,
        )
        cost = 1000.0 * np.array([moment.cost for moment in progress.history])
        before = 1000.0 * progress.cost_before
        # Within a decade a logarithmic axis has hardly any numbers.
        chart.setLogMode(False, bool(max(before, cost.max()) > 10.0 * cost.min()))
        # A value holds until the next better one.
        x = np.repeat(at, 2)[1:-1]
        y = np.repeat(cost, 2)
        chart.plot(x, y, pen=pg.mkPen(fit_colour(FITTED), width=1.8))
        chart.plot(
            at[:-1],
            cost,
            pen=None,
            symbol="o",
            symbolSize=6,
            symbolBrush=fit_colour(FITTED),
            symbolPen=None,
        )
        pen = pg.mkPen(fit_colour(BEFORE), width=1.2, style=Qt.PenStyle.DashLine)
        chart.plot(np.array([0.0, at[-1]]), np.full(2, before), pen=pen, name="before")

    def _draw_result(self) -> None:
        for chart in (self.plan, self.distance):
            chart.clear_curves()
        seen = self._plot_data
        for part in (self._plan_part, self._distance_part):
            part.setVisible(seen is not None)
        self._column.setStretchFactor(self._plan_part, 5 if seen is not None else 0)
        if seen is None:
            return
        before = fit_colour(BEFORE)
        fitted = fit_colour(FITTED)
        for pose, colour in ((seen.pose_before, before), (seen.pose_after, fitted)):
            faint = pg.mkColor(colour)
            faint.setAlphaF(0.3)
            self.plan.plot(pose[:, 0], pose[:, 1], pen=pg.mkPen(faint, width=7))
        of = f", {seen.link_name}" if seen.link is not None else ""
        dots = theme.colour("text")
        if seen.link is not None:
            self.plan.plot(
                seen.before[:, 0],
                seen.before[:, 1],
                pen=pg.mkPen(before, width=1.8),
                name=f"before{of}",
            )
            self.plan.plot(
                seen.after[:, 0],
                seen.after[:, 1],
                pen=pg.mkPen(fitted, width=1.8),
                name=f"fitted{of}",
            )
            for places, size, name in ((seen.measured, 4, f"measured{of}"), (seen.places, 8, None)):
                self.plan.plot(
                    places[:, 0],
                    places[:, 1],
                    pen=None,
                    symbol="o",
                    symbolSize=size,
                    name=name,
                    symbolBrush=dots if size == 4 else None,
                    symbolPen=None if size == 4 else pg.mkPen(dots),
                )
        for time, distance, colour, name in (
            (seen.time_before, seen.distance_before, before, "before"),
            (seen.time_after, seen.distance_after, fitted, "fitted"),
        ):
            self.distance.plot(time, 1000.0 * distance, pen=pg.mkPen(colour, width=1.6), name=name)
        self.plan.autoRange()
        highest = max(
            float(distance.max()) for distance in (seen.distance_before, seen.distance_after)
        )
        self.distance.setXRange(
            min(seen.time_before[0], seen.time_after[0]),
            max(seen.time_before[-1], seen.time_after[-1]),
        )
        self.distance.setYRange(0.0, 1000.0 * highest)


def _titled(title: str, chart: LineChart) -> QWidget:
    """Return a chart below its title."""
    widget = QWidget()
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(4)
    head = QLabel(title)
    head.setProperty("role", "group")
    column.addWidget(head)
    column.addWidget(chart, 1)
    return widget


class FitSummary(QFrame):
    """Card with the table of values and the notes; hidden without a result."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._result: FitResult | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 12)
        column.setSpacing(8)
        self.table = TableView("Fitted values", hidden=(0,), fits=True)
        column.addWidget(self.table)
        self.distance = QLabel()
        self.distance.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(self.distance)
        self.notes = QLabel()
        self.notes.setProperty("role", "warning")
        self.notes.setWordWrap(True)
        column.addWidget(self.notes)
        self.hide()

    def show_result(self, result: FitResult | None) -> None:
        """Show a result, or hide the card."""
        if result is self._result:
            return
        self._result = result
        self.setVisible(result is not None)
        if result is None:
            return
        self.table.show_table(fit_table(result))
        lines = [f"Distance {length(result.cost_after)}, before {length(result.cost_before)};"]
        lines[0] += f" {result.evaluations} evaluations"
        if len(result.trials) > 1 or result.trials[0].trial.align:
            lines += [trial_line(outcome) for outcome in result.trials]
        self.distance.setText("\n".join(lines))
        notes = (*correlation_lines(result), *result.notes)
        self.notes.setText("\n".join(notes))
        self.notes.setVisible(bool(notes))
