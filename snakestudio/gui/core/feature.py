"""Declaration of a feature of the window: its docks, commands, parts and their life; the shell puts all together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtWidgets import QWidget

from snakestudio.gui.core.command import Command
from snakestudio.gui.core.overlaid_runs import RunsOver

C = TypeVar("C", contravariant=True)

Area = Qt.DockWidgetArea

Parts = Iterable[tuple[str, object]]
"""Parts of the window with their names in the context."""


@dataclass(frozen=True)
class DockSpec(Generic[C]):
    """One dock; `C` is the type of context that its content needs."""

    name: str
    """Name in stored layouts."""

    title: str
    area: Area
    make: Callable[[C], QWidget]
    """Makes the content, and imports the modules that it needs."""

    size: int
    """Initial width (at a side) or height (at the bottom), px."""

    gap: int | None = None
    """Space above content that has its own heading, px; None for content that needs the dock's title."""

    behind: str = ""
    """Name of the dock with which it is tabbed; such a dock is shown only on request."""


@dataclass(frozen=True, kw_only=True)
class Feature(Generic[C]):
    """A feature of the window; `C` is the part of the context that it needs.

    All functions get the context of the window. Features are made in the order of their list and closed
    in the reverse order.
    """

    docks: tuple[DockSpec[C], ...] = ()

    commands: Mapping[str, Sequence[Command[C]] | Callable[[], Sequence[Command[C]]]] = field(
        default_factory=dict
    )
    """Commands by their place in the menus (`shell.commands`). A function returns the commands of one
    menu for the kinds that are loaded now; it is called again when plug-ins add or remove kinds."""

    make: Callable[[C], Parts] = lambda context: ()
    """Yields the parts, each of which becomes an attribute of the context before the next is made."""

    changes: Callable[[C], Iterable[SignalInstance]] = lambda context: ()
    """Returns the signals after which commands are checked and checked marks are updated."""

    overlays: Callable[[C], Iterable[tuple[RunsOver, SignalInstance]]] = lambda context: ()
    """Returns the sources of runs that are overlaid on the window's run, and their signals of changes."""

    background: Callable[[C], str] = lambda context: ""
    """Returns what it does in the background, for the status bar; "" for nothing."""

    close: Callable[[C], object] = lambda context: None
    """Ends its work; called when the window closes for good."""


def changing_menus(
    features: Iterable[Feature[Any]],
) -> Iterator[tuple[str, Sequence[Command[Any]]]]:
    """Yield the menus whose commands depend on the loaded kinds, with the present commands."""
    for feature in features:
        for commands in feature.commands.values():
            if callable(commands):
                present = commands()
                yield present[0].menu, present


def docks_of(features: Iterable[Feature[C]]) -> list[DockSpec[C]]:
    """Return all docks of some features."""
    return [dock for feature in features for dock in feature.docks]
