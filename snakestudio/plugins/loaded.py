"""Plug-ins that this process has loaded."""

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
    """Loaded plug-in."""

    source: Source
    """Origin of the code: file or package, with its hash."""

    module: ModuleType
    """Module of the plug-in."""

    declarations: tuple[Declaration, ...]
    """Declared kinds."""

    @property
    def name(self) -> str:
        """Name of the plug-in."""
        return self.source.name

    @property
    def digest(self) -> str:
        """SHA-256 of its code."""
        return self.source.digest

    @property
    def adds(self) -> tuple[tuple[str, str], ...]:
        """Role (such as "gait") and name of each kind that the plug-in adds."""
        return tuple((each.role, each.kind_name) for each in self.declarations)


def loaded() -> tuple[Plugin, ...]:
    """Return all loaded plug-ins, in the order of loading."""
    return tuple(PLUGINS.values())


def find(name: str) -> Plugin | None:
    """Return the loaded plug-in with this name or file name; None if it is not loaded."""
    return PLUGINS.get(plugin_name(name))


def is_loaded(name: str) -> bool:
    """Return whether a plug-in that a scene names is loaded."""
    return find(name) is not None
