"""Writer of run files: all data is in the file, complete, when a method returns."""

from __future__ import annotations

import contextlib
import json
import zlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Sized
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from mcap.opcode import Opcode
from mcap.records import (
    Attachment,
    AttachmentIndex,
    Channel,
    DataEnd,
    Footer,
    Header,
    McapRecord,
    Metadata,
    MetadataIndex,
    Statistics,
    SummaryOffset,
)
from mcap.records import Schema as MessageSchema
from numpy.typing import NDArray

from snakestudio._version import __version__
from snakestudio.model.events import Change, RunEvent
from snakestudio.model.pull import Pull
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.scene import Scene
from snakestudio.runfile.mcap import format as names
from snakestudio.runfile.mcap import notes
from snakestudio.runfile.mcap.about import Origin, about
from snakestudio.runfile.mcap.blocks import Columns, Scratch, definition, encode, head_bytes
from snakestudio.runfile.mcap.definitions import CHANGE, EVENT, LOG_MESSAGE
from snakestudio.runfile.mcap.enclosed import digest, named_by, named_files, read_files
from snakestudio.runfile.mcap.index import Extent, Index
from snakestudio.runfile.mcap.records import (
    MAGIC,
    ChunkBytes,
    Messages,
    chunk_bytes,
    compressor,
    encoded,
    signed,
)
from snakestudio.runfile.mcap.views import Views

_SMALL_BLOCK = 512 * 1024

_VIEWS_AT_ONCE = 500
"""Number of messages per topic for other programs that are collected before they are written."""

_MOST_MARKS = 64
"""Number of calls of `write` that can be undone."""

_LARGE = 64 * 1024
"""Size in bytes from which parts are written separately instead of joined with the next ones."""


class _Mark(NamedTuple):
    """State of a file: bytes, rows, lengths of the lists for its end, messages of each channel, their time span."""

    size: int
    n_rows: int
    lengths: tuple[int, ...]
    counts: dict[int, int]
    span: tuple[int, int]

    @property
    def n_blocks(self) -> int:
        """Number of blocks of rows so far."""
        return self.lengths[2]


