"""What a command of the window is, what every one is given to work with, and when commands of several menus can run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget

from snakestudio.gui.core.document import Document
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.core.session_controller import SessionController

SEPARATOR = "-"

BODY_MENU = "View/Colour Body by"
"""Only there for continuous bodies."""


class Context(Protocol):
    """What every part of the window has to work with; a part that needs more says so in a protocol of its own."""

    window: QWidget
    """Parent of dialogs."""

    settings: QSettings
    document: Document
    session_controller: SessionController
    selection: Selection

    def show_dock(self, name: str) -> None:
        """Bring up a panel."""
        ...


C = TypeVar("C", contravariant=True)


def always(context: object) -> bool:
    """At any time."""
    return True


@dataclass(frozen=True)
class Command(Generic[C]):
    """One command; `C` is the part of the context that it needs."""

    id: str
    """Its name in the program; `SEPARATOR` for a line in the menu."""

    menu: str
    """Menu it stands in; "View/Show" is a submenu."""

    text: str = ""
    run: Callable[[C], object] | None = None
    """What it does."""

    shortcuts: tuple[str, ...] = ()
    enabled: Callable[[C], bool] = always
    """When it can be used."""

    checked: Callable[[C], bool] | None = None
    """Whether it is on, if it can be on or off."""

    icon: str = ""
    """Name of a file in `resources/icons`."""

    tip: str = ""
    """Explanation beyond the text."""

    label: Callable[[C], str] | None = None
    """Gives a text that changes."""

    local: bool = False
    """The shortcut works in viewport, time bar and scene tree only, as it means something else in
    other places."""

    long: bool = False
    """It keeps the window for so long that a robot which hears nothing of it would stop: while
    torque may be on it is not carried out, and a sentence says why."""


def line(menu: str) -> Command[object]:
    """A line in a menu."""
    return Command(SEPARATOR, menu)


def is_jointed(context: Context) -> bool:
    """Whether the robot has joints that can be moved."""
    return context.document.scene.body.jointed


def is_strained(context: Context) -> bool:
    """Whether a strain law says the robot's shape."""
    return context.document.scene.body.strained


def meets_obstacles(context: Context) -> bool:
    """Whether there is something to lay out around the robot."""
    return context.document.scene.body.meets_obstacles
