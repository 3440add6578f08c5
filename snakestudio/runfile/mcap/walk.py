"""Recovery of a run file without its end, record by record: all complete records are used.

A killed program leaves a file that ends anywhere; after a power loss zeros can follow. The walk reads
only the headers of records and the first bytes of blocks, so that it takes a small fraction of the time
of reading the run.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from mcap.opcode import Opcode
from numpy.typing import NDArray

from snakestudio.runfile.mcap.chunks import block_head, chunk_content
from snakestudio.runfile.mcap.format import CHANGES, CHECKPOINT, EVENTS, LOG, MAX_BLOCK_BYTES, ROWS
from snakestudio.runfile.mcap.index import Extent, Index

_HEAD = struct.Struct("<BQ")
_LONGEST_NAME = 256


def records(file: BinaryIO, start: int, size: int) -> Iterator[tuple[int, Extent]]:
    """Yield the opcodes and positions of the complete records from `start` on in the first `size` bytes."""
    while start + _HEAD.size <= size:
        file.seek(start)
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size:
            return
        opcode, length = _HEAD.unpack(head)
        extent = Extent(start, _HEAD.size + length)
        start += extent.length
        if opcode == 0 or start > size:
            return
        yield opcode, extent


def walk(file: BinaryIO, start: int, size: int, channels: dict[str, int]) -> Index:
    """Rebuild the index of a file from `start` on.

    Parameters
    ----------
    start : int
        Offset of the first record after the metadata.
    size : int
        Size of the file.
    channels : dict of str to int
        Channel numbers of the topics; new ones are added.
    """
    index = Index()
    times: list[NDArray[np.float64]] = []
    chunk: Extent | None = None
    n_rows = 0

    def add_previous(channel: int | None) -> bool:
        """Add the previous chunk; False if nothing after it can be trusted."""
        nonlocal n_rows
        assert chunk is not None
        noted = {channels[topic] for topic in (CHANGES, EVENTS, LOG) if topic in channels}
        if channel is not None and channel != channels.get(ROWS):
            if channel in noted:
                index.notes.append(chunk)
            return True
        try:
            block_channel, first, of_rows = block_head(file, chunk)
        except ValueError:
            return False
        if block_channel == channels.get(ROWS):
            if first != n_rows or not len(of_rows):
                return False
            index.blocks.append(chunk)
            index.first_rows.append(n_rows)
            times.append(of_rows)
            n_rows += len(of_rows)
        elif block_channel in noted:
            index.notes.append(chunk)
        return True

    for opcode, extent in records(file, start, size):
        if chunk is not None:
            whose = _number(file, extent) if opcode == Opcode.MESSAGE_INDEX else None
            trusted = add_previous(whose)
            chunk = None
            if not trusted:
                break
        if opcode == Opcode.CHUNK:
            chunk = extent
        elif opcode == Opcode.CHANNEL:
            _add_channel(file, extent, channels)
        elif opcode == Opcode.ATTACHMENT:
            time = _checkpoint_time(file, extent)
            if time is not None:
                index.checkpoints.append((time, extent))
        elif opcode == Opcode.DATA_END:
            break
    if chunk is not None:
        add_previous(None)
    while index.blocks and not _sound(file, index.blocks[-1]):
        index.blocks.pop()
        n_rows = index.first_rows.pop()
        times.pop()
    index.times = np.concatenate(times) if times else np.zeros(0)
    return index


def _number(file: BinaryIO, extent: Extent) -> int | None:
    """Return the channel of a message index."""
    file.seek(extent.offset + _HEAD.size)
    data = file.read(2)
    return int.from_bytes(data, "little") if len(data) == 2 else None


def _add_channel(file: BinaryIO, extent: Extent, channels: dict[str, int]) -> None:
    file.seek(extent.offset + _HEAD.size)
    data = file.read(min(extent.length - _HEAD.size, 8 + _LONGEST_NAME))
    if len(data) >= 8:
        number, _, length = struct.unpack_from("<HHI", data)
        channels[data[8 : 8 + length].decode(errors="replace")] = number


def _checkpoint_time(file: BinaryIO, extent: Extent) -> float | None:
    """Return the simulated time (s) of an attachment with a state; None for other attachments."""
    file.seek(extent.offset + _HEAD.size + 16)
    data = file.read(min(extent.length - _HEAD.size - 16, 4 + _LONGEST_NAME))
    if len(data) < 4:
        return None
    (length,) = struct.unpack_from("<I", data)
    name, _, time = data[4 : 4 + length].decode(errors="replace").rpartition(" ")
    try:
        return float(time) if name == CHECKPOINT else None
    except ValueError:
        return None


def _sound(file: BinaryIO, extent: Extent) -> bool:
    if extent.length > MAX_BLOCK_BYTES:
        return False
    file.seek(extent.offset)
    try:
        chunk_content(file.read(extent.length))
    except ValueError:
        return False
    return True
