"""Gaits: the papers' formulas with constant parameters, smooth changes otherwise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from snakestudio.control import registry
from snakestudio.control.ramp import RAMP_TIME, constant
from snakestudio.control.set_points import SetPoints
from snakestudio.control.waves import WaveGait
from snakestudio.model.edits import get_value, with_values
from snakestudio.model.motion import TwoWaves
from snakestudio.model.robot.chain import gait_joint_angles
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene

SCENE = with_values(Scene(), {"gait.offset_deg": 3.0, "start.kind": "gait"})


def test_constant_parameters_equal_the_paper() -> None:
    # P2 (71): phi_i = A sin(omega t + (i - 1) delta) + psi
    time = np.linspace(0, 7, 200)
    reference = registry.create(SCENE).reference(time, None)
    i = np.arange(1, 11)
    a, w, d, psi = (math.radians(x) for x in (40, 80, -50, 3))
    phase = w * time[:, None] + (i - 1) * d
    np.testing.assert_allclose(reference.angle, a * np.sin(phase) + psi, atol=1e-14)
    np.testing.assert_allclose(reference.rate, a * w * np.cos(phase), atol=1e-14)
    np.testing.assert_allclose(reference.acceleration, -a * w**2 * np.sin(phase), atol=1e-13)
    assert reference.angle.shape == (len(reference.time), 10)


def test_between_knots_the_reference_is_exact_to_rounding() -> None:
    # Hermite's error is h^4 max|phi''''| / 384: 3e-17 rad at this step.
    knots = np.arange(41) * 0.00025
    reference = registry.create(SCENE).reference(knots, None)
    for time in (0.000125, 0.003375, 0.009875):
        angle, rate = reference.at(time)
        exact = SetPoints(SCENE).reference(np.array([time]), None)
        np.testing.assert_allclose(angle, exact.angle[0], atol=1e-15)
        np.testing.assert_allclose(rate, exact.rate[0], atol=1e-11)


TURNED = {
    "model.kind": "spatial_nonsmooth",
    "gait.kind": "two_waves",
    "gait.offset_deg": 3.0,
    "gait.amplitude_deg": 30.0,
    "start.kind": "gait",
}


def test_phase_shifts_the_wave_in_time() -> None:
    # sin(omega t + (i - 1) delta + phi_0) is the wave of phase 0 at the time t + phi_0 / omega.
    time = np.linspace(0, 7, 200)
    ahead = registry.create(with_values(SCENE, {"gait.phase_deg": 65.0})).reference(time, None)
    plain = registry.create(SCENE).reference(time + 65.0 / 80.0, None)
    for result, expected in ((ahead.angle, plain.angle), (ahead.rate, plain.rate)):
        np.testing.assert_allclose(result, expected, atol=1e-13)


@pytest.mark.parametrize("axis", ["", "pitch_"])
@pytest.mark.parametrize("kind", ["planar_nonsmooth", "spatial_nonsmooth"])
def test_negative_amplitude_is_a_phase_of_half_a_cycle(axis: str, kind: str) -> None:
    scene = with_values(Scene(), {**TURNED, "model.kind": kind})
    here = get_value(scene, f"gait.{axis}phase_deg")
    minus = with_values(
        scene, {f"gait.{axis}amplitude_deg": -get_value(scene, f"gait.{axis}amplitude_deg")}
    )
    turned = with_values(scene, {f"gait.{axis}phase_deg": here + 180.0})
    for one, other in zip(initial_state(minus), initial_state(turned), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-13)
    time = np.linspace(0, 7, 50)
    for one, other in zip(WaveGait(minus).motion(time), WaveGait(turned).motion(time), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-13)
    # the pose of the start is the gait's
    np.testing.assert_allclose(
        registry.create(minus).reference(time, None).angle[0],
        gait_joint_angles(minus.waves, minus.body.axes, 11),
        atol=1e-13,
    )


@pytest.mark.parametrize(
    "changes", [{"gait.phase_deg": -100.0}, {"gait.amplitude_deg": -25.0}], ids=["phase", "sign"]
)
@pytest.mark.parametrize("kind", ["lateral_undulation", "two_waves"])
def test_phase_and_sign_change_smoothly_while_the_gait_runs(
    changes: dict[str, float], kind: str
) -> None:
    scene = with_values(Scene(), {**TURNED, "gait.kind": kind, "gait.phase_deg": 30.0})
    gait = registry.create(scene)
    changed = with_values(scene, changes)
    gait.apply(changed, 1.0)
    step = 1e-5
    time = 1.0 + np.arange(0, 1.0, step)
    after = gait.reference(time, None)
    np.testing.assert_allclose(
        after.angle[0], registry.create(scene).reference(time[:1], None).angle[0], atol=1e-13
    )
    np.testing.assert_allclose(_derivative(after.angle, step), after.rate[2:-2], atol=1e-6)
    late = np.array([9.0, 11.5])
    np.testing.assert_allclose(
        gait.reference(late, None).angle,
        registry.create(changed).reference(late, None).angle,
        atol=1e-12,
    )


CHANGES = {
    "gait.amplitude_deg": 25.0,
    "gait.frequency_deg_s": -40.0,
    "gait.phase_shift_deg": 70.0,
    "gait.offset_deg": -10.0,
}


def _derivative(values: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Central difference of fourth order."""
    return (values[:-4] - 8 * values[1:-3] + 8 * values[3:-1] - values[4:]) / (12 * step)


