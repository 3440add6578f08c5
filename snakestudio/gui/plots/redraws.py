"""Which plots have to be drawn anew, and when: new data wait for their turn, what the user moves does not."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from enum import IntEnum

from snakestudio.gui.plots.plot import LivePlot

__all__ = ["Redraws", "Stale"]

_REDRAW_S = 0.06
"""Least time between two redraws of the same plot for new data."""
_SHARE = 0.2
"""Share of the time that redraws for new data may take: on a busy machine they come less often."""
_DRAW_BUDGET_S = 0.008


class Stale(IntEnum):
    """How a plot has to be drawn anew."""

    LONGER = 0  # rows came at the end
    ALL = 1
    AT_ONCE = 2  # all of it, and the user waits


class Redraws:
    """The plots of a panel that do not show what they should."""

    def __init__(self) -> None:
        self.stale: dict[LivePlot, Stale] = {}
        self._drawn: dict[LivePlot, float] = {}
        self._cost = 0.002

    def keep(self, plots: Sequence[LivePlot]) -> None:
        """Forget plots that are gone."""
        self.stale = {plot: how for plot, how in self.stale.items() if plot in plots}
        self._drawn = {plot: when for plot, when in self._drawn.items() if plot in plots}

    def mark(self, plots: Iterable[LivePlot], how: Stale) -> None:
        """Have some plots drawn anew."""
        for plot in plots:
            self.stale[plot] = max(self.stale.get(plot, how), how)

    def draw(self, view: tuple[float, float], at: float | None, row: int | None) -> None:
        """Redraw what is stale, the one waiting longest first, for as long as the budget lasts.

        Parameters
        ----------
        view : (float, float)
            Stretch of time to show, s.
        at, row : float and int or None
            Time (s) and row of the cursor.
        """
        if not self.stale:
            return
        now = time.perf_counter()
        spent = 0.0
        pace = max(_REDRAW_S, len(self._drawn) * self._cost / _SHARE)
        for plot in sorted(self.stale, key=lambda p: self._drawn.get(p, 0.0)):
            if self.stale[plot] < Stale.AT_ONCE and now - self._drawn.get(plot, 0.0) < pace:
                continue
            if spent and spent + plot.chart.cost > _DRAW_BUDGET_S:
                break
            began = time.perf_counter()
            plot.draw(*view, at, row, steady=self.stale[plot] < Stale.AT_ONCE)
            cost = time.perf_counter() - began + plot.chart.cost
            self._cost += 0.1 * (min(cost, 0.02) - self._cost)
            spent += cost
            self._drawn[plot] = now
            del self.stale[plot]
