"""Guards against plug-ins that write to standard output, fork or end the program, or fill its memory.

Each guard checks whether code of a plug-in is among the callers, so that other code is not
affected.
"""

from __future__ import annotations

import inspect
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from snakestudio.errors import PluginRuntimeError
from snakestudio.plugins.faults import log, moved_from, owner
from snakestudio.plugins.loaded import loaded

_FORKS = {"os.fork": "fork", "os.forkpty": "fork"}

_begun = False
_original_start = threading.Thread.start
_threads: set[str] = set()
_listeners: list[Callable[[str, str], None]] = []

LARGEST_GROWTH = 2_000_000_000
"""Largest growth of the program's memory during a run with plug-ins, bytes;
``SNAKESTUDIO_PLUGIN_MEMORY_MB`` overrides it."""


def begin() -> None:
    """Install the guards; called when a plug-in is loaded; further calls do nothing."""
    global _begun
    if not isinstance(sys.stdout, _Router) and sys.stdout is not None:
        sys.stdout = _Router(sys.stdout)
    if not _begun:
        _begun = True
        sys.addaudithook(_audit)
        threading.Thread.start = _start_thread  # type: ignore[method-assign,assignment]
        _hook_threads()
        os._exit = _refusing(os._exit, "end the program")
        os.abort = _refusing(os.abort, "end the program")


def _caller() -> FrameType | None:
    """Frame that called the calling function."""
    frame = inspect.currentframe()
    own = None if frame is None else frame.f_back
    return None if own is None else own.f_back


def listen(listener: Callable[[str, str], None]) -> Callable[[], None]:
    """Pass the output of plug-ins to a listener, with the name of the plug-in, in the thread that prints.

    Returns
    -------
    callable
        Function that removes the listener.
    """
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


def _refuse(name: str, what: str, remedy: str) -> NoReturn:
    raise PluginRuntimeError(
        name, f"The plug-in {name} tried to {what}, which a plug-in cannot. {remedy}"
    )


def _refusing(function: Callable[..., Any], what: str) -> Callable[..., Any]:
    def checked(*arguments: Any) -> Any:
        if name := owner(_caller()):
            _refuse(name, what, "Raise an exception instead.")
        return function(*arguments)

    return checked


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _FORKS and (name := owner(_caller())):
        _refuse(name, "fork the program", "Start another program with subprocess instead.")
    if event == "os.chdir" and owner(_caller()):  # `calling` restores it
        with suppress(OSError):
            moved_from.append(os.getcwd())


def _start_thread(thread: threading.Thread) -> None:
    """Start a thread; threads of plug-ins are daemons, so that they do not keep the program running."""
    if name := owner(_caller()):
        thread.daemon = True
        if name not in _threads:
            _threads.add(name)
            log.warning(
                "The plug-in %s started a thread. Errors in it are reported and do not pause the run.",
                name,
            )
    _original_start(thread)


class _Router:
    """Standard output that redirects lines of plug-ins to standard error, with the name of the plug-in."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._at_start: dict[str, bool] = {}

    def write(self, text: str) -> int:
        """Write text of the caller to the stream for it."""
        name = owner(_caller())
        if not name:
            return int(self._stream.write(text))
        for listener in tuple(_listeners):
            listener(name, text)
        for line in text.splitlines(keepends=True):
            if self._at_start.get(name, True):
                sys.stderr.write(f"{name}: ")
            sys.stderr.write(line)
            self._at_start[name] = line.endswith("\n")
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class MemoryWatch:
    """Growth of the program's memory while plug-ins run.

    Parameters
    ----------
    clock : callable
        Current time, s.
    resident : callable
        Memory of the program, bytes.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, resident: Callable[[], int] | None = None
    ) -> None:
        self._clock = clock
        self._resident = resident or _resident
        most = os.environ.get("SNAKESTUDIO_PLUGIN_MEMORY_MB", "")
        self._most = int(most) * 1_000_000 if most.isdigit() else LARGEST_GROWTH
        self._before, self._next = self._resident(), clock() + 1.0

    def check(self) -> None:
        """Check at most once a second whether the memory of the program has grown too much.

        Raises
        ------
        PluginRuntimeError
        """
        if self._clock() < self._next:
            return
        self._next = self._clock() + 1.0
        grown = self._resident() - self._before
        if grown > self._most:
            self._before += grown  # reported once
            names = ", ".join(plugin.name for plugin in loaded())
            raise PluginRuntimeError(
                names,
                f"The program grew by {grown / 1e9:.1f} GB while it ran with the plug-in {names}, "
                "which may not release what "
                "it no longer needs. Fix the plug-in, or allow more with SNAKESTUDIO_PLUGIN_MEMORY_MB.",
            )


def _resident() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _hook_threads() -> None:
    """Log exceptions in threads of plug-ins with the name of the plug-in."""
    before = threading.excepthook
    reported: set[str] = set()

    def report(arguments: Any) -> None:
        step = arguments.exc_traceback
        name = ""
        while step is not None and not name:
            name = owner(step.tb_frame)
            step = step.tb_next
        if name and name not in reported:
            reported.add(name)
            log.error(
                "A thread of the plug-in %s raised %s: %s",
                name,
                arguments.exc_type.__name__,
                arguments.exc_value,
            )
        elif not name:
            before(arguments)

    threading.excepthook = report
