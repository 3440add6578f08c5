"""Killing any process at any time loses no finished run, and the table is that of an undisturbed study."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from snakestudio.errors import StudyError
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.paths import own_program
from snakestudio.study.running import Workers, results_of, run_study
from snakestudio.study.store import RunOutcome, Store, store_path
from tests.study.lab import LONG_S, joined, scheduler
from tests.study.processes import alive, descendants

STUDY = """\
format = 1
scene = "snake.toml"
[[vary]]
key = "gait.amplitude_deg"
low = 20.0
high = 40.0
steps = {steps}
[[vary]]
key = "ground.mu_across"
low = 0.3
high = 0.8
steps = {steps}
[[goals]]
measure = "net_speed"
[[limits]]
measure = "rms(com_vx_mps)"
at_most = 10.0
"""
"""Runs of a tenth of a second. Up to forty finish between two kills: two workers have chunks of a second
each in progress, and another one before the kill is noticed."""


def finished_runs(path: Path) -> dict[str, tuple[object, ...]]:
    """Finished runs of a study, without their time and worker."""
    with contextlib.suppress(StudyError), Store(store_path(path)) as store:
        keys = [request.key for request in store.requests()]
        return {
            key: without_origin(outcome) for key, outcome in store.known(keys, traces=True).items()
        }
    return {}


def stored(path: Path) -> int:
    """A number that grows when runs finish."""
    with contextlib.suppress(StudyError), Store(store_path(path)) as store:
        return store.last_number()
    return 0


def without_origin(outcome: RunOutcome) -> tuple[object, ...]:
    return outcome.state, outcome.sentence, outcome.measures, outcome.trace


def wait_for(what: Callable[[], object]) -> None:
    until = time.monotonic() + LONG_S
    while not what():
        assert time.monotonic() < until
        time.sleep(0.05)


class Party:
    """Processes that run a study, some of which can be killed.

    Parameters
    ----------
    stack : ExitStack
        Ends the remaining processes.
    path : Path
        The study's file.
    """

    ending: Sequence[str] = ("driver",)
    """Processes whose end is also that of the others."""

    def __init__(self, stack: contextlib.ExitStack, path: Path) -> None:
        self.main = stack.enter_context(
            subprocess.Popen(
                self.command(stack, path),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        stack.callback(self.main.kill)

    def command(self, stack: contextlib.ExitStack, path: Path) -> list[str]:
        """Command that runs the study."""
        return [*own_program(), "study", "run", str(path), "--workers", "2"]

    def victims(self) -> dict[str, list[int]]:
        """Processes that are killed together, by name."""
        driver, *workers = descendants(self.main.pid)
        return {"driver": [driver], "worker": workers[:1], "all workers": workers}

    def replace(self, victim: str) -> None:
        """Start a replacement of a killed process."""


class WithWindow(Party):
    """The study is watched by a separate process, like the window."""

    ending = ("window", "driver")

    def command(self, stack: contextlib.ExitStack, path: Path) -> list[str]:
        code = f"""
import sys, time
from pathlib import Path
from snakestudio.study.running import Workers
from snakestudio.viewmodel.study.study_process import StudyProcess
process = StudyProcess(Path({str(path)!r}), Workers(2))
while process.running:
    time.sleep(0.02)
