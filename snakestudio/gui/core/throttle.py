"""Rate limit for actions that need not follow every frame."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, QTimer


class Throttle(QObject):
    """Calls `action` on request, but at most once per `interval_ms`; the last request is never lost.

    Parameters
    ----------
    parent : QObject
        Owner of the timer.
    """

    def __init__(self, interval_ms: int, action: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._interval = interval_ms
        self._action = action
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._act)

    def request(self) -> None:
        """Request a call of `action`."""
        if self._timer.isActive():
            return
        passed = self._since.elapsed() if self._since.isValid() else self._interval
        if passed >= self._interval:
            self._act()
        else:
            self._timer.start(int(self._interval - passed))

    def cancel(self) -> None:
        """Discard a pending request."""
        self._timer.stop()

    def _act(self) -> None:
        self._since.restart()
        self._action()
