"""The motion of a joint by hand during learning: the curve to follow, and the positive direction."""

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

# Share of a cycle and position at which each segment ends. Holds and a return past the middle
# distinguish the angle from a drift, a rate or a current.
_TIMES = (0.0, 0.12, 0.30, 0.42, 0.60, 0.72, 0.88, 1.0)
_PLACES = (0.0, 0.0, 1.0, 1.0, -1.0, -1.0, 0.0, 0.0)


def directions(axis: AxisKind) -> tuple[str, str]:
    """Return the directions of positive and negative angles: of the link behind a joint, seen from the link before."""
    return _DIRECTIONS[axis]


@dataclass(frozen=True, slots=True)
class Cue:
    """Repeated motion: straight, to one side, hold, to the other side, hold, straight."""

    begin: float
    """Begin, s."""

    cycle_s: float = 6.0
    """Duration of one cycle, s."""

    cycles: int = 2
    """Number of cycles."""

    amplitude: float = math.radians(20.0)
    """Amplitude of the joint angle, rad."""

    @property
    def end(self) -> float:
        """End, s."""
        return self.begin + self.cycles * self.cycle_s

    def angle(self, time: ArrayLike) -> NDArray[np.float64]:
        """Return the angle of the joint at times of any shape, rad; straight before and after."""
        t = np.asarray(time, dtype=np.float64)
        phase = np.mod((t - self.begin) / self.cycle_s, 1.0)
        along = np.interp(phase, _TIMES, _PLACES)
        smooth = np.sin(0.5 * np.pi * along)  # smooth at the ends, so that a hand can follow
        inside = (t >= self.begin) & (t <= self.end)
        result: NDArray[np.float64] = np.where(inside, self.amplitude * smooth, 0.0)
        return result
