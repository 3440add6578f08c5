"""Detection of standstills of this process or the machine, such as suspension."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

_CLOCKS = {"linux": "CLOCK_BOOTTIME", "darwin": "CLOCK_MONOTONIC"}
"""Clocks that continue while the machine sleeps, unlike Python's monotonic clock."""


def _counting_sleep() -> Callable[[], float]:
    number = getattr(time, _CLOCKS.get(sys.platform, ""), None)
    return time.monotonic if number is None else lambda: time.clock_gettime(number)


class Standstill:
    """Measures the time between two calls, including sleep of the machine.

    Parameters
    ----------
    longest : float
        Longest time that is not a standstill, s.
    clock : callable, optional
        Returns the time, s.
    """

    def __init__(self, longest: float, clock: Callable[[], float] | None = None) -> None:
        self._longest = longest
        self._clock = _counting_sleep() if clock is None else clock
        self._last = self._clock()

    def measure(self) -> float:
        """Return the duration of a standstill since the last call, s; 0 if there was none."""
        last = self._last
        self._last = self._clock()
        gap = self._last - last
        return gap if gap > self._longest else 0.0
