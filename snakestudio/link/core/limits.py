"""Set-points that a robot can follow: within the angles, rates and accelerations that its profile allows.

Time is counted in periods of the set-points. With a step of ``v T`` a period and a rate that falls
by ``a T`` a period, a joint that moves at ``v`` now needs ``v T + (v - a T) T + (v - 2 a T) T +
...`` to come to rest. `stopping_rate` is the largest ``v`` for which that sum stays within a
distance: the minimum-time profile in discrete time. It is used twice: towards the limits (a hard
bound, so that rest before the limit can always be reached with the acceleration allowed) and
towards the reference, relative to how fast that moves (so that it is caught up without overshoot).
"""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.link.profile.schema import Axis, Profile


def stopping_rate(distance: FloatArray, acceleration: FloatArray, period: float) -> FloatArray:
    """Return the largest rate from which rest is reached within a distance.

    Parameters
    ----------
    distance : (m,) array
        rad; values that are not positive count as 0.
    acceleration : (m,) array
        rad/s^2, positive.
    period : float
        s.

    Returns
    -------
    (m,) array
        rad/s, not negative. With u = v / (a T) and x = distance / (a T^2) it solves
        (n + 1) u - n (n + 1) / 2 = x with n = floor(u): n further steps follow, each slower by one.
    """
    step = acceleration * period
    x = np.maximum(distance, 0.0) / (step * period)
    n = np.floor((np.sqrt(1.0 + 8.0 * x) - 1.0) / 2.0)
    return np.asarray(step * (x + n * (n + 1.0) / 2.0) / (n + 1.0))


def _within(value: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the same as `np.clip`, in a fifth of its time for few numbers: called eight times per period."""
    return np.asarray(np.minimum(np.maximum(value, low), high))


class AxisLimits:
    """Limits of all m axes in SI units; limits that an axis does not have are those of the profile.

    Attributes
    ----------
    low, high : (m,) arrays
        rad.
    rate, acceleration : (m,) arrays
        rad/s, rad/s^2.
    ramp : float
        rad/s.
    margin : float
        rad.
    current, temperature, voltage : (m,) arrays
        A, °C and, at least, V; infinite where there is no limit.
    error : float
        rad; inf if there is no limit.
    """

    def __init__(self, profile: Profile) -> None:
        limits = profile.limits

        def each(name: str, otherwise: float) -> FloatArray:
            shared = getattr(limits, name)
            shared = otherwise if shared is None else shared
            return np.array(
                [shared if (own := getattr(axis, name)) is None else own for axis in profile.axes],
                float,
            )

        self.low = np.radians(each("min_deg", -np.inf))
        self.high = np.radians(each("max_deg", np.inf))
        self.rate = np.radians(each("max_rate_deg_per_s", np.inf))
        self.acceleration = np.radians(each("max_acceleration_deg_per_s2", np.inf))
        self.current = each("max_current_a", np.inf)
        self.temperature = each("max_temperature_c", np.inf)
        self.voltage = each("min_voltage_v", -np.inf)
        self.ramp = float(np.radians(limits.ramp_rate_deg_per_s))
        self.margin = float(np.radians(limits.margin_deg))
        self.error = (
            np.inf if limits.max_error_deg is None else float(np.radians(limits.max_error_deg))
        )
        self.axes: tuple[Axis, ...] = profile.axes

    def text(self, index: int) -> str:
        """Return the angle limits of an axis as text: "-60° to 60°"."""
        return f"{np.degrees(self.low[index]):g}° to {np.degrees(self.high[index]):g}°"


class SetPointLimiter:
    """Moves the set-points of all axes from their actual angles to the references, within the limits.

    An axis away from its reference approaches it at most at the ramp's rate relative to it, both when
    streaming begins and after any jump of the reference. The acceleration limit has priority, then
    the angle, then the rate; for all states that the limiter itself has reached, all of them hold.

    Parameters
    ----------
    period : float
        Time between two set-points, s.
    """

    def __init__(self, limits: AxisLimits, period: float) -> None:
        self._limits = limits
        self._period = period
        m = len(limits.low)
        self.angle: FloatArray = np.zeros(m)
        self.rate: FloatArray = np.zeros(m)
        self._low = limits.low
        self._high = limits.high
        self._before: FloatArray | None = None

    def start(self, angle: FloatArray) -> None:
        """Begin at rest at an angle.

        An axis beyond a limit (within the profile's margin, otherwise it could not be armed) is held
        there, moved back by the first reference, and from then on kept within the range that it has
        reached.
        """
        self.angle = np.array(angle, float)
        self.rate = np.zeros_like(self.angle)
        self._low = np.minimum(self._limits.low, self.angle)
        self._high = np.maximum(self._limits.high, self.angle)
        self._before = None

    def hold(self) -> FloatArray:
        """Advance one period without a reference: come to rest, and stay."""
        self._before = None
        return self._advance(np.zeros_like(self.rate))

    def follow(self, angle: FloatArray, rate: FloatArray) -> FloatArray:
        """Advance one period towards a reference.

        Parameters
        ----------
        angle, rate : (m,) arrays
            Reference at the end of the period, rad, and its rate, rad/s. An axis with values that
            are not finite comes to rest.

        Returns
        -------
        (m,) array
            The set-points, rad; also as `angle`, with their rate as `rate`.
        """
        limits = self._limits
        period = self._period
        known = np.isfinite(angle) & np.isfinite(rate)
        target = _within(np.where(known, angle, self.angle), limits.low, limits.high)
        before = target if self._before is None else self._before
        # Rate of the reference: its change over the period, unless that is a jump (or there is none
        # yet).
        moved = (target - before) / period
        jumped = (
            np.abs(moved) > limits.rate if self._before is not None else np.ones(len(target), bool)
        )
        inside = known & (angle == target)
        drift = np.where(
            jumped, _within(np.where(inside, rate, 0.0), -limits.rate, limits.rate), moved
        )
        self._before = np.where(known, target, np.nan)
        drift = np.where(np.isfinite(drift), drift, 0.0)
        away = target - drift * period - self.angle
        closing = np.minimum(stopping_rate(np.abs(away), limits.acceleration, period), limits.ramp)
        return self._advance(np.where(known, drift + np.copysign(closing, away), 0.0))

    def _advance(self, rate: FloatArray) -> FloatArray:
        limits = self._limits
        period = self._period
        change = limits.acceleration * period
        rate = _within(rate, -limits.rate, limits.rate)
        rate = _within(
            rate,
            -stopping_rate(self.angle - self._low, limits.acceleration, period),
            stopping_rate(self._high - self.angle, limits.acceleration, period),
        )
        rate = _within(rate, self.rate - change, self.rate + change)
        angle = _within(self.angle + rate * period, self._low, self._high)
        self.rate = (angle - self.angle) / period
        self.angle = angle
        self._low = np.minimum(limits.low, np.maximum(self._low, angle))
        self._high = np.maximum(limits.high, np.minimum(self._high, angle))
        return angle
