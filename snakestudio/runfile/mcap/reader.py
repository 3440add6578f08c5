"""Reader of run files: the description is read immediately, the rows in blocks on demand."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import weakref
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import numpy as np
from mcap.opcode import Opcode
from mcap.records import Header, Metadata
from numpy.typing import NDArray

from snakestudio.errors import RunFileError, SceneError
from snakestudio.inputs import (
    NOTE,
    RUN_FILE,
    SCENE,
    InputError,
    count,
    local_path,
    opened,
    parse_json,
)
from snakestudio.model.edits import with_values
from snakestudio.model.events import MOST_CHANGES, Change, RunEvent
from snakestudio.model.plausibility import Plausibility
from snakestudio.model.pull import MOST_PULLS, Pull
from snakestudio.model.recording import Rows
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import parse_scene, with_recorded_plugins
from snakestudio.model.step_estimate import StepEstimate
from snakestudio.runfile.mcap import format as names
from snakestudio.runfile.mcap.about import RunInfo, fits, schema_of
from snakestudio.runfile.mcap.block_recording import BlockRecording, with_change
from snakestudio.runfile.mcap.blocks import Columns
from snakestudio.runfile.mcap.chunks import BlockReader, chunk_content
from snakestudio.runfile.mcap.enclosed import named_by, renamed, restored
from snakestudio.runfile.mcap.ending import (
    DAMAGED,
    PLAUSIBILITY,
    attached,
    end_of,
    finished_index,
    record_body,
)
from snakestudio.runfile.mcap.index import Index
from snakestudio.runfile.mcap.notes import read_messages
from snakestudio.runfile.mcap.records import MAGIC, intact
from snakestudio.runfile.mcap.walk import records, walk

log = logging.getLogger(__name__)

_MOST_EVENTS = 200_000

_TOPICS = (names.ROWS, names.CHANGES, names.EVENTS)


@dataclass(frozen=True, slots=True)
class _FileStart:
    """Start of a run file: its metadata, and where they end."""

    about: dict[str, str]
    end: int
    size: int


class RunFile(BlockRecording):
    """A recorded run, read in blocks as a `Recording`; see `open_run`."""

    def __init__(self, path: Path, begun: _FileStart, index: Index, complete: bool) -> None:
        about = begun.about
        scene = _scene(path, about)
        schema = schema_of(about["schema"], scene)
        if not fits(schema, scene):
            raise ValueError("its rows do not match the body of its scene")
        super().__init__(scene, schema, names.BLOCK_ROWS)
        self.info = _info(
            path, begun, len(index.times), float(index.times[-1] - index.times[0]), complete
        )
        folder = about.get("base_folder", "")
        self.base_dir = Path(folder) if folder and os.path.isdir(folder) else path.parent
        self.about = about
        self._step_estimate = StepEstimate.read(about.get("step_check", ""))
        self._plugins = _plugins(about)
        self._places: dict[str, str] = {}
        self.note = ""
        """Message about missing or changed files of its scene; empty if all are
        unchanged."""
        self.index = index
        columns = Columns.from_plain(parse_json(about["columns"], SCENE))
        self._blocks = BlockReader(path, columns.of_schema(schema))
        self._closed = False
        weakref.finalize(self, self._blocks.close)

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self.info.path

    @property
    def step_estimate(self) -> StepEstimate | None:
        """Estimated error of the time step: from the file, or as set later."""
        return self._step_estimate

    @property
    def plugins(self) -> tuple[str, ...]:
        """One line per plug-in that was used."""
        return self._plugins

    def set_step_estimate(self, estimate: StepEstimate | None) -> None:
        """Set the estimate for files that are written from this run; its own file is unchanged."""
        self._step_estimate = estimate

    def close(self) -> None:
        """Close the file; rows can no longer be read."""
        self._closed = True
        self._blocks.close()

    @property
    def cut_off(self) -> str:
        """How to make a truncated file readable for other programs; empty for a complete file."""
        if self.info.complete:
            return ""
        name = self.path.name
        return f"For programs that need a complete MCAP file (rosbags): snakestudio export {name} --mcap NEW.mcap."

    def restore_files(self, file: BinaryIO, start: int, size: int) -> None:
        """Use the files embedded in the run file where those of the scene are missing or changed."""
        changed: dict[str, None] = {}
        with contextlib.suppress(RunFileError):  # reported when they are read
            changed = {name: None for change in self.changes for name in named_by(change.values)}
        files = restored(file, start, size, self.about, self._scene, self.base_dir, tuple(changed))
        self._scene, self.base_dir, note, self._places = files
        if note:
            self.note = f"{self.path.name}: {note}"
            log.warning("%s", self.note)

    def __enter__(self) -> RunFile:
        return self

    def __exit__(self, *of_error: object) -> None:
        self.close()

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of all rows, s (do not write)."""
        return self.index.times

    def __len__(self) -> int:
        return len(self.index.times)

    @property
    def changes(self) -> tuple[Change, ...]:
        """Changes during the run."""
        changes = self._notes[0]
        places = self._places
        return (
            tuple(replace(each, values=renamed(each.values, places)) for each in changes)
            if places
            else changes
        )

    @property
    def events(self) -> tuple[RunEvent, ...]:
        """Events, in recorded order."""
        return self._notes[1]

    @property
    def pulls(self) -> Sequence[Pull]:
        """Pulls on the robot by the user, in the order of their times."""
        return self._notes[2]

    def checkpoint_before(self, time: float) -> tuple[float, bytes] | None:
        """Return the last checkpoint at or before `time` (s): its time and its bytes; None if missing.

        Raises `RunFileError` if it cannot be read.
        """
        index = bisect_right([since for since, _ in self.index.checkpoints], time) - 1
        if index < 0:
            return None
        since, extent = self.index.checkpoints[index]
        with self._reading():
            return since, attached(self._blocks.read(extent))

    @property
    def created(self) -> datetime:
        """When the run began, UTC."""
        return self.info.created

    def checkpoints(self) -> Iterator[tuple[float, bytes]]:
        """Yield all checkpoints in the order of their times: simulated time (s) and bytes."""
        for since, extent in self.index.checkpoints:
            with self._reading():
                state = attached(self._blocks.read(extent))
            yield since, state

    def _block_with(self, row: int) -> tuple[int, Rows]:
        number = bisect_right(self.index.first_rows, row) - 1
        first = self.index.first_rows[number]
        following = self.index.first_rows[number + 1 : number + 2] or [len(self)]
        with self._reading():
            rows = self._blocks.block(self.index.blocks[number])
            if len(rows) != following[0] - first:
                raise ValueError("a block has a wrong number of rows")
        return first, rows

    @cached_property
    def _notes(self) -> tuple[tuple[Change, ...], tuple[RunEvent, ...], tuple[Pull, ...]]:
        changes: tuple[Change, ...] = ()
        events: list[RunEvent] = []
        pulls: list[Pull] = []
        channels = {topic: number for number, topic in enumerate(_TOPICS, 1)}
        with self._reading():
            for extent in self.index.notes:
                for note in read_messages(
                    bytes(chunk_content(self._blocks.read(extent))), channels
                ):
                    if isinstance(note, Change):
                        changes = with_change(changes, note)
                        count(len(changes), MOST_CHANGES, "changes in it")
                    elif isinstance(note, Pull):
                        pulls.append(note)
                        count(len(pulls), MOST_PULLS, "pulls in it")
                    else:
                        events.append(note)
                        count(len(events), _MOST_EVENTS, "events in it")
        return changes, tuple(events), tuple(sorted(pulls, key=lambda pull: pull.time))

    @cached_property
    def _scenes(self) -> tuple[tuple[float, Scene], ...]:
        scenes = []
        scene = self._scene
        for change in self.changes:
            with contextlib.suppress(
                SceneError
            ):  # changes of an earlier version may be invalid; the rows are unaffected
                scene = with_values(scene, change.values)
            scenes.append((change.time, scene))
        return tuple(scenes)

    def _scenes_since(self) -> tuple[tuple[float, Scene], ...]:
        return self._scenes

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        if self._closed:
            raise RunFileError(
                f"{self.path}: the run was closed, so its rows can no longer be read. Open it again."
            )
        try:
            yield
        except OSError as error:
            raise _cannot_read(self.path, error) from None
        except DAMAGED as error:
            raise RunFileError(
                f"{self.path}: a part of the file is damaged ({error}). The rows before it can still be read."
            ) from None


