"""Several runs at the same time, in threads, with one progress and one way to cancel them all."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

from snakestudio.plugins.surroundings import join

Result = TypeVar("Result")

Report = Callable[[float], bool]
"""Takes the finished fraction of one run; returns False if the run must stop."""


def run_side_by_side(
    works: Sequence[Callable[[Report], Result]],
    progress: Callable[[float], bool] | None = None,
    *,
    weights: Sequence[float] = (),
    gently: bool = False,
) -> tuple[Result, ...] | None:
    """Do several pieces of work in threads, as many at a time as there are processors.

    Parameters
    ----------
    works : sequence of callable
        Each takes a `Report` and returns its result.
    progress : callable, optional
        Takes the finished fraction of all, from several threads but never concurrently; everything
        is cancelled when it returns False.
    weights : sequence of float, optional
        How long each takes, relative to the others; the same if omitted.
    gently : bool
        Whether to run at a lower priority, so that a window stays responsive.

    Returns
    -------
    tuple or None
        The results in the order of `works`; None if it was cancelled.
    """
    tally = _Tally(progress, weights or [1.0] * len(works))
    futures: list[Future[Result]] = [Future() for _ in works]
    waiting = deque(range(len(works)))

    def work() -> None:
        if gently:
            _step_back()
        with contextlib.suppress(IndexError):
            while True:
                index = waiting.popleft()
                try:
                    futures[index].set_result(works[index](tally.of(index)))
                except BaseException as error:
                    futures[index].set_exception(error)

    # Threads of an executor are waited for when the program ends, also if a plug-in does not return.
    threads = [
        threading.Thread(target=work, name="snakestudio-compare", daemon=True)
        for _ in range(min(len(works), os.cpu_count() or 1))
    ]
    for thread in threads:
        thread.start()
    try:
        results = tuple(future.result() for future in futures)
    except BaseException:  # an interrupted wait must not wait for the runs
        waiting.clear()
        tally.cancelled.set()
        raise
    finally:
        for thread in threads:
            join(thread)
    return None if tally.cancelled.is_set() else results


def _step_back() -> None:
    """Let other threads run before this one, on systems with priorities per thread."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


class _Tally:
    """Adds up the progress of all works, and cancels all of them together."""

    def __init__(self, progress: Callable[[float], bool] | None, weights: Sequence[float]) -> None:
        self._progress = progress
        self._weights = [weight / sum(weights) for weight in weights]
        self._fractions = [0.0] * len(weights)
        self._lock = threading.Lock()
        self.cancelled = threading.Event()

    def of(self, index: int) -> Report:
        """Return the progress of one of the works."""

        def report(fraction: float) -> bool:
            with self._lock:
                self._fractions[index] = fraction
                done = sum(
                    weight * part
                    for weight, part in zip(self._weights, self._fractions, strict=True)
                )
                if (
                    self._progress is not None
                    and not self.cancelled.is_set()
                    and not self._progress(done)
                ):
                    self.cancelled.set()
            return not self.cancelled.is_set()

        return report
