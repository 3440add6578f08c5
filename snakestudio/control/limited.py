"""A quantity that follows what is wanted of it with limited rate and limited acceleration, never past it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Limits:
    """How fast a quantity may change."""

    rate: float
    """Per second, greater than 0."""

    acceleration: float
    """Per second squared, greater than 0."""

    @staticmethod
    def of(span: float, duration: float) -> Limits:
        """Limits under which a change by `span` from rest to rest takes `duration` (s).

        A quarter of the time it speeds up, a quarter of it slows down.
        """
        rate = abs(span) / (0.75 * duration)
        return Limits(rate, rate / (0.25 * duration))


@dataclass(frozen=True, slots=True)
class Limited:
    """The motion that reaches `target` soonest and at rest: it speeds up, goes on evenly, slows down.

    Aimed anew at any moment it goes on from where it is, at the rate it has: value and rate never
    jump. As it could always stop at its target, it stays within everything it was ever aimed at.
    """

    target: float
    since: float = 0.0
    """Time of `value` and `rate`, s."""

    value: float = 0.0
    rate: float = 0.0
    acceleration: float = 0.0
    """While it speeds up (towards the target); minus that while it slows down."""

    durations: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Of speeding up, going on evenly, slowing down, s."""

    @property
    def end(self) -> float:
        """When it has arrived, s."""
        first, second, third = self.durations
        return self.since + (first + second + third)

    def aimed(self, target: float, limits: Limits, time: float) -> Limited:
        """The motion that leaves this one at `time` (s) for `target`."""
        at = np.array([time])
        begin, rate = (float(part[0]) for part in self.at(at)[:2])
        most = limits.acceleration
        # Braking at once it would come to rest here; the target lies beyond that, or on the other
        # side.
        rest = begin + 0.5 * rate * abs(rate) / most
        way = math.copysign(1.0, target - rest)
        distance = way * (target - begin)
        along = way * rate
        fastest = max(limits.rate, along)
        peak = min(fastest, math.sqrt(max(most * distance + 0.5 * along**2, 0.0)))
        peak = max(peak, along)  # rounding
        evenly = 0.0
        if peak == fastest:
            evenly = max(0.0, (distance - (2.0 * peak**2 - along**2) / (2.0 * most)) / peak)
        durations = ((peak - along) / most, evenly, peak / most)
        return Limited(target, time, begin, rate, way * most, durations)

    def _parts(self, time: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """How much of each part has passed at `time`, s, and how long it has rested."""
        first, second, third = self.durations
        passed = np.maximum(time - self.since, 0.0)
        return (
            np.minimum(passed, first),
            np.minimum(np.maximum(passed - first, 0.0), second),
            np.minimum(np.maximum(passed - first - second, 0.0), third),
            np.maximum(passed - first - second - third, 0.0),
        )

    def at(self, time: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Value, rate and acceleration at `time` (s, not before `since`); where that jumps, the one to come."""
        if time.flat[0] >= self.end:  # most of the time nothing changes
            still = np.zeros(time.shape)
            return np.full(time.shape, self.target), still, still
        a, b, c, _ = self._parts(time)
        top = self.rate + self.acceleration * self.durations[0]
        there = time >= self.end
        value = self.value + self.rate * a + top * (b + c) + 0.5 * self.acceleration * (a**2 - c**2)
        rate = self.rate + self.acceleration * (a - c)
        first, second, _ = self.durations
        passed = time - self.since
        sign = np.where(passed < first, 1.0, np.where(passed < first + second, 0.0, -1.0))
        return (
            np.where(there, self.target, value),
            np.where(there, 0.0, rate),
            np.where(there, 0.0, self.acceleration * sign),
        )

    def value_at(self, time: float) -> float:
        """Value at `time` (s, not before `since`)."""
        if time >= self.end:
            return self.target
        # As `at`: for one time, plain numbers are ten times as fast as arrays.
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
        """Integral from `since` to `time`."""
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


def resting(value: float) -> Limited:
    """A quantity that does not change."""
    return Limited(value, value=value)
