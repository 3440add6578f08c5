"""Messages that each node sends with a separate id: ids at equal distances, and their formula."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from snakestudio.link.learning.streams import Stream

_FEWEST = 3
_ALIKE = 1.4
_LARGEST_STRIDE = 0x400


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """One message from all nodes that send it."""

    streams: tuple[Stream, ...]
    """Streams sorted by id."""

    nodes: tuple[int, ...] = ()
    """Number of the node of each stream."""

    formula: str = ""
    """Formula of the id in `node`; "" for a message with a single id."""

    @property
    def length(self) -> int:
        """Length of a frame, bytes."""
        return self.streams[0].length

    @property
    def period(self) -> float:
        """Typical time between two frames of a node, s; NaN if unknown."""
        known = sorted(stream.period for stream in self.streams if math.isfinite(stream.period))
        return known[len(known) // 2] if known else math.nan

    def name(self) -> str:
        """Return the ids in hexadecimal."""
        first = self.streams[0].name()
        last = self.streams[-1].name()
        return first if len(self.streams) == 1 else f"{first} to {last}"


def find_families(streams: Sequence[Stream]) -> list[Family]:
    """Return the streams grouped into families: equal length, similar period, ids at a constant distance.

    A family has at least three ids, and single nodes may be missing. The longest row of ids has
    priority, then the shorter distance. Other streams form single families.
    """
    left = list(streams)
    families: list[Family] = []
    while True:
        best = max(_rows(left), key=lambda row: (len(row[1]), -row[0]), default=None)
        if best is None:
            break
        stride, members = best
        nodes, formula = _numbering([stream.id for stream in members], stride)
        families.append(Family(tuple(members), nodes, formula))
        taken = {stream.key for stream in members}
        left = [stream for stream in left if stream.key not in taken]
    families += [Family((stream,)) for stream in left]
    return sorted(families, key=lambda family: (family.streams[0].extended, family.streams[0].id))


def _rows(streams: Sequence[Stream]) -> list[tuple[int, list[Stream]]]:
    """Return rows of at least three similar streams with ids one distance apart, or two where one is missing."""
    rows: list[tuple[int, list[Stream]]] = []
    for group in _alike(streams):
        by_id = {stream.id: stream for stream in group}
        ids = sorted(by_id)
        strides = {
            b - a
            for i, a in enumerate(ids)
            for b in ids[i + 1 : i + 40]
            if b - a <= _LARGEST_STRIDE
        }
        for stride in strides:
            for first in ids:
                if first - stride in by_id or first - 2 * stride in by_id:
                    continue  # part of a row that begins earlier
                row = [first]
                while (row[-1] + stride in by_id) or (
                    len(row) > 1 and row[-1] + 2 * stride in by_id
                ):
                    row.append(
                        row[-1] + stride if row[-1] + stride in by_id else row[-1] + 2 * stride
                    )
                if len(row) >= _FEWEST:
                    rows.append((stride, [by_id[i] for i in row]))
    return rows


def _alike(streams: Sequence[Stream]) -> list[list[Stream]]:
    groups: list[list[Stream]] = []
    for stream in streams:
        for group in groups:
            other = group[0]
            same = other.extended == stream.extended and other.length == stream.length
            if same and _near(other.period, stream.period):
                group.append(stream)
                break
        else:
            groups.append([stream])
    return groups


def _near(a: float, b: float) -> bool:
    if not (math.isfinite(a) and math.isfinite(b)):
        return math.isfinite(a) == math.isfinite(b)
    return max(a, b) <= _ALIKE * max(min(a, b), 1e-6)


def _numbering(ids: Sequence[int], stride: int) -> tuple[tuple[int, ...], str]:
    """Return the node numbers, and the formula of their ids in the usual notation."""
    if stride == 1:
        # CANopen and most other protocols add the node to a round number.
        block = next(
            b
            for b in (16, 32, 64, 128, 256, 512, 1024, 2048, 1 << 29)
            if ids[0] // b == ids[-1] // b
        )
        base = ids[0] // block * block
        return tuple(i - base for i in ids), f"0x{base:X} + node"
    if stride >= 8 and stride & (stride - 1) == 0:
        shift = stride.bit_length() - 1
        rest = ids[0] & (stride - 1)
        return tuple(
            i >> shift for i in ids
        ), f"node << {shift} | 0x{rest:02X}" if rest else f"node << {shift}"
    base = ids[0] - stride if ids[0] >= stride else ids[0]
    return tuple((i - base) // stride for i in ids), f"0x{base:X} + {stride} * node"
