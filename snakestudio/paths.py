"""Locations of SnakeStudio's files, in a checkout as in a wheel, of the user's files, and of the program itself."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

_PACKAGE = Path(__file__).resolve().parent


def _data(name: str) -> Path:
    installed = _PACKAGE / "_data" / name
    return installed if os.path.isdir(installed) else _PACKAGE.parent / name


def resource(*parts: str) -> Path:
    """Return the path of a file under `resources/`, for example ``resource("shaders", "lit.vert")``."""
    return _data("resources").joinpath(*parts)


def scenes_dir() -> Path:
    """Return the folder of the bundled scenes."""
    return _data("scenes")


def bundled_scenes() -> dict[str, Path]:
    """Return the files of the bundled scenes by name."""
    return {path.stem: path for path in sorted(scenes_dir().glob("*.toml"))}


def is_bare_name(path: Path) -> bool:
    """Return whether a path has neither folder nor suffix, like ``sidewinding``."""
    return path.name != "" and path.parent == Path() and not path.suffix


def find_scene(path: Path, folder: Path | None = None) -> Path:
    """Return the file of a scene given by its path or by its bare name.

    A file at `path` takes precedence; for a bare name, ``NAME.toml`` in the same folder is next, then
    the bundled scene. If none exists, the path is returned unchanged, and its reader reports the
    error.

    Parameters
    ----------
    folder : Path, optional
        Base folder of relative paths; the current folder if omitted.
    """
    local = Path(folder or "", path)
    if not is_bare_name(path) or (os.path.lexists(local) and not os.path.isdir(local)):
        return local
    files = (local.with_name(f"{path.name}.toml"), scenes_dir() / f"{path.name}.toml")
    return next((file for file in files if os.path.isfile(file)), local)


def is_shipped_scene(path: Path) -> bool:
    """Return whether a file is a bundled scene, which is never written."""
    return path.resolve().parent == scenes_dir().resolve()


def is_program_folder(folder: Path) -> bool:
    """Whether a folder belongs to the program itself, where users store no files and may lack write permission."""
    folder = folder.resolve()
    return any(
        folder.is_relative_to(own.resolve())
        for own in (_PACKAGE, scenes_dir(), resource(), docs_dir())
    )


def docs_dir() -> Path:
    """Return the folder of the documentation pages."""
    return _data("docs")


def documentation_page() -> Path:
    """Return the first page of the built documentation; missing if it was not built, as in a fresh checkout."""
    installed = _PACKAGE / "_data" / "site"
    folder = installed if os.path.isdir(installed) else _PACKAGE.parent / "build" / "docs"
    return folder / "index.html"


def compiled_kernels_dir() -> Path:
    """Return the folder of the bundled compiled code; missing in a checkout without it."""
    return _PACKAGE / "_data" / "kernels"


def main_scene() -> Path:
    """Return the bundled scene that is loaded at start."""
    return scenes_dir() / "obstacle_aided.toml"


def own_program() -> list[str]:
    """Command that starts this program again as another process.

    Modules in the user's current folder are excluded, even if their names match.
    """
    return (
        [sys.executable]
        if getattr(sys, "frozen", False)
        else [sys.executable, "-P", "-m", "snakestudio"]
    )


# ------------------------------------------------------------------------------- the user's folders


class UserFolder(NamedTuple):
    """Folder for files of the user."""

    content: str
    """Noun for its content, plural."""

    folder: Path
    variable: str
    """Environment variable that overrides the folder."""


_replaced: dict[Path, str] = {}
"""Folders that could not be written on first use, and why."""

_usable_folders: set[Path] = set()
"""Folders that could be written."""


def cache_dir() -> Path:
    """Return the folder for compiled kernels and other files that can be regenerated; created if missing.

    ``SNAKESTUDIO_CACHE_DIR`` overrides the platform's user cache folder.
    """
    return _usable(_cache())


def kernels_dir() -> Path:
    """Return the folder for kernels compiled on this machine; not created.

    ``SNAKESTUDIO_KERNELS_DIR`` overrides the folder ``kernels`` in `cache_dir`.
    """
    chosen = os.environ.get("SNAKESTUDIO_KERNELS_DIR")
    return Path(chosen) if chosen else _cache().folder / "kernels"


def state_dir() -> Path:
    """Return the folder for files that must survive a crash of the program, such as unsaved scenes; created if missing.

    ``SNAKESTUDIO_STATE_DIR`` overrides the platform's user state folder.
    """
    return _usable(_state())


def config_dir() -> Path:
    """Return the folder for decisions of the user, such as trusted plug-ins; created if missing.

    ``SNAKESTUDIO_CONFIG_DIR`` overrides the platform's user configuration folder.
    """
    return _usable(_config())


def profiles_dir() -> Path:
    """Return the folder of the user's robot profiles; created if missing.

    ``SNAKESTUDIO_PROFILES_DIR`` overrides the folder ``profiles`` among the platform's user data.
    """
    return _usable(_profiles())


def runs_dir() -> Path:
    """Return the folder in which all runs of the window are saved; created if missing.

    ``SNAKESTUDIO_RUNS_DIR`` overrides the folder ``runs`` among the platform's user data.
    """
    return _usable(_runs())


def replaced_folders() -> dict[UserFolder, str]:
    """User folders that cannot be written, and why; folders in `temporary_dir` replace them."""
    folders = (_runs(), _state(), _profiles(), _config(), _cache())
    for one in folders:
        _usable(one)
    return {one: _replaced[one.folder] for one in folders if one.folder in _replaced}


@cache
def temporary_dir() -> Path:
    """Private folder of this user that exists until the machine restarts, or as long as the process.

    Raises `OSError` if no folder for temporary files can be written.
    """
    import atexit
    import shutil
    import tempfile

    folder = (
        Path(tempfile.gettempdir())
        / f"snakestudio-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    )
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        # Code is loaded from this folder: no other user must be able to create it.
        private = not hasattr(os, "getuid") or (
            stat.S_ISDIR(status.st_mode)
            and status.st_uid == os.getuid()
            and not status.st_mode & 0o077
        )
        if private and not why_unwritable(folder):
            return folder
    own = Path(tempfile.mkdtemp(prefix="snakestudio-"))
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return own


def why_unwritable(folder: Path) -> str:
    """Return the reason why files cannot be written to a folder, which is created if missing; "" if they can."""
    import tempfile

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(4096))  # on a full disk, a file can be created but not written
            file.flush()
        return ""
    except OSError as error:
        return error.strerror or str(error)


def set_matplotlib_folder() -> None:
    """Redirect matplotlib's settings and fonts to `temporary_dir` if it would complain about the home folder."""
    if "MPLCONFIGDIR" in os.environ:
        return
    for variable, name in (("XDG_CONFIG_HOME", ".config"), ("XDG_CACHE_HOME", ".cache")):
        folder = Path(os.environ.get(variable) or os.path.expanduser(f"~/{name}"), "matplotlib")
        if not _can_be_made(folder):
            with contextlib.suppress(OSError):
                os.environ["MPLCONFIGDIR"] = str(_temporary("matplotlib"))


