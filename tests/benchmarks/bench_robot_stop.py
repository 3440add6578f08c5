"""Latency of the space bar: from the key in the window to `Link.stop`, and to the frame on the bus.

The window draws in software while its simulation runs at full speed; the link has its own process,
and a witness in this one sees the frame at the kernel's time of reception.
`SNAKESTUDIO_BENCH_STOPS` is the number of stops (40). Each value is printed twice: of all stops,
and of those that no standstill of the machine affected (see `standstill`).
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
from tests.benchmarks.standstill import watched
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
        with Emulator(profile, bus, folder), Witness(bus) as witness, watched() as machine:
            done = subprocess.run(
                [sys.executable, "-m", "tests.benchmarks.stop_probe", str(profile), str(count)],
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
                timeout=120 + count,
            )
        rows: list[Row] = [
            ("bare real-time sleepers: longest standstill", 1e3 * machine.longest, "ms", "", True)
        ]
        begin, called = np.array(json.loads(done.stdout.strip().splitlines()[-1])).T
        firsts = [witness.first(STOP_ID, each) for each in begin]
    sent = np.array([first if first is not None else np.inf for first in firsts])
    sent[sent - begin >= _PATIENCE_S] = np.inf
    for name, counts in (
        ("all", np.ones(count, bool)),
        ("without standstills", machine.free(begin, sent)),
    ):
        rows.append((f"{name}: stops", int(counts.sum()), "", "", True))
        for what, end, bar in (
            ("Link.stop", called, 10.0),
            ("the stop frame on the bus", sent, 20.0),
        ):
            times = 1e3 * (end - begin)[counts]
            worst = float(np.percentile(times, 99, method="higher")) if times.size else np.nan
            rows.append(
                (f"  from the key to {what}, p99", worst, "ms", f"<= {bar:g}", worst <= bar)
            )
    return rows
