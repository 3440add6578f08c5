"""Sources of set-points: blocks of references from the window, or the wiggle of one axis."""

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
        Blocks that are still needed, in the order of their begins.
    """

    def __init__(self, m: int) -> None:
        self._m = m
        self.blocks: list[ReferenceBlock] = []

    @property
    def end(self) -> float:
        """Time of the last knot, s; -infinity if there is none."""
        return float(self.blocks[-1].time[-1]) if self.blocks else -math.inf

    def clear(self) -> None:
        """Discard all blocks."""
        self.blocks.clear()

    def add(self, block: ReferenceBlock) -> str:
        """Add a block; return what is wrong with it, or "" if it is used."""
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
        # Blocks that begin later than this one are never reached; those before are needed until it
        # begins.
        self.blocks = [
            *(earlier for earlier in self.blocks[-3:] if earlier.time[0] < time[0]),
            block,
        ]
        return ""

    def at(self, now: float) -> tuple[FloatArray, FloatArray] | None:
        """Return angle and rate of all axes at a time; before the first and after the last knot they are at rest."""
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
    """A sine of one axis about its held angle, with a rise and decay over half a period each."""

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
        """Return the wiggle of a command, starting now (s).

        Raises `ValueError` naming the value that cannot be used.
        """
        limits = {
            "axis": (0, n_axes - 1),
            "amplitude_deg": (0.1, _MOST_DEG),
            "period_s": (0.2, 60),
            "count": (1, 100),
        }
        defaults = {"amplitude_deg": 5.0, "period_s": 2.0, "count": 2}
        numbers: dict[str, float] = {}
        for name, (least, most) in limits.items():
            value = values.get(name, defaults.get(name))
            if isinstance(value, (bool, str)) or value is None or not least <= value <= most:
                raise ValueError(f"{name} = {value!r} must be a number from {least:g} to {most:g}")
            numbers[name] = value
        axis = int(numbers["axis"])
        count = int(numbers["count"])
        return cls(
            axis, math.radians(numbers["amplitude_deg"]), float(numbers["period_s"]), count, now
        )

    @property
    def end(self) -> float:
        """End of the wiggle, s."""
        return self.begin + self.count * self.period

    def at(self, now: float) -> tuple[float, float]:
        """Return the angle relative to the held one, and the rate; rad, rad/s."""
        if not self.begin < now < self.end:
            return 0.0, 0.0
        edge = self.period / 2
        speed = 2 * math.pi / self.period
        left = min(now - self.begin, self.end - now)
        envelope = 1.0
        slope = 0.0
        if left < edge:
            envelope = math.sin(math.pi / 2 * left / edge) ** 2
            slope = math.pi / 2 / edge * math.sin(math.pi * left / edge)
            slope = slope if now - self.begin < self.end - now else -slope
        angle = self.amplitude * math.sin(speed * (now - self.begin))
        rate = self.amplitude * speed * math.cos(speed * (now - self.begin))
        return envelope * angle, envelope * rate + slope * angle
