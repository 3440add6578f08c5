"""The colours of the runs before and after a fit: the same for their ghosts, their curves and the pictures."""

from __future__ import annotations

from snakestudio.gui import theme

__all__ = ["BEFORE", "FITTED", "fit_colour"]

BEFORE, FITTED = "before the fit", "fitted"

_DARK = {BEFORE: "#ff85b3", FITTED: "#ffe066"}
_LIGHT = {BEFORE: "#c2186b", FITTED: "#8f6c00"}
"""None of them is a colour of the run's own curves, of forces or of the robot."""


def fit_colour(run: str) -> str:
    """Colour of a run, `BEFORE` or `FITTED`, in the present palette."""
    return (_LIGHT if theme.current() is theme.LIGHT else _DARK)[run]
