"""What the user should know of folders that cannot be written."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from snakestudio.paths import UserFolder, temporary_dir

__all__ = ["unwritable_notice"]


def unwritable_notice(folders: Mapping[UserFolder, str], settings_file: str = "") -> str:
    """What is not saved for good, where it goes instead, and what to do; "" where every folder can be written.

    Parameters
    ----------
    folders : mapping
        Folders that cannot be written, and why.
    settings_file : str
        The file of the settings where it cannot be written.
    """
    paths = [one.folder for one in folders] + ([Path(settings_file)] if settings_file else [])
    if not paths:
        return ""
    reasons = set(folders.values())
    why = f" ({reasons.pop()})" if len(reasons) == 1 else ""
    where = _common(paths)
    parts = [f"{_listed([str(path) for path in where])} cannot be written{why}."]
    if folders:
        content = _listed([one.content for one in folders])
        parts.append(f"{content[:1].upper()}{content[1:]} go to {temporary_dir()} until the computer restarts.")
    if settings_file:
        parts.append("Settings are not saved.")
    variables = list(dict.fromkeys(one.variable for one in folders))
    choice = f", or name other folders in {_listed(variables)}" if variables else ""
    parts.append(f"Make {'the folder' if len(where) == 1 else 'them'} writable{choice}.")
    return " ".join(parts)


def _common(paths: list[Path]) -> list[Path]:
    """The folder that all of them are in, unless that one can be written itself."""
    folder = Path(os.path.commonpath(paths))
    return paths if folder == Path(folder.anchor) or os.access(folder, os.W_OK) else [folder]


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
