"""What the window's side holds in its hand of a robot: the protocol that `LinkClient` fulfils, and tests may, too."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from snakestudio.link.messages import CommandKind, LinkEvent, ReferenceBlock, Telemetry, Traffic
from snakestudio.link.profile.schema import Profile


class Link(Protocol):
    """A link in a process of its own. Every call returns at once; none blocks on the link."""

    @property
    def profile(self) -> Profile:
        """Of the robot, with the bus that was chosen."""
        ...

    @property
    def alive(self) -> bool:
        """Whether its process runs and its heartbeat is not older than half a second."""
        ...

    @property
    def stop_count(self) -> int:
        """How many stops were asked for so far; 0 again when the process is another one."""
        ...

    def command(self, kind: CommandKind, **values: str | int | float | bool) -> int:
        """Ask for something; gives the command's number, see `Telemetry.carried_out`.

        What begins something (`BEGINNING`) is not carried out once a stop was asked for after it,
        however late it comes: `stops` among the values says how many there had been when the
        operator asked, now if left out.
        """
        ...

    def stop(self, reason: str = "Stopped by the operator.") -> None:
        """The fastest way to the stop sequence: wakes the link at once, and is seen within 5 ms whatever else waits.

        From any thread.
        """
        ...

    def beat(self) -> None:
        """The window lives: called by the window's own event loop, at least every 50 ms, and by nothing else."""
        ...

    def send(self, block: ReferenceBlock) -> None:
        """Where the joints shall be; replaces the block before from its first knot on. From any one thread."""
        ...

    def telemetry(self) -> Telemetry:
        """What the link knows now."""
        ...

    def events(self) -> list[LinkEvent]:
        """What happened since this was last asked."""
        ...

    def traffic(self) -> list[Traffic]:
        """Frames since this was last asked, some hundreds at once; where too many wait, the oldest are left out."""
        ...

    def begin_log(self, path: Path) -> None:
        """Write all frames to a file, its kind by its ending (.blf, .asc, .log); `command("log", path="")` ends it."""
        ...

    def close(self) -> None:
        """Stop the robot, and end the process; returns when it has ended, or was ended after 2 s."""
        ...
