"""`open_simulation`: the steps of a run, driven from Python."""

from __future__ import annotations

import gc
import pickle
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.control.base import OpenLoop
from snakestudio.model.edits import with_values
from snakestudio.model.reference import JointReference
from snakestudio.paths import scenes_dir
from snakestudio.session.runner import Runner
from tests.wording import naming

PLANAR = scenes_dir() / "obstacle_aided.toml"
SPATIAL = scenes_dir() / "sidewinding.toml"
SMOOTH = scenes_dir() / "path_following.toml"
JAMMED = scenes_dir() / "jam_resolution.toml"
BODY = scenes_dir() / "continuum_snake_3d.toml"

FIELDS = (
    "link_pose",
    "link_twist",
    "joint_angle",
    "joint_rate",
    "joint_angle_ref",
    "joint_rate_ref",
    "joint_torque",
)


def same(state: ss.State, other: Any) -> None:
    """Assert that the states are equal to the last bit."""
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(state, name), getattr(other, name), name)
    assert state.time == other.time
    assert state.energy == other.energy
    for name in ("link", "other", "point", "force_normal", "force_friction", "state"):
        np.testing.assert_array_equal(
            getattr(state.contacts, name), getattr(other.contacts, name), name
        )


class Held(OpenLoop):
    """Holds one row of targets during each control period, at the knots that a run requests."""

    def __init__(self, targets: np.ndarray, steps: int, dt: float) -> None:
        self._targets = targets
        self._span = steps * dt

    def reference(self, time: np.ndarray, snapshot: object) -> JointReference:
        row = np.floor(time / self._span + 1e-9).astype(int).clip(0, len(self._targets) - 1)
        row[-1] = row[-2]  # a block ends with its held values
        first = np.flatnonzero(np.diff(row)) + 1
        at = np.sort(np.concatenate([np.arange(len(time)), first]))
        after = np.concatenate([[False], np.diff(at) == 0])
        before = np.concatenate([after[1:], [False]])
        angle = self._targets[np.where(before, row[at] - 1, row[at])]
        knots = np.where(before, np.nextafter(time[at], -np.inf), time[at])
        return JointReference(knots, angle, np.zeros_like(angle), np.zeros_like(angle))

    def apply(self, scene: ss.Scene, time: float) -> None:
        pass

    def checkpoint(self) -> None:
        return None

    def restore(self, checkpoint: object) -> None:
        pass


@pytest.mark.parametrize("path", [PLANAR, SPATIAL, SMOOTH, JAMMED], ids=lambda path: path.stem)
def test_steps_under_targets_equal_a_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ss.open_simulation(path) as sim:
        n = sim.period_steps
        m = len(sim.axes)
        targets = sim.state.joint_angle + 0.1 * np.random.default_rng(0).standard_normal((20, m))
        held = Held(targets, n, sim.dt)
        monkeypatch.setattr("snakestudio.session.runner.controllers.create", lambda *_, **__: held)
        runner = Runner(sim.scene, path.parent)
        for row in targets:
            sim.step(row, n=n)
            assert runner.advance(n).ok
        same(sim.state, runner.engine.snapshot())
        expected = sim.state.copy()
        sim.reset()
        for row in targets:
            for _ in range(n):
                sim.step(row)
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(sim.state, name), getattr(expected, name), name)


@pytest.mark.parametrize("path", [PLANAR, SPATIAL, SMOOTH, BODY], ids=lambda path: path.stem)
def test_steps_without_targets_equal_the_run(path: Path) -> None:
    run = ss.simulate(path, duration=0.3)
    with ss.open_simulation(path, {"run.duration_s": 0.3}) as sim:
        sim.record()
        steps = run.scene.n_steps
        sim.step(n=1)
        sim.step(n=3)
        sim.step(n=steps - 4)
        for name in run.columns:
            np.testing.assert_array_equal(sim.run[name], run[name], name)
        same(sim.state, sim.state.copy())


