"""The shipped scenes, run as a user runs them, against the tracks and numbers of the papers' cases.

The reference tracks come from an independent implementation that solves every contact problem to 1e-10 or better
(see references/README.md); tolerances and their reasons are theirs.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.paths import scenes_dir

REFERENCES = Path(__file__).parent / "references"
CASES = json.loads((REFERENCES / "cases.json").read_text())
SCENES = sorted(path.stem for path in scenes_dir().glob("*.toml"))


@pytest.fixture(scope="module")
def runs() -> dict[str, ss.Run]:
    return {}


def run_of(name: str, runs: dict[str, ss.Run]) -> ss.Run:
    if name not in runs:
        runs[name] = ss.simulate(scenes_dir() / f"{name}.toml", duration=12.0)
    return runs[name]


def test_the_scenes_that_users_rely_on_are_there() -> None:
    assert {
        "obstacle_aided",
        "obstacle_aided_obstacle3_removed",
        "obstacle_aided_obstacle3_shifted",
        "obstacle_aided_small",
        "lateral_undulation_isotropic",
    } <= set(SCENES)


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_follows_the_reference_track(name: str, runs: dict[str, ss.Run]) -> None:
    run = run_of(name, runs)
    reference = np.load(REFERENCES / f"{name}.npz")
    until = reference["t"] <= 12.0
    rows = np.searchsorted(run["time_s"], reference["t"][until] - 1e-6)
    tolerance = CASES[name]["tolerance"]
    for link in range(1, 12):
        track = np.stack([run[f"link_{link}_x_m"], run[f"link_{link}_y_m"]], axis=1)[rows]
        distance = np.linalg.norm(track - reference["q"][until, link - 1, :2], axis=1)
        allowed = tolerance["track_link_same_scheme_dt_1_4000_m"] if link == 6 else tolerance["any_link_m"]
        assert distance.max() < allowed, f"link {link}"
    assert run["solver_residual"].max() <= 1e-8
    assert run["solver_unconverged"].sum() == 0


def test_the_robot_goes_through_the_pipes(runs: dict[str, ss.Run]) -> None:
    # P2 VIII-D: about 15 cm/s; the independent implementation: 1.974 m at 9 s, 16.0 cm/s over 10 s.
    run = run_of("obstacle_aided", runs)
    x = run["link_6_x_m"]
    assert x[900] == pytest.approx(1.974, abs=0.002)
    assert (x[1000] - x[0]) / 10 == pytest.approx(0.160, abs=0.001)


def test_without_the_third_pipe_it_does_not_get_through(runs: dict[str, ss.Run]) -> None:
    assert run_of("obstacle_aided_obstacle3_removed", runs)["link_6_x_m"].max() < 1.5


def test_with_the_third_pipe_moved_it_does(runs: dict[str, ss.Run]) -> None:
    assert run_of("obstacle_aided_obstacle3_shifted", runs)["link_6_x_m"].max() > 1.8


def test_thin_posts_carry_it_along_the_same_path(runs: dict[str, ss.Run]) -> None:
    # P2 Fig. 9; the independent implementation: 1.857 m in 12 s.
    x = run_of("obstacle_aided_small", runs)["link_6_x_m"]
    assert x[1200] - x[0] == pytest.approx(1.857, abs=0.002)


def test_on_a_bare_floor_it_creeps_backwards(runs: dict[str, ss.Run]) -> None:
    # P2 VIII-D1: about -1 cm/s; the independent implementation: -1.2 cm/s in x, -1.7 cm/s in y over 10 s.
    run = run_of("lateral_undulation_isotropic", runs)
    speed = [(run[f"link_6_{axis}_m"][1000] - run[f"link_6_{axis}_m"][0]) / 10 for axis in "xy"]
    assert speed == pytest.approx([-0.012, -0.017], abs=0.001)
