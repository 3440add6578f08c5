"""Single simulations and batches have the same names and calls; old names work with a warning."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.model.target_limits import TargetLimits
from snakestudio.paths import scenes_dir

PLANAR = scenes_dir() / "lagrangian_undulation.toml"
LIMITED = {"robot.joint_limit_deg": 90.0}


@pytest.fixture
def sim() -> Iterator[ss.Simulation]:
    with ss.open_simulation(PLANAR, LIMITED, seed=3) as opened:
        yield opened


@pytest.fixture
def batch() -> Iterator[ss.Batch]:
    with ss.open_batch(PLANAR, 2, LIMITED, seed=3) as opened:
        yield opened


def public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def test_batches_have_the_names_of_single_simulations(sim: ss.Simulation, batch: ss.Batch) -> None:
    single = public(sim) - {"apply_wrench", "record", "render", "run", "stop_recording", "scene"}
    assert single <= public(batch)
    assert public(sim.state) <= public(batch.state)
    for name in ("contacts", "solver"):
        one, other = (public(getattr(each.state, name)) for each in (sim, batch))
        assert one - {"none"} <= other
    assert not {"expire", "weigh", "com", "com_velocity"} & public(batch.state)
    assert "random" not in public(batch)
    for name in ("step", "step_period", "save", "close"):
        one, other = (
            tuple(inspect.signature(getattr(each, name)).parameters) for each in (sim, batch)
        )
        assert one == other
    assert public(sim.state) - {"copy"} <= public(sim.state.copy())


def test_steps_take_the_same_arguments(sim: ss.Simulation, batch: ss.Batch) -> None:
    assert (sim.dt, sim.period_steps, sim.seed) == (batch.dt, batch.period_steps, batch.seed)
    target = np.full(9, 0.1)
    for each in (sim, batch):
        each.step(target, 3)
        each.step(target, n=2)
        each.step_period(target)
        each.step_period(target, 2)
        each.step_period()
    assert batch.time.tolist() == [sim.time] * 2
    assert sim.time == pytest.approx((5 + 4 * sim.period_steps) * sim.dt, rel=1e-12)
    for name in ("centre_of_mass", "centre_of_mass_velocity", "forward", "joint_angle"):
        batch_values = getattr(batch.state, name)
        np.testing.assert_allclose(batch_values[0], getattr(sim.state, name), atol=1e-14)
    with pytest.raises(ss.UsageError, match="n must be"):
        sim.step_period(target, 0)
    with pytest.raises(ss.UsageError, match="n must be"):
        batch.step_period(target, 1.5)  # type: ignore[arg-type]


def test_old_names_warn(sim: ss.Simulation, batch: ss.Batch) -> None:
    with pytest.warns(FutureWarning, match="centre_of_mass"):
        com = batch.state.com
    np.testing.assert_array_equal(com, batch.state.centre_of_mass)
    with pytest.warns(FutureWarning, match="centre_of_mass_velocity"):
        _ = batch.state.com_velocity
    with pytest.warns(FutureWarning, match="rng"):
        assert batch.random == batch.rng
    for state in (sim.state, sim.state.copy()):
        with pytest.warns(FutureWarning, match="property") as caught:
            called = state.centre_of_mass()  # type: ignore[operator]
        assert caught[0].filename == __file__
        np.testing.assert_array_equal(called, state.centre_of_mass)
        assert type(called) is type(state.centre_of_mass + 1.0) is np.ndarray
        assert repr(state.centre_of_mass) == repr(called)


def test_velocity_of_the_centre_of_mass_is_its_difference(sim: ss.Simulation) -> None:
    sim.step(n=100)
    before = np.array(sim.state.centre_of_mass)
    sim.step()
    speed = (sim.state.centre_of_mass - before) / sim.dt
    np.testing.assert_allclose(sim.state.centre_of_mass_velocity, speed, atol=1e-3)


@pytest.mark.parametrize(
    "name",
    [
        "link_pose",
        "link_twist",
        "joint_angle",
        "joint_rate",
        "joint_torque",
        "joint_angle_ref",
        "joint_rate_ref",
    ],
)
def test_arrays_of_the_state_cannot_be_written(sim: ss.Simulation, name: str) -> None:
    for _ in range(30):  # rows are written by bound calls after 24 of them
        sim.step()
        with pytest.raises(ValueError, match="read-only"):
            getattr(sim.state, name)[0] = 5.0
    assert sim.state.copy().joint_angle.flags.writeable


def test_contacts_of_the_state_cannot_be_written() -> None:
    with ss.open_simulation(scenes_dir() / "obstacle_aided_small.toml") as sim:
        sim.step(n=20)
        contacts = sim.state.contacts
        assert len(contacts)
        for part in (contacts.point, contacts.force_normal, contacts.force_friction):
            with pytest.raises(ValueError, match="read-only"):
                part[0] = 5.0


@pytest.mark.parametrize("angle", [40.0, -5.0])
def test_targets_in_degrees_are_refused(sim: ss.Simulation, batch: ss.Batch, angle: float) -> None:
    targets = np.zeros(9)
    targets[2] = angle
    for each in (sim, batch):
        for step in (each.step, each.step_period):
            with pytest.raises(ss.UsageError) as error:
                step(targets)
            assert "targets[2] (joint_3_yaw)" in str(error.value)
            assert "radians" in str(error.value)
            assert f"({math.degrees(angle):.0f}°)" in str(error.value)
    both = np.zeros((2, 9))
    both[1, 4] = angle
    with pytest.raises(ss.UsageError, match=r"targets\[1, 4\] \(joint_5_yaw\)"):
        batch.step(both)
    assert sim.time == 0.0
    assert not batch.state.step_count.any()


def test_targets_against_a_stop_are_accepted(sim: ss.Simulation, batch: ss.Batch) -> None:
    most = math.radians(90.0) + math.pi
    for each in (sim, batch):
        each.step(np.full(9, most - 1e-9), 1)
        with pytest.raises(ss.UsageError, match="joint_1_yaw"):
            each.step(np.full(9, most + 1e-9), 1)
        each.step(torques=np.full(9, 7.0))  # N m, not rad


def test_joints_without_limits_turn_once() -> None:
    with ss.open_simulation(PLANAR) as sim:
        assert sim.scene.robot.joint_limit_deg is None
        sim.step(np.full(9, 0.0))
        with pytest.raises(ss.UsageError, match="radians"):
            sim.step(np.full(9, 2.0 * math.pi + 1e-9))
    wide = {"index": 2, "lower_limit_deg": -360.0, "upper_limit_deg": 360.0}
    limits = TargetLimits(ss.load_scene(PLANAR).with_values({"robot.joint": [wide]}).axis_values)
    assert limits.first_beyond(np.full(9, 2.5 * math.pi)) == 0
    assert limits.first_beyond(np.array([0.0, 2.5 * math.pi, *[math.nan] * 7])) is None


def test_limits_of_each_world_apply() -> None:
    limits = [30.0, 180.0]
    with ss.open_batch(PLANAR, 2, {"robot.joint_limit_deg": limits}) as batch:
        far = np.array([[0.0] * 9, [4.0] * 9])
        batch.step(far)
        with pytest.raises(ss.UsageError, match=r"targets\[0, 0\]"):
            batch.step(far[::-1])
        batch.reset(values={"robot.joint_limit_deg": limits[::-1]})
        batch.step(far[::-1])


def test_time_step_can_be_changed_in_all_worlds() -> None:
    values = {"solver.step_s": 0.0005, "ground.mu_along": [0.1, 0.3]}
    with ss.open_batch(scenes_dir() / "obstacle_aided.toml", 2, values) as batch:
        assert batch.dt == 0.0005
        batch.step(n=20)
        with ss.open_simulation(
            scenes_dir() / "obstacle_aided.toml",
            {"solver.step_s": 0.0005, "ground.mu_along": 0.3},
        ) as sim:
            sim.step(n=20)
            np.testing.assert_array_equal(batch.state.link_pose[1], sim.state.link_pose)
    with pytest.raises(ss.SceneError) as error:
        ss.open_batch(PLANAR, 2, {"solver.step_s": [0.001, 0.0005]})
    assert "World 1 has a different time step" in str(error.value)
    assert "one batch" in str(error.value)


def test_values_of_a_scene_are_replaced_in_a_copy() -> None:
    scene = ss.load_scene(PLANAR)
    changed = scene.with_values({"gait.amplitude_deg": 31.0, "ground.mu_along": np.float64(0.2)})
    assert (changed.gait.amplitude_deg, changed.ground.mu_along) == (31.0, 0.2)
    assert scene == ss.load_scene(PLANAR)
    with pytest.raises(ss.SceneError, match=r"amplitude_deg"):
        scene.with_values({"gait.amplitud_deg": 31.0})


def test_completion_of_a_scene_lists_its_own_names() -> None:
    scene = ss.load_scene(PLANAR)
    names = dir(scene)
    assert {"gait", "robot", "with_values", "body", "steps_per_period", "title"} <= set(names)
    assert not [name for name in names if name.startswith(("model_", "parse", "from_orm", "json"))]
    assert "amplitude_deg" in dir(scene.gait)
