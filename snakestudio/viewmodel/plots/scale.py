"""How far axes reach: values to round numbers, time in pages that follow the newest data; how a value is written."""

from __future__ import annotations

import math

from snakestudio.model.ticks import step_above
from snakestudio.text import MINUS

_LEAST_USE = 0.4
"""Share of an axis that data must fill for it to stay as it is."""


def fitted(low: float, high: float, *, from_zero: bool, least: float) -> tuple[float, float]:
    """Ends of an axis that shows low to high: at round numbers, so that it stands still while data move a little.

    Parameters
    ----------
    from_zero : bool
        Whether the axis begins at 0 if the data allow it.
    least : float
        Least length of the axis: noise must not fill it.
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
    """The ends an axis had before if low to high is well seen there too, else low and high."""
    if (
        before is None
        or low < before[0]
        or high > before[1]
        or high - low < _LEAST_USE * (before[1] - before[0])
    ):
        return low, high
    return before


def readable(value: float, unit: str) -> str:
    """A value in the read-out."""
    if not math.isfinite(value):
        return "–"
    text = "0" if value == 0 else f"{value:.1e}" if abs(value) < 1e-3 else f"{value:.4g}"
    return f"{text.replace('-', MINUS)} {unit}".rstrip()


_KEPT = 0.25
"""Share of a new page that the one before already showed."""
_ALL_FILLED = 0.75
"""Share of a new page that data fill where all of the run is in view."""
_ROOM = 0.015
"""Share of a page on the right that keeps the cursor off the border."""


def next_page(
    start: float, stop: float, newest: float, span: float, *, settle: bool
) -> tuple[float, float]:
    """The stretch (s) to show after start to stop was shown: the same as long as the newest data are in it.

    Parameters
    ----------
    newest : float
        Time of the newest data, s.
    span : float
        How much is to be in view, s; 0 for all of the run.
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
    """The stretch (s) of `span` seconds with a moment in its middle, as far as the run reaches on both sides of it.

    Parameters
    ----------
    newest : float
        Time of the newest data, s.
    """
    begin = max(0.0, min(at - 0.5 * span, newest - (1.0 - _ROOM) * span))
    return begin, begin + span
