"""A single-shot timer with its action, for work after a pause, or once for many requests."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


class Delay(QTimer):
    """Calls `action` once, `interval_ms` after the last `start`, for example after a pause in typing.

    `request` instead of `start` calls it once for all requests within that time. Unlike `Throttle`, the
    first request is delayed, too.

    Parameters
    ----------
    parent : QObject
        Owner of the timer.
    """

    def __init__(self, interval_ms: int, action: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self.setSingleShot(True)
        self.setInterval(interval_ms)
        self.timeout.connect(action)

    def request(self) -> None:
        """Start unless the action is due already."""
        if not self.isActive():
            self.start()
