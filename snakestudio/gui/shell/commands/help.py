"""The Help menu."""

from __future__ import annotations

from snakestudio.gui.shell.commands.command import Spec, line

__all__ = ["HELP"]

HELP: tuple[Spec, ...] = (
    Spec(
        "gallery", "Help", "Scene Gallery ...", lambda w: w.guides.gallery(), ("Ctrl+Shift+O",), icon="gallery",
        long=True, tip="Every scene that comes along, with a picture and what to look for",
    ),
    Spec(
        "tour", "Help", "Guided Tour", lambda w: w.guides.tour(), icon="tour", long=True,
        tip="What is where in this window, in seven steps",
    ),
    Spec(
        "command_palette", "Help", "Find a Command ...", lambda w: w.guides.palette(), ("Ctrl+K",), icon="search",
        tip="Type a few letters of any command, panel or scene",
    ),
    line("Help"),
    Spec(
        "safety", "Help", "Safety of a Robot", lambda w: w.guides.document("safety"),
        tip="Each hazard: what detects it, how fast, what happens, and which test proves it",
    ),
    Spec("profile_format", "Help", "Format of Robot Profiles", lambda w: w.guides.document("robot-profile"), long=True),
    Spec("start_together_page", "Help", "Starting Together", lambda w: w.guides.document("start-together")),
    line("Help"),
    Spec("shortcuts", "Help", "Keys and Mouse", lambda w: w.guides.shortcuts(), ("F1",), icon="keyboard", long=True),
    Spec("graphics", "Help", "OpenGL Information", lambda w: w.guides.graphics()),
    Spec("about", "Help", "About SnakeStudio", lambda w: w.guides.about(), icon="info"),
)  # fmt: skip