def test_change_is_continuous_and_complete() -> None:
    gait = registry.create(SCENE)
    changed = with_values(SCENE, CHANGES)
    before = gait.reference(np.array([1.0]), None)
    gait.apply(changed, 1.0)
    step = 1e-5
    time = 1.0 + np.arange(0, 2 * RAMP_TIME, step)
    after = gait.reference(time, None)
    np.testing.assert_allclose(after.angle[0], before.angle[0], atol=1e-14)
    np.testing.assert_allclose(after.rate[0], before.rate[0], atol=1e-13)
    # the analytic derivatives are those of the angles, through the ramp and beyond
    np.testing.assert_allclose(_derivative(after.angle, step), after.rate[2:-2], atol=1e-7)
    # the third derivative jumps where a ramp ends
    smooth = np.abs(time[2:-2] - 1.0 - RAMP_TIME) > 3 * step
    assert smooth.mean() > 0.99
    np.testing.assert_allclose(
        _derivative(after.rate, step)[smooth], after.acceleration[2:-2][smooth], atol=1e-6
    )
    late = gait.reference(np.array([15.0, 16.0]), None)
    shape = late.angle - math.radians(-10)
    assert np.abs(shape).max() <= math.radians(25) + 1e-12
    np.testing.assert_allclose(late.acceleration, -(math.radians(40) ** 2) * shape, atol=1e-12)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(-5, 5)), max_size=6))
def test_ramp_is_continuous_under_frequent_changes(turns: list[tuple[float, float]]) -> None:
    ramp = constant(0.0)
    time = 0.0
    for wait, target in turns:
        time += wait
        now = np.array([time])
        value = ramp.value(now)[0]
        rate = ramp.rate(now)[0]
        acceleration = ramp.acceleration(now)[0]
        ramp = ramp.towards(target, time)
        assert ramp.value(now)[0] == pytest.approx(value, abs=1e-14)
        assert ramp.rate(now)[0] == pytest.approx(rate, abs=1e-12)
        assert ramp.acceleration(now)[0] == pytest.approx(acceleration, abs=1e-10)
        end = np.array([time + RAMP_TIME * (1 - 1e-9)])
        assert ramp.value(end)[0] == pytest.approx(target, abs=1e-9)
        assert ramp.value(end + 1)[0] == target


def test_dragged_slider_is_followed_while_it_moves() -> None:
    ramp = constant(0.0)
    for k in range(60):  # one second of a display's frames
        ramp = ramp.towards(k / 60, k / 60)
    assert ramp.value(np.array([59 / 60]))[0] > 0.7


