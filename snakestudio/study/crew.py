"""Who of a cluster computes: the workers that are there, as far as they have the same code."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from snakestudio._version import __version__
from snakestudio.errors import StudyError
from snakestudio.study.cluster import Answer, Cluster, WorkerInfo
from snakestudio.study.run_key import code_hash

DIED = "Three workers died of this run: it may need more memory than there is."

_LOOK_S = 1.0
_LOOK_OUT_S = 0.1
"""How often it is looked who is there: while somebody is, and while nobody is, s."""

_LONELY_S = 20.0
"""Without a worker that fits for so long a cluster is given up, s."""


def code() -> str:
    """The hash of the code of a worker; called in it."""
    return code_hash()


class Crew:
    """The workers of a cluster, looked after from one thread.

    Parameters
    ----------
    remedy : str
        What to do where the scheduler is gone, as the rest of a sentence.
    clock : callable
        Seconds that pass.

    Attributes
    ----------
    workers : tuple of WorkerInfo
        All that are there.
    fit : frozenset of str
        Addresses of those with the same code.
    notes : tuple of str
        What is to be known of the others, in sentences.
    """

    def __init__(
        self, cluster: Cluster, remedy: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.cluster = cluster
        self.workers: tuple[WorkerInfo, ...] = ()
        self.fit: frozenset[str] = frozenset()
        self.notes: tuple[str, ...] = ()
        self._remedy = remedy
        self._clock = clock
        self._foreign: set[str] = set()
        self._bound: dict[
            int, frozenset[str]
        ] = {}  # tickets of tasks that some workers may have only
        self._looked, self._met = -math.inf, clock()

    def look(self) -> bool:
        """Once in a while: who is there, and whose code is ours.

        Raises `StudyError` if the scheduler is gone, or nobody fits for a while.

        Returns
        -------
        bool
            Whether it was time to look.
        """
        now = self._clock()
        cluster = self.cluster
        if now - self._looked < (_LOOK_S if self.fit else _LOOK_OUT_S):
            return False
        self._looked = now
        cluster.tend()
        if not cluster.alive:
            raise self._gone()
        self.workers = tuple(cluster.workers())
        there = {worker.address for worker in self.workers}
        if there - self.fit - self._foreign and not cluster.local:
            for address, theirs in cluster.everywhere(code).items():
                if theirs != code_hash():
                    self.turn_away(address)
        if cluster.local and self._foreign:
            raise StudyError(
                "This program on disk is another version now than it was when it started; start it again."
            )
        self.fit = frozenset(there - self._foreign)
        if self.fit or cluster.local:
            self._met = now
        elif now - self._met > _LONELY_S:
            raise StudyError(
                f"{cluster.address}: {' '.join(self.notes) or 'no worker has joined there.'}"
            )
        return True

    def _gone(self) -> StudyError:
        return StudyError(
            f"{self.cluster.address}: the scheduler is gone, or the way to it; {self._remedy}"
        )

    def turn_away(self, address: str) -> None:
        """Have nothing more computed by a worker with other code."""
        self._looked = -math.inf
        if address in self._foreign:
            return
        self._foreign.add(address)
        name = next((worker.name for worker in self.workers if worker.address == address), address)
        note = (
            f"Worker {name} has another version of SnakeStudio or its engines, and is given nothing to compute;"
            f" install {__version__} there as it is here."
        )
        self.notes = (*self.notes, note)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> int:
        """Have `function` called by a worker that fits; see `Cluster.submit`."""
        only = self.fit if self._foreign else None
        ticket = self.cluster.submit(
            function, *arguments, workers=sorted(only) if only is not None else None
        )
        if only is not None:
            self._bound[ticket] = only
        return ticket

    def answers(self, timeout: float) -> list[Answer]:
        """What has come of tasks; waits for the first one so long, s.

        Raises `StudyError` if the connection to the scheduler broke: dask may take it up again, and
        has forgotten all tasks.
        """
        found = self.cluster.answers(timeout)
        if any(answer.lost for answer in found):
            raise self._gone()
        for answer in found:
            self._bound.pop(answer.ticket, None)
        return found

    def stranded(self) -> list[int]:
        """Tickets of tasks that waited for workers which are gone; they are taken back."""
        there = {worker.address for worker in self.workers}
        gone = [ticket for ticket, only in self._bound.items() if not only & there]
        for ticket in gone:
            self.cluster.forget(ticket)
            del self._bound[ticket]
        return gone
