"""Which plots have to be drawn anew, and when: new data wait for their turn, what the user moves does not.

They are drawn in rounds: all that are stale are drawn for the same moment, some of them a turn, and
are seen together when the last of them is done. Seen as their turn comes, their cursors would
differ by as much as a round takes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum

from snakestudio.gui.plots.plot import LivePlot

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


Moment = tuple[tuple[float, float], float | None, int | None]
"""Stretch of time in view (s), time (s) and row of the cursor."""


class Stale(IntEnum):
    """How a plot has to be drawn anew."""

    LONGER = 0  # rows came at the end
    ALL = 1
    AT_ONCE = 2  # all of it, and the user waits


class Redraws:
    """The plots of a panel that do not show what they should.

    Parameters
    ----------
    clock : callable
        Gives the time, s.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._marked: dict[LivePlot, Stale] = {}
        self._round: dict[LivePlot, Stale] = {}
        self._unseen: list[LivePlot] = []
        self._moment: Moment = ((0.0, 1.0), None, None)
        self._drawn: dict[LivePlot, float] = {}
        self._asked: dict[LivePlot, float] = {}
        self._costs: dict[LivePlot, float] = {}
        self._hasty: set[LivePlot] = set()
        self._cost = 0.002

    @property
    def stale(self) -> dict[LivePlot, Stale]:
        """Plots that are to be drawn, and how."""
        return {**self._round, **self._marked}

    @property
    def settled(self) -> bool:
        """Whether every plot shows what it should, as well as it can."""
        return not self.stale and not self._hasty

    def keep(self, plots: Sequence[LivePlot]) -> None:
        """Forget plots that are gone."""
        self._marked = {plot: how for plot, how in self._marked.items() if plot in plots}
        self._round = {plot: how for plot, how in self._round.items() if plot in plots}
        self._unseen = [plot for plot in self._unseen if plot in plots]
        if not self._round:
            self._show()
        for times in (self._drawn, self._asked, self._costs):
            for plot in times.keys() - set(plots):
                del times[plot]
        self._hasty &= set(plots)

    def mark(self, plots: Iterable[LivePlot], how: Stale) -> None:
        """Have some plots drawn anew; those for which the user waits again and again are drawn in haste."""
        now = self._clock()
        for plot in plots:
            self._marked[plot] = max(self._marked.get(plot, how), how)
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
        """Redraw what is stale for as long as the budget lasts.

        Parameters
        ----------
        view : (float, float)
            Stretch of time to show, s.
        at, row : float and int or None
            Time (s) and row of the cursor.
        """
        now = self._clock()
        if not self._round:
            self._begin(now, (view, at, row))
        if not self._round:
            self._finish(now)
            return
        budget = _WAITED_S if Stale.AT_ONCE in self._round.values() else _BUDGET_S
        spent = 0.0
        for plot, how in list(self._round.items()):
            if spent and spent + self._costs.get(plot, self._cost) > budget:
                return
            began = self._clock()
            plot.chart.viewport().setUpdatesEnabled(False)
            self._unseen.append(plot)
            of, cursor, index = self._moment
            plot.draw(*of, cursor, index, steady=how != Stale.AT_ONCE, hasty=plot in self._hasty)
            cost = self._clock() - began
            self._cost += 0.1 * (min(cost, 0.02) - self._cost)
            self._costs[plot] = cost
            spent += cost
            self._drawn[plot] = now
            del self._round[plot]
        self._show()

    def _show(self) -> None:
        """Let the plots of the round be seen."""
        for plot in self._unseen:
            plot.chart.viewport().setUpdatesEnabled(True)
        self._unseen = []

    def move_cursor(self, at: float | None, row: int | None) -> None:
        """Draw the plots that the round still has to draw with the cursor at another time (s) and row."""
        self._moment = (self._moment[0], at, row)

    def _begin(self, now: float, moment: Moment) -> None:
        """Begin a round for a moment, if a plot is due: it is not drawn for new data more often than it can be."""
        pace = max(_REDRAW_S, len(self._drawn) * self._cost / _SHARE)
        if any(
            how == Stale.AT_ONCE or now - self._drawn.get(plot, 0.0) >= pace
            for plot, how in self._marked.items()
        ):
            self._round = self._marked
            self._marked = {}
            self._moment = moment

    def _finish(self, now: float) -> None:
        """Draw the next plot that rests as well as it can be."""
        for plot in self._hasty - self._marked.keys():
            if now - self._asked[plot] >= _REST_S:
                plot.chart.finish()
                self._hasty.discard(plot)
                return
