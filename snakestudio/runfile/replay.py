"""Playback of a Recording at wall-clock pace: which row is due now.

No thread is needed. The display polls the due row; the position advances by the time since the last
poll. After a delay, playback continues from where it was: lost time is not made up, which would be
visible as a jump.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from snakestudio.model.recording import Recording

LONGEST_LOOK = 0.25
"""Longest wall time that a single poll advances, s."""

FASTEST = 50.0
"""Speed of "as fast as possible": recorded time per wall time. Faster playback would not be
visible."""


class Replay:
    """A playback position in a recording.

    Parameters
    ----------
    recording : Recording
        Recording, which may still grow.
    name : str
        Display name.
    clock : callable
        Returns the wall time, s.
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
        self._advanced_at: float | None = None

    def _first(self) -> float:
        return float(self.recording.times[0]) if len(self.recording) else 0.0

    def _last(self) -> float:
        return float(self.recording.times[-1]) if len(self.recording) else 0.0

    # --- position ---------------------------------------------------------------------------------

    @property
    def playing(self) -> bool:
        """Whether the position advances."""
        return self._advanced_at is not None

    @property
    def span(self) -> tuple[float, float] | None:
        """Start and end of the played span, s; None for the whole recording."""
        return self._span

    @property
    def begin(self) -> float:
        """Start of playback and of the loop, s."""
        return self._first() if self._span is None else max(self._span[0], self._first())

    @property
    def end(self) -> float:
        """End of playback, s."""
        return self._last() if self._span is None else min(self._span[1], self._last())

    @property
    def index(self) -> int:
        """The due row: the last one up to the position."""
        row = int(np.searchsorted(self.recording.times, self._time + 1e-9, side="right")) - 1
        return max(0, min(row, len(self.recording) - 1))

    # --- control ----------------------------------------------------------------------------------

    def play(self) -> None:
        """Start playback; from the start if the position is at the end or outside the span."""
        if not len(self.recording):
            return
        if not self.begin <= self._time < self.end:
            self._time = self.begin
        self._advanced_at = self._clock()

    def pause(self) -> None:
        """Pause playback."""
        self._advanced_at = None

    def seek(self, moment: float) -> None:
        """Move to a time (s); playback continues from there."""
        self._time = min(max(moment, self._first()), self._last())
        if self.playing:
            self._advanced_at = self._clock()

    def step(self, rows: int) -> int:
        """Move by a number of rows and pause; return the new row."""
        self.pause()
        row = max(0, min(self.index + rows, len(self.recording) - 1))
        if len(self.recording):
            self._time = float(self.recording.times[row])
        return row

    def set_speed(self, speed: float) -> None:
        """Set the playback speed (recorded time per wall time); infinite means `FASTEST`."""
        if self.playing:
            self.advance()
        self.speed = speed

    def set_loop(self, loop: bool) -> None:
        """Set whether playback loops."""
        self.loop = loop

    def set_span(self, begin: float | None = None, end: float | None = None) -> None:
        """Play only from `begin` to `end` (s); an omitted one is unchanged.

        A start after the end (or an end before the start) resets the other mark to that of the
        run.
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
        """Reset the span to the whole recording."""
        self._span = None

    def advance(self) -> int:
        """Advance the position and return the due row; playback stops at the end unless it loops."""
        if self._advanced_at is None:
            return self.index
        now = self._clock()
        passed = min(max(now - self._advanced_at, 0.0), LONGEST_LOOK)
        self._advanced_at = now
        self._time += passed * min(self.speed, FASTEST)
        if self._time >= self.end:
            length = self.end - self.begin
            if self.loop and length > 0.0:
                self._time = self.begin + math.fmod(self._time - self.begin, length)
            else:
                self._time = self.end
                self.pause()
        return self.index
