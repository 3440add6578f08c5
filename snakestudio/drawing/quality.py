"""Quality levels of frames, and a controller that chooses the level from measured frame times."""

from __future__ import annotations

import enum
from collections import deque
from dataclasses import dataclass
from statistics import median


class Quality(enum.IntEnum):
    """Quality of a frame; FULL is for screenshots and video only."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2
    FULL = 3


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a quality level."""

    samples: int
    """Samples per pixel (multisampling); 0 for none."""

    shadow_size: int
    """Texels along the longer side of the floor's shadow."""

    shaded: bool
    """Whether obstacles cast shadows on links, too."""

    detail: int
    """Largest number of facets around a link."""

    tolerance: float
    """Largest deviation of an outline from a circle, pixels."""


SETTINGS: dict[Quality, Settings] = {
    Quality.LOW: Settings(samples=0, shadow_size=256, shaded=False, detail=16, tolerance=0.5),
    Quality.MEDIUM: Settings(samples=0, shadow_size=512, shaded=True, detail=24, tolerance=0.4),
    Quality.HIGH: Settings(samples=4, shadow_size=512, shaded=True, detail=32, tolerance=0.4),
    Quality.FULL: Settings(samples=8, shadow_size=1024, shaded=True, detail=64, tolerance=0.12),
}


class AdaptiveQuality:
    """Chooses LOW, MEDIUM or HIGH so that a frame takes at most a given time.

    The controller has no clock: it uses the reported times. It steps down when the median of a window of
    frames exceeds the budget, and stores the cost ratio of the better level; it steps up when the present
    time multiplied by that ratio fits with some margin. After a failure it waits before it tries again,
    each time twice as long, so that the level does not flicker; a level that has lasted for long resets
    the failures.

    Parameters
    ----------
    budget : float
        Time budget of a frame, s.
    start : Quality
        First level.
    window : int
        Number of frames for a decision.
    """

    _ROOM = 0.88
    """Fraction of the budget that a better level must fit into."""

    _UNKNOWN = 2.2
    """Assumed cost ratio of a level that has not been measured."""

    _HOPELESS = 2.5
    """Ratio to the budget at which three consecutive frames are enough to step down, because a
    whole window would take seconds."""

    _PATIENCE = 6
    """Number of windows to wait after the first failure."""

    def __init__(
        self, budget: float = 1 / 30, start: Quality = Quality.MEDIUM, window: int = 12
    ) -> None:
        self.budget = budget
        self._quality = Quality(min(start, Quality.HIGH))
        self._times: deque[float] = deque(maxlen=window)
        self.reset()

    @property
    def level(self) -> Quality:
        """Level of the next frame."""
        return self._quality

    def reset(self) -> None:
        """Discard the measurements (size or scene changed), but keep the level."""
        self._times.clear()
        self._dearer: dict[Quality, float] = {}
        self._came_from: tuple[Quality, float] | None = None
        self._patience = self._PATIENCE
        self._waiting = 0
        self._held = 0

    def add(self, seconds: float) -> Quality:
        """Report the time of a frame at the present level, s; return the level for the next one."""
        self._times.append(seconds)
        hopeless = (
            self._quality > Quality.LOW
            and min(list(self._times)[-3:]) > self._HOPELESS * self.budget
        )
        if len(self._times) < (3 if hopeless else self._times.maxlen or 1):
            return self._quality
        typical = median(self._times)
        self._times.clear()
        self._learn(typical)
        self._waiting = max(0, self._waiting - 1)
        self._held += 1
        if self._held > 10 * self._PATIENCE:
            self._patience = self._PATIENCE
        if typical > self.budget and self._quality > Quality.LOW:
            self._waiting, self._patience = self._patience, min(2 * self._patience, 256)
            self._switch_to(Quality(self._quality - 1), typical)
        elif self._quality < Quality.HIGH and not self._waiting and self._fits(typical):
            self._switch_to(Quality(self._quality + 1), typical)
        return self._quality

    def _fits(self, typical: float) -> bool:
        return typical * self._dearer.get(self._quality, self._UNKNOWN) < self._ROOM * self.budget

    def _learn(self, typical: float) -> None:
        """Update the cost ratio of two levels, from the first window after a change."""
        if self._came_from is not None:
            before, then = self._came_from
            lower = min(before, self._quality)
            ratio = typical / then if lower == before else then / typical
            self._dearer[lower] = max(ratio, 1.05)
            self._came_from = None

    def _switch_to(self, level: Quality, typical: float) -> None:
        self._came_from = (self._quality, max(typical, 1e-6))
        self._quality = level
        self._held = 0
