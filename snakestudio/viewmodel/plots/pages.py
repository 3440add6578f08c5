"""Which stretch of time follows the newest data: in pages, because axes that move with every sample cost more."""

from __future__ import annotations

import math

__all__ = ["next_page", "page_around"]

_KEPT = 0.25
"""Share of a new page that the one before already showed."""
_ALL_FILLED = 0.75
"""Share of a new page that data fill where all of the run is in view."""
_ROOM = 0.015
"""Share of a page on the right that keeps the cursor off the border."""


def next_page(
    start: float, stop: float, newest: float, span: float, *, settle: bool
) -> tuple[float, float]:  # fmt: skip
    """The stretch (s) to show after start to stop was shown: the same as long as the newest data are in it.

    Parameters
    ----------
    start, stop : float
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
    at : float
    span : float
    newest : float
        Time of the newest data, s.
    """
    begin = max(0.0, min(at - 0.5 * span, newest - (1.0 - _ROOM) * span))
    return begin, begin + span
