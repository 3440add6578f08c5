"""Thread that writes a run to disk during the run, and its data shared with the appender and readers.

Rows wait in large parts, or are collected if they arrive a few at a time. When there is a full block,
or the oldest row has waited for `FLUSH_S`, the thread writes them; until they are in the file, and a
little longer, they are read from memory. If the disk is full the run continues, and rows that could
not be written stay in memory as long as it suffices.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.events import Change, RunEvent
from snakestudio.model.pull import Pull
from snakestudio.model.recording import Rows
from snakestudio.runfile.mcap.block_recording import with_change
from snakestudio.runfile.mcap.blocks import Columns
from snakestudio.runfile.mcap.chunks import BlockReader
from snakestudio.runfile.mcap.format import BLOCK_BYTES, BLOCK_ROWS
from snakestudio.runfile.mcap.index import Extent
from snakestudio.runfile.mcap.writer import RunWriter
from snakestudio.runfile.row_parts import RowParts

log = logging.getLogger(__name__)

FLUSH_S = 0.4
"""Longest wall time before a row of a saved run is written, s."""

_MOST_WAITING = 32
"""Number of full blocks waiting for the disk before the appender is blocked."""

_KEPT_ROWS = 4 * BLOCK_ROWS
"""Number of newest rows that stay in memory after writing, because the window reads them
repeatedly."""

_FEWEST_ROWS = 16

Note = Change | Pull | RunEvent

OpenFile = Callable[[Rows], AbstractContextManager[tuple[RunWriter, BinaryIO, BlockReader]]]


class RecordingThread:
    """Writes the rows of one run to a file, and reads them back.

    Parameters
    ----------
    open_file : callable
        Creates the file, given the first block; called once, in the thread. The file gets its name
        once this block is written.
    block_rows : int
        Number of rows in a full block.
    path : Path or None
        The file, if it is permanent: then it is written at least every `FLUSH_S` and gets an
        end.
    """

    def __init__(self, open_file: OpenFile, block_rows: int, path: Path | None) -> None:
        self._open_file = open_file
        self._block_rows = block_rows
        self._path = path
        self._permanent = path is not None
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._file: tuple[RunWriter, BinaryIO, BlockReader] | None = None
        self._tail = RowParts()
        self._tail_start = 0
        self._due = 0.0
        self._starts: list[int] = []
        self._places: list[Extent] = []
        # the newest blocks; only positions in the file are known of all earlier ones
        self._held: deque[RowParts] = deque()
        self._held_rows = 0
        self._notes: list[Note] = []
        self._states: list[tuple[float, bytes]] = []
        self._checkpoints: list[tuple[float, bytes | Extent]] = []
        self._times = np.empty(1024)
        self._count = 0
        self._stopping = False
        self._released = False
        self.changes: tuple[Change, ...] = ()
        self.pulls: list[Pull] = []
        self.events: tuple[RunEvent, ...] = ()
        self.remarks: dict[str, str] = {}
        """Further entries for the end of the file."""
        self.trouble = ""
        """Message why writing stopped; empty while writing."""
        self.cut_off = ""
        """Up to when a saved run was written, and why it stopped; empty while writing."""
        self.in_place = True
        """Whether the file was still at its path when it was ended."""

    def __len__(self) -> int:
        return self._count

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of all rows so far, s."""
        with self._changed:
            return self._times[: self._count]

    @property
    def cached_rows(self) -> int:
        """Number of written rows in memory."""
        with self._changed:
            waiting = len(self._starts) - len(self._places)
            held = sum(map(len, self._held)) - sum(
                map(len, list(self._held)[len(self._held) - waiting :])
            )
        return held + (self._file[2].cached_rows if self._file is not None else 0)

    # --- appending (one thread)

    def append(self, rows: Rows) -> None:
        """Add rows at the end; they are not copied, and must not be modified afterwards."""
        if not self._count and len(rows):  # a robot of very many links has smaller blocks
            fit = BLOCK_BYTES // max(1, Columns.of(rows).row_bytes)
            self._block_rows = min(self._block_rows, max(_FEWEST_ROWS, fit))
        start = 0
        while start < len(rows):
            stop = min(len(rows), start + self._block_rows - len(self._tail))
            self._append_part(rows if stop - start == len(rows) else rows.slice(start, stop))
            start = stop

    def _append_part(self, rows: Rows) -> None:
        with self._changed:
            if self._stopping:
                raise ValueError("the recording was closed")
            first = not len(self._tail)
            if first:
                self._due = time.monotonic() + FLUSH_S
            self._tail.append(rows)
            count = self._count + len(rows)
            if count > len(self._times):
                grown = np.empty(count + count // 2)  # pages that are never written use no memory
                grown[: self._count] = self._times[: self._count]
                self._times = grown
            self._times[self._count : count] = rows.time
            self._count = count
            # Without space for as many rows again, nothing needs to be split.
            full = len(self._tail) + len(rows) > self._block_rows
            if full:
                self._cut()
            if full or (self._permanent and count > 1 and (first or self._thread is None)):
                self._wake()
            while len(self._starts) - len(self._places) > _MOST_WAITING and not (
                self.trouble or self._stopping
            ):
                self._changed.wait(1.0)

    def note(self, note: Note) -> None:
        """Queue a change, a pull or an event for the next write."""
        with self._changed:
            if isinstance(note, Change):
                self.changes = with_change(self.changes, note)
            elif isinstance(note, Pull):
                self.pulls.append(note)
            else:
                self.events = (*self.events, note)
            if self._permanent and not self.trouble:
                self._notes.append(note)
            self._wake_for_notes()

    def add_checkpoint(self, at: float, state: bytes) -> None:
        """Queue a checkpoint for the next write; its simulated time `at` (s) must not decrease."""
        with self._changed:
            if not self.trouble:
                self._states.append((at, state))
            self._checkpoints.append((at, state))
            self._wake_for_notes()

    def _wake_for_notes(self) -> None:
        if self._permanent and self._count > 1:
            if not len(self._tail):
                self._due = min(self._due, time.monotonic() + FLUSH_S)
            self._wake()

    def _cut(self) -> None:
        """Turn the waiting rows into a block."""
        self._starts.append(self._tail_start)
        self._held.append(self._tail)
        self._held_rows += len(self._tail)
        self._tail_start += len(self._tail)
        self._tail = RowParts()

    def _wake(self) -> None:
        if self._thread is None and not self.trouble:
            self._thread = threading.Thread(
                target=self._work, name="snakestudio-recording", daemon=True
            )
            self._thread.start()
        self._changed.notify_all()

    def stop(self) -> None:
        """Write pending data, end the file and the thread; the recording stays readable."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def release(self) -> None:
        """Close the file for good, when the recording is freed."""
        self._released = True
        writes = self._thread is threading.current_thread()
        self.stop()
        if not writes:  # garbage collection can run in the writing thread
            self._close()

    def _close(self) -> None:
        if self._file is not None:
            self._file[1].close()
            self._file[2].close()

    # --- reading (any thread)

    def block_with(self, row: int) -> tuple[int, Rows]:
        """Return the consecutive rows that contain a given one, and the number of the first."""
        with self._changed:
            if row >= self._tail_start:
                first, part = self._tail.part_with(row - self._tail_start)
                return self._tail_start + first, part
            number = bisect_right(self._starts, row) - 1
            start = self._starts[number]
            newest = number - len(self._starts)
            if -newest <= len(self._held):
                first, part = self._held[newest].part_with(row - start)
                return start + first, part
            extent = self._places[number]
        assert self._file is not None
        return start, self._file[2].block(extent)

    def checkpoint_before(self, at: float) -> tuple[float, bytes | Extent] | None:
        """Return the last checkpoint at or before `at` (s), as bytes or as a position in the file."""
        with self._changed:
            index = bisect_right([since for since, _ in self._checkpoints], at) - 1
            return self._checkpoints[index] if index >= 0 else None

    def checkpoints(self) -> list[tuple[float, bytes | Extent]]:
        """Return all checkpoints so far."""
        with self._changed:
            return list(self._checkpoints)

    def record_at(self, extent: Extent) -> bytes:
        """Read a record of the file."""
        assert self._file is not None
        return self._file[2].read(extent)

    # --- the thread

    def _work(self) -> None:
        try:
            while self._write_what_is_due():
                pass
            if self._permanent and self._file is not None:
                self._file[0].finish(self.times, self.remarks)
                self.in_place = self._stands_there(self._file[1])
                self._file[1].close()
        except OSError as error:
            self._give_up(error.strerror or str(error))
        except Exception as error:  # an internal error here must not end the run
            log.exception("the recording could not be written")
            self._give_up(repr(error))
        finally:
            if self._released:
                self._close()

    def _write_what_is_due(self) -> bool:
        """Return the wait for data and write it; False at the end."""
        with self._changed:
            while not self._stopping and len(self._places) == len(self._starts):
                if (
                    not self._permanent
                ):  # a new thread is started for the next block, so that none waits forever
                    self._thread = None
                    return False
                left = self._due - time.monotonic()
                waits = self._count > 1 and (len(self._tail) or self._notes or self._states)
                if waits and left <= 0:
                    break
                self._changed.wait(left if waits else None)
            stopping = self._stopping
            if len(self._tail) and self._permanent and (stopping or self._due <= time.monotonic()):
                self._cut()
            waiting = len(self._starts) - len(self._places)
            blocks = list(self._held)[len(self._held) - waiting :]
            notes = self._notes
            self._notes = []
            states = self._states
            self._states = []
        if self._permanent or not stopping:
            self._write([block.rows() for block in blocks], notes, states)
        return not stopping

    def _write(
        self, blocks: list[Rows], notes: list[Note], states: list[tuple[float, bytes]]
    ) -> None:
        """Write one block at a time: each counts when written, and can be undone."""
        if self._file is None and not blocks:
            return
        for block in blocks[:-1]:
            self._put([block], [], [])
        self._put(blocks[-1:], notes, states)

    def _put(
        self, blocks: list[Rows], notes: list[Note], states: list[tuple[float, bytes]]
    ) -> None:
        changes = [note for note in notes if not isinstance(note, RunEvent)]
        events = [note for note in notes if isinstance(note, RunEvent)]
        before = 0
        if self._file is None:
            with self._open_file(blocks[0]) as opened:
                writer = opened[0]
                places = writer.write(blocks, changes, events, states)
            self._file = opened
        else:
            writer = self._file[0]
            before = len(writer.index.checkpoints)
            places = writer.write(blocks, changes, events, states)
        with self._changed:
            self._places += places
            while (
                len(self._held) > len(self._starts) - len(self._places)
                and self._held_rows > _KEPT_ROWS
            ):
                self._held_rows -= len(self._held.popleft())
            self._checkpoints[before : before + len(states)] = writer.index.checkpoints[before:]
            self._changed.notify_all()

    def _give_up(self, why: str) -> None:
        """Stop writing and report it; end the file, freeing space for that if necessary."""
        if self._permanent and self._file is not None and self._file[0].n_rows:
            self._end_with_what_fits(self._file[0])
        with self._changed:
            since = float(self._times[self._written_rows])
            if self._path is not None:
                left = (
                    "the rows up to then are saved"
                    if self._file is not None
                    else "nothing was written"
                )
                self.cut_off = f"{self._path}: recording stopped at {since:.2f} s ({why}); {left}"
                self.trouble = (
                    f"{self.cut_off}, the rest stays in memory. Free some space and save "
                    "the run under another name."
                )
                self.events = (
                    *self.events,
                    RunEvent(float(self._times[self._count - 1]), "fault", self.trouble),
                )
            else:
                self.trouble = f"The run stays in memory because it cannot be written to disk ({why}). Free some space."
            self._notes = []
            self._states = []
            self._changed.notify_all()
        log.info("%s", self.trouble)  # the caller shows it
        if self._file is not None:
            self._file[1].close()

    def _end_with_what_fits(self, writer: RunWriter) -> None:
        """End the file; without space, drop its newest rows first, as long as they are in memory, too."""
        while True:
            try:
                writer.finish(self._times[: writer.n_rows])
            except OSError:
                with self._changed:
                    if not writer.undo_write(len(self._starts) - len(self._held)):
                        return
                    del self._places[len(writer.index.blocks) :]
                    written = len(writer.index.checkpoints)
                    later = [
                        entry
                        for entry in self._checkpoints[written:]
                        if isinstance(entry[1], bytes)
                    ]
                    self._checkpoints[written:] = later
            else:
                return

    def _stands_there(self, file: BinaryIO) -> bool:
        try:
            return self._path is not None and os.path.samestat(
                os.fstat(file.fileno()), os.stat(self._path)
            )
        except OSError:
            return False

    @property
    def _written_rows(self) -> int:
        """Number of rows in the file."""
        if len(self._places) < len(self._starts):
            return self._starts[len(self._places)]
        return min(self._tail_start, self._count - 1)
