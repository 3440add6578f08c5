"""States of batches: contacts, solver statistics and references equal those of single simulations, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import snakestudio as ss
from snakestudio._arrays import FloatArray
from snakestudio.model.batch_contacts import NO_LINK, NOTHING
from snakestudio.model.edits import with_values
from snakestudio.model.snapshot import Contacts, Snapshot
from snakestudio.session import worlds as worlds_module
from tests.api.test_batch import among_pins, scene_of, world_scene

FRICTION = {"ground.mu_along": [0.1, 0.2, 0.3], "ground.mu_across": [0.4, 0.3, 0.2]}
HELD = ("obstacle_aided", "obstacle_aided_3d", "lagrangian_undulation", "wheeled_snake")
DRIVEN = ("sidewinding", "path_following", "jam_resolution", "cpg_undulation", "continuum_friction")
OF_A_STATE = (
    "joint_angle_ref",
    "joint_rate_ref",
    "link_obstacle_force",
    "link_ground_force",
    "forward",
    "heading",
    "head_heading",
    "link_heading",
    "link_yaw",
    "turn_sign",
    "head",
)


@pytest.fixture(params=[False, True], ids=["compiled", "engine by engine"])
def plain(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if request.param:
        monkeypatch.setattr(worlds_module, "_compiled", lambda engine: None)
    return bool(request.param)


@contextmanager
def opened(
    scene: ss.Scene, values: dict[str, list[float]] = FRICTION
) -> Iterator[tuple[ss.Batch, list[ss.Simulation]]]:
    """A batch of three worlds, and the single simulations of their scenes."""
    with ExitStack() as stack:
        batch = stack.enter_context(ss.open_batch(scene, 3, values=values, threads=2))
        scenes = [world_scene(scene, world, values) for world in range(3)]
        yield batch, [stack.enter_context(ss.open_simulation(own)) for own in scenes]


def assert_equal(one: Any, other: Any, name: str) -> None:
    """Compare arrays, numbers, dictionaries, and dataclasses of these, bit for bit."""
    if isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other, err_msg=name)
    elif hasattr(one, "__dataclass_fields__"):
        for field in fields(one):
            assert_equal(
                getattr(one, field.name), getattr(other, field.name), f"{name}.{field.name}"
            )
    else:
        assert one == other, name


def assert_as_single(batch: ss.Batch, sims: list[ss.Simulation]) -> None:
    """Compare all worlds with their single simulations."""
    state = batch.state
    for world, (own, sim) in enumerate(zip(state.copy(), sims, strict=True)):
        assert_equal(own, sim.state.copy(), f"world {world}")
        assert_equal(state.contacts[world], sim.state.contacts, "contacts")
        assert_equal(state.solver[world], sim.state.solver, "solver")
        for name in OF_A_STATE:
            assert_equal(getattr(state, name)[world], getattr(sim.state, name), name)
        np.testing.assert_allclose(
            state.centre_of_mass[world], sim.state.centre_of_mass, rtol=0, atol=1e-15
        )


@pytest.mark.parametrize("name", HELD)
def test_states_under_targets_equal_single_simulations(name: str, plain: bool) -> None:
    with opened(scene_of(name)) as (batch, sims):
        assert_as_single(batch, sims)
        start = batch.state.joint_angle.copy()
        touched = 0
        for call in range(4):
            targets = start + 0.2 * np.sin(call + np.arange(start.size).reshape(start.shape))
            rates = 0.5 * targets if call % 2 else None
            batch.step(targets, 70, rates=rates)
            for world, sim in enumerate(sims):
                sim.step(targets[world], 70, rates=None if rates is None else rates[world])
            if call != 2:  # the next interval does not depend on reading
                assert_as_single(batch, sims)
            touched += int(batch.state.contacts.count.sum())
        assert touched


@pytest.mark.parametrize("name", DRIVEN)
def test_states_of_driven_worlds_equal_single_simulations(name: str, plain: bool) -> None:
    scene = scene_of(name)
    values = {} if name == "continuum_friction" else FRICTION
    period = scene.steps_per_period
    calls = (2, 3) if name == "continuum_friction" else (period, period // 3, 2 * period + 3, 7)
    with opened(scene, values) as (batch, sims):
        for n in calls:
            for each in (batch, *sims):
                each.step(n=n)
            assert_as_single(batch, sims)


def test_long_call_of_a_gait_is_one_interval() -> None:
    scene = with_values(scene_of("lagrangian_undulation"), {"control.period_s": 0.001})
    with opened(scene) as (batch, sims):
        n = 250 * scene.steps_per_period  # more periods than are requested at a time
        before = batch.state.impulse_ground[0].copy()
        for each in (batch, *sims):
            each.step(n=n)
        assert_as_single(batch, sims)
        impulse = batch.state.impulse_ground[0] - before
        force = sims[0].state.contacts.force_of_ground(scene.robot.n_links)
        np.testing.assert_allclose(force * n * batch.dt, impulse, rtol=0, atol=1e-12)


def test_targets_after_the_gait_and_torques_after_targets() -> None:
    with opened(scene_of("obstacle_aided")) as (batch, sims):
        everything = (batch, *sims)
        steps: list[Callable[[Any], None]] = [
            lambda each: each.step(n=55),
            lambda each: each.step(each.state.joint_angle, 13),
            lambda each: each.step(torques=np.full(10, 0.01), n=9),
            lambda each: each.step(n=21),
        ]
        for step in steps:
            for each in everything:
                step(each)
            assert_as_single(batch, sims)
        assert np.isfinite(batch.state.joint_angle_ref).all()


def test_torques_have_no_references() -> None:
    with ss.open_batch("obstacle_aided", 2) as batch:
        np.testing.assert_array_equal(batch.state.joint_angle_ref, batch.state.joint_angle)
        batch.step(torques=np.zeros(10), n=5)
        assert np.isnan(batch.state.joint_angle_ref).all()
        assert np.isnan(batch.state.joint_rate_ref).all()


def test_targets_of_worlds_that_follow_torques_are_refused() -> None:
    torques = {
        "controller.kind": "none",
        "gait": {"kind": "joint_torque", "torque_nm": "0.01*sin(t)"},
    }
    with ss.open_batch("cpg_undulation", 2, [{}, torques]) as batch:
        with pytest.raises(ss.UsageError, match="world 1 follow torques"):
            batch.step(batch.state.joint_angle)
        batch.step(n=5)
        references = batch.state.joint_angle_ref
        assert np.isfinite(references[0]).all()
        assert np.isnan(references[1]).all()
        batch.step(torques=np.zeros(10))


def test_more_contacts_than_fit_are_complete(plain: bool) -> None:
    scene = among_pins()
    with opened(scene, {"ground.mu_along": [0.1, 0.2, 0.3]}) as (batch, sims):
        most = 0
        for call in range(12):
            targets = 0.5 * np.sin(0.3 * call + np.arange(10.0))
            for each in (batch, *sims):
                each.step(targets, 40)
            assert_as_single(batch, sims)
            most = max(most, batch.state.contacts.link.shape[1])
        assert most > 30


def test_contacts_of_worlds_are_padded() -> None:
    values = {"ground.mu_along": [0.1, 0.2, 0.9], "gait.amplitude_deg": [10.0, 30.0, 40.0]}
    with ss.open_batch(scene_of("obstacle_aided"), 3, values) as batch:
        batch.step(n=2000)
        contacts = batch.state.contacts
        n, k = contacts.link.shape
        assert (n, k) == (3, contacts.count.max())
        assert contacts.point.shape == contacts.force_normal.shape == (n, k, 3)
        np.testing.assert_array_equal(contacts.mask.sum(axis=1), contacts.count)
        empty = ~contacts.mask
        assert (contacts.link[empty] == NO_LINK).all()
        assert (contacts.other[empty] == NOTHING).all()
        for name in ("point", "force_normal", "force_friction", "state"):
            assert not getattr(contacts, name)[empty].any()
        for world in range(n):
            own = contacts[world]
            assert isinstance(own, Contacts)
            assert len(own) == contacts.count[world]
            for name in ("force_of_obstacles", "force_of_ground"):
                np.testing.assert_array_equal(
                    getattr(contacts, name)(11)[world], getattr(own, name)(11)
                )


def test_other_worlds_keep_their_contacts_when_one_is_reset() -> None:
    with opened(scene_of("obstacle_aided")) as (batch, sims):
        for each in (batch, *sims):
            each.step(n=400)
        assert_as_single(batch, sims)
        batch.reset(mask=np.array([False, True, False]))
        sims[1].reset()
        assert_as_single(batch, sims)
        assert batch.state.contacts.count.tolist()[1] == 0
        assert batch.state.solver.residual[1] == 0.0
        for each in (batch, *sims):
            each.step(n=33)
        assert_as_single(batch, sims)


def test_restored_worlds_have_references_and_contacts() -> None:
    with opened(scene_of("jam_resolution")) as (batch, sims):
        everything = (batch, *sims)
        period = sims[0].period_steps
        for each in everything:
            each.step(n=period + 5)
        saved = [each.save() for each in everything]
        for each in everything:
            each.step(n=period)
        for each, state in zip(everything, saved, strict=True):
            each.restore(state)
        assert_as_single(batch, sims)
        assert batch.state.contacts.count.any()
        for n in (2, 2 * period):
            for each in everything:
                each.step(n=n)
            assert_as_single(batch, sims)


def test_failed_world_keeps_the_contacts_of_its_last_call() -> None:
    scene = scene_of("lagrangian_undulation")
    with ss.open_batch(scene, 2) as batch:
        wild = np.zeros((2, len(batch.axes)))
        wild[1] = 1e9
        batch.step(0.0 * wild, 100)
        while not batch.failed:
            batch.step(0.0 * wild, 200, rates=wild)
        force = batch.state.contacts[1].force_normal
        batch.step(0.0 * wild, 10)
        np.testing.assert_array_equal(batch.state.contacts[1].force_normal, force)
        assert np.isfinite(batch.state.joint_angle_ref).all()


def test_states_of_worlds_are_snapshots_of_their_own() -> None:
    with ss.open_batch("sidewinding", 2) as batch:
        batch.step(n=100)
        first, _ = batch.state.copy()
        assert isinstance(first, Snapshot)
        pose: FloatArray = first.link_pose.copy()
        batch.step(n=100)
        np.testing.assert_array_equal(first.link_pose, pose)
