"""What the link sends now and then besides set-points: requests for feedback, and the sign that it lives itself."""

from __future__ import annotations

from snakestudio.link.core.sender import Deadlines
from snakestudio.link.profile.schema import Message, Profile

__all__ = ["Cyclic"]


class Cyclic:
    """Requests and host heartbeats, each at its own interval; one that states none is for sequences only.

    Parameters
    ----------
    profile : Profile
    """

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
            Whether the link is in FAULT. No sign of life is given then, so that a robot that never heard the stop
            runs into its own watchdog.
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
