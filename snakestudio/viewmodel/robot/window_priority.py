"""Priority for the window's own thread while a robot is connected: neither Stop nor heartbeat shall wait in a queue."""

from __future__ import annotations

import contextlib
import os
import sys
import threading

_NICE = (-10, -5)
"""What is asked for, the best first: below the link (-15), above all that computes."""

_SWITCH_S = 0.0005
"""How long another thread may keep the interpreter from the window's: beside a simulation at full
speed, pauses of 0.3 s were seen with Python's own 5 ms, for there are many such waits in a frame,
and of 0.05 s with this."""


class WindowPriority:
    """Asks the operating system for it, and gives it back. Of the thread that calls, and on Linux only.

    Other systems put the window that is in front before others by themselves. Of the interpreter it
    is taken everywhere.
    """

    def __init__(self) -> None:
        self._before: int | None = None
        self._interval: float | None = None
        self.granted = ""
        """What was granted, for people; empty if nothing was."""

    def ask(self) -> None:
        """Ask for it; a refusal is no error."""
        if self._interval is None:
            self._interval = sys.getswitchinterval()
            sys.setswitchinterval(_SWITCH_S)
        if sys.platform != "linux" or self._before is not None:
            return
        thread = threading.get_native_id()
        before = os.getpriority(os.PRIO_PROCESS, thread)
        for niceness in _NICE:
            if niceness >= before:
                break
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, thread, niceness)
                self._before = before
                self.granted = f"nice {niceness}"
                return

    def give_back(self) -> None:
        """Be as others are again."""
        if self._interval is not None:
            sys.setswitchinterval(self._interval)
            self._interval = None
        before = self._before
        self._before = None
        self.granted = ""
        if before is not None:
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), before)
