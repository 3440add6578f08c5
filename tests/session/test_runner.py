"""The tick: the same values for any calls, rows at their times, and changes that can be repeated."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import asdict, fields

import numpy as np
import pytest

from snakestudio.engines.time_stepping import BLOCK_ROWS
from snakestudio.errors import SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.events import Change
from snakestudio.model.recording import ContactRows, Rows
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.paths import scenes_dir
from snakestudio.runfile.recording import RunRecording
from snakestudio.session import state_schedule
from snakestudio.session.offline import run_offline
from snakestudio.session.reference_feed import MAX_PERIODS
from snakestudio.session.runner import Runner


def all_rows(recording: RunRecording) -> Rows:
    return Rows.concatenate(list(recording.chunks()))


def assert_identical(one: RunRecording, other: RunRecording) -> None:
    a, b = all_rows(one), all_rows(other)
    for field in fields(Rows):
        if field.name != "contacts":
            assert np.array_equal(getattr(a, field.name), getattr(b, field.name)), field.name
    for field in fields(ContactRows):
        assert np.array_equal(getattr(a.contacts, field.name), getattr(b.contacts, field.name)), (
            field.name
        )


def test_rows_are_on_the_grid_from_the_start_to_the_end(scene: Scene) -> None:
    recording = run_offline(scene).recording
    np.testing.assert_allclose(recording.times, np.arange(101) / 100, atol=1e-12)


@pytest.mark.parametrize(
    ("rate", "duration"), [(30.0, 1.0), (333.0, 0.5), (4000.0, 0.05), (7.0, 0.5013)]
)
def test_rows_are_at_the_nearest_steps_and_the_last_at_the_end(
    scene: Scene, rate: float, duration: float
) -> None:
    scene = with_values(scene, {"run.log_rate_hz": rate, "run.duration_s": duration})
    times = run_offline(scene).recording.times
    assert times[0] == 0
    assert times[-1] == pytest.approx(round(duration / 0.00025) * 0.00025, abs=1e-12)
    grid = np.arange(int(duration * rate + 1e-9) + 1) / rate
    np.testing.assert_allclose(times[: len(grid)], grid, atol=0.000125 + 1e-12)
    assert len(times) - len(grid) in (0, 1)


def test_step_boundaries_do_not_change_a_bit(scene: Scene) -> None:
    offline = run_offline(scene).recording
    runner = Runner(scene)
    sizes = iter([1, 3, 36, 40, 400, 7, 33, 1000, 39, 2441, 10000])
    while not runner.finished:
        assert runner.advance(next(sizes)).ok
    assert_identical(offline, runner.recording)


def test_changes_apply_from_the_next_period_and_can_be_repeated(scene: Scene) -> None:
    runner = Runner(scene)
    runner.advance(1210)
    changed = with_values(
        scene,
        {
            "gait.amplitude_deg": 30.0,
            "ground.mu_along": 0.1,
            "obstacles[7].y_m": 0.5,
            "robot.n_links": 12,
        },
    )
    assert runner.apply(changed) == ["robot.n_links"]
    assert runner.time == pytest.approx(0.31)  # 1210 steps are 30.25 periods
    assert runner.scene.robot.n_links == 11
    runner.advance(2000)
    runner.apply(with_values(runner.scene, {"joint_controller.kp_nm_per_rad": 400.0}))
    runner.advance(10000)
    changes = runner.recording.changes
    assert [sorted(change.values) for change in changes] == [
        ["gait.amplitude_deg", "ground.mu_along", "obstacles[7].y_m"],
        ["joint_controller.kp_nm_per_rad"],
    ]
    assert_identical(runner.recording, run_offline(scene, changes=changes).recording)


def test_change_has_an_effect(scene: Scene) -> None:
    runner = Runner(scene)
    runner.advance(400)
    runner.apply(with_values(scene, {"gait.offset_deg": 15.0}))
    runner.advance(10000)
    plain = run_offline(scene).recording
    assert runner.recording.snapshot(-1).joint_angle_ref[0] - plain.snapshot(-1).joint_angle_ref[
        0
    ] == pytest.approx(np.radians(15), abs=1e-9)


def test_obstacles_can_be_removed_and_the_header_records_it(scene: Scene) -> None:
    runner = Runner(scene)
    runner.advance(400)
    assert runner.apply(scene.model_copy(update={"obstacles": scene.obstacles[:2]})) == []
    runner.advance(10000)
    assert_identical(
        runner.recording, run_offline(scene, changes=runner.recording.changes).recording
    )


def test_finished_run_can_be_extended(scene: Scene) -> None:
    runner = Runner(with_values(scene, {"run.duration_s": 0.5}))
    runner.advance(10**6)
    assert runner.finished
    assert runner.advance(10).steps == 0
    runner.extend()
    runner.advance(10**6)
    assert_identical(runner.recording, run_offline(scene).recording)


def test_run_can_be_cancelled(scene: Scene) -> None:
    result = run_offline(scene, progress=lambda fraction: fraction < 0.4)
    assert result.cancelled
    assert result.recording.times[-1] == pytest.approx(0.5)


def test_unrunnable_scene_is_refused_with_every_reason(scene: Scene) -> None:
    bad = with_values(
        scene, {"robot.joint_limit_deg": 20, "obstacles[1].x_m": 0.515, "obstacles[1].y_m": 0.157}
    )
    with pytest.raises(SceneError) as caught:
        Runner(bad)
    assert "obstacles[1]" in str(caught.value)
    assert "joint_limit_deg" in str(caught.value)


def test_kind_of_gait_changes_during_the_run_and_is_repeated(
    scene: Scene,
) -> None:
    runner = Runner(scene)
    runner.advance(1200)
    waves = {"gait.kind": "two_waves", "gait.amplitude_deg": 35.0, "gait.pitch_amplitude_deg": 5.0}
    assert runner.apply(with_values(scene, {"gait.phase_shift_deg": -45.0})) == []
    assert runner.apply(with_values(scene, waves)) == []
    # three at one time
    assert runner.apply(with_values(scene, waves | {"gait.amplitude_deg": 30.0})) == []
    runner.advance(1200)
    assert runner.apply(with_values(runner.scene, {"gait.kind": "lateral_undulation"})) == []
    runner.advance(10000)
    noted = tuple(
        Change(c.time, json.loads(json.dumps(c.values))) for c in runner.recording.changes
    )
    assert [round(change.time, 9) for change in noted] == [0.3, 0.6]
    assert_identical(runner.recording, run_offline(scene, changes=noted).recording)


def led(scene: Scene) -> Scene:
    """The scene with a controller that reads the state of the robot."""
    return with_values(
        scene,
        {
            "controller.kind": "leader_follower",
            "controller.direction_deg": 180.0,
            "controller.head_reach_m": 0.2,
            "controller.jam_time_s": 0.0,
            "controller.jam_angle_deg": 3.0,
            "controller.resolution_time_s": 0.1,
            "joint_controller.kp_nm_per_rad": 20.0,
        },
    )


def test_step_boundaries_do_not_matter_with_a_controller(
    scene: Scene,
) -> None:
    offline = run_offline(led(scene)).recording
    names = offline.schema.extra
    assert names[:4] == ("controller_state", "head_side", "head_offset_m", "jam_count")
    assert all_rows(offline).extra[-1, names.index("jam_count")] > 0, (
        "contact forces had a part in it"
    )
    runner = Runner(led(scene))
    sizes = iter([1, 3, 36, 40, 400, 7, 33, 1000, 39, 2441, 10000])
    while not runner.finished:
        runner.advance(next(sizes))
    assert_identical(offline, runner.recording)


def test_controller_channels_are_in_live_and_recorded_snapshots(scene: Scene) -> None:
    runner = Runner(led(scene))
    runner.advance(40)
    recorded = runner.recording.snapshot(-1)
    assert recorded.control == runner.latest.control
    assert set(recorded.control) == set(runner.controller.channels)


@pytest.mark.parametrize("name", ["obstacle_aided", "path_following", "sidewinding"])
def test_forces_of_a_snapshot_are_not_means_over_a_long_call(name: str) -> None:
    scene = load_scene(scenes_dir() / f"{name}.toml")
    period = scene.steps_per_period
    in_two_calls = Runner(scene)
    assert in_two_calls.advance(MAX_PERIODS * period).ok
    assert in_two_calls.advance(period).ok
    in_one_call = Runner(scene)
    assert in_one_call.advance((MAX_PERIODS + 1) * period).ok
    np.testing.assert_equal(asdict(in_one_call.latest), asdict(in_two_calls.latest))


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("planar_lagrangian", "path_following"),
        ("planar_nonholonomic", "jam_resolution"),
        ("planar_nonsmooth", "obstacle_aided"),
        ("spatial_nonsmooth", "obstacle_aided_3d"),
    ],
)
def test_earlier_snapshots_do_not_change(model: str, name: str) -> None:
    scene = load_scene(scenes_dir() / f"{name}.toml")
    assert scene.model.kind == model
    runner = Runner(scene)
    seen: list[tuple[Snapshot, Snapshot, Rows, Rows]] = []
    for _ in range(2 * BLOCK_ROWS + 3):
        report = runner.advance(scene.steps_per_period)
        seen.append((runner.latest, deepcopy(runner.latest), report.rows, deepcopy(report.rows)))
    for shot, then, rows, rows_then in seen:
        np.testing.assert_equal(asdict(shot), asdict(then))
        np.testing.assert_equal(asdict(rows), asdict(rows_then))
    bare = runner.engine.snapshot(contacts=False)
    assert Fields.CONTACTS not in bare.valid
    assert not len(bare.contacts)
    assert np.array_equal(bare.link_pose, runner.latest.link_pose)


def test_controller_values_are_live_but_its_kind_is_not(
    scene: Scene,
) -> None:
    runner = Runner(led(scene))
    runner.advance(40)
    expected = with_values(runner.scene, {"controller.speed_m_s": 0.1, "controller.begins": "left"})
    assert runner.apply(expected) == ["controller.begins"]
    assert runner.scene.controller.speed_m_s == 0.1  # type: ignore[union-attr]
    assert runner.apply(with_values(runner.scene, {"controller.kind": "none"})) == ["controller"]


def test_scene_is_checked_before_the_engine_is_built() -> None:
    scene = with_values(Scene(), {"model.kind": "continuum_beam", "support.weights": [1.0, 2.0]})
    with pytest.raises(SceneError, match=r"support\.weights: 2 weights for 5 supports"):
        Runner(scene)


@pytest.mark.parametrize(("fraction", "times"), [(np.inf, [0.0, 1.0, 2.0, 3.0]), (1e-9, [0.0])])
def test_states_are_saved_every_second_unless_slow(
    fraction: float, times: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_schedule, "SAVE_SHARE", fraction)
    scene = with_values(
        load_scene(scenes_dir() / "lagrangian_undulation.toml"), {"run.duration_s": 3.0}
    )
    saved_times = [time for time, _ in run_offline(scene, scenes_dir()).recording.checkpoints()]
    assert saved_times == pytest.approx(times)
