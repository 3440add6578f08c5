"""Killed at a random moment of editing: the file is whole, and at most the last autosave interval is missing."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.session.recovery import unsaved_scenes
from tests.gui.conftest import MAIN_SCENE

SLACK_S = 0.8
"""What writing may take besides, on a machine that does other things too: seconds, whatever the interval."""


def newest(scene: Scene) -> float:
    """Time of the newest edit in a scene of the probe, s; 0 if there is none."""
    return max((o.y_m for o in scene.obstacles if o.y_m > 0.3), default=0.0)  # those of the main scene are not


def kill_once(folder: Path, interval_s: float, lifetime_s: float, seed: int) -> float:
    """Let the probe edit and kill it; how much time of its edits was lost, s."""
    path = folder / "scene.toml"
    path.write_text(MAIN_SCENE.read_text(encoding="utf-8"), encoding="utf-8")
    words = [sys.executable, "-m", "tests.gui.kill_probe", str(path), str(interval_s), str(seed)]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}  # nothing is shown
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as probe:
        assert probe.stdout is not None
        assert probe.stdout.readline() == "ready\n"
        time.sleep(lifetime_s)
        probe.send_signal(signal.SIGKILL)
        told = probe.stdout.read().split("\n")[:-1]
    edits = [float(line.split()[1]) for line in told if line.startswith("edit ")]
    assert edits, "it was killed before it began"
    on_disk = load_scene(path)  # whole, whenever it was
    found = unsaved_scenes()
    assert len(found) <= 1
    kept = max([newest(on_disk), *(newest(unsaved.scene) for unsaved in found)])
    for unsaved in found:
        assert unsaved.path == path.resolve()
        unsaved.discard()
    return edits[-1] - kept


@pytest.mark.parametrize("seed", [1, 2])
def test_little_is_lost(tmp_path: Path, seed: int) -> None:
    lifetime = random.Random(seed).uniform(1.5, 2.5)
    assert kill_once(tmp_path, 0.2, lifetime, seed) <= 0.2 + SLACK_S


@pytest.mark.soak
def test_at_most_the_interval_is_lost_fifty_times(tmp_path: Path) -> None:
    chance = random.Random(7)
    lost = [kill_once(tmp_path, 1.0, chance.uniform(0.2, 6.0), seed) for seed in range(50)]
    assert max(lost) <= 1.0 + SLACK_S
    assert sorted(lost)[45] <= 1.0 + 0.25, "nine times of ten the writing takes hardly any time"