def open_run(path: str | Path) -> RunFile:
    """Open a recorded run.

    A file whose program ended early is read up to its last complete record;
    `RunFile.info.complete` is False then.

    Raises `RunFileError` if it is not a recorded run, or cannot be read.
    """
    path = local_path(path)
    with _opened(path) as file:
        begun = _begin(path, file)
        try:
            index = finished_index(file, begun.size)
            result = _plausibility(end_of(file, begun.size))
            complete = True
        except DAMAGED:
            index = walk(file, begun.end, begun.size, {})
            result = None
            complete = False
        if not len(index.times):
            if complete:
                raise RunFileError(f"{path}: the file contains no rows: nothing was recorded.")
            raise RunFileError(
                f"{path}: the file contains no rows that can be read. The program ended before the first row was"
                " written, or the rows are damaged."
            )
        if not np.isfinite(index.times).all() or np.any(np.diff(index.times) < 0.0):
            raise RunFileError(
                f"{path}: the times of its rows are not finite and increasing; it cannot be read."
            )
        try:
            run = RunFile(path, begun, index, complete)
            run.set_plausibility(result)
            run.restore_files(file, begun.end, begun.size)
            return run
        except DAMAGED as error:
            raise RunFileError(
                f"{path}: the description of the run is damaged ({error}); it cannot be read."
            ) from None