def test_large_phase_shift_change_does_not_whip_the_tail() -> None:
    gait = registry.create(SCENE)
    gait.apply(with_values(SCENE, {"gait.phase_shift_deg": 100.0}), 0.0)
    rate = gait.reference(np.linspace(0, 10, 5000), None).rate
    assert np.abs(rate).max() < 5.0 + math.radians(40) * math.radians(80) + 0.1


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(0.01, 2))
def test_integral_of_a_ramp_is_its_area(before: float, after: float, span: float) -> None:
    ramp = constant(before).towards(after, 1.0)
    time = np.linspace(1.0, 1.0 + span, 20001)
    area = np.trapezoid(ramp.value(time), time)
    assert ramp.integral(np.array([1.0 + span]))[0] == pytest.approx(area, abs=1e-6)


def test_robot_in_another_shape_is_led_to_the_gait() -> None:
    scene = with_values(SCENE, {"start.kind": "straight"})
    gait = registry.create(scene)
    plain = SetPoints(scene)
    time = np.linspace(0, 2, 4001)
    led = gait.reference(time, None)
    free = plain.reference(time, None)
    np.testing.assert_allclose(led.angle[0], 0.0, atol=1e-12)
    np.testing.assert_allclose(led.rate[0], free.rate[0], atol=1e-12)
    np.testing.assert_array_equal(led.angle[2000:], free.angle[2000:])
    np.testing.assert_allclose(
        np.gradient(led.angle, time, axis=0)[1:-1], led.rate[1:-1], atol=1e-3
    )


def test_start_in_the_gait_pose_changes_nothing() -> None:
    scene = with_values(SCENE, {"start.kind": "gait"})
    time = np.linspace(0, 1, 100)
    led = registry.create(scene).reference(time, None)
    free = SetPoints(scene).reference(time, None)
    np.testing.assert_array_equal(led.angle, free.angle)


def test_checkpoint_restores_the_same_references() -> None:
    gait = registry.create(SCENE)
    gait.apply(with_values(SCENE, CHANGES), 0.5)
    checkpoint = gait.checkpoint()
    time = np.linspace(0.6, 1.0, 50)
    first = gait.reference(time, None)
    gait.apply(SCENE, 0.7)
    gait.restore(checkpoint)
    again = gait.reference(time, None)
    assert np.array_equal(first.angle, again.angle)
    assert np.array_equal(first.rate, again.rate)


SIDEWINDING = with_values(
    Scene(),
    {
        "model.kind": "spatial_nonsmooth",
        "gait.kind": "two_waves",
        "gait.amplitude_deg": 30.0,
        "gait.pitch_offset_deg": 2.0,
        "start.kind": "gait",
    },
)


def formula(scene: Scene, time: NDArray[np.float64]) -> NDArray[np.float64]:
    """P1 (70), (71) as printed, (k, 2 (n-1)), yaw and pitch of every joint, rad."""
    gait: TwoWaves = scene.gait  # type: ignore[assignment]
    i = np.arange(1, scene.robot.n_joints + 1)
    t = time[:, None]
    yaw = gait.amplitude_deg * np.sin(
        np.radians(gait.frequency_deg_s * t + (i - 1) * gait.phase_shift_deg)
    )
    shift = gait.pitch_phase_shift_deg
    lead = gait.pitch_phase_deg
    pitch = gait.pitch_amplitude_deg * np.sin(
        np.radians(gait.pitch_frequency_deg_s * t + (i - 1) * shift + lead)
    )
    return np.radians(np.stack([yaw + gait.offset_deg, pitch + gait.pitch_offset_deg], -1)).reshape(
        len(time), -1
    )


def test_both_waves_are_the_papers() -> None:
    time = np.linspace(0, 7, 200)
    reference = registry.create(SIDEWINDING).reference(time, None)
    np.testing.assert_allclose(reference.angle, formula(SIDEWINDING, time), atol=1e-14)
    step = 1e-4
    fine = np.arange(0, 0.1, step)
    reference = registry.create(SIDEWINDING).reference(fine, None)
    np.testing.assert_allclose(_derivative(reference.angle, step), reference.rate[2:-2], atol=1e-10)
    np.testing.assert_allclose(
        _derivative(reference.rate, step), reference.acceleration[2:-2], atol=1e-10
    )


