"""Targets of Start Together: the run of the simulation or a robot, for the dialog and the notices."""

from __future__ import annotations

from typing import Protocol

from snakestudio.sync import StartSettings, SynchronizedStart

HERE = "127.0.0.1"
EVERYWHERE = "0.0.0.0"


class UnderWay(Protocol):
    """Single start, from waiting to the end of the run."""

    @property
    def start(self) -> SynchronizedStart:
        """Synchronized start that waits, triggers and starts."""
        ...

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        ...

    @property
    def trouble(self) -> str:
        """Reason why it ended without a start, as a sentence; "" if it did not."""
        ...

    def close(self) -> None:
        """Cancel the start and wait until it has ended. A run that has already started continues."""
        ...


class Target(Protocol):
    """Target that can be started."""

    @property
    def key(self) -> str:
        """Settings group for the choices of this target."""
        ...

    @property
    def by_hand(self) -> str:
        """Name of the local trigger, for the list of the dialog."""
        ...

    @property
    def usual_host(self) -> str:
        """Default address to wait at."""
        ...

    @property
    def host_kept(self) -> bool:
        """Whether the chosen address is remembered."""
        ...

    @property
    def possible(self) -> bool:
        """Whether the target exists."""
        ...

    def about(self) -> str:
        """Return a description of what will start, as sentences."""
        ...

    def state_text(self) -> tuple[str, str]:
        """Return the current state as text, and the role of the text; ("", "") if there is nothing to report."""
        ...

    def refuses(self) -> str:
        """Return the reason why it cannot start now, as a clause; "" if it can."""
        ...

    def caution(self, wait: str, host: str) -> tuple[str, str]:
        """Return safety notes on how and where it waits, and the role of the text; ("", "") if there are none."""
        ...

    def begin(self, choices: StartSettings, name: str) -> UnderWay:
        """Start waiting for the others, which receive `name`."""
        ...

    def lost(self) -> str:
        """Return the reason why the target of the last start is gone, as a sentence; "" if it still exists."""
        ...
