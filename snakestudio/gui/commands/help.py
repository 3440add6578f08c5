"""The Help menu."""

from __future__ import annotations

from snakestudio.gui.commands.spec import Spec

__all__ = ["HELP"]

HELP: tuple[Spec, ...] = (
    Spec("shortcuts", "Help", "Keyboard Shortcuts", lambda w: w.show_shortcuts(), ("F1",), icon="keyboard"),
    Spec("graphics", "Help", "OpenGL Information", lambda w: w.show_graphics()),
    Spec("about", "Help", "About SnakeStudio", lambda w: w.show_about(), icon="info"),
)  # fmt: skip
