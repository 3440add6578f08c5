"""A recording program that is killed at any time loses at most the last second."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from snakestudio.runfile.mcap import open_run
from tests.session.rows import assert_equal, make_rows


def kill_once(folder: Path, lifetime_s: float, at_once: int) -> float:
    """Run the probe, kill it, read the rest; return the age of the newest lost row, s."""
    path = folder / "run.mcap"
    path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "tests.runfile.run_kill_probe", str(path), str(at_once)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as probe:
        assert probe.stdout is not None
        first = probe.stdout.readline()
        time.sleep(lifetime_s)
        probe.send_signal(signal.SIGKILL)
        killed = time.time()
        lines = [first, *probe.stdout.read().split("\n")[:-1]]
    counts = [(int(count), float(when)) for count, when in (line.split() for line in lines)]
    saved = 0
    if (
        path.is_file() and path.stat().st_size
    ):  # it may have been killed before its first block was due
        with open_run(path) as run:
            saved = len(run)
            assert not run.info.complete
            assert_equal(run.rows(0, saved), make_rows(0, saved))
            assert all(event.text == str(round(100 * event.time)) for event in run.events)
            assert all(state == str(round(100 * at)).encode() for at, state in run.checkpoints())
    lost = [when for count, when in counts if count > saved]
    return killed - min(lost) if lost else 0.0


@pytest.mark.parametrize(("lifetime", "at_once"), [(0.9, 1), (1.3, 50)])
def test_at_most_a_second_is_lost(tmp_path: Path, lifetime: float, at_once: int) -> None:
    assert kill_once(tmp_path, lifetime, at_once) <= 1.0


@pytest.mark.soak
def test_at_most_a_second_is_lost_a_hundred_times(tmp_path: Path) -> None:
    chance = random.Random(3)
    lost = [
        kill_once(tmp_path, chance.uniform(0.6, 4.0), chance.choice([1, 2, 10, 50]))
        for _ in range(100)
    ]
    assert max(lost) <= 1.0
