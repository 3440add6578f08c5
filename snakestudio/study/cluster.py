"""Clusters that compute runs: worker processes on this computer, or an existing dask cluster.

On this computer the scheduler runs in this process and listens on the loopback address only;
workers are the program itself (``snakestudio study worker``), so that a user's script is not
imported again, and the bundle works without a separate Python. They end with the process that
started them, at the end of their standard input. dask counts how often workers die during a task,
and gives it up after `_DEATHS`.
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
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from snakestudio.errors import StudyError
from snakestudio.paths import own_program

_DEATHS = 3
"""Number of workers that can die during a task before it is given up."""

_CONNECT_S = 15.0

_AGAIN_S = 0.5
_ENDING_S = 1.0
"""Delay before a result is fetched again after the connection to the scheduler broke, and time limit
for pending fetches to end, s."""

_PAGE_S = 2.0
_PAGE_BYTES = 4096
"""Time limit for dask's own page, s, and number of bytes that are checked."""

_LOGS = ("distributed", "distributed.client", "tornado.application")

_STILLBORN = 3
"""Number of workers on this computer that can end in a row before joining; then there is a problem
on this computer."""


_ENVIRONMENT_WARNINGS = (
    "Creating scratch directories",
    "Couldn't detect a suitable IP address",
)
"""Beginnings of warnings of distributed about slow disks and missing networks."""


def ignore_environment_warnings() -> None:
    """Ignore warnings of distributed that depend on the load and the network of the computer.

    They do not affect studies: scratch folders are not used, and addresses are stated.
    """
    for beginning in _ENVIRONMENT_WARNINGS:
        warnings.filterwarnings("ignore", message=beginning)


def default_workers() -> int:
    """Return the number of processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Tls:
    """TLS files for an encrypted connection to a cluster."""

    ca: Path
    """Certificate of the trusted authority."""

    certificate: Path
    """File of the certificate of this computer."""

    key: Path
    """File of the key of this computer."""

    def security(self) -> Any:
        """Return the files as a `Security` of distributed."""
        from distributed import Security

        mine = {"tls_client_cert": str(self.certificate), "tls_client_key": str(self.key)}
        worker = {"tls_worker_cert": str(self.certificate), "tls_worker_key": str(self.key)}
        return Security(tls_ca_file=str(self.ca), require_encryption=True, **mine, **worker)


def security_of(scheduler: str, tls: Tls | None) -> Any:
    """Return the security settings for the connection to a scheduler; None for distributed's own settings.

    Invalid addresses and missing certificates are detected here, because dask would wait for them.

    Raises
    ------
    StudyError
    """
    from distributed import Security
    from distributed.comm import inproc, parse_address, parse_host_port

    try:
        scheme, location = parse_address(scheduler)
        host, port = parse_host_port(location) if scheme in ("tcp", "tls") else ("", 0)
        fits = scheme in ("ws", "wss", "inproc") or (host and 0 < port < 2**16)
    except ValueError:
        fits = False
    if not fits:
        raise StudyError(
            f'"{scheduler}" is not an address of a scheduler. Write it as tcp://host:8786.'
        )
    if scheme == "inproc" and location not in inproc.global_manager.listeners:
        raise StudyError(
            f"{scheduler}: no scheduler runs in this program, and an inproc:// address cannot be used by another "
            "program. Start 'dask scheduler', and give its address, such as tcp://host:8786."
        )
    try:
        security = tls.security() if tls is not None else None
        spoken = (security or Security()).get_connection_args("client")
    except OSError as error:
        raise StudyError(
            f"The certificates cannot be used ({_reason(error)}). Give PEM files that belong together."
        ) from None
    if scheme == "tls" and spoken.get("ssl_context") is None:
        raise StudyError(
            f"{scheduler}: the connection is encrypted. Give the three certificate files."
        )
    if scheme == "tcp" and tls is not None:
        raise StudyError(
            f"{scheduler}: certificates need an address such as tls://host:8786. Give one, or remove the certificates."
        )
    return security


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """A worker of a cluster, for display."""

    name: str
    host: str
    address: str
    busy: int
    """Number of assigned tasks."""

    cpu: float
    """Processor load, % of one processor."""

    memory: int
    """Memory use in bytes."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a task."""

    ticket: int
    """Ticket returned by `submit`."""

    value: Any
    """Return value of the function; None if there is an `error`."""

    error: BaseException | None = None
    killed: bool = False
    """Whether the task was given up because too many workers died."""

    lost: bool = False
    """Whether the task was lost, with all others, when the connection to the scheduler
    broke."""


