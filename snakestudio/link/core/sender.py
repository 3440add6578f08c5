"""When something is due to be sent: deadlines on the monotonic clock, a missed one skipped and never caught up."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from snakestudio.link.profile.schema import Message, Profile

_WINDOW_S = 10.0
_RENEWED_S = 0.2


class Deadlines:
    """Something that is due every period, in step with when it began.

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
        """Whether anything is due at all."""
        return not math.isnan(self._begin)

    @property
    def next(self) -> float:
        """The next deadline, s; infinity while it does not run."""
        return self._begin + self._count * self.period if self.running else math.inf

    def start(self, now: float) -> None:
        """Begin: the first deadline is now."""
        self._begin = now
        self._count = 0

    def stop(self) -> None:
        """Nothing is due any more."""
        self._begin = math.nan

    def take(self, now: float) -> tuple[float, int] | None:
        """What is due by now, once however many deadlines have passed.

        Returns
        -------
        (float, int) or None
            How late it is, s, and how many deadlines are skipped; None if nothing is due. How late
            is counted from the last deadline that has passed: a gap of several periods is told by
            what is skipped.
        """
        if now < self.next:
            return None
        passed = int((now - self._begin) / self.period)
        # Rounding must neither give a deadline twice nor one that lies ahead.
        passed = max(passed, self._count)
        while self._begin + (passed + 1) * self.period <= now:
            passed += 1
        skipped = passed - self._count
        late = max(0.0, now - (self._begin + passed * self.period))
        self._count = passed + 1
        if late > self.period / 2:
            # Two of them close together would be a burst of two: the next one is left out, the
            # phase is kept.
            self._count += 1
            skipped += 1
        return late, skipped

    def gone(self, now: float) -> int:
        """What was due is on its way, and it is `now` (s); gives how many of the next deadlines are left out for that.

        The system may stop the program between `take` and the last frame: what follows sooner than
        half a period after it would be a burst.
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
    """How punctually set-points went out over the last 10 s."""

    def __init__(self) -> None:
        self._sent: deque[tuple[float, float, float]] = deque()
        self.start()

    def start(self) -> None:
        """Forget everything: sending begins anew."""
        self._sent.clear()
        self._last = math.nan
        self._figures = (math.nan, math.nan, math.nan)
        self._figured_at = -math.inf
        self.skipped = 0

    def add(self, now: float, late: float, skipped: int) -> None:
        """A period's set-points went out."""
        self._sent.append((now, late, now - self._last))
        self._last = now
        self.skipped += skipped
        while self._sent[0][0] < now - _WINDOW_S:
            self._sent.popleft()

    def figures(self) -> tuple[float, float, float]:
        """Mean period, 99th percentile (nearest rank) of lateness and longest gap, s; NaN if there is nothing to tell.

        They are as of the last set-points, or a little before: a percentile costs more than sending
        does.
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
    """Requests and host heartbeats, each at its own interval; one that states none is for sequences only."""

    def __init__(self, profile: Profile) -> None:
        self._entries = [
            (message, Deadlines(message.every_s))
            for message in profile.messages
            if message.role in ("request", "host_heartbeat") and message.every_s is not None
        ]

    def start(self, now: float) -> None:
        """From now on they are due."""
        for _, deadlines in self._entries:
            deadlines.start(now)

    def stop(self) -> None:
        """Nothing is due any more."""
        for _, deadlines in self._entries:
            deadlines.stop()

    def due(self, now: float, *, driving: bool, stopped: bool) -> list[Message]:
        """The messages that are due by now.

        Parameters
        ----------
        now : float
            s.
        driving : bool
            Whether set-points are sent: some polls would disturb them.
        stopped : bool
            Whether the link is in FAULT. No sign of life is given then, so that a robot that never
            heard the stop runs into its own watchdog.
        """
        found = []
        for message, deadlines in self._entries:
            if deadlines.take(now) is None or (driving and message.when == "idle"):
                continue
            if not (stopped and message.role == "host_heartbeat"):
                found.append(message)
        return found

    def next(self) -> float:
        """When the first of them is due, s; infinity if none is."""
        return min((deadlines.next for _, deadlines in self._entries), default=float("inf"))
