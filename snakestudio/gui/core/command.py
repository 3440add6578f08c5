"""Commands of the window, the context that they work with, and conditions shared by several menus."""

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
"""Menu that exists only for continuous bodies."""


class Context(Protocol):
    """Context common to all parts of the window; a part that needs more declares its own protocol."""

    window: QWidget
    """Parent of dialogs."""

    settings: QSettings
    document: Document
    session_controller: SessionController
    selection: Selection

    def show_dock(self, name: str) -> bool:
        """Show a panel; return whether it was hidden."""
        ...


C = TypeVar("C", contravariant=True)


def always(context: object) -> bool:
    """Return the condition of a command that can always be used."""
    return True


@dataclass(frozen=True)
class Command(Generic[C]):
    """One command; `C` is the part of the context that it needs."""

    id: str
    """Identifier; `SEPARATOR` for a separator in the menu."""

    menu: str
    """Menu that contains it; "View/Show" is a submenu."""

    text: str = ""
    run: Callable[[C], object] | None = None
    """Carries out the command."""

    shortcuts: tuple[str, ...] = ()
    enabled: Callable[[C], bool] = always
    """Whether it can be used now."""

    checked: Callable[[C], bool] | None = None
    """Whether it is on, for a command that can be on or off."""

    icon: str = ""
    """Name of a file in `resources/icons`."""

    tip: str = ""
    """Explanation in addition to the text."""

    label: Callable[[C], str] | None = None
    """Returns a text that changes."""

    local: bool = False
    """Whether the shortcut works only in viewport, time bar and scene tree, because it has another
    meaning elsewhere."""

    long: bool = False
    """Whether it blocks the window for so long that the missing heartbeat would stop a robot: while
    torque may be on, it is refused with a message."""


def line(menu: str) -> Command[object]:
    """Return a separator in a menu."""
    return Command(SEPARATOR, menu)


def is_jointed(context: Context) -> bool:
    """Return whether the robot has joints that can be moved."""
    return context.document.scene.body.jointed


def is_strained(context: Context) -> bool:
    """Return whether a strain law determines the robot's shape."""
    return context.document.scene.body.strained


def meets_obstacles(context: Context) -> bool:
    """Return whether the robot's body makes contact with obstacles."""
    return context.document.scene.body.meets_obstacles
