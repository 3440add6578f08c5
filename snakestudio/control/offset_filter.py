"""A joint offset that follows what is wanted of it smoothly: angle, rate and acceleration are those of one motion."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.model.compilable import add_offset, follow_offset


class OffsetFilter(NamedTuple):
    """The critically damped filter psi'' = (wanted - psi) / T^2 - 2 psi' / T, exact for a constant `wanted`."""

    wanted: float = 0.0
    """rad."""

    response: float = 1.0
    """Time constant T, s."""

    since: float = 0.0
    """Time from which on this is wanted, s."""

    angle: float = 0.0
    rate: float = 0.0
    """`angle` and `rate`: where the filter stood then; rad, rad/s."""

    def at(self, time: FloatArray) -> FloatArray:
        """Angle, rate and acceleration at `time` (s, not before `since`), (3, k); rad, rad/s, rad/s^2."""
        motion = np.empty((3, len(time)))
        follow_offset(time, self.since, self.wanted, self.response, self.angle, self.rate, motion)
        return motion

    def add_to(
        self,
        motion: tuple[FloatArray, FloatArray, FloatArray],
        columns: IndexArray,
        time: FloatArray,
    ) -> None:
        """Add what `at` gives to some columns of angles, rates and accelerations at `time`, each (k, m)."""
        add_offset(
            time, self.since, self.wanted, self.response, self.angle, self.rate, columns, *motion
        )

    def aimed(self, wanted: float, response: float, time: float) -> OffsetFilter:
        """The filter that goes on from this one at `time`, with angle and rate as they are, to `wanted`."""
        # As `follow_offset`: for one time, plain numbers are faster than a call of compiled code.
        speed = 1.0 / self.response
        away = self.angle - self.wanted
        slope = self.rate + speed * away
        passed = time - self.since
        fading = math.exp(-1.0 / self.response * passed)
        left = away + slope * passed
        return OffsetFilter(
            wanted, response, time, self.wanted + left * fading, (slope - speed * left) * fading
        )
