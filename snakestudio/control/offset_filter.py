"""A joint offset that follows what is wanted of it smoothly: angle, rate and acceleration are those of one motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray

__all__ = ["OffsetFilter"]

T = TypeVar("T", float, NDArray[np.float64])


@dataclass(frozen=True, slots=True)
class OffsetFilter:
    """The critically damped filter psi'' = (wanted - psi) / T^2 - 2 psi' / T, solved exactly for a constant `wanted`.

    Attributes
    ----------
    wanted : float
        rad.
    response : float
        Time constant T, s.
    since : float
        Time from which on this is wanted, s.
    angle, rate : float
        Where the filter stood then; rad, rad/s.
    """

    wanted: float = 0.0
    response: float = 1.0
    since: float = 0.0
    angle: float = 0.0
    rate: float = 0.0

    def at(self, time: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Angle, rate and acceleration at `time` (s, not before `since`); rad, rad/s, rad/s^2."""
        passed = time - self.since
        return self._course(passed, np.exp(-1.0 / self.response * passed))

    def aimed(self, wanted: float, response: float, time: float) -> OffsetFilter:
        """The filter that goes on from this one at `time`, with angle and rate as they are, to `wanted`."""
        passed = time - self.since
        angle, rate, _ = self._course(passed, float(np.exp(-1.0 / self.response * passed)))
        return OffsetFilter(wanted, response, time, angle, rate)

    def _course(self, passed: T, fading: T) -> tuple[T, T, T]:
        """`at`, so long after `since`, when so much is left of what fades."""
        speed = 1.0 / self.response
        away = self.angle - self.wanted
        slope = self.rate + speed * away
        left = away + slope * passed
        angle = self.wanted + left * fading
        rate = (slope - speed * left) * fading
        acceleration = (speed * left - 2.0 * slope) * speed * fading
        return angle, rate, acceleration
