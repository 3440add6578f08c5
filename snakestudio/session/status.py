"""Status of a session, which is swapped as a whole, and its events, which are rare."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from snakestudio.errors import PluginRuntimeError, Problem

State = Literal[
    "empty",
    "preparing",
    "unprepared",
    "continuing",
    "ready",
    "running",
    "paused",
    "finished",
    "blocked",
    "failed",
]


@dataclass(frozen=True, slots=True)
class Status:
    """Status of a session."""

    state: State = "empty"
    """"empty" (no scene), "preparing" (compiling the engine), "unprepared" (preparing was cancelled or
    failed, see `message`, until it is requested again), "continuing" (returning to a recorded time),
    "ready" (at t = 0), "running", "paused", "finished" (duration reached), "blocked" (the scene cannot
    run, see `problems`), "failed" (the simulation failed, see `message`)."""

    message: str = ""
    """Sentence for the status bar."""

    progress: float = 0.0
    """Finished fraction while preparing."""

    seconds_left: float | None = None
    """Remaining time of preparing, s; None once it takes longer than expected."""

    engine: str = ""
    """Model of the engine that is being prepared or is not prepared."""

    queued: bool = False
    """Whether the run starts as soon as the engine is prepared."""

    cancelled: bool = False
    """Whether the engine is unprepared because of a cancellation and not because of an error."""

    problems: tuple[Problem, ...] = ()
    """All problems of the scene, errors first."""

    pending: tuple[str, ...] = ()
    """Dotted keys of edits that apply at the next reset."""


class Event:
    """Rare event of a session."""


@dataclass(frozen=True, slots=True)
class StatusChanged(Event):
    """The status of the session changed."""

    status: Status


@dataclass(frozen=True, slots=True)
class RunFinished(Event):
    """The run reached its duration."""

    time: float


@dataclass(frozen=True, slots=True)
class RunFailed(Event):
    """The simulation failed; the recording is preserved, and the contact problem, if any, was saved."""

    message: str
    saved: Path | None


@dataclass(frozen=True, slots=True)
class PluginFailed(Event):
    """Code of a plug-in failed; the run is paused and can continue after the plug-in is fixed and reloaded."""

    error: PluginRuntimeError


@dataclass(frozen=True, slots=True)
class RunContinued(Event):
    """The run continues from a recorded time; `notes` are sentences about its start."""

    time: float
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunNotContinued(Event):
    """A run could not be continued; everything is unchanged."""

    message: str


@dataclass(frozen=True, slots=True)
class RecordingStopped(Event):
    """The run can no longer be written to its file (the disk is full); it continues in memory."""

    message: str
