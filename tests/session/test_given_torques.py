"""Runs with given joint torques: the same for any steps, changes and continuations."""

from __future__ import annotations

import json
from dataclasses import fields

import numpy as np
import pytest

from snakestudio.errors import StateError
from snakestudio.model.edits import with_values
from snakestudio.model.edits.pose import as_joint_angles
from snakestudio.model.events import Change
from snakestudio.model.recording import Recording, Rows
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.runfile.states import decode, encode
from snakestudio.session.offline import run_offline
from snakestudio.session.runner import Runner
from tests.hostile.forged import with_leaf

STEP = 0.00025


@pytest.fixture(scope="module")
def scene() -> Scene:
    """A scene with obstacles, so that contacts are part of the comparison."""
    scene = load_scene(scenes_dir() / "obstacle_aided.toml")
    torques = {
        "gait.kind": "joint_torque",
        "gait.torque_nm": "3*sin(8*t + 0.9*i)",
        "run.duration_s": 0.5,
        "robot.joint_limit_deg": 50.0,
        "actuator.time_constant_s": 0.01,
    }
    return with_values(scene.model_copy(update={"start": as_joint_angles(scene)}), torques)


def assert_identical(one: Recording, other: Recording) -> None:
    a, b = (Rows.concatenate(list(recording.chunks())) for recording in (one, other))
    for field in fields(Rows):
        if field.name != "contacts":
            assert np.array_equal(getattr(a, field.name), getattr(b, field.name), equal_nan=True), (
                field.name
            )


def test_step_boundaries_do_not_change_a_bit(scene: Scene) -> None:
    runner = Runner(scene)
    sizes = iter([1, 3, 36, 40, 400, 7, 33, 1000, 39, 2441])
    while not runner.finished:
        runner.advance(next(sizes))
    assert_identical(run_offline(scene).recording, runner.recording)


def test_changed_formula_applies_from_the_next_period(
    scene: Scene,
) -> None:
    scene = with_values(scene, {"run.log_rate_hz": 4000.0, "actuator.time_constant_s": 0.0})
    runner = Runner(scene)
    runner.advance(401)
    assert runner.apply(with_values(scene, {"gait.torque_nm": "-0.1*i"})) == []
    begun = runner.time
    runner.advance(10000)
    rows = runner.recording.rows(0, len(runner.recording))
    before = rows.time <= begun + 0.5 * STEP
    middle = rows.time[before][1:, None] - 0.5 * STEP
    assert 0.1 < begun < 0.12
    assert rows.joint_torque[before][1:] == pytest.approx(
        3.0 * np.sin(8.0 * middle + 0.9 * np.arange(1, 11))
    )
    assert rows.joint_torque[~before] == pytest.approx(
        np.tile(-0.1 * np.arange(1, 11), ((~before).sum(), 1))
    )
    noted = tuple(
        Change(c.time, json.loads(json.dumps(c.values))) for c in runner.recording.changes
    )
    assert_identical(runner.recording, run_offline(scene, changes=noted).recording)


def test_unsupported_changes_wait(scene: Scene) -> None:
    runner = Runner(scene)
    runner.advance(400)
    assert runner.apply(with_values(scene, {"gait.torque_nm": "3*sin("})) == ["gait.torque_nm"]
    assert runner.apply(with_values(scene, {"gait.kind": "lateral_undulation"})) == ["gait"]
    assert runner.scene.gait == scene.gait
    waves = Runner(load_scene(scenes_dir() / "obstacle_aided.toml"))
    waves.advance(400)
    assert waves.apply(with_values(waves.scene, {"gait.kind": "joint_torque"})) == ["gait"]
    assert waves.advance(400).ok


def test_run_continues_from_a_saved_state_bit_for_bit(scene: Scene) -> None:
    runner = Runner(scene)
    other = Runner(scene)
    runner.advance(600)
    other.restore(runner.checkpoint(), scene, runner.time)
    for one in (runner, other):
        assert one.advance(1000).ok
    assert np.array_equal(runner.latest.link_pose, other.latest.link_pose)
    assert np.array_equal(runner.latest.joint_torque, other.latest.joint_torque)
    assert np.isnan(other.latest.joint_angle_ref).all()


def test_forged_torques_are_refused(scene: Scene) -> None:
    runner = Runner(scene)
    other = Runner(scene)
    runner.advance(600)
    state = decode(runner.checkpoint(), scene)
    torque = state[2].reference.torque
    endless = torque.copy()
    endless[3, 2] = np.inf
    for forged in (
        None,
        endless,
        torque[:, :-1].copy(),
        torque[:-1].copy(),
        torque.astype(np.float32),
    ):
        with pytest.raises(StateError, match="damaged"):
            other.restore(
                encode(with_leaf(state, (2, "reference", "torque"), forged), scene, 0.0),
                scene,
                runner.time,
            )
    waves = Runner(load_scene(scenes_dir() / "obstacle_aided.toml"))
    waves.advance(600)
    state = decode(waves.checkpoint(), waves.scene)
    forged = with_leaf(state, (2, "reference", "torque"), np.zeros_like(state[2].reference.angle))
    with pytest.raises(StateError, match="damaged"):
        waves.restore(encode(forged, waves.scene, 0.0), waves.scene, waves.time)
