"""The examples of the documentation run unchanged."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.paths import docs_dir, scenes_dir
from snakestudio.plugins.loading import load, unload
from snakestudio.session.runner import Runner


def test_cpg_of_the_documentation_locks_to_its_wave(tmp_path: Path) -> None:
    (text,) = re.findall(
        r"^```python\n(.*?)^```",
        (docs_dir() / "cpg.md").read_text("utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    assert len(text.splitlines()) < 60
    (tmp_path / "my_cpg.py").write_text(text)
    load(tmp_path / "my_cpg.py")
    try:
        quick = {"model.kind": "planar_lagrangian", "robot.n_links": 5, "run.duration_s": 6.0}
        scene = with_values(Scene(), {**quick, "controller.kind": "my_cpg"})
        runner = Runner(scene)
        runner.advance(scene.n_steps // 2)
        assert runner.apply(with_values(scene, {"controller.amplitude_deg": 20.0})) == []
        runner.advance(scene.n_steps)
        rows = runner.recording.rows(0, len(runner.recording))
        names = runner.recording.schema.extra
        last = dict(zip(names, rows.extra[-1], strict=True))
        amplitudes = [value for name, value in last.items() if name.startswith("amplitude_joint")]
        phases = [value for name, value in last.items() if name.startswith("phase_joint")]
        np.testing.assert_allclose(np.degrees(amplitudes), 20.0, rtol=1e-4)
        np.testing.assert_allclose(np.degrees(np.diff(phases)), -50.0, atol=1e-6)
        assert phases[0] == pytest.approx(2.0 * np.pi * 0.5 * 6.0)
    finally:
        unload("my_cpg")


def test_predictive_control_turns_the_robot_towards_its_goal() -> None:
    path = docs_dir() / "examples" / "mpc_heading.py"
    spec = importlib.util.spec_from_file_location("mpc_heading", path)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    sys.modules["mpc_heading"] = example
    try:
        spec.loader.exec_module(example)
        results = [example.run(goal=(1.0, side), worlds=8, longest=4.0) for side in (0.8, -0.8)]
    finally:
        del sys.modules["mpc_heading"]
    left, right = (result.path[-1, 1] - result.path[0, 1] for result in results)
    assert left > right + 0.05
    for result, side in zip(results, (0.8, -0.8), strict=True):
        assert result.distance < np.linalg.norm(result.path[0] - (1.0, side)) - 0.2


def test_compliant_robot_passes_the_near_pipe_with_less_torque() -> None:
    scene = scenes_dir() / "compliant_pipes.toml"
    runs = [ss.simulate(scene, **{"controller.kind": kind}) for kind in ("none", "compliance")]
    stiff, compliant = (
        np.sqrt(np.mean([run[f"joint_{joint}_yaw_torque_nm"] ** 2 for joint in range(1, 11)]))
        for run in runs
    )
    stiff_way, compliant_way = (run["link_6_x_m"][-1] - run["link_6_x_m"][0] for run in runs)
    assert compliant_way > 0.97 * stiff_way
    assert compliant < 0.5 * stiff
