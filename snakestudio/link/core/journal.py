"""Journal of events, which prevents repeated messages from flooding the log."""

from __future__ import annotations

from collections.abc import Callable

from snakestudio.link.messages import LinkEvent, Severity

_AGAIN_S = 5.0


class Journal:
    """Creates events and passes them to `tell`."""

    def __init__(self, tell: Callable[[LinkEvent], None]) -> None:
        self._tell = tell
        self._said: dict[str, tuple[float, int]] = {}

    def say(self, now: float, severity: Severity, text: str, kind: str) -> None:
        """Publish an event at `now` (s)."""
        self._tell(LinkEvent(now, severity, text, kind))

    def say_once(self, now: float, severity: Severity, text: str, kind: str) -> None:
        """Publish an event at most once in 5 s per kind; the next one reports how many were omitted."""
        since, left_out = self._said.get(kind, (-_AGAIN_S, 0))
        if now - since < _AGAIN_S:
            self._said[kind] = since, left_out + 1
            return
        self._said[kind] = now, 0
        self.say(
            now,
            severity,
            f"{text} ({left_out} more of that kind before.)" if left_out else text,
            kind,
        )
