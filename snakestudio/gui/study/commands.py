"""What studies have in the menus."""

from __future__ import annotations

from typing import Protocol

from snakestudio.gui.core.command import Command, Context
from snakestudio.gui.study.feature import StudyFeature


class StudyContext(Context, Protocol):
    """What these commands work with."""

    study: StudyFeature


STUDY: tuple[Command[StudyContext], ...] = (
    Command(
        "new_study",
        "Simulation",
        "New Study",
        lambda c: c.study.new(),
        tip="Run this scene many times with other values: which amplitude is fastest, how much friction it takes",
    ),
    Command(
        "open_study",
        "Simulation",
        "Open Study ...",
        lambda c: c.study.ask_open(),
        tip="A study that was begun: its results are there, and it goes on where it stood",
    ),
    Command("open_recent_study", "Simulation/Open Recent Study"),
)
"""What begins and opens a study."""
