"""Deadlines for sending on the monotonic clock; missed ones are skipped and never caught up."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from snakestudio.link.profile.schema import Message, Profile

_WINDOW_S = 10.0
_RENEWED_S = 0.2


class Deadlines:
    """Periodic deadlines, in phase with their start.

    Parameters
    ----------
    period : float
        s.
    """

    def __init__(self, period: float) -> None:
        self.period = period
        self._begin = math.nan
        self._count = 0

    @property
    def running(self) -> bool:
        """Whether there are deadlines."""
        return not math.isnan(self._begin)

    @property
    def next(self) -> float:
        """The next deadline, s; infinity while it does not run."""
        return self._begin + self._count * self.period if self.running else math.inf

    def start(self, now: float) -> None:
        """Start; the first deadline is now."""
        self._begin = now
        self._count = 0

    def stop(self) -> None:
        """Stop; there are no further deadlines."""
        self._begin = math.nan

    def next_due(self, now: float) -> tuple[float, int] | None:
        """Take the deadline that is due by now, once for any number of passed deadlines.

        Returns
        -------
        (float, int) or None
            Delay since the last passed deadline, s, and number of skipped deadlines; None if nothing
            is due.
        """
        if now < self.next:
            return None
        passed = int((now - self._begin) / self.period)
        # Rounding must neither repeat a deadline nor give a future one.
        passed = max(passed, self._count)
        while self._begin + (passed + 1) * self.period <= now:
            passed += 1
        skipped = passed - self._count
        late = max(0.0, now - (self._begin + passed * self.period))
        self._count = passed + 1
        if late > self.period / 2:
            # Two deadlines close together would be a burst: the next one is skipped, the phase is
            # kept.
            self._count += 1
            skipped += 1
        return late, skipped

    def sending_ended(self, now: float) -> int:
        """Report that sending has ended at `now` (s); return how many of the next deadlines are skipped for it.

        The system may suspend the program between `next_due` and the last frame: a deadline sooner than
        half a period after it would cause a burst.
        """
        first = (
            math.ceil((now + self.period / 2 - self._begin) / self.period)
            if self.running
            else self._count
        )
        skipped = max(0, first - self._count)
        self._count += skipped
        return skipped


class SendTimes:
    """Timing of the set-points of the last 10 s."""

    def __init__(self) -> None:
        self._sent: deque[tuple[float, float, float]] = deque()
        self.start()

    def start(self) -> None:
        """Reset the timing when sending starts."""
        self._sent.clear()
        self._last = math.nan
        self._figures = (math.nan, math.nan, math.nan)
        self._figured_at = -math.inf
        self.skipped = 0

    def add(self, now: float, late: float, skipped: int) -> None:
        """Add the set-points of a period."""
        self._sent.append((now, late, now - self._last))
        self._last = now
        self.skipped += skipped
        while self._sent[0][0] < now - _WINDOW_S:
            self._sent.popleft()

    def statistics(self) -> tuple[float, float, float]:
        """Return mean period, 99th percentile (nearest rank) of lateness and longest gap, s; NaN without data.

        The values may be slightly older than the last set-points, because a percentile takes longer
        than sending.
        """
        if self._sent and self._last - self._figured_at >= _RENEWED_S:
            self._figured_at = self._last
            self._figures = self._figure()
        return self._figures

    def _figure(self) -> tuple[float, float, float]:
        _, late, gap = np.array(self._sent).T
        gap = gap[np.isfinite(gap)]
        p99 = float(np.sort(late)[math.ceil(0.99 * len(late)) - 1])
        return (float(gap.mean()), p99, float(gap.max())) if len(gap) else (math.nan, p99, math.nan)


class PeriodicMessages:
    """Requests and host heartbeats, each at its own interval; those without one are only for sequences."""

    def __init__(self, profile: Profile) -> None:
        self._entries = [
            (message, Deadlines(message.every_s))
            for message in profile.messages
            if message.role in ("request", "host_heartbeat") and message.every_s is not None
        ]

    def start(self, now: float) -> None:
        """Start all intervals now."""
        for _, deadlines in self._entries:
            deadlines.start(now)

    def stop(self) -> None:
        """Stop; there are no further deadlines."""
        for _, deadlines in self._entries:
            deadlines.stop()

    def due(self, now: float, *, driving: bool, stopped: bool) -> list[Message]:
        """Return the messages that are due by now.

        Parameters
        ----------
        now : float
            s.
        driving : bool
            Whether set-points are sent: some polls would disturb them.
        stopped : bool
            Whether the link is in FAULT. No heartbeats are sent then, so that the own watchdog stops
            a robot that has not received the stop.
        """
        messages = []
        for message, deadlines in self._entries:
            if deadlines.next_due(now) is None or (driving and message.when == "idle"):
                continue
            if not (stopped and message.role == "host_heartbeat"):
                messages.append(message)
        return messages

    def next(self) -> float:
        """Return the time of the next message, s; infinity if there is none."""
        return min((deadlines.next for _, deadlines in self._entries), default=float("inf"))
