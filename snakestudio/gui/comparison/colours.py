"""The colour of every model: the same for its ghost, its curves and its figures."""

from __future__ import annotations

from snakestudio.engines import registry
from snakestudio.gui import theme

__all__ = ["model_colour"]

_DARK = ("#ffe066", "#ff85b3", "#5ce6d6", "#b6f06a", "#dcb98f")
_LIGHT = ("#8f6c00", "#c2186b", "#00807a", "#5b7d00", "#8a5a3c")
"""None of them is a colour of the run's own curves, of forces or of the robot."""


def model_colour(kind: str) -> str:
    """Colour of a formulation in the present palette."""
    colours = _LIGHT if theme.current() is theme.LIGHT else _DARK
    return colours[registry.kinds().index(kind) % len(colours)]
