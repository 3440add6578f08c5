"""What went wrong in code of plug-ins: found in the frames of a traceback or of a thread, not by wrapping every call.

The globals of a plug-in's module name it (`MARK`); a package is known by the name of its modules.
So a call of a plug-in costs nothing more than any other, however it came about.
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
"""Global of a plug-in's module that holds its name."""


_MOST_FRAMES = 30


class PluginCancelled(BaseException):
    """Raised in a thread whose plug-in is to end; `except Exception` does not catch it."""


def plugin_of(frame: FrameType) -> str:
    """Name of the plug-in whose code a frame runs; "" if it is none."""
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
    """Name of the plug-in whose code called, directly or through others, what a frame runs; "" if none did."""
    while frame is not None:
        if name := plugin_of(frame):
            return name
        frame = frame.f_back
    return ""


def fault_of(error: BaseException) -> PluginRuntimeError | None:
    """The fault that an exception means, if code of a plug-in raised it or called what did; None otherwise."""
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
    """The traceback, of which only frames of plug-ins are shown."""
    frames = [each for each in traceback.walk_tb(error.__traceback__) if plugin_of(each[0])]
    lines = traceback.StackSummary.extract(iter(frames), limit=-_MOST_FRAMES).format()
    return "".join(
        ["Traceback (frames of plug-ins only):\n", *lines, *traceback.format_exception_only(error)]
    )


@contextmanager
def calling() -> Iterator[None]:
    """While this lasts, what code of a plug-in raises becomes a `PluginRuntimeError`; everything else passes as it is.

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
    """Name of the plug-in that a thread (`threading.get_ident`) runs now; "" if it runs none."""
    return owner(sys._current_frames().get(thread))


def cancel(
    thread: int,
    timeout: float = 5.0,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> bool:
    """Have the code of a plug-in that a thread runs end with `PluginCancelled`.

    It ends at its next line of Python; compiled code, and calls that wait in the system, are not
    ended.

    Parameters
    ----------
    thread : int
        As `threading.get_ident`.
    timeout : float
        How long it is tried, s.

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
    # one too many hits nobody else
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), None)
    _forget_undelivered()
    return True


class _Delivered(BaseException):
    """What `_forget_undelivered` raises in its own thread."""


def _forget_undelivered() -> None:
    """Have the interpreter notice that no exception waits for a thread any more.

    It clears its flag only where one is delivered. Left set by one that was taken back, the flag
    makes Python 3.11 loop for ever in the first function that is called under a profiler, which
    counts the work of formulas.
    """
    own = ctypes.c_ulong(threading.get_ident())
    try:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(own, ctypes.py_object(_Delivered))
        for _ in range(1_000_000):
            pass
    except _Delivered:
        return


def keep_lines(path: str, text: str) -> None:
    """Have tracebacks show the lines that run, whatever is in the file by then."""
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)


def in_main_thread() -> bool:
    """Whether this is the thread that signals interrupt."""
    return threading.current_thread() is threading.main_thread()