@pytest.mark.parametrize("path", [PLANAR, SPATIAL, SMOOTH, JAMMED], ids=lambda path: path.stem)
def test_state_arrays_are_reused_by_the_next_state(path: Path) -> None:
    with ss.open_simulation(path) as sim:
        still = sim.state.joint_angle.copy()
        sim.step(still + 0.1, n=20)
        names = ("link_pose", "link_twist", "joint_angle", "joint_rate", "joint_torque")
        views = {name: getattr(sim.state, name) for name in names}
        before = sim.state.copy()
        sim.step(still, n=20)
        for name in names:
            np.testing.assert_array_equal(views[name], getattr(before, name), name)
        assert sim.state.time == 40 * sim.dt
        for name in names:
            assert np.shares_memory(getattr(sim.state, name), views[name])
            assert not np.array_equal(views[name], getattr(before, name))
        same(sim.state, sim.state.copy())


def test_rates_advance_the_targets() -> None:
    with ss.open_simulation(SPATIAL) as sim:
        angle = np.linspace(-0.1, 0.1, len(sim.axes))
        sim.step(angle, rates=np.full(len(angle), 2.0), n=10)
        np.testing.assert_allclose(sim.state.joint_angle_ref, angle + 2.0 * 10 * sim.dt, rtol=1e-12)
        np.testing.assert_array_equal(sim.state.joint_rate_ref, 2.0)
        sim.step(angle)
        np.testing.assert_array_equal(sim.state.joint_rate_ref, 0.0)


@pytest.mark.parametrize("path", [PLANAR, SPATIAL, SMOOTH, JAMMED], ids=lambda path: path.stem)
def test_torques_reach_the_motors(path: Path) -> None:
    with ss.open_simulation(path, {"actuator.time_constant_s": 0.0}) as sim:
        torque = 0.01 * np.arange(len(sim.axes))
        sim.step(torques=torque, n=3)
        np.testing.assert_allclose(sim.state.joint_torque, torque, rtol=1e-9, atol=1e-15)
        assert np.isnan(sim.state.joint_angle_ref).all()
        sim.step(np.zeros(len(torque)))
        assert not np.isnan(sim.state.joint_angle_ref).any()


@pytest.mark.parametrize(
    "path", [PLANAR, SPATIAL, SMOOTH, JAMMED, BODY], ids=lambda path: path.stem
)
def test_saved_state_continues_bit_for_bit(path: Path) -> None:
    with ss.open_simulation(path, seed=3) as sim:
        drive = {"targets": sim.state.joint_angle + 0.05} if sim.axes else {}
        sim.step(n=30)
        saved = sim.save()
        sim.step(**drive, n=7)
        sim.step(n=30)
        end = sim.state.copy()
        drawn = sim.rng.random()
        for state in (saved, pickle.loads(pickle.dumps(saved))):
            sim.restore(state)
            assert sim.time == saved.time
            sim.step(**drive, n=7)
            sim.step(n=30)
            same(sim.state, end)
            assert sim.rng.random() == drawn


def test_state_is_restored_with_its_values() -> None:
    with ss.open_simulation(PLANAR) as sim:
        sim.step(n=5)
        saved = sim.save()
        sim.reset(values={"robot.n_links": 6, "ground.mu_along": 0.5})
        assert len(sim.axes) == 5
        sim.restore(saved)
        assert len(sim.axes) == 10
        assert sim.scene == saved.state.scene


def test_reset_restarts_with_other_values() -> None:
    with ss.open_simulation(PLANAR) as sim:
        start = sim.state.copy()
        sim.step(n=20)
        first = sim.state.copy()
        sim.reset()
        same(sim.state, start)
        sim.step(n=20)
        same(sim.state, first)
        sim.reset(values={"ground.mu_along": 0.7})
        assert sim.scene.ground.mu_along == 0.7
        sim.step(n=20)
        other = Runner(with_values(ss.load_scene(PLANAR), {"ground.mu_along": 0.7}), PLANAR.parent)
        other.advance(20)
        same(sim.state, other.engine.snapshot())
        sim.reset()
        assert sim.scene.ground.mu_along == ss.load_scene(PLANAR).ground.mu_along


