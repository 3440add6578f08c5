"""Files that a scene names (height maps, the run it starts from), enclosed in its run file: it runs again elsewhere.

What a change names while the run goes is enclosed then. Where one of them is missing later, or has
become another, those in the run file are taken, and that is said.
"""

from __future__ import annotations

import hashlib
import json
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
"""Larger files are not enclosed, and nobody looks whether they are still the same."""


class Restored(NamedTuple):
    """A scene that can run again."""

    scene: Scene
    base_dir: Path
    """Folder its file names are relative to."""

    note: str
    """What is to be known, in a sentence."""

    places: dict[str, str]
    """Names that files got there in place of those that changes name."""


def named_files(scene: Scene) -> Iterator[tuple[str, str]]:
    """Dotted keys of a scene that name files, and the names."""
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
    """Fields of obstacles that may name files."""
    return {key for kind in SHAPES.values() for key in kind.files}


def named_by(values: Any) -> Iterator[str]:
    """Names of files in the values of a change: those of obstacles that come into a scene."""
    for key, value in values.items() if isinstance(values, dict) else ():
        if isinstance(key, str) and key.rpartition(".")[2] in _files() and isinstance(value, str):
            yield value
        else:
            yield from named_by(value)
    for value in values if isinstance(values, list) else ():
        yield from named_by(value)


def renamed(values: Any, places: Mapping[str, str]) -> Any:
    """The values of a change with other names of files."""
    if isinstance(values, dict):
        return {
            key: places.get(value, value)
            if isinstance(value, str) and key.rpartition(".")[2] in _files()
            else renamed(value, places)
            for key, value in values.items()
        }
    return [renamed(value, places) for value in values] if isinstance(values, list) else values


def read_files(wanted: Iterable[str], base_dir: Path | None) -> dict[str, bytes]:
    """Contents of files by their names; without those that cannot be read, or are very large."""
    found = {}
    for name in wanted:
        path = local_path(name, base_dir)
        try:
            if path.is_file() and path.stat().st_size <= _MOST_BYTES:
                found[name] = path.read_bytes()
        except (OSError, ValueError):
            continue  # the engine has read it, or says why it cannot
    return found


def digest(data: bytes) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(data).hexdigest()


def restored(
    file: BinaryIO,
    start: int,
    size: int,
    about: Mapping[str, str],
    scene: Scene,
    base_dir: Path,
    changed: tuple[str, ...] = (),
) -> Restored:
    """The scene of a run as it can run again here.

    Parameters
    ----------
    file : binary file
        The run file.
    start, size : int
        Where its first record behind the metadata stands, and its size.
    about : mapping
        What it says of itself.
    base_dir : Path
        Folder that the files would be in.
    changed : tuple of str, optional
        Files that its changes name.
    """
    wanted: dict[str, str] = json.loads(about.get("files", "{}"))
    twice: dict[str, None] = {}
    for name, data in _enclosed(file, start, size, True) if changed else ():
        if name in changed and wanted.setdefault(name, digest(data)) != digest(data):
            twice[name] = None
    names = list(
        dict.fromkeys([name for _, name in named_files(scene) if name in wanted] + list(changed))
    )
    there = read_files({*names, *(name for _, name in named_files(scene))}, base_dir)
    gone = [name for name in names if name not in there]
    other = [
        name
        for name in names
        if name in there and digest(there[name]) != wanted.get(name, digest(there[name]))
    ]
    why = [f"{name} is not there any more" for name in gone] + [
        f"{name} is another file now" for name in other
    ]
    why += [
        f"{name} became another file during the run, of which the first is used" for name in twice
    ]
    if not gone and not other:
        return Restored(scene, base_dir, f"{'; '.join(why)}." if why else "", {})
    enclosed: dict[str, bytes] = {}
    for name, data in _enclosed(file, start, size, bool(changed)):
        if name in names and digest(data) == wanted.get(name):
            enclosed[name] = data
    for name, data in there.items():
        if digest(data) == wanted.get(name, digest(data)):
            wanted.setdefault(name, digest(data))
            enclosed.setdefault(name, data)
    if missing := [name for name in names if name not in enclosed]:
        return Restored(
            scene,
            base_dir,
            f"{'; '.join(why)}; the run file does not hold {', '.join(missing)}.",
            {},
        )
    folder = cache_dir() / "enclosed" / digest("".join(sorted(wanted.values())).encode())[:32]
    places = {name: contained_name(name, wanted[name]) for name in enclosed}
    try:
        for name, place in places.items():
            target = folder / place
            if not target.is_file() or digest(target.read_bytes()) != wanted[name]:
                target.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(target, enclosed[name])
    except OSError as error:
        said = f"what the run file holds of it cannot be written to {folder} ({error.strerror})"
        return Restored(scene, base_dir, f"{'; '.join(why)}; {said}.", {})
    values = {
        key: places[name] for key, name in named_files(scene) if places.get(name, name) != name
    }
    note = f"{'; '.join(why)}; what the run file holds is used."
    return Restored(with_values(scene, values) if values else scene, folder, note, places)


def contained_name(name: str, checksum: str) -> str:
    """The name of a scene's file in a folder of its own; one that would lead out of it is named by its checksum."""
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
    """Names and contents of the files at the beginning of a run file, or of those that changes enclosed, too."""
    for opcode, place in records(file, start, size):
        if opcode == Opcode.CHUNK and not to_the_end:
            return
        if opcode == Opcode.ATTACHMENT and place.length <= MAX_RECORD_BYTES:
            file.seek(place.offset)
            record = file.read(place.length)
            name = Attachment.read(record_body(record)).name
            if name.startswith(f"{FILE} "):
                yield name.removeprefix(f"{FILE} "), attached(record)