def _can_be_made(folder: Path) -> bool:
    existing = next((one for one in (folder, *folder.parents) if os.path.lexists(one)), folder)
    return os.path.isdir(existing) and os.access(existing, os.W_OK | os.X_OK)


def _chosen(variable: str) -> Path | None:
    chosen = os.environ.get(variable)
    return Path(chosen) if chosen else None


def _platform_folder(kind: str) -> Path:
    import platformdirs

    return Path(getattr(platformdirs, kind)("snakestudio", appauthor=False))


def _cache() -> UserFolder:
    variable = "SNAKESTUDIO_CACHE_DIR"
    return UserFolder("caches", _chosen(variable) or _platform_folder("user_cache_dir"), variable)


def _config() -> UserFolder:
    variable = "SNAKESTUDIO_CONFIG_DIR"
    return UserFolder(
        "plug-in permissions", _chosen(variable) or _platform_folder("user_config_dir"), variable
    )


def _state() -> UserFolder:
    variable = "SNAKESTUDIO_STATE_DIR"
    return UserFolder(
        "unsaved scenes", _chosen(variable) or _platform_folder("user_state_dir"), variable
    )


def _runs() -> UserFolder:
    return _data_folder("runs", "runs", "SNAKESTUDIO_RUNS_DIR")


def _profiles() -> UserFolder:
    return _data_folder("robot profiles", "profiles", "SNAKESTUDIO_PROFILES_DIR")


def _data_folder(content: str, name: str, variable: str) -> UserFolder:
    if own := _chosen(variable):
        return UserFolder(content, own, variable)
    data = _chosen("SNAKESTUDIO_DATA_DIR") or _platform_folder("user_data_dir")
    return UserFolder(content, data / name, "SNAKESTUDIO_DATA_DIR")


def _usable(requested: UserFolder) -> Path:
    """Return the folder, created if missing; if it cannot be written, one in `temporary_dir` from then on."""
    folder = requested.folder
    if folder not in _replaced and not (folder in _usable_folders and os.path.isdir(folder)):
        # For a user that the system does not know, in a container, the home folder is called ~.
        reason = "there is no home folder" if folder.parts[:1] == ("~",) else why_unwritable(folder)
        if reason:
            _replaced[folder] = reason
        else:
            _usable_folders.add(folder)
    return _temporary(requested.content) if folder in _replaced else folder


def _temporary(content: str) -> Path:
    folder = temporary_dir() / content.replace(" ", "-")
    folder.mkdir(exist_ok=True)
    return folder
