"""The window that holds chains of links against the scene's continuous body, and its plots."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from snakestudio._arrays import FloatArray
from snakestudio.analysis.comparison.chain_data import ChainComparison
from snakestudio.errors import SnakeStudioError
from snakestudio.export.chain_tables import report, write_chain
from snakestudio.gui.analysis.comparison.chain_comparer import ChainComparer
from snakestudio.gui.core import theme
from snakestudio.gui.core.file_dialogs import FileKind, ask_save
from snakestudio.gui.core.theme import Themed
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.task_bar import TaskBar
from snakestudio.model.run_time import run_time

__all__ = ["ChainDialog"]

_STALE = "This is of an earlier version of the scene. Compare again to see the scene as it is now."


class ChainDialog(Dialog):
    """Convergence, joint torques, and the chain as a ghost in the viewport while this is open.

    Parameters
    ----------
    comparer : ChainComparer
    time : callable
        The instant that the window shows, s.
    """

    def __init__(self, comparer: ChainComparer, time: Callable[[], float], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._comparer, self._time = comparer, time
        self.setWindowTitle("Compare with a Chain of Links")
        self.resize(980, 520)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        self.run_button = QPushButton("Compare at the Shown &Instant")
        self.run_button.clicked.connect(lambda: self._comparer.start(self._time()))
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.clicked.connect(comparer.cancel)
        self.bar = TaskBar()
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Links")
        self.slider.setPageStep(1)
        self.slider.valueChanged.connect(comparer.choose)
        self.links = QLabel()
        self.links.setMinimumWidth(theme.scaled(70))
        top = QHBoxLayout()
        top.addWidget(self.run_button)
        top.addWidget(self.cancel_button)
        top.addWidget(self.bar, 1)
        top.addSpacing(16)
        top.addWidget(QLabel("Links"))
        top.addWidget(self.slider, 1)
        top.addWidget(self.links)
        column.addLayout(top)
        self.plots = ChainPlots()
        column.addWidget(self.plots, 1)
        self.note = QLabel()
        self.note.setWordWrap(True)
        column.addWidget(self.note)
        self.copy_button, self.csv_button = QPushButton("C&opy as Text"), QPushButton("&Export CSV ...")
        self.copy_button.clicked.connect(self._copy)
        self.csv_button.clicked.connect(self._ask_csv)
        bottom = QHBoxLayout()
        bottom.addStretch(1)
        bottom.addWidget(self.copy_button)
        bottom.addWidget(self.csv_button)
        column.addLayout(bottom)
        self._plotted: tuple[object, int] = (None, -1)
        comparer.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        comparer = self._comparer
        comparison, chosen = comparer.comparison, comparer.chosen
        self.run_button.setVisible(not comparer.busy)
        self.cancel_button.setVisible(comparer.busy)
        self.bar.show_task(comparer.task)
        self.slider.blockSignals(True)
        self.slider.setRange(0, len(comparer.counts) - 1)
        self.slider.setValue(chosen)
        self.slider.blockSignals(False)
        self.links.setText(f"n = {comparer.counts[chosen]}")
        if (comparison, chosen) != self._plotted:
            self._plotted = comparison, chosen
            self.plots.show_chain(comparison, chosen)
        for button in (self.copy_button, self.csv_button):
            button.setEnabled(comparison is not None)
        self._say()

    def _say(self) -> None:
        comparer = self._comparer
        profile, comparison = comparer.profile, comparer.comparison
        text, role = comparer.preparing or comparer.message, "dim"
        if comparer.stale:
            text, role = _STALE, "warning"
        elif profile is not None and comparison is not None:
            errors = comparison.errors[comparer.chosen, 0]
            apart = ", ".join(
                f"{part.label} {100 * error:.3g} %" for part, error in zip(comparison.parts, errors, strict=True)
            )
            how = "Friction moves the chain." if comparison.free else "The chain moves as the body does."
            speed = 100 * comparison.speed_errors[comparer.chosen, 0]
            head = f"At {run_time(profile.time, significant=6)}, {profile.links} links differ from the body by"
            text = f"{head}: {apart}, speed {speed:.3g} %. {how}"
        self.note.setText(text)
        theme.set_role(self.note, role)

    def _copy(self) -> None:
        if self._comparer.comparison is not None:
            QGuiApplication.clipboard().setText(report(self._comparer.comparison))

    def _ask_csv(self) -> None:
        path = ask_save(self, "Export Comparison", FileKind.CSV, "chain.csv", "Comma-separated values (*.csv)")
        if path is not None:
            self.write_csv(path)

    def write_csv(self, path: Path) -> None:
        """Write the comparison as CSV."""
        if self._comparer.comparison is None:
            return
        try:
            write_chain(path, self._comparer.comparison, self._comparer.scene_file)
        except SnakeStudioError as error:
            self.note.setText(str(error))
            theme.set_role(self.note, "warning")
        else:
            self.note.setText(f"Wrote {path.name}.")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._comparer.show(True)
        if self._comparer.comparison is None and not self._comparer.busy:
            self._comparer.start(self._time())  # what else could be wanted of an empty window

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._comparer.show(False)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._comparer.cancel()
        super().closeEvent(event)


_ROLES = ("accent", "friction", "good", "warning")


class ChainPlots(Themed):
    """Convergence on logarithmic axes with a slope of 2 beside it, and a profile along the body."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        self.convergence, self.profile = _chart("links n", "error"), _chart("X in m", "")
        self.convergence.setLogMode(True, True)
        row.addWidget(self.convergence, 1)
        row.addWidget(self.profile, 1)
        self._shown: tuple[ChainComparison | None, int] = (None, 0)
        self.texts: list[str] = []
        """Entries of the legends."""
        self.renew_theme()

    def renew_theme(self) -> None:
        for chart in (self.convergence, self.profile):
            chart.setBackground(theme.colour("card"))
            for side in ("left", "bottom"):
                axis = chart.getAxis(side)
                axis.setPen(theme.colour("line"))
                axis.setTextPen(theme.colour("dim"))
        self.show_chain(*self._shown)

    def show_chain(self, comparison: ChainComparison | None, chosen: int) -> None:
        """Show a comparison, and of the chain `chosen` (its index) the joints."""
        self._shown = comparison, chosen
        self.texts = []
        for chart in (self.convergence, self.profile):
            chart.clear()
            legend = chart.plotItem.legend
            legend.clear()
            legend.setLabelTextColor(theme.colour("text"))
        if comparison is not None:
            self._show_convergence(comparison, chosen)
            self._show_profile(comparison, chosen)

    def _show_convergence(self, comparison: ChainComparison, chosen: int) -> None:
        n = np.array(comparison.links, dtype=np.float64)
        marked = [count for count in comparison.links if count & (count - 1) == 0]  # powers of two have room
        self.convergence.getAxis("bottom").setTicks([[(math.log10(count), str(count)) for count in marked]])
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
                    n[chosen : chosen + 1], errors[chosen : chosen + 1], pen=None, symbol="o", symbolSize=12,
                    symbolPen=pg.mkPen(theme.colour("text"), width=1.5), symbolBrush=None,
                )  # fmt: skip
                self.convergence.addItem(mark)
            top = max(top, float(errors[seen][-1]))
        if top > 0.0:
            self._curve(self.convergence, n, 1.6 * top * (n[-1] / n) ** 2, "dim", "slope 2", dashed=True)

    def _show_profile(self, comparison: ChainComparison, chosen: int) -> None:
        found, finest = comparison.profiles[chosen][0], comparison.profiles[-1][0]
        units = {part.unit for part in comparison.parts}
        if len(units) == 1:
            self.profile.setLabel("left", "torque" if units == {"N m"} else "force", units=units.pop())
        else:
            self.profile.setLabel("left", "torque and force in N m and N")
        for i, (part, role) in enumerate(zip(comparison.parts, _ROLES, strict=False)):
            self._curve(self.profile, finest.joint, finest.body[:, i], role, f"body, {part.symbol}")
            text = f"{found.links} links, {part.label}"
            self._curve(self.profile, found.joint, found.chain[:, i], role, text, marks=7, line=False)

    def _curve(
        self, chart: pg.PlotWidget, x: FloatArray, y: FloatArray, role: str, text: str, *, marks: int = 0,
        line: bool = True, dashed: bool = False,
    ) -> None:  # fmt: skip
        colour = theme.colour(role)
        pen = pg.mkPen(colour, width=1.6, style=Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine)
        chart.plot(
            x, y, pen=pen if line else None, name=text, symbol="o" if marks else None, symbolSize=marks,
            symbolBrush=colour, symbolPen=None,
        )  # fmt: skip
        self.texts.append(text)


def _chart(bottom: str, left: str) -> pg.PlotWidget:
    """An empty chart with a legend."""
    chart = pg.PlotWidget(enableMenu=False)
    chart.plotItem.hideButtons()
    menu = chart.plotItem.ctrlMenu  # without an owner it would outlive the chart
    menu.setParent(chart, menu.windowFlags())
    chart.addLegend(offset=(-8, 8))
    chart.setLabel("bottom", bottom)
    chart.setLabel("left", left)
    chart.showGrid(x=True, y=True, alpha=0.2)
    chart.setMouseEnabled(False, False)
    return chart
