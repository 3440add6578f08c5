"""Where runs are computed: worker processes of this machine, or a dask cluster that is there already.

On this machine the scheduler lives in this process and listens on the loopback address alone;
workers are the program itself (``snakestudio study worker``), so that a user's script is not
imported again, and the bundle without a Python of its own works. They end with whoever started
them: their standard input tells. dask knows how often a worker died of a task, and gives it up
then.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from snakestudio.errors import StudyError
from snakestudio.paths import own_program

_DEATHS = 3
"""Workers that may die of a task until it is given up."""

_CONNECT_S = 15.0

_AGAIN_S = 0.5
_ENDING_S = 1.0
"""Until a result is fetched again where the way to the scheduler broke, and what waits for one may
take to end, s."""

_PAGE_S = 2.0
_PAGE_BYTES = 4096
"""How long is waited for dask's own page, s, and how much of it is looked at."""

_LOGS = ("distributed", "distributed.client", "tornado.application")

_STILLBORN = 3
"""Workers of this machine that may end one after the other before they have joined: then something
is wrong here."""


def default_workers() -> int:
    """As many as processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Tls:
    """Files with which a cluster is spoken to in private."""

    ca: Path
    """Whom to trust."""

    certificate: Path
    key: Path
    """`certificate` and `key`: who one is."""

    def security(self) -> Any:
        """The same for distributed."""
        from distributed import Security

        mine = {"tls_client_cert": str(self.certificate), "tls_client_key": str(self.key)}
        worker = {"tls_worker_cert": str(self.certificate), "tls_worker_key": str(self.key)}
        return Security(tls_ca_file=str(self.ca), require_encryption=True, **mine, **worker)


def security_of(scheduler: str, tls: Tls | None) -> Any:
    """How distributed is to speak to a scheduler; None if as its own settings say.

    What cannot be an address, or goes without what it needs, is found here: dask would wait for it.

    Raises
    ------
    StudyError
    """
    from distributed import Security
    from distributed.comm import inproc, parse_address, parse_host_port

    try:
        scheme, place = parse_address(scheduler)
        host, port = parse_host_port(place) if scheme in ("tcp", "tls") else ("", 0)
        fits = scheme in ("ws", "wss", "inproc") or (host and 0 < port < 2**16)
    except ValueError:
        fits = False
    if not fits:
        raise StudyError(
            f'"{scheduler}" is no address of a scheduler; write it like tcp://host:8786.'
        )
    if scheme == "inproc" and place not in inproc.global_manager.listeners:
        raise StudyError(
            f"{scheduler}: no scheduler runs in this program, and an inproc:// address cannot be used by another "
            "program. Start 'dask scheduler', and give its address like tcp://host:8786."
        )
    try:
        security = tls.security() if tls is not None else None
        spoken = (security or Security()).get_connection_args("client")
    except OSError as error:
        raise StudyError(
            f"the certificates cannot be used ({_said(error)}); give PEM files that belong together."
        ) from None
    if scheme == "tls" and spoken.get("ssl_context") is None:
        raise StudyError(
            f"{scheduler}: it is spoken to in private; give the three files of certificates."
        )
    if scheme == "tcp" and tls is not None:
        raise StudyError(
            f"{scheduler}: certificates are for an address like tls://host:8786; write that, or leave them out."
        )
    return security


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """A worker as the window shows it."""

    name: str
    host: str
    address: str
    busy: int
    """Tasks that it has."""

    cpu: float
    """Percent of a processor."""

    memory: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a task."""

    ticket: int
    """As `submit` gave it."""

    value: Any
    """What its function returned; None where `error` says why not."""

    error: BaseException | None = None
    killed: bool = False
    """Whether so many workers died of it that it was given up."""

    lost: bool = False
    """Whether it was forgotten, as all others were, with a connection to the scheduler that
    broke."""


