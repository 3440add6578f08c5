"""Longest pause of the window's heartbeat during all actions that are possible while a robot is armed.

A robot stops if its window is silent for `window_timeout_s` (0.25 s in the bundled profiles). The
bar is half of that, as processor time: on an idle machine it equals wall time, and other load does
not affect it.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import load_profile
from snakestudio.paths import scenes_dir
from tests.benchmarks.bench_window import screen

Row = tuple[str, object, str, str, bool]

_BAR_S = 0.125
_PATIENCE_S = 900


def run(*only: str) -> list[Row]:
    """The longest pause of every action, the longest first; parts of names select actions."""
    with tempfile.TemporaryDirectory() as name, screen() as environment:
        folder = Path(name)
        scene = Path(shutil.copy(scenes_dir() / "sidewinding.toml", folder))
        own = {
            "SNAKESTUDIO_STATE_DIR": str(folder / "state"),
            "XDG_DATA_HOME": str(folder / "data"),
        }
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.benchmarks.beats_probe",
                str(_patient(folder)),
                str(scene),
                *only,
            ],
            env=environment | own,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=_PATIENCE_S,
        )
    longest: dict[str, list[float]] = json.loads(done.stdout.strip().splitlines()[-1])
    return [
        (
            f"{action} (wall time {1e3 * waited:.0f})",
            1e3 * computed,
            "ms",
            f"<= {1e3 * _BAR_S:g}",
            computed <= _BAR_S,
        )
        for action, (computed, _, waited) in sorted(longest.items(), key=lambda item: -item[1][0])
    ]


def _patient(folder: Path) -> Path:
    """The lab robot with timeouts so long that slow actions are measured in full, without stops."""
    profile = load_profile(find_profile("lab_robot"))
    assert profile.path is not None
    text = re.sub(
        r"(window|reference)_timeout_s = [\d.]+", r"\1_timeout_s = 10.0", profile.path.read_text()
    )
    path = folder / "patient.toml"
    path.write_text(text)
    (folder / profile.profile.dbc).write_text(profile.dbc_text)
    return path


if __name__ == "__main__":
    for what, value, unit, bar, ok in run(*sys.argv[1:]):
        print(f"{'ok  ' if ok else 'MISS'} {what:<70} {value:9.3g} {unit:<5} {bar}")
