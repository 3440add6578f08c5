"""Frames sorted by id: how often each comes, and which of its bits change."""

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
    """All data frames of one id, in the order in which they came."""

    id: int
    extended: bool
    time: NDArray[np.float64]
    """s, ascending. Shape (n,)."""

    data: NDArray[np.uint8]
    """Of the length that most frames have. Shape (n, length)."""

    other_lengths: int = 0
    """Frames of another length; these are left out of `time` and `data`."""

    @property
    def count(self) -> int:
        """Number of frames."""
        return len(self.time)

    @property
    def length(self) -> int:
        """Bytes of a frame."""
        return int(self.data.shape[1])

    @property
    def key(self) -> tuple[int, bool]:
        """What tells it from others."""
        return self.id, self.extended

    @property
    def period(self) -> float:
        """Median time between two frames, s; NaN of fewer than three."""
        return float(np.median(np.diff(self.time))) if self.count > 2 else float("nan")

    @property
    def is_periodic(self) -> bool:
        """Whether the frames come at regular intervals: nine in ten within a third of the median."""
        if self.count < _FEWEST or not self.period > 0:
            return False
        off = np.abs(np.diff(self.time) - self.period)
        return bool(np.quantile(off, 0.9) <= _REGULAR * self.period)

    @property
    def bits(self) -> NDArray[np.uint8]:
        """(n, 8 length) array of single bits; number ``8 byte + bit``, bit 0 being the least of its byte."""
        return np.unpackbits(self.data, axis=1, bitorder="little")

    @property
    def flips(self) -> NDArray[np.float64]:
        """(8 length,) array: the share of frames in which each bit is another one than in the frame before."""
        if self.count < 2:
            return np.zeros(8 * self.length)
        flips: NDArray[np.float64] = np.mean(
            np.diff(self.bits.astype(np.int8), axis=0) != 0, axis=0
        )
        return flips

    @property
    def changing_bytes(self) -> tuple[int, ...]:
        """Bytes that are not the same in all frames."""
        if not self.count:
            return ()
        return tuple(int(i) for i in np.flatnonzero((self.data != self.data[0]).any(axis=0)))

    def between(self, begin: float, end: float) -> Stream:
        """The frames of a time span, s."""
        inside = (self.time >= begin) & (self.time < end)
        return Stream(
            self.id, self.extended, self.time[inside], self.data[inside], self.other_lengths
        )

    def name(self) -> str:
        """Its id as people write it."""
        return f"0x{self.id:08X}" if self.extended else f"0x{self.id:03X}"


def sort_streams(frames: Iterable[Frame]) -> list[Stream]:
    """The streams that frames belong to, by id; error and remote frames are left out.

    Parameters
    ----------
    frames : iterable of Frame
        With times.
    """
    by_id: dict[tuple[bool, int], list[Frame]] = {}
    for frame in frames:
        if not frame.error and not frame.remote:
            by_id.setdefault((frame.extended, frame.id), []).append(frame)
    return [_stream(same) for _, same in sorted(by_id.items())]


def _stream(frames: Sequence[Frame]) -> Stream:
    length = Counter(len(frame.data) for frame in frames).most_common(1)[0][0]
    kept = sorted(
        (frame for frame in frames if len(frame.data) == length), key=lambda frame: frame.time
    )
    data = np.frombuffer(b"".join(frame.data for frame in kept), np.uint8).reshape(
        len(kept), length
    )
    times = np.array([frame.time for frame in kept])
    return Stream(frames[0].id, frames[0].extended, times, data, len(frames) - len(kept))
