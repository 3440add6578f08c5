"""Closed-loop heading control and path following: convergence, symmetry, and independence of settings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from snakestudio._arrays import FloatArray
from snakestudio.control import registry
from snakestudio.engines.planar_lagrangian.engine import PlanarLagrangianEngine
from snakestudio.errors import SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.offline import run_offline
from snakestudio.session.runner import Runner
from tests.model.test_ground_path import circle

SHIPPED = load_scene(scenes_dir() / "path_following.toml")
PERIOD = 3.0
"""Period of the shipped scene's gait, s."""
LINE = {"path.waypoints_m": [[0.0, 0.0], [5.0, 0.0]], "path.shape": "straight"}
PAPERS = {**LINE, "gait.frequency_deg_s": 70.0, "run.duration_s": 60.0}
"""A straight line with the slow gait of lagrangian_undulation.toml."""


def follow(values: dict[str, Any], scene: Scene = SHIPPED) -> RunRecording:
    run = run_offline(with_values(scene, {"run.log_rate_hz": 20.0, **values}))
    assert run.ok
    return run.recording


def column(recording: RunRecording, name: str) -> FloatArray:
    rows = np.concatenate([rows.extra for rows in recording.chunks()])
    return rows[:, recording.schema.extra.index(name)]


def centre(recording: RunRecording) -> FloatArray:
    poses = np.concatenate([rows.link_pose for rows in recording.chunks()])
    return poses[:, :, :2].mean(axis=1)


@pytest.fixture(scope="module")
def onto_a_line() -> RunRecording:
    return follow(PAPERS)


def test_robot_reaches_a_line_1_m_away_in_a_minute(
    onto_a_line: RunRecording,
) -> None:
    error = column(onto_a_line, "cross_track_m")
    y = centre(onto_a_line)[:, 1]
    assert error[0] == pytest.approx(1.0, abs=0.01)
    # A row contains what the controller measured at the start of the control period that ends with
    # it.
    np.testing.assert_allclose(error, y, atol=2e-3)
    cycle = onto_a_line.times > 60.0 - 360.0 / 70.0
    assert np.abs(y[cycle]).mean() < 0.05
    offset = column(onto_a_line, "gait_offset_rad")
    assert math.radians(9.0) < np.abs(offset).max() <= math.radians(10.0)


def test_mirrored_robot_follows_the_mirrored_path(onto_a_line: RunRecording) -> None:
    # A sin(-w t - i d) = -A sin(w t + i d): mirrored, the wave has the same speed and both
    # signs are inverted.
    mirrored = {
        "gait.frequency_deg_s": -70.0,
        "gait.phase_shift_deg": -40.0,
        "start.y_m": -SHIPPED.start.y_m,
    }  # type: ignore[union-attr]
    other = centre(follow({**PAPERS, **mirrored, "run.duration_s": 20.0}))
    np.testing.assert_allclose(other, centre(onto_a_line)[: len(other)] * (1.0, -1.0), atol=1e-7)


def test_robot_reaches_the_path_with_either_head_end() -> None:
    # The same robot with its links numbered from the other end: the wave still travels away from
    # the head.
    values = {"robot.head": "first", "gait.phase_shift_deg": -40.0, "start.heading_deg": 180.0}
    error = column(follow({**LINE, "run.duration_s": 35.0, **values}), "cross_track_m")
    assert error[0] > 0.8
    assert np.abs(error[-60:]).mean() < 0.02


def test_robot_reaches_the_path_from_other_starts() -> None:
    values = {"start.y_m": -1.09, "start.heading_deg": -90.0, "run.duration_s": 50.0}
    error = column(follow({**LINE, **values}), "cross_track_m")
    assert np.abs(error[-60:]).mean() < 0.02


@pytest.mark.parametrize(
    ("curve_gain", "seconds"),
    [
        (0.75, 35.0),
        pytest.param(0.75, 60.0, marks=pytest.mark.soak),
        pytest.param(0.0, 60.0, marks=pytest.mark.soak),
    ],
)
def test_robot_stays_near_a_circle_of_2_m_radius(curve_gain: float, seconds: float) -> None:
    # Without bending into the curve, error and offset balance at e = D tan(kappa L c / gain) with c
    # between 0.5 and 1: kappa = 0.5 / m, L = 0.14 m, D = 0.6 m, gain 0.6 give 3.5 to 7 cm, and
    # sideslip is added to it.
    path = circle(2.0, 12)
    values = {
        "path.waypoints_m": [[x, y + 2.0] for x, y in path.waypoints_m],
        "path.shape": "spline",
        "path.closed": True,
        "start.x_m": 2.0,
        "start.y_m": 2.0,
        "start.heading_deg": 90.0,
        "run.duration_s": seconds,
        "controller.curve_gain": curve_gain,
    }
    error = np.abs(column(follow(values), "cross_track_m"))
    if curve_gain:
        assert error[400:].max() < 0.03
    else:
        assert 0.035 < error[800:].mean() < 0.10


