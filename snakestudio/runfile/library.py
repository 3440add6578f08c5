"""Library of saved runs: a folder of run files with names, tags, thumbnails and sizes.

Next to a run file ``NAME.mcap`` there can be ``NAME.json`` with its name and tags and ``NAME.png``
with a thumbnail. The run file itself is never changed after recording.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from snakestudio.errors import UsageError
from snakestudio.inputs import NOTE, parse_json, read_text
from snakestudio.model.atomic import write_atomically
from snakestudio.paths import runs_dir
from snakestudio.runfile.mcap import RunFileError, RunInfo, read_info

SUFFIX = ".mcap"
_WORDS = re.compile(r"[^\w]+")


@dataclass(frozen=True)
class SavedRun:
    """A run in the library."""

    path: Path
    size_bytes: int
    """Size of all its files together."""

    written: datetime
    """Time of the last write, local time."""

    info: RunInfo | None = None
    """Description from its file; None if it cannot be read."""

    problem: str = ""
    """Reason why it cannot be read; empty if it can."""

    label: str = ""
    """Name given by the user; empty if there is none."""

    tags: tuple[str, ...] = ()
    picture: Path | None = None
    """Thumbnail."""

    @property
    def name(self) -> str:
        """Display name: the user's name, else the name of its scene or of the robot."""
        if self.label:
            return self.label
        if self.info is None:
            return self.path.name
        return (
            Path(self.info.scene_file).stem or self.info.robot or self.info.title or self.path.stem
        )

    @property
    def created(self) -> datetime:
        """Start of the run, local time."""
        return self.info.created.astimezone() if self.info is not None else self.written

    @property
    def search_text(self) -> str:
        """Text that searches match against."""
        parts = [self.name, self.path.stem, *self.tags, f"{self.created:%Y-%m-%d}"]
        if self.info is not None:
            parts += [self.info.title, self.info.scene_file, self.info.model]
            parts += ["robot", self.info.robot] if self.info.robot else []
            result = self.info.plausibility
            parts += [] if result is None or result.plausible else ["implausible", result.summary]
        return " ".join(parts)


@dataclass(frozen=True)
class _CachedDescription:
    """Cached description of a file, with its time of writing (ns) and size (bytes)."""

    stamp: tuple[int, int]
    info: RunInfo | None
    problem: str


