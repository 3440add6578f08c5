"""A program killed during editing: the file is valid, and at most the edits of the last autosave interval are lost."""

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
"""Additional time for writing on a busy machine, s, for every interval."""


def newest(scene: Scene) -> float:
    """Time of the newest edit in a scene of the probe, s; 0 if there is none."""
    # obstacles of the main scene do not count
    return max((o.y_m for o in scene.obstacles if o.y_m > 0.3), default=0.0)


def kill_once(folder: Path, interval_s: float, lifetime_s: float, seed: int) -> float:
    """Run the probe and kill it; return the time of lost edits, s."""
    path = folder / "scene.toml"
    path.write_text(MAIN_SCENE.read_text(encoding="utf-8"), encoding="utf-8")
    arguments = [
        sys.executable,
        "-m",
        "tests.gui.kill_probe",
        str(path),
        str(interval_s),
        str(seed),
    ]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}  # no window is shown
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=environment) as probe:
        assert probe.stdout is not None
        assert probe.stdout.readline() == "ready\n"
        time.sleep(lifetime_s)
        probe.send_signal(signal.SIGKILL)
        output = probe.stdout.read().split("\n")[:-1]
    edits = [float(line.split()[1]) for line in output if line.startswith("edit ")]
    assert edits, "it was killed before it began"
    on_disk = load_scene(path)  # valid at any time
    unsaved_files = unsaved_scenes()
    assert len(unsaved_files) <= 1
    newest_edit = max([newest(on_disk), *(newest(unsaved.scene) for unsaved in unsaved_files)])
    for unsaved in unsaved_files:
        assert unsaved.path == path.resolve()
        unsaved.discard()
    return edits[-1] - newest_edit


@pytest.mark.parametrize("seed", [1])
def test_at_most_a_few_edits_are_lost_in_a_kill(tmp_path: Path, seed: int) -> None:
    lifetime = random.Random(seed).uniform(1.5, 2.5)
    assert kill_once(tmp_path, 0.2, lifetime, seed) <= 0.2 + SLACK_S


@pytest.mark.soak
def test_fifty_kills_lose_at_most_the_interval(tmp_path: Path) -> None:
    chance = random.Random(7)
    lost = [kill_once(tmp_path, 1.0, chance.uniform(0.2, 6.0), seed) for seed in range(50)]
    assert max(lost) <= 1.0 + SLACK_S
    assert sorted(lost)[45] <= 1.0 + 0.25, "in nine of ten cases writing takes little time"


WINDOW = """
import os, signal, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from snakestudio.gui.app import run

def end(window):
    window.context.document.set_value("gait.amplitude_deg", 12.0, "Amplitude")
    if sys.argv[2] == "closed":
        window.context.files.may_discard = lambda: True
        window.close()
    elif sys.argv[2] == "defect":
        sys.excepthook(ValueError, ValueError("a defect"), None)
        os.kill(os.getpid(), signal.SIGKILL)
    else:
        os.kill(os.getpid(), getattr(signal, sys.argv[2]))

sys.exit(run(Path(sys.argv[1]), lambda window: QTimer.singleShot(0, window, lambda: end(window))))
"""


@pytest.mark.parametrize(
    ("ending", "code", "newest_edit"),
    [
        ("SIGTERM", 143, 1),
        pytest.param("SIGHUP", 129, 1, marks=pytest.mark.soak),
        pytest.param("defect", -9, 1, marks=pytest.mark.soak),
        pytest.param("closed", 0, 0, marks=pytest.mark.soak),
    ],
)
def test_ended_window_stores_edits_unless_discarded(
    tmp_path: Path, ending: str, code: int, newest_edit: int
) -> None:
    """Ended by a signal, it stores the unsaved edit; closed by its user, who discards it, it stores nothing."""
    path = tmp_path / "scene.toml"
    path.write_text(MAIN_SCENE.read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", WINDOW, str(path), ending],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == code, done.stderr
    assert [unsaved.scene.gait.amplitude_deg for unsaved in unsaved_scenes()] == [
        12.0
    ] * newest_edit
    assert load_scene(path) == load_scene(MAIN_SCENE)
