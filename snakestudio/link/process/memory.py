"""Memory that two processes share without locks; it is freed when the last of them ends.

Each record has a number and a checksum, and a writer never changes its last published record: if a
writer is suspended or killed at any moment, a reader still finds the previous record intact.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
import tempfile
import uuid
import zlib
from collections import deque

_WORD = struct.Struct("=Q")
_NUMBER = struct.Struct("=d")
_HEAD = struct.Struct("=QII")  # a record's number, its length and its checksum
_SLOTS = 3
"""A reader may still copy the record before the last one while the next one is written."""
_TRIES = 8


class Segment:
    """Memory that another process can attach.

    It has no name in any file system (on Windows one that disappears with its last user), so
    processes that were killed leave nothing behind.

    Parameters
    ----------
    handle : str
        Handle with which another process attaches the memory.
    descriptor : int or None
        Descriptor that this process must inherit.
    """

    def __init__(self, mapped: mmap.mmap, handle: str, descriptor: int | None) -> None:
        self.map = mapped
        self.handle = handle
        self.descriptor = descriptor

    @classmethod
    def create(cls, size: int) -> Segment:
        """Return new zeroed memory of `size` bytes."""
        if sys.platform == "win32":
            tag = f"snakestudio-{uuid.uuid4().hex}"
            return cls(mmap.mmap(-1, size, tagname=tag), f"tag:{tag}", None)
        if sys.platform == "linux":
            # Not a file on a disk: its pages are written back, and access to them waits meanwhile.
            descriptor = os.memfd_create("snakestudio-link", os.MFD_CLOEXEC)
        else:
            descriptor, path = tempfile.mkstemp(prefix="snakestudio-link-")
            os.unlink(path)
        os.truncate(descriptor, size)
        return cls(mmap.mmap(descriptor, size), f"fd:{descriptor}", descriptor)

    @classmethod
    def attach(cls, handle: str, size: int) -> Segment:
        """Return the memory that another process created."""
        kind, _, name = handle.partition(":")
        if sys.platform == "win32":
            return cls(mmap.mmap(-1, size, tagname=name), handle, None)
        if kind != "fd":
            raise ValueError(f"{handle!r} is not a handle of shared memory")
        descriptor = int(name)
        mapped = mmap.mmap(descriptor, size)
        os.close(descriptor)
        return cls(mapped, handle, None)

    def release(self) -> None:
        """Keep the memory, but prevent further processes from attaching it."""
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None

    def close(self) -> None:
        """Close the memory; it is freed when the other process has closed it, too."""
        self.map.close()
        self.release()


class Cell:
    """A number that one process writes and another reads, at `offset` of a segment.

    Parameters
    ----------
    offset : int
        A multiple of 8.
    """

    SIZE = 16

    def __init__(self, segment: Segment, offset: int) -> None:
        self._map = segment.map
        self._offset = offset
        self._last = 0.0

    def write(self, number: float) -> None:
        """Write a number twice, so that a partial write is detected."""
        _NUMBER.pack_into(self._map, self._offset, number)
        _NUMBER.pack_into(self._map, self._offset + 8, number)

    def read(self) -> float:
        """Return the number; 0 if none was written."""
        second = _NUMBER.unpack_from(self._map, self._offset + 8)
        if second == _NUMBER.unpack_from(self._map, self._offset):
            self._last = second[0]
        return self._last


class LatestRecord:
    """The latest record of one writing process; earlier ones are discarded.

    Parameters
    ----------
    offset : int
        A multiple of 8.
    capacity : int
        Bytes of the longest record.
    """

    def __init__(self, segment: Segment, offset: int, capacity: int) -> None:
        self._map = segment.map
        self._offset = offset
        self.capacity = capacity
        self._slot = _HEAD.size + _padded(capacity)
        self._number = 0
        self._record = b""

    @staticmethod
    def size(capacity: int) -> int:
        """Return the bytes that it needs in a segment."""
        return _WORD.size + _SLOTS * (_HEAD.size + _padded(capacity))

    def write(self, record: bytes) -> None:
        """Make `record` the latest one; raises `ValueError` if it is longer than the capacity."""
        if len(record) > self.capacity:
            raise ValueError(f"a record of {len(record)} bytes does not fit into {self.capacity}")
        number = self._number + 1
        at = self._at(number)
        _HEAD.pack_into(self._map, at, 0, 0, 0)
        self._map[at + _HEAD.size : at + _HEAD.size + len(record)] = record
        _HEAD.pack_into(self._map, at, number, len(record), _checksum(number, record))
        _WORD.pack_into(self._map, self._offset, number)
        self._number = number

    def read(self) -> tuple[int, bytes]:
        """Return number and bytes of the latest record, which may be the same as before; 0 and b"" before the first."""
        for _ in range(_TRIES):
            number: int = _WORD.unpack_from(self._map, self._offset)[0]
            if number == self._number:
                break
            at = self._at(number)
            written, length, checksum = _HEAD.unpack_from(self._map, at)
            if written != number or length > self.capacity:
                continue  # overtaken by the writer: there is a newer one
            record = self._map[at + _HEAD.size : at + _HEAD.size + length]
            if checksum == _checksum(number, record):
                self._number = number
                self._record = record
                break
        return self._number, self._record

    def _at(self, number: int) -> int:
        return self._offset + _WORD.size + (number % _SLOTS) * self._slot


class Ring:
    """Records of any length in the order in which one process writes them; another reads them.

    The writer never waits: if space is needed, unread records are lost, the oldest first, and
    counted.

    Parameters
    ----------
    offset : int
        A multiple of 8.
    capacity : int
        Bytes of all stored records; a record may use at most half of it.

    Attributes
    ----------
    lost : int
        Number of records that were overwritten before they were read.
    """

    def __init__(self, segment: Segment, offset: int, capacity: int) -> None:
        self._map, self._offset, self.capacity = segment.map, offset, _padded(capacity)
        self._data = offset + 2 * _WORD.size
        self._written = 0  # bytes, since the begin
        self._count = 0
        self._begins: deque[int] = deque()  # starts of the remaining records
        self._read_position = 0  # bytes, since the begin
        self._expected = 1
        self.lost = 0

    @staticmethod
    def size(capacity: int) -> int:
        """Return the bytes that it needs in a segment."""
        return 2 * _WORD.size + _padded(capacity)

    def fits(self, length: int) -> bool:
        """Return whether a record of `length` bytes can be written."""
        return _HEAD.size + _padded(length) <= self.capacity // 2

    def write(self, record: bytes) -> None:
        """Append a record; raises `ValueError` if it does not fit."""
        if not self.fits(len(record)):
            raise ValueError(
                f"a record of {len(record)} bytes does not fit into a ring of {self.capacity}"
            )
        size = _HEAD.size + _padded(len(record))
        oldest = self._begins[0] if self._begins else self._written
        while self._begins and self._written + size - oldest > self.capacity:
            self._begins.popleft()
            oldest = self._begins[0] if self._begins else self._written
        # Published before their first byte is overwritten: a reader checks this after copying.
        _WORD.pack_into(self._map, self._offset + _WORD.size, oldest)
        self._count += 1
        head = _HEAD.pack(self._count, len(record), _checksum(self._count, record))
        self._put(self._written, head + record)
        self._begins.append(self._written)
        self._written += size
        _WORD.pack_into(self._map, self._offset, self._written)

    def read(self, at_most: int = 1_000_000) -> list[bytes]:
        """Return the records since the last call."""
        records: list[bytes] = []
        end: int = _WORD.unpack_from(self._map, self._offset)[0]
        while self._read_position < end and len(records) < at_most:
            number, length, checksum = _HEAD.unpack(self._get(self._read_position, _HEAD.size))
            record = (
                self._get(self._read_position + _HEAD.size, length)
                if length <= self.capacity
                else b""
            )
            oldest: int = _WORD.unpack_from(self._map, self._offset + _WORD.size)[0]
            if self._read_position < oldest:
                self._read_position = oldest
                continue
            if checksum != _checksum(number, record):
                break  # a part is not yet visible to this processor
            self.lost += number - self._expected
            self._expected = number + 1
            self._read_position += _HEAD.size + _padded(length)
            records.append(record)
        return records

    def _put(self, position: int, record: bytes) -> None:
        begin = position % self.capacity
        first = record[: self.capacity - begin]
        self._map[self._data + begin : self._data + begin + len(first)] = first
        rest = record[len(first) :]
        self._map[self._data : self._data + len(rest)] = rest

    def _get(self, position: int, length: int) -> bytes:
        begin = position % self.capacity
        first = self._map[self._data + begin : self._data + min(begin + length, self.capacity)]
        return first + self._map[self._data : self._data + length - len(first)]


def _padded(length: int) -> int:
    return -(-length // 8) * 8


def _checksum(number: int, record: bytes) -> int:
    return zlib.crc32(record, number & 0xFFFFFFFF)