GRIP = {
    "ground.viscous_along_ns_per_m": 0.0,
    "ground.viscous_across_ns_per_m": 0.0,
    "ground.mu_along": 0.1,
    "ground.mu_across": 0.5,
    "joint_controller.law": "pd",
    "joint_controller.kp_nm_per_rad": 400.0,
    "joint_controller.kd_nms_per_rad": 2.0,
    "solver.step_s": 0.00025,
    "robot.mass_kg": 0.7,
}


@pytest.mark.parametrize("model", ["planar_nonsmooth", "spatial_nonsmooth"])
def test_same_gains_work_with_dry_friction(model: str) -> None:
    # The controller does not know the propulsion. Here the robot is 2.5 times as fast, and arrives
    # within 10 s.
    error = column(
        follow({**LINE, **GRIP, "model.kind": model, "run.duration_s": 18.0}), "cross_track_m"
    )
    assert error[0] == pytest.approx(1.0, abs=0.01)
    assert np.abs(error[-60:]).mean() < 0.05


@pytest.mark.parametrize(
    ("head", "shift"), [("last", 40.0), pytest.param("first", -40.0, marks=pytest.mark.soak)]
)
def test_heading_is_reached_and_held(head: str, shift: float) -> None:
    scene = with_values(SHIPPED, {"controller.kind": "heading", "controller.heading_deg": 60.0})
    start = 0.0 if head == "last" else 180.0
    values = {
        "robot.head": head,
        "gait.phase_shift_deg": shift,
        "start.heading_deg": start,
        "run.duration_s": 30.0,
    }
    recording = follow(values, scene)
    heading = np.degrees(column(recording, "heading_rad"))
    assert abs(heading[0]) < 15.0
    last_cycles = recording.times > 30.0 - 2 * PERIOD
    assert heading[last_cycles].mean() == pytest.approx(60.0, abs=1.0)
    # It also moves in that direction.
    displacement = np.diff(centre(recording)[last_cycles][[0, -1]], axis=0)[0]
    assert math.degrees(math.atan2(displacement[1], displacement[0])) == pytest.approx(
        60.0, abs=3.0
    )


BUSY = {"run.duration_s": 4.0, "control.soft_start_deg": 3.0, "control.set_point_period_s": 0.125}


def edits(scene: Scene) -> Iterator[tuple[int, Scene]]:
    yield 1200, with_values(scene, {"controller.gain": 1.5, "controller.look_ahead_m": 0.3})
    yield 2300, with_values(scene, {"path.waypoints_m[10]": [6.0, 5.0], "gait.offset_deg": 2.0})


@pytest.mark.parametrize("values", [{"run.duration_s": 4.0}, BUSY], ids=["plain", "sampled"])
def test_step_boundaries_do_not_change_a_bit(values: dict[str, Any]) -> None:
    scene = with_values(SHIPPED, values)
    result = []
    for sizes in ((4000,), (1, 7, 33, 110, 64)):
        runner = Runner(scene)
        changes = [*edits(scene), (4000, scene)]
        size = 0
        for until, other in changes:
            while runner.engine.step_count < until:
                left = until - runner.engine.step_count
                assert runner.advance(min(sizes[size % len(sizes)], left)).ok
                size += 1
            if until < 4000:
                assert runner.apply(other) == []
        result.append(runner)
    one, other_run = (
        np.concatenate([r.link_pose for r in runner.recording.chunks()]) for runner in result
    )
    assert np.array_equal(one, other_run)
    assert result[0].latest.control == result[1].latest.control
    assert result[0].scene.path.waypoints_m[9] == (6.0, 5.0)


def test_log_rate_does_not_change_the_motion() -> None:
    often, seldom = (
        follow({"run.duration_s": 3.0, "run.log_rate_hz": rate}) for rate in (1000.0, 7.0)
    )
    assert np.array_equal(often.snapshot(-1).link_pose, seldom.snapshot(-1).link_pose)


