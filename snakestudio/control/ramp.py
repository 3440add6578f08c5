"""Smooth transitions of gait parameters, so that a slider does not make the joints jump."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray

RAMP_TIME = 0.3
"""Shortest duration of a transition, s: brief to the eye, but long compared with the response of the joints."""

JOINT_SPEED = 5.0
"""Largest joint speed due to a transition, rad/s; a transition that would exceed it takes longer."""

START_TOLERANCE = 1e-6
"""Difference between the initial pose and the first references that is attributed to rounding, rad."""

_PEAK = 1.875  # largest slope of the quintic from rest to rest over one unit of time


@dataclass(frozen=True, slots=True)
class Ramp:
    """A quantity that moves to `target` in `duration` from `start` on, and stays there.

    It follows the quintic that ends at rest and continues value, rate and acceleration at `start`, so
    moving a slider back and forth gives one smooth motion.
    """

    target: float
    start: float = 0.0
    """Start of the ramp, s."""

    duration: float = RAMP_TIME
    """Duration of the ramp, s."""

    coefficients: tuple[float, ...] = ()
    """Coefficients of the polynomial in x = (t - start) / duration, constant first; empty if the quantity
    is constant."""

    def towards(self, target: float, time: float, lever: float = 0.0) -> Ramp:
        """Return the ramp that continues from this one at `time` to `target`.

        Parameters
        ----------
        time : float
            s.
        lever : float
            Change of a joint angle per unit of the quantity, rad; large changes take longer.
        """
        at = np.array([time])
        value, rate, acceleration = (
            float(f(at)[0]) for f in (self.value, self.rate, self.acceleration)
        )
        d = target - value
        t = max(RAMP_TIME, _PEAK * abs(d) * lever / JOINT_SPEED)
        v = rate * t
        a = acceleration * t * t
        return Ramp(
            target,
            time,
            t,
            (
                value,
                v,
                a / 2,
                10 * d - 6 * v - 1.5 * a,
                -15 * d + 8 * v + 1.5 * a,
                6 * d - 3 * v - 0.5 * a,
            ),
        )

    def _polynomial(
        self, coefficients: tuple[float, ...], time: FloatArray, end: float
    ) -> FloatArray:
        """Return the polynomial during the ramp, `end` after it."""
        if not coefficients:
            return np.full(time.shape, end)
        x = (time - self.start) / self.duration
        result = np.zeros(time.shape)
        for coefficient in reversed(coefficients):
            result = result * x + coefficient
        return np.where(x < 1.0, result, end)

    def value(self, time: FloatArray) -> FloatArray:
        """Return the value at `time`, which must not be before `start`."""
        return self._polynomial(self.coefficients, time, self.target)

    def rate(self, time: FloatArray) -> FloatArray:
        """Return the first derivative at `time`."""
        return self._polynomial(
            tuple(k * c / self.duration for k, c in enumerate(self.coefficients))[1:], time, 0.0
        )

    def acceleration(self, time: FloatArray) -> FloatArray:
        """Return the second derivative at `time`."""
        second = tuple(k * (k - 1) * c / self.duration**2 for k, c in enumerate(self.coefficients))[
            2:
        ]
        return self._polynomial(second, time, 0.0)

    def integral(self, time: FloatArray) -> FloatArray:
        """Return the integral from `start` to `time`."""
        elapsed = time - self.start
        if not self.coefficients:
            return self.target * elapsed
        area = (0.0, *(c * self.duration / (k + 1) for k, c in enumerate(self.coefficients)))
        after = sum(area) + self.target * (elapsed - self.duration)
        return np.where(elapsed < self.duration, self._polynomial(area, time, 0.0), after)


def constant(value: float) -> Ramp:
    """Return a quantity that does not change."""
    return Ramp(value)


def lead_in(away: FloatArray) -> tuple[FloatArray, Ramp]:
    """Return the transition of joints that start `away` (rad) from their references, from t = 0 on.

    Returns
    -------
    away : array
        Offset from the references, to be multiplied by the ramp; 0 where the difference is negligible.
    share : Ramp
        Ramp from 1 to 0.
    """
    furthest = float(np.abs(away).max(initial=0.0))
    if furthest > START_TOLERANCE:
        return away, constant(1.0).towards(0.0, 0.0, furthest)
    return np.zeros_like(away), constant(0.0)
