"""Which stretch of time follows the newest data: in pages, because axes that move with every sample cost more."""

from __future__ import annotations

import math

__all__ = ["next_page"]

_KEPT = 0.25
"""Share of a new page that the one before already showed."""
_ALL_FILLED = 0.75
"""Share of a new page that data fill where all of the run is in view."""


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
        # A little room on the right keeps the cursor off the border.
        end = max(span, newest + 0.015 * span)
        return end - span, end
    elif not start <= newest <= stop:
        begin = max(0.0, newest - _KEPT * span)
        return begin, begin + span
    return start, stop
