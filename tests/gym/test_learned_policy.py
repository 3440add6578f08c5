"""The learned policy of the documentation, in the environment and as a plug-in, and checked for types."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import gymnasium
import numpy as np
import pytest

import snakestudio as ss
import snakestudio.gym
from snakestudio.paths import docs_dir
from snakestudio.plugins import loading

EXAMPLES = docs_dir() / "examples"
SCENE = EXAMPLES / "learned_path_following.toml"
PERIODS = 40


@pytest.fixture(scope="module")
def plugin() -> Iterator[ModuleType]:
    loaded = loading.load(SCENE.with_suffix(".py"))
    yield loaded.module
    loading.unload(loaded.name)


def test_plugin_moves_like_the_environment(plugin: ModuleType) -> None:
    env = gymnasium.make(
        "SnakeStudio/PathFollowing-v0",
        friction_jitter=0.0,
        position_jitter_m=0.0,
        heading_jitter_deg=0.0,
    )
    observation, _ = env.reset(seed=0)
    for _ in range(PERIODS):
        observation, *_ = env.step(plugin.policy(observation))
    run = ss.simulate(SCENE, duration=0.1 * PERIODS)
    angles = [run[f"joint_{joint}_yaw_rad"][-1] for joint in range(1, 10)]
    np.testing.assert_allclose(angles, observation[:9], atol=1e-6)
    assert run["offset_rad"][-1] == pytest.approx(observation[31], abs=1e-6)
    assert abs(observation[31]) > 0.01  # it steers


def test_policy_reaches_the_path(plugin: ModuleType) -> None:
    run = ss.simulate(SCENE, duration=35.0, **{"solver.step_s": 0.005})
    error = run["cross_track_m"]
    assert error[0] > 0.95
    assert np.abs(error[run["time_s"] > 30.0]).max() < 0.05
    assert run["com_x_m"][-1] + run["com_y_m"][-1] > 7.0  # the built-in law: 2.6 m


def test_pyright_accepts_the_examples(tmp_path: Path) -> None:
    blocks = [
        block
        for name in ("tutorials/train-a-policy", "tutorials/own-task", "environments")
        for block in re.findall(
            r"^ *```python\n(.*?)^ *```",
            (docs_dir() / f"{name}.md").read_text("utf-8"),
            re.M | re.S,
        )
    ]
    (tmp_path / "page.py").write_text("\n".join(map(textwrap.dedent, blocks)), encoding="utf-8")
    for name in ("learned", "train"):
        shutil.copy(EXAMPLES / f"{name}_path_following.py", tmp_path)
    # PyTorch and stable-baselines3 are needed only for training.
    settings = {
        "typeCheckingMode": "standard",
        "pythonVersion": "3.11",
        "reportMissingImports": "none",
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [
        str(Path(sys.executable).with_name("basedpyright")),
        "--outputjson",
        "--pythonpath",
        sys.executable,
    ]
    done = subprocess.run(
        [*command, "-p", str(tmp_path)], capture_output=True, text=True, check=False
    )
    result = json.loads(done.stdout)
    assert result["summary"]["filesAnalyzed"] == 3
    assert [
        f"{Path(entry['file']).name}:{entry['range']['start']['line'] + 1}: {entry['message']}"
        for entry in result["generalDiagnostics"]
    ] == []
