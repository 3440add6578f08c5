"""What a call of a time-stepping kernel ended with; kernels return it, for they never raise."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CONTACT_OVERFLOW", "CROSSED", "DIVERGED", "NOT_SOLVED", "OK", "ROW_OVERFLOW", "SLOT_OVERFLOW", "Figures"]

OK, CONTACT_OVERFLOW, SLOT_OVERFLOW, ROW_OVERFLOW, NOT_SOLVED, DIVERGED, CROSSED = range(7)
"""After anything but OK the state is that before the step that failed. An overflow asks for larger arrays: of contacts
of a step, of contacts told apart in a row or call, or of contacts in the rows. That a link has CROSSED a body is found
out after the kernel."""


class Figures(NamedTuple):
    """What the kernel counts: unconverged steps since the start; its steps, iterations, worst residual in the interval.

    The interval is what the next snapshot shows means over.
    """

    step: int
    steps: int
    iterations: int
    unconverged: int
    worst: float
