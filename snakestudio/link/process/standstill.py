"""Whether this process, or the whole machine, stood still: neither notices it while it lasts."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

_CLOCKS = {"linux": "CLOCK_BOOTTIME", "darwin": "CLOCK_MONOTONIC"}
"""Those that go on while the machine sleeps, where Python's monotonic clock does not."""


def _counting_sleep() -> Callable[[], float]:
    number = getattr(time, _CLOCKS.get(sys.platform, ""), None)
    return time.monotonic if number is None else lambda: time.clock_gettime(number)


class Standstill:
    """Measures the time between two looks, with all that the machine slept in between.

    Parameters
    ----------
    longest : float
        What is no standstill yet, s.
    clock : callable, optional
        Gives the time, s.
    """

    def __init__(self, longest: float, clock: Callable[[], float] | None = None) -> None:
        self._longest = longest
        self._clock = _counting_sleep() if clock is None else clock
        self._last = self._clock()

    def look(self) -> float:
        """How long it stood still since the last look, s; 0 if it did not."""
        last = self._last
        self._last = self._clock()
        gap = self._last - last
        return gap if gap > self._longest else 0.0
