"""Continuing a run: bit for bit as the uninterrupted run, with a notice where that is impossible."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snakestudio.api import continue_from, load_run
from snakestudio.errors import StateError, UsageError
from snakestudio.model.edits import with_values
from snakestudio.model.events import RunEvent
from snakestudio.model.recording import ContactRows, Rows
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.runfile.mcap import RunFile
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.continuation import Continuation, continue_run
from snakestudio.session.offline import run_offline
from snakestudio.session.pulling import Grip
from snakestudio.session.runner import Runner
from tests.session.rows import all_rows
from tests.wording import naming

Values = dict[str, Any]

# name, scene, overrides, a change before the time, one after it
CASES: tuple[tuple[str, str, Values, Values, Values], ...] = (
    (
        "gait",
        "obstacle_aided",
        {},
        {"gait.amplitude_deg": 38.0, "obstacles[7].y_m": 0.5},
        {"ground.mu_along": 0.1},
    ),
    (
        "set_points",
        "obstacle_aided",
        {
            "control.soft_start_deg": 5.0,
            "control.start_delay_s": 0.1,
            "control.set_point_period_s": 0.05,
        },
        {"gait.frequency_deg_s": 95.0},
        {"gait.amplitude_deg": 35.0},
    ),
    ("spatial", "obstacle_aided_3d", {}, {"gait.frequency_deg_s": 90.0}, {"obstacles[3].y_m": 0.9}),
    ("two_waves", "sidewinding", {}, {"gait.amplitude_deg": 25.0}, {"ground.mu_along": 0.3}),
    (
        "lagrangian",
        "lagrangian_undulation",
        {},
        {"gait.amplitude_deg": 20.0},
        {"gait.frequency_deg_s": 90.0},
    ),
    (
        "heading",
        "lagrangian_undulation",
        {"controller.kind": "heading"},
        {"controller.heading_deg": 30.0},
        {"controller.gain": 0.9},
    ),
    (
        "path_following",
        "path_following",
        {},
        {"controller.look_ahead_m": 0.7},
        {"path.shape": "straight"},
    ),
    (
        "leader_follower",
        "jam_resolution",
        {},
        {"controller.head_angle_deg": 45.0},
        {"controller.speed_m_s": 0.15},
    ),
    (
        "strain_follower",
        "sidewinding",
        {"controller.kind": "strain_follower"},
        {"ground.mu_along": 0.3},
        {},
    ),
    ("strain_law", "worm", {}, {"strain.stretch": 0.01}, {"strain.speed_m_s": 0.2}),
    ("rings", "continuum_snake_2d", {}, {"strain.curvature_per_m": 8.0}, {"strain.speed_m_s": 0.4}),
)


def scene_of(name: str, values: Values) -> Scene:
    return with_values(load_scene(scenes_dir() / f"{name}.toml"), {**values, "run.duration_s": 3.0})


def changed(runner: Runner, values: Values) -> None:
    if values:
        assert runner.apply(with_values(runner.scene, values)) == []


def run(scene: Scene, before: Values, after: Values) -> RunRecording:
    """Three seconds, in uneven pieces as in the window, with changes after 0.8 s and 2.2 s."""
    runner = Runner(scene, scenes_dir())
    step = scene.solver.step_s
    for until, values in ((0.8, before), (2.2, after), (3.0, {})):
        while runner.time < until - step / 2:
            assert runner.advance(min(137, round(until / step) - runner.engine.step_count)).ok
        changed(runner, values)
    return runner.recording


def finish(continuation: Continuation, changes: RunRecording) -> RunRecording:
    """Continue to the end, with the changes that the uninterrupted run got after the time."""
    runner = continuation.runner
    step = continuation.runner.scene.solver.step_s
    for change in changes.changes:
        if change.time > continuation.time:
            runner.advance(round(change.time / step) - runner.engine.step_count)
            changed(runner, change.values)
    runner.advance(round(3.0 / step) - runner.engine.step_count)
    return runner.recording


def assert_equal_rows(one: Rows, other: Rows) -> None:
    for owner, a, b in ((Rows, one, other), (ContactRows, one.contacts, other.contacts)):
        for field in fields(owner):
            if field.name != "contacts":
                left, right = getattr(a, field.name), getattr(b, field.name)
                assert left.tobytes() == right.tobytes(), field.name


@pytest.mark.parametrize(
    ("name", "file", "values", "before", "after"), CASES, ids=[case[0] for case in CASES]
)
def test_continued_run_is_bit_identical(
    name: str, file: str, values: Values, before: Values, after: Values
) -> None:
    recording = run(scene_of(file, values), before, after)
    assert len(recording.changes) == bool(before) + bool(after)
    for moment in (1.52, 0.4):
        continuation = continue_run(recording, moment, scenes_dir())
        assert continuation is not None
        assert continuation.exact
        assert continuation.notes == ()
        assert continuation.time == pytest.approx(moment, abs=0.006)
        assert len(continuation.runner.recording) == recording.index_at(moment) + 1
        assert_equal_rows(all_rows(finish(continuation, recording)), all_rows(recording))


@pytest.fixture(scope="module")
def recording() -> RunRecording:
    return run(scene_of("obstacle_aided", {}), {"gait.amplitude_deg": 38.0}, {})


class WithoutStates:
    """A recording as in files of other programs: only rows, changes and events."""

    def __init__(self, recording: RunRecording) -> None:
        self._recording = recording

    def __getattr__(self, name: str) -> Any:
        if name.startswith("checkpoint"):
            raise AttributeError(name)
        return getattr(self._recording, name)

    def __len__(self) -> int:
        return len(self._recording)


def test_run_without_states_is_recomputed_with_a_notice(recording: RunRecording) -> None:
    continuation = continue_run(WithoutStates(recording), 1.2, name="monday.mcap")
    assert continuation is not None
    assert continuation.exact
    assert continuation.notes == (naming("recomputed"),)
    new = continuation.runner.recording
    assert_equal_rows(all_rows(new), recording.rows(0, 121))
    assert [event.text for event in new.events if event.kind == "continued"] == [
        f"Continued from monday.mcap. {continuation.notes[0]}"
    ]


def test_state_of_another_version_is_used_if_readable(
    recording: RunRecording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("snakestudio.runfile.states.__version__", "99.1")
    continuation = continue_run(recording, 0.3)
    assert continuation is not None
    assert continuation.exact
    assert not continuation.notes
    monkeypatch.setattr("snakestudio.runfile.states.FORMAT", 1)
    continuation = continue_run(recording, 0.3)
    assert continuation is not None
    assert continuation.exact
    assert continuation.notes == (naming("newer"),)


def test_deviation_from_the_recorded_row_is_reported(recording: RunRecording) -> None:
    class Elsewhere(WithoutStates):
        def rows(self, start: int, stop: int) -> Rows:
            rows = recording.rows(start, stop)
            return replace(rows, link_pose=rows.link_pose + 0.002)

    continuation = continue_run(Elsewhere(recording), 0.5)
    assert continuation is not None
    assert not continuation.exact
    assert "2 mm" in continuation.notes[-1]
    assert "another machine" in continuation.notes[-1]


def test_pulls_are_repeated_with_and_without_states() -> None:
    scene = scene_of("obstacle_aided", {})
    runner = Runner(scene)
    runner.advance(1210)  # in the middle of a control period
    x, y, z = map(float, runner.latest.link_pose[2, :3])
    runner.pull(Grip(2, (0.03, 0.0, 0.0), (x, y + 0.2, z)))
    runner.advance(500)
    runner.pull(Grip(2, (0.03, 0.0, 0.0), (x, y + 0.3, z)))
    runner.advance(300)
    runner.pull(None)
    runner.advance(4000)
    assert [event.text for event in runner.recording.events if event.kind == "note"] == [
        naming("Link 3")
    ]
    recorded = all_rows(runner.recording)
    for moment in (0.4, 0.47, 0.9):
        continuation = continue_run(runner.recording, moment)
        assert continuation is not None
        assert continuation.exact
    continuation.runner.advance(6010 - continuation.runner.engine.step_count)
    assert_equal_rows(all_rows(continuation.runner.recording), recorded)
    again = continue_run(WithoutStates(runner.recording), 0.9)
    assert again is not None
    assert again.exact
    assert list(again.runner.recording.pulls) == runner.recording.pulls
    pulled = continue_run(runner.recording, 0.4)
    assert pulled is not None
    assert not pulled.runner.recording.pulls[-1].released
    pulled.runner.advance(400)
    assert pulled.runner.recording.pulls[-1].released  # the pull has ended
    assert pulled.runner.recording.pulls[-1].time == 0.4


def test_run_continued_where_a_pull_ends_is_not_pulled() -> None:
    scene = scene_of("obstacle_aided", {})
    runner = Runner(scene)
    x, y, z = map(float, runner.latest.link_pose[2, :3])
    runner.pull(Grip(2, (0.0, 0.0, 0.0), (x, y + 0.2, z)))
    runner.advance(400)
    runner.pull(None)
    # saves a state during a pull
    runner.apply(with_values(runner.scene, {"gait.amplitude_deg": 39.0}))
    runner.advance(400)
    assert runner.recording.pulls[-1].released
    assert runner.recording.pulls[-1].time == 0.1
    continuation = continue_run(runner.recording, 0.1)
    assert continuation is not None
    continuation.runner.advance(400)
    assert continuation.runner.recording.pulls == runner.recording.pulls
    assert_equal_rows(all_rows(continuation.runner.recording), all_rows(runner.recording))


def test_continued_run_can_be_continued_with_its_events(recording: RunRecording) -> None:
    first = continue_run(recording, 1.7)
    assert first is not None
    saved = first.runner.recording
    assert [change.values for change in saved.changes] == [{"gait.amplitude_deg": 38.0}]
    assert saved.events[:-1] == tuple(event for event in recording.events if event.time <= 1.7)
    assert saved.events[-1].kind == "continued"
    second = continue_run(saved, 1.1)
    assert second is not None
    assert second.exact
    assert second.notes == ()
    second.runner.advance(12000 - second.runner.engine.step_count)
    assert_equal_rows(all_rows(second.runner.recording), all_rows(recording))


def test_continuation_can_be_stopped(recording: RunRecording) -> None:
    assert (
        continue_run(WithoutStates(recording), 2.0, progress=lambda fraction: fraction < 0.2)
        is None
    )


def test_recording_without_an_engine_is_refused(recording: RunRecording) -> None:
    class OfARobot(WithoutStates):
        schema = replace(recording.schema, energy=())

    with pytest.raises(StateError, match="cannot be continued"):
        continue_run(OfARobot(recording), 1.0)
    with pytest.raises(StateError, match="no rows"):
        continue_run(RunRecording(recording.scene, recording.schema), 1.0)


def test_damaged_state_is_skipped(recording: RunRecording) -> None:
    time, state = recording.checkpoint_before(9.9) or (0.0, b"")
    damaged = run(scene_of("obstacle_aided", {}), {"gait.amplitude_deg": 38.0}, {})
    damaged.add_checkpoint(time, state[: len(state) // 2])
    continuation = continue_run(damaged, time + 0.1)
    assert continuation is not None
    assert continuation.exact
    assert continuation.notes == ()


def test_time_between_rows_is_the_nearest_row(recording: RunRecording) -> None:
    continuation = continue_run(recording, 1.2049)
    assert continuation is not None
    assert continuation.time == pytest.approx(1.2)
    assert (
        RunEvent(continuation.time, "continued", "Continued from here")
        in continuation.runner.recording.events
    )
    assert np.array_equal(
        continuation.runner.latest.link_pose, recording.rows(120, 121).link_pose[0]
    )


def test_run_file_is_continued_by_one_call(tmp_path: Path) -> None:
    scene = scene_of("jam_resolution", {})
    run_offline(scene, path=tmp_path / "run.mcap")
    whole_run = load_run(tmp_path / "run.mcap")
    run, notes = continue_from(tmp_path / "run.mcap", 1.3, record=tmp_path / "new.mcap")
    assert notes == ()
    for name in ("link_1_x_m", "joint_3_yaw_rad", "jam_count", "solver_iterations"):
        assert run[name].tobytes() == whole_run[name].tobytes()
    again = load_run(tmp_path / "new.mcap")
    assert [event.kind for event in again.recording.events].count("continued") == 1
    longer, _ = continue_from(
        tmp_path / "run.mcap", 3.0, duration=3.5, values={"controller.speed_m_s": 0.1}
    )
    assert longer["time_s"][-1] == pytest.approx(3.5)
    assert [change.time for change in longer.recording.changes] == [pytest.approx(3.0)]
    with pytest.raises(UsageError, match="recorded from 0 to 3 s"):
        continue_from(tmp_path / "run.mcap", 4.0)
    with pytest.raises(UsageError, match=r"robot\.mass_kg cannot change"):
        continue_from(tmp_path / "run.mcap", 1.0, values={"robot.mass_kg": 2.0})
    with pytest.raises(UsageError, match="run to continue"):
        continue_from(tmp_path / "run.mcap", 1.0, record=tmp_path / "run.mcap")
    with pytest.raises(UsageError, match="longer duration"):
        continue_from(tmp_path / "run.mcap", 3.0)
    for recording in (whole_run.recording, again.recording):
        assert isinstance(recording, RunFile)
        recording.close()
