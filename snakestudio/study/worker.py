"""A worker process: it joins a scheduler and computes what that hands it."""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import dataclass

from snakestudio.errors import StudyError
from snakestudio.session.tether import end_with_input
from snakestudio.study.cluster import Tls, security_of
from snakestudio.study.evaluate import Chunk, ForeignCodeError, evaluate
from snakestudio.study.store import Outcome

NICENESS = 10
"""How far workers step back: the window, the link to a robot and everything else go first."""

_CONNECT_S = 30


@dataclass(frozen=True, slots=True)
class Done:
    """What a worker hands back."""

    outcomes: tuple[Outcome, ...]
    """Of the runs that it finished."""

    address: str
    """Its own."""

    foreign: bool = False
    """Whether its code is not that of who asked: then it computed nothing."""


def work(chunk: Chunk) -> Done:
    """Compute a chunk; called by dask, in a worker."""
    from distributed import get_worker

    worker = get_worker()
    try:
        return Done(tuple(evaluate(chunk, str(worker.name))), worker.address)
    except ForeignCodeError:
        return Done((), worker.address, True)


def serve(
    scheduler: str, name: str | None, threads: int, until_closed: bool, tls: Tls | None = None
) -> None:
    """Work for a scheduler until it goes.

    Raises `StudyError` if there can be no such scheduler, or it does not answer.

    Parameters
    ----------
    scheduler : str
        Its address, ``tcp://host:8786``.
    name : str, optional
        What the worker is called.
    threads : int
        Runs at once.
    until_closed : bool
        Whether to end when standard input does, as it does with whoever started this, however that
        went.
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
            "distributed.comm.timeouts.connect": f"{_CONNECT_S}s",
        }
    )
    from distributed import Worker

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
            f"{scheduler}: no scheduler answers there ({why}); see that it runs, and write its address like"
            " tcp://host:8786."
        ) from None
