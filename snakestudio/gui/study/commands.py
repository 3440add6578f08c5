"""Menu commands of studies."""

from __future__ import annotations

from typing import Protocol

from snakestudio.gui.core.command import Command, Context
from snakestudio.gui.study.feature import StudyFeature


class StudyContext(Context, Protocol):
    """Parts of the window that these commands use."""

    study: StudyFeature


STUDY: tuple[Command[StudyContext], ...] = (
    Command(
        "new_study",
        "Simulation",
        "New Study",
        lambda c: c.study.new(),
        tip="Run this scene many times with different values, for example to find the fastest amplitude",
    ),
    Command(
        "open_study",
        "Simulation",
        "Open Study...",
        lambda c: c.study.ask_open(),
        tip="Open a study with its results; it continues where it stopped",
    ),
    Command("open_recent_study", "Simulation/Open Recent Study"),
)
"""Commands that create and open studies."""
