"""Evaluations of a fit on the workers of studies; a fit survives the death of workers."""

from __future__ import annotations

import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from snakestudio.analysis.fitting.evaluator import StoppedError
from snakestudio.analysis.fitting.objective import Objective, Outcome, Task
from snakestudio.analysis.fitting.tracks import Trial
from snakestudio.errors import StudyError
from snakestudio.plugins.packing import packed, use_packed
from snakestudio.study.cluster import Answer
from snakestudio.study.crew import DIED, Crew
from snakestudio.study.evaluate import files_of, is_active, stop, unpacked
from snakestudio.study.run_key import code_hash
from snakestudio.study.running import Workers

_WAIT_S = 0.05
"""Interval of checks for cancellation, s."""


@dataclass(frozen=True, slots=True)
class _WorkerResult:
    """Result of a worker; empty if the fit was stopped or the code differs."""

    outcome: Outcome | None
    address: str
    foreign: bool = False


def evaluate(fit: str, code: str, trials: bytes, task: Task) -> _WorkerResult:
    """Evaluate a task of a fit; called by dask, in a worker."""
    from distributed import get_worker

    address = str(get_worker().address)
    if code_hash() != code:
        return _WorkerResult(None, address, True)
    return _WorkerResult(objective_of(trials).evaluate(task, lambda: is_active(fit)), address)


@lru_cache(maxsize=2)
def objective_of(trials: bytes) -> Objective:
    """Return the objective of trials packed by `pack_trials`."""
    plugins, data = pickle.loads(trials)
    use_packed(plugins)  # before scenes with their kinds are read
    return Objective(
        [replace(trial, base_dir=unpacked(files)) for trial, files in pickle.loads(data)]
    )


def pack_trials(trials: Iterable[Trial]) -> bytes:
    """Pack trials with the files of their scenes and the plug-ins, for workers on other computers."""
    trials_with_files = []
    for trial in trials:
        scene, files = files_of(trial.scene, trial.base_dir)
        trials_with_files.append((replace(trial, scene=scene, base_dir=None), files))
    return pickle.dumps((packed(), pickle.dumps(trials_with_files)))


class FitPool:
    """Evaluator of fit tasks on workers, as a context manager that ends or releases them at exit.

    Workers start in the background. Until the first has joined, tasks run in the thread of the
    caller, so that a small fit does not wait.

    Raises `SceneError` if a file that a scene refers to cannot be read.

    Parameters
    ----------
    workers : Workers, optional
        Workers; one process per processor of this computer if omitted.

    Attributes
    ----------
    crew : Crew or None
        Usable workers; None until the first has joined.
    """

    def __init__(self, objective: Objective, workers: Workers | None = None) -> None:
        self._objective = objective
        self._trials = pack_trials(objective.trials)
        self._name = f"fit-{time.time_ns()}"
        self._workers = workers or Workers()
        self.crew: Crew | None = None
        self._shared: Any = None
        self._trouble: BaseException | None = None
        self._closed = False
        self._changing = threading.Lock()
        # A scheduler that does not respond must not prevent the program from ending.
        self._starting = threading.Thread(
            target=self._start, name="snakestudio-fit-pool", daemon=True
        )

    def __enter__(self) -> FitPool:
        self._starting.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop running tasks."""
        with self._changing:
            self._closed = True
            crew = self.crew
        if crew is not None:
            if not crew.cluster.local:
                crew.cluster.stop(stop, self._name)
            crew.cluster.close()

    def _start(self) -> None:
        try:
            cluster = self._workers.cluster()
            crew = Crew(cluster, "Restart it, and repeat the fit.")
            self._shared = cluster.share(self._trials)
        except BaseException as error:
            self._trouble = error
            return
        with self._changing:
            if not self._closed:
                self.crew = crew
                return
        cluster.close()

    @property
    def notes(self) -> tuple[str, ...]:
        """Messages about the workers."""
        return () if self.crew is None else self.crew.notes

    def map(self, tasks: Sequence[Task], proceed: Callable[[], bool]) -> list[Outcome]:
        """See `analysis.fitting.evaluator.Evaluator`.

        Raises
        ------
        StoppedError
        StudyError
            If there are no workers.
        """
        outcomes = self._meanwhile(tasks, proceed)
        if len(outcomes) == len(tasks):
            return outcomes
        crew = self.crew
        assert crew is not None, "otherwise there was no worker"
        done = dict(enumerate(outcomes))
        waiting = deque(range(len(outcomes), len(tasks)))
        doubtful = deque[int]()
        under_way: dict[int, int] = {}  # task numbers by ticket
        alone = False
        while len(done) < len(tasks):
            if not proceed():
                raise StoppedError
            if crew.update():
                waiting.extend(under_way.pop(ticket) for ticket in crew.stranded())
            if not waiting and not under_way and doubtful:
                # A death counts for all tasks of a worker: submit each alone, to identify the
                # cause.
                alone = True
                waiting.append(doubtful.popleft())
            while waiting and (crew.fit or crew.cluster.local):
                number = waiting.popleft()
                ticket = crew.submit(evaluate, self._name, code_hash(), self._shared, tasks[number])
                under_way[ticket] = number
            for answer in crew.answers(_WAIT_S):
                task = under_way.pop(answer.ticket, None)
                if task is None:
                    continue
                if answer.killed and not alone:
                    doubtful.append(task)
                elif (outcome := self._taken(answer, crew)) is None:
                    waiting.append(task)
                else:
                    done[task] = outcome
        return [done[number] for number in range(len(tasks))]

    def manned(self) -> bool:
        """Return whether a worker is usable.

        Raises `StudyError` if none can become usable.
        """
        if self._trouble is not None:
            raise self._trouble
        if self.crew is None:
            return False
        self.crew.update()
        return bool(self.crew.fit)

    def _meanwhile(self, tasks: Sequence[Task], proceed: Callable[[], bool]) -> list[Outcome]:
        """Return the outcomes of the first tasks, evaluated in this thread until a worker joins."""
        outcomes: list[Outcome] = []
        while len(outcomes) < len(tasks) and not self.manned():
            outcome = self._objective.evaluate(
                tasks[len(outcomes)], lambda: proceed() and not self.manned()
            )
            if outcome is not None:
                outcomes.append(outcome)
            elif not self.manned():
                raise StoppedError
        return outcomes

    def _taken(self, answer: Answer, crew: Crew) -> Outcome | None:
        """Return the outcome in an answer; None if the task must be submitted again."""
        if answer.killed:
            return Outcome(None, DIED)
        if isinstance(answer.value, _WorkerResult):
            if answer.value.foreign:
                crew.turn_away(answer.value.address)
            return answer.value.outcome
        raise StudyError(
            f"A worker could not compute ({type(answer.error).__name__}: {answer.error}). Repeat the fit."
        ) from answer.error