class RunLibrary:
    """The runs in one folder. Rereading is fast: only changed files are opened.

    Parameters
    ----------
    folder : Path, optional
        `runs_dir` if omitted.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._known: dict[Path, _CachedDescription] = {}

    @property
    def folder(self) -> Path:
        """Folder of the runs."""
        return self._folder or runs_dir()

    @property
    def free_bytes(self) -> int:
        """Free space on its disk."""
        return shutil.disk_usage(self.folder).free

    def new_path(self, name: str) -> Path:
        """Return the unused path for a new run of a scene called `name`; nothing is written yet."""
        began = f"{datetime.now():%Y-%m-%d_%H%M%S}"
        stem = f"{began}_{_WORDS.sub('_', name).strip('_') or 'run'}"[:100]
        path = self.folder / f"{stem}{SUFFIX}"
        number = 2
        while os.path.exists(path):
            path = self.folder / f"{stem}_{number}{SUFFIX}"
            number += 1
        return path

    def runs(self) -> list[SavedRun]:
        """Return all runs, the newest first; unreadable files are included with the reason."""
        library_runs = []
        for path in self.folder.glob(f"*{SUFFIX}"):
            with contextlib.suppress(
                OSError
            ):  # the file was deleted meanwhile, or its drive was removed
                library_runs.append(self.run(path))
        known = {run.path for run in library_runs}
        self._known = {path: known_ for path, known_ in self._known.items() if path in known}
        return sorted(library_runs, key=lambda run: (run.created, run.path.name), reverse=True)

    def run(self, path: Path) -> SavedRun:
        """Return one run.

        Raises `OSError` if there is no such file, or it cannot be reached.
        """
        status = path.stat()
        stamp = status.st_mtime_ns, status.st_size
        known = self._known.get(path)
        if known is None or known.stamp != stamp:
            known = self._known[path] = _read(path, stamp)
        label, tags = _read_notes(_notes(path))
        picture = path.with_suffix(".png")
        return SavedRun(
            path,
            _size(path),
            datetime.fromtimestamp(status.st_mtime, UTC).astimezone(),
            known.info,
            known.problem,
            label,
            tags,
            picture if os.path.exists(picture) else None,
        )

    def find(self, name: str) -> SavedRun:
        """Find a run by file name (with or without suffix) or by its unique display name.

        Raises `UsageError` if no run or more than one matches.
        """
        runs = self.runs()
        matches = [run for run in runs if name in (run.path.name, run.path.stem, str(run.path))]
        matches = matches or [run for run in runs if run.name == name]
        if len(matches) == 1:
            return matches[0]
        if matches:
            files = ", ".join(run.path.stem for run in matches[:4]) + (
                " ..." if len(matches) > 4 else ""
            )
            raise UsageError(
                f"{len(matches)} runs are called {name}. Give one of the file names {files}."
            )
        raise UsageError(
            f"There is no run called {name} in {self.folder}. List all with 'snakestudio runs'."
        )

    # --- names, tags and thumbnails ---------------------------------------------------------------

    def rename(self, run: SavedRun, label: str) -> SavedRun:
        """Set the display name of a run; empty for that of its scene. Its file is not renamed."""
        return self._write_notes(replace(run, label=" ".join(label.split())))

    def tag(self, run: SavedRun, tags: Sequence[str]) -> SavedRun:
        """Replace the tags of a run."""
        return self._write_notes(replace(run, tags=clean_tags(tags)))

    def _write_notes(self, run: SavedRun) -> SavedRun:
        path = _notes(run.path)
        if run.label or run.tags:
            notes = {"name": run.label, "tags": run.tags}
            write_atomically(path, json.dumps(notes, ensure_ascii=False, indent=1).encode())
        else:
            path.unlink(missing_ok=True)
        return run

    def set_picture(self, path: Path, png: bytes) -> None:
        """Store a PNG thumbnail of the run in `path`."""
        if os.path.exists(path):
            write_atomically(path.with_suffix(".png"), png)

    def delete(self, run: SavedRun) -> None:
        """Delete a run with all its files.

        Raises `OSError` if its file cannot be removed.
        """
        run.path.unlink(missing_ok=True)
        for path in _side_files(run.path):
            path.unlink(missing_ok=True)
        self._known.pop(run.path, None)


def clean_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Normalise tags: single words without ``#``, without duplicates, in the given order."""
    cleaned = (part.strip("#,;") for tag in tags for part in tag.replace(",", " ").split())
    return tuple(dict.fromkeys(part for part in cleaned if part))


def _notes(path: Path) -> Path:
    return path.with_suffix(".json")


def _side_files(path: Path) -> tuple[Path, ...]:
    return _notes(path), path.with_suffix(".png")


def _size(path: Path) -> int:
    total = 0
    for file in (path, *_side_files(path)):
        with contextlib.suppress(OSError):
            total += file.stat().st_size
    return total


def _read(path: Path, stamp: tuple[int, int]) -> _CachedDescription:
    try:
        return _CachedDescription(stamp, read_info(path), "")
    except RunFileError as error:
        return _CachedDescription(stamp, None, str(error))


def _read_notes(path: Path) -> tuple[str, tuple[str, ...]]:
    """Name and tags given by the user; an unreadable file counts as empty, because the run itself is intact."""
    try:
        notes = parse_json(read_text(path, NOTE), NOTE)
        return str(notes.get("name", "")), clean_tags([str(tag) for tag in notes.get("tags", [])])
    except (ValueError, AttributeError, TypeError):
        return "", ()
