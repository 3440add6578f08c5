"""Two charts of chains beside a continuous body: how the error falls with n, and the torques of one chain's joints."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from snakestudio._arrays import FloatArray
from snakestudio.analysis.comparison.chain_data import ChainComparison
from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import Themed

__all__ = ["ChainPlots"]


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
