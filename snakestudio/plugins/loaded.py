"""The plug-ins that this process has loaded."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from types import ModuleType

from snakestudio.plugins.declaration import Declaration
from snakestudio.plugins.named import plugin_name
from snakestudio.plugins.source import Source

LOCK = threading.RLock()
"""Held while plug-ins are loaded or removed."""

PLUGINS: dict[str, Plugin] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Plugin:
    """A plug-in that is loaded."""

    source: Source
    module: ModuleType
    declarations: tuple[Declaration, ...]

    @property
    def name(self) -> str:
        """What it is called."""
        return self.source.name

    @property
    def digest(self) -> str:
        """SHA-256 of its code."""
        return self.source.digest

    @property
    def adds(self) -> tuple[tuple[str, str], ...]:
        """What it adds: role ("gait") and name of each kind."""
        return tuple((each.role, each.kind_name) for each in self.declarations)


def loaded() -> tuple[Plugin, ...]:
    """All plug-ins that are loaded, in the order in which they were."""
    return tuple(PLUGINS.values())


def find(name: str) -> Plugin | None:
    """The plug-in of a name (or of a file's name) if it is loaded."""
    return PLUGINS.get(plugin_name(name))


def is_loaded(name: str) -> bool:
    """Whether a plug-in that a scene names is loaded."""
    return find(name) is not None
