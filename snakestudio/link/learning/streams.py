"""Frames sorted by id, with their rates and the bits that change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio.link.frame import Frame

_REGULAR = 0.35
_FEWEST = 5


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """All data frames of one id, in the order of reception."""

    id: int
    extended: bool
    time: NDArray[np.float64]
    """s, ascending. Shape (n,)."""

    data: NDArray[np.uint8]
    """Data of the frames with the most common length. Shape (n, length)."""

    other_lengths: int = 0
    """Number of frames of other lengths, which `time` and `data` omit."""

    @property
    def count(self) -> int:
        """Number of frames."""
        return len(self.time)

    @property
    def length(self) -> int:
        """Length of a frame, bytes."""
        return int(self.data.shape[1])

    @property
    def key(self) -> tuple[int, bool]:
        """Id, and whether it has 29 bits."""
        return self.id, self.extended

    @property
    def period(self) -> float:
        """Median time between two frames, s; NaN with fewer than three."""
        return float(np.median(np.diff(self.time))) if self.count > 2 else float("nan")

    @property
    def is_periodic(self) -> bool:
        """Whether the intervals are regular: nine in ten within a third of the median."""
        if self.count < _FEWEST or not self.period > 0:
            return False
        off = np.abs(np.diff(self.time) - self.period)
        return bool(np.quantile(off, 0.9) <= _REGULAR * self.period)

    @property
    def bits(self) -> NDArray[np.uint8]:
        """Return an (n, 8 length) array of bits with index ``8 byte + bit``; bit 0 is the least significant one."""
        return np.unpackbits(self.data, axis=1, bitorder="little")

    @property
    def flips(self) -> NDArray[np.float64]:
        """Return the share of frames in which each bit differs from the frame before, (8 length,)."""
        if self.count < 2:
            return np.zeros(8 * self.length)
        flips: NDArray[np.float64] = np.mean(
            np.diff(self.bits.astype(np.int8), axis=0) != 0, axis=0
        )
        return flips

    @property
    def changing_bytes(self) -> tuple[int, ...]:
        """Return the bytes that are not constant."""
        if not self.count:
            return ()
        return tuple(int(i) for i in np.flatnonzero((self.data != self.data[0]).any(axis=0)))

    def between(self, begin: float, end: float) -> Stream:
        """Return the frames of a time span, s."""
        inside = (self.time >= begin) & (self.time < end)
        return Stream(
            self.id, self.extended, self.time[inside], self.data[inside], self.other_lengths
        )

    def name(self) -> str:
        """Return the Id in hexadecimal."""
        return f"0x{self.id:08X}" if self.extended else f"0x{self.id:03X}"


def sort_streams(frames: Iterable[Frame]) -> list[Stream]:
    """Return the streams of frames with times, sorted by id; error and remote frames are omitted."""
    by_id: dict[tuple[bool, int], list[Frame]] = {}
    for frame in frames:
        if not frame.error and not frame.remote:
            by_id.setdefault((frame.extended, frame.id), []).append(frame)
    return [_stream(same) for _, same in sorted(by_id.items())]


def _stream(frames: Sequence[Frame]) -> Stream:
    length = Counter(len(frame.data) for frame in frames).most_common(1)[0][0]
    usable = sorted(
        (frame for frame in frames if len(frame.data) == length), key=lambda frame: frame.time
    )
    data = np.frombuffer(b"".join(frame.data for frame in usable), np.uint8).reshape(
        len(usable), length
    )
    times = np.array([frame.time for frame in usable])
    return Stream(frames[0].id, frames[0].extended, times, data, len(frames) - len(usable))
