"""Names of plug-ins in scenes: a Python file in the folder of the scene, or an installed package."""

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
    """Return the names in the scene key `plugin`; values that are not text are left to the type check."""
    names: Iterable[Any] = (
        (value,) if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
    )
    return tuple(each for each in names if isinstance(each, str))


def is_file(name: str) -> bool:
    """Return whether a name is that of a Python file; otherwise it is an installed package."""
    return name.endswith(".py")


def plugin_name(name: str) -> str:
    """Return the name of a plug-in: its file without folder and suffix, or its package."""
    return PurePosixPath(name.replace("\\", "/")).stem if is_file(name) else name


def problem_of_name(name: str) -> tuple[str, str] | None:
    """Return the problem of a name in a scene and its remedy; None if it is valid."""
    excerpt = name if len(name) <= 60 else f"{name[:57]}..."
    if not is_file(name):
        if _PACKAGE.fullmatch(name):
            return None
        return (
            f'"{excerpt}" is neither a Python file nor a package',
            'name a file that ends in ".py"',
        )
    path = PurePosixPath(name)
    if "\\" in name or ":" in name or "~" in name or path.is_absolute() or ".." in path.parts:
        what = f'"{excerpt}" is outside the folder of the scene, which can only name plug-ins inside it'
        return what, "copy the file next to the scene, or give it with --plugin"
    if not _STEM.fullmatch(path.stem):
        return (
            f'"{excerpt}" is not a name of a Python module',
            "use letters, digits and _ in the file's name",
        )
    return None


def scene_file_path(name: str, folder: Path | None) -> Path:
    """Return the path of the plug-in that a scene in `folder` names; None means the working directory.

    Raises `PluginError` if it is outside that folder, even through a symbolic link.
    """
    if problem := problem_of_name(name):
        raise PluginError(f"plugin: {sentences(*problem)}")
    base = (folder or Path()).resolve()
    path = base / name
    if not path.resolve().is_relative_to(base):
        raise PluginError(
            f'plugin: "{name}" is a link to a file outside the scene\'s folder. Copy the file next to the scene, or '
            "give it with --plugin."
        )
    return path
