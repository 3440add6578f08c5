"""Unsaved scenes on disk: every window keeps its own there while it has unsaved edits, for the case that it dies.

Such a file is a plain scene, so that a person can use it too. Its first lines say in comments which
file the scene belongs to and which process wrote it; while that process lives, the file is its own
and nobody else's.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import subprocess
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from snakestudio.errors import SceneError
from snakestudio.inputs import NOTE, parse_json
from snakestudio.model.atomic import write_atomically
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import parse_scene, read_scene_text
from snakestudio.model.scene_file.dump import dump_scene
from snakestudio.paths import state_dir

_INTRODUCTION = """\
# Unsaved changes, kept by SnakeStudio for the case that it ends unexpectedly; it offers them at its next start.
# This is a scene like any other: it can be opened, and copied to wherever it belongs.
"""
_NOTE = re.compile(r"# (scene file|process|started|written): (.*)")
_HALF = re.compile(r"\.unsaved-(\d+)-")
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Unsaved:
    """A scene that was never saved."""

    scene: Scene
    path: Path | None
    """The file it belongs to; None if it never had one."""

    written: datetime
    """When it was kept, local time."""

    kept_in: Path
    """Where it was kept."""

    @property
    def name(self) -> str:
        """What people call it."""
        return self.path.name if self.path is not None else "untitled scene"

    def discard(self) -> None:
        """Remove what was kept."""
        with contextlib.suppress(OSError):
            self.kept_in.unlink()


def recovery_dir() -> Path:
    """Folder of the unsaved scenes; created if missing."""
    folder = state_dir() / "unsaved"
    folder.mkdir(exist_ok=True)
    return folder


class RecoveryFile:
    """What one window keeps; threads may use it at the same time.

    Parameters
    ----------
    folder : Path, optional
        `recovery_dir` if omitted.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._name = f"unsaved-{os.getpid()}-{next(_numbers)}.toml"
        self._lock = threading.RLock()  # a signal's handler may come in between
        self._newest = 0

    @property
    def path(self) -> Path:
        """Where it keeps the scene."""
        return (self._folder or recovery_dir()) / self._name

    def write(self, scene: Scene, path: Path | None, order: int) -> None:
        """Keep a scene in place of the one before.

        Raises `OSError` if it cannot be written.

        Parameters
        ----------
        path : Path or None
            The scene's own file.
        order : int
            From `next_order`: what was begun before another write or a removal is not written after
            it.
        """
        pid = os.getpid()
        notes = {
            "scene file": json.dumps(None if path is None else str(path)),
            "process": str(pid),
            "started": process_start(pid) or "",
            "written": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        head = _INTRODUCTION + "".join(f"# {name}: {text}\n" for name, text in notes.items())
        data = f"{head}\n{dump_scene(scene)}".encode()
        with self._lock:
            if order == self._newest:
                write_atomically(self.path, data)

    def next_order(self) -> int:
        """A number for a write that is begun now."""
        with self._lock:
            self._newest += 1
            return self._newest

    def remove(self) -> None:
        """There is nothing unsaved any more."""
        with self._lock:
            self._newest += 1
            with contextlib.suppress(OSError):
                self.path.unlink()


def unsaved_scenes(folder: Path | None = None) -> list[Unsaved]:
    """What windows left behind that do not run any more, newest first."""
    folder = folder or recovery_dir()
    for path in folder.glob(".unsaved-*.tmp"):  # a window was killed while it wrote
        match = _HALF.match(path.name)
        if match is not None and process_start(int(match[1])) is None:
            with contextlib.suppress(OSError):
                path.unlink()
    found = []
    for path in folder.glob("unsaved-*.toml"):
        with contextlib.suppress(
            SceneError, ValueError, KeyError
        ):  # a person may have put other files there
            text = read_scene_text(path)
            matches = map(_NOTE.fullmatch, text.splitlines()[:8])
            notes = {match[1]: match[2] for match in matches if match is not None}
            if is_running(int(notes["process"]), notes["started"]):
                continue
            own = parse_json(notes["scene file"], NOTE)
            written = datetime.fromisoformat(notes["written"]).astimezone()
            found.append(
                Unsaved(parse_scene(text, str(path)), Path(own) if own else None, written, path)
            )
    return sorted(found, key=lambda unsaved: unsaved.written, reverse=True)


def is_running(pid: int, started: str) -> bool:
    """Whether the process with this number that began then still lives: numbers are given again."""
    now = process_start(pid)
    return now is not None and now == started


def process_start(pid: int) -> str | None:
    """When a process began, in whatever way the system says it; None if there is none."""
    try:
        # The name, in parentheses, may hold anything; behind it stand the state and, as field 22,
        # the start.
        fields = (
            Path(f"/proc/{pid}/stat")
            .read_text(encoding="utf-8", errors="replace")
            .rpartition(")")[2]
            .split()
        )
        return None if fields[0] in "ZX" else fields[19]
    except OSError:
        if Path("/proc/self/stat").exists():
            return None
    try:
        shown = subprocess.run(
            ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return shown.stdout.strip() or None
