"""Window that compares chains of links with the scene's continuous body, and its plots."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QWidget,
)

from snakestudio._arrays import FloatArray
from snakestudio.analysis.comparison.chain_data import ChainComparison
from snakestudio.export.chain_tables import chain_report, chain_table
from snakestudio.export.report import Report
from snakestudio.gui.analysis.comparison.chain_comparer import ChainComparer
from snakestudio.gui.analysis.frame import AnalysisFrame, ReportExporter
from snakestudio.gui.charts.line_chart import LineChart
from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.lines import line_of
from snakestudio.gui.forms.table import TableView
from snakestudio.model.run_time import run_time

_EMPTY = "The table lists the largest load at the joints by number of links, and its deviation from that of the body."
_STALE = "These results are for an earlier version of the scene. Compare again to update them."


class ChainDialog(Dialog):
    """Convergence, joint torques, their table, and the chain as a ghost in the viewport while the window is open.

    Parameters
    ----------
    time : callable
        Returns the time shown by the window, s.
    """

    def __init__(
        self,
        comparer: ChainComparer,
        time: Callable[[], float],
        exporter: ReportExporter,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, "Compare with a Chain of Links")
        self._comparer = comparer
        self._time = time
        self.resize(theme.scaled(980), theme.scaled(680))
        self.frame = AnalysisFrame(self._report, exporter, comparer.cancel)
        self.frame.actions_row.insertStretch(0, 1)
        self.arrange((self.frame, 1), margins=(16, 14, 16, 14))
        self._fill_setup()
        self.plots = ChainPlots()
        self.table = TableView("Chains by number of links", empty=_EMPTY)
        self.frame.results.addWidget(self.plots, 3)
        self.frame.results.addWidget(self.table, 2)
        self._plotted: tuple[object, int] = (None, -1)
        comparer.changed.connect(self._refresh)
        self._refresh()

    def _fill_setup(self) -> None:
        self.run_button = QPushButton("Compare at the Shown &Instant")
        self.run_button.clicked.connect(lambda: self._comparer.start(self._time()))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setPageStep(1)
        self.slider.valueChanged.connect(self._comparer.choose)
        label = QLabel("&Links")
        label.setBuddy(self.slider)
        self.slider.setAccessibleName("Links")
        self.links = QLabel()
        self.links.setMinimumWidth(theme.scaled(70))
        self.frame.setup.addLayout(line_of(self.run_button, 1, label, (self.slider, 1), self.links))

    def _refresh(self) -> None:
        comparer = self._comparer
        comparison = comparer.comparison
        chosen = comparer.chosen
        self.run_button.setEnabled(not comparer.busy)
        self.slider.blockSignals(True)
        self.slider.setRange(0, len(comparer.counts) - 1)
        self.slider.setValue(chosen)
        self.slider.blockSignals(False)
        self.links.setText(f"n = {comparer.counts[chosen]}")
        if (comparison, chosen) != self._plotted:
            if comparison is not self._plotted[0]:
                self.table.show_table(None if comparison is None else chain_table(comparison, 0))
            self._plotted = comparison, chosen
            self.plots.show_chain(comparison, chosen)
        text, role = self._message()
        self.frame.show_state(comparer.task, text, role, has_result=comparison is not None)

    def _message(self) -> tuple[str, str]:
        """Return the message, and its colour."""
        comparer = self._comparer
        profile = comparer.profile
        comparison = comparer.comparison
        if comparer.stale:
            return _STALE, "warning"
        if profile is None or comparison is None:
            return comparer.preparing or comparer.message, "dim"
        errors = comparison.errors[comparer.chosen, 0]
        apart = ", ".join(
            f"{part.label} {100 * error:.3g} %"
            for part, error in zip(comparison.parts, errors, strict=True)
        )
        how = (
            "Friction moves the chain." if comparison.free else "The chain moves as the body does."
        )
        speed = 100 * comparison.speed_errors[comparer.chosen, 0]
        head = f"At {run_time(profile.time, significant=6)}, {profile.links} links differ from the body by"
        return f"{head}: {apart}, speed {speed:.3g} %. {how}", "dim"

    def _report(self) -> Report | None:
        comparison = self._comparer.comparison
        return None if comparison is None else chain_report(comparison, self._comparer.scene_file)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._comparer.show(True)
        if self._comparer.comparison is None and not self._comparer.busy:
            self._comparer.start(self._time())  # an empty window is of no use

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._comparer.show(False)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._comparer.cancel()
        super().closeEvent(event)


_ROLES = ("accent", "friction", "good", "warning")


class ChainPlots(ThemedWidget):
    """Convergence on logarithmic axes with a line of slope 2, and a profile along the body."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        self.convergence = LineChart("Links n", "Error", movable=False)
        self.profile = LineChart("X in m", "", movable=False)
        self.convergence.setLogMode(True, True)
        row.addWidget(self.convergence, 1)
        row.addWidget(self.profile, 1)
        self._displayed: tuple[ChainComparison | None, int] = (None, 0)
        self.texts: list[str] = []
        """Entries of the legends."""
        self.apply_theme()

    def apply_theme(self) -> None:
        self.show_chain(*self._displayed)

    def show_chain(self, comparison: ChainComparison | None, chosen: int) -> None:
        """Show a comparison, and the joints of the chain with index `chosen`."""
        self._displayed = comparison, chosen
        self.texts = []
        for chart in (self.convergence, self.profile):
            chart.clear_curves()
        if comparison is not None:
            self._show_convergence(comparison, chosen)
            self._show_profile(comparison, chosen)

    def _show_convergence(self, comparison: ChainComparison, chosen: int) -> None:
        n = np.array(comparison.links, dtype=np.float64)
        # space for powers of two
        marked = [count for count in comparison.links if count & (count - 1) == 0]
        self.convergence.bottom_axis.show_as(
            True, [(math.log10(count), str(count)) for count in marked]
        )
        rows = [(part.label, comparison.errors[:, 0, i]) for i, part in enumerate(comparison.parts)]
        rows.append(("speed", comparison.speed_errors[:, 0]))
        top = 0.0
        for (label, errors), role in zip(rows, _ROLES * 2, strict=False):
            seen = errors > 0.0
            if not seen.any():
                continue
            order = comparison.order(errors)
            text = label if math.isnan(order) else f"{label}, order {order:.2f}"
            self._curve(self.convergence, n[seen], errors[seen], role, text, marks=6)
            if seen[chosen]:
                mark = pg.PlotDataItem(
                    n[chosen : chosen + 1],
                    errors[chosen : chosen + 1],
                    pen=None,
                    symbol="o",
                    symbolSize=12,
                    symbolPen=pg.mkPen(theme.colour("text"), width=1.5),
                    symbolBrush=None,
                )
                self.convergence.addItem(mark)
            top = max(top, float(errors[seen][-1]))
        if top > 0.0:
            self._curve(
                self.convergence, n, 1.6 * top * (n[-1] / n) ** 2, "dim", "slope 2", dashed=True
            )

    def _show_profile(self, comparison: ChainComparison, chosen: int) -> None:
        profile = comparison.profiles[chosen][0]
        finest = comparison.profiles[-1][0]
        units = {part.unit for part in comparison.parts}
        if len(units) == 1:
            self.profile.set_titles(
                "X in m", f"{'Torque' if units == {'N m'} else 'Force'} in {units.pop()}"
            )
        else:
            self.profile.set_titles("X in m", "Torque and force in N m and N")
        for i, (part, role) in enumerate(zip(comparison.parts, _ROLES, strict=False)):
            self._curve(self.profile, finest.joint, finest.body[:, i], role, f"body, {part.symbol}")
            text = f"{profile.links} links, {part.label}"
            self._curve(
                self.profile, profile.joint, profile.chain[:, i], role, text, marks=7, line=False
            )

    def _curve(
        self,
        chart: LineChart,
        x: FloatArray,
        y: FloatArray,
        role: str,
        text: str,
        *,
        marks: int = 0,
        line: bool = True,
        dashed: bool = False,
    ) -> None:
        colour = theme.colour(role)
        pen = pg.mkPen(
            colour, width=1.6, style=Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
        )
        chart.plot(
            x,
            y,
            pen=pen if line else None,
            name=text,
            symbol="o" if marks else None,
            symbolSize=marks,
            symbolBrush=colour,
            symbolPen=None,
        )
        self.texts.append(text)
