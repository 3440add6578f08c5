"""The compound serpenoid: its closed form, smooth changes, start poses, limits and its place among gaits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from snakestudio.control import registry
from snakestudio.control.waves import WaveGait
from snakestudio.errors import SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.gaits import GAITS, unsuitable
from snakestudio.model.robot.chain import chain
from snakestudio.model.robot.pose import initial_joint_angles, initial_state
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene
from snakestudio.model.serpenoid import CompoundSerpenoid
from snakestudio.model.teleop import steerable_gaits
from snakestudio.runfile.states import decode, encode
from snakestudio.session.live_edit import live_scene
from snakestudio.session.scene_check import check

VALUES = {
    "model.kind": "spatial_nonsmooth",
    "gait.kind": "compound_serpenoid",
    "gait.odd_beta_rad": 0.1,
    "gait.odd_amplitude_rad": 0.3,
    "gait.odd_spatial_frequency_rad": 0.7,
    "gait.odd_temporal_frequency_rad_s": 4.0,
    "gait.even_beta_rad": -0.05,
    "gait.even_amplitude_rad": 0.2,
    "gait.even_spatial_frequency_rad": -1.1,
    "gait.even_temporal_frequency_rad_s": 6.0,
    "gait.delta_rad": 0.9,
    "gait.phase_rad": 0.4,
    "gait.envelope": "0.6 + 0.8*n/N",
    "start.kind": "gait",
}


def scene(**changes: Any) -> Scene:
    return with_values(
        Scene(), VALUES | {key.replace("__", "."): value for key, value in changes.items()}
    )


def closed_form(of: Scene, time: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angles at times (k,) of all axes, from the textbook formula."""
    gait = of.gait
    count = of.robot.n_joints
    assert isinstance(gait, CompoundSerpenoid)
    columns = []
    for axis in of.body.axes:
        n = axis.joint + 1 if of.robot.head == "first" else count - axis.joint
        group = "odd" if axis.kind == "yaw" else "even"
        beta, amplitude, spatial, temporal = (
            getattr(gait, f"{group}_{name}")
            for name in (
                "beta_rad",
                "amplitude_rad",
                "spatial_frequency_rad",
                "temporal_frequency_rad_s",
            )
        )
        lead = gait.phase_rad + (gait.delta_rad if group == "even" else 0.0)
        factor = 0.6 + 0.8 * n / count
        columns.append(beta + factor * amplitude * np.sin(spatial * n + temporal * time + lead))
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("head", ["first", "last"])
@pytest.mark.parametrize("joints", ["cardan", "alternating", "yaw"])
def test_references_are_the_closed_form(head: str, joints: str) -> None:
    of = scene(robot__head=head, robot__joints=joints, robot__n_links=8)
    time = np.linspace(0.0, 3.0, 601)
    angle, rate, acceleration = WaveGait(of).motion(time)
    np.testing.assert_allclose(angle, closed_form(of, time), atol=1e-13)
    h = 1e-4
    before = closed_form(of, time - h)
    after = closed_form(of, time + h)
    np.testing.assert_allclose(rate, (after - before) / (2 * h), atol=1e-6)
    np.testing.assert_allclose(acceleration, (after - 2 * angle + before) / h**2, atol=1e-5)


def test_vertical_wave_moves_roll_axes_of_a_robot_without_pitch() -> None:
    of = scene(robot__joint=[{"index": "all", "axes": "yaw+roll"}])
    assert {axis.kind for axis in of.body.axes} == {"yaw", "roll"}
    np.testing.assert_allclose(
        WaveGait(of).motion(np.linspace(0, 1, 50))[0],
        closed_form(of, np.linspace(0, 1, 50)),
        atol=1e-13,
    )


@pytest.mark.parametrize("model", ["spatial_nonsmooth", "planar_nonsmooth"])
def test_start_takes_the_pose_of_the_gait(model: str) -> None:
    of = scene(model__kind=model)
    start = initial_joint_angles(of)
    np.testing.assert_allclose(start, closed_form(of, np.zeros(1))[0], atol=1e-12)
    reference = registry.create(of).reference(np.linspace(0.0, 0.01, 41), None)
    np.testing.assert_allclose(reference.angle[0], start, atol=1e-12)
    pose, _ = initial_state(of)
    along = pose[-1, :3] - pose[0, :3]
    assert along[0] > 0.5 * of.robot.length
    assert abs(along[1]) < 0.3 * along[0]


