"""Protocol of a link for the window, which `LinkClient` implements."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from snakestudio.link.messages import CommandKind, LinkEvent, ReferenceBlock, Telemetry, Traffic
from snakestudio.link.profile.schema import Profile


class Link(Protocol):
    """A link in a separate process. All calls return immediately; none waits for the link."""

    @property
    def profile(self) -> Profile:
        """Profile of the robot, with the chosen bus."""
        ...

    @property
    def alive(self) -> bool:
        """Whether its process runs and its heartbeat is not older than half a second."""
        ...

    @property
    def stop_count(self) -> int:
        """Number of requested stops; starts from 0 after a restart of the process."""
        ...

    def command(self, kind: CommandKind, **values: str | int | float | bool) -> int:
        """Send a command; return its number, see `Telemetry.carried_out`.

        A command of `BEGINNING` is not carried out if a stop was requested after it, however late it
        arrives: the value `stops` is the number of stops when the operator gave the command; by
        default the number now.
        """
        ...

    def stop(self, reason: str = "Stopped by the operator.") -> None:
        """Request the stop sequence in the fastest way: wakes the link immediately, and is seen within 5 ms always.

        For any thread.
        """
        ...

    def beat(self) -> None:
        """Give a sign of life of the window: called only by its own event loop, at least every 50 ms."""
        ...

    def send(self, block: ReferenceBlock) -> None:
        """Send references, which replace earlier ones from their first knot on. For one thread at a time."""
        ...

    def telemetry(self) -> Telemetry:
        """Return the latest telemetry."""
        ...

    def events(self) -> list[LinkEvent]:
        """Return the events since the last call."""
        ...

    def traffic(self) -> list[Traffic]:
        """Return the frames since the last call, up to some hundreds; if too many wait, the oldest are dropped."""
        ...

    def begin_log(self, path: Path) -> None:
        """Log all frames to a file (.blf, .asc or .log); `command("log", path="")` ends it."""
        ...

    def close(self) -> None:
        """Stop the robot, and end the process; returns when it has ended, or was killed after 2 s."""
        ...
