"""What happened, in words, handed on: one place that keeps a complaint about every frame from flooding the log."""

from __future__ import annotations

from collections.abc import Callable

from snakestudio.link.messages import LinkEvent, Severity

_AGAIN_S = 5.0


class Journal:
    """Makes events.

    Parameters
    ----------
    tell : callable
        Takes them.
    """

    def __init__(self, tell: Callable[[LinkEvent], None]) -> None:
        self._tell = tell
        self._said: dict[str, tuple[float, int]] = {}

    def say(self, now: float, severity: Severity, text: str, kind: str) -> None:
        """Hand an event on (s)."""
        self._tell(LinkEvent(now, severity, text, kind))

    def say_once(self, now: float, severity: Severity, text: str, kind: str) -> None:
        """The same, but of one kind only once in 5 s; the next one says how many were left out."""
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