def test_seed_determines_all_random_values() -> None:
    rubble = with_values(
        ss.load_scene(SPATIAL),
        {"obstacles": [{"kind": "rubble", "x_m": 3.0, "y_m": 0.0, "blocks": 2}]},
    )
    with ss.open_simulation(rubble, seed=1) as sim:
        drawn = sim.scene.obstacles[0].seed
        number = sim.rng.random()
        sim.reset(seed=2)
        assert sim.scene.obstacles[0].seed != drawn
        sim.reset(seed=1)
        assert (sim.scene.obstacles[0].seed, sim.rng.random()) == (drawn, number)
        sim.reset()
        assert sim.scene.obstacles[0].seed == drawn
        sim.reset(seed=2, values={"obstacles[1].seed": 5})
        assert sim.scene.obstacles[0].seed == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"targets": np.zeros(3)},
            r"\(10,\).*10 axes .* \(got \(3,\)\)",
        ),
        ({"targets": 0.0}, r"targets.*\(10,\)"),
        (
            {"targets": [0.0] * 9 + [np.nan]},
            r"targets\[9\] \(joint_10_yaw\)",
        ),
        ({"targets": ["a"] * 10}, "targets.*array"),
        ({"targets": [[0.0], [0.0, 1.0]]}, "targets.*array"),
        ({"targets": np.zeros(10, complex)}, "targets.*array"),
        (
            {"targets": np.zeros(10), "rates": np.full(10, np.inf)},
            r"rates\[0\] \(joint_1_yaw\)",
        ),
        (
            {"targets": np.zeros(10), "torques": np.zeros(10)},
            "targets.*torques",
        ),
        ({"torques": np.zeros(11)}, r"torques.*\(10,\)"),
        ({"rates": np.zeros(10)}, "rates.*targets"),
        ({"targets": np.zeros(10), "n": 0}, r"1 \(got 0\)"),
        ({"n": 1.5}, "whole.*float"),
        ({"n": True}, "whole.*number"),
    ],
)
def test_bad_arguments_are_refused_and_change_nothing(
    arguments: dict[str, Any], message: str
) -> None:
    with ss.open_simulation(PLANAR) as sim:
        sim.step(np.full(10, 0.1))
        before = sim.save()
        with pytest.raises(ss.UsageError, match=message):
            sim.step(**arguments)
        assert pickle.dumps(sim.save()) == pickle.dumps(before)


def test_bad_calls_are_refused(tmp_path: Path) -> None:
    with ss.open_simulation(PLANAR) as sim:
        for call, message in (
            (lambda: sim.apply_wrench(11), r"0 to 10 \(got 11\)"),
            (lambda: sim.apply_wrench(0, (1.0, 2.0)), "three.*numbers"),
            (lambda: sim.apply_wrench(0, (1.0, 2.0, np.nan)), "force must be finite"),
            (lambda: sim.reset(seed=-1), "seed.*negative"),
            (lambda: sim.reset(seed=1.5), "seed.*whole"),
            (lambda: sim.reset(values=[1]), "values.*mapping"),
            (lambda: sim.restore(b"state"), "state must be"),
            (lambda: sim.record(tmp_path / "run.txt"), "ends.*h5"),
            (lambda: sim.run, "no recording"),
            (lambda: sim.render(0, 10), "width.*1"),
            (lambda: sim.render(camera="side"), '"side"'),
        ):
            with pytest.raises(ss.SnakeStudioError, match=message):
                call()
        with pytest.raises(ss.SceneError, match=r"ground\.mu_alonk"):
            sim.reset(values={"ground.mu_alonk": 1})
        assert sim.time == 0.0
        sim.record()
        with pytest.raises(ss.UsageError, match=r"stop_recording\(\)"):
            sim.record()
    for use in (
        sim.step,
        sim.save,
        sim.reset,
        lambda: sim.state,
        sim.render,
        sim.record,
        lambda: sim.apply_wrench(0),
    ):
        with pytest.raises(ss.UsageError, match=r"simulation.*closed"):
            use()
    sim.close()


