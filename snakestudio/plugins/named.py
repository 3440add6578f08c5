"""How scenes name plug-ins: a Python file in the scene's own folder, or an installed package."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from snakestudio.errors import PluginError
from snakestudio.text import sentences

_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_STEM = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


def names_of(value: Any) -> tuple[str, ...]:
    """What a scene's key `plugin` names; what is not a text is left to the check of its type."""
    given: Iterable[Any] = (
        (value,) if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
    )
    return tuple(each for each in given if isinstance(each, str))


def is_file(name: str) -> bool:
    """Whether a name is that of a Python file; else it is that of an installed package."""
    return name.endswith(".py")


def plugin_name(name: str) -> str:
    """What a plug-in is called: its file without folder and ending, or its package."""
    return PurePosixPath(name.replace("\\", "/")).stem if is_file(name) else name


def problem_of_name(name: str) -> tuple[str, str] | None:
    """What is wrong with a name in a scene, and what to do; None if nothing is."""
    shown = name if len(name) <= 60 else f"{name[:57]}..."
    if not is_file(name):
        if _PACKAGE.fullmatch(name):
            return None
        return f'"{shown}" is neither a Python file nor a package', 'name a file that ends in ".py"'
    path = PurePosixPath(name)
    if "\\" in name or ":" in name or "~" in name or path.is_absolute() or ".." in path.parts:
        what = f'"{shown}" is outside the scene\'s folder, and a scene can name plug-ins inside it only'
        return what, "copy the file beside the scene, or give it with --plugin"
    if not _STEM.fullmatch(path.stem):
        return (
            f'"{shown}" is not a name of a Python module',
            "use letters, digits and _ in the file's name",
        )
    return None


def scene_file_path(name: str, folder: Path | None) -> Path:
    """The file that a scene in a folder (None: the working directory) names as its plug-in.

    Raises `PluginError` if it is outside that folder, also by a symbolic link.
    """
    if problem := problem_of_name(name):
        raise PluginError(f"plugin: {sentences(*problem)}")
    base = (folder or Path()).resolve()
    path = base / name
    if not path.resolve().is_relative_to(base):
        raise PluginError(
            f'plugin: "{name}" is a link to a file outside the scene\'s folder. Copy the file beside the scene, or '
            "give it with --plugin."
        )
    return path
