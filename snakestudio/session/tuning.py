"""Whether code for this very processor is worth it here: both kinds of code are timed by turns, in fresh processes.

Fresh ones for every pair, because where a process's memory lies makes some per cent of difference; by turns, because a
busy machine then slows both down; and only the processor time of the engine's steps.
"""

from __future__ import annotations

import contextlib
import math
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import IO, Protocol

from snakestudio import processor
from snakestudio.engines import registry
from snakestudio.errors import PhysicsError, PreparationError, UsageError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.edits import with_value
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import kernels_dir, own_program, scenes_dir
from snakestudio.session.compile_schedule import expected
from snakestudio.session.engine_compiler import Preparation
from snakestudio.session.engine_compiler import Stage as PreparationStage
from snakestudio.session.time_left import TimeLeft

__all__ = [
    "CASES",
    "FOLLOWS",
    "HEADINGS",
    "OFFER",
    "PAIRS",
    "READ",
    "Case",
    "Preparing",
    "Stage",
    "Timer",
    "Timing",
    "TimingProcess",
    "cells",
    "description",
    "measure",
    "serve",
    "switch",
    "verdict",
    "why_not",
    "why_not_measure",
]

PAIRS = 7
"""How often every scene is timed with both kinds of code."""

REPEATS = 4
"""How often both of a pair run a scene by turns, after once to load the code; the least time of each counts."""

WORTH = 0.03
"""Gain from which code for this very processor is recommended."""

_CASE_S = 1.2
"""What it takes to time a scene in a process, s: at first, until it is seen how long it does take."""

FOLLOWS = (
    "Results then differ in the last digits from those of other machines; every run says in its header which it was "
    "computed for. It holds from the next start on, and what is not compiled for it yet is compiled when it is needed."
)
"""What computing for this very processor means."""

OFFER = "This processor has wider vectors (AVX-512), and engines tuned for it may be faster."
"""What is said once."""


@dataclass(frozen=True, slots=True)
class Case:
    """A shipped scene that an engine is timed with.

    Attributes
    ----------
    scene : str
        Its name.
    kind : str
        Its model.
    seconds : float
        Simulated time, s: about a fifth of a second of processor time.
    """

    scene: str
    kind: str
    seconds: float


CASES = tuple(
    Case(scene, kind, seconds) for kind, declared in FORMULATIONS.items() for scene, seconds in declared.timed.items()
)


