"""A limited quantity reaches its target as fast as its limits allow, without overshoot, in one continuous motion."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.control.limited import LimitedMotion, Limits, resting

LIMITS = Limits(rate=2.0, acceleration=5.0)
targets = st.floats(-1.0, 1.0, allow_subnormal=False)
moments = st.lists(
    st.tuples(st.floats(0.0, 1.5, allow_subnormal=False), targets), min_size=1, max_size=12
)


def test_change_from_rest_to_rest_takes_the_set_time() -> None:
    # By hand: a quarter of T up to a rate of 4/3 of the mean, half of T constant, a quarter down.
    limits = Limits.of(3.0, 2.0)
    assert (limits.rate, limits.acceleration) == (pytest.approx(2.0), pytest.approx(4.0))
    motion = resting(1.0).aimed(4.0, limits, 10.0)
    assert motion.durations == pytest.approx((0.5, 1.0, 0.5))
    assert motion.end == pytest.approx(12.0)
    value, rate, acceleration = motion.at(np.array([10.0, 10.5, 11.0, 11.5, 12.0]))
    np.testing.assert_allclose(value, [1.0, 1.5, 2.5, 3.5, 4.0])
    np.testing.assert_allclose(rate, [0.0, 2.0, 2.0, 2.0, 0.0])
    np.testing.assert_allclose(acceleration, [4.0, 0.0, 0.0, -4.0, 0.0])


def test_short_motion_has_no_constant_part() -> None:
    motion = resting(0.0).aimed(0.05, LIMITS, 0.0)
    # half the distance with constant acceleration: d/2 = a t^2 / 2
    half = math.sqrt(0.05 / LIMITS.acceleration)
    assert motion.durations == pytest.approx((half, 0.0, half))


def test_turning_back_first_comes_to_rest() -> None:
    motion = resting(0.0).aimed(1.0, LIMITS, 0.0).aimed(0.0, LIMITS, 0.3)
    # After 0.3 s: rate 1.5, distance 0.225; it stops 0.225 further on, after another 0.3 s.
    assert motion.at(np.array([0.6]))[0][0] == pytest.approx(0.45)
    assert motion.at(np.array([0.6]))[1][0] == pytest.approx(0.0, abs=1e-12)
    assert motion.at(np.array([motion.end]))[0][0] == 0.0


@given(moments)
def test_frequent_targets_cause_no_jump_and_respect_limits(
    steps: list[tuple[float, float]],
) -> None:
    motion = resting(0.0)
    now = 0.0
    seen = [0.0]
    for wait, target in steps:
        now += wait
        left = motion.at(np.array([now]))
        motion = motion.aimed(target, LIMITS, now)
        entered = motion.at(np.array([now]))
        assert entered[0][0] == pytest.approx(left[0][0], abs=1e-9)
        assert entered[1][0] == pytest.approx(left[1][0], abs=1e-7)
        seen.append(target)
        time = np.linspace(now, motion.end + 0.1, 400)
        value, rate, acceleration = motion.at(time)
        assert value.min() >= min(seen) - 1e-9
        assert value.max() <= max(seen) + 1e-9
        assert np.abs(rate).max() <= LIMITS.rate + 1e-9
        assert np.abs(acceleration).max() <= LIMITS.acceleration + 1e-9
        assert (value[-1], rate[-1]) == (target, 0.0)
        # A motion with an acceleration bounded by a deviates by at most a h^2 / 2 from the straight
        # line over h.
        h = time[1] - time[0]
        np.testing.assert_allclose(
            np.diff(value), rate[:-1] * h, atol=0.5 * LIMITS.acceleration * h**2 + 1e-9
        )


@given(moments)
def test_single_value_is_bit_identical_to_arrays(steps: list[tuple[float, float]]) -> None:
    motion = resting(0.0)
    now = 0.0
    for wait, target in steps:
        now += wait
        motion = motion.aimed(target, LIMITS, now)
    time = np.linspace(now, motion.end + 0.2, 101)
    assert [motion.value_at(t) for t in time.tolist()] == motion.at(time)[0].tolist()


@given(moments)
def test_integral_is_that_of_the_value(steps: list[tuple[float, float]]) -> None:
    motion = resting(0.0)
    now = 0.0
    for wait, target in steps:
        now += wait
        motion = motion.aimed(target, LIMITS, now)
    time = np.linspace(now, motion.end + 0.2, 2001)
    value = motion.at(time)[0]
    h = time[1] - time[0]
    by_hand = np.concatenate([[0.0], np.cumsum(0.5 * h * (value[1:] + value[:-1]))])
    np.testing.assert_allclose(
        motion.integral(time), by_hand, atol=LIMITS.acceleration * h**2 * len(time) * h + 1e-9
    )


def test_smaller_limits_during_motion_cause_no_jump() -> None:
    motion = resting(0.0).aimed(1.0, LIMITS, 0.0)
    slower = motion.aimed(0.9, Limits(0.5, 1.0), 0.35)
    assert slower.at(np.array([0.35]))[1][0] == motion.at(np.array([0.35]))[1][0]
    assert slower.at(np.array([slower.end + 1.0]))[0][0] == 0.9
    assert isinstance(slower, LimitedMotion)
