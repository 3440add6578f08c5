"""Where SnakeStudio finds its files, in a checkout as in a wheel, where it keeps its own, and how it starts itself."""

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
    return installed if installed.is_dir() else _PACKAGE.parent / name


def resource(*parts: str) -> Path:
    """Path of a file under `resources/`, for example ``resource("shaders", "lit.vert")``."""
    return _data("resources").joinpath(*parts)


def scenes_dir() -> Path:
    """Folder of the scenes that come with the program."""
    return _data("scenes")


def bundled_scenes() -> dict[str, Path]:
    """Files of the bundled scenes by their names."""
    return {path.stem: path for path in sorted(scenes_dir().glob("*.toml"))}


def is_bare_name(path: Path) -> bool:
    """Whether this names no folder and no kind of file, like ``sidewinding``."""
    return path.name != "" and path.parent == Path() and not path.suffix


def find_scene(path: Path, folder: Path | None = None) -> Path:
    """The file of a scene that is given by its path or by its bare name.

    A file at `path` comes first; for a bare name then ``NAME.toml`` in the same folder, then the
    bundled scene. A path that leads to none of them is returned as it is, for whoever reads it to
    refuse.

    Parameters
    ----------
    folder : Path, optional
        What a relative path starts from; the current folder if left out.
    """
    given = Path(folder or "", path)
    if not is_bare_name(path) or (os.path.lexists(given) and not os.path.isdir(given)):
        return given
    files = (given.with_name(f"{path.name}.toml"), scenes_dir() / f"{path.name}.toml")
    return next((file for file in files if os.path.isfile(file)), given)


def is_shipped_scene(path: Path) -> bool:
    """Whether a file is one of those scenes, which are never written."""
    return path.resolve().parent == scenes_dir().resolve()


def is_program_folder(folder: Path) -> bool:
    """Whether a folder belongs to the program itself, where users keep no files and may be unable to write."""
    folder = folder.resolve()
    return any(
        folder.is_relative_to(own.resolve())
        for own in (_PACKAGE, scenes_dir(), resource(), docs_dir())
    )


def docs_dir() -> Path:
    """Folder of the pages of the documentation."""
    return _data("docs")


def documentation_page() -> Path:
    """First page of the built documentation; missing where it was not built, as in a fresh checkout."""
    installed = _PACKAGE / "_data" / "site"
    folder = installed if installed.is_dir() else _PACKAGE.parent / "build" / "docs"
    return folder / "index.html"


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
    return (
        [sys.executable]
        if getattr(sys, "frozen", False)
        else [sys.executable, "-P", "-m", "snakestudio"]
    )


# ------------------------------------------------------------------------------- the user's folders


class UserFolder(NamedTuple):
    """One of the folders in which a user's own files are."""

    content: str
    """What it holds, as a plural."""

    folder: Path
    variable: str
    """The environment variable that names another folder."""


_replaced: dict[Path, str] = {}
"""Folders that could not be written when they were first needed, and why."""

_usable_folders: set[Path] = set()
"""Those that could."""


def cache_dir() -> Path:
    """Folder for compiled kernels and other things that can be made again; created if missing.

    ``SNAKESTUDIO_CACHE_DIR`` overrides the platform's user cache folder.
    """
    return _usable(_cache())


def kernels_dir() -> Path:
    """Folder for kernels that are compiled on this machine; not created.

    ``SNAKESTUDIO_KERNELS_DIR`` overrides the folder ``kernels`` in `cache_dir`.
    """
    chosen = os.environ.get("SNAKESTUDIO_KERNELS_DIR")
    return Path(chosen) if chosen else _cache().folder / "kernels"


def state_dir() -> Path:
    """Folder for what must outlive a crash of the program, such as unsaved scenes; created if missing.

    ``SNAKESTUDIO_STATE_DIR`` overrides the platform's user state folder.
    """
    return _usable(_state())


def config_dir() -> Path:
    """Folder for what the user decided, such as which plug-ins are trusted; created if missing.

    ``SNAKESTUDIO_CONFIG_DIR`` overrides the platform's user configuration folder.
    """
    return _usable(_config())


def profiles_dir() -> Path:
    """Folder of the user's own robot profiles; created if missing.

    ``SNAKESTUDIO_PROFILES_DIR`` overrides the folder ``profiles`` among the platform's user data.
    """
    return _usable(_profiles())


def runs_dir() -> Path:
    """Folder in which every run of the window is kept; created if missing.

    ``SNAKESTUDIO_RUNS_DIR`` overrides the folder ``runs`` among the platform's user data.
    """
    return _usable(_runs())


def replaced_folders() -> dict[UserFolder, str]:
    """Those of the user's folders that cannot be written, and why: `temporary_dir` has others in their place."""
    folders = (_runs(), _state(), _profiles(), _config(), _cache())
    for one in folders:
        _usable(one)
    return {one: _replaced[one.folder] for one in folders if one.folder in _replaced}


@cache
def temporary_dir() -> Path:
    """A private folder of this user's that lasts until the machine restarts, or as long as the process.

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
        # Code is loaded from there: no other user may have put it there.
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
    """Why files cannot be written into a folder, which is created if missing; "" if they can."""
    import tempfile

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(4096))  # on a full disk a file can be made and not be written
            file.flush()
        return ""
    except OSError as error:
        return error.strerror or str(error)


def set_matplotlib_folder() -> None:
    """Have matplotlib keep its settings and fonts in `temporary_dir` where it would complain about the home folder."""
    if "MPLCONFIGDIR" in os.environ:
        return
    for variable, name in (("XDG_CONFIG_HOME", ".config"), ("XDG_CACHE_HOME", ".cache")):
        folder = Path(os.environ.get(variable) or os.path.expanduser(f"~/{name}"), "matplotlib")
        if not _can_be_made(folder):
            with contextlib.suppress(OSError):
                os.environ["MPLCONFIGDIR"] = str(_temporary("matplotlib"))


def _can_be_made(folder: Path) -> bool:
    existing = next((one for one in (folder, *folder.parents) if os.path.lexists(one)), folder)
    return existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)


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


def _usable(wanted: UserFolder) -> Path:
    """The folder, created if missing; where it cannot be written, one in `temporary_dir`, from then on."""
    folder = wanted.folder
    if folder not in _replaced and not (folder in _usable_folders and folder.is_dir()):
        # Of a user whom the system does not know, in a container, the home folder is called ~.
        reason = "there is no home folder" if folder.parts[:1] == ("~",) else why_unwritable(folder)
        if reason:
            _replaced[folder] = reason
        else:
            _usable_folders.add(folder)
    return _temporary(wanted.content) if folder in _replaced else folder


def _temporary(content: str) -> Path:
    folder = temporary_dir() / content.replace(" ", "-")
    folder.mkdir(exist_ok=True)
    return folder