sys.exit(process.error or 0)
"""
        return [sys.executable, "-c", code]

    def victims(self) -> dict[str, list[int]]:
        window, *others = descendants(self.main.pid)
        return {
            "window": [window],
            "driver": others[:1],
            "worker": others[1:2],
            "all workers": others[1:],
        }


class OnCluster(Party):
    """Scheduler and workers were started before."""

    ending = ("scheduler", "driver")

    def command(self, stack: contextlib.ExitStack, path: Path) -> list[str]:
        file = path.with_name(f"scheduler-{time.monotonic_ns()}.json")
        self._stack = stack
        self._where = ("--scheduler-file", str(file))
        _, self._scheduler = stack.enter_context(scheduler(file))
        self._workers = [stack.enter_context(joined(*self._where)) for _ in range(2)]
        return [*own_program(), "study", "run", str(path), *self._where]

    def victims(self) -> dict[str, list[int]]:
        workers = [worker.pid for worker in self._workers]
        main_processes = {"scheduler": [self._scheduler.pid], "driver": [self.main.pid]}
        return {**main_processes, "worker": workers[:1], "all workers": workers}

    def replace(self, victim: str) -> None:
        for worker in self._workers[: 2 if victim == "all workers" else 1]:
            worker.wait()
            self._workers.remove(worker)
            self._workers.append(self._stack.enter_context(joined(*self._where)))


Round = tuple[type[Party], list[str]]
"""Type of party and its victims in sequence."""


def rounds(kills: int, chance: random.Random) -> list[Round]:
    """Return random kills; every type of party has its turns."""
    plan: list[Round] = []
    while kills:
        kind = (Party, WithWindow, OnCluster)[len(plan) % 3]
        workers = [
            chance.choice(("worker", "all workers"))
            for _ in range(min(kills - 1, chance.randrange(3)))
        ]
        plan.append((kind, [*workers, chance.choice(kind.ending)]))
        kills -= len(plan[-1][1])
    return plan


def survive(path: Path, plan: Sequence[Round], chance: random.Random) -> None:
    """Run a study while a process is killed after every few runs, and then to its end."""
    known: dict[str, tuple[object, ...]] = {}
    before = 0

    def none_lost() -> dict[str, tuple[object, ...]]:
        now = finished_runs(path)
        assert {key: now.get(key) for key in known} == known
        return now

    for kind, killed in plan:
        with contextlib.ExitStack() as stack:
            party = kind(stack, path)
            main = party.main
            for victim in killed:
                # A run has finished since the last kill: otherwise a run during which three workers
                # die is suspected, rightly.
                more = before + chance.randrange(1, 6)
                wait_for(lambda n=more, main=main: stored(path) >= n or main.poll() is not None)  # type: ignore[misc]
                wait_for(lambda of=party, victim=victim: of.victims()[victim])  # type: ignore[misc]
                assert main.poll() is None, "the study ended before all kills"
                before = stored(path)
                known = none_lost()
                everybody = descendants(main.pid)
                for pid in party.victims()[victim]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                if victim in party.ending:
                    wait_for(lambda pids=everybody: not any(map(alive, pids)))  # type: ignore[misc]
                    assert main.wait() != 0
                    output = main.stderr.read() if main.stderr is not None else ""
                    assert ("scheduler" in output) == (victim == "scheduler"), output
                else:
                    party.replace(victim)
        known = none_lost()
    with contextlib.ExitStack() as stack:
        last = Party(stack, path)
        output = last.main.communicate(timeout=LONG_S)[1]
        assert last.main.returncode == 0, output
    none_lost()


@pytest.fixture
def twins(study_file: Path, request: pytest.FixtureRequest) -> tuple[Path, Path]:
    """A study to be disturbed, and the same undisturbed."""
    scene = study_file.parent / "snake.toml"
    save_scene(with_values(load_scene(scene), {"run.duration_s": 1.0}), scene)
    alone = study_file.with_name("alone.study.toml")
    for path in (study_file, alone):
        path.write_text(STUDY.format(steps=request.param))
    return study_file, alone


def tables_are_the_same(disturbed: Path, alone: Path) -> None:
    run_study(alone, Workers(1))
    one = results_of(disturbed)
    other = results_of(alone)
    for name in set(one) - {"seconds"}:
        assert one[name].tolist() == other[name].tolist(), name
    assert finished_runs(disturbed) == finished_runs(alone)


@pytest.mark.parametrize("twins", [15], indirect=True)
def test_kills_of_any_process_lose_nothing(twins: tuple[Path, Path]) -> None:
    plan = [(Party, ["worker", "driver"]), (Party, ["driver"])]
    survive(twins[0], plan, random.Random(1))
    tables_are_the_same(*twins)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("twins", [32], indirect=True)
def test_twenty_kills_lose_nothing(twins: tuple[Path, Path], seed: int) -> None:
    chance = random.Random(seed)
    survive(twins[0], rounds(20, chance), chance)
    tables_are_the_same(*twins)
