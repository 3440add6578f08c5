"""What a call of a time-stepping kernel ended with; kernels return it, for they never raise."""

from __future__ import annotations

__all__ = ["CONTACT_OVERFLOW", "DIVERGED", "NOT_SOLVED", "OK", "ROW_OVERFLOW", "SLOT_OVERFLOW"]

OK, CONTACT_OVERFLOW, SLOT_OVERFLOW, ROW_OVERFLOW, NOT_SOLVED, DIVERGED = range(6)
"""After anything but OK the state is that before the step that failed. An overflow asks for larger arrays: of contacts
of a step, of contacts told apart in a row or call, or of contacts in the rows."""
