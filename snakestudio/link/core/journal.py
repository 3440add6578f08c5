"""Journal of events, which prevents repeated messages from flooding the log."""

from __future__ import annotations

from collections.abc import Callable

from snakestudio.link.messages import LinkEvent, Severity

_AGAIN_S = 5.0


class Journal:
    """Creates events and passes them to `publish`."""

    def __init__(self, publish: Callable[[LinkEvent], None]) -> None:
        self._publish = publish
        self._last_reports: dict[str, tuple[float, int]] = {}

    def report(self, now: float, severity: Severity, text: str, kind: str) -> None:
        """Publish an event at `now` (s)."""
        self._publish(LinkEvent(now, severity, text, kind))

    def report_once(self, now: float, severity: Severity, text: str, kind: str) -> None:
        """Publish an event at most once in 5 s per kind; the next one reports how many were omitted."""
        since, left_out = self._last_reports.get(kind, (-_AGAIN_S, 0))
        if now - since < _AGAIN_S:
            self._last_reports[kind] = since, left_out + 1
            return
        self._last_reports[kind] = now, 0
        self.report(
            now,
            severity,
            f"{text} ({left_out} more of that kind before.)" if left_out else text,
            kind,
        )
