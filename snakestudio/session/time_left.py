"""Progress and remaining time of a preparation, estimated between its reports, and their texts.

Callers pass the time.
"""

from __future__ import annotations

import math

_TRUST = 0.15
"""Initial weight of the expected time, as a fraction of observed work; it decreases with progress."""

_EASE = 0.9
"""Fraction of the rest up to which progress follows the clock; then it slows down before the end."""

_LEAD = 0.25
"""Largest lead of the clock over the reported fraction, because a busy machine reports rarely."""

_MOST = 0.99
"""Largest fraction before the end is reported."""


class TimeLeft:
    """Estimates from occasionally reported fractions.

    The fractions are parts of the expected time, so they increase evenly on a faster or slower
    machine;
    the first ones reveal a different type of machine.

    Parameters
    ----------
    expected_s : float
        Expected total time, s.
    now : float
        Current time of any clock, s.
    """

    def __init__(self, expected_s: float, now: float) -> None:
        self._expected = expected_s
        self._begun = now
        self._reported_time = now
        self._reported = 0.0
        self._shown_fraction = 0.0

    def update(self, fraction: float, now: float) -> None:
        """Report a finished fraction; smaller values than before are ignored."""
        if fraction > self._reported:
            self._reported_time = now
            self._reported = min(fraction, 1.0)

    @property
    def total_s(self) -> float:
        """Total time at the observed pace, s."""
        trust = _TRUST * (1.0 - self._reported)
        return (trust * self._expected + self._reported_time - self._begun) / (
            trust + self._reported
        )

    def fraction(self, now: float) -> float:
        """Return the finished fraction to show; it never decreases, and is 1 only after that was reported."""
        if self._reported >= 1.0:
            return 1.0
        rest = 1.0 - self._reported
        passed = (now - self._reported_time) / max(self.total_s * rest, 1e-9)
        if passed > _EASE:
            passed = _EASE + (1.0 - _EASE) * (1.0 - math.exp(-(passed - _EASE) / (1.0 - _EASE)))
        self._shown_fraction = max(
            self._shown_fraction, min(self._reported + min(rest * passed, _LEAD), _MOST)
        )
        return self._shown_fraction

    def seconds(self, now: float) -> float | None:
        """Return the remaining time, s; None once it takes longer than expected."""
        left = self.total_s * (1.0 - self._reported) - (now - self._reported_time)
        return left if left > 0.0 else None


def percent(fraction: float) -> str:
    """Return the text of a finished fraction; never 100 % before the end."""
    return f"{int(100 * fraction)} %"


_ALMOST = 0.95
"""Fraction from which a task that takes longer than estimated is almost done."""


def progress_text(fraction: float, seconds: float | None) -> str:
    """Return the text of a finished fraction and the remaining time, s; None means longer than estimated."""
    if seconds is None and fraction >= _ALMOST:
        return f"almost done ({time_left(None)})"
    return f"{percent(fraction)}, {time_left(seconds)}"


def time_left(seconds: float | None) -> str:
    """Return the text of a remaining time; None means longer than estimated."""
    if seconds is None:
        return "slower than last time"
    if seconds >= 3570:
        return f"{seconds / 3600:.1f} h left"
    if seconds >= 57.5:  # steps of five seconds, because long estimates are not exact
        minutes, rest = divmod(5 * round(seconds / 5), 60)
        return f"{minutes} min {rest} s left" if rest else f"{minutes} min left"
    return f"{max(1, round(seconds))} s left"
