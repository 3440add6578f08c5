"""Whoever is killed, and whenever: no finished run is lost, and the table is that of a study nobody disturbed."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from snakestudio.errors import StudyError
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.paths import own_program
from snakestudio.study.running import Workers, results_of, run_study
from snakestudio.study.store import Outcome, Store, store_path

LONG_S = 300.0
"""Nothing takes so long, s: where something hangs, the test ends."""

STUDY = """\
format = 1
scene = "snake.toml"
[[vary]]
key = "gait.amplitude_deg"
low = 20.0
high = 40.0
steps = 12
[[vary]]
key = "ground.mu_across"
low = 0.3
high = 0.8
steps = 12
[[goals]]
measure = "net_speed"
[[limits]]
measure = "rms(com_vx_mps)"
at_most = 10.0
"""
"""144 runs, of a tenth of a second."""


def kept(path: Path) -> dict[str, tuple[object, ...]]:
    """Every finished run of a study, without how long it took and who made it."""
    with contextlib.suppress(StudyError), Store(store_path(path)) as store:
        keys = [asked.key for asked in store.asked()]
        return {key: shown(outcome) for key, outcome in store.known(keys, traces=True).items()}
    return {}


def shown(outcome: Outcome) -> tuple[object, ...]:
    return outcome.state, outcome.sentence, outcome.measures, outcome.trace


def children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


def wait_for(what: Callable[[], bool], until: float) -> None:
    while not what():
        assert time.monotonic() < until
        time.sleep(0.01)


def survive(path: Path, kills: int, chance: random.Random) -> None:
    """Run a study to its end while somebody is killed after every few runs."""
    until = time.monotonic() + LONG_S
    known: dict[str, tuple[object, ...]] = {}

    def none_lost() -> dict[str, tuple[object, ...]]:
        now = kept(path)
        assert {key: now.get(key) for key in known} == known
        return now

    killed: list[str] = []
    while True:
        with subprocess.Popen(
            [*own_program(), "study", "run", str(path), "--workers", "2"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        ) as driver:  # fmt: skip
            while len(killed) < kills and driver.poll() is None:
                # Something has landed since the last kill: a run that three workers die of is suspected, and rightly.
                more = len(known) + chance.randrange(1, 6)
                wait_for(lambda n=more: len(kept(path)) >= n or driver.poll() is not None, until)  # type: ignore[misc]
                known = none_lost()
                victim = chance.choice(("driver", "worker", "all workers"))
                workers = children(driver.pid)
                if driver.poll() is not None or (victim != "driver" and not workers):
                    continue
                killed.append(victim)
                pids = {"driver": [driver.pid], "worker": workers[:1], "all workers": workers}[victim]
                for pid in pids:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                if victim == "driver":
                    driver.wait()
            assert driver.stderr is not None
            said = driver.stderr.read()
        known = none_lost()
        if driver.returncode == 0:
            assert len(killed) == kills, "the study ended before all were killed"
            return
        assert driver.returncode == -signal.SIGKILL, said


@pytest.fixture
def twins(study_file: Path) -> tuple[Path, Path]:
    """A study to be disturbed, and the same that is not."""
    scene = study_file.parent / "snake.toml"
    save_scene(with_values(load_scene(scene), {"run.duration_s": 1.0}), scene)
    study_file.write_text(STUDY)
    alone = study_file.with_name("alone.study.toml")
    alone.write_text(STUDY)
    return study_file, alone


def tables_are_the_same(disturbed: Path, alone: Path) -> None:
    run_study(alone, Workers(2))
    one, other = results_of(disturbed), results_of(alone)
    for name in set(one) - {"seconds"}:
        assert one[name].tolist() == other[name].tolist(), name
    assert kept(disturbed) == kept(alone)


def test_nothing_is_lost_by_three_kills(twins: tuple[Path, Path]) -> None:
    survive(twins[0], 3, random.Random(1))
    tables_are_the_same(*twins)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_lost_by_twenty_kills(twins: tuple[Path, Path], seed: int) -> None:
    survive(twins[0], 20, random.Random(seed))
    tables_are_the_same(*twins)