def test_continuous_body_refuses_targets() -> None:
    with ss.open_simulation(BODY) as sim:
        assert sim.axes == ()
        with pytest.raises(ss.UsageError, match="without joints"):
            sim.step([0.1])


def test_failed_step_keeps_the_previous_state() -> None:
    with ss.open_simulation(PLANAR) as sim:
        still = sim.state.joint_angle.copy()
        sim.step(still, n=5)
        before = sim.state.copy()
        with pytest.raises(ss.PhysicsError, match=r"step 6 \(t = 0.00125 s\)"):
            sim.step(still, rates=np.full(10, 1e12), n=3)
        np.testing.assert_array_equal(sim.state.link_pose, before.link_pose)
        assert sim.time == before.time
        sim.step(still)
        assert sim.time == 6 * sim.dt


def test_wrench_accelerates_the_robot() -> None:
    scene = with_values(ss.load_scene(SPATIAL), {"ground.gravity_m_s2": 0.0, "start.z_m": 1.0})
    with ss.open_simulation(scene) as sim:
        mass = sim.scene.robot.mass
        sim.apply_wrench(3, force=(0.0, 0.0, 2.0))
        begin = sim.state.centre_of_mass
        sim.step(sim.state.joint_angle, n=100)
        rise = sim.state.centre_of_mass[2] - begin[2]
        assert rise == pytest.approx(0.5 * 2.0 / mass * (100 * sim.dt) ** 2, rel=0.05)


def test_recording_is_a_run_file(tmp_path: Path) -> None:
    with ss.open_simulation(PLANAR) as sim:
        sim.record(tmp_path / "steps.mcap")
        for _ in range(12):
            sim.step(np.zeros(10), n=sim.period_steps)
        rows = sim.run["com_x_m"]
        sim.reset()
        sim.record(tmp_path / "gait.csv")
        sim.step(n=40)
    with ss.open_simulation(tmp_path / "steps.mcap") as again:
        assert again.scene.robot == sim.scene.robot
    run = ss.load_run(tmp_path / "steps.mcap")
    np.testing.assert_array_equal(run["com_x_m"], rows)
    assert [event.text for event in run.recording.events if event.kind == "note"] == [
        naming("driven")
    ]
    lines = [
        line
        for line in (tmp_path / "gait.csv").read_text().splitlines()
        if not line.startswith("#")
    ]
    assert float(lines[-1].split(",")[0]) == pytest.approx(40 * sim.dt)


@pytest.mark.parametrize(
    "path", [PLANAR, SPATIAL, SMOOTH, JAMMED, BODY], ids=lambda path: path.stem
)
def test_last_reference_frees_simulation_and_run(path: Path, tmp_path: Path) -> None:
    """They hold megabytes and an open file, which must not wait for the garbage collector."""
    with ss.open_simulation(path) as sim:
        sim.record(tmp_path / "steps.mcap")
        sim.step(n=40)
        run = sim.run
    objects = [weakref.ref(each) for each in (sim, run.recording)]
    finished = ss.simulate(path, duration=0.02)
    objects.append(weakref.ref(finished.recording))
    gc.disable()
    try:
        del sim, run, finished
        assert [each() for each in objects] == [None] * 3
    finally:
        gc.enable()


