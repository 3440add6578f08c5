"""Memory of the real window: an hour at full speed in the default layout, and scenes opened in sequence.

``SNAKESTUDIO_BENCH_SIMULATED`` is the number of simulated seconds in place of the hour; an hour on a
machine that simulates eleven times as fast as real time has 40,000 of them, and takes 11 GB of
disk. Only the rows of the first minute come from the engine; see `memory_probe`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

from tests.benchmarks.bench_window import screen

Row = tuple[str, object, str, str, bool]

HOUR_BAR_MB = 100.0
RESET_BAR_MB = 10.0
SCENES_BAR_MB = 30.0
SIMULATED_S = 10_000.0
N_SCENES = 30


def measured(what: str, amount: float) -> dict[str, float]:
    """Results of `memory_probe` on a virtual screen with separate user directories."""
    with screen() as environment, tempfile.TemporaryDirectory(prefix="snakestudio-memory-") as home:
        places = {
            f"XDG_{kind}_HOME": os.path.join(home, kind.lower())
            for kind in ("CONFIG", "DATA", "STATE")
        }
        command = [sys.executable, "-m", "tests.benchmarks.memory_probe", what, str(amount)]
        done = subprocess.run(
            command, env=environment | places, stdout=subprocess.PIPE, text=True, check=True
        )
    values: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return values


def hour(simulated: float) -> list[Row]:
    """Growth after the first minute, at the end and at most, and the rest after Reset."""
    values = measured("hour", simulated)
    grown = values["hour"] - values["minute"]
    most = values["most"] - values["minute"]
    left = values["reset"] - values["minute"]
    span = f"{values['simulated']:.0f} s, {values['rows'] / 1e6:.1f} million rows"
    return [
        (
            f"window, {span}: growth after a minute",
            grown,
            "MB",
            f"<= {HOUR_BAR_MB:g}",
            grown <= HOUR_BAR_MB,
        ),
        ("window, the same: maximum", most, "MB", "", True),
        (
            "window, the same: after Reset",
            left,
            "MB",
            f"<= {RESET_BAR_MB:g}",
            left <= RESET_BAR_MB,
        ),
    ]


def scenes(count: int) -> list[Row]:
    """Growth while scenes are opened, played for a second and closed."""
    values = measured("scenes", count)
    grown = values["last"] - values["first"]
    return [
        (
            f"window, {count} scenes opened: growth",
            grown,
            "MB",
            f"<= {SCENES_BAR_MB:g}",
            grown <= SCENES_BAR_MB,
        )
    ]


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    simulated = float(os.environ.get("SNAKESTUDIO_BENCH_SIMULATED", SIMULATED_S))
    return [*hour(simulated), *scenes(N_SCENES)]
