"""Simulations in processes of their own, which are gone at once when they are no longer wanted."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Protocol

from snakestudio.analysis.fitting.objective import Objective, Outcome, Task
from snakestudio.analysis.fitting.tracks import Trial
from snakestudio.errors import SnakeStudioError
from snakestudio.paths import own_program

__all__ = ["Evaluator", "Here", "Pool", "StoppedError", "default_workers"]

_LOOK_S = 0.05
"""How often it is asked whether to go on."""


class StoppedError(Exception):
    """The work was stopped from outside."""


class Evaluator(Protocol):
    """Something that evaluates tasks."""

    @property
    def workers(self) -> int:
        """How many at once."""
        ...

    def map(self, tasks: Sequence[Task], go_on: Callable[[], bool]) -> list[Outcome]:
        """The outcomes of `tasks`, in their order.

        Raises
        ------
        StoppedError
            When `go_on`, which is asked often, says False.
        """
        ...


def default_workers() -> int:
    """All processors but one, which is left to the window."""
    return max(1, (os.cpu_count() or 2) - 1)


class Here:
    """Evaluates in this thread, one task after the other.

    Parameters
    ----------
    objective : Objective
    """

    workers = 1

    def __init__(self, objective: Objective) -> None:
        self._objective = objective

    def map(self, tasks: Sequence[Task], go_on: Callable[[], bool]) -> list[Outcome]:
        """See `Evaluator`."""
        outcomes = []
        for task in tasks:
            if not go_on():
                raise StoppedError
            outcomes.append(self._objective.evaluate(task))
        return outcomes


class Pool:
    """Evaluates in worker processes; use it as a context, at whose end they are gone.

    They are started as the program itself, not forked from it: a fork of a process with threads and a window may hang,
    and `multiprocessing` would run a user's script again in every one of them.

    Parameters
    ----------
    trials : sequence of Trial
    workers : int
    """

    def __init__(self, trials: Sequence[Trial], workers: int) -> None:
        self.workers = workers
        self._processes: list[subprocess.Popen[bytes]] = []
        self._idle: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
        self._threads = ThreadPoolExecutor(workers, "snakestudio-fit")
        self._trials = pickle.dumps(tuple(trials))
        for _ in range(workers):
            process = subprocess.Popen(
                [*own_program(), "fit-worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            self._processes.append(process)
            self._threads.submit(self._begin, process)

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the workers, busy or not."""
        for process in self._processes:
            process.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)  # what waits for an answer sees its worker's end
        for process in self._processes:
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()

    def _begin(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.write(self._trials)
            process.stdin.flush()
        self._idle.put(process)

    def _evaluate(self, task: Task) -> Outcome:
        process = self._idle.get()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            pickle.dump(task, process.stdin)
            process.stdin.flush()
            outcome = pickle.load(process.stdout)
            assert isinstance(outcome, Outcome)
            return outcome
        except (OSError, EOFError, pickle.UnpicklingError):
            raise SnakeStudioError(
                "A process that simulates ended unexpectedly; free some memory, or fit with fewer workers."
            ) from None
        finally:
            self._idle.put(process)

    def map(self, tasks: Sequence[Task], go_on: Callable[[], bool]) -> list[Outcome]:
        """See `Evaluator`."""
        futures = [self._threads.submit(self._evaluate, task) for task in tasks]
        waiting: set[Future[Outcome]] = set(futures)
        try:
            while waiting:
                if not go_on():
                    raise StoppedError
                waiting = wait(waiting, _LOOK_S, FIRST_COMPLETED).not_done
            return [future.result() for future in futures]
        except BaseException:
            for future in waiting:
                future.cancel()
            raise
