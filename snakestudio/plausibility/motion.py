"""Detectors of motions that the gait cannot cause: speeds, and leaving the field of obstacles."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.obstacles.outlines import plan_boxes
from snakestudio.plausibility.accumulators import Peak
from snakestudio.plausibility.block import Block, Drive, RunContext
from snakestudio.plausibility.detector import Exceedance, amount
from snakestudio.text import number_text

MOST_COM = 2.0
"""Largest plausible speed of the centre of mass, in speeds at which the gait moves the links."""

MOST_LINK = 6.0
"""Largest plausible speed of a link, in the same unit: links that snap past an obstacle are faster."""

MOST_MEAN = 1.5
"""Largest plausible mean speed of the centre of mass over `_WINDOW_S` that leaves the field of obstacles."""

_WINDOW_S = 0.5


class Speed:
    """Links, or the whole robot, are faster than the gait moves them."""

    def __init__(self, context: RunContext) -> None:
        self._com = Peak()
        self._link = Peak()

    def feed(self, block: Block) -> None:
        """See `Detector`."""
        velocity = block.com_velocity
        self._com.feed(block.time, np.sqrt(np.einsum("ka,ka->k", velocity, velocity)))
        self._link.feed(block.time, block.link_speed)

    def exceedance(self, drive: Drive) -> Exceedance | None:
        """See `Detector`."""
        beyond = [
            (peak.value / limit, peak, limit, who)
            for peak, most, who in (
                (self._com, MOST_COM, "the centre of mass"),
                (self._link, MOST_LINK, f"link {self._link.part + 1}"),
            )
            if peak.value > (limit := most * drive.speed + drive.given_speed)
        ]
        if not beyond:
            return None
        _, peak, limit, who = max(beyond, key=lambda entry: entry[0])
        return Exceedance(
            peak.value,
            limit,
            peak.time,
            f"{who} moves at {amount(peak.value)} m/s at {number_text(peak.time, 4)} s, but the gait moves the"
            f" links at up to {amount(drive.speed)} m/s",
        )


class Fling:
    """The robot leaves the field of obstacles faster than its gait travels."""

    def __init__(self, context: RunContext) -> None:
        boxes = plan_boxes(context.scene.obstacles)
        margin = 0.5 * context.scene.body.length
        self._low = boxes.low.min(axis=0) - margin
        self._high = boxes.high.max(axis=0) + margin
        self._position = np.zeros((0, 2))
        self._time = np.zeros(0)
        self._was_inside = False
        self._peak = Peak()

    def feed(self, block: Block) -> None:
        """See `Detector`."""
        position = np.concatenate([self._position, block.com_position[:, :2]])
        time = np.concatenate([self._time, block.time])
        first = len(self._time)
        before = np.maximum(np.searchsorted(time, time[first:] - _WINDOW_S - 1e-9), 0)
        span = np.maximum(time[first:] - time[before], 1e-9)
        path = position[first:] - position[before]
        mean = np.where(span >= 0.9 * _WINDOW_S, np.hypot(*path.T) / span, 0.0)
        inside = self._inside(position[first:])
        seen = np.logical_or.accumulate(np.concatenate([[self._was_inside], inside]))
        self._peak.feed(block.time, np.where(seen[1:] & ~inside, mean, 0.0))
        self._was_inside = bool(seen[-1])
        rest = np.searchsorted(time, time[-1] - 2.0 * _WINDOW_S)
        self._position, self._time = position[rest:], time[rest:]

    def _inside(self, position: FloatArray) -> np.ndarray:
        return np.asarray(((position >= self._low) & (position <= self._high)).all(axis=1))

    def exceedance(self, drive: Drive) -> Exceedance | None:
        """See `Detector`."""
        peak = self._peak
        limit = MOST_MEAN * drive.speed + drive.given_speed
        if peak.value <= limit:
            return None
        return Exceedance(
            peak.value,
            limit,
            peak.time,
            f"the robot leaves the field of obstacles at {number_text(peak.time, 4)} s with a mean speed of "
            f"{amount(peak.value)} m/s, but the gait moves the links at up to "
            f"{amount(drive.speed)} m/s",
        )
