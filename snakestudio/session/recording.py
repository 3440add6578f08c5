"""The recording a run leaves: rows in chunks, of which only the newest stays in memory."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.events import Change, RunEvent
from snakestudio.model.recording import ContactRows, Rows, Schema, snapshot_from_rows
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot

log = logging.getLogger(__name__)

__all__ = ["CHUNK_ROWS", "SpooledRecording"]

CHUNK_ROWS = 1024
"""Rows of a chunk: ten seconds at the default rate, a few megabytes for an ordinary robot."""

_CACHED_CHUNKS = 4
_COLUMNS = tuple(f.name for f in fields(Rows) if f.name != "contacts")
_CONTACT_COLUMNS = tuple(f.name for f in fields(ContactRows))


class SpooledRecording:
    """A `Recording` that one thread appends to while others read; full chunks go to a temporary folder.

    Parameters
    ----------
    scene : Scene
        The scene at the start of the run.
    schema : Schema
    chunk_rows : int
        Rows of a chunk.
    """

    def __init__(self, scene: Scene, schema: Schema, chunk_rows: int = CHUNK_ROWS) -> None:
        self._scene = scene
        self._schema = schema
        self._chunk_rows = chunk_rows
        self._lock = threading.Lock()
        self._folder: Path | None = None
        self._n_chunks = 0
        self._open = _Chunk()
        self._times = np.empty(1024)
        self._count = 0
        self._cache: OrderedDict[int, Rows] = OrderedDict()
        self._unwritten: dict[int, Rows] = {}
        self._changes: tuple[Change, ...] = ()
        self._events: tuple[RunEvent, ...] = ()
        self._scenes: tuple[tuple[float, Scene], ...] = ()
        self._checkpoints: dict[float, bytes] = {}

    @property
    def scene(self) -> Scene:
        """The scene at the start of the run."""
        return self._scene

    @property
    def schema(self) -> Schema:
        """What the rows hold."""
        return self._schema

    @property
    def changes(self) -> tuple[Change, ...]:
        """What was changed while the run went."""
        return self._changes

    @property
    def events(self) -> tuple[RunEvent, ...]:
        """Moments worth going back to, in the order in which they were noted."""
        return self._events

    def add_event(self, event: RunEvent) -> None:
        """Note a moment."""
        with self._lock:
            self._events = (*self._events, event)

    def add_checkpoint(self, time: float, state: bytes) -> None:
        """Keep the full state at a time (s); the last of several at one time holds."""
        with self._lock:
            self._checkpoints[time] = state

    def checkpoint_before(self, time: float) -> tuple[float, bytes] | None:
        """The last state that was kept up to `time`, with its own time (s); None if there is none."""
        with self._lock:
            kept = [at for at in self._checkpoints if at <= time]
            return (max(kept), self._checkpoints[max(kept)]) if kept else None

    def scene_at(self, time: float) -> Scene:
        """The scene as it was at `time`: obstacles may have been moved while the run went."""
        scene = self._scene
        for since, changed in self._scenes:
            if since > time:
                break
            scene = changed
        return scene

    def add_change(self, time: float, values: dict[str, Any], scene: Scene) -> None:
        """Note a change of scene values, and the scene they made; a later one at the same time joins it."""
        with self._lock:
            self._scenes = (*(entry for entry in self._scenes if entry[0] != time), (time, scene))
            if self._changes and self._changes[-1].time == time:
                # What is new comes last: a whole part and a value in it hold in the order they were given.
                kept = {key: value for key, value in self._changes[-1].values.items() if key not in values}
                last = Change(time, {**kept, **values})
                self._changes = (*self._changes[:-1], last)
            else:
                self._changes = (*self._changes, Change(time, dict(values)))

    def __len__(self) -> int:
        return self._count

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of all rows so far, s (a view: do not write)."""
        with self._lock:
            return self._times[: self._count]

    # --- writing (one thread)

    def append(self, rows: Rows) -> None:
        """Add rows at the end."""
        start = 0
        while start < len(rows):
            stop = min(len(rows), start + self._chunk_rows - len(self._open))
            self._append_part(rows if stop - start == len(rows) else rows.slice(start, stop))
            start = stop

    def _append_part(self, rows: Rows) -> None:
        with self._lock:
            self._open.append(rows, self._chunk_rows)
            count = self._count + len(rows)
            if count > len(self._times):
                self._times = np.concatenate([self._times, np.empty(max(len(self._times), len(rows)))])
            self._times[self._count : count] = rows.time
            self._count = count
            full = self._open.rows() if len(self._open) >= self._chunk_rows else None
        if full is not None:
            self._spill(full)

    def _spill(self, full: Rows) -> None:
        number = self._n_chunks
        try:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="snakestudio-run-", dir=_roomy_folder()))
                weakref.finalize(self, shutil.rmtree, self._folder, True)
            columns = {name: getattr(full, name) for name in _COLUMNS}
            contacts = {f"contacts_{name}": getattr(full.contacts, name) for name in _CONTACT_COLUMNS}
            np.savez(self._path(number), **columns, **contacts)
        except OSError as error:
            # A full disk must not lose what was recorded: memory holds it as long as it can.
            log.warning("a piece of the recording stays in memory, as it cannot be written: %s", error)
            self._unwritten[number] = full
        with self._lock:
            self._keep(number, full)
            self._n_chunks += 1
            self._open = _Chunk()

    def _path(self, number: int) -> Path:
        assert self._folder is not None
        return self._folder / f"chunk_{number:06d}.npz"

    def _keep(self, number: int, rows: Rows) -> None:
        self._cache[number] = rows
        self._cache.move_to_end(number)
        while len(self._cache) > _CACHED_CHUNKS:
            self._cache.popitem(last=False)

    # --- reading (any thread)

    def rows(self, start: int, stop: int) -> Rows:
        """Rows start to stop; at least one.

        Raises
        ------
        IndexError
            If the recording has no such rows.
        """
        if not 0 <= start < stop <= self._count:
            raise IndexError(f"rows {start} to {stop} of {self._count}")
        parts = []
        while start < stop:
            number = start // self._chunk_rows
            first = number * self._chunk_rows
            end = min(stop, first + self._chunk_rows)
            parts.append(self._chunk(number).slice(start - first, end - first))
            start = end
        return Rows.concatenate(parts)

    def _chunk(self, number: int) -> Rows:
        with self._lock:
            if number >= self._n_chunks:
                return self._open.rows()
            if number in self._unwritten:
                return self._unwritten[number]
            if number in self._cache:
                self._cache.move_to_end(number)
                return self._cache[number]
        with np.load(self._path(number)) as file:
            columns = {name: file[name] for name in _COLUMNS}
            contacts = ContactRows(*(file[f"contacts_{name}"] for name in _CONTACT_COLUMNS))
        rows = Rows(**columns, contacts=contacts)
        with self._lock:
            self._keep(number, rows)
        return rows

    def chunks(self) -> Iterator[Rows]:
        """All rows so far, in order, a chunk at a time."""
        stop = self._count
        for start in range(0, stop, self._chunk_rows):
            yield self.rows(start, min(stop, start + self._chunk_rows))

    def snapshot(self, index: int) -> Snapshot:
        """The row at `index` (negative ones count from the end) as a Snapshot."""
        if index < 0:
            index += self._count
        before = max(index - 1, 0)
        return snapshot_from_rows(self.rows(before, index + 1), index - before, self._schema)

    def index_at(self, time: float) -> int:
        """Index of the row nearest to `time`."""
        times = self.times
        right = int(np.searchsorted(times, time))
        if right == 0:
            return 0
        if right >= len(times):
            return len(times) - 1
        return right if times[right] - time < time - times[right - 1] else right - 1