class RunWriter:
    """Writer of a run file; not thread-safe.

    A method that raises OSError (the disk is full) leaves the file unchanged, so that it can be
    read, and ended if there is space for that.

    Parameters
    ----------
    file : binary file
        Empty, unbuffered, open for writing.
    scene : Scene
        Scene at the start of the run.
    columns : Columns
        Columns of all rows.
    origin : Origin
        Origin of the scene.
    temporary : bool
        Whether only this program reads the file, and only while it runs: then the file contains
        neither its origin nor messages for other programs.
    created : datetime, optional
        Start of the run; now if omitted.
    """

    def __init__(
        self,
        file: BinaryIO,
        scene: Scene,
        schema: Schema,
        columns: Columns,
        origin: Origin,
        *,
        temporary: bool = False,
        created: datetime | None = None,
    ) -> None:
        self._file = file
        self._columns = columns
        self.index = Index()
        self.size = 0
        self._n_rows = 0
        self._chunks: list[bytes] = []
        self._attachments: list[bytes] = []
        self._metadata: list[bytes] = []
        self._counts: dict[int, int] = {}
        self._span = (2**64 - 1, 0)
        self._marks: deque[_Mark] = deque(maxlen=_MOST_MARKS)
        self._views = Views(schema, scene.robot.n_links - 1 if scene.robot.head == "last" else 0)
        topics = [
            (names.ROWS, f"{names.PACKAGE}/msg/Rows", definition(columns)),
            (names.CHANGES, *CHANGE),
            (names.EVENTS, *EVENT),
        ]
        if not temporary:
            topics += [(names.LOG, *LOG_MESSAGE)]
            topics += [(view.topic, *view.definition) for view in self._views.views]
        self._temporary = temporary
        self._packing = compressor()
        self._scratch = Scratch()
        self._topics = _topics(topics)
        self._channels = {topic: number for number, (topic, _, _) in enumerate(topics, 1)}
        files = (
            {}
            if temporary
            else read_files((name for _, name in named_files(scene)), origin.base_dir)
        )
        self._base_dir = origin.base_dir
        self._enclosed = {name: digest(data) for name, data in files.items()}
        description = (
            {} if temporary else about(scene, schema, columns, origin, created or datetime.now(UTC))
        )
        if files:
            description["files"] = json.dumps(self._enclosed, ensure_ascii=False)
        metadata = Metadata(names.ABOUT, signed(description) if description else description)
        head = MAGIC + encoded(Header("ros2", f"snakestudio {__version__}"))
        record = encoded(metadata)
        self._metadata.append(encoded(MetadataIndex(len(head), len(record), names.ABOUT)))
        self.append(head, record, *map(encoded, self._topics))
        for name, data in files.items():
            attachment, data_record = _file(name, 0.0, data)
            self._attachments.append(_attachment_index(attachment, self.size, len(data_record)))
            self.append(data_record)

    @property
    def n_rows(self) -> int:
        """Number of rows so far."""
        return self._n_rows

    def write(
        self,
        blocks: Sequence[Rows] = (),
        changes: Sequence[Change | Pull] = (),
        events: Sequence[RunEvent] = (),
        checkpoints: Sequence[tuple[float, bytes]] = (),
    ) -> list[Extent]:
        """Append new data.

        Raises `OSError` if it cannot be written; the file is unchanged then.

        Returns
        -------
        list of Extent
            Positions of the blocks.
        """
        mark = self._mark()
        if len(self._views) >= _VIEWS_AT_ONCE:
            self._show()
        before = self._n_rows
        chunks: list[tuple[ChunkBytes, list[Extent]]] = []
        added = Index()
        for rows in blocks:
            added.first_rows.append(self._n_rows)
            chunks.append((self._block(rows, len(self.index.blocks) + len(chunks)), added.blocks))
            self._n_rows += len(rows)
        if noted := notes.messages(changes, events, self._channels):
            chunks.append((chunk_bytes(noted, self._packing), added.notes))
        files = self._new_files(changes)
        attached = [
            (time, _attachment(names.CHECKPOINT, time, state)) for time, state in checkpoints
        ]
        at = self.size
        parts = []
        indexes = []
        for chunk, places in chunks:
            places.append(Extent(at, chunk.chunk_length))
            indexes.append(chunk.index(at))
            parts += chunk.parts
            at += chunk.length
        attachment_indexes = []
        for _, _, (record, data) in files:
            attachment_indexes.append(_attachment_index(record, at, len(data)))
            parts.append(data)
            at += len(data)
        for time, (record, data) in attached:
            attachment_indexes.append(_attachment_index(record, at, len(data)))
            added.checkpoints.append((time, Extent(at, len(data))))
            parts.append(data)
            at += len(data)
        try:
            self.append(*parts)
        except OSError:
            self._n_rows = before
            raise
        self._enclosed |= {name: sum_ for name, sum_, _ in files}
        self._chunks += indexes
        self._attachments += attachment_indexes
        for chunk, _ in chunks:
            self._count(chunk)
        for name in ("blocks", "first_rows", "notes", "checkpoints"):
            getattr(self.index, name).extend(getattr(added, name))
        if not self._temporary:
            for rows in blocks:
                self._views.add(rows)
            self._marks.append(mark)
        return added.blocks

    def _new_files(
        self, changes: Sequence[Change | Pull]
    ) -> list[tuple[str, str, tuple[Attachment, bytes]]]:
        """Return the files added to the scene by changes: their names, check sums and records."""
        files = []
        for change in () if self._temporary else changes:
            if isinstance(change, Pull):
                continue
            for name, data in read_files(named_by(change.values), self._base_dir).items():
                if self._enclosed.get(name) != digest(data):
                    files.append((name, digest(data), _file(name, change.time, data)))
        return files

    def _mark(self) -> _Mark:
        """Return the state of the file."""
        index = self.index
        lists: tuple[Sized, ...] = (
            self._chunks,
            self._attachments,
            index.blocks,
            index.first_rows,
            index.notes,
            index.checkpoints,
        )
        return _Mark(
            self.size,
            self._n_rows,
            tuple(len(each) for each in lists),
            dict(self._counts),
            self._span,
        )

    def undo_write(self, n_blocks: int) -> bool:
        """Undo the last call of `write`, because the end of the file needs its space.

        Only for permanent files, and for the last few calls. Returns False if that is impossible, or
        if no row or less than `n_blocks` blocks would be left.
        """
        if not self._marks or not self._marks[-1].n_rows or self._marks[-1].n_blocks < n_blocks:
            return False
        mark = self._marks.pop()
        self._file.truncate(mark.size)
        self._file.seek(mark.size)
        self.size = mark.size
        self._n_rows = mark.n_rows
        self._counts = mark.counts
        self._span = mark.span
        index = self.index
        lists: tuple[list[Any], ...] = (
            self._chunks,
            self._attachments,
            index.blocks,
            index.first_rows,
            index.notes,
            index.checkpoints,
        )
        for each, length in zip(lists, mark.lengths, strict=True):
            del each[length:]
        return True

    def _count(self, chunk: ChunkBytes) -> None:
        """Count the messages of a written chunk."""
        self._span = (min(self._span[0], chunk.start), max(self._span[1], chunk.end))
        for channel, count in chunk.counts.items():
            self._counts[channel] = self._counts.get(channel, 0) + count

    def _show(self) -> None:
        """Write the pending messages for other programs."""
        messages = self._views.messages([self._channels[view.topic] for view in self._views.views])
        if messages:
            chunk = chunk_bytes([Messages.of_records(*entry) for entry in messages], self._packing)
            at = self.size
            self.append(*chunk.parts)
            self._chunks.append(chunk.index(at))
            self._count(chunk)
            self._views.done()

    def finish(
        self, times: NDArray[np.float64], remarks: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """End the file, so that it opens fast; `times` (s) are those of all its rows.

        `remarks` are further entries for the end, known only after the run.

        Raises `OSError` if there is no space for that: the file stays readable, but must be scanned.
        """
        with contextlib.suppress(OSError):  # the end takes less space, and is more important
            self._show()
        self.index.times = times
        begin, last = map(float, times[[0, -1]]) if len(times) else (0.0, 0.0)
        record, data = _attachment(names.INDEX, last, self.index.packed())
        offset = self.size
        end = Metadata(
            names.END,
            signed(
                {
                    "rows": str(len(times)),
                    "duration_s": repr(last - begin),
                    "index_offset": str(offset),
                    "index_length": str(len(data)),
                    **remarks,
                }
            ),
        )
        end_metadata = encoded(end)
        attachments = [*self._attachments, _attachment_index(record, offset, len(data))]
        metadata = [
            *self._metadata,
            encoded(MetadataIndex(offset + len(data), len(end_metadata), names.END)),
        ]
        body = data + end_metadata + encoded(DataEnd(0))
        self.append(body, self._summary(self.size + len(body), attachments, metadata), MAGIC)

    def _summary(self, start: int, attachments: list[bytes], metadata: list[bytes]) -> bytes:
        counted = self._span[1] >= self._span[0]
        statistics = Statistics(
            attachment_count=len(attachments),
            channel_count=len(self._channels),
            channel_message_counts=self._counts,
            chunk_count=len(self._chunks),
            message_count=sum(self._counts.values()),
            message_end_time=self._span[1] if counted else 0,
            message_start_time=self._span[0] if counted else 0,
            metadata_count=len(metadata),
            schema_count=len(self._topics) // 2,
        )
        groups = [
            (
                Opcode.SCHEMA,
                [encoded(record) for record in self._topics if isinstance(record, MessageSchema)],
            ),
            (
                Opcode.CHANNEL,
                [encoded(record) for record in self._topics if isinstance(record, Channel)],
            ),
            (Opcode.STATISTICS, [encoded(statistics)]),
            (Opcode.CHUNK_INDEX, self._chunks),
            (Opcode.ATTACHMENT_INDEX, attachments),
            (Opcode.METADATA_INDEX, metadata),
        ]
        parts = []
        offsets = []
        at = start
        for opcode, records in groups:
            data = b"".join(records)
            if data:
                offsets.append(encoded(SummaryOffset(opcode, at, len(data))))
                parts.append(data)
                at += len(data)
        summary = b"".join([*parts, *offsets])
        footer = encoded(Footer(start, at, 0))
        # The check sum covers the summary and the footer up to the sum itself.
        return summary + encoded(Footer(start, at, zlib.crc32(footer[:-4], zlib.crc32(summary))))

    def _block(self, rows: Rows, number: int) -> ChunkBytes:
        time = names.nanoseconds(rows.time[:1])
        channel = self._channels[names.ROWS]
        record = encode(
            self._columns, rows, self._n_rows, channel, number, int(time[0]), self._scratch
        )
        message = Messages(channel, record, time, np.zeros(1, np.uint64))
        # There are many small blocks, and recovery reads the first bytes of each. Large blocks are
        # compressed as a whole, which is faster.
        beginning = head_bytes(len(rows)) if len(record) <= _SMALL_BLOCK else 0
        return chunk_bytes([message], self._packing, beginning)

    def append(self, *parts: bytes) -> None:
        """Write parts at the end of the file.

        Raises `OSError` if there is no space; the file is unchanged then.
        """
        size = self.size
        try:
            for data in _joined(parts):
                view = memoryview(data)
                size += len(view)
                while len(view):
                    view = view[self._file.write(view) :]
        except OSError:
            self._file.truncate(self.size)
            self._file.seek(self.size)
            raise
        self.size = size


def _joined(parts: Sequence[bytes]) -> Iterator[bytes]:
    """Join parts into fewer pieces, without copying large ones."""
    small: list[bytes] = []
    for part in parts:
        if len(part) >= _LARGE:
            yield b"".join(small)
            yield part
            small = []
        else:
            small.append(part)
    yield b"".join(small)


def _topics(topics: list[tuple[str, str, str]]) -> list[McapRecord]:
    """Return the records that declare topics: each type once, each topic after its type."""
    records: list[McapRecord] = []
    types: dict[str, int] = {}
    for number, (topic, kind, text) in enumerate(topics, 1):
        if kind not in types:
            types[kind] = len(types) + 1
            records.append(
                MessageSchema(id=types[kind], data=text.encode(), encoding="ros2msg", name=kind)
            )
        records.append(
            Channel(
                id=number, topic=topic, message_encoding="cdr", metadata={}, schema_id=types[kind]
            )
        )
    return records


def _file(name: str, time: float, data: bytes) -> tuple[Attachment, bytes]:
    """Attachment with a file of the scene, used from `time` (s) on."""
    stamp = int(names.nanoseconds(np.array([time]))[0])
    record = Attachment(0, stamp, f"{names.FILE} {name}", "application/octet-stream", data)
    return record, encoded(record)


def _attachment(name: str, time: float, data: bytes) -> tuple[Attachment, bytes]:
    """Return an attachment with the exact time in its name, because MCAP stores nanoseconds."""
    stamp = int(names.nanoseconds(np.array([time]))[0])
    record = Attachment(0, stamp, f"{name} {time!r}", "application/octet-stream", data)
    return record, encoded(record)


def _attachment_index(record: Attachment, offset: int, length: int) -> bytes:
    index = AttachmentIndex(
        offset,
        length,
        record.log_time,
        record.create_time,
        len(record.data),
        record.name,
        record.media_type,
    )
    return encoded(index)