CHANGES = {
    "gait.odd_beta_rad": -0.2,
    "gait.odd_amplitude_rad": 0.5,
    "gait.even_spatial_frequency_rad": 0.4,
    "gait.odd_temporal_frequency_rad_s": -2.0,
    "gait.delta_rad": 2.0,
    "gait.phase_rad": -1.0,
    "gait.envelope": "1.4 - 0.8*n/N",
}


@pytest.mark.parametrize("key", CHANGES)
def test_changes_are_smooth_and_arrive(key: str) -> None:
    before = scene()
    target = with_values(before, {key: CHANGES[key]})
    live, waiting = live_scene(before, target)
    assert live == target
    assert not waiting
    gait = registry.create(before)
    time = np.arange(0.0, 1.00001, 0.0025)
    first = gait.reference(time, None)
    gait.apply(live, 1.0)
    late = np.arange(1.0, 9.0001, 0.001)
    then = gait.reference(late, None)
    np.testing.assert_allclose(then.angle[0], first.angle[-1], atol=1e-12)
    np.testing.assert_allclose(then.rate[0], first.rate[-1], atol=1e-9)
    slope = np.gradient(then.angle, late, axis=0)[2:-2]
    np.testing.assert_allclose(slope, then.rate[2:-2], atol=2e-3)
    # Both waves keep their amplitudes and their relative phase; the phase is the integral of the
    # frequency.
    settled = late > 6.0
    high, low = then.angle[settled].max(axis=0), then.angle[settled].min(axis=0)
    expected = closed_form(target, late[settled])
    if key != "gait.envelope":
        np.testing.assert_allclose(high, expected.max(axis=0), atol=2e-3)
        np.testing.assert_allclose(low, expected.min(axis=0), atol=2e-3)
    if key not in ("gait.odd_temporal_frequency_rad_s", "gait.envelope"):
        np.testing.assert_allclose(then.angle[settled], expected, atol=1e-9)


def test_changed_envelope_reaches_every_joint() -> None:
    before = scene()
    gait = WaveGait(before)
    changed = with_values(before, {"gait.envelope": "n"})
    gait.apply(changed.gait, 1.0)
    time = np.array([0.5, 20.0])
    angle = gait.motion(time[1:])[0]
    plain = WaveGait(with_values(before, {"gait.envelope": "1"})).motion(time[1:])[0]
    offset = np.array([0.1 if axis.kind == "yaw" else -0.05 for axis in before.body.axes])
    number = np.array([axis.joint + 1 for axis in before.body.axes])
    np.testing.assert_allclose(angle - offset, number * (plain - offset), atol=1e-10)


def test_state_is_saved_bit_for_bit() -> None:
    before = scene()
    gait = registry.create(before)
    changed = with_values(before, {"gait.envelope": "n/N", "gait.delta_rad": 0.1})
    gait.apply(changed, 0.5)
    state = decode(encode(gait.checkpoint(), changed, 0.6), changed)
    time = np.linspace(0.6, 0.9, 121)
    expected = gait.reference(time, None)
    again = registry.create(before)
    again.restore(state)
    np.testing.assert_array_equal(again.reference(time, None).angle, expected.angle)


@pytest.mark.parametrize("text", ["n +", "1/(n - 2)", "sqrt(3 - n)", "nan", "x"])
def test_unusable_envelope_is_refused(text: str) -> None:
    problems = [
        problem for problem in check(scene(gait__envelope=text)) if problem.severity == "error"
    ]
    assert [problem.key for problem in problems] == ["gait.envelope"]
    with pytest.raises(SceneError, match=r"gait\.envelope"):
        registry.create(scene(gait__envelope=text))


def test_joint_stops_bound_every_joint_of_the_envelope() -> None:
    # 0.3 rad * (0.6 + 0.8 n/N) + 0.1 rad is 29.8 degrees at the last joint and 17.3 degrees at the
    # first.
    problems = check(scene(robot__joint_limit_deg=29.0))
    assert [p.key for p in problems if p.severity == "error"] == ["gait.odd_amplitude_rad"]
    assert not [p for p in check(scene(robot__joint_limit_deg=30.0)) if p.severity == "error"]
    (fix,) = [fix for p in problems for fix in p.fixes if "amplitude" in fix.label]
    assert not [
        p
        for p in check(with_values(scene(robot__joint_limit_deg=29.0), dict(fix.values)))
        if "odd" in p.key
    ]


