"""Statistics of all curves over the selected span, in a table below the plots that can be copied as a whole."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QHideEvent, QKeyEvent, QKeySequence, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.errors import Problem
from snakestudio.gui.core import theme
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.plots.plot import LivePlot
from snakestudio.model.run_time import run_time
from snakestudio.viewmodel.plots.channels import series_of
from snakestudio.viewmodel.plots.scale import readable
from snakestudio.viewmodel.plots.span_values import SpanCurve, figures

if TYPE_CHECKING:
    from snakestudio.analysis.signals import SpanStatistics

COLUMNS: tuple[tuple[str, str, Callable[[SpanStatistics], float]], ...] = (
    ("Min", "{}", lambda s: s.minimum),
    ("Max", "{}", lambda s: s.maximum),
    ("Mean", "{}", lambda s: s.mean),
    ("RMS", "{}", lambda s: s.rms),
    ("Std", "{}", lambda s: s.std),
    ("Peak to peak", "{}", lambda s: s.peak_to_peak),
    ("Slope", "{}/s", lambda s: s.slope),
    ("Integral", "{} s", lambda s: s.integral),
    ("Dominant [Hz]", "Hz", lambda s: s.dominant_hz),
)
"""Columns: name, unit derived from that of the curve, and value."""

_PAUSE_MS = 120
"""Delay after the last change of a dragged span before the statistics are computed, ms."""
_ROWS = 5
"""Number of rows visible without scrolling."""


class _Table(QTableWidget):
    """A table that Ctrl+C copies with its headings."""

    copied = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copied.emit()
            event.accept()
        else:
            super().keyPressEvent(event)


class StatisticsStrip(ThemedWidget):
    """Table of statistics, its span, and buttons to copy and to close.

    Signals
    -------
    closed()
    """

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.span: tuple[float, float] | None = None
        self._plots: Sequence[LivePlot] = ()
        self._curves: list[SpanCurve] = []
        self._task: Task[list[SpanStatistics]] | None = None
        self.figures: list[SpanStatistics] = []
        self.caption = QLabel()
        self.caption.setProperty("role", "dim")
        self.copy_button = QToolButton()
        self._close = QToolButton()
        self.copy_button.setText("Copy table")
        self.copy_button.setToolTip("Copy all values as a table for a spreadsheet (Ctrl+C)")
        self.copy_button.setStyleSheet("QToolButton { padding: 2px 8px; }")
        self.copy_button.clicked.connect(self.copy)
        self._close.setProperty("role", "flat")
        self._close.setToolTip("Close the statistics and clear the span")
        self._close.clicked.connect(self.closed)
        bar = QHBoxLayout()
        bar.setContentsMargins(16, 2, 8, 0)
        bar.addWidget(self.caption, 1)
        bar.addWidget(self.copy_button)
        bar.addWidget(self._close)
        self.table = _Table(0, 1 + len(COLUMNS))
        self.table.setAccessibleName("Statistics of the span")
        self.table.setHorizontalHeaderLabels(["", *(name for name, _, _ in COLUMNS)])
        first = QTableWidgetItem("Curve")
        first.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.table.setHorizontalHeaderItem(0, first)
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.horizontalHeader().setMinimumSectionSize(theme.scaled(72))
        self.table.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        )
        self.table.verticalHeader().setDefaultSectionSize(theme.scaled(24))
        self.table.copied.connect(self.copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self.table)
        self._pause = Delay(_PAUSE_MS, self._begin, self)
        self.apply_theme()

    def apply_theme(self) -> None:
        self._close.setIcon(theme.icon("close", "dim"))
        self._fill()

    # --- input ------------------------------------------------------------------------------------

    def show_plots(self, plots: Sequence[LivePlot]) -> None:
        """Use the curves of these plots, which have changed."""
        self._plots = list(plots)
        if self.span is not None:
            self._pause.start()

    def show_span(self, span: tuple[float, float] | None) -> None:
        """Show the statistics of a time span, s; None clears the table."""
        self.span = span
        if span is None:
            self._stop()
        else:
            self.caption.setText(
                f"{run_time(span[0])} to {run_time(span[1])}   (Δ {run_time(span[1] - span[0])})"
            )
            self._pause.start()

    @property
    def settled(self) -> bool:
        """Whether the statistics are those of the present span and curves."""
        return self._task is None and not self._pause.isActive()

    def _span_curves(self) -> list[SpanCurve]:
        """Return all curves over time, each once, and those of overlaid runs."""
        curves: dict[tuple[int, str], SpanCurve] = {}
        for plot in self._plots:
            if plot.view.style in ("profile", "heat"):
                continue
            for curve in plot.span_curves():
                schema = curve.recording.schema
                column = series_of(curve.line.series, schema).names[curve.line.column]
                curves.setdefault((id(curve.recording), column), curve)
        return list(curves.values())

    def _begin(self) -> None:
        self._stop()
        self._curves = self._span_curves()
        span = self.span
        if span is None or not self._curves:
            self.figures = []
            self._fill()
            return
        curves = list(self._curves)
        self._task = Task("statistics", lambda progress: figures(curves, span, progress), self)
        self._task.finished.connect(self._show_figures)
        self._task.failed.connect(self._on_failed)

    @Slot(object)
    def _on_failed(self, problem: Problem) -> None:
        self.caption.setText(problem.sentence())
        self._show_figures([])

    @Slot(object)
    def _show_figures(self, statistics: list[SpanStatistics]) -> None:
        self._task = None
        self.figures = statistics
        self._fill()

    def _stop(self) -> None:
        self._pause.stop()
        self._task = None
        close_tasks(self)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._stop()

    # --- output -----------------------------------------------------------------------------------

    def _fill(self) -> None:
        rows_shown = list(zip(self._curves, self.figures, strict=False))
        self.table.setRowCount(len(rows_shown))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for row, (curve, statistics) in enumerate(rows_shown):
            swatch = QPixmap(10, 3)
            swatch.fill(QColor(curve.colour))
            name = QTableWidgetItem(
                swatch, f"{curve.name}  {f'[{curve.unit}]' if curve.unit else ''}".rstrip()
            )
            self.table.setItem(row, 0, name)
            for column, (_, unit, of) in enumerate(COLUMNS):
                value = of(statistics)
                item = QTableWidgetItem(readable(value, ""))
                item.setTextAlignment(right)
                item.setToolTip(f"{value!r} {unit.format(curve.unit)}".rstrip())
                self.table.setItem(row, 1 + column, item)
        rows = max(1, min(_ROWS, len(rows_shown)))
        height = self.table.horizontalHeader().sizeHint().height() + rows * theme.scaled(24) + 6
        self.table.setFixedHeight(height)

    def copy(self) -> None:
        """Copy the table: columns separated by tabs, all digits, units in a separate column."""
        lines = [
            "\t".join(
                [
                    "curve",
                    "unit",
                    "from_s",
                    "to_s",
                    *(
                        name.lower().replace(" [hz]", "_hz").replace(" ", "_")
                        for name, _, _ in COLUMNS
                    ),
                ]
            )
        ]
        if self.span is not None:
            for curve, statistics in zip(self._curves, self.figures, strict=False):
                values = [
                    "" if math.isnan(value) else repr(value)
                    for value in (of(statistics) for _, _, of in COLUMNS)
                ]
                lines.append("\t".join([curve.name, curve.unit, *map(repr, self.span), *values]))
        QGuiApplication.clipboard().setText("\n".join(lines) + "\n")
