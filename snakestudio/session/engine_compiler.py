"""Compilation of engines in separate processes, so that the window remains responsive; results are cached."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import IO

from snakestudio.engines import registry
from snakestudio.engines.compiled_only import load
from snakestudio.errors import PreparationError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.paths import kernels_dir, own_program
from snakestudio.session.time_left import TimeLeft

_LOOK_S = 5.0
"""Interval of checks whether another process has compiled the same engine, s; each check reads all sources."""

_PART_S = 0.18
"""Assumed time to compile a function on an unknown machine, s; 0.10 to 0.20 s were measured."""

_PATIENCE_S = 1.0
"""Time for a process to end before it is killed, s."""

_LAST_WORDS = 5
"""Number of last output lines that are kept for the error message of a failed process."""


def is_prepared(kind: str) -> bool:
    """Return whether all code of `kind` is compiled, by loading it.

    Raises `PreparationError` if the cache folder cannot be used.
    """
    try:
        return registry.is_warm(kind) and load(kind)
    except OSError as error:
        raise PreparationError(_unusable(error)) from None


def _unusable(error: OSError) -> str:
    return (
        f"The compiled engine cannot be saved in {kernels_dir()} ({error.strerror or error}). Free some space, make it "
        "writable, or set another folder in SNAKESTUDIO_KERNELS_DIR."
    )


def expected_seconds(kind: str) -> float:
    """Return the expected time to compile an engine before its pace on this machine is known, s."""
    return _PART_S * max(FORMULATIONS[kind].parts, 1)


def compile_here(kind: str, report: Callable[[float, str], None]) -> None:
    """Compile an engine in this process.

    Raises `PreparationError` if it cannot be saved in the cache folder.

    Parameters
    ----------
    report : callable
        Receives the finished fraction and the current activity.
    """
    try:
        registry.warm_up(kind, report)
    except OSError as error:
        raise PreparationError(_unusable(error)) from None


@dataclass(frozen=True, slots=True)
class Stage:
    """Progress of a preparation."""

    fraction: float
    """Finished fraction of the time; it increases with the clock, never decreases, and is 1 only at the end."""

    seconds_left: float | None
    """Expected remaining time, s; None once it takes longer than expected."""

    ended: bool = False
    error: str = ""
    """Reason of a failure with a remedy, as sentences; empty if it succeeded."""


class Preparation:
    """Running compilation, whose process always ends with this one.

    Parameters
    ----------
    kind : str
        Model of the engine.
    command : sequence of str, optional
        Command to run instead of this program's `warm-up`.
    clock : callable
        Current time, s.
    """

    def __init__(
        self,
        kind: str,
        *,
        command: Sequence[str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.kind = kind
        self._clock = clock
        self._left = TimeLeft(expected_seconds(kind), clock())
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._output: list[str] = []
        self._next_look = clock() + _LOOK_S
        # An existing mark does not prove that another process has just compiled it.
        self._marked = registry.is_warm(kind)
        self._done_elsewhere = self._stopped = False
        self.process = subprocess.Popen(
            command or _command(kind),
            stdin=subprocess.PIPE,  # the process ends when this is closed
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        assert self.process.stdout is not None
        self.reader = threading.Thread(
            target=self._read,
            args=(self.process.stdout,),
            name="snakestudio-preparation",
            daemon=True,
        )
        self.reader.start()

    @property
    def pid(self) -> int:
        """Identifier of its process."""
        return self.process.pid

    def _read(self, stream: IO[str]) -> None:
        with contextlib.suppress(ValueError), stream:
            for line in stream:
                self._lines.put(line)
        self.process.wait()

    def poll(self) -> Stage:
        """Return the current progress."""
        now = self._clock()
        ended = self.process.poll() is not None
        if ended and not self._stopped:
            self.reader.join()  # the last output states the reason
        with contextlib.suppress(queue.Empty):
            while True:
                self._read_line(self._lines.get_nowait().strip(), now)
        if ended and not self._done_elsewhere:
            error = self._why_failed(self.process.returncode)
            return Stage(1.0 if not error else self._left.fraction(now), None, True, error)
        if not self._marked and now >= self._next_look:
            self._next_look = now + _LOOK_S
            self._done_elsewhere = self._done_elsewhere or registry.is_warm(self.kind)
        if self._done_elsewhere:
            return Stage(1.0, None, True)
        return Stage(self._left.fraction(now), self._left.seconds(now))

    def _read_line(self, line: str, now: float) -> None:
        fraction, _, _ = line.partition(" ")
        try:
            self._left.update(float(fraction), now)
        except ValueError:
            self._output = [*self._output, line.removeprefix("snakestudio: ")][-_LAST_WORDS:]

    def _why_failed(self, code: int) -> str:
        if code == 0:
            return ""
        name = FORMULATIONS[self.kind].short
        if code == 2 and self._output:  # a message of this program
            return self._output[-1]
        if self._stopped:
            return f"The {name} engine is not prepared."
        if code == -getattr(signal, "SIGKILL", 9):
            why = "the system killed its process, probably because of low memory; close other programs"
        elif code < 0:
            why = f"signal {-code} ended its process"
        else:
            why = f"its process ended with code {code}" + (
                f": {self._output[-1]}" if self._output else ""
            )
        return f"Preparing the {name} engine failed: {why}. Prepare it again; everything else works without it."

    def stop(self) -> None:
        """End the compilation, finished or not; returns immediately."""
        if self._stopped:
            return
        self._stopped = True
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        if self.process.poll() is None:
            self.process.terminate()
            threading.Thread(
                target=self._wait_for_end, name="snakestudio-reaper", daemon=True
            ).start()

    def _wait_for_end(self) -> None:
        try:
            self.process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _command(kind: str) -> list[str]:
    return [*own_program(), "warm-up", kind, "--tethered"]


def step_back() -> None:
    """Lower the priority of the calling thread below those that drive the display."""
    with contextlib.suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, 0, 5)


class EngineCompiler:
    """All preparations of a program, each shared by all callers that wait for it. Thread-safe.

    Parameters
    ----------
    begin : callable, optional
        Starts a preparation of a kind.
    """

    def __init__(self, begin: Callable[[str], Preparation] | None = None) -> None:
        self._begin = begin or Preparation
        self._lock = threading.Lock()
        self._needed: dict[str, tuple[Preparation, int]] = {}

    def need(self, kind: str) -> Preparation:
        """Return the preparation of `kind`, started if necessary; each caller must `release` it."""
        with self._lock:
            preparation, users = self._needed.get(kind, (None, 0))
            if preparation is None:
                preparation = self._begin(kind)
            self._needed[kind] = preparation, users + 1
            return preparation

    def release(self, preparation: Preparation) -> None:
        """Stop waiting for a preparation; it ends when no caller waits for it."""
        with self._lock:
            current, users = self._needed.get(preparation.kind, (None, 0))
            if current is not preparation:
                return
            if users > 1:
                self._needed[preparation.kind] = preparation, users - 1
                return
            del self._needed[preparation.kind]
        preparation.stop()

    def close(self) -> None:
        """End all preparations; returns immediately."""
        with self._lock:
            needed = [one for one, _ in self._needed.values()]
            self._needed = {}
        for one in needed:
            one.stop()


def prepare(
    kinds: Iterable[str],
    progress: Callable[[str, Stage], bool],
    preparations: EngineCompiler | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> bool:
    """Compile the missing engines of `kinds` in sequence, and wait until this is done.

    Raises `PreparationError` if one cannot be compiled.

    Parameters
    ----------
    progress : callable
        Receives the current kind and its progress; returns False to cancel.
    preparations : EngineCompiler, optional
        Preparations of the program, so that nothing is compiled twice at the same time.
    wait : callable
        Waits some seconds between two checks.

    Returns
    -------
    bool
        False if it was cancelled.
    """
    preparations = preparations or EngineCompiler()
    for kind in kinds:
        if is_prepared(kind):
            continue
        preparation = preparations.need(kind)
        try:
            while True:
                stage = preparation.poll()
                if stage.error:
                    raise PreparationError(stage.error)
                if not progress(kind, stage):
                    return False
                if stage.ended:
                    break
                wait(0.05)
        finally:
            preparations.release(preparation)
    return True
