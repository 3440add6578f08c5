"""What a call of a time-stepping kernel ended with; kernels return it, for they never raise."""

from __future__ import annotations

from typing import NamedTuple

OK, CONTACT_OVERFLOW, SLOT_OVERFLOW, ROW_OVERFLOW, NOT_SOLVED, DIVERGED, FAR, CROSSED = range(8)
"""After anything but OK the state is that before the step that failed. An overflow asks for larger
arrays: of contacts of a step, of contacts told apart in a row or call, or of contacts in the rows.
A step in which a link goes FAR, further than it is sure to meet all bodies, is to be taken by
itself; that a link has CROSSED one is found out after it."""


class Figures(NamedTuple):
    """What the kernel counts: unconverged steps since the start; its steps, iterations, worst residual in the interval.

    The interval is what the next snapshot shows means over.
    """

    step: int
    steps: int
    iterations: int
    unconverged: int
    worst: float
