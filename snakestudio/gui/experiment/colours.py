"""The colours of trials: the same for a trial's track, curves, legend entry and row in the panel."""

from __future__ import annotations

from snakestudio.gui import theme

__all__ = ["trial_colour"]

_DARK = ("#ffa28c", "#a9b6ff", "#f2d08a", "#9fe8d0", "#f0a8e0", "#cfd8e3")
_LIGHT = ("#b8442a", "#4653c4", "#8a6a14", "#0f7f66", "#a83a92", "#4b5a6a")
"""None of them is a colour of the run's own curves, of forces, of the robot or of another model."""


def trial_colour(number: int) -> str:
    """Colour of the trial that was loaded as the `number`-th (from 0), in the present palette."""
    colours = _LIGHT if theme.current() is theme.LIGHT else _DARK
    return colours[number % len(colours)]