def test_vertical_wave_without_axes_is_named() -> None:
    of = scene(robot__joints="yaw")
    assert "gait.even_amplitude_rad" in [problem.key for problem in registry.check(of)]


# --- the library ----------------------------------------------------------------------------------


def test_library_gaits_name_suitable_robots() -> None:
    alternating = scene(robot__joints="alternating", robot__n_links=16)
    reasons = {entry.name: unsuitable(entry, alternating) for entry in GAITS}
    assert {name for name, reason in reasons.items() if reason} == {
        entry.name for entry in GAITS if entry.fewest_joints > 15
    }
    assert "40 joints" in reasons["xiaojian_crawler"]
    assert not unsuitable(
        next(entry for entry in GAITS if entry.name == "xiaojian_crawler"),
        with_values(alternating, {"robot.n_links": 41, "robot.joint_limit_deg": None}),
    )
    planar = with_values(alternating, {"model.kind": "planar_nonsmooth", "robot.joints": "yaw"})
    flat = [entry.name for entry in GAITS if not unsuitable(entry, planar)]
    assert "eel_like" in flat
    assert "compound_rolling" not in flat
    stopped = with_values(alternating, {"robot.joint_limit_deg": 45.0})
    reason = next(unsuitable(entry, stopped) for entry in GAITS if entry.name == "pole_climb")
    assert "86°" in reason
    assert "45°" in reason


def test_library_gaits_can_be_driven() -> None:
    of = scene(
        robot__joints="alternating",
        robot__n_links=16,
        controller__kind="teleoperation",
        gait__envelope="n/N",
    )
    assert {"conical_sidewinding", "compound_rolling"} <= set(steerable_gaits(of))
    result = registry.create(of)
    from snakestudio.model.teleop import TeleopCommand

    result.steer(TeleopCommand(speed=1.0, gait="conical_sidewinding"))  # type: ignore[attr-defined]
    for k in range(1500):
        reference = result.reference(np.linspace(k * 0.01, (k + 1) * 0.01, 5), None)
    amplitude = np.abs(reference.angle).max(axis=0)
    assert amplitude.max() <= 0.4 * 1.4 + 1e-9
    assert amplitude.max() > 0.2


# --- the backbone ---------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [0.1, 0.05])
def test_alternating_joints_make_a_helix(m: float) -> None:
    """Amplitude 2 m curvature and phase m torsion per module, the groups a quarter of a turn apart."""
    radius = 0.5
    lead = math.radians(30.0)
    curvature = math.cos(lead) ** 2 / radius
    torsion = math.sin(lead) * math.cos(lead) / radius
    count = round(4.0 / m)
    robot = Robot(n_links=count, link_length_m=m, joints="alternating", radius_m=0.3 * m)
    amplitude = 2.0 * m * curvature
    phase = m * torsion
    gait = CompoundSerpenoid(
        odd_amplitude_rad=amplitude,
        odd_spatial_frequency_rad=phase,
        even_amplitude_rad=amplitude,
        even_spatial_frequency_rad=phase,
        delta_rad=0.5 * math.pi,
    )
    of = Scene().model_copy(update={"robot": robot, "gait": gait})
    of = with_values(of, {"model.kind": "spatial_nonsmooth"})
    angles = WaveGait(of).motion(np.zeros(1))[0][0]
    centre, _ = chain(np.eye(3), angles, robot, of.body.axes)
    points = centre[count // 8 : -count // 8]
    # All points of a helix are equally far from its axis, found as the steepest direction of
    # second differences.
    second = points[4:] - 2 * points[2:-2] + points[:-4]
    axis = np.linalg.svd(second)[2][-1]
    along = points @ axis
    basis = np.linalg.svd(axis[None])[2][1:]
    flat = points @ basis.T
    system = np.column_stack([2 * flat, np.ones(len(flat))])
    solved = np.linalg.lstsq(system, (flat**2).sum(axis=1), rcond=None)[0]
    middle = solved[:2]
    distance = np.linalg.norm(flat - middle, axis=1)
    turned = np.unwrap(np.arctan2(*(flat - middle).T[::-1]))
    climb = abs(np.polyfit(turned, along, 1)[0])
    # The error decreases with the square of the angle between modules.
    tolerance = 0.5 * amplitude**2
    assert distance.mean() == pytest.approx(radius, rel=tolerance)
    assert np.ptp(distance) < 2 * tolerance * radius + 0.5 * m * amplitude
    assert climb == pytest.approx(radius * math.tan(lead), rel=tolerance)
