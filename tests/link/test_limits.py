"""Set-points stay within angle, rate and acceleration for any reference, and follow it as fast as these allow."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from snakestudio.link.core.limits import AxisLimits, SetPointLimiter, stopping_rate
from snakestudio.link.profile.schema import Profile
from tests.link.little_robot import lab_robot

_ROUNDING = 1e-9


def _limits(**values: float) -> AxisLimits:
    profile: Profile = lab_robot().profile
    limits = profile.limits.model_copy(update=values)
    return AxisLimits(profile.model_copy(update={"limits": limits, "axes": profile.axes[:2]}))


def _run(limiter: SetPointLimiter, target: float, count: int) -> np.ndarray:
    return np.array([limiter.follow(np.full(2, target), np.zeros(2))[0] for _ in range(count)])


def test_stopping_rate_is_the_largest_that_reaches_rest() -> None:
    """Computes the sum of the closed form: v T + (v - a T) T + ... until rest."""
    acceleration = np.array([20.0])
    period = 0.01
    for distance in (0.0, 1e-6, 0.001, 0.0021, 0.05, 1.3, 40.0):
        rate = float(stopping_rate(np.array([distance]), acceleration, period)[0])
        travelled = 0.0
        while rate > 0:
            travelled += rate * period
            rate -= 20.0 * period
        assert travelled == pytest.approx(distance, abs=1e-12 + 1e-12 * distance)


@pytest.mark.parametrize(
    ("distance_deg", "rate", "acceleration"),
    [(10.0, 1e4, 400.0), (50.0, 60.0, 400.0), (2.0, 60.0, 2000.0)],
)
def test_step_takes_the_minimum_time(distance_deg: float, rate: float, acceleration: float) -> None:
    """Bang-bang: 2 sqrt(d/a), or d/v + v/a at the rate limit; discrete time differs by two periods at most."""
    period = 0.001
    limiter = SetPointLimiter(
        _limits(
            max_rate_deg_per_s=rate,
            max_acceleration_deg_per_s2=acceleration,
            ramp_rate_deg_per_s=1e4,
        ),
        period,
    )
    limiter.start(np.zeros(2))
    angle = np.degrees(_run(limiter, math.radians(distance_deg), 2000))
    arrived = period * (1 + int(np.argmax(angle >= distance_deg - 1e-6)))
    peak = math.sqrt(distance_deg * acceleration)
    best = (
        2 * math.sqrt(distance_deg / acceleration)
        if peak <= rate
        else distance_deg / rate + rate / acceleration
    )
    assert abs(arrived - best) <= 2.5 * period
    assert angle.max() <= distance_deg + _ROUNDING


def test_ramp_leads_from_measured_to_commanded_position() -> None:
    limiter = SetPointLimiter(_limits(ramp_rate_deg_per_s=30.0), 0.01)
    limiter.start(np.radians([-20.0, -20.0]))
    angle = np.degrees(_run(limiter, math.radians(40.0), 300))
    assert np.abs(np.diff(angle)).max() <= 0.3 + _ROUNDING  # 30°/s for 10 ms
    # 60° at 30°/s, and 30/1500 s to accelerate.
    assert 200 <= int(np.argmax(angle >= 40.0 - 1e-6)) <= 206


def test_gait_within_the_limits_is_followed_exactly() -> None:
    """40° at 0.35 Hz: 88°/s and 193°/s², below 120 and 1500; after the approach, set-points equal the references."""
    limiter = SetPointLimiter(_limits(), 0.01)
    limiter.start(np.zeros(2))
    time = 0.01 * np.arange(1, 1500)
    speed = 2 * math.pi * 0.35
    reference = math.radians(40.0) * np.sin(speed * time + 1.0)
    rate = math.radians(40.0) * speed * np.cos(speed * time + 1.0)
    set_points = np.array(
        [
            limiter.follow(np.full(2, w), np.full(2, r))[0]
            for w, r in zip(reference, rate, strict=True)
        ]
    )
    caught_up = int(np.argmax(np.abs(set_points - reference) < 1e-9))
    assert 0.01 * caught_up < 2.5  # 34° away at the beginning, at 30°/s of the ramp
    np.testing.assert_allclose(set_points[caught_up:], reference[caught_up:], atol=1e-9)


def test_jump_of_the_references_restarts_the_ramp() -> None:
    limiter = SetPointLimiter(_limits(ramp_rate_deg_per_s=30.0), 0.01)
    limiter.start(np.zeros(2))
    _run(limiter, 0.0, 10)
    angle = np.degrees(_run(limiter, math.radians(30.0), 150))
    assert np.diff(angle, prepend=0.0).max() <= 0.3 + _ROUNDING
    assert angle[-1] == pytest.approx(30.0)


def test_axis_beyond_a_limit_is_never_moved_further_out() -> None:
    limiter = SetPointLimiter(_limits(), 0.01)
    limiter.start(np.radians([63.0, -61.0]))
    np.testing.assert_array_equal(limiter.hold(), np.radians([63.0, -61.0]))
    angles = np.degrees(
        [limiter.follow(np.radians([90.0, -90.0]), np.zeros(2)).copy() for _ in range(100)]
    )
    assert (np.diff(angles[:, 0]) <= _ROUNDING).all()
    np.testing.assert_allclose(angles[-1], [60.0, -60.0])
    back = np.degrees(
        [limiter.follow(np.radians([70.0, -70.0]), np.zeros(2)).copy() for _ in range(50)]
    )
    assert np.abs(back).max() <= 60.0 + _ROUNDING


def test_nan_references_bring_the_axis_to_rest() -> None:
    limiter = SetPointLimiter(_limits(), 0.01)
    limiter.start(np.zeros(2))
    _run(limiter, 0.5, 40)
    for _ in range(40):
        limiter.follow(np.array([math.nan, math.inf]), np.array([0.0, math.nan]))
    assert not limiter.rate.any()


_numbers = st.one_of(st.floats(-2, 2), st.floats(allow_nan=True, allow_infinity=True))
_wishes = arrays(float, (60, 2), elements=_numbers, fill=st.nothing())


@given(_wishes, _wishes, st.floats(-1.0, 1.0), st.sampled_from([0.1, 0.01, 0.001]))
def test_references_respect_angle_rate_and_acceleration(
    references: np.ndarray, rates: np.ndarray, start: float, period: float
) -> None:
    limits = _limits()
    limiter = SetPointLimiter(limits, period)
    limiter.start(np.full(2, start))
    set_points = [np.full(2, start)] * 2
    for angle, rate in zip(references, rates, strict=True):
        set_points.append(limiter.follow(angle, rate).copy())
    # And it can stop from any state reached in this way.
    set_points += [limiter.hold().copy() for _ in range(max(8, int(0.12 / period)))]
    path = np.array(set_points)
    rate = np.diff(path, axis=0) / period
    assert np.isfinite(path).all()
    assert (path >= limits.low - _ROUNDING).all()
    assert (path <= limits.high + _ROUNDING).all()
    assert (np.abs(rate) <= limits.rate + 1e-7).all()
    assert (np.abs(np.diff(rate, axis=0)) <= limits.acceleration * period + 1e-7).all()
    assert not rate[-1].any()
