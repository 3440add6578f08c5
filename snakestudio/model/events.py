"""What happened during a run besides its rows: values that were changed, and moments worth going back to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

EventKind = Literal["impact", "jam", "freed", "unsolved", "fault", "continued", "note"]
"""What a moment is: an impact on an obstacle, a controller that finds the robot jammed or free
again, steps that were not solved well enough, something that failed, another run that goes on from
here, a remark."""


MOST_CHANGES = 20_000
"""Changes that a run may note: each is a scene of its own when it is read back."""


DRIVEN = "The joints are driven by a program"
"""Text of the note in a run whose references do not come from its scene from then on."""


@dataclass(frozen=True, slots=True)
class Change:
    """Scene values that were changed while the run went."""

    time: float
    """Simulated time from which they held, s."""

    values: dict[str, Any]
    """Scene values by dotted key."""


@dataclass(frozen=True, slots=True)
class RunEvent:
    """A moment of a run that one may want to go back to."""

    time: float
    """Simulated time, s."""

    kind: EventKind
    """One of `EventKind`."""

    text: str
    """What happened, for people: a short sentence without its time."""

    weight: float = 0.0
    """How much of it there was, in the unit of the text (N s of an impact, a residual), to tell the
    important ones."""
