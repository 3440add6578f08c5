"""Scene files: read with all errors reported together, and written atomically with comments preserved."""

from __future__ import annotations

import difflib
import errno
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from snakestudio.errors import Problem, SceneError
from snakestudio.inputs import NO_SUCH_FILE, SCENE, InputError, leading_lines, read_text
from snakestudio.model.arguments import path_of, scene_path_of, wrong_kind
from snakestudio.model.atomic import followed, write_atomically
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file.dump import dump_scene
from snakestudio.model.scene_file.parse import complete, parse_scene, parse_values, scene_from_dict
from snakestudio.paths import bundled_scenes, is_bare_name
from snakestudio.plugins.loaded import is_loaded
from snakestudio.plugins.named import names_of, problem_of_name
from snakestudio.plugins.scenes import load_trusted
from snakestudio.text import listing, quoted

__all__ = [
    "complete",
    "dump_scene",
    "file_digest",
    "load_plugins_of_text",
    "load_scene",
    "parse_scene",
    "read_scene_text",
    "save_scene",
    "scene_from_dict",
    "scene_hash",
    "text_digest",
    "with_recorded_plugins",
]

CSV_PLUGIN_MARK = "# plugin: "
"""Prefix of each plug-in used by the run, in the same header."""

CSV_SCENE_MARK = "#| "
"""Prefix of each line of the scene in the header of an exported CSV."""


def load_scene(path: str | Path) -> Scene:
    """Read a scene file, the scene in the header of a CSV that SnakeStudio exported, or a bundled scene by its name.

    Plug-ins of the scene are loaded if the user trusts them.

    Raises `SceneError` with one sentence per error, each with file, key, value and remedy. Raises
    `UsageError` if `path` is not a file name.
    """
    path = scene_path_of("path", path)
    text = read_scene_text(path)
    load_plugins_of_text(text, path.parent)
    return parse_scene(text, source=str(path))


def with_recorded_plugins(text: str, records: Iterable[str]) -> str:
    """Return the text of a recorded scene, with the plug-ins that made its run added if they are missing.

    Parameters
    ----------
    records : iterable of str
        Output of `plugin_records`: each starts with the plug-in's file or package.
    """
    names = [record.partition(" ")[0] for record in records]
    missing = [name for name in names if not is_loaded(name) and problem_of_name(name) is None]
    try:
        if not missing or "plugin" in parse_values(text):
            return text
    except InputError:
        return text  # the parser reports the error
    return f"plugin = [{', '.join(map(json.dumps, missing))}]\n{text}"


def load_plugins_of_text(text: str, folder: Path | None) -> None:
    """Load the trusted ones of the plug-ins listed in the text of a scene in a folder."""
    try:
        names = names_of(parse_values(text).get("plugin", ()))
    except InputError:
        return  # the parser reports the error
    load_trusted(names, folder)


def read_scene_text(path: Path) -> str:
    """Return the TOML text of a scene file (or of a CSV's header).

    Raises `SceneError` if the file does not exist or is not text.
    """
    try:
        if path.suffix.lower() != ".csv":
            return read_text(path, SCENE)
        lines = list(leading_lines(path))
        header = [line for line in lines if line.startswith(CSV_SCENE_MARK.rstrip())]
        if not header:
            raise InputError(
                "this CSV contains no scene",
                "choose a CSV that SnakeStudio exported, or a scene file",
            )
    except InputError as error:
        if error.message == NO_SUCH_FILE:
            raise _missing(path) from None
        raise SceneError(f"{path}: {error}", [error.problem()]) from None
    text = "\n".join(line[len(CSV_SCENE_MARK) :] for line in header) + "\n"
    records = [line[len(CSV_PLUGIN_MARK) :] for line in lines if line.startswith(CSV_PLUGIN_MARK)]
    return with_recorded_plugins(text, records)


def _missing(path: Path) -> SceneError:
    """Return the error for a missing scene, with the name that was probably meant."""
    bundled = bundled_scenes()
    if not is_bare_name(path):
        known = f', or use the name "{path.stem}" for the bundled scene' * (path.stem in bundled)
        problem = Problem("error", "", NO_SUCH_FILE, f"check the path{known}")
        return SceneError.of([problem], path)
    own = {file.stem for file in Path().glob("*.toml")}
    near = difflib.get_close_matches(
        path.name.casefold().replace("-", "_"), sorted(own | bundled.keys()), 3, 0.6
    )
    missing = f'there is no scene "{path}", and no such file'
    listed = "'snakestudio scenes' lists the bundled scenes"
    if not near:
        return SceneError(f"T{missing[1:]}. {listed}.", [Problem("error", "", missing, listed)])
    meant = f"did you mean {listing(map(quoted, near), 'or')}"
    return SceneError(
        f"T{missing[1:]}. D{meant[1:]}? {listed}.", [Problem("error", "", missing, meant)]
    )


def save_scene(scene: Scene, path: str | Path, base: str | None = None) -> str:
    """Write a scene; comments and layout of the replaced text are preserved.

    The file is replaced atomically, and the previous file is saved next to it as ``NAME.toml~``.

    Raises `SceneError` if the file cannot be written; the previous one is unchanged then. Raises
    `UsageError` if an argument is not a scene or not a file name.

    Parameters
    ----------
    base : str, optional
        TOML text whose comments and layout are preserved; the current text at `path` if omitted.

    Returns
    -------
    str
        The text written to the file.
    """
    if not isinstance(scene, Scene):
        raise wrong_kind("scene", "a Scene", scene)
    path = path_of("path", path)
    try:
        if os.path.isdir(path):
            raise SceneError(f"{path}: this is a folder; choose a file name ending in .toml.")
        old = path.read_bytes() if os.path.isfile(path) else None
        if old is not None:
            followed(path)  # a file that cannot be replaced is not copied either
        if base is None and old is not None:
            base = old.decode("utf-8", errors="replace")
        text = dump_scene(scene, base, used_only=True)
        if old is not None:
            write_atomically(path.with_name(path.name + "~"), old)
        write_atomically(path, text.encode("utf-8"))
    except OSError as error:
        raise SceneError(f"{path}: the scene cannot be written: {_why_not(path, error)}.") from None
    return text


def _why_not(path: Path, error: OSError) -> str:
    """Return the reason why a file cannot be written, and the remedy."""
    folder = path.parent
    if not os.path.isdir(folder):
        return f"the folder {folder} does not exist; save under another name"
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        protected = (
            "the file is"
            if os.path.exists(path) and not os.access(path, os.W_OK)
            else f"the folder {folder} is"
        )
        return f"{protected} write-protected; save under another name, or make it writable"
    if error.errno == errno.ENOSPC:
        return f"{error.strerror}; free some space, or save to another location"
    return f"{error.strerror}; save under another name"


def scene_hash(scene: Scene) -> str:
    """Return the SHA-256 of the scene as `dump_scene` writes it without a base."""
    return hashlib.sha256(dump_scene(scene).encode()).hexdigest()


def text_digest(text: str) -> bytes:
    """Return the digest of a file with this text."""
    return hashlib.sha256(text.encode()).digest()


def file_digest(path: Path) -> bytes | None:
    """Return the digest of a file; None if it does not exist or is unreadable."""
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return None
