"""Reader of chunks of a run file; lengths are checked before memory is allocated, because files can be damaged."""

from __future__ import annotations

import io
import struct
import threading
from collections import OrderedDict
from pathlib import Path
from typing import BinaryIO

import numpy as np
import zstandard
from mcap.opcode import Opcode
from numpy.typing import NDArray

from snakestudio.model.recording import Rows
from snakestudio.runfile.mcap.blocks import Columns, decode, decode_head, head_bytes
from snakestudio.runfile.mcap.cdr import HEADER, MESSAGE_HEAD
from snakestudio.runfile.mcap.format import MAX_BLOCK_BYTES, MOST_BLOCK_ROWS
from snakestudio.runfile.mcap.index import Extent

_HEAD = struct.Struct("<BQQQQI")
_BODY = MESSAGE_HEAD.size + len(HEADER)
_SHIFT = -_BODY % 8
_CACHED_ROWS = 4 * MOST_BLOCK_ROWS
_BEGINNINGS = (12 * 1024, 160 * 1024)
"""Number of compressed bytes that contain the times of a block: if they are compressed separately, and
if not."""


class BlockReader:
    """Reader of the row blocks of a file, with a cache of the last few; thread-safe.

    Parameters
    ----------
    columns : Columns
        Columns of the file's blocks.
    """

    def __init__(self, path: Path, columns: Columns) -> None:
        self._file: BinaryIO = path.open("rb", buffering=0)
        self._columns = columns
        self._lock = threading.Lock()
        self._cache: OrderedDict[int, Rows] = OrderedDict()
        self._cached = 0

    def close(self) -> None:
        """Close the file; rows that were read remain valid."""
        with self._lock:
            self._file.close()
            self._cache.clear()
            self._cached = 0

    @property
    def cached_rows(self) -> int:
        """Number of rows in memory."""
        return self._cached

    def read(self, extent: Extent) -> bytes:
        """Read the bytes of a record.

        Raises `OSError` if it cannot be read. Raises `ValueError` if the file is too short or
        closed.
        """
        if extent.length > MAX_BLOCK_BYTES:
            raise ValueError("a record is too long")
        data = bytearray()
        with self._lock:
            self._file.seek(extent.offset)
            while len(data) < extent.length:
                part = self._file.read(extent.length - len(data))
                if not part:
                    raise ValueError("the file ends early")
                data += part
        return bytes(data)

    def block(self, extent: Extent) -> Rows:
        """Return the rows of a chunk.

        Raises `OSError` or `ValueError` if it cannot be read, or is damaged.
        """
        with self._lock:
            if extent.offset in self._cache:
                self._cache.move_to_end(extent.offset)
                return self._cache[extent.offset]
        rows = decode(self._columns, chunk_content(self.read(extent))[_BODY:])
        with self._lock:
            if extent.offset not in self._cache:
                self._cache[extent.offset] = rows
                self._cached += len(rows)
            while self._cached > _CACHED_ROWS and len(self._cache) > 1:
                self._cached -= len(self._cache.popitem(last=False)[1])
        return rows


def _opened(chunk: bytes) -> tuple[int, memoryview]:
    """Return the size of the content of a chunk, and the compressed content."""
    try:
        opcode, _, _, _, size, _ = _HEAD.unpack_from(chunk)
        (name,) = struct.unpack_from("<I", chunk, _HEAD.size)
        start = _HEAD.size + 4 + name
        compression = chunk[_HEAD.size + 4 : start]
        struct.unpack_from("<Q", chunk, start)
    except struct.error:
        raise ValueError("a chunk ends early") from None
    if opcode != Opcode.CHUNK or compression != b"zstd":
        raise ValueError("this is not a chunk of a run")
    if not _BODY <= size <= MAX_BLOCK_BYTES:
        raise ValueError(f"a chunk declares a size of {size} bytes")
    return size, memoryview(chunk)[start + 8 :]


def _unpacked(packed: memoryview, size: int) -> NDArray[np.uint8]:
    """Decompress at most `size` bytes, without allocating more memory."""
    # The content after the header of the first message is aligned.
    buffer = np.empty(_SHIFT + size, np.uint8)
    view = buffer.data[_SHIFT:]
    filled = 0
    try:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed)) as stream:
            while filled < size and (count := stream.readinto(view[filled:])):
                filled += count
            if filled == size:
                stream.read(1)  # the check sum follows the last byte
    except zstandard.ZstdError as error:
        raise ValueError(f"a chunk is damaged ({error})") from None
    return buffer[_SHIFT : _SHIFT + filled]


def chunk_content(chunk: bytes) -> NDArray[np.uint8]:
    """Decompress the records in a chunk.

    Raises `ValueError` if it is damaged.
    """
    size, packed = _opened(chunk)
    content = _unpacked(packed, size)
    if len(content) != size:
        raise ValueError("a chunk ends early")
    return content


def block_head(file: BinaryIO, extent: Extent) -> tuple[int, int, NDArray[np.float64]]:
    """Return the channel of the first message of a chunk, and first row and times of a block, from its first bytes.

    Raises `ValueError` if it is damaged.
    """
    if extent.length > MAX_BLOCK_BYTES:
        raise ValueError("a record is too long")
    for length in (*(length for length in _BEGINNINGS if length < extent.length), extent.length):
        file.seek(extent.offset)
        chunk = file.read(length)
        size, packed = _opened(chunk)
        content = _unpacked(
            packed, min(size, head_bytes(MOST_BLOCK_ROWS)) if length < extent.length else size
        )
        if len(content) >= _BODY:
            _, _, channel, *_ = MESSAGE_HEAD.unpack_from(content.data)
            head = decode_head(content[_BODY:])
            if head is not None:
                return channel, *head
    raise ValueError("a block ends early")
