"""How commands end before their time: Ctrl+C, SIGTERM and a closed terminal leave what was done so far.

By convention the exit code says which signal it was: 130 for Ctrl+C, 143 for SIGTERM, 129 for a
terminal that is gone.
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


class Ended(KeyboardInterrupt):
    """A signal asked the program to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.code = 128 + number


class Ending:
    """Whether a signal has asked for the end: `number` is 0 until then."""

    def __init__(self) -> None:
        self.number = 0

    @property
    def code(self) -> int:
        """Exit code."""
        return 128 + self.number

    @property
    def by(self) -> str:
        """What asked, in words."""
        return "Ctrl+C" if self.number == signal.SIGINT else signal.Signals(self.number).name

    @contextlib.contextmanager
    def awaited(self) -> Iterator[None]:
        """While this lasts, the first signal is only noted, for what goes on to end by itself; a second one acts."""
        with _handled(self._note):
            yield

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.number:
            raise Ended(number)
        self.number = number
        if owner(frame):  # it would not come to its end
            raise PluginCancelled

    def heeded(self, report: Callable[[float], bool]) -> Callable[[float], bool]:
        """A report of progress that ends what it reports of when a signal has come."""
        return lambda fraction: report(fraction) and not self.number


def _raise(number: int, frame: FrameType | None) -> None:
    raise Ended(number)


@contextlib.contextmanager
def cleaning_up() -> Iterator[None]:
    """While this lasts, a signal to end is an exception: temporary files go, and what was begun is taken back."""
    with _handled(_raise):
        yield


@contextlib.contextmanager
def _handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Give the signals a handler, but those that are ignored: whoever started the program wanted it so."""
    before = {}
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are no business of other threads
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
    """Have nothing more written to a standard output that takes nothing: Python tries once more when it ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
