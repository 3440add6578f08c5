"""Notice about folders that cannot be written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from snakestudio.paths import UserFolder, temporary_dir
from snakestudio.text import capitalized, listing


def unwritable_notice(folders: Mapping[UserFolder, str], settings_file: str = "") -> str:
    """Return what is not saved permanently, its temporary location, and a remedy; "" if all folders are writable.

    Parameters
    ----------
    folders : mapping
        Folders that cannot be written, with reasons.
    settings_file : str
        Settings file, if it cannot be written.
    """
    paths = [one.folder for one in folders] + ([Path(settings_file)] if settings_file else [])
    if not paths:
        return ""
    reasons = set(folders.values())
    why = f" ({reasons.pop()})" if len(reasons) == 1 else ""
    where = _common(paths)
    parts = [f"{listing(where)} cannot be written{why}."]
    if folders:
        content = listing([one.content for one in folders])
        parts.append(f"{capitalized(content)} go to {temporary_dir()} until the computer restarts.")
    if settings_file:
        parts.append("Settings are not saved.")
    variables = list(dict.fromkeys(one.variable for one in folders))
    choice = f", or set other folders in {listing(variables)}" if variables else ""
    parts.append(f"Make {'the folder' if len(where) == 1 else 'them'} writable{choice}.")
    return " ".join(parts)


def _common(paths: list[Path]) -> list[Path]:
    """Return the common parent folder, unless it is writable."""
    folder = Path(os.path.commonpath(paths))
    return paths if folder == Path(folder.anchor) or os.access(folder, os.W_OK) else [folder]