@pytest.mark.parametrize("path", [PLANAR, JAMMED, BODY], ids=lambda path: path.stem)
def test_late_recording_has_the_rows_of_a_complete_one(path: Path, tmp_path: Path) -> None:
    begin = 37  # between two rows of the log
    with ss.open_simulation(path) as sim:
        sim.record()
        sim.step(n=begin)
        sim.step(n=163)
        complete = sim.run
        sim.reset()
        sim.step(n=begin)
        sim.record(tmp_path / "later.mcap")
        sim.step(n=163)
        sim.stop_recording()
        with pytest.raises(ss.UsageError, match=r"Call.*record"):
            sim.run  # noqa: B018
        dt = sim.dt
    later = ss.load_run(tmp_path / "later.mcap")
    assert later["time_s"][0] == pytest.approx(begin * dt)
    assert [event.text for event in later.recording.events if event.kind == "note"] == [
        f"Recorded from {begin * dt:g} s"
    ]
    common = complete["time_s"] > begin * dt
    np.testing.assert_array_equal(later["com_x_m"][1:], complete["com_x_m"][common])
    for name in complete.columns:  # forces of the first one are means since `begin`
        np.testing.assert_array_equal(later[name][2:], complete[name][common][1:], name)
    # It continues from its own first row and from its last one as the whole run does.
    for at in (later["time_s"][0], later["time_s"][-1]):
        again, notes = ss.continue_from(tmp_path / "later.mcap", at, duration=220 * dt)
        assert notes == ()
        np.testing.assert_array_equal(again["com_x_m"][: len(later["com_x_m"])], later["com_x_m"])
        again.recording.close()


def test_late_recording_of_driven_steps_keeps_its_start(tmp_path: Path) -> None:
    with ss.open_simulation(PLANAR) as sim:
        sim.step(np.full(10, 0.05), n=50)
        sim.apply_wrench(4, force=(0.0, 3.0, 0.0))
        saved = sim.save()
        sim.step(n=10)
        sim.restore(pickle.loads(pickle.dumps(saved)))
        begin = sim.time
        pose = sim.state.link_pose.copy()
        sim.record(tmp_path / "driven.mcap")
        sim.step(np.full(10, 0.1), n=50)
        sim.reset()
    run = ss.load_run(tmp_path / "driven.mcap")
    np.testing.assert_array_equal(run.recording.snapshot(0).link_pose, pose)
    assert [(pull.time, pull.link, pull.force) for pull in run.recording.pulls] == [
        (begin, 4, (0.0, 3.0, 0.0))
    ]
    again, notes = ss.continue_from(tmp_path / "driven.mcap", begin, duration=0.2)
    assert notes == ()
    assert again["time_s"][0] == begin
    last = run["time_s"][-1]
    with pytest.raises(ss.StateError, match=r"from 0\.\d+ s,.*Choose 0\.\d+ s or"):
        ss.continue_from(tmp_path / "driven.mcap", last)
    with pytest.raises(ss.UsageError, match=r"0.*recorded"):
        ss.continue_from(tmp_path / "driven.mcap", 0.0)


def test_recording_has_jams_of_the_controller_but_none_of_set_points() -> None:
    scene = scenes_dir() / "jam_resolution.toml"
    with ss.open_simulation(scene) as sim:
        sim.record()
        sim.step(n=100)
        sim.step(sim.state.joint_angle.copy(), n=100)
        sim.step(n=100)
        run = sim.run
        sim.stop_recording()
        texts = [event.text for event in run.recording.events]
    assert any("program" in text for text in texts)
    assert not any("jam" in text.lower() for text in texts)
    assert np.isnan(run["jam_count"]).any()
    assert not np.isnan(run["jam_count"]).all()


def test_images_need_no_screen() -> None:
    with ss.open_simulation(SPATIAL) as sim:
        picture = sim.render(64, 48)
        assert (picture.shape, picture.dtype) == ((48, 64, 3), np.uint8)
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 20
        assert (sim.render(64, 48, camera="top") != picture).any()
