"""Worker process: joins a scheduler and computes its tasks."""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import dataclass

from snakestudio.errors import StudyError
from snakestudio.session.tether import end_with_input
from snakestudio.study.cluster import Tls, ignore_environment_warnings, security_of
from snakestudio.study.evaluate import Chunk, ForeignCodeError, evaluate
from snakestudio.study.store import RunOutcome

NICENESS = 10
"""Niceness of workers: below the window, the link to a robot and everything else."""

_CONNECT_S = 30


@dataclass(frozen=True, slots=True)
class WorkerResult:
    """Result of a worker."""

    outcomes: tuple[RunOutcome, ...]
    """Outcomes of the finished runs."""

    address: str
    """Address of the worker."""

    foreign: bool = False
    """Whether its code differs from that of the requesting process; it computed nothing then."""


def work(chunk: Chunk) -> WorkerResult:
    """Compute a chunk; called by dask, in a worker."""
    from distributed import get_worker

    worker = get_worker()
    try:
        return WorkerResult(tuple(evaluate(chunk, str(worker.name))), worker.address)
    except ForeignCodeError:
        return WorkerResult((), worker.address, True)


def serve(
    scheduler: str, name: str | None, threads: int, until_closed: bool, tls: Tls | None = None
) -> None:
    """Work for a scheduler until it ends.

    Raises `StudyError` if the scheduler is invalid or does not respond.

    Parameters
    ----------
    scheduler : str
        Address, such as ``tcp://host:8786``.
    name : str, optional
        Name of the worker.
    threads : int
        Number of concurrent runs.
    until_closed : bool
        Whether to stop at the end of the standard input, which ends with the parent process in any
        case.
    """
    with contextlib.suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, 0, NICENESS)
    if until_closed:
        end_with_input()
    import dask

    dask.config.set(
        {
            "distributed.worker.daemon": False,
            "distributed.worker.memory.spill": False,
            "distributed.worker.memory.target": False,
            "distributed.worker.memory.pause": False,
            "distributed.admin.tick.limit": "30s",
            # samples and ticks of Dask's pages would take most of the time of a worker that waits
            "distributed.admin.tick.interval": "1s",
            "distributed.worker.profile.enabled": False,
            "distributed.comm.timeouts.connect": f"{_CONNECT_S}s",
        }
    )
    from distributed import Worker

    ignore_environment_warnings()
    security = security_of(scheduler, tls)

    async def work() -> None:
        worker = await Worker(
            scheduler,
            nthreads=threads,
            name=name,
            memory_limit=0,
            death_timeout=_CONNECT_S,
            dashboard=False,
            security=security,
        )
        await worker.finished()

    try:
        asyncio.run(work())
    except (OSError, ValueError, TypeError, TimeoutError) as error:
        why = (str(error) or type(error).__name__).splitlines()[0][:200]
        raise StudyError(
            f"{scheduler}: no scheduler responds ({why}). Check that it is running, and that the address has the form"
            " tcp://host:8786."
        ) from None
