"""Scheduling of redraws of plots: new data wait for their turn, movements by the user do not.

Plots are redrawn in rounds: all outdated ones are drawn for the same time, some of them per turn of
the event loop, and are shown together when the last one is done. Shown one by one, their cursors
would differ by the duration of a round.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum

from snakestudio.gui.plots.plot import LivePlot

_REDRAW_S = 0.06
"""Shortest time between two redraws of the same plot for new data, s."""
_SHARE = 0.2
"""Largest share of time for redraws for new data: on a busy machine they are less frequent."""
_BUDGET_S = 0.008
"""Time limit of the redraws of one turn, s."""
_WAITED_S = 0.025
"""Time limit while the user waits for the redraws, so that all plots move together, s."""
_REST_S = 0.15
"""Time without movement after which a plot is drawn at full quality, s."""


Moment = tuple[tuple[float, float], float | None, int | None]
"""Time range in view (s), time (s) and row of the cursor."""


class Redraw(IntEnum):
    """How a plot has to be redrawn."""

    LONGER = 0  # rows were added at the end
    ALL = 1
    AT_ONCE = 2  # all of it, and the user waits


class Redraws:
    """The outdated plots of a panel.

    Parameters
    ----------
    clock : callable
        Returns the time, s.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._marked: dict[LivePlot, Redraw] = {}
        self._round: dict[LivePlot, Redraw] = {}
        self._unseen: list[LivePlot] = []
        self._moment: Moment = ((0.0, 1.0), None, None)
        self._drawn: dict[LivePlot, float] = {}
        self._last_requests: dict[LivePlot, float] = {}
        self._costs: dict[LivePlot, float] = {}
        self._hasty: set[LivePlot] = set()
        self._cost = 0.002

    @property
    def stale(self) -> dict[LivePlot, Redraw]:
        """Plots to be redrawn, and how."""
        return {**self._round, **self._marked}

    @property
    def settled(self) -> bool:
        """Whether all plots are up to date and drawn at full quality."""
        return not self.stale and not self._hasty

    def keep(self, plots: Sequence[LivePlot]) -> None:
        """Discard all plots but these."""
        self._marked = {plot: how for plot, how in self._marked.items() if plot in plots}
        self._round = {plot: how for plot, how in self._round.items() if plot in plots}
        self._unseen = [plot for plot in self._unseen if plot in plots]
        if not self._round:
            self._show()
        for times in (self._drawn, self._last_requests, self._costs):
            for plot in times.keys() - set(plots):
                del times[plot]
        self._hasty &= set(plots)

    def mark(self, plots: Iterable[LivePlot], how: Redraw) -> None:
        """Mark plots as outdated; those that the user moves repeatedly are drawn at reduced quality."""
        now = self._clock()
        for plot in plots:
            self._marked[plot] = max(self._marked.get(plot, how), how)
            if how == Redraw.AT_ONCE:
                if now - self._last_requests.get(plot, -math.inf) < _REST_S:
                    self._hasty.add(plot)
                self._last_requests[plot] = now

    def rest(self) -> None:
        """Return to full quality."""
        for plot in self._hasty:
            plot.chart.finish()
        self._hasty.clear()

    def draw(self, view: tuple[float, float], at: float | None, row: int | None) -> None:
        """Redraw outdated plots within the time limit.

        Parameters
        ----------
        view : (float, float)
            Time range to show, s.
        at, row : float and int or None
            Time (s) and row of the cursor.
        """
        now = self._clock()
        if not self._round:
            self._begin(now, (view, at, row))
        if not self._round:
            self._finish(now)
            return
        budget = _WAITED_S if Redraw.AT_ONCE in self._round.values() else _BUDGET_S
        spent = 0.0
        for plot, how in list(self._round.items()):
            if spent and spent + self._costs.get(plot, self._cost) > budget:
                return
            began = self._clock()
            plot.chart.viewport().setUpdatesEnabled(False)
            self._unseen.append(plot)
            of, cursor, index = self._moment
            plot.draw(*of, cursor, index, steady=how != Redraw.AT_ONCE, hasty=plot in self._hasty)
            cost = self._clock() - began
            self._cost += 0.1 * (min(cost, 0.02) - self._cost)
            self._costs[plot] = cost
            spent += cost
            self._drawn[plot] = now
            del self._round[plot]
        self._show()

    def _show(self) -> None:
        """Show the plots of the round."""
        for plot in self._unseen:
            plot.chart.viewport().setUpdatesEnabled(True)
        self._unseen = []

    def move_cursor(self, at: float | None, row: int | None) -> None:
        """Move the cursor of plots that the round has not drawn yet to another time (s) and row."""
        self._moment = (self._moment[0], at, row)

    def _begin(self, now: float, moment: Moment) -> None:
        """Begin a round if a plot is due, considering the rate limit for new data."""
        pace = max(_REDRAW_S, len(self._drawn) * self._cost / _SHARE)
        if any(
            how == Redraw.AT_ONCE or now - self._drawn.get(plot, 0.0) >= pace
            for plot, how in self._marked.items()
        ):
            self._round = self._marked
            self._marked = {}
            self._moment = moment

    def _finish(self, now: float) -> None:
        """Draw the next plot at rest at full quality."""
        for plot in self._hasty - self._marked.keys():
            if now - self._last_requests[plot] >= _REST_S:
                plot.chart.finish()
                self._hasty.discard(plot)
                return
