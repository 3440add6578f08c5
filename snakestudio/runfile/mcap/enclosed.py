"""Files of a scene (height maps, its initial run) embedded in its run file, so that it can run elsewhere.

Files of changes during the run are embedded then. If a file is later missing or different, the
embedded one is used, and a note reports it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, BinaryIO, NamedTuple

from mcap.opcode import Opcode
from mcap.records import Attachment

from snakestudio.inputs import local_path
from snakestudio.model.atomic import write_atomically
from snakestudio.model.edits import with_values
from snakestudio.model.obstacles.shape import SHAPES, files_of
from snakestudio.model.scene import Scene
from snakestudio.paths import cache_dir
from snakestudio.runfile.mcap.ending import attached, record_body
from snakestudio.runfile.mcap.format import FILE, MAX_RECORD_BYTES
from snakestudio.runfile.mcap.walk import records

_MOST_BYTES = MAX_RECORD_BYTES // 2
"""Larger files are not embedded, and not checked for changes."""


class RestoredScene(NamedTuple):
    """A scene whose files are available."""

    scene: Scene
    base_dir: Path
    """Base folder of its file names."""

    note: str
    """Message for the user."""

    enclosed_names: dict[str, str]
    """New names of the files that changes refer to."""


def named_files(scene: Scene) -> Iterator[tuple[str, str]]:
    """Yield the file names in a scene, each with its dotted key."""
    for number, obstacle in enumerate(scene.obstacles, 1):
        for key, name in files_of(obstacle).items():
            yield f"obstacles[{number}].{key}", name
    for part, fields in (
        ("gait", scene.gait),
        ("start", scene.start),
        ("ground.picture", scene.ground.picture),
    ):
        yield from (
            (f"{part}.{key}", name) for key in fields.files if (name := getattr(fields, key))
        )


def _files() -> set[str]:
    """Return the fields of obstacles that can contain file names."""
    return {key for kind in SHAPES.values() for key in kind.files}


def named_by(values: Any) -> Iterator[str]:
    """Yield the file names in the values of a change: those of added obstacles."""
    for key, value in values.items() if isinstance(values, dict) else ():
        if isinstance(key, str) and key.rpartition(".")[2] in _files() and isinstance(value, str):
            yield value
        else:
            yield from named_by(value)
    for value in values if isinstance(values, list) else ():
        yield from named_by(value)


def renamed(values: Any, enclosed_names: Mapping[str, str]) -> Any:
    """Replace file names in the values of a change."""
    if isinstance(values, dict):
        return {
            key: enclosed_names.get(value, value)
            if isinstance(value, str) and key.rpartition(".")[2] in _files()
            else renamed(value, enclosed_names)
            for key, value in values.items()
        }
    return (
        [renamed(value, enclosed_names) for value in values] if isinstance(values, list) else values
    )


def read_files(names: Iterable[str], base_dir: Path | None) -> dict[str, bytes]:
    """Return the contents of files by name, without unreadable and very large ones."""
    contents = {}
    for name in names:
        path = local_path(name, base_dir)
        try:
            if os.path.isfile(path) and path.stat().st_size <= _MOST_BYTES:
                contents[name] = path.read_bytes()
        except (OSError, ValueError):
            continue  # the engine reports unreadable files
    return contents


def digest(data: bytes) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(data).hexdigest()


def restored(
    file: BinaryIO,
    start: int,
    size: int,
    about: Mapping[str, str],
    scene: Scene,
    base_dir: Path,
    changed: tuple[str, ...] = (),
) -> RestoredScene:
    """Return the scene of a run with its files available on this computer.

    Parameters
    ----------
    file : binary file
        The run file.
    start, size : int
        Offset of the first record after the metadata, and size of the file.
    about : mapping
        Description from the run file.
    base_dir : Path
        Folder in which the files are expected.
    changed : tuple of str, optional
        Names of the files of its changes.
    """
    digests: dict[str, str] = json.loads(about.get("files", "{}"))
    twice: dict[str, None] = {}
    for name, data in _enclosed(file, start, size, True) if changed else ():
        if name in changed and digests.setdefault(name, digest(data)) != digest(data):
            twice[name] = None
    names = list(
        dict.fromkeys([name for _, name in named_files(scene) if name in digests] + list(changed))
    )
    contents = read_files({*names, *(name for _, name in named_files(scene))}, base_dir)
    deleted = [name for name in names if name not in contents]
    other = [
        name
        for name in names
        if name in contents and digest(contents[name]) != digests.get(name, digest(contents[name]))
    ]
    why = [f"{name} no longer exists" for name in deleted] + [
        f"{name} has changed" for name in other
    ]
    why += [f"{name} changed during the run; its first version is used" for name in twice]
    if not deleted and not other:
        return RestoredScene(scene, base_dir, f"{'; '.join(why)}." if why else "", {})
    enclosed: dict[str, bytes] = {}
    for name, data in _enclosed(file, start, size, bool(changed)):
        if name in names and digest(data) == digests.get(name):
            enclosed[name] = data
    for name, data in contents.items():
        if digest(data) == digests.get(name, digest(data)):
            digests.setdefault(name, digest(data))
            enclosed.setdefault(name, data)
    if missing := [name for name in names if name not in enclosed]:
        return RestoredScene(
            scene,
            base_dir,
            f"{'; '.join(why)}; the run file does not contain {', '.join(missing)}.",
            {},
        )
    folder = cache_dir() / "enclosed" / digest("".join(sorted(digests.values())).encode())[:32]
    enclosed_names = {name: contained_name(name, digests[name]) for name in enclosed}
    try:
        for name, relative_path in enclosed_names.items():
            target = folder / relative_path
            if not os.path.isfile(target) or digest(target.read_bytes()) != digests[name]:
                target.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(target, enclosed[name])
    except OSError as error:
        failure = f"the copy in the run file cannot be written to {folder} ({error.strerror})"
        return RestoredScene(scene, base_dir, f"{'; '.join(why)}; {failure}.", {})
    values = {
        key: enclosed_names[name]
        for key, name in named_files(scene)
        if enclosed_names.get(name, name) != name
    }
    note = f"{'; '.join(why)}; the copy in the run file is used."
    return RestoredScene(
        with_values(scene, values) if values else scene, folder, note, enclosed_names
    )


def contained_name(name: str, checksum: str) -> str:
    """Name of a scene's file in a separate folder; a name that would lead out of it is replaced by its checksum."""
    parts = PurePath(name).parts
    plain = (
        parts
        and not PurePath(name).is_absolute()
        and ".." not in parts
        and "\\" not in name
        and ":" not in name
    )
    return name if plain else f"{checksum[:16]}{PurePath(name).suffix}"


def _enclosed(
    file: BinaryIO, start: int, size: int, to_the_end: bool
) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files at the start of a run file and, with `to_the_end`, of those of changes."""
    for opcode, extent in records(file, start, size):
        if opcode == Opcode.CHUNK and not to_the_end:
            return
        if opcode == Opcode.ATTACHMENT and extent.length <= MAX_RECORD_BYTES:
            file.seek(extent.offset)
            record = file.read(extent.length)
            name = Attachment.read(record_body(record)).name
            if name.startswith(f"{FILE} "):
                yield name.removeprefix(f"{FILE} "), attached(record)
