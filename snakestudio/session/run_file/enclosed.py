"""Files that a scene names (height maps, the run it starts from), enclosed in its run file: it runs again elsewhere.

Where one of them is missing later, or has become another, those in the run file are taken, and that is said.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import BinaryIO, NamedTuple

from mcap.opcode import Opcode
from mcap.records import Attachment

from snakestudio.model.atomic import write_atomically
from snakestudio.model.edits import with_values
from snakestudio.model.motion import RecordingStart
from snakestudio.model.scene import Scene
from snakestudio.model.world import HeightField
from snakestudio.paths import cache_dir
from snakestudio.session.run_file.ending import attached, record_body
from snakestudio.session.run_file.format import FILE, MAX_RECORD_BYTES
from snakestudio.session.run_file.walk import records

__all__ = ["Restored", "digest", "named_files", "read_files", "restored"]

_MOST_BYTES = MAX_RECORD_BYTES // 2
"""Larger files are not enclosed, and nobody looks whether they are still the same."""


class Restored(NamedTuple):
    """A scene that can run again, the folder its file names are relative to, and what is to be known, in a sentence."""

    scene: Scene
    base_dir: Path
    note: str


def named_files(scene: Scene) -> Iterator[tuple[str, str]]:
    """Dotted keys of a scene that name files, and the names."""
    for number, obstacle in enumerate(scene.obstacles, 1):
        if isinstance(obstacle, HeightField) and obstacle.picture is not None:
            yield f"obstacles[{number}].picture", obstacle.picture
    if isinstance(scene.start, RecordingStart):
        yield "start.file", scene.start.file


def read_files(scene: Scene, base_dir: Path | None) -> dict[str, bytes]:
    """Contents of the files a scene names, by the names; without those that cannot be read, or are very large."""
    found = {}
    for _, name in named_files(scene):
        path = (base_dir or Path()) / name
        try:
            if path.is_file() and path.stat().st_size <= _MOST_BYTES:
                found[name] = path.read_bytes()
        except (OSError, ValueError):
            continue  # the engine has read it, or says why it cannot
    return found


def digest(data: bytes) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(data).hexdigest()


def restored(file: BinaryIO, start: int, size: int, about: Mapping[str, str], scene: Scene, base_dir: Path) -> Restored:
    """The scene of a run as it can run again here.

    Parameters
    ----------
    file : binary file
        The run file.
    start, size : int
        Where its first record behind the metadata stands, and its size.
    about : mapping
        What it says of itself.
    scene : Scene
    base_dir : Path
        Folder that the files would be in.
    """
    wanted: dict[str, str] = json.loads(about.get("files", "{}"))
    there = read_files(scene, base_dir)
    names = [name for _, name in named_files(scene) if name in wanted]
    gone = [name for name in names if name not in there]
    other = [name for name in names if name in there and digest(there[name]) != wanted[name]]
    if not gone and not other:
        return Restored(scene, base_dir, "")
    why = [f"{name} is not there any more" for name in gone] + [f"{name} is another file now" for name in other]
    enclosed = {
        name: data for name, data in _enclosed(file, start, size) if name in names and digest(data) == wanted[name]
    }
    for name, data in there.items():
        if digest(data) == wanted.get(name):
            enclosed.setdefault(name, data)
    if missing := [name for name in names if name not in enclosed]:
        return Restored(scene, base_dir, f"{'; '.join(why)}; the run file does not hold {', '.join(missing)}.")
    folder = cache_dir() / "enclosed" / digest("".join(sorted(wanted.values())).encode())[:32]
    values = {}
    try:
        for key, name in named_files(scene):
            if name in enclosed:
                place = _place(name, wanted[name])
                target = folder / place
                if not target.is_file() or digest(target.read_bytes()) != wanted[name]:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    write_atomically(target, enclosed[name])
                if place != name:
                    values[key] = place
    except OSError as error:
        said = f"what the run file holds of it cannot be written to {folder} ({error.strerror})"
        return Restored(scene, base_dir, f"{'; '.join(why)}; {said}.")
    return Restored(
        with_values(scene, values) if values else scene, folder, f"{'; '.join(why)}; what the run file holds is used."
    )


def _place(name: str, sum_: str) -> str:
    """Name in a folder of its own; what would lead out of it gets another."""
    parts = PurePath(name).parts
    plain = parts and not PurePath(name).is_absolute() and ".." not in parts and "\\" not in name and ":" not in name
    return name if plain else f"{sum_[:16]}{PurePath(name).suffix}"


def _enclosed(file: BinaryIO, start: int, size: int) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files at the beginning of a run file."""
    for opcode, place in records(file, start, size):
        if opcode == Opcode.CHUNK:
            return
        if opcode == Opcode.ATTACHMENT and place.length <= MAX_RECORD_BYTES:
            file.seek(place.offset)
            record = file.read(place.length)
            name = Attachment.read(record_body(record)).name
            if name.startswith(f"{FILE} "):
                yield name.removeprefix(f"{FILE} "), attached(record)
