"""Faults in code of plug-ins, detected from the frames of a traceback or of a thread.

The globals of the module of a plug-in name it (`MARK`); a package is recognised by the name of its
modules. So calls of plug-ins need no wrappers and have no overhead.
"""

from __future__ import annotations

import ctypes
import linecache
import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

from snakestudio.errors import PluginRuntimeError, SnakeStudioError
from snakestudio.plugins.loaded import loaded

log = logging.getLogger("snakestudio.plugins")

MARK = "__snakestudio_plugin__"
"""Name of the global of a plug-in's module that has the name of the plug-in."""


_MOST_FRAMES = 30


class PluginCancelled(BaseException):
    """Raised in a thread to end its plug-in; `except Exception` does not catch it."""


def plugin_of(frame: FrameType) -> str:
    """Name of the plug-in whose code a frame runs; "" if there is none."""
    name = frame.f_globals.get(MARK)
    if name is not None:
        return str(name)
    module = frame.f_globals.get("__name__", "")
    for plugin in loaded():
        if plugin.source.module and f"{module}.".startswith(
            f"{plugin.source.module.partition('.')[0]}."
        ):
            return plugin.name
    return ""


def owner(frame: FrameType | None) -> str:
    """Name of the plug-in that called, directly or indirectly, the code of a frame; "" if there is none."""
    while frame is not None:
        if name := plugin_of(frame):
            return name
        frame = frame.f_back
    return ""


def fault_of(error: BaseException) -> PluginRuntimeError | None:
    """Return the fault for an exception that code of a plug-in, or a function it called, raised; None otherwise."""
    if isinstance(error, PluginRuntimeError):
        return error
    step: TracebackType | None = error.__traceback__
    while step is not None and not plugin_of(step.tb_frame):
        step = step.tb_next
    if step is None:
        return None
    name = plugin_of(step.tb_frame)
    last = step
    while step is not None:
        if plugin_of(step.tb_frame):
            last = step
        step = step.tb_next
    return PluginRuntimeError(name, _sentence(name, error, last), _text(error))


def _sentence(name: str, error: BaseException, at: TracebackType) -> str:
    file = at.tb_frame.f_code.co_filename
    line = at.tb_lineno
    if isinstance(error, PluginCancelled):
        return f"The plug-in {name} was cancelled in line {line} of {file}."
    if isinstance(error, SystemExit):
        what = "asked the program to exit, which a plug-in cannot"
        remedy = "Raise an exception there instead."
    elif isinstance(error, MemoryError):
        what = "ran out of memory"
        remedy = "Release what it no longer needs."
    elif isinstance(error, RecursionError):
        what = "called itself too deeply"
        remedy = "End the recursion."
    else:
        text = str(error).strip().partition("\n")[0][:300]
        what = f"raised {type(error).__name__}" + (f": {text}" if text else "")
        remedy = "Fix the plug-in, and run the scene again."
    return f"The plug-in {name} {what} (line {line} of {file}). {remedy}"


def _text(error: BaseException) -> str:
    """Traceback with the frames of plug-ins only."""
    frames = [each for each in traceback.walk_tb(error.__traceback__) if plugin_of(each[0])]
    lines = traceback.StackSummary.extract(iter(frames), limit=-_MOST_FRAMES).format()
    return "".join(
        ["Traceback (frames of plug-ins only):\n", *lines, *traceback.format_exception_only(error)]
    )


@contextmanager
def calling() -> Iterator[None]:
    """Convert exceptions from code of plug-ins to `PluginRuntimeError`; other exceptions pass unchanged.

    Raises
    ------
    PluginRuntimeError
    """
    try:
        yield
    except (SnakeStudioError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        fault = fault_of(error)
        if fault is None:
            raise
        if fault.traceback:
            log.error("%s", fault.traceback.rstrip())
        raise fault from None


def running_in(thread: int) -> str:
    """Name of the plug-in that a thread (`threading.get_ident`) currently runs; "" if there is none."""
    return owner(sys._current_frames().get(thread))


def cancel(
    thread: int,
    timeout: float = 5.0,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> bool:
    """End the code of a plug-in in a thread by raising `PluginCancelled` in it.

    The code ends at its next line of Python; compiled code and blocking system calls cannot be
    ended.

    Parameters
    ----------
    thread : int
        Identifier of the thread, as from `threading.get_ident`.
    timeout : float
        Longest time to wait, s.

    Returns
    -------
    bool
        Whether the thread has left the plug-in.
    """
    deadline = clock() + timeout
    while running_in(thread):
        if clock() >= deadline:
            return False
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread), ctypes.py_object(PluginCancelled)
        )
        pause(0.02)
    # clears an exception that was not delivered, so that it hits no later code
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), None)
    _clear_undelivered()
    return True


class _FlushException(BaseException):
    """Exception that `_clear_undelivered` raises in its own thread."""


def _clear_undelivered() -> None:
    """Clear the interpreter's flag for pending exceptions of threads.

    The interpreter clears the flag only when an exception is delivered. If the flag stays set
    after an
    exception was withdrawn, Python 3.11 loops forever in the first function that is called under a
    profiler, which counts the work of formulas.
    """
    own = ctypes.c_ulong(threading.get_ident())
    try:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(own, ctypes.py_object(_FlushException))
        for _ in range(1_000_000):
            pass
    except _FlushException:
        return


def cache_source(path: str, text: str) -> None:
    """Make tracebacks show the lines that run, even if the file has changed."""
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)


def in_main_thread() -> bool:
    """Whether this is the main thread, which signals interrupt."""
    return threading.current_thread() is threading.main_thread()