class Cluster:
    """A scheduler and its workers, as a context manager.

    Raises `StudyError` if the scheduler is invalid or does not respond.

    Parameters
    ----------
    workers : int, optional
        Number of processes on this computer.
    scheduler : str, optional
        Address of an existing scheduler (``tcp://host:8786``); no process is started here then.
    """

    def __init__(
        self, workers: int | None = None, scheduler: str | None = None, tls: Tls | None = None
    ) -> None:
        # Slow to import; reads its settings at import.
        import dask
        import distributed

        security = None if scheduler is None else security_of(scheduler, tls)
        self.local = scheduler is None
        self._worker_count = (
            (default_workers() if workers is None else workers) if self.local else 0
        )
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
            "distributed.scheduler.worker-saturation": 1.0,  # queued tasks would also be blamed for its death
            "distributed.admin.tick.limit": "10s",
            "distributed.admin.tick.interval": "1s",
            "distributed.comm.timeouts.connect": f"{_CONNECT_S}s",
        }
        dask.config.set(settings)
        ignore_environment_warnings()
        for name in _LOGS:  # the caller reports what matters
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
                for number in range(self._worker_count):
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
                f"{scheduler or 'this computer'}: no scheduler responds ({_reason(error)}). Check that"
                " 'dask scheduler' is running there, and that the address has the form tcp://host:8786."
            ) from None

    @cached_property
    def dashboard(self) -> str:
        """Address of dask's own page about the cluster; "" if missing.

        The address is tested: the scheduler also reports one if the page is disabled or cannot be drawn.
        """
        with contextlib.suppress(Exception):
            link = str(self.client.dashboard_link)
            return link if is_page(link) else ""
        return ""

    @property
    def pids(self) -> list[int]:
        """Process ids of the workers on this computer."""
        return [process.pid for process in self._processes]

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes on this computer, even busy ones, and disconnect from an existing cluster."""
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
        """Restart workers on this computer that died.

        Raises `StudyError` if they die immediately after the start.
        """
        for number, process in enumerate(self._processes):
            if process.poll() is None or self._closed.is_set():
                continue
            name = f"here-{number + 1}"
            self._stillborn = 0 if name in self._joined else self._stillborn + 1
            self._joined.discard(name)
            if self._stillborn >= _STILLBORN:
                raise StudyError(
                    f"Worker processes end immediately after the start: {self._complaint(number)}"
                )
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()
            self._processes[number] = self._started(number)

    def _complaint(self, number: int) -> str:
        """Return the last message of a worker on this computer."""
        file = self._complaints[number]
        file.seek(0)
        lines = file.read().decode(errors="replace").strip().splitlines()
        return (
            lines[-1]
            if lines
            else f"exit code {self._processes[number].returncode}. Free some memory."
        )

    # ----------------------------------------------------------------------------------------- work

    def share(self, value: Any) -> Any:
        """Return a handle of a value that is sent to each worker only once, as an argument of `submit`.

        Unlike dask's scattered data it survives the death of all workers that had it.
        """
        return self.client.submit(
            _same, value, key=f"shared-{os.getpid()}-{time.monotonic_ns()}", pure=False
        )

    def submit(
        self, function: Callable[..., Any], *arguments: Any, workers: Sequence[str] | None = None
    ) -> int:
        """Let a worker call `function`; `answers` returns the result.

        Parameters
        ----------
        function : callable
            Function of a module that workers can import.
        *arguments
            Arguments that can be pickled.
        workers : sequence of str, optional
            Addresses of the permitted workers; all if omitted.

        Returns
        -------
        int
            Ticket of the task.
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
        self.client.loop.add_callback(self._on_done, ticket, future)
        return ticket

    async def _on_done(self, ticket: int, future: Any) -> None:
        """Fetch the result of a task, in the client's event loop.

        If the worker with the result dies before it was fetched, the scheduler computes it again;
        this coroutine waits for that without blocking anything.
        """
        task = asyncio.current_task()
        assert task is not None
        self._fetching.add(task)
        error: BaseException | None = None
        value = None
        try:
            value = await self._fetched(future)
        except (CancelledError, asyncio.CancelledError):
            if ticket in self._futures:  # the task was not discarded meanwhile
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
            ):  # the connection failed, not the task; `alive` detects a lost scheduler
                await asyncio.sleep(_AGAIN_S)

    async def _fetch_no_more(self) -> None:
        """Cancel pending fetches through their futures; otherwise dask leaves tasks behind that log errors later."""
        with contextlib.suppress(Exception):
            await self.client.cancel(list(self._futures.values()), asynchronous=True, force=True)
        if self._fetching:
            await asyncio.wait(self._fetching, timeout=_ENDING_S)
        for task in list(self._fetching):
            task.cancel()

    def cancel_task(self, ticket: int) -> None:
        """Cancel a task."""
        future = self._futures.pop(ticket, None)
        if future is not None:
            with contextlib.suppress(Exception):
                future.cancel(force=True)

    def answers(self, timeout: float) -> list[Answer]:
        """Return the results that have arrived; waits up to `timeout` s for the first one."""
        answers: list[Answer] = []
        with contextlib.suppress(queue.Empty):
            answers.append(self._answers.get(timeout=timeout))
            while True:
                answers.append(self._answers.get_nowait())
        for answer in answers:
            self._futures.pop(answer.ticket, None)
        return answers

    def everywhere(self, function: Callable[..., Any], *arguments: Any) -> Mapping[str, Any]:
        """Return values of `function` in every worker that responds, by the address of the worker."""
        with contextlib.suppress(Exception):
            results: dict[str, Any] = self.client.run(function, *arguments, on_error="return")
            return results
        return {}

    def stop(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Cancel all tasks and stop running ones: here by ending the processes, elsewhere by calling `function`."""
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
        """Whether the scheduler responds."""
        return bool(self.client.status == "running")

    def workers(self) -> list[WorkerInfo]:
        """Return all current workers."""
        workers = []
        with contextlib.suppress(Exception):
            for address, info in self.client.scheduler_info(n_workers=-1)["workers"].items():
                metrics = info.get("metrics", {})
                tasks = metrics.get("task_counts", {})
                busy = int(tasks.get("executing", 0)) if isinstance(tasks, dict) else 0
                host = str(info.get("host", address))
                name = str(info.get("name", address))
                cpu = float(metrics.get("cpu", 0.0))
                memory = int(metrics.get("memory", 0))
                workers.append(WorkerInfo(name, host, str(address), busy, cpu, memory))
                self._joined.add(name)
        return workers


def _same(value: Any) -> Any:
    return value


def is_page(link: str) -> bool:
    """Return whether a link leads to a complete page, and not only to a short notice."""
    from urllib.request import ProxyHandler, build_opener  # slow to import

    with (
        contextlib.suppress(OSError, ValueError),
        build_opener(ProxyHandler({})).open(link, timeout=_PAGE_S) as page,
    ):
        return b"<html" in page.read(_PAGE_BYTES).lower()
    return False


def _reason(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:200]
