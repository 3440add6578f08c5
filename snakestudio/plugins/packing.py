"""Transfer of plug-ins to another process, as loaded code with a hash instead of a path."""

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
    """Plug-in for another process."""

    name: str
    file: str
    """Name of its file; "" for a package, which must be installed on the other side."""

    data: bytes
    """Text of the file."""

    digest: str
    """SHA-256, as in `Source`."""


def packed() -> tuple[PackedPlugin, ...]:
    """Return all loaded plug-ins."""
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
    """Load plug-ins from another process of the user; they replace others of the same name.

    Raises `PluginError` if the hash of one does not match.
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
                        f"The installed plug-in {each.name} has a different version here. Install "
                        "the same version everywhere."
                    )
            unload(each.name)
            load(source)
