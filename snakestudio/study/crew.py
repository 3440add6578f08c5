"""Workers of a cluster that can compute: those with the same code as this program."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from snakestudio._version import __version__
from snakestudio.errors import StudyError
from snakestudio.study.cluster import Answer, Cluster, WorkerInfo
from snakestudio.study.run_key import code_hash

DIED = "This run crashed three workers. It may need more memory than is available."

_LOOK_S = 1.0
_LOOK_OUT_S = 0.1
"""Interval of checks for workers: with and without workers, s."""

_LONELY_S = 20.0
"""Time without a usable worker after which a cluster is given up, s."""


def code() -> str:
    """Return the hash of a worker's code; called in the worker."""
    return code_hash()


class Crew:
    """The workers of a cluster, managed from one thread.

    Parameters
    ----------
    remedy : str
        Remedy for a lost scheduler, as a sentence.
    clock : callable
        Returns the time, s.

    Attributes
    ----------
    workers : tuple of WorkerInfo
        All workers.
    fit : frozenset of str
        Addresses of the workers with the same code.
    notes : tuple of str
        Messages about the others.
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

    def update(self) -> bool:
        """Update the list of workers periodically, and check their code.

        Raises `StudyError` if the scheduler is lost, or no worker is usable for some time.

        Returns
        -------
        bool
            Whether the list was updated.
        """
        now = self._clock()
        cluster = self.cluster
        if now - self._looked < (_LOOK_S if self.fit else _LOOK_OUT_S):
            return False
        self._looked = now
        cluster.tend()
        if not cluster.alive:
            raise self._connection_lost()
        self.workers = tuple(cluster.workers())
        present = {worker.address for worker in self.workers}
        if present - self.fit - self._foreign and not cluster.local:
            for address, theirs in cluster.everywhere(code).items():
                if theirs != code_hash():
                    self.turn_away(address)
        if cluster.local and self._foreign:
            raise StudyError("This program was updated on disk while it was running. Restart it.")
        self.fit = frozenset(present - self._foreign)
        if self.fit or cluster.local:
            self._met = now
        elif now - self._met > _LONELY_S:
            raise StudyError(
                f"{cluster.address}: {' '.join(self.notes) or 'No worker has joined.'}"
            )
        return True

    def _connection_lost(self) -> StudyError:
        return StudyError(
            f"{self.cluster.address}: the connection to the scheduler is lost. {self._remedy}"
        )

    def turn_away(self, address: str) -> None:
        """Exclude a worker with different code."""
        self._looked = -math.inf
        if address in self._foreign:
            return
        self._foreign.add(address)
        name = next((worker.name for worker in self.workers if worker.address == address), address)
        note = (
            f"Worker {name} has a different version of SnakeStudio or its engines and is not used."
            f" Install {__version__} there, too."
        )
        self.notes = (*self.notes, note)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> int:
        """Let a usable worker call `function`; see `Cluster.submit`."""
        only = self.fit if self._foreign else None
        ticket = self.cluster.submit(
            function, *arguments, workers=sorted(only) if only is not None else None
        )
        if only is not None:
            self._bound[ticket] = only
        return ticket

    def answers(self, timeout: float) -> list[Answer]:
        """Return the results that have arrived; waits up to `timeout` s for the first one.

        Raises `StudyError` if the connection to the scheduler broke: dask may reconnect, but has lost
        all tasks.
        """
        answers = self.cluster.answers(timeout)
        if any(answer.lost for answer in answers):
            raise self._connection_lost()
        for answer in answers:
            self._bound.pop(answer.ticket, None)
        return answers

    def stranded(self) -> list[int]:
        """Cancel tasks that wait for workers which are gone; return their tickets."""
        present = {worker.address for worker in self.workers}
        tickets = [ticket for ticket, only in self._bound.items() if not only & present]
        for ticket in tickets:
            self.cluster.cancel_task(ticket)
            del self._bound[ticket]
        return tickets
