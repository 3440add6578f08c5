"""Work in threads: execution, progress, and problems of exceptions."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from snakestudio.errors import Problem, SnakeStudioError

Result = TypeVar("Result")

Progress = Callable[[float], bool]
"""Callback that receives the finished fraction and returns False to cancel the work."""

Submit = Callable[[str, Callable[[], Any]], Future[Any]]
"""Function that starts named work; the future has its result or exception."""


def in_thread(name: str, work: Callable[[], Result]) -> Future[Result]:
    """Start work in a new daemon thread at normal priority."""
    future: Future[Result] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        _drop_raised_priority()
        try:
            result = work()
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    threading.Thread(target=run, name=f"snakestudio-{name}", daemon=True).start()
    return future


def problem_of(name: str, error: BaseException) -> Problem:
    """Return the problem to show for an exception in the work `name`."""
    if isinstance(error, SnakeStudioError):
        return Problem("error", "", str(error).removesuffix("."), "")
    return Problem("error", "", f"The {name} failed: {error!r}", "")


def _drop_raised_priority() -> None:
    # On Linux, a thread inherits the priority of its parent thread, which may be raised.
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            thread = threading.get_native_id()
            niceness = os.getpriority(os.PRIO_PROCESS, thread)
            os.setpriority(os.PRIO_PROCESS, thread, max(0, niceness))
