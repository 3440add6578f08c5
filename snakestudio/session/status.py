"""What a session says of itself: its status, swapped as a whole, and events, rare by nature."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from snakestudio.errors import Problem

__all__ = [
    "Continued",
    "Event",
    "NotContinued",
    "RecordingStopped",
    "RunFailed",
    "RunFinished",
    "State",
    "Status",
    "StatusChanged",
]

State = Literal["empty", "preparing", "continuing", "ready", "running", "paused", "finished", "blocked", "failed"]


@dataclass(frozen=True, slots=True)
class Status:
    """What a session is doing.

    Attributes
    ----------
    state : str
        "empty" (no scene), "preparing" (compiling the engine), "continuing" (going back to a recorded moment),
        "ready" (at t = 0), "running", "paused", "finished" (duration reached), "blocked" (the scene cannot run, see
        `problems`), "failed" (the physics failed, see `message`).
    message : str
        A sentence for the status bar.
    progress : float
        Finished fraction while preparing.
    problems : tuple of Problem
        All findings about the scene, errors first.
    pending : tuple of str
        Dotted keys of edits that apply at the next reset.
    """

    state: State = "empty"
    message: str = ""
    progress: float = 0.0
    problems: tuple[Problem, ...] = ()
    pending: tuple[str, ...] = ()


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
