"""Set-points that a robot can follow: never beyond its angles, never faster, never harder than its profile allows.

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
    """The largest rate from which rest is reached within a distance.

    Parameters
    ----------
    distance : (m,) array
        rad; nothing is left of it where it is not positive.
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
    """As `np.clip`, in a fifth of its time for so few numbers: it is asked for eight times a period."""
    return np.asarray(np.minimum(np.maximum(value, low), high))


class AxisLimits:
    """The limits of all m axes in SI units, with what an axis leaves open taken from the profile.

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

    def words(self, index: int) -> str:
        """The angles of an axis: "-60° to 60°"."""
        return f"{np.degrees(self.low[index]):g}° to {np.degrees(self.high[index]):g}°"


class SetPointLimiter:
    """Leads the set-points of all axes from where the robot stands to where it shall be, within the limits.

    What is away from its reference is brought there at no more than the ramp's rate relative to it,
    which is the ramp from the measured to the commanded position when streaming begins, and after
    any jump of the reference, alike. Among the bounds the acceleration comes first, then the angle,
    then the rate; all of them hold at once for every state that the limiter itself has led to.

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

        An axis that stands beyond a limit (within the profile's margin, or it could not be armed)
        is held there, led back by the first reference, and from then on kept within what it has
        come back to.
        """
        self.angle = np.array(angle, float)
        self.rate = np.zeros_like(self.angle)
        self._low = np.minimum(self._limits.low, self.angle)
        self._high = np.maximum(self._limits.high, self.angle)
        self._before = None

    def hold(self) -> FloatArray:
        """One period further with nowhere to go: come to rest, and stay."""
        self._before = None
        return self._advance(np.zeros_like(self.rate))

    def follow(self, angle: FloatArray, rate: FloatArray) -> FloatArray:
        """One period further towards a reference.

        Parameters
        ----------
        angle, rate : (m,) arrays
            Where the axes shall be at the end of the period, rad, and how fast that moves, rad/s.
            An axis whose numbers are not finite comes to rest.

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
        # How fast the reference moves: its own way over the period, unless that is a jump (or there
        # is none yet).
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

    def _advance(self, wanted: FloatArray) -> FloatArray:
        limits = self._limits
        period = self._period
        change = limits.acceleration * period
        wanted = _within(wanted, -limits.rate, limits.rate)
        wanted = _within(
            wanted,
            -stopping_rate(self.angle - self._low, limits.acceleration, period),
            stopping_rate(self._high - self.angle, limits.acceleration, period),
        )
        wanted = _within(wanted, self.rate - change, self.rate + change)
        angle = _within(self.angle + wanted * period, self._low, self._high)
        self.rate = (angle - self.angle) / period
        self.angle = angle
        self._low = np.minimum(limits.low, np.maximum(self._low, angle))
        self._high = np.maximum(limits.high, np.minimum(self._high, angle))
        return angle
