"""A table of values that plots can show, computed from the rows of a recording."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from snakestudio._arrays import FloatArray
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.snapshot import Fields

__all__ = ["Channel", "FloatArray"]


@dataclass(frozen=True, slots=True)
class Channel:
    """A table of values that belong together, a row of it for every row of the recording.

    Attributes
    ----------
    names : callable
        Names of its columns by the recording's schema, each ending in the unit, as in an exported CSV.
    compute : callable
        Values (k, columns) of k rows; the row before them is given too, if there is one, because what adds up over time
        is recorded as a sum.
    needs : Fields
        What the source must fill.
    limit : int
        Bytes that the plots keep of it at full detail.
    """

    names: Callable[[Schema], tuple[str, ...]]
    compute: Callable[[Rows, Rows | None], FloatArray]
    needs: Fields
    limit: int = 24 * 1024 * 1024
