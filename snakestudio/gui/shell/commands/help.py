"""The Help menu."""

from __future__ import annotations

from snakestudio.gui.shell.commands.command import Command, line

__all__ = ["HELP"]

HELP: tuple[Command, ...] = (
    Command(
        "gallery", "Help", "Scene Gallery ...", lambda w: w.guides.gallery(), ("Ctrl+Shift+O",), icon="gallery",
        long=True, tip="Every scene that comes along, with a picture and what to look for",
    ),
    Command(
        "tour", "Help", "Guided Tour", lambda w: w.guides.tour(), icon="tour", long=True,
        tip="What is where in this window, in seven steps",
    ),
    Command(
        "command_palette", "Help", "Find a Command ...", lambda w: w.guides.palette(), ("Ctrl+K",), icon="search",
        tip="Type a few letters of any command, panel or scene",
    ),
    line("Help"),
    Command(
        "safety", "Help", "Safety of a Robot", lambda w: w.guides.document("safety"),
        tip="Each hazard: what detects it, how fast, what happens, and which test proves it",
    ),
    Command(
        "profile_format", "Help", "Format of Robot Profiles", lambda w: w.guides.document("robot-profile"), long=True
    ),
    Command("start_together_page", "Help", "Starting Together", lambda w: w.guides.document("start-together")),
    line("Help"),
    Command("shortcuts", "Help", "Keys and Mouse", lambda w: w.guides.shortcuts(), ("F1",), icon="keyboard", long=True),
    Command("graphics", "Help", "OpenGL Information", lambda w: w.guides.graphics()),
    Command("about", "Help", "About SnakeStudio", lambda w: w.guides.about(), icon="info"),
)  # fmt: skip
