"""How far a run is, apart from the states of its engine and controller: a part of every saved state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from snakestudio.engines.saved_state import demand
from snakestudio.model.reference import Reference
from snakestudio.model.scene import Scene
from snakestudio.session.reference_feed import MAX_PERIODS


@dataclass(frozen=True, slots=True)
class Progress:
    """References that are under way, and which row comes next."""

    reference: Reference | None
    reference_begin: int
    reference_end: int
    """`reference_begin` and `reference_end`: steps that it is for."""

    next_row: int
    """Number of the next row on the grid of the log."""

    last_row_step: int
    end_step: int
    """`last_row_step` and `end_step`: step of the last row, and at which the run ends."""


def check_progress(progress: Any, scene: Scene, step: int) -> None:
    """Check that a saved progress belongs to a step of a run; its reference's arrays are not checked.

    Raises `StateError` if it does not.
    """
    demand(isinstance(progress, Progress))
    begin, end = progress.reference_begin, progress.reference_end
    steps_per_row = 1.0 / (scene.run.log_rate_hz * scene.solver.step_s)
    ahead = max(scene.n_steps, MAX_PERIODS * scene.steps_per_period) + 1
    for number in (begin, end, progress.next_row, progress.last_row_step, progress.end_step):
        demand(type(number) is int and 0 <= number <= step + ahead)
    demand(abs(progress.next_row * steps_per_row - step) <= steps_per_row + 1.0)
    demand(progress.last_row_step <= step <= progress.end_step)
    if progress.reference is not None:
        demand(begin <= step <= end)
