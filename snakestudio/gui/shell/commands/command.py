"""What a command of the window is, and when commands of several menus can be used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["BODY_MENU", "SEPARATOR", "Command", "always", "has_links", "is_continuum", "line"]

SEPARATOR = "-"

BODY_MENU = "View/Colour Body by"
"""Only there for continuous bodies."""


def always(window: MainWindow) -> bool:
    """At any time."""
    return True


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes
    ----------
    id : str
        Its name in the program; `SEPARATOR` for a line in the menu.
    menu : str
        Menu it stands in; "View/Show" is a submenu.
    text : str
    run : callable or None
        What it does.
    shortcuts : tuple of str
    enabled : callable
        When it can be used.
    checked : callable or None
        Whether it is on, if it can be on or off.
    icon : str
        Name of a file in `resources/icons`.
    tip : str
        Explanation beyond the text.
    label : callable or None
        Gives a text that changes.
    local : bool
        The shortcut works in viewport, time bar and scene tree only, as it means something else in other places.
    long : bool
        It keeps the window for so long that a robot which hears nothing of it would stop: while torque may be on it is
        not carried out, and a sentence says why.
    """

    id: str
    menu: str
    text: str = ""
    run: Callable[[MainWindow], object] | None = None
    shortcuts: tuple[str, ...] = ()
    enabled: Callable[[MainWindow], bool] = always
    checked: Callable[[MainWindow], bool] | None = None
    icon: str = ""
    tip: str = ""
    label: Callable[[MainWindow], str] | None = None
    local: bool = False
    long: bool = False


def line(menu: str) -> Command:
    """A line in a menu."""
    return Command(SEPARATOR, menu)


def is_continuum(window: MainWindow) -> bool:
    """Whether the robot is a continuous body."""
    return window.document.scene.model.continuum


def has_links(window: MainWindow) -> bool:
    """Whether the robot is a chain: a continuous body meets no obstacles and follows no path."""
    return not window.document.scene.model.continuum
