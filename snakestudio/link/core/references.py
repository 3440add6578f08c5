"""What set-points follow: the blocks of references that the window sends, or one axis that is wiggled."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.link.messages import ReferenceBlock

_MOST_DEG = 45.0


class References:
    """The blocks in use: each replaces the one before from its first knot on.

    Parameters
    ----------
    m : int
        Number of axes.

    Attributes
    ----------
    blocks : list of ReferenceBlock
        That are needed still, in the order of their begins.
    """

    def __init__(self, m: int) -> None:
        self._m = m
        self.blocks: list[ReferenceBlock] = []

    @property
    def end(self) -> float:
        """Time of the last knot, s; -infinity if there is none."""
        return float(self.blocks[-1].time[-1]) if self.blocks else -math.inf

    def clear(self) -> None:
        """There are none any more."""
        self.blocks.clear()

    def add(self, block: ReferenceBlock) -> str:
        """Take a block over; says what is wrong with it ("" if nothing is: then it is in use)."""
        time, angle, rate = (
            np.asarray(part, float) for part in (block.time, block.angle, block.rate)
        )
        block = ReferenceBlock(time, angle, rate)
        problem = block.shape_problem(self._m)
        if problem:
            return problem
        if not (np.isfinite(time).all() and np.isfinite(angle).all() and np.isfinite(rate).all()):
            return "not all of their numbers are finite"
        if (np.diff(time) <= 0).any():
            return "their knots do not ascend in time"
        # What begins later than this one is never reached; what ended before it is needed until it
        # begins.
        self.blocks = [*(kept for kept in self.blocks[-3:] if kept.time[0] < time[0]), block]
        return ""

    def at(self, now: float) -> tuple[FloatArray, FloatArray] | None:
        """Angle and rate of all axes at a time; before the first knot and behind the last they stand still there."""
        if not self.blocks:
            return None
        while len(self.blocks) > 1 and self.blocks[1].time[0] <= now:
            del self.blocks[0]
        block = self.blocks[0]
        angle, rate = block.at(now)
        within = block.time[0] <= now < block.time[-1]
        return angle, rate if within else np.zeros_like(rate)


@dataclass(frozen=True, slots=True)
class Wiggle:
    """One axis led in a sine about where it is held, that swells and fades over half a period each."""

    axis: int
    """Index into the profile's axes."""

    amplitude: float
    """rad."""

    period: float
    """s."""

    count: int
    """Periods."""

    begin: float
    """s."""

    @classmethod
    def parse(
        cls, values: Mapping[str, str | int | float | bool], n_axes: int, now: float
    ) -> Wiggle:
        """What a command asks for, from now on (s).

        Raises `ValueError`: which of its values cannot be used.
        """
        limits = {
            "axis": (0, n_axes - 1),
            "amplitude_deg": (0.1, _MOST_DEG),
            "period_s": (0.2, 60),
            "count": (1, 100),
        }
        defaults = {"amplitude_deg": 5.0, "period_s": 2.0, "count": 2}
        found: dict[str, float] = {}
        for name, (least, most) in limits.items():
            value = values.get(name, defaults.get(name))
            if isinstance(value, (bool, str)) or value is None or not least <= value <= most:
                raise ValueError(f"{name} = {value!r} must be a number from {least:g} to {most:g}")
            found[name] = value
        axis = int(found["axis"])
        count = int(found["count"])
        return cls(axis, math.radians(found["amplitude_deg"]), float(found["period_s"]), count, now)

    @property
    def end(self) -> float:
        """When it is over, s."""
        return self.begin + self.count * self.period

    def at(self, now: float) -> tuple[float, float]:
        """Angle from where the axis is held, and rate; rad, rad/s."""
        if not self.begin < now < self.end:
            return 0.0, 0.0
        edge = self.period / 2
        speed = 2 * math.pi / self.period
        left = min(now - self.begin, self.end - now)
        share = 1.0
        slope = 0.0
        if left < edge:
            share = math.sin(math.pi / 2 * left / edge) ** 2
            slope = math.pi / 2 / edge * math.sin(math.pi * left / edge)
            slope = slope if now - self.begin < self.end - now else -slope
        angle = self.amplitude * math.sin(speed * (now - self.begin))
        rate = self.amplitude * speed * math.cos(speed * (now - self.begin))
        return share * angle, share * rate + slope * angle
