"""Axes: where ticks stand, what is written at them, and how far an axis reaches."""

from __future__ import annotations

import math

__all__ = ["decade_ticks", "fitted", "nice_interval", "readable", "tick_text", "ticks"]

MINUS = "\N{MINUS SIGN}"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


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


def ticks(low: float, high: float, most: int) -> tuple[list[float], float]:
    """Round numbers from low to high, at least two and at most about `most` of them, and their interval."""
    interval = nice_interval((high - low) / max(1, most))
    for _ in range(4):
        first, last = math.ceil(low / interval - 1e-9), math.floor(high / interval + 1e-9)
        if last > first:
            break
        interval = nice_interval(interval / 2.6)  # the next finer one
    return ([i * interval for i in range(first, last + 1)] if last - first <= 100 else []), interval


def tick_text(value: float, interval: float) -> str:
    """What is written at a tick."""
    if abs(value) < interval * 1e-6:
        return "0"
    if not 1e-4 <= interval < 1e6:
        return f"{value:.3g}".replace("-", MINUS)
    decimals = max(0, -math.floor(math.log10(interval) + 1e-9))
    return f"{value:.{decimals}f}".replace("-", MINUS)


def decade_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Ticks of an axis that holds decadic logarithms."""
    every = max(1, math.ceil((high - low) / max(1, most)))
    first = math.ceil(low / every - 1e-9) * every
    count = math.floor((high - first) / every + 1e-9) + 1
    return [(first + i * every, "10" + str(first + i * every).translate(_SUPERSCRIPTS)) for i in range(max(0, count))]


def readable(value: float, unit: str) -> str:
    """A value in the read-out."""
    if not math.isfinite(value):
        return "–"
    text = "0" if value == 0 else f"{value:.1e}" if abs(value) < 1e-3 else f"{value:.4g}"
    return f"{text.replace('-', MINUS)} {unit}".rstrip()
