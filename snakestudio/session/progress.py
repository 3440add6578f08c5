"""Progress of a run without the states of its engine and controller, as part of each saved state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from snakestudio.engines.saved_state import demand
from snakestudio.model.reference import Reference
from snakestudio.model.scene import Scene
from snakestudio.session.reference_feed import MAX_PERIODS
from snakestudio.session.run_log import steps_per_row


@dataclass(frozen=True, slots=True)
class Progress:
    """Current references and number of the next row."""

    reference: Reference | None
    reference_begin: int
    """First step of the reference."""

    reference_end: int
    """Last step of the reference."""

    next_row: int
    """Number of the next row on the log grid."""

    last_row_step: int
    """Step of the last row."""

    end_step: int
    """Step of the end of the run."""


def check_progress(progress: Any, scene: Scene, step: int) -> None:
    """Check that a saved progress belongs to a step of a run, without the arrays of its reference.

    Raises `StateError` otherwise.
    """
    demand(isinstance(progress, Progress))
    begin, end = progress.reference_begin, progress.reference_end
    distance = steps_per_row(scene)
    ahead = max(scene.n_steps, MAX_PERIODS * scene.steps_per_period) + 1
    for number in (begin, end, progress.next_row, progress.last_row_step, progress.end_step):
        demand(type(number) is int and 0 <= number <= step + ahead)
    demand(abs(progress.next_row * distance - step) <= distance + 1.0)
    demand(progress.last_row_step <= step <= progress.end_step)
    if progress.reference is not None:
        demand(begin <= step <= end)