def references(scene: Scene, periods: int, changes: dict[int, Scene]) -> Iterator[JointReference]:
    """References of the joints, period by period."""
    engine = PlanarLagrangianEngine(scene)
    controller = registry.create(scene)
    for k in range(periods):
        if k in changes:
            controller.apply(changes[k], engine.time)
        time = np.arange(10 * k, 10 * k + 11) * scene.solver.step_s
        reference = controller.reference(time, engine.snapshot())
        yield reference
        engine.advance(reference, 10, ())


def test_references_are_continuous_after_any_change() -> None:
    changes = {
        50: with_values(SHIPPED, {"controller.gain": 2.0, "controller.offset_limit_deg": 4.0}),
        90: with_values(SHIPPED, {"controller.response_s": 2.0, "path.waypoints_m[1]": [0.0, 1.0]}),
        130: with_values(SHIPPED, {"controller.measure": "head", "path.closed": True}),
    }
    before: JointReference | None = None
    for reference in references(SHIPPED, 170, changes):
        step = np.diff(reference.time)[0]
        # Derivatives are consistent: the error of the trapezoidal rule is that of the third
        # derivative.
        for part, slope in (
            (reference.angle, reference.rate),
            (reference.rate, reference.acceleration),
        ):
            middle = 0.5 * (slope[1:] + slope[:-1])
            np.testing.assert_allclose(np.diff(part, axis=0) / step, middle, atol=1e-5)
        if before is not None:
            np.testing.assert_allclose(reference.angle[0], before.angle[-1], atol=1e-12)
            np.testing.assert_allclose(reference.rate[0], before.rate[-1], atol=1e-12)
        before = reference


def test_restored_controller_continues_as_before() -> None:
    scene = with_values(SHIPPED, {**BUSY, "controller.integral_gain_m_s": 0.02})
    engine = PlanarLagrangianEngine(scene)
    controller = registry.create(scene)

    def advance(begin: int, end: int) -> list[FloatArray]:
        result = []
        for k in range(begin, end):
            reference = controller.reference(
                np.arange(10 * k, 10 * k + 11) * scene.solver.step_s, engine.snapshot()
            )
            engine.advance(reference, 10, ())
            result.append(np.concatenate([reference.angle[-1], controller.values()]))
        return result

    advance(0, 150)
    saved = engine.checkpoint(), controller.checkpoint()
    first = advance(150, 260)
    controller.apply(
        with_values(scene, {"path.waypoints_m": [[9.0, 0.0], [0.0, 0.0]], "controller.gain": 3.0}),
        2.6,
    )
    advance(260, 270)
    engine.restore(saved[0])
    controller.restore(saved[1])
    assert np.array_equal(first, advance(150, 260))


def test_loop_is_closed_when_the_gait_starts() -> None:
    scene = with_values(
        SHIPPED,
        {"control.start_delay_s": 0.3, "control.soft_start_deg": 3.0, "start.kind": "straight"},
    )
    engine = PlanarLagrangianEngine(scene)
    controller = registry.create(scene)
    begun = []
    for k in range(200):
        reference = controller.reference(
            np.arange(10 * k, 10 * k + 11) * scene.solver.step_s, engine.snapshot()
        )
        offset = controller.values()[2]
        still = reference.angle[0] == 0.0
        if offset:
            begun.append(k)
            assert not still.any()
        engine.advance(reference, 10, ())
    # The joint with phase 200 degrees is the last: 180 - 20 - arcsin(3 / 30) degrees at 120
    # degrees per second after the delay, 1.586 s, and the offset becomes visible one or two periods
    # later.
    assert begun[0] in (160, 161)
    assert begun == list(range(begun[0], 200))


