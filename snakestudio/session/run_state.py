"""How far a run is, beside the states of engine and controller: a part of every checkpoint."""

from __future__ import annotations

from dataclasses import dataclass

from snakestudio.model.reference import Reference

__all__ = ["Progress"]


@dataclass(frozen=True, slots=True)
class Progress:
    """References that are under way, and which row comes next.

    Attributes
    ----------
    reference : Reference or None
    reference_begin, reference_end : int
        Steps that it is for.
    next_row : int
        Number of the next row on the grid of the log.
    last_row_step, end_step : int
        Step of the last row, and at which the run ends.
    """

    reference: Reference | None
    reference_begin: int
    reference_end: int
    next_row: int
    last_row_step: int
    end_step: int
