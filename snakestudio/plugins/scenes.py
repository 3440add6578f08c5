"""Plug-ins that scenes name: which are loaded, and reasons why others are not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from snakestudio.errors import PluginError, PluginRuntimeError
from snakestudio.plugins.loaded import find
from snakestudio.plugins.loading import load, unload
from snakestudio.plugins.named import is_file, scene_file_path
from snakestudio.plugins.source import Source, read_source
from snakestudio.plugins.trust import is_trusted

_run = ContextVar("snakestudio_run_plugins", default=True)

_by_scenes: set[str] = set()
"""Plug-ins that were loaded because a scene names them. A file of the same name from another scene
replaces them; plug-ins that the user loaded are not replaced."""

_failures: dict[str, str] = {}
"""Reasons why code could not be loaded, by its SHA-256."""


@dataclass(frozen=True, slots=True)
class NamedPlugin:
    """Plug-in that a scene names, and its state."""

    name: str
    """Name in the scene."""

    path: Path | None
    """Path of a file; None for a package."""

    state: Literal["loaded", "changed", "trusted", "untrusted", "unreadable"]
    """"changed": earlier code is loaded and the current code is not trusted; "trusted": it can be
    loaded."""

    reason: str = ""
    """Reason why it cannot be read or loaded, as sentences; "" if it can."""

    source: Source | None = None
    """Current code."""

    def refusal(self) -> tuple[str, str]:
        """Return the problem and remedy, for a message about the key that needs the plug-in."""
        if self.state == "unreadable":
            return (
                f'the plug-in "{self.name}" cannot be used ({self.reason.rstrip(".")})',
                "fix or restore the file",
            )
        argument = str(self.path) if self.path is not None else self.name
        what = f'the plug-in "{self.name}" was not run, and values of its kinds were not checked'
        if self.state == "trusted":
            return what, f"give --plugin {argument}"
        return (
            f"{what}, because it is not trusted",
            "read its code, and trust it (in the plug-in manager of the window, or with snakestudio plugin trust "
            f"{argument}) or give --plugin {argument}",
        )


@contextmanager
def without_running() -> Iterator[None]:
    """Prevent plug-ins that scenes name from being loaded within the context, even if they are trusted."""
    before = _run.set(False)
    try:
        yield
    finally:
        _run.reset(before)


def named_plugins(names: Iterable[str], folder: Path | None) -> tuple[NamedPlugin, ...]:
    """Return the states of the plug-ins that a scene in `folder` names; None means the working directory."""
    return tuple(_inspect(name, folder) for name in names)


def _inspect(name: str, folder: Path | None) -> NamedPlugin:
    present = find(name)
    path = None
    try:
        if is_file(name):
            path = scene_file_path(name, folder)
        source = read_source(path if path is not None else name)
        trusted = is_trusted(source)
    except PluginError as error:
        # A loaded plug-in needs no file, because a worker has its bytes.
        state: Literal["loaded", "unreadable"] = "loaded" if present is not None else "unreadable"
        return NamedPlugin(name, path, state, str(error))
    if present is not None and (present.digest == source.digest or present.name not in _by_scenes):
        return NamedPlugin(name, path, "loaded", source=source)
    if trusted and source.digest in _failures:
        return NamedPlugin(name, path, "unreadable", _failures[source.digest], source)
    if trusted:
        return NamedPlugin(name, path, "trusted", source=source)
    return NamedPlugin(name, path, "untrusted" if present is None else "changed", source=source)


def load_trusted(names: Iterable[str], folder: Path | None) -> None:
    """Load the trusted plug-ins of a scene, and remove other code with the same names.

    Failures are reported by `named_plugins` from then on. Nothing happens within `without_running`.
    """
    if not _run.get():
        return
    for each in named_plugins(names, folder):
        if each.state not in ("changed", "trusted"):
            continue
        assert each.source is not None
        unload(each.source.name)
        _by_scenes.discard(each.source.name)
        if each.state == "trusted":
            try:
                load(each.source)
                _by_scenes.add(each.source.name)
            except (PluginError, PluginRuntimeError) as error:
                _failures[each.source.digest] = str(error)
