"""Ends code of a plug-in that keeps the window's own thread, so that the window answers again."""

from __future__ import annotations

import threading
import time

from snakestudio.plugins.faults import cancel, running_in

_LOOK_S = 0.1


class Watchdog:
    """Watches the thread in which it is made.

    Parameters
    ----------
    patience : float
        How long code of a plug-in may keep that thread, s.
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
        """The watched thread answers."""
        self._beats += 1

    def close(self) -> None:
        """Watch no more."""
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