def test_set_points_keep_their_original_offset() -> None:
    scene = with_values(SHIPPED, {"control.set_point_period_s": 0.125})
    values: dict[int, FloatArray] = {}
    for k, reference in enumerate(references(scene, 120, {})):
        steps = np.floor(reference.time / 0.001 + 1e-6).astype(int)
        inside = (steps % 125 > 0) & (steps % 125 < 125)
        for step, angle in zip(steps[inside], reference.angle[inside], strict=True):
            held = values.setdefault(step // 125, angle)
            np.testing.assert_array_equal(angle, held)
        assert not reference.rate.any(), k
    # The wave of the free gait differs from them by one offset common to all joints.
    gait = registry.create(with_values(SHIPPED, {"controller.kind": "none"}))
    offsets = [
        angle - gait.reference(np.array([n * 0.125, 9.9]), None).angle[0]
        for n, angle in values.items()
    ]
    np.testing.assert_allclose(np.ptp(offsets, axis=1), 0.0, atol=1e-12)
    assert len({round(float(o[0]), 9) for o in offsets}) == len(offsets)


def test_turn_around_keeps_its_direction() -> None:
    # If it must go back to where it came from, the swing of the gait must not make it alternate
    # between left and right.
    scene = with_values(
        SHIPPED,
        {"controller.kind": "heading", "controller.heading_deg": 180.0, "controller.gain": 0.3},
    )
    recording = follow({"run.duration_s": 45.0}, scene)
    heading = np.degrees(column(recording, "heading_rad"))
    assert abs(abs(heading[-60:].mean()) - 180.0) < 2.0
    offset = column(recording, "gait_offset_rad")[20:241]  # of the first 12 s
    assert (offset > 0.0).all() or (offset < 0.0).all()


def test_missing_path_is_reported_with_a_remedy() -> None:
    scene = with_values(SHIPPED, {"path.waypoints_m": []})
    with pytest.raises(SceneError, match=r"path.*follow"):
        Runner(scene)


def test_moved_path_is_followed_immediately() -> None:
    runner = Runner(with_values(SHIPPED, LINE))
    runner.advance(2000)
    before = runner.latest.control
    assert (
        runner.apply(with_values(runner.scene, {"path.waypoints_m": [[0.0, 0.25], [5.0, 0.25]]}))
        == []
    )
    runner.advance(20)
    after = runner.latest.control
    assert after["cross_track_m"] - before["cross_track_m"] == pytest.approx(-0.25, abs=2e-3)
    assert after["path_y_m"] == 0.25
    assert after["along_track_m"] == pytest.approx(before["along_track_m"], abs=2e-3)


def looked(
    scene: Scene, times: int, x: float, y: float, path: list[list[float]] | None = None
) -> dict[str, float]:
    """Channels after some measurements of a robot at rest at (x, y); at the end, `path` replaces its path."""
    robot = PlanarLagrangianEngine(scene).snapshot()
    robot.link_pose[:, :2] += (x, y) - robot.centre_of_mass[:2]
    controller = registry.create(scene)
    for k in range(times):
        controller.reference(np.arange(10 * k, 10 * k + 11) * scene.solver.step_s, robot)
    if path is not None:
        controller.apply(with_values(scene, {"path.waypoints_m": path}), times * 0.01)
        controller.reference(np.arange(10 * times, 10 * times + 11) * scene.solver.step_s, robot)
    return dict(zip(controller.channels, controller.values(), strict=True))


def test_integral_compensates_a_constant_error() -> None:
    # z' = D e / ((e + s z)^2 + D^2) from 0, after 300 periods of 10 ms; the last measurement shows
    # the value before it.
    ahead = SHIPPED.controller.look_ahead_m  # type: ignore[union-attr]
    gain = 0.05
    error = 0.3
    z = solve_ivp(
        lambda t, z: ahead * error / ((error + gain * z) ** 2 + ahead**2),
        (0, 3.0),
        [0.0],
        rtol=1e-9,
    ).y[0, -1]
    scene = with_values(SHIPPED, {**LINE, "controller.integral_gain_m_s": gain})
    seen = looked(scene, 301, 1.0, error)
    assert seen["cross_track_m"] == pytest.approx(error)
    assert seen["heading_ref_rad"] == pytest.approx(
        -math.atan((error + gain * z) / ahead), abs=1e-5
    )
    without = looked(with_values(SHIPPED, LINE), 301, 1.0, error)
    assert without["heading_ref_rad"] == pytest.approx(-math.atan(error / ahead))


def test_moved_waypoint_keeps_the_robot_on_its_lobe() -> None:
    # A loop whose end crosses its beginning: just before the crossing, on the inbound part, 1.9 m
    # from the start.
    loop = [[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [2.0, 3.0], [2.0, -3.0]]
    scene = with_values(SHIPPED, {"path.waypoints_m": loop, "path.shape": "straight"})
    moved = [*loop[:4], [1.9, -3.0]]
    seen = looked(
        scene, 3, 1.9, -0.08, moved
    )  # now 8 cm from the inbound and 5 cm from the outbound part
    assert seen["along_track_m"] == pytest.approx(1.9, abs=0.02)
    # A path with other waypoints is a new path: there the nearest point counts.
    assert looked(scene, 3, 1.9, -0.08, [*moved, [2.0, -4.0]])["along_track_m"] > 10.0


def test_removed_path_does_not_end_the_run() -> None:
    runner = Runner(SHIPPED)
    runner.advance(1000)
    assert runner.apply(with_values(SHIPPED, {"path.waypoints_m": []})) == []
    assert runner.advance(500).ok
    # along the former path
    assert runner.latest.control["heading_ref_rad"] == pytest.approx(0.0, abs=0.01)
