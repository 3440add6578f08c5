"""The wires between emulated nodes and the bus: where frames get lost, late, damaged or too many."""

from __future__ import annotations

import heapq
from dataclasses import replace

import numpy as np

from snakestudio.link.emulator.fault import FaultKind
from snakestudio.link.frame import Frame

__all__ = ["Wire"]

_LATE_S = (0.05, 0.25)
_CORRUPT_SHARE = 0.3
_BABBLE_HZ = 2000.0
_BABBLE_BURST = 200
"""Frames that a babbling node sends at once at most, however long nobody looked."""


class Wire:
    """What becomes of the frames that nodes send.

    Parameters
    ----------
    rng : numpy.random.Generator

    Attributes
    ----------
    faults : dict of int to set of str
        Faults of every node that has some.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.faults: dict[int, set[FaultKind]] = {}
        self._rng = rng
        self._late: list[tuple[float, int, Frame]] = []
        self._count = 0
        self._last: dict[int, Frame] = {}
        self._babbled: dict[int, float] = {}

    def has(self, node: int, kind: FaultKind) -> bool:
        """Whether a node has a fault."""
        return kind in self.faults.get(node, ())

    def deaf(self, node: int) -> bool:
        """Whether a node hears nothing."""
        return self.has(node, "bus-off")

    def send(self, node: int, frames: list[Frame], now: float) -> list[Frame]:
        """What of a node's frames gets onto the bus at once."""
        if frames:
            self._last[node] = frames[-1]
        faults = self.faults.get(node)
        if not faults:
            return frames
        if "bus-off" in faults:
            return []
        if "corrupt" in faults:
            frames = [self._damaged(frame) if self._rng.random() < _CORRUPT_SHARE else frame for frame in frames]
        if "late" in faults:
            for frame in frames:
                self._count += 1
                heapq.heappush(self._late, (now + self._rng.uniform(*_LATE_S), self._count, frame))
            frames = []
        if "babble" in faults:
            frames = frames + self._babble(node, now)
        return frames

    def arrived(self, now: float) -> list[Frame]:
        """Late frames whose time has come."""
        frames = []
        while self._late and self._late[0][0] <= now:
            frames.append(heapq.heappop(self._late)[2])
        return frames

    @property
    def due(self) -> float:
        """When it has something to send by itself."""
        late = self._late[0][0] if self._late else np.inf
        return min([late, *(since + 0.005 for since in self._babbled.values())])

    def clear(self) -> None:
        """Mend everything."""
        self.faults.clear()
        self._babbled.clear()

    def _babble(self, node: int, now: float) -> list[Frame]:
        since = self._babbled.setdefault(node, now)
        frame = self._last.get(node)
        count = min(int((now - since) * _BABBLE_HZ), _BABBLE_BURST)
        if count:
            self._babbled[node] = now if count == _BABBLE_BURST else since + count / _BABBLE_HZ
        return [frame] * count if frame is not None else []

    def _damaged(self, frame: Frame) -> Frame:
        data = bytearray(frame.data)
        if not data:
            return frame
        if self._rng.random() < 0.3:
            return replace(frame, data=bytes(data[: self._rng.integers(0, len(data))]))
        for _ in range(int(self._rng.integers(1, 4))):
            data[self._rng.integers(0, len(data))] ^= 1 << int(self._rng.integers(0, 8))
        return replace(frame, data=bytes(data))
