"""Whether it may go on: everything that can forbid it while torque is on, asked in one place and in one order."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio.link.core.arrivals import Arrivals
from snakestudio.link.core.limited import Limited
from snakestudio.link.core.limits import AxisLimits
from snakestudio.link.core.measured import MeasuredChecks
from snakestudio.link.core.node_states import NodeStates
from snakestudio.link.core.text import axis_names
from snakestudio.link.core.watchdogs import Loss, Watchdogs
from snakestudio.link.messages import LinkState

__all__ = ["Supervisor"]

FloatArray = NDArray[np.float64]

_MOVED = math.radians(5.0)
"""A joint that moves by more than this and its limits' margin while it is being armed is not where its set-point is."""


class Supervisor:
    """Looks at watchdogs, frames and measurements.

    Parameters
    ----------
    limits : AxisLimits
    observed : NodeStates
    watchdogs : Watchdogs
    arrivals : Arrivals
    measured : MeasuredChecks
    limited : Limited
    """

    def __init__(
        self,
        limits: AxisLimits,
        observed: NodeStates,
        watchdogs: Watchdogs,
        arrivals: Arrivals,
        measured: MeasuredChecks,
        limited: Limited,
    ) -> None:
        self._limits, self._observed = limits, observed
        self._watchdogs, self._arrivals, self._measured, self._limited = watchdogs, arrivals, measured, limited

    def begin(self, now: float) -> None:
        """Torque comes on (s): from now on it counts how long anything lasts."""
        self._watchdogs.begin(now)
        self._measured.start()
        self._limited.begin()

    def check(self, now: float, state: LinkState, doing: str, set_points: FloatArray) -> Loss | None:
        """The first thing that forbids going on; None if nothing does.

        Parameters
        ----------
        now : float
            s.
        state : LinkState
        doing : str
            The sequence that is being carried out, "arm" or "disarm"; "" if none is.
        set_points : (m,) array
            What the axes were last told, rad.
        """
        streaming = state is LinkState.STREAMING
        loss = self._watchdogs.check(now, streaming=streaming, settling=bool(doing))
        if loss is None and self._arrivals.unreadable_too_often(now):
            why = self._arrivals.why_unreadable
            loss = Loss("decode", f"Too much on the bus could not be read within a second. {why}")
        if loss is None and doing == "arm":
            loss = self._moved(set_points)
        return loss or self._measured.check(now, set_points, streaming=streaming) or self._limited.check(now)

    def _moved(self, held: FloatArray) -> Loss | None:
        moved = np.abs(self._observed.values["angle"] - held) > max(_MOVED, self._limits.margin)
        if not moved.any():
            return None
        names = axis_names(self._limits.axes, moved)
        return Loss("limit", f"{names.capitalize()} moved while the robot was being armed.")
