"""Conversion of time stamps of frames, which kernels take from the wall clock, to the monotonic clock."""

from __future__ import annotations

import time

_OLDEST_S = 5.0
"""A stamp that is older, or in the future, is invalid because the wall clock was set."""
_SAME_MOMENT_S = 0.0001


def arrival(stamp: float) -> float:
    """Return the time of a stamp (s, wall clock) on the monotonic clock; now if it is invalid."""
    now, wall = _both_clocks()
    age = wall - stamp
    return now - age if 0.0 < age < _OLDEST_S else now


def _both_clocks() -> tuple[float, float]:
    """Return monotonic and wall clock of the same moment; repeated if interrupted in between."""
    while True:
        before = time.monotonic()
        wall = time.time()
        after = time.monotonic()
        if after - before < _SAME_MOMENT_S:
            return after, wall
