"""What the command palette can find in a window: its commands, its panels, its layouts and the shipped scenes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtGui import QKeySequence

from snakestudio.gui.shell.actions import ActionRegistry
from snakestudio.gui.shell.files import Files
from snakestudio.gui.shell.focus_cycle import FocusCycle
from snakestudio.gui.shell.layouts import Layouts
from snakestudio.viewmodel.gallery import entries

__all__ = ["CommandEntry", "command_entries"]


@dataclass(frozen=True)
class CommandEntry:
    """One line of the palette.

    Attributes
    ----------
    id : str
        Its name among the recently used ones.
    text : str
    where : str
        Menu it stands in; where a scene is from.
    keys : str
        Its shortcut, as this platform writes it.
    icon : str
        Name of a file in `resources/icons`.
    enabled : bool
        Whether it can be used now.
    checked : bool
        Whether it is on.
    run : callable
    """

    id: str
    text: str
    where: str
    run: Callable[[], object]
    keys: str = ""
    icon: str = ""
    enabled: bool = True
    checked: bool = False


def command_entries(table: ActionRegistry, panes: FocusCycle, layouts: Layouts, files: Files) -> list[CommandEntry]:
    """Everything that can be found, in the order of the menus."""
    table.refresh()
    found = []
    for spec in table.commands:
        if spec.run is None or spec.id == "command_palette":
            continue
        action = table[spec.id]
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        top, _, below = spec.menu.partition("/")
        text = action.text().replace("&", "")
        found.append(
            CommandEntry(
                spec.id,
                f"{below.replace('/', ': ')}: {text}" if below else text,  # "Cylinder" alone would say little
                top,
                action.trigger,
                keys,
                spec.icon,
                action.isEnabled(),
                action.isCheckable() and action.isChecked(),
            )
        )
    for name, dock in panes.docks.all.items():
        found.append(
            CommandEntry(
                f"panel_{name}",
                f"Go to {dock.windowTitle()}",
                "Panel",
                partial(panes.go_to, name),
                icon="layout",
                checked=dock.isVisible(),
            )
        )
    for name in layouts.saved:
        found.append(
            CommandEntry(
                f"saved_layout_{name}",
                f"Layouts: {name}",
                "View",
                partial(layouts.choose, name),
                icon="layout",
            )
        )
    for entry in entries():
        found.append(
            CommandEntry(
                f"scene_{entry.path.stem}",
                f"Open: {entry.title}",
                f"{entry.source} · {entry.model}",
                partial(files.open, entry.path),
                icon="gallery",
            )
        )
    return found
