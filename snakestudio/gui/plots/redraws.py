"""Which plots have to be drawn anew, and when: new data wait for their turn, what the user moves does not."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from enum import IntEnum

from snakestudio.gui.plots.plot import LivePlot

__all__ = ["Redraws", "Stale"]

_REDRAW_S = 0.06
"""Least time between two redraws of the same plot for new data."""
_SHARE = 0.2
"""Share of the time that redraws for new data may take: on a busy machine they come less often."""
_BUDGET_S = 0.008
"""What the redraws of one turn may take, s."""
_WAITED_S = 0.025
"""The same where the user waits for them, who sees all plots move together."""
_REST_S = 0.15
"""What is not moved for so long rests, and is drawn as well as it can be."""


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
        self._asked: dict[LivePlot, float] = {}
        self._costs: dict[LivePlot, float] = {}
        self._hasty: set[LivePlot] = set()
        self._cost = 0.002
        self._left: set[LivePlot] = set()  # those of this round that are still to be drawn
        self._given: tuple[tuple[float, float], float | None, int | None] = ((0.0, 1.0), None, None)
        self._began = -math.inf
        self._again: set[LivePlot] = set()

    @property
    def settled(self) -> bool:
        """Whether every plot shows what it should, as well as it can."""
        return not self.stale and not self._hasty

    def keep(self, plots: Sequence[LivePlot]) -> None:
        """Forget plots that are gone."""
        self.stale = {plot: how for plot, how in self.stale.items() if plot in plots}
        for times in (self._drawn, self._asked, self._costs):
            for plot in times.keys() - set(plots):
                del times[plot]
        self._hasty &= set(plots)
        self._left &= set(plots)
        self._again &= set(plots)

    def mark(self, plots: Iterable[LivePlot], how: Stale) -> None:
        """Have some plots drawn anew; those for which the user waits again and again are drawn in haste."""
        now = time.perf_counter()
        for plot in plots:
            self.stale[plot] = max(self.stale.get(plot, how), how)
            if plot in self._left:
                self._again.add(plot)
            if how == Stale.AT_ONCE:
                if now - self._asked.get(plot, -math.inf) < _REST_S:
                    self._hasty.add(plot)
                self._asked[plot] = now

    def rest(self) -> None:
        """Draw nothing in haste any more."""
        for plot in self._hasty:
            plot.chart.finish()
        self._hasty.clear()

    def draw(self, view: tuple[float, float], at: float | None, row: int | None) -> None:
        """Redraw what is stale, the one waiting longest first, for as long as the budget lasts.

        Plots that wait for each other show the same view and moment: of the turn in which the first of them was drawn.

        Parameters
        ----------
        view : (float, float)
            Stretch of time to show, s.
        at, row : float and int or None
            Time (s) and row of the cursor.
        """
        now = time.perf_counter()
        waited = Stale.AT_ONCE in self.stale.values()
        if waited or not self._left & self.stale.keys():
            pace = max(_REDRAW_S, len(self._drawn) * self._cost / _SHARE)
            if not waited and now - self._began < pace:
                self._finish(now)
                return
            self._left, self._given, self._began = set(self.stale), (view, at, row), now
            self._again.clear()
        spent = 0.0
        (start, stop), at, row = self._given
        for plot in sorted(self._left & self.stale.keys(), key=lambda p: self._drawn.get(p, 0.0)):
            if spent and spent + self._costs.get(plot, self._cost) > (_WAITED_S if waited else _BUDGET_S):
                break
            began = time.perf_counter()
            steady = self.stale[plot] != Stale.AT_ONCE
            plot.draw(start, stop, at, row, steady=steady, hasty=plot in self._hasty)
            cost = time.perf_counter() - began
            self._cost += 0.1 * (min(cost, 0.02) - self._cost)
            self._costs[plot] = cost
            spent += cost
            self._drawn[plot] = now
            self._left.discard(plot)
            if plot in self._again:  # what came since the round began is seen in the next one
                self.stale[plot] = Stale.LONGER
            else:
                del self.stale[plot]
        if not spent:
            self._finish(now)

    def _finish(self, now: float) -> None:
        """Draw the next plot that rests as well as it can be."""
        for plot in self._hasty - self.stale.keys():
            if now - self._asked[plot] >= _REST_S:
                plot.chart.finish()
                self._hasty.discard(plot)
                return
