"""Where SnakeStudio finds its data files, in a checkout as in an installed wheel, and where it keeps its caches."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["cache_dir", "main_scene", "resource", "scenes_dir"]

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


def main_scene() -> Path:
    """The shipped scene that the program begins with."""
    return scenes_dir() / "obstacle_aided.toml"


def cache_dir() -> Path:
    """Folder for compiled kernels and other things that can be made again; created if missing.

    ``SNAKESTUDIO_CACHE_DIR`` overrides the platform's user cache folder.
    """
    chosen = os.environ.get("SNAKESTUDIO_CACHE_DIR")
    if chosen:
        folder = Path(chosen)
    else:
        import platformdirs

        folder = Path(platformdirs.user_cache_dir("snakestudio", appauthor=False))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
