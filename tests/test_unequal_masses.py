"""Centre of mass of robots with unequal links: it rests if momentum is conserved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.model.scene_file import scene_from_dict
from snakestudio.session.runner import Runner

HEAVY_HEAD = {
    "format": 1,
    "robot": {
        "n_links": 4,
        "joints": "yaw",
        "link": [{"index": "first", "mass_kg": 3.0, "length_m": 0.2}, {"index": 3, "mass_kg": 1.5}],
    },
    "ground": {"mu_along": 0.0, "mu_across": 0.0},
    "gait": {"kind": "two_waves", "amplitude_deg": 30.0},
    "run": {"duration_s": 0.5},
}


@pytest.mark.parametrize("model", ["planar_nonsmooth", "spatial_nonsmooth"])
def test_centre_of_mass_rests_without_friction(model: str) -> None:
    run = ss.simulate(scene_from_dict(HEAVY_HEAD | {"model": {"kind": model}}))
    moved = max(np.ptp(run[f"link_{link}_y_m"]) for link in range(1, 5))
    drift = np.hypot(run["com_x_m"] - run["com_x_m"][0], run["com_y_m"] - run["com_y_m"][0]).max()
    assert moved > 5e-3
    # The error is of first order in the time step: links move along chords, which separate the
    # joints by the square of the step.
    assert drift < 1e-3 * moved


def test_snapshots_and_recordings_weight_links_by_mass(tmp_path: Path) -> None:
    scene = scene_from_dict(HEAVY_HEAD | {"model": {"kind": "planar_nonsmooth"}})
    runner = Runner(scene)
    runner.advance(100)
    masses = np.array([link.mass for link in scene.robot.links])
    expected = masses @ runner.latest.link_pose[:, :3] / scene.robot.mass
    np.testing.assert_allclose(runner.latest.centre_of_mass, expected, atol=1e-15)
    np.testing.assert_allclose(runner.engine.look().centre_of_mass, expected, atol=1e-15)
    run = ss.simulate(scene, duration=0.05)
    run.to_mcap(tmp_path / "run.mcap")
    again = ss.load_run(tmp_path / "run.mcap")
    np.testing.assert_array_equal(again["com_x_m"], run["com_x_m"])
    np.testing.assert_allclose(
        again.recording.snapshot(len(again.recording) - 1).centre_of_mass[0],
        run["com_x_m"][-1],
        atol=1e-15,
    )
