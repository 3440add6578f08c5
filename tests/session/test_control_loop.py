"""The tick: references, steps and means do not depend on how a run is divided into calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snakestudio.control import registry as controllers
from snakestudio.model.edits import with_values
from snakestudio.model.events import DRIVEN
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.paths import scenes_dir
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.control_loop import ControlLoop, EngineLoop
from snakestudio.session.reference_feed import Preview, ReferenceFeed
from snakestudio.session.run_log import RowLog
from snakestudio.session.runner import Runner
from snakestudio.session.stepper import Stepper

MOTION = (
    "steps",
    "link_pose",
    "link_twist",
    "joint_angle",
    "joint_rate",
    "joint_torque",
    "energy",
    "impulse_obstacle",
    "impulse_ground",
    "solver_iterations",
)
"""Fields of a row that do not depend on the rows before it."""


def scene_of(name: str) -> Scene:
    return load_scene(scenes_dir() / f"{name}.toml")


def drive(loop: ControlLoop, n_steps: int, piece: int) -> None:
    """Advance in calls of at most `piece` steps, and take a snapshot after each, as a display does."""
    while n_steps > 0:
        loop.begin_call()
        left = min(piece, n_steps)
        n_steps -= left
        while left > 0:
            count = loop.request(left)
            assert loop.advance(count).ok
            left -= count
        loop.engine.snapshot()


@pytest.mark.parametrize("name", ["sidewinding", "jam_resolution", "path_following"])
def test_state_does_not_depend_on_the_division(name: str) -> None:
    scene = scene_of(name)
    n_steps = 6 * scene.steps_per_period + 5
    engines = []
    for piece in (n_steps, scene.steps_per_period, 7, 1):
        loop = ControlLoop(scene)
        drive(loop, n_steps, piece)
        engines.append(loop.engine)
    runner = Runner(scene)
    assert runner.advance(n_steps).ok
    stepper = Stepper(scene)
    stepper.drive(n_steps)
    first, *others = (each.initial_rows() for each in (*engines, runner.engine, stepper.engine))
    assert first.steps.tolist() == [n_steps]
    for row in others:
        for field in MOTION:
            np.testing.assert_array_equal(getattr(row, field), getattr(first, field), field)


def test_controller_reads_means_of_whole_periods() -> None:
    scene = scene_of("jam_resolution")
    n_steps = 8 * scene.steps_per_period
    reads: list[list[Any]] = []
    for piece in (n_steps, 3):
        loop = ControlLoop(scene)
        assert loop.feed.closed_loop
        forces: list[Any] = []
        compute = loop.controller.reference

        def reference(
            knots: Any, snapshot: Snapshot, forces: list[Any] = forces, compute: Any = compute
        ) -> Any:
            forces.append((knots[0], snapshot.contacts.force_normal.copy()))
            return compute(knots, snapshot)

        loop.controller.reference = reference  # type: ignore[method-assign, assignment]
        drive(loop, n_steps, piece)
        reads.append(forces)
    assert len(reads[0]) == 8
    assert max(len(force) for _, force in reads[0]) > 0
    for (time, force), (other_time, other_force) in zip(*reads, strict=True):
        assert time == other_time
        np.testing.assert_array_equal(force, other_force)


def test_references_reach_the_sinks_once() -> None:
    scene = scene_of("obstacle_aided")
    received: list[Any] = []
    loop = ControlLoop(scene, sinks=[received.append])
    drive(loop, 3 * scene.steps_per_period, 7)
    begins = [reference.time[0] for reference in received]
    assert begins == sorted(set(begins))
    assert received[-1] is loop.feed.reference


def test_log_of_a_loop_has_the_rows_of_a_run() -> None:
    scene = scene_of("jam_resolution")
    n_steps = 5 * scene.steps_per_period
    runner = Runner(scene)
    assert runner.advance(n_steps).ok
    loop = ControlLoop(scene)
    loop.log = RowLog(RunRecording(scene, loop.schema), scene)
    loop.record_present()
    drive(loop, n_steps, 7)
    loop.log.flush()
    expected = runner.recording.rows(0, len(runner.recording))
    rows = loop.log.recording.rows(0, len(loop.log.recording))
    assert len(rows) > 3
    for field in (*MOTION, "extra"):
        np.testing.assert_array_equal(getattr(rows, field), getattr(expected, field), field)


def test_rows_under_set_points_have_no_controller_values() -> None:
    scene = scene_of("jam_resolution")
    n = scene.steps_per_period
    loop = ControlLoop(scene)
    log = loop.log = RowLog(RunRecording(scene, loop.schema), scene)
    loop.record_present()
    drive(loop, n, n)
    last_of_controller = log.rows.count
    assert not loop.hold(n, loop.engine.snapshot().joint_angle, None, None)
    under_set_points = log.rows.count
    assert np.isnan(loop.present_values()).all()
    assert loop.progress() == (None, 0, 0)
    drive(loop, n, n)
    log.flush()
    rows = log.recording.rows(0, len(log.recording))
    missing = np.isnan(rows.extra).all(axis=1)
    expected = np.zeros(len(rows), np.bool_)
    expected[last_of_controller:under_set_points] = True
    assert expected.any()
    np.testing.assert_array_equal(missing, expected)
    assert [event.text for event in log.recording.events] == [DRIVEN]


def test_failure_is_recorded_after_its_rows() -> None:
    scene = with_values(Scene(), {"robot.n_links": 5, "solver.step_s": 0.001})
    loop = EngineLoop(scene)
    log = loop.log = RowLog(RunRecording(scene, loop.schema), scene)
    loop.record_present()
    wave: Any = controllers.create(scene).reference(np.linspace(0.0, 1.0, 101), None)
    report = loop.follow(wave, 1000)
    assert not report.ok
    (fault,) = log.recording.events
    assert (fault.kind, fault.text) == ("fault", report.message)
    assert fault.time == loop.engine.time
    assert log.recording.times[-1] <= fault.time < log.recording.times[-1] + 0.01


@pytest.mark.parametrize("steered", [True, False])
def test_references_of_a_robot_are_those_of_a_simulation(steered: bool) -> None:
    scene = scene_of("teleoperation") if steered else scene_of("sidewinding")
    n = scene.steps_per_period
    feed_of_run = ControlLoop(scene, steered=steered).feed
    of_run: list[Any] = []
    while len(of_run) < 12 * n:
        of_run += list(angles(feed_of_run.request(len(of_run), 12 * n, lambda: None))[:-1])
    feed = ReferenceFeed(
        controllers.create(scene), scene.solver.step_s, n, steered=steered, preview=Preview(5, 2)
    )
    begin = 0
    for due in (0, 2, 4, 7):  # the last one is late
        assert not feed.covers(due * n)
        previewed = feed.request(due * n, n, lambda: None)
        assert (feed.begin, feed.end) == (due * n, (due + 2) * n)
        assert feed.covers((due + 2) * n - 1)
        begin = due * n
        np.testing.assert_array_equal(angles(previewed)[: 5 * n], of_run[begin : begin + 5 * n])


def test_changes_act_after_the_periods_that_a_preview_has_sent() -> None:
    scene = scene_of("sidewinding")
    n = scene.steps_per_period
    changed = with_values(scene, {"gait.amplitude_deg": 10.0})
    feed = ReferenceFeed(controllers.create(scene), scene.solver.step_s, n, preview=Preview(5, 2))
    before = angles(feed.request(0, n, lambda: None))
    feed.advance_to(3 * n)
    feed.controller.apply(changed, 3 * n * scene.solver.step_s)
    feed.use(feed.controller)
    feed.discard()
    after = angles(feed.request(3 * n, n, lambda: None))
    np.testing.assert_array_equal(after[0], before[3 * n])
    assert np.abs(after[2 * n] - before[5 * n]).max() > 1e-6


def angles(reference: Any) -> Any:
    return reference.angle
