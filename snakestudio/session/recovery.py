"""Recovery files: each window saves its scene while it has unsaved edits, in case it crashes.

A recovery file is a plain scene, so that users can open it. Comments in its first lines state the
file of the scene and the process that wrote it. While that process is running, no other process
uses the file.
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
# Unsaved changes, saved by SnakeStudio in case it ends unexpectedly. It offers them at its next
# start.
# This is a normal scene file. You can open it, or copy it to another folder.
"""
_NOTE = re.compile(r"# (scene file|process|started|written): (.*)")
_HALF = re.compile(r"\.unsaved-(\d+)-")
_numbers = itertools.count(1)


@dataclass(frozen=True)
class UnsavedScene:
    """Scene with unsaved changes."""

    scene: Scene
    path: Path | None
    """File of the scene; None if it has none."""

    written: datetime
    """Local time at which it was written."""

    kept_in: Path
    """Path of the recovery file."""

    @property
    def name(self) -> str:
        """Name for display."""
        return self.path.name if self.path is not None else "untitled scene"

    def discard(self) -> None:
        """Remove the recovery file."""
        with contextlib.suppress(OSError):
            self.kept_in.unlink()


def recovery_dir() -> Path:
    """Return the folder of recovery files, which is created if missing."""
    folder = state_dir() / "unsaved"
    folder.mkdir(exist_ok=True)
    return folder


class RecoveryFile:
    """Recovery file of one window; thread-safe.

    Parameters
    ----------
    folder : Path, optional
        Folder of the file; `recovery_dir` if omitted.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._name = f"unsaved-{os.getpid()}-{next(_numbers)}.toml"
        self._lock = threading.RLock()  # a signal handler can interrupt
        self._newest = 0

    @property
    def path(self) -> Path:
        """Path of the file."""
        return (self._folder or recovery_dir()) / self._name

    def write(self, scene: Scene, path: Path | None, order: int) -> None:
        """Write a scene, which replaces the previous one.

        Raises `OSError` if it cannot be written.

        Parameters
        ----------
        path : Path or None
            File of the scene.
        order : int
            Number from `next_order`; a write that started before another write or a removal is
            dropped after it.
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
        """Return a number for a write that starts now."""
        with self._lock:
            self._newest += 1
            return self._newest

    def remove(self) -> None:
        """Remove the file, because there are no unsaved changes."""
        with self._lock:
            self._newest += 1
            with contextlib.suppress(OSError):
                self.path.unlink()


def unsaved_scenes(folder: Path | None = None) -> list[UnsavedScene]:
    """Return the unsaved scenes of windows that are no longer running, newest first."""
    folder = folder or recovery_dir()
    for path in folder.glob(".unsaved-*.tmp"):  # the window was killed while writing
        match = _HALF.match(path.name)
        if match is not None and process_start(int(match[1])) is None:
            with contextlib.suppress(OSError):
                path.unlink()
    scenes = []
    for path in folder.glob("unsaved-*.toml"):
        with contextlib.suppress(
            SceneError, ValueError, KeyError
        ):  # users may have added other files
            text = read_scene_text(path)
            matches = map(_NOTE.fullmatch, text.splitlines()[:8])
            notes = {match[1]: match[2] for match in matches if match is not None}
            if is_running(int(notes["process"]), notes["started"]):
                continue
            own = parse_json(notes["scene file"], NOTE)
            written = datetime.fromisoformat(notes["written"]).astimezone()
            scenes.append(
                UnsavedScene(
                    parse_scene(text, str(path)), Path(own) if own else None, written, path
                )
            )
    return sorted(scenes, key=lambda unsaved: unsaved.written, reverse=True)


def is_running(pid: int, started: str) -> bool:
    """Return whether the process with this number and start is running; numbers are reused."""
    now = process_start(pid)
    return now is not None and now == started


def process_start(pid: int) -> str | None:
    """Return the start of a process in a system-specific form; None if there is no such process."""
    try:
        # The name in parentheses can contain any text; it is followed by the state and, as
        # field 22, the start.
        fields = (
            Path(f"/proc/{pid}/stat")
            .read_text(encoding="utf-8", errors="replace")
            .rpartition(")")[2]
            .split()
        )
        return None if fields[0] in "ZX" else fields[19]
    except OSError:
        if os.path.exists("/proc/self/stat"):
            return None
    try:
        output = subprocess.run(
            ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return output.stdout.strip() or None
