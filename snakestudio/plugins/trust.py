"""Trusted plug-ins: a file by its path and the hash of its content, or everything in a folder.

The list is a file of the user's configuration. Scenes cannot change it.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from snakestudio.errors import PluginError
from snakestudio.inputs import TRUST, InputError, parse_json, read_text
from snakestudio.paths import config_dir
from snakestudio.plugins.source import Source, read_source


@dataclass(frozen=True, slots=True)
class TrustList:
    """Trusted files, packages and folders."""

    files: dict[str, str] = field(default_factory=dict)
    """SHA-256 of the content by absolute path."""

    packages: dict[str, str] = field(default_factory=dict)
    """SHA-256 of the Python files of installed packages by name."""

    folders: tuple[str, ...] = ()
    """Absolute paths; all Python files in them and their subfolders are trusted, with any content."""


def _store() -> Path:
    return config_dir() / "trusted_plugins.json"


def trusted() -> TrustList:
    """Return what is currently trusted.

    Raises `PluginError` if the list cannot be read.
    """
    path = _store()
    if not os.path.exists(path):
        return TrustList()
    try:
        values = parse_json(read_text(path, TRUST), TRUST)
        return TrustList(
            _texts(values["files"]), _texts(values["packages"]), tuple(map(str, values["folders"]))
        )
    except (InputError, KeyError, TypeError, AttributeError):
        raise PluginError(
            f"{path}: The list of trusted plug-ins is damaged. Delete this file, and trust your plug-ins again."
        ) from None


def _texts(values: Any) -> dict[str, str]:
    return {str(key): str(value) for key, value in values.items()}


def trusted_folders() -> tuple[Path, ...]:
    """Return the folders in which every Python file is trusted."""
    return tuple(map(Path, trusted().folders))


def is_trusted(plugin: Source | str | Path) -> bool:
    """Return whether a plug-in may run, because its current content or its folder is trusted.

    Raises `PluginError` if it cannot be read.

    Parameters
    ----------
    plugin : Source, str or Path
        File or name of an installed package, or a `Source` that is already read.
    """
    source = plugin if isinstance(plugin, Source) else read_source(plugin)
    known = trusted()
    if source.module:
        return known.packages.get(source.name) == source.digest
    assert source.path is not None
    path = source.path.resolve()
    return known.files.get(str(path)) == source.digest or any(
        path.is_relative_to(each) for each in known.folders
    )


def trust(plugin: Source | str | Path) -> str:
    """Trust a file with its current content, an installed package, or all files in a folder.

    Raises `PluginError` if it cannot be read, or other users can write to the folder.

    Returns
    -------
    str
        Sentence that states what is trusted now.
    """
    known = trusted()
    if not isinstance(plugin, Source) and os.path.isdir(plugin):
        folder = Path(plugin).resolve()
        if os.name == "posix" and folder.stat().st_mode & stat.S_IWOTH:
            raise PluginError(
                f"{folder}: Every user of this computer can write to this folder. Trust a private folder, or a "
                "single file."
            )
        _write(
            TrustList(
                known.files, known.packages, tuple(dict.fromkeys((*known.folders, str(folder))))
            )
        )
        return f"Plug-ins in {folder} are trusted."
    source = plugin if isinstance(plugin, Source) else read_source(plugin)
    if source.module:
        _write(TrustList(known.files, known.packages | {source.name: source.digest}, known.folders))
        return f"The package {source.name} is trusted as it is now ({source.digest[:12]})."
    assert source.path is not None
    path = source.path.resolve()
    _write(TrustList(known.files | {str(path): source.digest}, known.packages, known.folders))
    return f"{path} is trusted as it is now ({source.digest[:12]})."


def revoke_trust(plugin: str | Path) -> str:
    """Revoke the trust in a file, a package or a folder.

    Raises `PluginError` if it was not trusted.

    Returns
    -------
    str
        Sentence that states what is no longer trusted.
    """
    known = trusted()
    path = str(Path(plugin).resolve())
    name = str(plugin)
    if path in known.files or path in known.folders:
        files = {key: digest for key, digest in known.files.items() if key != path}
        folders = tuple(each for each in known.folders if each != path)
        _write(TrustList(files, known.packages, folders))
        return f"{path} is no longer trusted."
    if name in known.packages:
        packages = {key: digest for key, digest in known.packages.items() if key != name}
        _write(TrustList(known.files, packages, known.folders))
        return f"The package {name} is no longer trusted."
    raise PluginError(f"{plugin} is not trusted. Run snakestudio plugin list to see what is.")


def _write(known: TrustList) -> None:
    values = {"files": known.files, "packages": known.packages, "folders": list(known.folders)}
    path = _store()
    try:
        # readable only by the user
        handle, name = tempfile.mkstemp(prefix=".trusted-", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(values, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        raise PluginError(
            f"{path}: The list of trusted plug-ins cannot be written ({error.strerror}). Make its folder writable."
        ) from None
