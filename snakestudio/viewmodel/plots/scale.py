"""How far an axis reaches, when it may stay as it is, and how a value is written."""

from __future__ import annotations

import math

__all__ = ["MINUS", "fitted", "nice_interval", "readable", "steady", "superscript"]

MINUS = "\N{MINUS SIGN}"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LEAST_USE = 0.4
"""Share of an axis that data must fill for it to stay as it is."""


def nice_interval(rough: float) -> float:
    """The least of 1, 2 or 5 times a power of ten that is no less than `rough`."""
    if not rough > 0 or not math.isfinite(rough):
        return 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next(f * power for f in (1.0, 2.0, 5.0, 10.0) if f * power >= rough * (1 - 1e-9))


def fitted(low: float, high: float, *, from_zero: bool, least: float) -> tuple[float, float]:
    """Ends of an axis that shows low to high: at round numbers, so that it stands still while data move a little.

    Parameters
    ----------
    low, high : float
    from_zero : bool
        Whether the axis begins at 0 if the data allow it.
    least : float
        Least length of the axis: noise must not fill it.
    """
    if from_zero and low >= 0:
        low = 0.0
    if high - low < least:
        middle = (low + high) / 2
        low, high = (0.0, max(high, least)) if from_zero and low >= 0 else (middle - least / 2, middle + least / 2)
    interval = nice_interval((high - low) / 4)
    bottom, top = math.floor(low / interval + 1e-9) * interval, math.ceil(high / interval - 1e-9) * interval
    return (bottom, top) if top > bottom else (bottom, bottom + interval)


def steady(low: float, high: float, before: tuple[float, float] | None) -> tuple[float, float]:
    """The ends an axis had before if low to high is well seen there too, else low and high."""
    if before is None or low < before[0] or high > before[1] or high - low < _LEAST_USE * (before[1] - before[0]):
        return low, high
    return before


def superscript(value: int) -> str:
    """A whole number as an exponent."""
    return str(value).translate(_SUPERSCRIPTS)


def readable(value: float, unit: str) -> str:
    """A value in the read-out."""
    if not math.isfinite(value):
        return "–"
    text = "0" if value == 0 else f"{value:.1e}" if abs(value) < 1e-3 else f"{value:.4g}"
    return f"{text.replace('-', MINUS)} {unit}".rstrip()
