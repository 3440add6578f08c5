"""Records of MCAP as bytes: whole chunks of many messages at a time, everything rare by the library's own classes."""

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
"""A third of the time of level 1, files 15 % larger: numbers of a simulation are noise in their
last digits."""


def encoded(record: McapRecord) -> bytes:
    """A record as it stands in a file."""
    builder = RecordBuilder()
    record.write(builder)
    data: bytes = builder.end()  # type: ignore[no-untyped-call]
    return data


def signed(values: Mapping[str, str]) -> dict[str, str]:
    """Metadata with their check sum: of all records these alone have none in the format."""
    return {**values, _SUM: _sum(values)}


def intact(values: Mapping[str, str]) -> bool:
    """Whether metadata are what was signed; those of files that were written before the sums are taken as they are."""
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
    """ns. Shape (k,)."""

    offsets: NDArray[np.uint64]
    """Where each record begins in `data`. Shape (k,)."""

    @classmethod
    def of_records(cls, channel: int, records: NDArray[Any]) -> Messages:
        """Records of one length, as `cdr.Template` makes them."""
        size = records.dtype.itemsize
        offsets = np.arange(len(records), dtype=np.uint64) * np.uint64(size)
        return cls(
            channel, records.view(np.uint8).data, records["log_time"].astype(np.uint64), offsets
        )


@dataclass(frozen=True, slots=True)
class ChunkBytes:
    """A chunk with its message indexes, as it goes into a file."""

    parts: list[bytes]
    """Its bytes, one after the other."""

    length: int
    """How many there are in all."""

    chunk_length: int
    """How much of that is the chunk itself."""

    start: int
    end: int
    """`start` and `end`: times of its first and last message, ns."""

    counts: dict[int, int]
    """Messages by channel."""

    _index_offsets: dict[int, int]
    _sizes: tuple[int, int]

    def index(self, offset: int) -> bytes:
        """Its entry in the summary, once it stands at `offset` of a file."""
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
    """What packs the chunks of one file; no business of several threads at once.

    Damage is found by the check sum of the compression, which costs nothing.
    """
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)


def chunk_bytes(
    messages: list[Messages], packing: zstandard.ZstdCompressor, beginning: int = 0
) -> ChunkBytes:
    """Messages as one compressed chunk, packed by a `compressor`.

    The first `beginning` bytes are compressed by themselves, so that they can be read without the
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
    # The library's class would copy what is the most of a run file three times.
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
