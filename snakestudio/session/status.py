"""What a session says of itself: its status, swapped as a whole, and events, rare by nature."""

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
    """What a session is doing."""

    state: State = "empty"
    """"empty" (no scene), "preparing" (compiling the engine), "unprepared" (that was cancelled or
    failed, see `message`, and goes on when it is asked for), "continuing" (going back to a recorded
    moment), "ready" (at t = 0), "running", "paused", "finished" (duration reached), "blocked" (the
    scene cannot run, see `problems`), "failed" (the physics failed, see `message`)."""

    message: str = ""
    """A sentence for the status bar."""

    progress: float = 0.0
    """Finished fraction while preparing."""

    seconds_left: float | None = None
    """How long preparing still takes; None once it takes longer than expected."""

    engine: str = ""
    """Kind of the model whose engine is being prepared, or is not prepared."""

    queued: bool = False
    """Whether it runs as soon as it is prepared."""

    cancelled: bool = False
    """Whether it is unprepared because somebody wanted that, and not because of something that is
    wrong."""

    problems: tuple[Problem, ...] = ()
    """All findings about the scene, errors first."""

    pending: tuple[str, ...] = ()
    """Dotted keys of edits that apply at the next reset."""


class Event:
    """Something rare that happened in a session."""


@dataclass(frozen=True, slots=True)
class StatusChanged(Event):
    """`Session.status` is another one."""

    status: Status


@dataclass(frozen=True, slots=True)
class RunFinished(Event):
    """The run reached its duration."""

    time: float


@dataclass(frozen=True, slots=True)
class RunFailed(Event):
    """The physics failed; what was recorded is kept, and the contact problem was saved if there was one."""

    message: str
    saved: Path | None


@dataclass(frozen=True, slots=True)
class PluginFailed(Event):
    """Code of a plug-in failed: the run is paused, and goes on from there once the plug-in is fixed and reloaded."""

    fault: PluginRuntimeError


@dataclass(frozen=True, slots=True)
class Continued(Event):
    """The run goes on from a recorded moment; `notes` are sentences of what is to be known about that."""

    time: float
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotContinued(Event):
    """A run could not be gone on with; everything is as it was."""

    message: str


@dataclass(frozen=True, slots=True)
class RecordingStopped(Event):
    """The run cannot be written to its file any more (the disk is full); it goes on, and stays in memory."""

    message: str
