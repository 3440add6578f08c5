"""Storage of the window's layout soon after every change, so that nothing is lost if the program is killed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 1000


class WindowAutosave(QObject):
    """Compares the layout of the window with the stored one, and stores it once it has stopped changing.

    Qt has no signal for most of it (the sizes of docks, the order of tabs), so it is polled once a
    second.

    Parameters
    ----------
    snapshot : callable
        Returns the layout as a value that can be compared.
    store : callable
        Writes the layout to the settings, atomically.
    """

    def __init__(
        self,
        snapshot: Callable[[], object],
        store: Callable[[], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._snapshot = snapshot
        self._store = store
        self._stored: object = None
        self._last: object = None
        self._timer = QTimer(self)
        self._timer.setObjectName("poll_timer")
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self._poll)

    def start(self) -> None:
        """Start polling."""
        self._timer.start()

    def stop(self) -> None:
        """Stop polling, because the window closes and stores its whole state."""
        self._timer.stop()

    def _poll(self) -> None:
        present = self._snapshot()
        if present not in (self._stored, self._last):  # the layout may still be changing
            self._last = present
        elif present != self._stored:
            self._store()
            self._stored = self._last = present
