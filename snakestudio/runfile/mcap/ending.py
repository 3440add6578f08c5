"""Reader of the end of a completed run file: a few small reads, independent of the length of the run."""

from __future__ import annotations

import io
import struct
import zlib
from typing import BinaryIO

from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Attachment, Footer, Metadata, MetadataIndex, SummaryOffset

from snakestudio.model.plausibility import Plausibility
from snakestudio.runfile.mcap.format import END, MAX_INDEX_BYTES, MAX_RECORD_BYTES
from snakestudio.runfile.mcap.index import Extent, Index
from snakestudio.runfile.mcap.records import MAGIC, intact
from snakestudio.runfile.mcap.walk import records

DAMAGED = (ValueError, KeyError, TypeError, IndexError, OverflowError, struct.error, McapError)
"""Exceptions of reading damaged bytes; they never reach a user."""

PLAUSIBILITY = "plausibility"
"""Entry with the result of the plausibility checks."""

_FOOTER = 9 + 20 + len(MAGIC)


def record_body(record: bytes) -> ReadDataStream:
    """Return the content of a record without its header, for the classes of the library."""
    return ReadDataStream(io.BytesIO(record[9:]))


def attached(record: bytes) -> bytes:
    """Return the content of an attachment.

    Raises `ValueError` if it is damaged.
    """
    body = memoryview(record)[9:]
    if len(body) < 4 or zlib.crc32(body[:-4]) != struct.unpack("<I", body[-4:])[0]:
        raise ValueError("the check sum of an attachment is wrong")
    return bytes(Attachment.read(record_body(record)).data)


def end_of(file: BinaryIO, size: int) -> dict[str, str]:
    """Return the metadata at the end of a completed file; raises one of `DAMAGED` if missing."""
    if size < _FOOTER:
        raise ValueError("no end")
    file.seek(size - _FOOTER)
    tail = file.read(_FOOTER)
    if not tail.endswith(MAGIC) or tail[0] != Opcode.FOOTER:
        raise ValueError("no end")
    footer = Footer.read(record_body(tail))
    for opcode, extent in records(file, footer.summary_offset_start, size):
        if opcode == Opcode.SUMMARY_OFFSET:
            group = SummaryOffset.read(record_body(_record(file, extent)))
            if group.group_opcode == Opcode.METADATA_INDEX:
                return _end_among(file, Extent(group.group_start, group.group_length), size)
    raise ValueError("no end")


def _end_among(file: BinaryIO, group: Extent, size: int) -> dict[str, str]:
    for _, extent in records(file, group.offset, min(size, group.offset + group.length)):
        index = MetadataIndex.read(record_body(_record(file, extent)))
        if index.name == END:
            extent = Extent(index.offset, index.length)
            metadata: dict[str, str] = Metadata.read(record_body(_record(file, extent))).metadata
            if not intact(metadata):
                raise ValueError("the check sum of the end is wrong")
            return metadata
    raise ValueError("no end")


def remarks_of(result: Plausibility | None) -> dict[str, str]:
    """Return the entries of a result of plausibility checks at the end of a file."""
    return {} if result is None else {PLAUSIBILITY: result.text}


def finished_index(file: BinaryIO, size: int) -> Index:
    """Return the index of a completed file; raises one of `DAMAGED` if missing."""
    end = end_of(file, size)
    extent = Extent(int(end["index_offset"]), int(end["index_length"]))
    if (
        not 0 < extent.length <= min(size, MAX_INDEX_BYTES)
        or not 0 < extent.offset <= size - extent.length
    ):
        raise ValueError("the index is outside the file")
    file.seek(extent.offset)
    return Index.unpacked(attached(file.read(extent.length)), size)


def _record(file: BinaryIO, extent: Extent) -> bytes:
    if extent.length > MAX_RECORD_BYTES:
        raise ValueError("a record is impossibly long")
    file.seek(extent.offset)
    return file.read(extent.length)
