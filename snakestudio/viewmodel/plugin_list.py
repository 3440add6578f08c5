"""Plug-ins of a window: loaded, named by its scene, trusted, added by the user, or installed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from snakestudio.errors import PluginError
from snakestudio.plugins.loaded import find, loaded
from snakestudio.plugins.named import is_file, scene_file_path
from snakestudio.plugins.scenes import named_plugins
from snakestudio.plugins.source import Source, installed, read_source
from snakestudio.plugins.trust import TrustList, is_trusted, trusted

State = Literal["loaded", "changed", "trusted", "untrusted", "unreadable"]

_STATES = {
    "loaded": "Loaded",
    "changed": "Loaded, file changed",
    "trusted": "Trusted, not loaded",
    "untrusted": "Not trusted",
    "unreadable": "Cannot be loaded",
}


@dataclass(frozen=True)
class PluginEntry:
    """Plug-in and its state."""

    name: str
    location: Path | str
    """File, or name of the installed package."""

    state: State
    """State; "changed" means that earlier code is loaded."""

    in_scene: bool = False
    """Whether the scene names it."""

    adds: tuple[tuple[str, str], ...] = ()
    """Role and name of each kind that it adds; only known while it is loaded."""

    reason: str = ""
    """Reason why it cannot be loaded, as sentences; "" if it can."""

    trusted: bool = False
    """Whether its current content may run."""

    source: Source | None = None
    """Current code."""

    @property
    def path(self) -> Path | None:
        """File of the plug-in; None for an installed package."""
        return self.location if isinstance(self.location, Path) else None

    @property
    def is_loaded(self) -> bool:
        """Whether its code is loaded."""
        return self.state in ("loaded", "changed")

    @property
    def origin(self) -> str:
        """Origin: "scene", "file" or "package"."""
        return "scene" if self.in_scene else "package" if self.path is None else "file"

    @property
    def adds_text(self) -> str:
        """Kinds that it adds, as text for a list."""
        return (
            ", ".join(f"{role} {name}" for role, name in self.adds)
            if self.is_loaded
            else "known after loading"
        )

    @property
    def state_text(self) -> str:
        """State, as text for a list."""
        return _STATES[self.state]


def trusting_folder(path: Path, known: TrustList) -> Path | None:
    """Return the trusted folder that contains a file; None if there is none."""
    folders = (Path(each) for each in known.folders if path.resolve().is_relative_to(each))
    return next(folders, None)


def list_plugins(
    names: Iterable[str], folder: Path | None, files: Iterable[Path], failures: Mapping[str, str]
) -> list[PluginEntry]:
    """Return all plug-ins, those of the scene first.

    Parameters
    ----------
    names : iterable of str
        Names in the scene.
    folder : Path or None
        Folder of the scene.
    files : iterable of Path
        Files that the user added.
    failures : mapping of str to str
        Reasons why code could not be loaded, by its SHA-256.
    """
    entries: dict[Path | str, PluginEntry] = {}
    for each in named_plugins(names, folder):
        try:
            location = (
                scene_file_path(each.name, folder).resolve() if is_file(each.name) else each.name
            )
        except PluginError as error:
            location = Path(each.name)
            entries[location] = PluginEntry(
                each.name, location, "unreadable", True, reason=str(error)
            )
            continue
        reason = each.reason if each.state == "unreadable" else ""
        entries[location] = _entry(location, in_scene=True, failures=failures, reason=reason)
    others: list[Path | str] = []
    for plugin in loaded():
        source = plugin.source
        others.append(
            source.path.resolve() if source.path is not None and not source.module else source.name
        )
    others += [path.resolve() for path in files]
    with contextlib.suppress(PluginError):  # reported when users trust something
        others += [Path(path) for path in trusted().files]
    for location in (*others, *installed()):
        if location not in entries:
            entries[location] = _entry(location, in_scene=False, failures=failures)
    return list(entries.values())


def _entry(
    location: Path | str, *, in_scene: bool, failures: Mapping[str, str], reason: str = ""
) -> PluginEntry:
    present = find(location.name if isinstance(location, Path) else location)
    name = location.stem if isinstance(location, Path) else location
    here = present is not None and _is_at(present.source, location)
    adds = present.adds if present is not None and here else ()
    try:
        source = read_source(location)
        may_run = is_trusted(source)
    except PluginError as error:
        return PluginEntry(
            name, location, "loaded" if here else "unreadable", in_scene, adds, reason or str(error)
        )
    if present is not None and here:
        state: State = "loaded" if present.digest == source.digest else "changed"
        return PluginEntry(
            name, location, state, in_scene, adds, failures.get(source.digest, ""), may_run, source
        )
    reason = reason or failures.get(source.digest, "")
    if present is not None and not reason:
        reason = (
            f"Another plug-in has the name {name}: {present.source.where}. Unload it, "
            "or rename one of the files."
        )
    state = "unreadable" if reason else "trusted" if may_run else "untrusted"
    return PluginEntry(name, location, state, in_scene, (), reason, may_run, source)


def _is_at(source: Source, location: Path | str) -> bool:
    if isinstance(location, Path):
        return not source.module and source.path is not None and source.path.resolve() == location
    return bool(source.module) and source.name == location
