"""How far a preparation is and how long it still takes, between and beyond what it tells, and how that is said.

The clock is handed in.
"""

from __future__ import annotations

import math

_TRUST = 0.15
"""At the beginning, what was expected counts as much as this share of the work, seen on this
machine; then less."""

_EASE = 0.9
"""Share of the rest up to which the fraction goes by the clock; from there on it slows down before
the end."""

_LEAD = 0.25
"""By so much the clock may run ahead of what was told: a machine that is busy tells nothing for
long."""

_MOST = 0.99
"""The end is reached when it is told, and not before."""


class TimeLeft:
    """Estimates from fractions that are told now and then.

    The fractions are shares of the expected time, so time goes on evenly in them on a machine that
    is merely faster or slower; one that is another kind of machine shows in the first of them.

    Parameters
    ----------
    expected_s : float
        How long the whole is expected to take, s.
    now : float
        Any clock's reading, s.
    """

    def __init__(self, expected_s: float, now: float) -> None:
        self._expected = expected_s
        self._begun = now
        self._told = now
        self._told_at = 0.0
        self._shown = 0.0

    def told(self, fraction: float, now: float) -> None:
        """So much of it is done; less than it said before says nothing."""
        if fraction > self._told_at:
            self._told = now
            self._told_at = min(fraction, 1.0)

    @property
    def total_s(self) -> float:
        """How long all of it would take at the pace seen so far, s."""
        trust = _TRUST * (1.0 - self._told_at)
        return (trust * self._expected + self._told - self._begun) / (trust + self._told_at)

    def fraction(self, now: float) -> float:
        """Finished fraction to be shown: never less than before, and 1 only once that was told."""
        if self._told_at >= 1.0:
            return 1.0
        rest = 1.0 - self._told_at
        passed = (now - self._told) / max(self.total_s * rest, 1e-9)
        if passed > _EASE:
            passed = _EASE + (1.0 - _EASE) * (1.0 - math.exp(-(passed - _EASE) / (1.0 - _EASE)))
        self._shown = max(self._shown, min(self._told_at + min(rest * passed, _LEAD), _MOST))
        return self._shown

    def seconds(self, now: float) -> float | None:
        """Time left, s; None once it takes longer than could be expected."""
        left = self.total_s * (1.0 - self._told_at) - (now - self._told)
        return left if left > 0.0 else None


def percent(fraction: float) -> str:
    """A finished fraction; never 100 % before the end."""
    return f"{int(100 * fraction)} %"


def time_left(seconds: float | None) -> str:
    """How long it still takes; None stands for longer than was expected."""
    if seconds is None:
        return "longer than expected"
    if seconds >= 3570:
        return f"{seconds / 3600:.1f} h left"
    if seconds >= 57.5:  # in steps of five seconds: more than a minute is not known to the second
        minutes, rest = divmod(5 * round(seconds / 5), 60)
        return f"{minutes} min {rest} s left" if rest else f"{minutes} min left"
    return f"{max(1, round(seconds))} s left"
