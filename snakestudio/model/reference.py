"""JointReference: what the joints shall do for a while, the same for a simulation and for the robot on CAN."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["JointReference"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JointReference:
    """Knots in time of the joint angles, evaluated in between by cubic Hermite interpolation.

    Attributes
    ----------
    time : (k,) array
        Times of the knots, s, strictly ascending, k >= 2.
    angle, rate, acceleration : (k, n_joints, 2) arrays
        Joint angles (yaw, pitch) and their derivatives at the knots; rad, rad/s, rad/s^2. The signs are those of P1/P2.
    """

    time: FloatArray
    angle: FloatArray
    rate: FloatArray
    acceleration: FloatArray

    def at(self, time: float) -> tuple[FloatArray, FloatArray]:
        """Angle and rate at `time`, each (n_joints, 2); the ends hold outside the knots."""
        t = self.time
        if time >= t[-1]:
            return self.angle[-1], self.rate[-1]
        index = int(np.clip(np.searchsorted(t, time, side="right") - 1, 0, len(t) - 2))
        h = t[index + 1] - t[index]
        s = float(np.clip((time - t[index]) / h, 0.0, 1.0))
        a0, a1 = self.angle[index], self.angle[index + 1]
        r0, r1 = self.rate[index], self.rate[index + 1]
        angle = (
            (1 + 2 * s) * (1 - s) ** 2 * a0
            + s * (1 - s) ** 2 * h * r0
            + s**2 * (3 - 2 * s) * a1
            + s**2 * (s - 1) * h * r1
        )
        rate = 6 * s * (s - 1) / h * a0 + (1 - s) * (1 - 3 * s) * r0 - 6 * s * (s - 1) / h * a1 + s * (3 * s - 2) * r1
        return angle, rate
