"""Batches of worlds: bit-identical to single runs with any model and any number of threads, after failures too."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import snakestudio as ss
from snakestudio._arrays import FloatArray
from snakestudio.api import batch as batch_module
from snakestudio.api.batch import BatchState
from snakestudio.api.batch_scenes import build_world
from snakestudio.engines import registry
from snakestudio.engines.base import Engine
from snakestudio.engines.outcome import CONTACT_OVERFLOW, FAR, SLOT_OVERFLOW
from snakestudio.model.edits import with_values
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.paths import docs_dir, scenes_dir
from snakestudio.session import worlds as worlds_module
from snakestudio.session.reference_feed import ReferenceFeed
from snakestudio.session.runner import Runner
from tests.wording import naming

FRICTION = {"ground.mu_along": [0.1, 0.2, 0.3], "ground.mu_across": [0.4, 0.3, 0.2]}
JOINTED = (
    "obstacle_aided",
    "obstacle_aided_3d",
    "rubble",
    "lagrangian_undulation",
    "jam_resolution",
)
FIELDS = ("link_pose", "link_twist", "joint_angle", "joint_rate", "joint_torque")


def scene_of(name: str) -> Scene:
    return load_scene(scenes_dir() / f"{name}.toml")


def world_scene(scene: Scene, world: int, values: dict[str, list[float]] = FRICTION) -> Scene:
    return with_values(scene, {key: entries[world] for key, entries in values.items()})


def targets_of(batch: ss.Batch, calls: int) -> list[FloatArray]:
    """Joint angles that vary around the start, differently in each world."""
    random = np.random.default_rng(5)
    steps = 0.06 * random.standard_normal((calls, batch.n, len(batch.axes)))
    return list(batch.state.joint_angle + np.cumsum(steps, axis=0))


def held(
    begin: int, n: int, dt: float, angle: FloatArray, rate: FloatArray | None = None
) -> JointReference:
    rates = np.zeros((2, len(angle))) if rate is None else np.stack([rate, rate])
    end = angle if rate is None else angle + rate * (n * dt)
    return JointReference(
        np.array([begin, begin + n]) * dt, np.stack([angle, end]), rates, np.zeros_like(rates)
    )


def assert_same(state: BatchState, world: int, single: Snapshot) -> None:
    for name in FIELDS:
        np.testing.assert_array_equal(
            getattr(state, name)[world], getattr(single, name), err_msg=name
        )
    assert {name: values[world] for name, values in state.energy.items()} == single.energy
    assert state.time[world] == single.time


@pytest.mark.parametrize("plain", [False, True], ids=["compiled", "engine by engine"])
@pytest.mark.parametrize("name", JOINTED)
def test_worlds_equal_single_engines_bit_for_bit(
    name: str, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if plain:
        monkeypatch.setattr(worlds_module, "_compiled", lambda engine: None)
    scene = scene_of(name)
    n = 60
    dt = scene.solver.step_s
    singles = [registry.create(world_scene(scene, world)) for world in range(3)]
    with ss.open_batch(scene, 3, threads=3, values=FRICTION) as batch:
        for call, targets in enumerate(targets_of(batch, 5)):
            rates = 0.3 * targets if call % 2 else None
            batch.step(targets, n, rates=rates)
            for world, engine in enumerate(singles):
                reference = held(
                    call * n, n, dt, targets[world], None if rates is None else rates[world]
                )
                assert engine.advance(reference, n, ()).ok
        assert not batch.failed
        for world, engine in enumerate(singles):
            assert_same(batch.state, world, engine.snapshot())


@pytest.mark.parametrize(
    "name", ["sidewinding", "path_following", "jam_resolution", "continuum_friction"]
)
def test_worlds_without_targets_follow_their_scene(name: str) -> None:
    scene = scene_of(name)
    values = {} if name == "continuum_friction" else {"ground.mu_along": [0.1, 0.15]}
    steps = 7 if name == "continuum_friction" else 230
    runner = Runner(world_scene(scene, 1, values))
    runner.advance(steps)
    with ss.open_batch(scene, 2, values=values) as batch:
        for part in (steps // 3, steps - steps // 3):
            batch.step(n=part)
        assert not batch.failed
        assert_same(batch.state, 1, runner.latest)


def test_steerable_worlds_share_references_of_many_periods(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = scene_of("teleoperation")
    requests: list[int] = []
    request = ReferenceFeed.request

    def counted(feed: ReferenceFeed, step: int, n_steps: int, look: Any) -> Any:
        requests.append(step)
        return request(feed, step, n_steps, look)

    monkeypatch.setattr(ReferenceFeed, "request", counted)
    with ss.open_batch(scene, 3, threads=1) as batch:
        batch.step_period(n=5)
        assert requests == [0]
        with ss.open_simulation(scene) as sim:
            sim.step_period(n=5)
            np.testing.assert_array_equal(batch.state.link_pose[2], sim.state.link_pose)


def test_torques_move_worlds_like_engines() -> None:
    scene = scene_of("obstacle_aided")
    n = 50
    engine = registry.create(scene)
    torque = np.random.default_rng(2).normal(0.0, 0.05, 10)
    nothing = np.full((2, 10), np.nan)
    reference = JointReference(
        np.array([0, n]) * scene.solver.step_s,
        nothing,
        nothing,
        nothing,
        np.stack([torque, torque]),
    )
    assert engine.advance(reference, n, ()).ok
    with ss.open_batch(scene, 2) as batch:
        batch.step(torques=torque, n=n)
        assert_same(batch.state, 1, engine.snapshot())
        batch.step(batch.state.joint_angle, n)  # and back to targets
        assert engine.advance(
            held(n, n, scene.solver.step_s, engine.snapshot().joint_angle), n, ()
        ).ok
        assert_same(batch.state, 0, engine.snapshot())


def test_centre_of_mass_weights_unequal_links() -> None:
    scene = with_values(
        scene_of("obstacle_aided"), {"robot.link": [{"index": "first", "mass_kg": 3.0}]}
    )
    with ss.open_batch(scene, 2) as batch:
        masses = np.array([link.mass for link in scene.robot.links])
        positions = batch.state.link_pose[:, :, :3]
        expected = [
            [np.dot(masses, positions[k, :, a]) / masses.sum() for a in range(3)] for k in range(2)
        ]
        np.testing.assert_allclose(batch.state.centre_of_mass, expected, rtol=1e-13)
        batch.reset(values=[{}, {"robot.link[1].mass_kg": 6.0}])
        assert batch.state.centre_of_mass[1, 0] != batch.state.centre_of_mass[0, 0]


# ----------------------------------------------------------------------------------------- failures


def test_failed_world_stops_alone_until_reset() -> None:
    scene = scene_of("lagrangian_undulation")
    with ss.open_batch(scene, 3, threads=2) as batch:
        start = batch.state.link_pose.copy()
        wild = np.zeros((3, len(batch.axes)))
        wild[1] = 1e9
        for _ in range(3):
            batch.step(0.0 * wild, 200, rates=wild)
        assert list(batch.failed) == [1]
        assert re.match(r"In step \d+ .*diverged", batch.failed[1])
        assert batch.state.ok.tolist() == [True, False, True]
        assert batch.state.step_count.tolist()[::2] == [600, 600]
        frozen = batch.state.link_pose[1].copy()
        batch.step(0.0 * wild, 10, rates=wild)
        np.testing.assert_array_equal(batch.state.link_pose[1], frozen)
        saved = batch.save()
        batch.reset(mask=np.array([False, True, False]))
        assert not batch.failed
        np.testing.assert_array_equal(batch.state.link_pose[1], start[1])
        assert batch.state.step_count.tolist() == [610, 0, 610]
        batch.restore(saved)
        assert list(batch.failed) == [1]
        np.testing.assert_array_equal(batch.state.link_pose[1], frozen)


def among_pins() -> Scene:
    """A straight robot between two rows of pins, with more contacts than the initial capacity of an engine."""
    pins = [
        {"kind": "cylinder", "x_m": -0.67 + 0.016 * k, "y_m": side * 0.0568, "radius_m": 0.004}
        for k in range(80)
        for side in (-1, 1)
    ]
    return with_values(
        scene_of("obstacle_aided"), {"obstacles": pins, "start": {"kind": "straight"}}
    )


def test_rare_step_endings_equal_single_engines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = among_pins()
    n = 40
    met: set[int] = set()
    own = worlds_module.Worlds.continue_alone

    def watched(self: Any, world: int, end: int, status: int) -> None:
        met.add(status)
        own(self, world, end, status)

    monkeypatch.setattr(worlds_module.Worlds, "continue_alone", watched)
    values = {"start.vx_m_s": [0.0, 120.0]}
    singles = [registry.create(world_scene(scene, world, values)) for world in range(2)]
    with ss.open_batch(scene, 2, values=values) as batch:
        for call in range(40):
            targets = 0.5 * np.sin(0.3 * call + np.arange(10.0))
            batch.step(targets, n)
            for engine in singles:
                assert engine.advance(held(call * n, n, scene.solver.step_s, targets), n, ()).ok
        assert {CONTACT_OVERFLOW, SLOT_OVERFLOW, FAR} <= met
        for world, engine in enumerate(singles):
            assert_same(batch.state, world, engine.snapshot())


# ------------------------------------------------------------------------------------------- states


def test_reset_and_restore_are_bit_identical() -> None:
    scene = with_values(scene_of("friction_patches"), {})
    with ss.open_batch(
        scene, 3, values=FRICTION | {"ground.patch[1].mu_along": [0.1, 0.2, 0.3]}
    ) as batch:
        targets = targets_of(batch, 4)

        def run() -> FloatArray:
            for each in targets:
                batch.step(each, 40)
            return batch.state.link_pose.copy()

        saved = batch.save()
        first = run()
        batch.reset()
        np.testing.assert_array_equal(run(), first)
        batch.restore(saved)
        np.testing.assert_array_equal(run(), first)


def test_reset_with_values_gives_a_new_world() -> None:
    scene = scene_of("sidewinding")
    new = {"ground.mu_along": [0.5, 0.45], "start.heading_deg": [10.0, 20.0]}
    with ss.open_batch(scene, 2) as batch, ss.open_batch(scene, 2, values=new) as fresh:
        batch.step(n=30)
        batch.reset(mask=np.array([False, True]), values=new)
        assert [world.ground.mu_along for world in batch.scenes] == [scene.ground.mu_along, 0.45]
        assert batch.state.step_count.tolist() == [30, 0]
        batch.step(n=30)
        fresh.step(n=30)
        np.testing.assert_array_equal(batch.state.link_pose[1], fresh.state.link_pose[1])
        batch.reset()
        np.testing.assert_allclose(batch.state.time, 0.0)
        assert batch.scenes[1].ground.mu_along == 0.45


def test_states_are_read_only_views() -> None:
    with ss.open_batch(scene_of("obstacle_aided"), 2) as batch:
        before = batch.state.joint_angle
        batch.step(n=20)
        after = batch.state.joint_angle
        assert np.shares_memory(before, after)
        assert after.shape == (2, len(batch.axes)) == (2, 10)
        with pytest.raises(ValueError, match="read-only"):
            after[0] = 0.0


def test_long_calls_are_split_without_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    with ss.open_batch(scene_of("obstacle_aided"), 3) as batch:
        saved = batch.save()
        targets = targets_of(batch, 1)[0]
        rates = np.full(10, 0.4)
        batch.step(targets, 150, rates=rates)
        expected = batch.state.link_pose.copy()
        batch.restore(saved)
        monkeypatch.setattr(worlds_module, "STEPS_AT_A_TIME", 20)
        batch.step(targets, 150, rates=rates)
        np.testing.assert_array_equal(batch.state.link_pose, expected)


def test_seed_gives_every_world_its_own_random_numbers() -> None:
    scene = scene_of("obstacle_aided")
    with ss.open_batch(scene, 3, seed=4) as batch, ss.open_batch(scene, 2, seed=4) as smaller:
        drawn = [generator.random() for generator in batch.rng]
        assert len(set(drawn)) == 3
        assert [generator.random() for generator in smaller.rng] == drawn[:2]
        batch.reset(mask=np.array([True, False, False]), seed=4)
        again = [generator.random() for generator in batch.rng]
        assert again[0] == drawn[0]
        assert again[1] != drawn[1]


# ------------------------------------------------------------------------------ what cannot be used

OPENING: dict[str, tuple[dict[str, Any], str]] = {
    "no worlds": ({"n": 0}, naming("n", "1 (got 0)")),
    "half a world": ({"n": 1.5}, naming("n", "1 (got 1.5)")),
    "no threads": ({"threads": 0}, naming("threads", "1 (got 0)")),
    "a seed below 0": ({"seed": -1}, naming("seed", "0 (got -1)")),
    "too few entries": (
        {"values": {"ground.mu_along": [0.1]}},
        naming('values["ground.mu_along"] has 1', "for 2"),
    ),
    "too many mappings": (
        {"values": [{}, {}, {}]},
        naming("3 mappings", "for 2"),
    ),
    "no mapping": (
        {"values": [{}, 3]},
        naming("values[1]"),
    ),
    "a number": ({"values": 3.0}, naming("values", "mapping")),
    "an unknown key": ({"values": [{}, {"ground.mu": 1}]}, "World 1 of 0 to 1: ground.mu"),
    "a value out of range": (
        {"values": {"ground.mu_along": [0.1, -1.0]}},
        "World 1 of 0 to 1: ground.mu_along",
    ),
    "a value that is not a number": (
        {"values": {"ground.mu_along": [0.1, float("nan")]}},
        "World 1 of 0 to 1: ground.mu_along",
    ),
    "a scene that fails its check": (
        {"values": {"start.x_m": [0.515, 0.3]}},
        "World 1 of 0 to 1:",
    ),
    "another robot": (
        {"values": {"robot.n_links": [11, 9]}},
        naming("World 1"),
    ),
    "another time step": (
        {"values": {"solver.step_s": [0.00025, 0.0005]}},
        naming("World 1", "time step"),
    ),
}


@pytest.mark.parametrize("case", OPENING)
def test_invalid_batch_is_refused_with_one_message(case: str) -> None:
    arguments, message = OPENING[case]
    with pytest.raises(ss.SnakeStudioError) as caught:
        ss.open_batch(scene_of("obstacle_aided"), **({"n": 2} | arguments))
    assert str(caught.value) == naming(message)


@pytest.mark.parametrize("n", [10**7, 10**30])
def test_batch_larger_than_memory_is_refused_early(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []

    def counted(*args: Any, **more: Any) -> Engine:
        built.append(1)
        return build_world(*args, **more)

    monkeypatch.setattr(batch_module, "build_world", counted)
    monkeypatch.setattr(batch_module, "available_bytes", lambda: 8_000_000_000)
    with pytest.raises(
        ss.SnakeStudioError,
        match=r"need.*available",
    ):
        ss.open_batch(scene_of("obstacle_aided"), n)
    assert len(built) == 1


STEPS: dict[str, tuple[Callable[[ss.Batch], dict[str, Any]], str]] = {
    "a row missing": (
        lambda b: {"targets": np.zeros((1, 10))},
        naming("targets", "(2, 10)", "(1, 10)"),
    ),
    "no number": (
        lambda b: {"targets": "left"},
        naming("targets", "(2, 10)", "str"),
    ),
    "not finite": (
        lambda b: {"targets": np.where(np.eye(2, 10) == 1, np.nan, 0.0)[::-1]},
        naming("targets[0, 1]"),
    ),
    "infinite rates": (
        lambda b: {"targets": np.zeros(10), "rates": np.full(10, np.inf)},
        naming("rates[0]"),
    ),
    "both": (
        lambda b: {"targets": np.zeros(10), "torques": np.zeros(10)},
        naming("targets or torques"),
    ),
    "rates alone": (
        lambda b: {"rates": np.zeros(10)},
        naming("rates"),
    ),
    "back in time": (
        lambda b: {"n": -1},
        naming("n", "0 to 1000000000 (got -1)"),
    ),
}


@pytest.mark.parametrize("case", STEPS)
def test_invalid_step_is_refused_and_changes_nothing(case: str) -> None:
    arguments, message = STEPS[case]
    with ss.open_batch(scene_of("obstacle_aided"), 2) as batch:
        before = batch.state.link_pose.copy()
        with pytest.raises(ss.SnakeStudioError) as caught:
            batch.step(**arguments(batch))
        assert str(caught.value) == message
        np.testing.assert_array_equal(batch.state.link_pose, before)
        assert batch.state.step_count.tolist() == [0, 0]


def test_invalid_reset_and_restore_are_refused() -> None:
    scene = scene_of("obstacle_aided")
    with ss.open_batch(scene, 2) as batch, ss.open_batch(scene, 3) as other:
        batch.step(n=20)
        before = batch.state.link_pose.copy()
        wrong: list[tuple[Callable[[], object], str]] = [
            (lambda: batch.reset(mask=[1, 0]), naming("mask", "2 bools")),
            (lambda: batch.reset(mask=[True]), naming("mask", "2 bools")),
            (
                lambda: batch.reset(values={"ground.mu_along": [0.1, -2.0]}),
                "World 1 of 0 to 1: ground.mu_along",
            ),
            (
                lambda: batch.restore(other.save()),
                naming("3 worlds", "2"),
            ),
            (lambda: batch.restore(3), naming("saved", "Batch.save", "int")),  # type: ignore[arg-type]
        ]
        for call, message in wrong:
            with pytest.raises(ss.SnakeStudioError) as caught:
                call()
            assert str(caught.value) == naming(message)
        np.testing.assert_array_equal(batch.state.link_pose, before)
        assert batch.scenes == (scene, scene)
        batch.close()
        with pytest.raises(ss.SnakeStudioError, match=r"batch.*closed"):
            batch.step(n=1)


def test_documented_sweep_runs() -> None:
    page = (docs_dir() / "batch.md").read_text(encoding="utf-8")
    (program, *_) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len(program.splitlines()) <= 15
    names: dict[str, Any] = {}
    exec(program.replace("n=4000", "n=40"), names)
    assert names["batch"].n == 64
    assert names["distance"].shape == (64,)
    assert np.unique(names["distance"]).size == 64


def test_documented_controller_steers_all_worlds() -> None:
    page = (docs_dir() / "batch.md").read_text(encoding="utf-8")
    _, program, *_ = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {"np": np, "ss": ss}
    exec(program, names)
    assert np.abs(names["error"]).max() < 0.25  # from 1 rad


def test_documented_contacts_are_those_of_all_worlds() -> None:
    page = (docs_dir() / "batch.md").read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    (program,) = (each for each in programs if "state.contacts" in each)
    names: dict[str, Any] = {"np": np, "ss": ss}
    exec(program, names)
    assert names["on_obstacles"].shape == (16,)
    assert names["on_obstacles"].any()
    assert names["worst"] <= 1e-8