@dataclass(frozen=True, slots=True)
class Timing:
    """What was found of a scene so far.

    Attributes
    ----------
    case : Case
    pairs : tuple of (float, float)
        Processor time of a step for the baseline, and tuned, run by turns, s.
    """

    case: Case
    pairs: tuple[tuple[float, float], ...] = ()

    @property
    def middle(self) -> tuple[float, float]:
        """The pair whose gain is the median, so that its times and the gain belong together."""
        ordered = sorted(self.pairs, key=lambda pair: pair[0] / pair[1])
        return ordered[(len(ordered) - 1) // 2]

    @property
    def gain(self) -> float:
        """By which share the baseline takes longer, in the pair in the middle; below 0 if it is faster."""
        baseline, tuned = self.middle
        return baseline / tuned - 1.0

    @property
    def worth_it(self) -> bool:
        """Whether the gain is large enough, and no accident: all pairs but one, at least, show some."""
        return self.gain > WORTH and sum(baseline <= tuned for baseline, tuned in self.pairs) <= 1


@dataclass(frozen=True, slots=True)
class Stage:
    """How far measuring is.

    Attributes
    ----------
    fraction : float
        Share of the time that has passed.
    seconds_left : float or None
        None once it takes longer than expected.
    doing : str
    timings : tuple of Timing
        What is known so far, in the order of the cases.
    """

    fraction: float
    seconds_left: float | None
    doing: str
    timings: tuple[Timing, ...]


class _StoppedError(Exception):
    """It was stopped from outside."""


Look = Callable[[], None]
"""Is called again and again by whoever waits; raises where the work shall stop."""


class Timer(Protocol):
    """Times engines that compute for one target."""

    def missing(self, kinds: Iterable[str], look: Look) -> tuple[str, ...]:
        """Those of `kinds` that are not compiled for it."""
        ...

    def step_time(self, case: Case, look: Look) -> float:
        """Processor time of a step in one run, s."""
        ...

    def close(self) -> None:
        """End it."""
        ...


class Preparing(Protocol):
    """An engine being compiled; see `Preparation`."""

    def look(self) -> PreparationStage:
        """How far it is."""
        ...

    def stop(self) -> None:
        """End it, finished or not."""
        ...


# --- in a process of its own ----------------------------------------------------------------------------------------


class TimingProcess:
    """Times in a process of its own, which ends with this one, however this one ends.

    Parameters
    ----------
    tuned : bool
        Whether it computes for this very processor, or for the baseline.
    command : sequence of str, optional
        What is run in place of this program's `time-engines`.
    """

    def __init__(self, tuned: bool, *, command: Sequence[str] | None = None) -> None:
        self._process = subprocess.Popen(
            command or [*own_program(), "time-engines"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=processor.environment_for(tuned),
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._said = ""
        assert self._process.stdout is not None
        self._reader = threading.Thread(
            target=self._read, args=(self._process.stdout,), name="snakestudio-timing", daemon=True
        )
        self._reader.start()

    def _read(self, stream: IO[str]) -> None:
        with contextlib.suppress(ValueError), stream:
            for line in stream:
                self._lines.put(line)
        self._lines.put("")  # no line of a stream is

    def missing(self, kinds: Iterable[str], look: Look) -> tuple[str, ...]:
        """Those of `kinds` that are not compiled for it."""
        return tuple(self._ask(look, "missing", *kinds))

    def step_time(self, case: Case, look: Look) -> float:
        """Processor time of a step, s."""
        return float(self._ask(look, "time", case.scene, repr(case.seconds))[0])

    def _ask(self, look: Look, *words: str) -> list[str]:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # of one that has ended it is read why
            self._process.stdin.write(" ".join(words) + "\n")
            self._process.stdin.flush()
        while True:
            look()
            try:
                line = self._lines.get(timeout=0.05)
            except queue.Empty:
                continue
            if not line:
                said = f": {self._said}" if self._said else f" with code {self._process.wait()}"
                raise PreparationError(f"A process that timed an engine ended{said.rstrip('.')}. Measure again.")
            answer, *values = line.split()
            if answer == f"{words[0]}:":
                return values
            self._said = line.strip().removeprefix("snakestudio: ") or self._said

    def close(self) -> None:
        """End it."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        if self._process.poll() is None:
            self._process.kill()  # it has nothing to lose
        self._process.wait()
        self._reader.join()


def serve(questions: IO[str], answer: Callable[[str], object]) -> None:
    """What `TimingProcess` runs: answers until the questions end.

    Parameters
    ----------
    questions : text stream
        Lines of "missing MODEL ..." and "time SCENE SECONDS".
    answer : callable
        Gets a line for each.

    Raises
    ------
    PhysicsError
        If a scene could not be run.
    """
    for line in questions:
        asked, *words = line.split()
        if asked == "missing":
            answer(" ".join(["missing:", *(kind for kind in words if not registry.is_warm(kind))]))
        else:
            answer(f"time: {_step_time(words[0], float(words[1]))!r}")


def _step_time(name: str, seconds: float) -> float:
    """Processor time of a step in this process, s."""
    from snakestudio.session.runner import Runner

    path = scenes_dir() / f"{name}.toml"
    scene = with_value(load_scene(path), "run.duration_s", seconds)
    runner = Runner(scene, path.parent)
    try:
        report = runner.advance(runner.end_step)
        if not report.ok:
            raise PhysicsError(f"{name}: {report.message}")
        return runner.engine_seconds / runner.end_step
    finally:
        runner.recording.close()


# --- measuring ------------------------------------------------------------------------------------------------------


def _prepare(kind: str, tuned: bool) -> Preparing:
    return Preparation(kind, environment=processor.environment_for(tuned))


def measure(
    progress: Callable[[Stage], bool],
    *,
    cases: Sequence[Case] = CASES,
    pairs: int = PAIRS,
    begin: Callable[[bool], Timer] = TimingProcess,
    prepare: Callable[[str, bool], Preparing] = _prepare,
    clock: Callable[[], float] = time.monotonic,
    wait: Callable[[float], None] = time.sleep,
) -> tuple[Timing, ...] | None:
    """Compile what is missing and time all `cases` with both kinds of code.

    Parameters
    ----------
    progress : callable
        Gets how far it is, again and again; False stops.
    cases : sequence of Case
    pairs : int
        How often each is timed with both.
    begin : callable
        Begins a timer, tuned or not.
    prepare : callable
        Begins to compile a model's engine, tuned or not.
    clock : callable
        Time, s.
    wait : callable
        Lets some seconds pass between two looks.

    Returns
    -------
    tuple of Timing or None
        None if it was stopped.

    Raises
    ------
    PreparationError
        If an engine cannot be compiled or timed.
    """
    measuring = _Measuring(progress, cases, pairs, clock)
    try:
        measuring.compile(begin, prepare, wait)
        for number in range(pairs):
            measuring.time(begin, tuned_first=bool(number % 2))
    except _StoppedError:
        return None
    return measuring.timings


class _Measuring:
    """A measurement under way; times are counted in those that are expected."""

    def __init__(
        self, progress: Callable[[Stage], bool], cases: Sequence[Case], pairs: int, clock: Callable[[], float]
    ) -> None:
        self._progress, self._cases, self._clock = progress, cases, clock
        self.timings = tuple(Timing(case) for case in cases)
        self._doing = "Looking for what is compiled"
        self._total, self._done = 2 * pairs * len(cases) * _CASE_S, 0.0
        self._left = TimeLeft(self._total, clock())

    def _look(self) -> None:
        now = self._clock()
        stage = Stage(self._left.fraction(now), self._left.seconds(now), self._doing, self.timings)
        if not self._progress(stage):
            raise _StoppedError

    def _told(self, more: float = 0.0) -> None:
        done = (self._done + more) / self._total
        self._left.told(done if done < 1.0 - 1e-9 else 1.0, self._clock())

    def compile(
        self, begin: Callable[[bool], Timer], prepare: Callable[[str, bool], Preparing], wait: Callable[[float], None]
    ) -> None:
        """Compile what is not compiled yet."""
        kinds = tuple(dict.fromkeys(case.kind for case in self._cases))
        missing: list[tuple[str, bool]] = []
        for tuned in (False, True):
            with contextlib.closing(begin(tuned)) as timer:
                missing += [(kind, tuned) for kind in timer.missing(kinds, self._look)]
        self._total += sum(expected(kind).seconds for kind, _ in missing)
        self._left = TimeLeft(self._total, self._clock())
        for kind, tuned in missing:
            what = "this processor" if tuned else processor.BASELINE
            self._doing = f"Preparing the {FORMULATIONS[kind].short} engine for {what}"
            self._wait_for(prepare(kind, tuned), expected(kind).seconds, wait)

    def _wait_for(self, preparation: Preparing, seconds: float, wait: Callable[[float], None]) -> None:
        try:
            while True:
                stage = preparation.look()
                if stage.error:
                    raise PreparationError(stage.error)
                self._told(stage.fraction * seconds)
                self._look()
                if stage.ended:
                    break
                wait(0.05)
        finally:
            preparation.stop()
        self._done += seconds

    def time(self, begin: Callable[[bool], Timer], tuned_first: bool) -> None:
        """Time all cases once more with both."""
        order = (True, False) if tuned_first else (False, True)
        with contextlib.ExitStack() as stack:
            timers = {tuned: stack.enter_context(contextlib.closing(begin(tuned))) for tuned in order}
            for index, case in enumerate(self._cases):
                self._doing = f"Timing the {FORMULATIONS[case.kind].short} engine"
                found = dict.fromkeys(order, math.inf)
                for repeat in range(1 + REPEATS):
                    for tuned in order:
                        took = timers[tuned].step_time(case, self._look)
                        if repeat > 0:
                            found[tuned] = min(found[tuned], took)
                        self._done += _CASE_S / (1 + REPEATS)
                        self._told()
                timings = list(self.timings)
                timings[index] = replace(timings[index], pairs=(*timings[index].pairs, (found[False], found[True])))
                self.timings = tuple(timings)
                self._look()


# --- choosing, and saying it ----------------------------------------------------------------------------------------


def why_not() -> str:
    """Why there is nothing to choose on this machine, in a sentence; empty if there is."""
    if processor.has_baseline():
        return ""
    return (
        f"This processor ({processor.processor_name()}) does not run code for {processor.BASELINE}: everything is "
        "tuned for it anyway, and there is nothing to choose."
    )


def why_not_measure() -> str:
    """Why nothing can be measured, in a sentence; empty if it can."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return "NUMBA_DISABLE_JIT is set, so that no engine is compiled: take it away to measure."
    return why_not()


def switch(on: bool) -> None:
    """Compute for this very processor from the next start on, or for the baseline again.

    Raises
    ------
    UsageError
        If that makes no sense on this machine.
    PreparationError
        If the choice cannot be kept.
    """
    if reason := why_not():
        raise UsageError(reason)
    try:
        processor.tune(on)
    except OSError as error:
        raise PreparationError(
            f"The choice cannot be kept in {kernels_dir()} ({error.strerror or error}): let that folder be written, or "
            "name another one in SNAKESTUDIO_KERNELS_DIR."
        ) from None


def description() -> list[str]:
    """What is computed for now and from the next start on, and what this processor has, a sentence or two each."""
    now, name = processor.target(), processor.processor_name()
    if reason := why_not():
        return [reason]
    same = f"for {processor.BASELINE}: results have the same bits on every such processor"
    own = f"for this very processor ({name}): results differ in the last digits from those of other machines"
    said = [f"SnakeStudio computes {own if now.tuned else same}."]
    if processor.given():
        said.append(f"SNAKESTUDIO_PROCESSOR is set to {processor.given()}, which goes before what is chosen.")
    elif processor.chosen() != now.tuned:
        said.append(f"From the next start on it computes {own if processor.chosen() else same}.")
    if processor.has_wider_vectors():
        unused = "" if now.tuned else f", which code for {processor.BASELINE} leaves unused"
        said.append(f"This processor ({name}) has wider vectors (AVX-512){unused}.")
    else:
        said.append(f"This processor ({name}) is not known to have wider vectors (AVX-512): little is to be expected.")
    return said


READ = f"Processor time of a step: of {PAIRS} pairs that ran by turns, the one in the middle."
"""How timings are to be read."""

HEADINGS = ("Engine", "Scene", processor.BASELINE, "Tuned", "Gain")
"""What stands over the cells of timings."""


def cells(timing: Timing) -> tuple[str, str, str, str, str]:
    """A timing as texts: engine, scene, time of a step of each, gain; what is not known yet is left empty."""
    head = FORMULATIONS[timing.case.kind].short, timing.case.scene
    if not timing.pairs:
        return (*head, "", "", "")
    baseline, tuned = timing.middle
    return (*head, _duration(baseline), _duration(tuned), f"{100 * timing.gain:+.1f} %")


def _duration(seconds: float) -> str:
    micro = 1e6 * seconds
    return f"{micro:.{max(0, 2 - math.floor(math.log10(micro)))}f} µs" if micro > 0.0 else "0 µs"


def verdict(timings: Sequence[Timing]) -> str:
    """What is recommended, in a sentence or two."""
    best: dict[str, Timing] = {}
    for timing in sorted(timings, key=lambda timing: timing.gain):
        if timing.worth_it:
            best[timing.case.kind] = timing
    if not best:
        return (
            f"No engine is more than {100 * WORTH:.0f} % faster for certain: stay with {processor.BASELINE}, whose "
            "results have the same bits on other machines."
        )
    faster = ", ".join(
        f"{FORMULATIONS[kind].short} {100 * timing.gain:.0f} % (in {timing.case.scene})"
        for kind, timing in sorted(best.items(), key=lambda one: -one[1].gain)
    )
    return f"Worth it where time counts for more than the same bits on other machines; faster engines: {faster}."
