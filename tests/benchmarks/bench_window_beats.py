"""How long the window's heartbeat pauses for what can be done while a robot is armed, each action in the real window.

A robot whose window is silent for `window_timeout_s` (0.25 s in the profiles that come along)
stops. The bar is half of that, of processor time: on a machine with nothing else to do it is the
time by the clock, and others do not spoil it.
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
    """The longest pause of every action, the longest first; parts of their names choose some."""
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
            f"{action} (by the clock {1e3 * waited:.0f})",
            1e3 * computed,
            "ms",
            f"<= {1e3 * _BAR_S:g}",
            computed <= _BAR_S,
        )
        for action, (computed, _, waited) in sorted(longest.items(), key=lambda item: -item[1][0])
    ]


def _patient(folder: Path) -> Path:
    """The lab robot with timeouts so long that what is slow is seen in full, and no stop comes between."""
    whole = load_profile(find_profile("lab_robot"))
    assert whole.path is not None
    text = re.sub(
        r"(window|reference)_timeout_s = [\d.]+", r"\1_timeout_s = 10.0", whole.path.read_text()
    )
    path = folder / "patient.toml"
    path.write_text(text)
    (folder / whole.profile.dbc).write_text(whole.dbc_text)
    return path


if __name__ == "__main__":
    for what, value, unit, bar, ok in run(*sys.argv[1:]):
        print(f"{'ok  ' if ok else 'MISS'} {what:<70} {value:9.3g} {unit:<5} {bar}")