class Cluster:
    """A scheduler and its workers; use it as a context.

    Raises `StudyError` if there can be no such scheduler, or it does not answer.

    Parameters
    ----------
    workers : int, optional
        Processes of this machine.
    scheduler : str, optional
        Address of a scheduler that is there (``tcp://host:8786``); then no process is started here.
    """

    def __init__(
        self, workers: int | None = None, scheduler: str | None = None, tls: Tls | None = None
    ) -> None:
        # Slow to import, and it looks at its settings then.
        import dask
        import distributed

        security = None if scheduler is None else security_of(scheduler, tls)
        self.local = scheduler is None
        self._wanted = (default_workers() if workers is None else workers) if self.local else 0
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._futures: dict[int, Any] = {}
        self._fetching: set[asyncio.Task[Any]] = set()
        self._tickets = 0
        self._processes: list[subprocess.Popen[bytes]] = []
        self._complaints: list[IO[bytes]] = []
        self._joined: set[str] = set()
        self._stillborn = 0
        self._closed = threading.Event()
        self._serving: Any = None
        settings = {
            "distributed.scheduler.allowed-failures": _DEATHS - 1,
            "distributed.scheduler.work-stealing": True,
            "distributed.scheduler.worker-saturation": 1.0,  # what waits at a worker would be blamed for its death, too
            "distributed.admin.tick.limit": "10s",
            "distributed.comm.timeouts.connect": f"{_CONNECT_S}s",
        }
        dask.config.set(settings)
        for name in _LOGS:  # what matters is said by whoever runs the study
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            if self.local:
                self._serving = distributed.LocalCluster(
                    n_workers=0,
                    processes=False,
                    protocol="tcp://",
                    host="127.0.0.1",
                    scheduler_port=0,
                    dashboard_address="127.0.0.1:0",
                    silence_logs=50,
                )
                self.address = str(self._serving.scheduler_address)
                self.client = distributed.Client(self._serving, set_as_default=False)
                for number in range(self._wanted):
                    self._complaints.append(tempfile.TemporaryFile())  # noqa: SIM115  (closed with the cluster)
                    self._processes.append(self._started(number))
            else:
                assert scheduler is not None
                self.address = scheduler
                self.client = distributed.Client(
                    scheduler, timeout=_CONNECT_S, security=security, set_as_default=False
                )
        except (OSError, ValueError, TypeError) as error:
            self.close()
            raise StudyError(
                f"{scheduler or 'this machine'}: no scheduler answers there ({_said(error)}); see that"
                " 'dask scheduler' runs there, and write its address like tcp://host:8786."
            ) from None

    @cached_property
    def dashboard(self) -> str:
        """Address of dask's own page about the cluster; "" where it has none.

        The scheduler names one also where it was told to have none, or lacks what draws it.
        """
        with contextlib.suppress(Exception):
            link = str(self.client.dashboard_link)
            return link if is_page(link) else ""
        return ""

    @property
    def pids(self) -> list[int]:
        """Of this machine's workers."""
        return [process.pid for process in self._processes]

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes of this machine, busy or not, and leave a cluster that was there."""
        self._closed.set()
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()
        for file in self._complaints:
            file.close()
        client = getattr(self, "client", None)
        if client is not None:
            with contextlib.suppress(Exception):
                client.sync(self._fetch_no_more, callback_timeout=2)
        for part in (client, self._serving):
            if part is not None:
                with contextlib.suppress(Exception):
                    part.close(timeout=2)

    def _started(self, number: int) -> subprocess.Popen[bytes]:
        one = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
        command = [
            *own_program(),
            "study",
            "worker",
            "--scheduler",
            self.address,
            "--name",
            f"here-{number + 1}",
        ]
        return subprocess.Popen(
            [*command, "--until-closed"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._complaints[number],
            env={**os.environ, **one},
        )

    def tend(self) -> None:
        """Start again what has died of this machine's workers.

        Raises `StudyError` if they die as soon as they start.
        """
        for number, process in enumerate(self._processes):
            if process.poll() is None or self._closed.is_set():
                continue
            name = f"here-{number + 1}"
            self._stillborn = 0 if name in self._joined else self._stillborn + 1
            self._joined.discard(name)
            if self._stillborn >= _STILLBORN:
                raise StudyError(
                    f"Worker processes end as soon as they start: {self._complaint(number)}"
                )
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()
            self._processes[number] = self._started(number)

    def _complaint(self, number: int) -> str:
        """The last that a worker of this machine said."""
        file = self._complaints[number]
        file.seek(0)
        lines = file.read().decode(errors="replace").strip().splitlines()
        return (
            lines[-1]
            if lines
            else f"exit code {self._processes[number].returncode}; free some memory."
        )

    # ----------------------------------------------------------------------------------------- work

    def share(self, value: Any) -> Any:
        """Something that many tasks get, which a worker is sent once: to be given to `submit` as an argument.

        Unlike what dask calls scattered it is there again when all workers that had it have died.
        """
        return self.client.submit(
            _same, value, key=f"shared-{os.getpid()}-{time.monotonic_ns()}", pure=False
        )

    def submit(
        self, function: Callable[..., Any], *arguments: Any, workers: Sequence[str] | None = None
    ) -> int:
        """Have `function` called by a worker; `answers` tells what came of it.

        Parameters
        ----------
        function : callable
            Of a module that workers have, too.
        *arguments
            What can be pickled.
        workers : sequence of str, optional
            Only these.

        Returns
        -------
        int
            A ticket.
        """
        self._tickets += 1
        ticket = self._tickets
        future = self.client.submit(
            function,
            *arguments,
            key=f"chunk-{os.getpid()}-{ticket}-{time.monotonic_ns()}",
            pure=False,
            workers=list(workers) if workers is not None else None,
            allow_other_workers=False,
            retries=0,
        )
        self._futures[ticket] = future
        self.client.loop.add_callback(self._awaited, ticket, future)
        return ticket

    async def _awaited(self, ticket: int, future: Any) -> None:
        """Fetch what came of a task, in the client's own loop.

        Where the worker that has a result dies before it was fetched, the scheduler has it computed
        again; this waits for it, and nobody waits for this.
        """
        task = asyncio.current_task()
        assert task is not None
        self._fetching.add(task)
        error: BaseException | None = None
        value = None
        try:
            value = await self._fetched(future)
        except (CancelledError, asyncio.CancelledError):
            if ticket in self._futures:  # nobody here has taken it back
                self._answers.put(Answer(ticket, None, lost=True))
            return
        except Exception as caught:
            error = caught
        finally:
            self._fetching.discard(task)
        killed = type(error).__name__ == "KilledWorker"
        self._answers.put(Answer(ticket, value, error, killed))

    async def _fetched(self, future: Any) -> Any:
        from distributed.comm import CommClosedError

        while True:
            try:
                return await self.client.gather(future, asynchronous=True)
            except (
                CommClosedError
            ):  # says nothing of the task: who looks whether the scheduler is `alive` says more
                await asyncio.sleep(_AGAIN_S)

    async def _fetch_no_more(self) -> None:
        """End what waits for results: by its futures, or what dask began for it is left behind and complains later."""
        with contextlib.suppress(Exception):
            await self.client.cancel(list(self._futures.values()), asynchronous=True, force=True)
        if self._fetching:
            await asyncio.wait(self._fetching, timeout=_ENDING_S)
        for task in list(self._fetching):
            task.cancel()

    def forget(self, ticket: int) -> None:
        """Take a task back."""
        future = self._futures.pop(ticket, None)
        if future is not None:
            with contextlib.suppress(Exception):
                future.cancel(force=True)

    def answers(self, timeout: float) -> list[Answer]:
        """What has come of tasks; waits for the first one so long, s."""
        found: list[Answer] = []
        with contextlib.suppress(queue.Empty):
            found.append(self._answers.get(timeout=timeout))
            while True:
                found.append(self._answers.get_nowait())
        for answer in found:
            self._futures.pop(answer.ticket, None)
        return found

    def everywhere(self, function: Callable[..., Any], *arguments: Any) -> Mapping[str, Any]:
        """What `function` returns in every worker that answers, by the worker's address."""
        with contextlib.suppress(Exception):
            found: dict[str, Any] = self.client.run(function, *arguments, on_error="return")
            return found
        return {}

    def stop(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Forget all tasks; what is being computed ends: here with its processes, elsewhere as `function` says."""
        futures = list(self._futures.values())
        self._futures.clear()
        if self.local:
            for process in self._processes:
                process.kill()
        with contextlib.suppress(Exception):
            self.client.cancel(futures, force=True)
        if not self.local:
            self.everywhere(function, *arguments)

    @property
    def alive(self) -> bool:
        """Whether the scheduler answers."""
        return bool(self.client.status == "running")

    def workers(self) -> list[WorkerInfo]:
        """All workers there are."""
        found = []
        with contextlib.suppress(Exception):
            for address, info in self.client.scheduler_info(n_workers=-1)["workers"].items():
                metrics = info.get("metrics", {})
                tasks = metrics.get("task_counts", {})
                busy = int(tasks.get("executing", 0)) if isinstance(tasks, dict) else 0
                host = str(info.get("host", address))
                name = str(info.get("name", address))
                cpu = float(metrics.get("cpu", 0.0))
                memory = int(metrics.get("memory", 0))
                found.append(WorkerInfo(name, host, str(address), busy, cpu, memory))
                self._joined.add(name)
        return found


def _same(value: Any) -> Any:
    return value


def is_page(link: str) -> bool:
    """Whether a whole page is there, and not only a remark."""
    from urllib.request import ProxyHandler, build_opener  # slow to import

    with (
        contextlib.suppress(OSError, ValueError),
        build_opener(ProxyHandler({})).open(link, timeout=_PAGE_S) as page,
    ):
        return b"<html" in page.read(_PAGE_BYTES).lower()
    return False


def _said(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:200]
