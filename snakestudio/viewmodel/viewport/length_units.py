"""Steps of scales: metres, centimetres or millimetres."""

from __future__ import annotations

import math
from typing import NamedTuple

from snakestudio.text import decimal_text

__all__ = ["Scale", "cursor_step", "scale_of"]

_WIDEST = 64.0
"""Pixels between two numbers of a ruler, at least."""


class Scale(NamedTuple):
    """How a ruler is divided.

    Attributes
    ----------
    step : float
        From one number to the next, m.
    parts : int
        Into how many parts a step is divided.
    unit : str
        "m", "cm" or "mm".
    per_metre : float
        Units in a metre.
    """

    step: float
    parts: int
    unit: str
    per_metre: float

    def text(self, value: float) -> str:
        """A place (m) as a number in the ruler's unit."""
        decimals = max(0, -math.floor(math.log10(self.step * self.per_metre) + 1e-9))
        return decimal_text(value * self.per_metre, decimals)


def scale_of(pixels_per_metre: float) -> Scale:
    """The finest division by 1, 2 or 5 whose numbers have room beside each other."""
    least = _WIDEST / pixels_per_metre
    power = 10.0 ** math.floor(math.log10(least))
    factor = next(factor for factor in (1, 2, 5, 10) if factor * power >= least * (1.0 - 1e-9))
    step = factor * power
    unit, per_metre = ("m", 1.0) if step > 0.099 else ("cm", 100.0) if step > 0.0099 else ("mm", 1000.0)
    return Scale(step, {1: 10, 2: 4, 5: 5, 10: 10}[factor], unit, per_metre)


def cursor_step(pixels_per_metre: float) -> float:
    """What a place under the cursor can be told to, m: 1, 2 or 5 times a power of ten, not finer than a pixel."""
    pixel = 1.0 / pixels_per_metre
    power = 10.0 ** math.floor(math.log10(pixel))
    return power * next(factor for factor in (1, 2, 5, 10) if factor * power >= pixel * (1.0 - 1e-9))
