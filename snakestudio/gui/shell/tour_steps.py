"""What the guided tour shows and says, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["STEPS", "Step"]


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes
    ----------
    title, text : str
    target : callable
        Gives the part of the window that is lit up.
    dock : str
        The dock that must be open for it, "" for none.
    """

    title: str
    text: str
    target: Callable[[MainWindow], QWidget]
    dock: str = ""


def _dock(name: str) -> Callable[[MainWindow], QWidget]:
    return lambda w: w.docks[name]


STEPS = (
    Step(
        "Run it",
        "Space plays and pauses. Beside the buttons stand the speed, the model that computes the motion, and what was "
        "measured: simulated time, real-time factor, and the residual of the contact solver at this very step.",
        lambda w: w.run_bar,
    ),
    Step(
        "Look around",
        "Drag turns the view around the point under the cursor, right drag shifts it, the wheel zooms. A click "
        "selects; arrows show the forces that obstacles put on the robot.",
        lambda w: w.viewport,
    ),
    Step(
        "What the scene is made of",
        "Robot, ground, path and obstacles. Select something here or in the view, and its numbers appear in the "
        "inspector below. Every edit can be undone.",
        _dock("scene"),
        "scene",
    ),
    Step(
        "Change it while it runs",
        "Gait, controller, contact and friction. Sliders act at once, also during a run; the few values that cannot "
        "say that they apply at reset.",
        _dock("parameters"),
        "parameters",
    ),
    Step(
        "Go back in time",
        "Every run is kept. Drag the slider to any instant; the view and all plots follow. Marks are impacts, jams and "
        "changes: point at one for its picture. Time > Continue from Here goes on from any instant; End returns to the "
        "newest state; File > Kept Runs finds earlier runs.",
        lambda w: w.time_bar,
    ),
    Step(
        "Measure it",
        "Forces, angles, speeds, energies: click a plot's title for another quantity, or drag channels from the "
        "Channels panel. Shift+drag gives the figures of a span. Export writes what you see, or the whole run, as "
        "CSV, HDF5, figures or video.",
        _dock("plots"),
        "plots",
    ),
    Step(
        "Find anything",
        "Ctrl+K finds every command, panel and scene by a few letters; F1 lists all keys. Gallery and tour are in the "
        "Help menu whenever you want them again.",
        lambda w: w.menuBar(),
    ),
)
