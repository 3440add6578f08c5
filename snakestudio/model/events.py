"""Events of a run in addition to its rows: changed values, and notable moments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

EventKind = Literal["impact", "jam", "freed", "unsolved", "fault", "continued", "note"]
"""Kind of an event: an impact on an obstacle, a controller that detects a jam or its end, steps that
did not converge, a failure, another run that continues from here, a remark."""


MOST_CHANGES = 20_000
"""Largest number of changes in a run: each becomes a scene when read back."""


DRIVEN = "The joints are driven by a program"
"""Text of the note in a run whose references no longer come from its scene."""


@dataclass(frozen=True, slots=True)
class Change:
    """Scene values that changed during the run."""

    time: float
    """Simulated time of the change, s."""

    values: dict[str, Any]
    """Scene values by dotted key."""


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Notable moment of a run."""

    time: float
    """Simulated time, s."""

    kind: EventKind
    """One of `EventKind`."""

    text: str
    """Short sentence on the event, without its time."""

    weight: float = 0.0
    """Magnitude of the event in the unit of the text (N s of an impact, a residual), to rank events."""
