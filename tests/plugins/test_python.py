"""Plug-ins in simulations and batches stepped from Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import snakestudio as ss

from .plugin_files import scene_file, written


def test_simulations_and_batches_equal_runs_of_a_plugin(tmp_path: Path) -> None:
    plugin = written(tmp_path)
    scene = scene_file(tmp_path)
    run = ss.simulate(scene, plugins=[plugin])
    steps = run.scene.n_steps
    with (
        ss.open_simulation(scene, plugins=[plugin]) as sim,
        ss.open_batch(scene, 2, plugins=[plugin]) as batch,
    ):
        sim.step(n=steps)
        batch.step(n=steps)
        ends = [
            sim.state.link_pose[:, 0],
            batch.state.link_pose[0, :, 0],
            batch.state.link_pose[1, :, 0],
        ]
    expected = [run[f"link_{link}_x_m"][-1] for link in range(1, 5)]
    assert abs(run["joint_3_yaw_rad"]).max() > 0.1
    for end in ends:
        np.testing.assert_array_equal(end, expected)
