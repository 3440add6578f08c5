"""Steps of scales: metres, centimetres or millimetres."""

from __future__ import annotations

from typing import NamedTuple

from snakestudio.model.ticks import step_above, tick_text

_WIDEST = 64.0
"""Smallest distance of two numbers of a ruler, pixels."""


class RulerScale(NamedTuple):
    """Division of a ruler."""

    step: float
    """Distance from one number to the next, m."""

    parts: int
    """Number of parts of a step."""

    unit: str
    """Unit: "m", "cm" or "mm"."""

    per_metre: float
    """Units per metre."""

    def text(self, value: float) -> str:
        """Return a position (m) as a number in the unit of the ruler."""
        return tick_text(value * self.per_metre, self.step * self.per_metre)


def scale_of(pixels_per_metre: float) -> RulerScale:
    """Return the finest division by 1, 2 or 5 whose numbers fit next to each other."""
    step = step_above(_WIDEST / pixels_per_metre)
    unit, per_metre = (
        ("m", 1.0) if step > 0.099 else ("cm", 100.0) if step > 0.0099 else ("mm", 1000.0)
    )
    parts = {"1": 10, "2": 4, "5": 5}[f"{step:.0e}"[0]]
    return RulerScale(step, parts, unit, per_metre)


def cursor_step(pixels_per_metre: float) -> float:
    """Return the resolution of positions under the cursor, m: 1, 2 or 5 times a power of ten, at least a pixel."""
    return step_above(1.0 / pixels_per_metre)
