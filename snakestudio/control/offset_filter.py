"""A joint offset that follows its target smoothly, with consistent angle, rate and acceleration."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.model.compilable import add_offset, follow_offset, offset_at


class OffsetFilter(NamedTuple):
    """The critically damped filter psi'' = (target - psi) / T^2 - 2 psi' / T, exact for a constant target `wanted`."""

    wanted: float = 0.0
    """Target of the angle psi, rad."""

    response: float = 1.0
    """Time constant T, s."""

    since: float = 0.0
    """Time from which on the target applies, s."""

    angle: float = 0.0
    """Angle at the time `since`, rad."""

    rate: float = 0.0
    """Rate at the time `since`, rad/s."""

    def at(self, time: FloatArray) -> FloatArray:
        """Return the angle, rate and acceleration at `time` (s, not before `since`), (3, k); rad, rad/s, rad/s^2."""
        motion = np.empty((3, len(time)))
        follow_offset(time, self.since, self.wanted, self.response, self.angle, self.rate, motion)
        return motion

    def add_to(
        self,
        motion: tuple[FloatArray, FloatArray, FloatArray],
        columns: IndexArray,
        time: FloatArray,
    ) -> None:
        """Add the result of `at` to some columns of angles, rates and accelerations at `time`, each (k, m)."""
        add_offset(
            time, self.since, self.wanted, self.response, self.angle, self.rate, columns, *motion
        )

    def aimed(self, target: float, response: float, time: float) -> OffsetFilter:
        """Return the filter that continues from this one at `time`, with the same angle and rate, to `wanted`."""
        # For a single time, Python is faster than a call of compiled code.
        angle, rate, _ = offset_at(
            time - self.since, self.wanted, self.response, self.angle, self.rate
        )
        return OffsetFilter(target, response, time, angle, rate)
