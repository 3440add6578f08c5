"""When a frame came, on the clock that everything here goes by: kernels stamp frames with the wall clock."""

from __future__ import annotations

import time

_OLDEST_S = 5.0
"""A stamp that is older, or of the future, is none: somebody has set the wall clock."""
_SAME_MOMENT_S = 0.0001


def arrival(stamp: float) -> float:
    """The time of a stamp (s, wall clock) on the monotonic clock; now if it makes no sense."""
    now, wall = _both_clocks()
    age = wall - stamp
    return now - age if 0.0 < age < _OLDEST_S else now


def _both_clocks() -> tuple[float, float]:
    """Monotonic and wall clock of the same moment: who is interrupted between the two looks again."""
    while True:
        before = time.monotonic()
        wall = time.time()
        after = time.monotonic()
        if after - before < _SAME_MOMENT_S:
            return after, wall
