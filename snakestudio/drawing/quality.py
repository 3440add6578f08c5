"""How much work a picture may cost, and the controller that chooses it from measured frame times."""

from __future__ import annotations

import enum
from collections import deque
from dataclasses import dataclass
from statistics import median


class Quality(enum.IntEnum):
    """Quality of a picture; FULL is for screenshots and video only."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2
    FULL = 3


@dataclass(frozen=True, slots=True)
class Settings:
    """What a quality level means."""

    samples: int
    """Samples a pixel (multisampling); 0 for none."""

    shadow_size: int
    """Texels along the longer side of the floor's shadow."""

    shaded: bool
    """Whether obstacles throw their shadow on links too."""

    detail: int
    """Facets around a link at most."""

    tolerance: float
    """How far an outline may be from round, pixels."""


SETTINGS: dict[Quality, Settings] = {
    Quality.LOW: Settings(samples=0, shadow_size=256, shaded=False, detail=16, tolerance=0.5),
    Quality.MEDIUM: Settings(samples=0, shadow_size=512, shaded=True, detail=24, tolerance=0.4),
    Quality.HIGH: Settings(samples=4, shadow_size=512, shaded=True, detail=32, tolerance=0.4),
    Quality.FULL: Settings(samples=8, shadow_size=1024, shaded=True, detail=64, tolerance=0.12),
}


class AdaptiveQuality:
    """Chooses LOW, MEDIUM or HIGH so that a picture takes at most a given time.

    Pure arithmetic on the times it is told: no clock of its own. It steps down when the median of a
    window of frames is over the budget, and remembers how much dearer the better level was; it
    steps up when the present time multiplied with that fits with some room. After a failure it
    waits before it tries again, each time twice as long, so that the picture does not flicker
    between two levels; a level that has held for long makes it forget its failures.

    Parameters
    ----------
    budget : float
        Time a picture may take, s.
    start : Quality
        First level.
    window : int
        Frames a decision needs.
    """

    _ROOM = 0.88
    """Share of the budget that a better level has to fit into."""

    _UNKNOWN = 2.2
    """How much dearer a level is taken to be that was never seen."""

    _HOPELESS = 2.5
    """Three pictures in a row that take so many budgets are enough to step down: a whole window
    would take seconds."""

    _PATIENCE = 6
    """Windows to wait after a first failure."""

    def __init__(
        self, budget: float = 1 / 30, start: Quality = Quality.MEDIUM, window: int = 12
    ) -> None:
        self.budget = budget
        self._level = Quality(min(start, Quality.HIGH))
        self._times: deque[float] = deque(maxlen=window)
        self.reset()

    @property
    def level(self) -> Quality:
        """The level to draw the next picture with."""
        return self._level

    def reset(self) -> None:
        """Forget what was measured (the window's size or the scene changed); keep the level."""
        self._times.clear()
        self._dearer: dict[Quality, float] = {}
        self._came_from: tuple[Quality, float] | None = None
        self._patience = self._PATIENCE
        self._waiting = 0
        self._held = 0

    def add(self, seconds: float) -> Quality:
        """Tell the time a picture at the present level took, s; returns the level for the next one."""
        self._times.append(seconds)
        hopeless = (
            self._level > Quality.LOW and min(list(self._times)[-3:]) > self._HOPELESS * self.budget
        )
        if len(self._times) < (3 if hopeless else self._times.maxlen or 1):
            return self._level
        typical = median(self._times)
        self._times.clear()
        self._learn(typical)
        self._waiting = max(0, self._waiting - 1)
        self._held += 1
        if self._held > 10 * self._PATIENCE:
            self._patience = self._PATIENCE
        if typical > self.budget and self._level > Quality.LOW:
            self._waiting, self._patience = self._patience, min(2 * self._patience, 256)
            self._go(Quality(self._level - 1), typical)
        elif self._level < Quality.HIGH and not self._waiting and self._fits(typical):
            self._go(Quality(self._level + 1), typical)
        return self._level

    def _fits(self, typical: float) -> bool:
        return typical * self._dearer.get(self._level, self._UNKNOWN) < self._ROOM * self.budget

    def _learn(self, typical: float) -> None:
        """From the first window after a change: how much dearer the better of the two levels is."""
        if self._came_from is not None:
            before, then = self._came_from
            lower = min(before, self._level)
            ratio = typical / then if lower == before else then / typical
            self._dearer[lower] = max(ratio, 1.05)
            self._came_from = None

    def _go(self, level: Quality, typical: float) -> None:
        self._came_from = (self._level, max(typical, 1e-6))
        self._level = level
        self._held = 0
