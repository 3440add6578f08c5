"""A joint offset that follows what is wanted of it smoothly: angle, rate and acceleration are those of one motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.compilable import follow_offset

__all__ = ["OffsetFilter"]


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

    def at(self, time: FloatArray) -> FloatArray:
        """Angle, rate and acceleration at `time` (s, not before `since`), (3, k); rad, rad/s, rad/s^2."""
        motion = np.empty((3, len(time)))
        follow_offset(time, self.since, self.wanted, self.response, self.angle, self.rate, motion)
        return motion

    def aimed(self, wanted: float, response: float, time: float) -> OffsetFilter:
        """The filter that goes on from this one at `time`, with angle and rate as they are, to `wanted`."""
        angle, rate, _ = self.at(np.array([time])).ravel().tolist()
        return OffsetFilter(wanted, response, time, angle, rate)
