"""A quantity that follows its target with limited rate and acceleration and without overshoot."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the rate and acceleration of a quantity."""

    rate: float
    """Per second, greater than 0."""

    acceleration: float
    """Per second squared, greater than 0."""

    @staticmethod
    def of(span: float, duration: float) -> Limits:
        """Return the limits with which a change by `span` from rest to rest takes `duration` (s).

        Acceleration and deceleration each take a quarter of the time.
        """
        rate = abs(span) / (0.75 * duration)
        return Limits(rate, rate / (0.25 * duration))


@dataclass(frozen=True, slots=True)
class LimitedMotion:
    """The time-optimal motion to rest at `target`: acceleration, constant rate, deceleration.

    A new target may be set at any time: value and rate are continuous. Because the motion can always
    stop at its target, it stays within the range of all its targets.
    """

    target: float
    since: float = 0.0
    """Time of `value` and `rate`, s."""

    value: float = 0.0
    rate: float = 0.0
    acceleration: float = 0.0
    """Acceleration towards the target; its negative is the deceleration."""

    durations: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Durations of acceleration, constant rate and deceleration, s."""

    @property
    def end(self) -> float:
        """Time of arrival, s."""
        first, second, third = self.durations
        return self.since + (first + second + third)

    def aimed(self, target: float, limits: Limits, time: float) -> LimitedMotion:
        """Return the motion that continues from this one at `time` (s) to `target`."""
        at = np.array([time])
        begin, rate = (float(part[0]) for part in self.at(at)[:2])
        most = limits.acceleration
        # Maximum deceleration would end here; the target is beyond this point or before it.
        rest = begin + 0.5 * rate * abs(rate) / most
        sign = math.copysign(1.0, target - rest)
        distance = sign * (target - begin)
        along = sign * rate
        fastest = max(limits.rate, along)
        peak = min(fastest, math.sqrt(max(most * distance + 0.5 * along**2, 0.0)))
        peak = max(peak, along)  # rounding
        evenly = 0.0
        if peak == fastest:
            evenly = max(0.0, (distance - (2.0 * peak**2 - along**2) / (2.0 * most)) / peak)
        durations = ((peak - along) / most, evenly, peak / most)
        return LimitedMotion(target, time, begin, rate, sign * most, durations)

    def _parts(self, time: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return the elapsed time of each phase at `time`, s, and the time at rest."""
        first, second, third = self.durations
        passed = np.maximum(time - self.since, 0.0)
        return (
            np.minimum(passed, first),
            np.minimum(np.maximum(passed - first, 0.0), second),
            np.minimum(np.maximum(passed - first - second, 0.0), third),
            np.maximum(passed - first - second - third, 0.0),
        )

    def at(self, time: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the value, rate and acceleration at `time` (s, not before `since`); at a jump, the later one."""
        if time.flat[0] >= self.end:  # the common case
            still = np.zeros(time.shape)
            return np.full(time.shape, self.target), still, still
        a, b, c, _ = self._parts(time)
        top = self.rate + self.acceleration * self.durations[0]
        reached = time >= self.end
        value = self.value + self.rate * a + top * (b + c) + 0.5 * self.acceleration * (a**2 - c**2)
        rate = self.rate + self.acceleration * (a - c)
        first, second, _ = self.durations
        passed = time - self.since
        sign = np.where(passed < first, 1.0, np.where(passed < first + second, 0.0, -1.0))
        return (
            np.where(reached, self.target, value),
            np.where(reached, 0.0, rate),
            np.where(reached, 0.0, self.acceleration * sign),
        )

    def value_at(self, time: float) -> float:
        """Return the value at `time` (s, not before `since`)."""
        if time >= self.end:
            return self.target
        # Same as `at`, but ten times as fast for a single time.
        first, second, third = self.durations
        passed = max(time - self.since, 0.0)
        a = min(passed, first)
        b = min(max(passed - first, 0.0), second)
        c = min(max(passed - first - second, 0.0), third)
        top = self.rate + self.acceleration * first
        return (
            self.value + self.rate * a + top * (b + c) + 0.5 * self.acceleration * (a * a - c * c)
        )

    def integral(self, time: FloatArray) -> FloatArray:
        """Return the integral from `since` to `time`."""
        a, b, c, rested = self._parts(time)
        first, second, _ = self.durations
        accel = self.acceleration
        top = self.rate + accel * first
        sped_up = self.value + self.rate * first + 0.5 * accel * first**2
        area: FloatArray = (
            self.value * a
            + 0.5 * self.rate * a**2
            + accel * a**3 / 6.0
            + sped_up * b
            + 0.5 * top * b**2
            + (sped_up + top * second) * c
            + 0.5 * top * c**2
            - accel * c**3 / 6.0
            + self.target * rested
        )
        return area


def resting(value: float) -> LimitedMotion:
    """Return a quantity at rest."""
    return LimitedMotion(value, value=value)
