"""Colours of overlaid runs: the same for a run's ghost, curves and values."""

from __future__ import annotations

from collections.abc import Mapping

from snakestudio.gui.core import theme
from snakestudio.kinds.formulation import FORMULATIONS

BEFORE = "before the fit"
FITTED = "fitted"

COLOURS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "dark": {
        "model": ("#ffe066", "#ff85b3", "#5ce6d6", "#b6f06a", "#dcb98f"),
        "trial": ("#ffa28c", "#a9b6ff", "#f2d08a", "#9fe8d0", "#f0a8e0", "#cfd8e3"),
        "kept": ("#f2a7ff", "#ffffb0", "#84a86c", "#7fe3ff", "#fc60cc", "#9ca800"),
        "fit": ("#fc8448", "#ccf0a8"),
        "twin": ("#5b7cff",),
    },
    "light": {
        "model": ("#8f6c00", "#c2186b", "#00807a", "#5b7d00", "#8a5a3c"),
        "trial": ("#b8442a", "#4653c4", "#78243c", "#543c78", "#a83a92", "#4b5a6a"),
        "kept": ("#8a2fb0", "#6b5b00", "#3c480c", "#00708f", "#9c6084", "#005430"),
        "fit": ("#c05460", "#009018"),
        "twin": ("#2a36d6",),
    },
}
"""Colours by the name of the palette and the kind of run. They differ from those of the run's own
curves, of forces and of the robot, and between kinds of runs."""


def model_colour(kind: str) -> str:
    """Return the colour of a formulation in the present palette."""
    kinds = [*FORMULATIONS, kind]  # an unloaded kind of a plug-in is last
    return _colour("model", kinds.index(kind))


def trial_colour(number: int) -> str:
    """Return the colour of the trial with the 0-based index `number`, in the present palette."""
    return _colour("trial", number)


def pinned_colour(number: int) -> str:
    """Return the colour of the overlaid saved run with the 0-based index `number`, in the present palette."""
    return _colour("kept", number)


def fit_colour(run: str) -> str:
    """Return the colour of the run `BEFORE` or `FITTED`, in the present palette."""
    return _colour("fit", (BEFORE, FITTED).index(run))


def twin_colour() -> str:
    """Return the colour of the simulated twin of a robot, in the present palette."""
    return _colour("twin", 0)


def _colour(kind: str, number: int) -> str:
    colours = COLOURS[theme.current().name][kind]
    return colours[number % len(colours)]
