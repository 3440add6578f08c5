"""Priority of the window's thread while a robot is connected, so that Stop and heartbeat are not delayed."""

from __future__ import annotations

import contextlib
import os
import sys
import threading

_NICE = (-10, -5)
"""Nice values to request, the best first: below the link (-15), above all computations."""

_SWITCH_S = 0.0005
"""Longest time for which another thread can block the interpreter, s. A simulation at full speed
caused pauses of 0.3 s with the default of 5 ms, because a frame has many such waits, and of 0.05 s
with this value."""


class WindowPriority:
    """Raises and restores the priority of the calling thread, on Linux only.

    Other systems prioritise the foreground window automatically. The switch interval of the
    interpreter is set on all systems.
    """

    def __init__(self) -> None:
        self._before: int | None = None
        self._interval: float | None = None
        self.granted = ""
        """Granted priority as text; empty if none was granted."""

    def raise_(self) -> None:
        """Request a higher priority; a refusal is not an error."""
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

    def restore(self) -> None:
        """Restore the normal priority."""
        if self._interval is not None:
            sys.setswitchinterval(self._interval)
            self._interval = None
        before = self._before
        self._before = None
        self.granted = ""
        if before is not None:
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), before)
