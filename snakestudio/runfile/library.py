"""The folder in which runs are kept: what there is, under which names and tags, and how much room it takes.

Beside a run file ``NAME.mcap`` may stand ``NAME.json`` with what a person said about it and
``NAME.png`` with a picture of it. The run file itself is never touched, so that it stays what was
recorded.
"""

from __future__ import annotations

import contextlib
import json
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
class KeptRun:
    """A run in the library."""

    path: Path
    size_bytes: int
    """Of all its files together."""

    written: datetime
    """When it was last written to, local time."""

    info: RunInfo | None = None
    """What its file says; None if it cannot be read."""

    problem: str = ""
    """Why it cannot be read, in a sentence; empty if it can."""

    label: str = ""
    """The name a person gave it; empty if nobody did."""

    tags: tuple[str, ...] = ()
    picture: Path | None = None
    """A picture of it."""

    @property
    def name(self) -> str:
        """What people call it: the name it was given, else that of its scene, or of the robot that was driven."""
        if self.label:
            return self.label
        if self.info is None:
            return self.path.name
        return (
            Path(self.info.scene_file).stem or self.info.robot or self.info.title or self.path.stem
        )

    @property
    def created(self) -> datetime:
        """When it was begun, local time."""
        return self.info.created.astimezone() if self.info is not None else self.written

    @property
    def words(self) -> str:
        """All that one may look for it by."""
        parts = [self.name, self.path.stem, *self.tags, f"{self.created:%Y-%m-%d}"]
        if self.info is not None:
            parts += [self.info.title, self.info.scene_file, self.info.model]
            parts += ["robot", self.info.robot] if self.info.robot else []
        return " ".join(parts)


@dataclass(frozen=True)
class _Known:
    """What was read of a file, and of which state of it: time of writing (ns) and size (bytes)."""

    stamp: tuple[int, int]
    info: RunInfo | None
    problem: str


class RunLibrary:
    """The runs in one folder. Reading all of it again is cheap: only files that changed are opened.

    Parameters
    ----------
    folder : Path, optional
        `runs_dir` if left out.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._known: dict[Path, _Known] = {}

    @property
    def folder(self) -> Path:
        """Where the runs are."""
        return self._folder or runs_dir()

    @property
    def free_bytes(self) -> int:
        """Room that is left on its disk."""
        return shutil.disk_usage(self.folder).free

    def new_path(self, name: str) -> Path:
        """A file for a run that begins now, of a scene called `name`; nothing is written yet."""
        began = f"{datetime.now():%Y-%m-%d_%H%M%S}"
        stem = f"{began}_{_WORDS.sub('_', name).strip('_') or 'run'}"[:100]
        path = self.folder / f"{stem}{SUFFIX}"
        number = 2
        while path.exists():
            path = self.folder / f"{stem}_{number}{SUFFIX}"
            number += 1
        return path

    def runs(self) -> list[KeptRun]:
        """All runs, the newest first; files that cannot be read are there, too, with a sentence why."""
        kept = []
        for path in self.folder.glob(f"*{SUFFIX}"):
            with contextlib.suppress(FileNotFoundError):  # it went away meanwhile
                kept.append(self.run(path))
        known = {run.path for run in kept}
        self._known = {path: known_ for path, known_ in self._known.items() if path in known}
        return sorted(kept, key=lambda run: (run.created, run.path.name), reverse=True)

    def run(self, path: Path) -> KeptRun:
        """One run.

        Raises `FileNotFoundError` if there is no such file.
        """
        status = path.stat()
        stamp = status.st_mtime_ns, status.st_size
        known = self._known.get(path)
        if known is None or known.stamp != stamp:
            known = self._known[path] = _read(path, stamp)
        label, tags = _said(_notes(path))
        picture = path.with_suffix(".png")
        return KeptRun(
            path,
            _size(path),
            datetime.fromtimestamp(status.st_mtime, UTC).astimezone(),
            known.info,
            known.problem,
            label,
            tags,
            picture if picture.exists() else None,
        )

    def find(self, name: str) -> KeptRun:
        """The run of this file name (with or without its ending) or, if only one is called so, of this name.

        Raises `UsageError` if there is none, or more than one.
        """
        runs = self.runs()
        found = [run for run in runs if name in (run.path.name, run.path.stem, str(run.path))]
        found = found or [run for run in runs if run.name == name]
        if len(found) == 1:
            return found[0]
        if found:
            files = ", ".join(run.path.stem for run in found[:4]) + (
                " ..." if len(found) > 4 else ""
            )
            raise UsageError(
                f"{len(found)} runs are called {name}: give the file's name, one of {files}."
            )
        raise UsageError(
            f"there is no run called {name} in {self.folder}; 'snakestudio runs' lists all."
        )

    # --- what a person says about a run -----------------------------------------------------------

    def rename(self, run: KeptRun, label: str) -> KeptRun:
        """Call a run otherwise; by its scene if `label` is empty. Its file keeps its name."""
        return self._say(replace(run, label=" ".join(label.split())))

    def tag(self, run: KeptRun, tags: Sequence[str]) -> KeptRun:
        """Give a run these tags in place of those it has."""
        return self._say(replace(run, tags=clean_tags(tags)))

    def _say(self, run: KeptRun) -> KeptRun:
        path = _notes(run.path)
        if run.label or run.tags:
            said = {"name": run.label, "tags": run.tags}
            write_atomically(path, json.dumps(said, ensure_ascii=False, indent=1).encode())
        else:
            path.unlink(missing_ok=True)
        return run

    def set_picture(self, path: Path, png: bytes) -> None:
        """Keep a picture of the run in `path`, as a PNG file."""
        if path.exists():
            write_atomically(path.with_suffix(".png"), png)

    def delete(self, run: KeptRun) -> None:
        """Remove a run with all that belongs to it.

        Raises `OSError` if its file cannot be removed.
        """
        run.path.unlink(missing_ok=True)
        for path in _beside(run.path):
            path.unlink(missing_ok=True)
        self._known.pop(run.path, None)


def clean_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags as they are kept: single words without ``#``, each once, in the order given."""
    words = (word.strip("#,;") for tag in tags for word in tag.replace(",", " ").split())
    return tuple(dict.fromkeys(word for word in words if word))


def _notes(path: Path) -> Path:
    return path.with_suffix(".json")


def _beside(path: Path) -> tuple[Path, ...]:
    return _notes(path), path.with_suffix(".png")


def _size(path: Path) -> int:
    total = 0
    for file in (path, *_beside(path)):
        with contextlib.suppress(OSError):
            total += file.stat().st_size
    return total


def _read(path: Path, stamp: tuple[int, int]) -> _Known:
    try:
        return _Known(stamp, read_info(path), "")
    except RunFileError as error:
        return _Known(stamp, None, str(error))


def _said(path: Path) -> tuple[str, tuple[str, ...]]:
    """Name and tags a person gave; what cannot be read says nothing, for the run itself is sound."""
    try:
        said = parse_json(read_text(path, NOTE), NOTE)
        return str(said.get("name", "")), clean_tags([str(tag) for tag in said.get("tags", [])])
    except (ValueError, AttributeError, TypeError):
        return "", ()
