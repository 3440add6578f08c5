"""How soon the space bar stops the robot: from the key in the window to `Link.stop`, and to the frame on the bus.

The window draws in software while its simulation runs as fast as it can; the link has its own process, and a witness
in this one sees the frame at the kernel's time of reception. `SNAKESTUDIO_BENCH_STOPS` is the number of stops (40).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from snakestudio.link.profile.loading import load_profile
from tests.benchmarks.bench_window import screen
from tests.link.rig import STOP_ID, Emulator, Witness, small_robot

Row = tuple[str, object, str, str, bool]

_PATIENCE_S = 0.5


def run() -> list[Row]:
    """Both times, 99th percentiles."""
    count = int(os.environ.get("SNAKESTUDIO_BENCH_STOPS", "40"))
    with tempfile.TemporaryDirectory() as name, screen() as environment:
        folder = Path(name)
        profile = small_robot(folder)
        bus = load_profile(profile).profile.bus
        with Emulator(profile, bus, folder), Witness(bus) as witness:
            done = subprocess.run(
                [sys.executable, "-m", "tests.benchmarks.stop_probe", str(profile), str(count)],
                env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=120 + count,
            )  # fmt: skip
        pairs = json.loads(done.stdout.strip().splitlines()[-1])
        inside, outside = [], []
        for begin, called in pairs:
            inside.append(called - begin)
            sent = witness.first(STOP_ID, begin)
            outside.append(sent - begin if sent is not None and sent - begin < _PATIENCE_S else np.inf)
    to_link, to_bus = (1e3 * float(np.percentile(times, 99, method="higher")) for times in (inside, outside))
    return [
        (f"from the key to Link.stop, p99 of {count}", to_link, "ms", "<= 10", to_link <= 10.0),
        (f"from the key to the stop frame on the bus, p99 of {count}", to_bus, "ms", "<= 20", to_bus <= 20.0),
    ]
