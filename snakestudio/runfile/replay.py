"""Playing what is recorded: which row is due now, at wall-clock pace, forwards through any Recording.

It needs no thread. Whoever shows it asks which row is due; the place moves on by the time that has
passed since it was asked last. A display that stood still for a moment goes on from where it was:
time that was lost is not made up for, which would show as a leap.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from snakestudio.model.recording import Recording

LONGEST_LOOK = 0.25
"""Wall time that one look makes up for at most, s."""

FASTEST = 50.0
"""What as fast as possible means here: recorded over wall time. Faster than that one sees
nothing."""


class Replay:
    """A place in a recording that moves while it plays.

    Parameters
    ----------
    recording : Recording
        May still grow.
    name : str
        What it is called.
    clock : callable
        Wall time, s.
    """

    def __init__(
        self, recording: Recording, name: str = "", clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.recording = recording
        self.name = name
        self.speed = 1.0
        self.loop = False
        self._clock = clock
        self._span: tuple[float, float] | None = None
        self._time = self._first()
        self._looked: float | None = None

    def _first(self) -> float:
        return float(self.recording.times[0]) if len(self.recording) else 0.0

    def _last(self) -> float:
        return float(self.recording.times[-1]) if len(self.recording) else 0.0

    # --- where ------------------------------------------------------------------------------------

    @property
    def playing(self) -> bool:
        """Whether the place moves."""
        return self._looked is not None

    @property
    def span(self) -> tuple[float, float] | None:
        """Begin and end of what is played, s; None for all of it."""
        return self._span

    @property
    def begin(self) -> float:
        """Where playing begins and a loop begins again, s."""
        return self._first() if self._span is None else max(self._span[0], self._first())

    @property
    def end(self) -> float:
        """Where playing ends, s."""
        return self._last() if self._span is None else min(self._span[1], self._last())

    @property
    def index(self) -> int:
        """The row that is due: the last one up to the place."""
        row = int(np.searchsorted(self.recording.times, self._time + 1e-9, side="right")) - 1
        return max(0, min(row, len(self.recording) - 1))

    # --- steering ---------------------------------------------------------------------------------

    def play(self) -> None:
        """Let the place move on; from the beginning again if it is at the end or outside the span."""
        if not len(self.recording):
            return
        if not self.begin <= self._time < self.end:
            self._time = self.begin
        self._looked = self._clock()

    def pause(self) -> None:
        """Let the place stay."""
        self._looked = None

    def seek(self, moment: float) -> None:
        """Go to a time (s); playing goes on from there."""
        self._time = min(max(moment, self._first()), self._last())
        if self.playing:
            self._looked = self._clock()

    def step(self, rows: int) -> int:
        """Go some rows on (or back) and stay; the row then."""
        self.pause()
        row = max(0, min(self.index + rows, len(self.recording) - 1))
        if len(self.recording):
            self._time = float(self.recording.times[row])
        return row

    def set_speed(self, speed: float) -> None:
        """Recorded over wall time from now on; infinite is `FASTEST`."""
        if self.playing:
            self.look()
        self.speed = speed

    def set_loop(self, loop: bool) -> None:
        """Whether it begins again where it ends."""
        self.loop = loop

    def set_span(self, begin: float | None = None, end: float | None = None) -> None:
        """Play only from `begin` to `end` (s), each left out: as it was or the run's own.

        A beginning behind the end (or an end before the beginning) puts the other mark back to the
        run's own.
        """
        first, last = self._span or (-math.inf, math.inf)
        if begin is not None:
            first = begin
            last = last if last > begin else math.inf
        if end is not None:
            first = first if first < end else -math.inf
            last = end
        self._span = (first, last)

    def clear_span(self) -> None:
        """Play all of it again."""
        self._span = None

    def look(self) -> int:
        """The row that is due now; playing ends at the end unless it loops."""
        if self._looked is None:
            return self.index
        now = self._clock()
        passed = min(max(now - self._looked, 0.0), LONGEST_LOOK)
        self._looked = now
        self._time += passed * min(self.speed, FASTEST)
        if self._time >= self.end:
            length = self.end - self.begin
            if self.loop and length > 0.0:
                self._time = self.begin + math.fmod(self._time - self.begin, length)
            else:
                self._time = self.end
                self.pause()
        return self.index
