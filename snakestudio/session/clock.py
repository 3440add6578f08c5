"""Real-time pacing without bursts, and the measured real-time factor."""

from __future__ import annotations

import math
import time
from collections import deque

RESYNC_AFTER = 0.1
"""Delay after which lost time is dropped, s, because catching up would appear as a jump."""

TICK = 0.01
"""Wall time between two snapshots during a run, s; shorter than the interval of any display."""

WINDOW = 1.0
"""Wall time of the means of the factors, s."""


class Clock:
    """Pacing of a run, so that simulated time passes `speed` times as fast as wall time.

    Parameters
    ----------
    speed : float
        Ratio of simulated time to wall time: 1 for real time, infinite for as fast as possible.
    """

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed
        self._anchor = (0.0, 0.0)
        self._marks: deque[tuple[float, float, float]] = deque()
        self._wall_per_step = 1e-5

    def start(self, simulated: float) -> None:
        """Start, or resume after a pause, at this simulated time."""
        now = time.perf_counter()
        self._anchor = (now, simulated)
        # a new object, because the window may be reading the old one
        self._marks = deque([(now, simulated, 0.0)])

    def set_speed(self, speed: float, simulated: float) -> None:
        """Change the speed at this simulated time."""
        self.speed = speed
        self._anchor = (time.perf_counter(), simulated)

    def delay(self, simulated: float, busy: float) -> float:
        """Return the time to wait until `simulated` is due, s; `busy` is the processor time of the engine."""
        now = time.perf_counter()
        self._marks.append((now, simulated, self._marks[-1][2] + busy if self._marks else busy))
        while len(self._marks) > 2 and now - self._marks[0][0] > WINDOW:
            self._marks.popleft()
        if math.isinf(self.speed):
            return 0.0
        due = self._anchor[0] + (simulated - self._anchor[1]) / self.speed
        if now - due > RESYNC_AFTER:
            self._anchor = (now, simulated)
            return 0.0
        return max(0.0, due - now)

    def took(self, wall_per_step: float) -> None:
        """Record the wall time of a time step, s."""
        self._wall_per_step = max(1e-7, 0.8 * self._wall_per_step + 0.2 * wall_per_step)

    def steps_of_a_tick(self, step: float, period: int, done: int) -> int:
        """Return the number of steps per tick: part of a control period in slow motion, many periods when fast.

        Parameters
        ----------
        step : float
            Time step, s.
        period : int
            Number of steps per control period.
        done : int
            Number of steps since the start.
        """
        fitting = TICK / self._wall_per_step if math.isinf(self.speed) else self.speed * TICK / step
        steps = max(1, min(round(fitting), 1_000_000))
        if steps >= period:
            return steps - steps % period
        # A divisor of the rest of the period, so that a tick ends at its border.
        return min(steps, period - done % period)

    @property
    def real_time_factor(self) -> float:
        """Measured ratio of simulated time to wall time."""
        return self._ratio(0)

    @property
    def possible_factor(self) -> float:
        """Ratio of simulated time to processor time of the engine, the factor possible without other load."""
        return self._ratio(2)

    def _ratio(self, column: int) -> float:
        marks = self._marks
        if len(marks) < 2:
            return 0.0
        first = marks[0]
        last = marks[-1]
        span = last[column] - first[column]
        return (last[1] - first[1]) / span if span > 0 else 0.0
