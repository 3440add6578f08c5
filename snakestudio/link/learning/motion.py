"""The motion that a hand makes with a joint while the program listens: a curve to follow, and which way is positive."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snakestudio.link.profile.schema import AxisKind

_DIRECTIONS: dict[AxisKind, tuple[str, str]] = {
    "yaw": ("to the left", "to the right"),
    "pitch": ("down", "up"),
    "roll": ("clockwise", "anticlockwise"),
}

# Share of a cycle at which each leg ends, and where it ends. Holds and a return past the middle:
# neither a drift, nor a rate, nor a current looks like that.
_TIMES = (0.0, 0.12, 0.30, 0.42, 0.60, 0.72, 0.88, 1.0)
_PLACES = (0.0, 0.0, 1.0, 1.0, -1.0, -1.0, 0.0, 0.0)


def directions(axis: AxisKind) -> tuple[str, str]:
    """Where the link behind a joint turns for positive and for negative angles, seen from the link before it."""
    return _DIRECTIONS[axis]


@dataclass(frozen=True, slots=True)
class Cue:
    """Straight, to one side, hold, to the other side, hold, straight; over and over."""

    begin: float
    """When it begins, s."""

    cycle_s: float = 6.0
    """How long one round takes, s."""

    cycles: int = 2
    """How many rounds there are."""

    amplitude: float = math.radians(20.0)
    """How far the joint is to be turned, rad."""

    @property
    def end(self) -> float:
        """When it is over, s."""
        return self.begin + self.cycles * self.cycle_s

    def angle(self, time: ArrayLike) -> NDArray[np.float64]:
        """Where the joint should be at these times (any shape), rad; straight before and after."""
        t = np.asarray(time, dtype=np.float64)
        phase = np.mod((t - self.begin) / self.cycle_s, 1.0)
        along = np.interp(phase, _TIMES, _PLACES)
        smooth = np.sin(0.5 * np.pi * along)  # no kink at the ends: hands cannot follow one
        inside = (t >= self.begin) & (t <= self.end)
        result: NDArray[np.float64] = np.where(inside, self.amplitude * smooth, 0.0)
        return result