def _roomy_folder() -> str | None:
    """Where long recordings go: /tmp often lies in memory, /var/tmp does not; TMPDIR overrides both."""
    if "TMPDIR" not in os.environ and os.access("/var/tmp", os.W_OK | os.X_OK):
        return "/var/tmp"
    return None


class _Chunk:
    """The chunk that is being filled: rows are copied into arrays of its full size."""

    def __init__(self) -> None:
        self._count = 0
        self._contact_count = 0
        self._columns: dict[str, NDArray[Any]] = {}
        self._contacts: dict[str, NDArray[Any]] = {}

    def __len__(self) -> int:
        return self._count

    def append(self, rows: Rows, capacity: int) -> None:
        start, stop = self._count, self._count + len(rows)
        for name in _COLUMNS:
            values = getattr(rows, name)
            if name not in self._columns:
                self._columns[name] = np.empty((capacity, *values.shape[1:]), values.dtype)
            self._columns[name][start:stop] = values
        first, last = self._contact_count, self._contact_count + len(rows.contacts.link)
        for name in _CONTACT_COLUMNS:
            values = getattr(rows.contacts, name)
            if name == "count":
                if name not in self._contacts:
                    self._contacts[name] = np.empty(capacity, values.dtype)
                self._contacts[name][start:stop] = values
                continue
            old = self._contacts.get(name)
            if old is None or last > len(old):
                grown = np.empty((max(2 * last, 256), *values.shape[1:]), values.dtype)
                if old is not None:
                    grown[:first] = old[:first]
                self._contacts[name] = grown
            self._contacts[name][first:last] = values
        self._count, self._contact_count = stop, last

    def rows(self) -> Rows:
        columns = {name: self._columns[name][: self._count] for name in _COLUMNS}
        contacts = [
            self._contacts[name][: self._count if name == "count" else self._contact_count] for name in _CONTACT_COLUMNS
        ]
        return Rows(**columns, contacts=ContactRows(*contacts))
