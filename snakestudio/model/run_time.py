"""Formatting of simulated times: in seconds, and from 1000 s on in hours, minutes and seconds."""

from __future__ import annotations

import math

_CLOCK_FROM = 1000.0
"""Time from which hours, minutes and seconds are used, s."""


def run_time(
    seconds: float, decimals: int = 3, *, significant: int | None = None, clock: bool | None = None
) -> str:
    """Return the time of a run with its unit: "12.345 s", "1:57:18.190".

    Parameters
    ----------
    decimals : int
        Decimal places.
    significant : int, optional
        Significant digits of a time in seconds, instead of decimal places.
    clock : bool, optional
        Whether to use hours, minutes and seconds; if omitted, from 1000 s on.
    """
    if not math.isfinite(seconds):
        return "–"
    # whole units of the last digit: 59.9996 s is one minute
    units = round(abs(seconds) * 10**decimals)
    if clock is None:
        clock = units >= _CLOCK_FROM * 10**decimals
    if not clock:
        return (
            f"{seconds:.{decimals}f} s" if significant is None else f"{seconds:.{significant}g} s"
        )
    full, part = divmod(units, 10**decimals)
    hours, rest = divmod(full, 3600)
    sign = "-" if seconds < 0 and units else ""
    text = f"{sign}{hours}:{rest // 60:02d}:{rest % 60:02d}"
    return f"{text}.{part:0{decimals}d}" if decimals and significant is None else text


def run_time_of(seconds: float, total: float, decimals: int = 3) -> str:
    """Return the time and length of a run, in the same format: "12.345 / 40.000 s", "0:06:05.190 / 11:06:40.000"."""
    clock = round(abs(total) * 10**decimals) >= _CLOCK_FROM * 10**decimals
    return f"{run_time(seconds, decimals, clock=clock).removesuffix(' s')} / {run_time(total, decimals, clock=clock)}"
