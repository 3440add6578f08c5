"""Gait motions evaluated for many steps in one call, because controllers request few of them each period."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.compilable import copy_rows

Motion = tuple[FloatArray, FloatArray, FloatArray]
"""Angles, rates and accelerations of all joint axes at some times, each (k, m)."""

_STEPS = 320
"""Number of steps per evaluation."""


class LookAhead:
    """Cache of a motion that is requested at the starts of consecutive steps, a few at a time.

    Parameters
    ----------
    evaluate : function
        The motion at times (k,), s; each row depends only on its own time.
    step : float
        Time step, s.
    m : int
        Joint axes.
    """

    def __init__(self, evaluate: Callable[[FloatArray], Motion], step: float, m: int) -> None:
        self._evaluate = evaluate
        self._step = step
        self._m = m
        self.clear()

    def clear(self) -> None:
        """Discard cached values, because the motion has changed."""
        self._first = 0
        self._known = 0
        self._time, self._motion = np.zeros(0), np.zeros((3, 0, self._m))

    def motion(self, time: FloatArray) -> Motion:
        """Return angles, rates and accelerations at `time` ((k,), s)."""
        k = len(time)
        if 4 * k > _STEPS:
            return self._evaluate(time)
        first = round(time.item(0) / self._step)
        offset = first - self._first
        if not 0 <= offset <= self._known - k:
            if not np.array_equal(self._steps(first, k), time):  # between the steps
                return self._evaluate(time)
            self._first, self._time, offset = first, self._steps(first, _STEPS), 0
            self._motion = np.stack(self._evaluate(self._time))
            self._known = _STEPS
        angle, rate, acceleration = motion = np.empty((3, k, self._m))
        if not copy_rows(time, self._time, self._motion, offset, motion):
            return self._evaluate(time)
        return angle, rate, acceleration

    def _steps(self, first: int, count: int) -> FloatArray:
        """Start times of `count` steps, s."""
        times: FloatArray = np.arange(first, first + count, dtype=np.float64) * self._step
        return times
