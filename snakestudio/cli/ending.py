"""Early end of commands: after Ctrl+C, SIGTERM or a closed terminal the results so far remain.

By convention the exit code names the signal: 130 for Ctrl+C, 143 for SIGTERM, 129 for a closed
terminal.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from snakestudio.plugins.faults import PluginCancelled, owner

_SIGNALS = [signal.SIGINT, signal.SIGTERM] + ([signal.SIGHUP] if sys.platform != "win32" else [])


class EndRequest(KeyboardInterrupt):
    """Raised when a signal requests the end of the program."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.code = 128 + number


class Ending:
    """Whether a signal requested the end: `number` is 0 until then."""

    def __init__(self) -> None:
        self.number = 0

    @property
    def code(self) -> int:
        """Exit code."""
        return 128 + self.number

    @property
    def by(self) -> str:
        """Name of the signal for people."""
        return "Ctrl+C" if self.number == signal.SIGINT else signal.Signals(self.number).name

    @contextlib.contextmanager
    def deferring_signals(self) -> Iterator[None]:
        """Record the first signal inside the context, so that the caller can end in order; a second one raises."""
        with _handled(self._note):
            yield

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.number:
            raise EndRequest(number)
        self.number = number
        if owner(frame):  # the plug-in would not return
            raise PluginCancelled

    def cancellable(self, report: Callable[[float], bool]) -> Callable[[float], bool]:
        """Wrap a progress report, so that it cancels the operation after a signal."""
        return lambda fraction: report(fraction) and not self.number


def _raise(number: int, frame: FrameType | None) -> None:
    raise EndRequest(number)


@contextlib.contextmanager
def cleaning_up() -> Iterator[None]:
    """Raise `EndRequest` on a signal inside the context, so that files are removed and partial work is undone."""
    with _handled(_raise):
        yield


@contextlib.contextmanager
def _handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Install a handler for the signals, except ignored ones: the parent process chose to ignore them."""
    before = {}
    if threading.current_thread() is not threading.main_thread():
        yield  # signals can be handled in the main thread only
        return
    for number in _SIGNALS:
        if signal.getsignal(number) not in (signal.SIG_IGN, None):
            before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def silence_stdout() -> None:
    """Redirect an unwritable standard output to the null device: Python flushes it again at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
