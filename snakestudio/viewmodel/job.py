"""Long work in a thread of its own, which the window watches and can stop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from snakestudio.errors import SnakeStudioError
from snakestudio.viewmodel.robot.window_priority import step_back

__all__ = ["GivenUp", "Job", "Progress"]

log = logging.getLogger(__name__)

Result = TypeVar("Result")

Progress = Callable[[float], bool]
"""Is told the finished fraction; False where the work shall stop."""


class Job(Generic[Result]):
    """Some work under way.

    Parameters
    ----------
    name : str
        What it is called where it fails ("The export failed").
    work : callable
        Gets a `Progress`; returns its result, or None when it was stopped.
    """

    def __init__(self, name: str, work: Callable[[Progress], Result | None]) -> None:
        self._name, self._work = name, work
        self._cancelled = threading.Event()
        self.fraction = 0.0
        self.result: Result | None = None
        self.error = ""
        self._thread = threading.Thread(target=self._run, name=f"snakestudio-{name}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        step_back()
        try:
            self.result = self._work(self._tell)
        except SnakeStudioError as error:
            self.error = str(error)
        except Exception as error:
            log.exception("the %s failed", self._name)
            self.error = f"The {self._name} failed: {error!r}."

    def _tell(self, fraction: float) -> bool:
        self.fraction = fraction
        return not self._cancelled.is_set()

    @property
    def running(self) -> bool:
        """Whether it still goes on."""
        return self._thread.is_alive()

    @property
    def cancelled(self) -> bool:
        """Whether it was asked to stop."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Ask it to stop."""
        self._cancelled.set()

    def wait(self) -> None:
        """Return when it has ended."""
        self._thread.join()


class GivenUp:
    """Jobs whose result nobody wants any more: each ends at its next step of progress, and the window does not wait."""

    def __init__(self) -> None:
        self._jobs: list[Job[Any]] = []

    def take(self, job: Job[Any]) -> None:
        """Cancel a job."""
        job.cancel()
        self._jobs = [each for each in (*self._jobs, job) if each.running]

    def wait(self) -> None:
        """Return when all of them have ended; call before the program quits."""
        for job in self._jobs:
            job.wait()
        self._jobs = []
