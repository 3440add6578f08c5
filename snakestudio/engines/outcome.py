"""Outcome of a call of a time-stepping kernel; kernels return it, because they never raise."""

from __future__ import annotations

from typing import NamedTuple

from snakestudio._arrays import IntArray

OK, CONTACT_OVERFLOW, SLOT_OVERFLOW, ROW_OVERFLOW, NOT_SOLVED, DIVERGED, FAR, CROSSED = range(8)
"""Unless the outcome is OK, the state is that before the failed step. An overflow needs larger
arrays: of contacts in a step, of distinct contacts in a row or call, or of contacts in the rows. A
step in which a link moves FAR, beyond the distance in which it cannot miss a body, is repeated
alone; that a link has CROSSED a body is detected after that."""


class Figures(NamedTuple):
    """Counters of the kernel: unconverged steps since the start; steps, iterations, worst residual in the interval.

    The next snapshot shows means over this interval.
    """

    step: int
    steps: int
    iterations: int
    unconverged: int
    worst: float

    @classmethod
    def of(cls, counts: IntArray, entries: tuple[int, int, int, int], worst: float) -> Figures:
        """Figures with counters that are the entries of `counts` at `entries`, in the order of the fields."""
        step, steps, iterations, unconverged = entries
        return cls(
            counts.item(step),
            counts.item(steps),
            counts.item(iterations),
            counts.item(unconverged),
            worst,
        )