BOTH = {
    **CHANGES,
    "gait.pitch_amplitude_deg": 20.0,
    "gait.pitch_frequency_deg_s": -80.0,
    "gait.pitch_phase_shift_deg": 30.0,
    "gait.pitch_phase_deg": -120.0,
    "gait.pitch_offset_deg": -3.0,
}


def test_change_of_both_waves_causes_no_jump() -> None:
    gait = registry.create(SIDEWINDING)
    before = gait.reference(np.array([1.0]), None)
    gait.apply(with_values(SIDEWINDING, BOTH), 1.0)
    step = 1e-5
    time = 1.0 + np.arange(0, 2 * RAMP_TIME, step)
    after = gait.reference(time, None)
    np.testing.assert_allclose(after.angle[0], before.angle[0], atol=1e-14)
    np.testing.assert_allclose(after.rate[0], before.rate[0], atol=1e-13)
    np.testing.assert_allclose(_derivative(after.angle, step), after.rate[2:-2], atol=1e-7)


@pytest.mark.parametrize(
    "values", [{"gait.frequency_deg_s": 30.0}, {"gait.pitch_frequency_deg_s": 160.0}, BOTH]
)
def test_pose_after_any_change_belongs_to_the_new_gait(values: dict[str, float]) -> None:
    # The pitch wave keeps its phase relative to the yaw wave: the references are (70), (71) at
    # another time.
    changed = with_values(SIDEWINDING, values)
    gait = registry.create(SIDEWINDING)
    gait.apply(changed, 1.0)
    gait.apply(with_values(changed, {"gait.pitch_offset_deg": 5.0}), 1.1)
    gait.apply(changed, 1.2)
    late = gait.reference(np.array([20.0, 20.5]), None)
    omega = changed.gait.omega
    offset = changed.gait.offset
    amplitude = changed.gait.amplitude
    for row, rate in zip(late.angle, late.rate, strict=True):
        phase = math.atan2((row[0] - offset) / amplitude, rate[0] / (amplitude * omega))
        # The yaw wave determines the time up to whole cycles; the pitch wave, if slower or faster,
        # determines the cycle.
        turns = (phase + 2 * np.pi * np.arange(-40, 40)) / omega
        assert np.abs(formula(changed, turns) - row).max(axis=1).min() < 1e-9


def test_kind_of_gait_changes_during_the_run() -> None:
    flat = with_values(SIDEWINDING, {"gait.kind": "lateral_undulation"})
    gait = registry.create(flat)
    assert not gait.reference(np.linspace(0, 1, 50), None).angle[:, 1::2].any()
    gait.apply(SIDEWINDING, 1.0)
    step = 1e-5
    rising = gait.reference(1.0 + np.arange(0, 2 * RAMP_TIME, step), None)
    np.testing.assert_allclose(rising.angle[0, 1::2], 0.0, atol=1e-15)
    np.testing.assert_allclose(_derivative(rising.angle, step), rising.rate[2:-2], atol=1e-7)
    time = np.linspace(5, 9, 50)
    np.testing.assert_allclose(
        gait.reference(time, None).angle, formula(SIDEWINDING, time), atol=1e-9
    )
    gait.apply(flat, 9.0)
    falling = gait.reference(9.0 + np.arange(0, 2 * RAMP_TIME, step), None)
    assert np.abs(falling.rate[:, 1::2]).max() < 5.0
    late = gait.reference(np.linspace(15, 16, 50), None)
    np.testing.assert_allclose(
        late.angle, registry.create(flat).reference(late.time, None).angle, atol=1e-12
    )


def test_robot_bent_upwards_is_led_to_the_gait() -> None:
    scene = with_values(
        SIDEWINDING,
        {
            "start.kind": "joint_angles",
            "start.joint_angles_deg": [5.0] * 10,
            "start.joint_pitch_deg": [-7.0] * 10,
        },
    )
    led = registry.create(scene).reference(np.linspace(0, 2, 2001), None)
    np.testing.assert_allclose(np.degrees(led.angle[0]), np.tile([5.0, -7.0], 10), atol=1e-12)
    np.testing.assert_allclose(led.angle[1500:], formula(scene, led.time[1500:]), atol=1e-14)