def read_info(path: str | Path) -> RunInfo:
    """Read the description of a run file without its rows.

    Raises `RunFileError` if it is not a recorded run, or cannot be read.
    """
    path = local_path(path)
    with _opened(path) as file:
        begun = _begin(path, file)
        try:
            end = end_of(file, begun.size)
            rows = int(end["rows"])
            duration = float(end["duration_s"])
            result = _plausibility(end)
            complete = True
        except DAMAGED:
            times = walk(file, begun.end, begun.size, {}).times
            rows = len(times)
            duration = float(times[-1] - times[0]) if len(times) else 0.0
            result = None
            complete = False
        try:
            return replace(_info(path, begun, rows, duration, complete), plausibility=result)
        except DAMAGED as error:
            raise RunFileError(
                f"{path}: the description of the run is damaged ({error}); it cannot be read."
            ) from None


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with opened(path, RUN_FILE) as file:
            yield file
    except InputError as error:
        raise RunFileError(f"{path}: {error}") from None


def _cannot_read(path: Path, error: OSError) -> RunFileError:
    return RunFileError(
        f"{path}: the file cannot be read ({error.strerror or error}). Check its permissions and disk."
    )


def _begin(path: Path, file: BinaryIO) -> _FileStart:
    """Read the start of a run file; raises `RunFileError` if it is not one."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    magic = file.read(len(MAGIC))
    if not size:
        raise RunFileError(f"{path}: the file is empty: nothing was recorded.")
    if magic != MAGIC:
        if MAGIC.startswith(magic):
            raise _too_short(path)
        raise RunFileError(
            f"{path}: this is not an MCAP file. Give a run recorded by SnakeStudio (.mcap)."
        )
    library = ""
    end = 0
    for number, (opcode, extent) in enumerate(records(file, len(MAGIC), size)):
        if extent.length > names.MAX_RECORD_BYTES or number > 1:
            break
        file.seek(extent.offset)
        data = file.read(extent.length)
        try:
            if opcode == Opcode.HEADER:
                library = Header.read(record_body(data)).library
            elif opcode == Opcode.METADATA:
                metadata = Metadata.read(record_body(data))
                if metadata.name == names.ABOUT:
                    return _checked(
                        path, _FileStart(metadata.metadata, extent.offset + extent.length, size)
                    )
        except DAMAGED as error:
            raise RunFileError(
                f"{path}: the start of the file is damaged ({error}); it cannot be read."
            ) from None
        end = extent.offset + extent.length
    if library.startswith("snakestudio ") or end in (0, size):
        raise _too_short(path)
    by = f" ({library})" if library else ""
    raise RunFileError(
        f"{path}: this MCAP file was recorded by another program{by}. Give a run recorded by SnakeStudio."
    )


def _too_short(path: Path) -> RunFileError:
    return RunFileError(f"{path}: the file ends before its first row: nothing was recorded.")


def _checked(path: Path, begun: _FileStart) -> _FileStart:
    version = begun.about.get("format_version", "")
    if not (version.isdecimal() and len(version) < 9):
        raise RunFileError(f"{path}: the file has no format version; it cannot be read.")
    if int(version) > names.VERSION:
        raise RunFileError(
            f"{path}: the run was recorded by SnakeStudio {begun.about.get('version', '?')} in a newer format "
            f"({version}; this program reads up to {names.VERSION}). Update SnakeStudio."
        )
    if not intact(begun.about):
        raise RunFileError(
            f"{path}: the description of the run is damaged (its check sum is wrong); it cannot be read."
        )
    return begun


def _scene(path: Path, about: dict[str, str]) -> Scene:
    try:
        return parse_scene(with_recorded_plugins(about["scene"], _plugins(about)), source=str(path))
    except SceneError as error:
        raise RunFileError(f"{path}: the scene of the run cannot be read: {error}") from None


def _plugins(about: dict[str, str]) -> tuple[str, ...]:
    """Return one line per plug-in that was used in the run."""
    return tuple(str(line)[:1000] for line in parse_json(about.get("plugins", "[]"), NOTE))


def _plausibility(end: dict[str, str]) -> Plausibility | None:
    return Plausibility.read(end.get(PLAUSIBILITY, ""))


def _info(path: Path, begun: _FileStart, rows: int, duration: float, complete: bool) -> RunInfo:
    about = begun.about
    created = datetime.fromisoformat(about["created"])
    return RunInfo(
        path=path,
        created=created.astimezone(UTC),
        title=about.get("title", ""),
        scene_file=about.get("scene_file", ""),
        model=about["model"],
        duration=duration,
        rows=rows,
        size_bytes=begun.size,
        complete=complete,
        version=about["version"],
        robot=about.get("robot", ""),
    )
