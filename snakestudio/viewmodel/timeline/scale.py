"""Visible part of a run on the track, and positions of times; plain numbers without Qt."""

from __future__ import annotations

import math

from snakestudio.model.ticks import multiples, step_above

_CLOSEST = 0.05
"""Shortest time that fills the track, s."""


class TimeScale:
    """Times from `begin` to `end` lie along a track that is `width` long, with a margin at both ends."""

    def __init__(self, margin: float) -> None:
        self._margin = margin
        self._width = 1.0
        self._run_end = 1.0
        self._part: tuple[float, float] | None = None

    @property
    def begin(self) -> float:
        """Time at the left end, s."""
        return 0.0 if self._part is None else self._part[0]

    @property
    def end(self) -> float:
        """Time at the right end, s."""
        return self._run_end if self._part is None else self._part[1]

    @property
    def run_end(self) -> float:
        """End of the whole run, s."""
        return self._run_end

    @property
    def zoomed(self) -> bool:
        """Whether only a part is shown."""
        return self._part is not None

    def fit(self, width: float, run_end: float) -> None:
        """Set the width of the track, px, and the end of the run, s."""
        self._width = max(1.0, width - 2 * self._margin)
        self._run_end = max(run_end, 1e-6)
        if self._part is not None:
            self._show(*self._part)

    def show_all(self) -> None:
        """Show the whole run."""
        self._part = None

    def x_of(self, time: float) -> float:
        """Return the position of a time (s), px; times that are not shown are at the ends."""
        fraction = (time - self.begin) / (self.end - self.begin)
        return self._margin + self._width * min(max(fraction, 0.0), 1.0)

    def shows(self, time: float) -> bool:
        """Return whether a time (s) is in the visible part."""
        return self.begin <= time <= self.end

    def time_at(self, x: float) -> float:
        """Return the time (s) at x, px."""
        fraction = min(max((x - self._margin) / self._width, 0.0), 1.0)
        return self.begin + fraction * (self.end - self.begin)

    def zoom(self, factor: float, about: float) -> None:
        """Show a part that is `factor` times as long; the time `about` (s) keeps its position."""
        length = min((self.end - self.begin) * factor, self._run_end)
        fraction = (about - self.begin) / (self.end - self.begin)
        if length >= self._run_end * (1 - 1e-9):
            self._part = None
            return
        length = max(length, min(_CLOSEST, self._run_end))
        begin = about - fraction * length
        self._show(begin, begin + length)

    def pan(self, seconds: float) -> None:
        """Show a part that is `seconds` later."""
        if self._part is not None:
            self._show(self._part[0] + seconds, self._part[1] + seconds)

    def centre(self, time: float) -> None:
        """Show the part around a time (s)."""
        if self._part is not None:
            self.pan(time - 0.5 * (self._part[0] + self._part[1]))

    def reveal(self, time: float) -> bool:
        """Turn the page if a time (s) is not shown; return whether that was necessary."""
        if self.shows(time) or self._part is None:
            return False
        length = self.end - self.begin
        begin = time - 0.1 * length if time > self.end else time - 0.9 * length
        self._show(begin, begin + length)
        return True

    def _show(self, begin: float, end: float) -> None:
        length = min(end - begin, self._run_end)
        begin = min(max(begin, 0.0), self._run_end - length)
        self._part = begin, begin + length

    def ticks(self, spacing: float) -> list[float]:
        """Return round times (s) at least `spacing` px apart."""
        step = time_step((self.end - self.begin) * spacing / self._width)
        return multiples(self.begin, self.end, step)


def time_step(least: float) -> float:
    """Return the next round duration from `least`, s: 1, 2 or 5 times a power of ten, of minutes from one minute."""
    if least >= 30.0:
        for step in (60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0):
            if step >= least:
                return step
        return 3600.0 * math.ceil(least / 3600.0)
    return step_above(max(least, 1e-9))
