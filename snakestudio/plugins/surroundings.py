"""Calls of plug-ins in progress, and the standard streams and the working folder around them.

Streams and folder belong to the whole process, so they are touched only while a call runs: standard
output then passes text that code of a plug-in writes to the log, and all other text, such as that
of other threads, unchanged to the stream below. After the call, the streams and the working folder
are those from before.
"""

from __future__ import annotations

import inspect
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from snakestudio.plugins.faults import owner

PATIENCE_S = 2.0
"""Time after which a call is reported as not responding, and is not waited for, s."""

_listeners: list[Callable[[str, str], None]] = []


def listen(listener: Callable[[str, str], None]) -> Callable[[], None]:
    """Pass the output of plug-ins to a listener, with the name of the plug-in, in the thread that prints.

    Returns
    -------
    callable
        Function that removes the listener.
    """
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


class _Thread(threading.local):
    depth = 0
    """Number of nested calls of plug-ins in a thread."""


_lock = threading.Lock()
_thread = _Thread()
_began: dict[int, float] = {}
"""Threads that are in calls of plug-ins, with the time at which the outermost call began, s."""

_streams: tuple[Any, Any, Any] = (None, None, None)
_router: Any = None
_folder = ""


def enter() -> None:
    """Begin a call of a plug-in in this thread; calls can be nested."""
    global _streams, _router, _folder
    _thread.depth += 1
    if _thread.depth > 1:
        return
    with _lock:
        if not _began:
            _streams = sys.stdin, sys.stdout, sys.stderr
            _router = sys.stdout if isinstance(sys.stdout, _Router) else _Router(sys.stdout)
            _folder = _working_folder()
            sys.stdout = _router
        _began[threading.get_ident()] = time.monotonic()


def leave() -> None:
    """End a call of a plug-in, and undo what it replaced."""
    _thread.depth -= 1
    if _thread.depth:
        return
    with _lock:
        del _began[threading.get_ident()]
        stdin, stdout, stderr = _streams
        sys.stdin, sys.stdout, sys.stderr = stdin, stdout, stderr
        if _began:
            sys.stdout = _router
        if _folder and _working_folder() != _folder:
            with suppress(OSError):  # the folder was removed
                os.chdir(_folder)


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""


def _running_in(thread: int) -> str:
    """Return the name of the plug-in whose code a thread (its identifier) currently runs; "" if there is none."""
    return owner(sys._current_frames().get(thread))


def not_returning(patience: float = PATIENCE_S) -> str:
    """Return the name of a plug-in that has not returned for `patience` (s), in any thread; "" if there is none."""
    return next(filter(None, map(_running_in, _late(patience))), "")


def _late(patience: float) -> list[int]:
    """Return the threads whose call of a plug-in has lasted for at least `patience` (s)."""
    latest = time.monotonic() - patience
    return [thread for thread, began in tuple(_began.items()) if began <= latest]


def join(thread: threading.Thread, patience: float = PATIENCE_S) -> bool:
    """Return the wait for the end of a daemon thread, unless a plug-in in it does not return for `patience` (s).

    Python cannot end a thread; if the plug-in never returns, its thread ends with the program.

    Returns
    -------
    bool
        Whether the thread has ended.
    """
    while thread.is_alive():
        thread.join(patience)
        if thread.is_alive() and thread.ident in _late(patience):
            return False
    return True


_at_line_start: dict[str, bool] = {}


class _Router:
    """Standard output that passes lines of plug-ins to standard error, with the name of the plug-in."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write text to the stream for its author, who is found among the callers."""
        # Not in a variable: a frame that holds itself keeps the values of all callers until a garbage collection.
        name = owner(inspect.currentframe())
        if not name:
            return len(text) if self._stream is None else int(self._stream.write(text))
        for listener in tuple(_listeners):
            listener(name, text)
        for line in text.splitlines(keepends=True):
            prefix = f"{name}: " if _at_line_start.get(name, True) else ""
            _at_line_start[name] = line.endswith("\n")
            if _streams[2] is not None:
                _streams[2].write(prefix + line)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
