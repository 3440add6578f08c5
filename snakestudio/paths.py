"""Where SnakeStudio finds its files, in a checkout as in a wheel, where it keeps its own, and how it starts itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = [
    "cache_dir",
    "compiled_kernels_dir",
    "docs_dir",
    "is_program_folder",
    "is_shipped_scene",
    "kernels_dir",
    "main_scene",
    "own_program",
    "profiles_dir",
    "resource",
    "runs_dir",
    "scenes_dir",
    "state_dir",
]

_PACKAGE = Path(__file__).resolve().parent


def _data(name: str) -> Path:
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def resource(*parts: str) -> Path:
    """Path of a file under `resources/`, for example ``resource("shaders", "lit.vert")``."""
    return _data("resources").joinpath(*parts)


def scenes_dir() -> Path:
    """Folder of the scenes that come with the program."""
    return _data("scenes")


def is_shipped_scene(path: Path) -> bool:
    """Whether a file is one of those scenes, which are never written."""
    return path.resolve().parent == scenes_dir().resolve()


def is_program_folder(folder: Path) -> bool:
    """Whether a folder belongs to the program itself, where users keep no files and may be unable to write."""
    folder = folder.resolve()
    return any(folder.is_relative_to(own.resolve()) for own in (_PACKAGE, scenes_dir(), resource(), docs_dir()))


def docs_dir() -> Path:
    """Folder of the pages of the documentation."""
    return _data("docs")


def compiled_kernels_dir() -> Path:
    """Folder of the compiled code that comes with the program; missing where none does."""
    return _PACKAGE / "_data" / "kernels"


def main_scene() -> Path:
    """The shipped scene that the program begins with."""
    return scenes_dir() / "obstacle_aided.toml"


def own_program() -> list[str]:
    """The command that starts this program again, for a process beside it.

    Modules in the folder that the user stands in are no part of it, whatever they are called.
    """
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-P", "-m", "snakestudio"]


def cache_dir(make: bool = True) -> Path:
    """Folder for compiled kernels and other things that can be made again; created if missing, unless `make` is False.

    ``SNAKESTUDIO_CACHE_DIR`` overrides the platform's user cache folder.
    """
    return _own("SNAKESTUDIO_CACHE_DIR", "user_cache_dir", make)


def kernels_dir() -> Path:
    """Folder for kernels that are compiled on this machine; not created.

    ``SNAKESTUDIO_KERNELS_DIR`` overrides the folder ``kernels`` in `cache_dir`.
    """
    chosen = os.environ.get("SNAKESTUDIO_KERNELS_DIR")
    return Path(chosen) if chosen else cache_dir(make=False) / "kernels"


def state_dir() -> Path:
    """Folder for what must outlive a crash of the program, such as unsaved scenes; created if missing.

    ``SNAKESTUDIO_STATE_DIR`` overrides the platform's user state folder.
    """
    return _own("SNAKESTUDIO_STATE_DIR", "user_state_dir")


def profiles_dir() -> Path:
    """Folder of the user's own robot profiles; created if missing.

    ``SNAKESTUDIO_PROFILES_DIR`` overrides the folder ``profiles`` among the platform's user data.
    """
    return _data_folder("SNAKESTUDIO_PROFILES_DIR", "profiles")


def runs_dir() -> Path:
    """Folder in which every run of the window is kept; created if missing.

    ``SNAKESTUDIO_RUNS_DIR`` overrides the folder ``runs`` among the platform's user data.
    """
    return _data_folder("SNAKESTUDIO_RUNS_DIR", "runs")


def _data_folder(variable: str, name: str) -> Path:
    if os.environ.get(variable):
        return _own(variable, "user_data_dir")
    folder = _own("SNAKESTUDIO_DATA_DIR", "user_data_dir") / name
    folder.mkdir(exist_ok=True)
    return folder


def _own(variable: str, kind: str, make: bool = True) -> Path:
    chosen = os.environ.get(variable)
    if chosen:
        folder = Path(chosen)
    else:
        import platformdirs

        folder = Path(getattr(platformdirs, kind)("snakestudio", appauthor=False))
    if make:
        folder.mkdir(parents=True, exist_ok=True)
    return folder
