"""Watchdog that stops plug-in code blocking the window's thread."""

from __future__ import annotations

import threading
import time

from snakestudio.plugins.faults import cancel, running_in

_LOOK_S = 0.1


class Watchdog:
    """Watchdog of the thread that creates it.

    Parameters
    ----------
    patience : float
        Time that plug-in code may block the thread, s.
    """

    def __init__(self, patience: float = 2.0) -> None:
        self._watched = threading.get_ident()
        self._patience = patience
        self._beats = 0
        self._end = threading.Event()
        self._thread = threading.Thread(
            target=self._watch, name="snakestudio-plugin-watchdog", daemon=True
        )
        self._thread.start()

    def beat(self) -> None:
        """Report that the watched thread responds."""
        self._beats += 1

    def close(self) -> None:
        """Stop watching."""
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        beats = self._beats
        since = time.monotonic()
        while not self._end.wait(_LOOK_S):
            if self._beats != beats or not running_in(self._watched):
                beats = self._beats
                since = time.monotonic()
            elif time.monotonic() - since > self._patience:
                cancel(self._watched)
                since = time.monotonic()
