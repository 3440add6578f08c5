"""Compiling engines in processes of their own, so that a window stays fluid meanwhile; the result is in the cache."""

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
"""How often it is looked whether somebody else has compiled the same meanwhile, s: all sources are
read for that."""

_PART_S = 0.18
"""What a function takes to compile where nothing is known of the machine yet, s: 0.10 to 0.20 were
measured."""

_PATIENCE_S = 1.0
"""What a process that was asked to end may take for that before it is ended by force, s."""

_LAST_WORDS = 5
"""Lines of what a process said at last that are told of one that failed."""


def is_prepared(kind: str) -> bool:
    """Whether all code of `kind` is compiled, which is proved by loading it.

    Raises `PreparationError` if the cache folder cannot be used at all.
    """
    try:
        return registry.is_warm(kind) and load(kind)
    except OSError as error:
        raise PreparationError(_unusable(error)) from None


def _unusable(error: OSError) -> str:
    return (
        f"The compiled engine cannot be kept in {kernels_dir()} ({error.strerror or error}): make room there or let it "
        "be written, or name another folder in SNAKESTUDIO_KERNELS_DIR."
    )


def expected_seconds(kind: str) -> float:
    """How long compiling the engine `kind` is expected to take before its pace on this machine is seen, s."""
    return _PART_S * max(FORMULATIONS[kind].parts, 1)


def compile_here(kind: str, tell: Callable[[float, str], None]) -> None:
    """Compile an engine in this process.

    Raises `PreparationError` if the cache folder cannot take it in.

    Parameters
    ----------
    tell : callable
        Gets the finished fraction and what is being done.
    """
    try:
        registry.warm_up(kind, tell)
    except OSError as error:
        raise PreparationError(_unusable(error)) from None


@dataclass(frozen=True, slots=True)
class Stage:
    """How far a preparation is."""

    fraction: float
    """Finished share of the time; goes on by the clock, never back, and is 1 only at the end."""

    seconds_left: float | None
    """None once it takes longer than expected."""

    ended: bool = False
    error: str = ""
    """Why it ended without a result, in a sentence with what to do; empty if it went well."""


class Preparation:
    """A running compilation. Its process ends with this one, however this one ends.

    Parameters
    ----------
    kind : str
        Model whose engine is compiled.
    command : sequence of str, optional
        What is run in place of this program's `warm-up`.
    clock : callable
        Time, s.
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
        self._said: list[str] = []
        self._next_look = clock() + _LOOK_S
        # A mark that is there already does not show that another process has just compiled it.
        self._marked = registry.is_warm(kind)
        self._done_elsewhere = self._stopped = False
        self.process = subprocess.Popen(
            command or _command(kind),
            stdin=subprocess.PIPE,  # its end is how the process learns that this one is gone
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
        """Of its process."""
        return self.process.pid

    def _read(self, stream: IO[str]) -> None:
        with contextlib.suppress(ValueError), stream:
            for line in stream:
                self._lines.put(line)
        self.process.wait()

    def look(self) -> Stage:
        """How far it is."""
        now = self._clock()
        ended = self.process.poll() is not None
        if ended and not self._stopped:
            self.reader.join()  # what it said at last says why it ended
        with contextlib.suppress(queue.Empty):
            while True:
                self._hear(self._lines.get_nowait().strip(), now)
        if ended and not self._done_elsewhere:
            error = self._why_failed(self.process.returncode)
            return Stage(1.0 if not error else self._left.fraction(now), None, True, error)
        if not self._marked and now >= self._next_look:
            self._next_look = now + _LOOK_S
            self._done_elsewhere = self._done_elsewhere or registry.is_warm(self.kind)
        if self._done_elsewhere:
            return Stage(1.0, None, True)
        return Stage(self._left.fraction(now), self._left.seconds(now))

    def _hear(self, line: str, now: float) -> None:
        fraction, _, _ = line.partition(" ")
        try:
            self._left.told(float(fraction), now)
        except ValueError:
            self._said = [*self._said, line.removeprefix("snakestudio: ")][-_LAST_WORDS:]

    def _why_failed(self, code: int) -> str:
        if code == 0:
            return ""
        name = FORMULATIONS[self.kind].short
        if code == 2 and self._said:  # a sentence of the program's own
            return self._said[-1]
        if self._stopped:
            return f"The {name} engine is not prepared."
        if code == -getattr(signal, "SIGKILL", 9):
            why = "the system ended its process, most likely because memory ran out; close other programs"
        elif code < 0:
            why = f"its process was ended by signal {-code}"
        else:
            why = f"its process ended with code {code}" + (
                f": {self._said[-1]}" if self._said else ""
            )
        return f"Preparing the {name} engine failed: {why}. Prepare it again to go on; all else works without it."

    def stop(self) -> None:
        """End it, finished or not; returns at once."""
        if self._stopped:
            return
        self._stopped = True
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        if self.process.poll() is None:
            self.process.terminate()
            threading.Thread(
                target=self._see_it_end, name="snakestudio-reaper", daemon=True
            ).start()

    def _see_it_end(self) -> None:
        try:
            self.process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _command(kind: str) -> list[str]:
    return [*own_program(), "warm-up", kind, "--tethered"]


def step_back() -> None:
    """Let the calling thread leave the processor to those that people look at."""
    with contextlib.suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, 0, 5)


class EngineCompiler:
    """All preparations of a program, each shared by everyone who waits for it. For any thread.

    Parameters
    ----------
    begin : callable, optional
        Begins one: gets the kind.
    """

    def __init__(self, begin: Callable[[str], Preparation] | None = None) -> None:
        self._begin = begin or Preparation
        self._lock = threading.Lock()
        self._needed: dict[str, tuple[Preparation, int]] = {}

    def need(self, kind: str) -> Preparation:
        """The preparation of `kind`, begun if it is not under way; everyone who asks gives it back by `release`."""
        with self._lock:
            found, users = self._needed.get(kind, (None, 0))
            if found is None:
                found = self._begin(kind)
            self._needed[kind] = found, users + 1
            return found

    def release(self, preparation: Preparation) -> None:
        """It is not waited for any more; nobody else waiting for it, it ends."""
        with self._lock:
            found, users = self._needed.get(preparation.kind, (None, 0))
            if found is not preparation:
                return
            if users > 1:
                self._needed[preparation.kind] = preparation, users - 1
                return
            del self._needed[preparation.kind]
        preparation.stop()

    def close(self) -> None:
        """End everything; returns at once."""
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
    """Compile those engines of `kinds` that are not compiled, one after the other; returns when that is done.

    Raises `PreparationError` if one cannot be compiled.

    Parameters
    ----------
    progress : callable
        Gets the kind that is being compiled and how far that is; False stops.
    preparations : EngineCompiler, optional
        Those of the program, so that nothing is compiled twice at once.
    wait : callable
        Lets some seconds pass between two looks.

    Returns
    -------
    bool
        False if it was stopped.
    """
    preparations = preparations or EngineCompiler()
    for kind in kinds:
        if is_prepared(kind):
            continue
        preparation = preparations.need(kind)
        try:
            while True:
                stage = preparation.look()
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
