"""Work in threads: where it runs, how it reports its progress, and what is shown of its exceptions."""

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
"""Takes the finished fraction; returns False once the work must stop."""

Submit = Callable[[str, Callable[[], Any]], Future[Any]]
"""Starts work under a name; the future holds its result or its exception."""


def in_thread(name: str, work: Callable[[], Result]) -> Future[Result]:
    """Start work in a daemon thread of its own, at normal priority."""
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
    """What is shown of an exception that ended the work called `name`."""
    if isinstance(error, SnakeStudioError):
        return Problem("error", "", str(error).removesuffix("."), "")
    return Problem("error", "", f"The {name} failed: {error!r}", "")


def _drop_raised_priority() -> None:
    # On Linux, a thread inherits the priority of the thread that starts it, and that may be raised.
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            thread = threading.get_native_id()
            niceness = os.getpriority(os.PRIO_PROCESS, thread)
            os.setpriority(os.PRIO_PROCESS, thread, max(0, niceness))
