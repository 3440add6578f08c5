"""Encoding of MCAP records: whole chunks in batches, rare records with the classes of the library."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import zstandard
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import ChunkIndex, McapRecord
from mcap.writer import MCAP0_MAGIC
from numpy.typing import NDArray

MAGIC: bytes = MCAP0_MAGIC

_COMPRESSION = "zstd"
_SUM = "sha256"
_CHUNK = struct.Struct("<BQQQQII4sQ")
_LEVEL = -10
"""Compression level: a third of the time of level 1 with 15 % larger files, because the last digits of
simulated numbers are noise."""


def encoded(record: McapRecord) -> bytes:
    """Encode a record."""
    builder = RecordBuilder()
    record.write(builder)
    data: bytes = builder.end()  # type: ignore[no-untyped-call]
    return data


def signed(values: Mapping[str, str]) -> dict[str, str]:
    """Return the metadata with a check sum, because the format has none for metadata records."""
    return {**values, _SUM: _sum(values)}


def intact(values: Mapping[str, str]) -> bool:
    """Return whether metadata match their check sum; metadata of old files without a sum are accepted."""
    return _SUM not in values or values[_SUM] == _sum(values)


def _sum(values: Mapping[str, str]) -> str:
    plain = sorted((name, value) for name, value in values.items() if name != _SUM)
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Messages:
    """Message records of one channel, one after the other."""

    channel: int
    data: Any
    times: NDArray[np.uint64]
    """Times, ns. Shape (k,)."""

    offsets: NDArray[np.uint64]
    """Start of each record in `data`. Shape (k,)."""

    @classmethod
    def of_records(cls, channel: int, records: NDArray[Any]) -> Messages:
        """Create from records of equal length, as from `cdr.Template`."""
        size = records.dtype.itemsize
        offsets = np.arange(len(records), dtype=np.uint64) * np.uint64(size)
        return cls(
            channel, records.view(np.uint8).data, records["log_time"].astype(np.uint64), offsets
        )


@dataclass(frozen=True, slots=True)
class ChunkBytes:
    """A chunk with its message indexes, as written to a file."""

    parts: list[bytes]
    """Bytes, in consecutive parts."""

    length: int
    """Total number of bytes."""

    chunk_length: int
    """Number of bytes of the chunk itself."""

    start: int
    """Time of its first message, ns."""

    end: int
    """Time of its last message, ns."""

    counts: dict[int, int]
    """Messages by channel."""

    _index_offsets: dict[int, int]
    _sizes: tuple[int, int]

    def index(self, offset: int) -> bytes:
        """Return the entry in the summary for a chunk at `offset` of a file."""
        index = ChunkIndex(
            chunk_length=self.chunk_length,
            chunk_start_offset=offset,
            compression=_COMPRESSION,
            compressed_size=self._sizes[0],
            message_end_time=self.end,
            message_index_length=self.length - self.chunk_length,
            message_index_offsets={
                channel: offset + at for channel, at in self._index_offsets.items()
            },
            message_start_time=self.start,
            uncompressed_size=self._sizes[1],
        )
        return encoded(index)


def compressor() -> zstandard.ZstdCompressor:
    """Return the compressor for the chunks of one file; not thread-safe.

    Damage is detected by the check sum of the compression, which takes no noticeable time.
    """
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)


def chunk_bytes(
    messages: list[Messages], packing: zstandard.ZstdCompressor, beginning: int = 0
) -> ChunkBytes:
    """Encode messages as one chunk, compressed by a `compressor`.

    The first `beginning` bytes are compressed separately, so that they can be read without the
    rest.
    """
    plain = messages[0].data if len(messages) == 1 else b"".join(part.data for part in messages)
    if beginning:
        stream = packing.compressobj(size=len(plain))
        view = memoryview(plain)
        first = stream.compress(view[:beginning]) + stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        packed = b"".join([first, stream.compress(view[beginning:]), stream.flush()])
    else:
        packed = packing.compress(plain)
    start = min(int(part.times.min()) for part in messages)
    end = max(int(part.times.max()) for part in messages)
    # The class of the library would copy the bulk of a run file three times.
    name = _COMPRESSION.encode()
    length = _CHUNK.size - 9 + len(packed)
    head = _CHUNK.pack(
        Opcode.CHUNK, length, start, end, len(plain), 0, len(name), name, len(packed)
    )
    chunk_length = len(head) + len(packed)
    parts = [head, packed]
    at = chunk_length
    origin = 0
    index_offsets = {}
    counts = {}
    for part in messages:
        entries = np.stack([part.times, part.offsets + np.uint64(origin)], axis=1).astype("<u8")
        head = struct.pack(
            "<BQHI", Opcode.MESSAGE_INDEX, 6 + entries.nbytes, part.channel, entries.nbytes
        )
        index_offsets[part.channel] = at
        counts[part.channel] = len(part.times)
        parts += [head, entries.tobytes()]
        at += len(head) + entries.nbytes
        origin += len(part.data)
    return ChunkBytes(
        parts, at, chunk_length, start, end, counts, index_offsets, (len(packed), len(plain))
    )
