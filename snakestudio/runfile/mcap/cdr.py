"""Batch encoding of messages with the same layout: a byte template with number fields, filled by numpy.

CDR is the message encoding of ROS 2: little-endian numbers, each aligned to its size counted from the
end of a four-byte header; strings and sequences follow their length. If strings and lengths are the
same in all messages of a topic, every number has a fixed offset, and a thousand messages are one
structured array.
"""

from __future__ import annotations

import struct
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEADER = b"\x00\x01\x00\x00"
"""Encapsulation: plain CDR, little-endian."""

MESSAGE_HEAD = struct.Struct("<BQHIQQ")
"""Head of an MCAP message record: opcode, length, channel, sequence, times of logging and
publishing."""

_MESSAGE = 0x05
_HEAD_FIELDS = {
    "sequence": ("<u4", 11),
    "log_time": ("<u8", 15),
    "publish_time": ("<u8", 23),
}


def align(offset: int, size: int) -> int:
    """`offset` (from behind the encapsulation header) raised to a multiple of `size`."""
    return -(-offset // size) * size


class Template:
    """A message whose numbers are set later; every method adds one field at the end.

    No fields can be added after the first call of `records`.
    """

    def __init__(self) -> None:
        self._body = bytearray()
        self._fields: dict[str, tuple[np.dtype[Any], int]] = {}
        self._stamps: list[str] = []

    def number(self, name: str, kind: str, shape: tuple[int, ...] = ()) -> None:
        """Add a number, or an array of constant length, of a numpy type such as ``<f8``."""
        dtype = np.dtype((kind, shape)) if shape else np.dtype(kind)
        self._pad(np.dtype(kind).itemsize)
        self._fields[name] = (dtype, len(self._body))
        self._body.extend(bytes(dtype.itemsize))

    def length(self, count: int) -> None:
        """Add the length of a sequence that follows."""
        self._pad(4)
        self._body.extend(struct.pack("<I", count))

    def numbers(self, name: str, count: int) -> None:
        """Add a sequence of `count` double-precision numbers."""
        self.length(count)
        if count:
            self.number(name, "<f8", (count,))

    def byte(self, value: int) -> None:
        """Add a byte that is the same in all messages."""
        self._body.append(value)

    def text(self, value: str) -> None:
        """Add a string that is the same in all messages."""
        data = value.encode() + b"\0"
        self.length(len(data))
        self._body.extend(data)

    def stamp(self, name: str) -> None:
        """Add a `builtin_interfaces/Time`, see `stamped`."""
        self.number(name, "<u4", (2,))
        self._stamps.append(name)

    def _pad(self, size: int) -> None:
        self._body.extend(bytes(align(len(self._body), size) - len(self._body)))

    def records(self, channel: int, time: NDArray[Any], first: int = 0) -> NDArray[Any]:
        """Return one MCAP message record per time (ns), as a structured array with empty number fields.

        Time stamps are set; messages are numbered from `first`.
        """
        dtype = self._layout
        head = MESSAGE_HEAD.pack(_MESSAGE, dtype.itemsize - 9, channel, 0, 0, 0)
        raw = np.empty((len(time), dtype.itemsize), np.uint8)
        raw[:] = np.frombuffer(head + HEADER + bytes(self._body), np.uint8)
        records: NDArray[Any] = raw.view(dtype)[:, 0]
        records["sequence"] = np.arange(first, first + len(time))
        records["log_time"] = records["publish_time"] = time
        stamps = np.stack(np.divmod(time, 1_000_000_000), axis=1)
        for name in self._stamps:
            records[name] = stamps
        return records

    @cached_property
    def _layout(self) -> np.dtype[Any]:
        """Numpy type of a record."""
        origin = MESSAGE_HEAD.size + len(HEADER)
        places = {name: (np.dtype(kind), offset) for name, (kind, offset) in _HEAD_FIELDS.items()}
        places |= {name: (dtype, origin + offset) for name, (dtype, offset) in self._fields.items()}
        return np.dtype(
            {
                "names": list(places),
                "formats": [kind for kind, _ in places.values()],
                "offsets": [offset for _, offset in places.values()],
                "itemsize": origin + len(self._body),
            }
        )
