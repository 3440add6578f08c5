"""Seeds in Python: the same meaning in runs, single simulations and batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.model.edits import with_values
from snakestudio.paths import scenes_dir
from tests.wording import naming

RUBBLE = {"kind": "rubble", "x_m": 3.0, "y_m": 0.0, "blocks": 2}


def rubble() -> ss.Scene:
    """A scene with two random parts."""
    scene = ss.load_scene(scenes_dir() / "sidewinding.toml")
    return with_values(scene, {"obstacles": [RUBBLE, {**RUBBLE, "y_m": 3.0}]})


def seeds(scene: ss.Scene) -> list[int]:
    return [obstacle.seed for obstacle in scene.obstacles]  # type: ignore[union-attr]


def run_of(seed: int | None, **values: Any) -> ss.Run:
    return ss.simulate(rubble(), duration=0.01, seed=seed, values=values)


def test_seed_of_a_run_is_that_of_a_simulation() -> None:
    run = run_of(3)
    with ss.open_simulation(rubble(), seed=3) as sim:
        assert seeds(run.scene) == seeds(sim.scene)
        sim.step(n=run.scene.steps_per_period)
    assert len({*seeds(run.scene), *seeds(rubble()), *seeds(run_of(4).scene)}) == 5
    assert seeds(run_of(None).scene) == seeds(rubble())
    again = ss.simulate(run)  # the run has its seeds
    np.testing.assert_array_equal(again["link_1_x_m"], run["link_1_x_m"])


def test_world_0_has_the_seeds_of_a_single_simulation() -> None:
    with ss.open_simulation(rubble(), seed=3) as sim, ss.open_batch(rubble(), 3, seed=3) as batch:
        assert seeds(batch.scenes[0]) == seeds(sim.scene)
        assert batch.rng[0].random() == sim.rng.random()
        drawn = [seeds(scene) for scene in batch.scenes]
        assert len({seed for each in drawn for seed in each}) == 6
        batch.reset(mask=np.array([True, False, True]), seed=4)
        sim.reset(seed=4)
        assert seeds(batch.scenes[0]) == seeds(sim.scene)
        assert seeds(batch.scenes[1]) == drawn[1]
        batch.reset()
        assert seeds(batch.scenes[0]) == seeds(sim.scene)


def test_random_force_noise_follows_the_seed() -> None:
    scene = scenes_dir() / "jam_resolution.toml"
    with ss.open_simulation(scene, seed=6) as sim, ss.open_batch(scene, 2, seed=6) as batch:
        drawn = sim.scene.controller.noise_seed
        first, second = (each.controller.noise_seed for each in batch.scenes)
    assert drawn == first == ss.simulate(scene, 0.01, seed=6).scene.controller.noise_seed
    assert len({drawn, second, ss.load_scene(scene).controller.noise_seed}) == 3


GIVEN: dict[str, dict[str, Any]] = {
    "one seed": {"obstacles[1].seed": 5},
    "an entry": {"obstacles[1]": {**RUBBLE, "seed": 5}},
    "a list": {"obstacles": [{**RUBBLE, "seed": 5}, RUBBLE]},
}


@pytest.mark.parametrize("values", GIVEN.values(), ids=GIVEN)
def test_given_seeds_are_not_drawn(values: dict[str, Any]) -> None:
    expected = [5, seeds(run_of(3).scene)[1]]
    assert seeds(run_of(3, **values).scene) == expected
    with (
        ss.open_simulation(rubble(), values, seed=3) as sim,
        ss.open_batch(rubble(), 2, [values, values], seed=3) as batch,
    ):
        assert seeds(sim.scene) == seeds(batch.scenes[0]) == expected
        sim.reset(seed=4)
        batch.reset(seed=4)
        expected[1] = seeds(run_of(4).scene)[1]
        assert seeds(sim.scene) == seeds(batch.scenes[0]) == expected
        sim.reset(seed=3, values={"obstacles[2].seed": 6})
        batch.reset(seed=3, values={"obstacles[2].seed": 6})
        assert seeds(sim.scene) == seeds(batch.scenes[0]) == [5, 6]


@pytest.mark.parametrize("seed", [-1, 1.5, "x", True])
def test_invalid_seeds_are_named(seed: Any) -> None:
    scene = rubble()
    for call in (ss.simulate, ss.open_simulation, lambda *a, **k: ss.open_batch(*a, 2, **k)):
        with pytest.raises(ss.UsageError) as error:
            call(scene, seed=seed)
        assert str(error.value) == naming("seed", "whole number")
