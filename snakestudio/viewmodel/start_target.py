"""What Start Together may start: the simulation's run or a robot, as the dialog and the notices see it."""

from __future__ import annotations

from typing import Protocol

from snakestudio.sync import SynchronizedStart, Together

HERE = "127.0.0.1"
EVERYWHERE = "0.0.0.0"


class UnderWay(Protocol):
    """One start, from waiting to the end of the run."""

    @property
    def start(self) -> SynchronizedStart:
        """What waits, fires and starts."""
        ...

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        ...

    @property
    def trouble(self) -> str:
        """Why it has ended without a start, in a sentence; "" if it has not."""
        ...

    def close(self) -> None:
        """Give it up; returns when it has ended. A run that goes already goes on."""
        ...


class Target(Protocol):
    """What may be started."""

    @property
    def key(self) -> str:
        """Group of the settings that keep with whom."""
        ...

    @property
    def by_hand(self) -> str:
        """What starts it here, for the dialog's list."""
        ...

    @property
    def usual_host(self) -> str:
        """Address that is waited at unless another one is chosen."""
        ...

    @property
    def host_kept(self) -> bool:
        """Whether the address that was chosen is there again next time."""
        ...

    @property
    def possible(self) -> bool:
        """Whether there is something that could be started."""
        ...

    def about(self) -> str:
        """What will start, in sentences."""
        ...

    def standing(self) -> tuple[str, str]:
        """How it stands, for people, and the role of that text; ("", "") if there is nothing to tell."""
        ...

    def refuses(self) -> str:
        """Why it would not start now, a clause; "" if it would."""
        ...

    def caution(self, wait: str, host: str) -> tuple[str, str]:
        """What follows for safety from how and where is waited, and the role of that text; ("", "") if nothing."""
        ...

    def begin(self, choices: Together, name: str) -> UnderWay:
        """Wait for the others. `name` is told to them."""
        ...

    def lost(self) -> str:
        """Why what was begun last is about something that is not there any more, in a sentence; "" if it is."""
        ...
