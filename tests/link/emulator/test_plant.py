"""Joints against closed forms: saturated acceleration, natural frequency of the servo, band of the backlash."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.link.emulator.plant import JointPlant
from snakestudio.link.profile.schema import Emulation

ON = np.array([True])
OFF = np.array([False])
ZERO = np.zeros(1)


def plant(start: float = 0.0, **values: float) -> JointPlant:
    plain = {"free_play_deg": 0.0, "time_constant_s": 0.0, "friction_nms_per_rad": 0.0}
    return JointPlant(Emulation(**(plain | values)), np.array([start]))


def test_saturated_motor_accelerates_by_torque_over_inertia() -> None:
    joint = plant(max_torque_nm=7.0, inertia_kg_m2=0.02, kp_nm_per_rad=1e5, kd_nms_per_rad=0.0)
    state = joint.advance(0.1, np.array([100.0]), ZERO, ON)
    assert state.torque[0] == 7.0
    assert state.rate[0] == pytest.approx(7.0 / 0.02 * 0.1)  # a t
    # a t^2 / 2, of which backward Euler with 50 steps has 1 + 1/50.
    assert state.angle[0] == pytest.approx(0.5 * 7.0 / 0.02 * 0.1**2 * (1 + 1 / 50))


def test_servo_settles_as_a_damped_oscillator() -> None:
    # J x'' + K_D x' + K_P x = K_P r, underdamped: the exact step response; Euler's error shrinks
    # with the step.
    inertia = 0.05
    kp = 20.0
    kd = 0.8
    target = 0.1
    joint = plant(inertia_kg_m2=inertia, kp_nm_per_rad=kp, kd_nms_per_rad=kd, max_torque_nm=1e3)
    joint.STEP = 0.0001  # type: ignore[misc]
    decay = kd / (2 * inertia)
    omega = math.sqrt(kp / inertia - decay**2)
    for k in range(1, 40):
        t = 0.02 * k
        exact = target * (
            1 - math.exp(-decay * t) * (math.cos(omega * t) + decay / omega * math.sin(omega * t))
        )
        assert joint.advance(0.02, np.array([target]), ZERO, ON).angle[0] == pytest.approx(
            exact, abs=0.001
        )


def test_motor_follows_with_its_time_constant() -> None:
    # A blocked joint under a saturating error: tau = tau_max (1 - exp(-t/T)), Euler's 63 % a little
    # late.
    joint = plant(time_constant_s=0.05, max_torque_nm=4.0, kp_nm_per_rad=1e6)
    joint.block(ON)
    state = joint.advance(0.05, np.array([1.0]), ZERO, ON)
    assert state.torque[0] == pytest.approx(4.0 * (1 - math.exp(-1.0)), rel=0.02)
    assert state.angle[0] == 0.0


@pytest.mark.parametrize("start", [-0.5, 0.5])
def test_gear_play_leaves_the_joint_at_the_gap(start: float) -> None:
    half = math.radians(2.0)
    joint = plant(start, free_play_deg=4.0, friction_nms_per_rad=2.0, time_constant_s=0.01)
    for _ in range(300):
        state = joint.advance(0.01, ZERO, ZERO, ON)
    assert abs(state.angle[0]) <= half + 1e-3  # within the band
    assert state.torque[0] == pytest.approx(0.0, abs=1e-6)
    assert np.sign(state.angle[0]) == np.sign(
        start
    )  # it comes to rest on the side from which it came
    assert abs(state.angle[0]) > 0.5 * half


def test_limp_joint_slows_down_by_friction_alone() -> None:
    joint = plant(friction_nms_per_rad=0.2, inertia_kg_m2=0.02, max_torque_nm=7.0)
    moving = joint.advance(0.02, np.array([1.0]), ZERO, ON)
    begun = moving.rate[0]
    at = moving.angle[0]
    state = joint.advance(2.0, np.array([1.0]), ZERO, OFF)
    assert begun > 1.0
    assert state.rate[0] == pytest.approx(0.0, abs=1e-6)
    # J/b times the rate it had
    assert state.angle[0] - at == pytest.approx(begun * 0.02 / 0.2, rel=0.02)


@given(
    kp=st.floats(1e-3, 1e6),
    kd=st.floats(0, 1e6),
    inertia=st.floats(1e-6, 1e3),
    lag=st.floats(0, 1),
    play=st.floats(0, 20),
    dt=st.floats(0.001, 0.1),
)
def test_plant_is_stable_with_any_gains(
    kp: float, kd: float, inertia: float, lag: float, play: float, dt: float
) -> None:
    joint = plant(
        kp_nm_per_rad=kp,
        kd_nms_per_rad=kd,
        inertia_kg_m2=inertia,
        time_constant_s=lag,
        free_play_deg=play,
        max_torque_nm=5.0,
        friction_nms_per_rad=0.1,
    )
    for _ in range(20):
        state = joint.advance(dt, np.array([0.3]), ZERO, ON)
    assert np.isfinite([state.angle, state.rate, state.torque]).all()
    assert abs(state.torque[0]) <= 5.0
    # The motor's work bounds what the joint moves with: |rate| <= torque / friction.
    assert abs(state.rate[0]) <= 5.0 / 0.1 + 1e-6
