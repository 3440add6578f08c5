"""Whoever is killed, and whenever: no finished run is lost, and the table is that of a study nobody disturbed."""

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
"""Runs of a tenth of a second. Up to forty land between two killings: two workers have chunks of a
second each under way, and another one before that is noticed."""


def kept(path: Path) -> dict[str, tuple[object, ...]]:
    """Every finished run of a study, without how long it took and who made it."""
    with contextlib.suppress(StudyError), Store(store_path(path)) as store:
        keys = [asked.key for asked in store.requests()]
        return {key: shown(outcome) for key, outcome in store.known(keys, traces=True).items()}
    return {}


def landed(path: Path) -> int:
    """A number that has grown when something was finished."""
    with contextlib.suppress(StudyError), Store(store_path(path)) as store:
        return store.landed()
    return 0


def shown(outcome: RunOutcome) -> tuple[object, ...]:
    return outcome.state, outcome.sentence, outcome.measures, outcome.trace


def wait_for(what: Callable[[], object]) -> None:
    until = time.monotonic() + LONG_S
    while not what():
        assert time.monotonic() < until
        time.sleep(0.05)


class Party:
    """Who takes part in running a study, and whom of them one can kill.

    Parameters
    ----------
    stack : ExitStack
        Ends what is left of them.
    path : Path
        The study's file.
    """

    ending: Sequence[str] = ("driver",)
    """Whose death is the others' end, too."""

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
        """What runs the study."""
        return [*own_program(), "study", "run", str(path), "--workers", "2"]

    def victims(self) -> dict[str, list[int]]:
        """Processes that are killed, by whose killing it is."""
        driver, *workers = descendants(self.main.pid)
        return {"driver": [driver], "worker": workers[:1], "all workers": workers}

    def replace(self, victim: str) -> None:
        """Have somebody compute in the place of who was killed."""


class WithWindow(Party):
    """Who watches the study is a process of its own, as the window is."""

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
    """Scheduler and workers were there before."""

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
        there = {"scheduler": [self._scheduler.pid], "driver": [self.main.pid]}
        return {**there, "worker": workers[:1], "all workers": workers}

    def replace(self, victim: str) -> None:
        for worker in self._workers[: 2 if victim == "all workers" else 1]:
            worker.wait()
            self._workers.remove(worker)
            self._workers.append(self._stack.enter_context(joined(*self._where)))


Round = tuple[type[Party], list[str]]
"""Who takes part, and who of them is killed, one after the other."""


def rounds(kills: int, chance: random.Random) -> list[Round]:
    """So many killings, at random; every kind of party has its turns."""
    found: list[Round] = []
    while kills:
        kind = (Party, WithWindow, OnCluster)[len(found) % 3]
        workers = [
            chance.choice(("worker", "all workers"))
            for _ in range(min(kills - 1, chance.randrange(3)))
        ]
        found.append((kind, [*workers, chance.choice(kind.ending)]))
        kills -= len(found[-1][1])
    return found


def survive(path: Path, plan: Sequence[Round], chance: random.Random) -> None:
    """Run a study while somebody is killed after every few runs, and then to its end."""
    known: dict[str, tuple[object, ...]] = {}
    before = 0

    def none_lost() -> dict[str, tuple[object, ...]]:
        now = kept(path)
        assert {key: now.get(key) for key in known} == known
        return now

    for kind, killed in plan:
        with contextlib.ExitStack() as stack:
            party = kind(stack, path)
            main = party.main
            for victim in killed:
                # Something has landed since the last kill: a run that three workers die of is
                # suspected, and rightly.
                more = before + chance.randrange(1, 6)
                wait_for(lambda n=more, main=main: landed(path) >= n or main.poll() is not None)  # type: ignore[misc]
                wait_for(lambda of=party, victim=victim: of.victims()[victim])  # type: ignore[misc]
                assert main.poll() is None, "the study ended before all were killed"
                before = landed(path)
                known = none_lost()
                everybody = descendants(main.pid)
                for pid in party.victims()[victim]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                if victim in party.ending:
                    wait_for(lambda pids=everybody: not any(map(alive, pids)))  # type: ignore[misc]
                    assert main.wait() != 0
                    said = main.stderr.read() if main.stderr is not None else ""
                    assert ("scheduler" in said) == (victim == "scheduler"), said
                else:
                    party.replace(victim)
        known = none_lost()
    with contextlib.ExitStack() as stack:
        last = Party(stack, path)
        said = last.main.communicate(timeout=LONG_S)[1]
        assert last.main.returncode == 0, said
    none_lost()


@pytest.fixture
def twins(study_file: Path, request: pytest.FixtureRequest) -> tuple[Path, Path]:
    """A study to be disturbed, and the same that is not."""
    scene = study_file.parent / "snake.toml"
    save_scene(with_values(load_scene(scene), {"run.duration_s": 1.0}), scene)
    alone = study_file.with_name("alone.study.toml")
    for path in (study_file, alone):
        path.write_text(STUDY.format(steps=request.param))
    return study_file, alone


def tables_are_the_same(disturbed: Path, alone: Path) -> None:
    run_study(alone, Workers(2))
    one = results_of(disturbed)
    other = results_of(alone)
    for name in set(one) - {"seconds"}:
        assert one[name].tolist() == other[name].tolist(), name
    assert kept(disturbed) == kept(alone)


@pytest.mark.parametrize("twins", [15], indirect=True)
def test_nothing_is_lost_whoever_is_killed(twins: tuple[Path, Path]) -> None:
    plan = [(Party, ["worker", "driver"]), (Party, ["driver"])]
    survive(twins[0], plan, random.Random(1))
    tables_are_the_same(*twins)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("twins", [32], indirect=True)
def test_nothing_is_lost_by_twenty_kills(twins: tuple[Path, Path], seed: int) -> None:
    chance = random.Random(seed)
    survive(twins[0], rounds(20, chance), chance)
    tables_are_the_same(*twins)
