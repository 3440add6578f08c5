"""Plug-ins on their way to another process: it gets the code that is loaded here, not a path, and checks its hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from snakestudio.errors import PluginError
from snakestudio.plugins.loaded import LOCK, find, loaded
from snakestudio.plugins.loading import load, unload
from snakestudio.plugins.source import Source, read_source


@dataclass(frozen=True, slots=True)
class PackedPlugin:
    """A plug-in as it is handed over."""

    name: str
    file: str
    """Name of its file; "" for a package, which must be installed where it is used."""

    data: bytes
    """Text of the file."""

    digest: str
    """SHA-256, as of `Source`."""


def packed() -> tuple[PackedPlugin, ...]:
    """All plug-ins that are loaded."""
    return tuple(
        PackedPlugin(
            plugin.name,
            plugin.source.file,
            plugin.source.data,
            plugin.digest,
        )
        for plugin in loaded()
    )


def use_packed(plugins: Iterable[PackedPlugin]) -> None:
    """Load plug-ins that another process of the user handed over, in place of others of their names.

    Raises `PluginError` if one is not what it says it is.
    """
    with LOCK:
        for each in plugins:
            present = find(each.name)
            if present is not None and present.digest == each.digest:
                continue
            if each.file:
                if hashlib.sha256(each.data).hexdigest() != each.digest:
                    raise PluginError(
                        f"The plug-in {each.name} arrived damaged. Start the study again."
                    )
                source = Source(each.name, Path(each.file), each.data, each.digest)
            else:
                source = read_source(each.name)
                if source.digest != each.digest:
                    raise PluginError(
                        f"The installed plug-in {each.name} is another version here. Install the same one everywhere."
                    )
            unload(each.name)
            load(source)
