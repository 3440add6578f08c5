"""Ranges of axes: round numbers for values, pages that follow the newest data for time; texts of values."""

from __future__ import annotations

import math

from snakestudio.model.ticks import step_above
from snakestudio.text import MINUS

_LEAST_USE = 0.4
"""Fraction of an axis that data must fill to keep the axis."""


def fitted(low: float, high: float, *, from_zero: bool, least: float) -> tuple[float, float]:
    """Return the ends of an axis for low to high at round numbers, so that small changes do not move it.

    Parameters
    ----------
    from_zero : bool
        Whether the axis starts at 0 if the data allow it.
    least : float
        Smallest length of the axis, so that noise does not fill it.
    """
    if from_zero and low >= 0:
        low = 0.0
    if high - low < least:
        middle = (low + high) / 2
        low, high = (
            (0.0, max(high, least))
            if from_zero and low >= 0
            else (middle - least / 2, middle + least / 2)
        )
    interval = step_above((high - low) / 4)
    bottom = math.floor(low / interval + 1e-9) * interval
    top = math.ceil(high / interval - 1e-9) * interval
    return (bottom, top) if top > bottom else (bottom, bottom + interval)


def steady(low: float, high: float, before: tuple[float, float] | None) -> tuple[float, float]:
    """Return the previous ends of an axis if they show low to high well, otherwise low and high."""
    if (
        before is None
        or low < before[0]
        or high > before[1]
        or high - low < _LEAST_USE * (before[1] - before[0])
    ):
        return low, high
    return before


def readable(value: float, unit: str) -> str:
    """Return the text of a value for read-outs."""
    if not math.isfinite(value):
        return "–"
    text = "0" if value == 0 else f"{value:.1e}" if abs(value) < 1e-3 else f"{value:.4g}"
    return f"{text.replace('-', MINUS)} {unit}".rstrip()


_KEPT = 0.25
"""Fraction of a new page that the previous one already showed."""
_ALL_FILLED = 0.75
"""Fraction of a new page that data fill if the whole run is in view."""
_ROOM = 0.015
"""Fraction of a page on the right that separates the cursor from the border."""


def next_page(
    start: float, stop: float, newest: float, span: float, *, settle: bool
) -> tuple[float, float]:
    """Return the span (s) to show after start to stop; it is unchanged while it contains the newest data.

    Parameters
    ----------
    newest : float
        Time of the newest data, s.
    span : float
        Length of the span in view, s; 0 for the whole run.
    settle : bool
        Whether the page ends at the newest data.
    """
    if span == 0.0:
        if settle or start != 0.0 or not newest <= stop:
            return 0.0, max(1.0, newest * (1.01 if settle else 1 / _ALL_FILLED))
    elif settle or not math.isclose(stop - start, span):
        end = max(span, newest + _ROOM * span)
        return end - span, end
    elif not start <= newest <= stop:
        begin = max(0.0, newest - _KEPT * span)
        return begin, begin + span
    return start, stop


def page_around(at: float, span: float, newest: float) -> tuple[float, float]:
    """Return the span (s) of `span` seconds around a time, limited to the run.

    Parameters
    ----------
    newest : float
        Time of the newest data, s.
    """
    begin = max(0.0, min(at - 0.5 * span, newest - (1.0 - _ROOM) * span))
    return begin, begin + span
