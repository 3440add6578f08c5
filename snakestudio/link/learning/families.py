"""Messages that every node sends under an id of its own: ids at equal distances, and the formula behind them."""

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
    """One message, from every node that sends it."""

    streams: tuple[Stream, ...]
    """By id."""

    nodes: tuple[int, ...] = ()
    """Number of each one's node."""

    formula: str = ""
    """Of the id in `node`; "" if it is one message of one id."""

    @property
    def length(self) -> int:
        """Bytes of a frame."""
        return self.streams[0].length

    @property
    def period(self) -> float:
        """Typical time between two frames of a node, s; NaN if nobody knows."""
        known = sorted(stream.period for stream in self.streams if math.isfinite(stream.period))
        return known[len(known) // 2] if known else math.nan

    def name(self) -> str:
        """Its ids as people write them."""
        first = self.streams[0].name()
        last = self.streams[-1].name()
        return first if len(self.streams) == 1 else f"{first} to {last}"


def find_families(streams: Sequence[Stream]) -> list[Family]:
    """The streams joined to families: equal length, about equal period, ids at a constant distance.

    At least three ids make a family, a node may be missing between two; the longest row of ids
    wins, then the shorter distance. What fits nowhere stands alone.
    """
    left = list(streams)
    found: list[Family] = []
    while True:
        best = max(_rows(left), key=lambda row: (len(row[1]), -row[0]), default=None)
        if best is None:
            break
        stride, members = best
        nodes, formula = _numbering([stream.id for stream in members], stride)
        found.append(Family(tuple(members), nodes, formula))
        taken = {stream.key for stream in members}
        left = [stream for stream in left if stream.key not in taken]
    found += [Family((stream,)) for stream in left]
    return sorted(found, key=lambda family: (family.streams[0].extended, family.streams[0].id))


def _rows(streams: Sequence[Stream]) -> list[tuple[int, list[Stream]]]:
    """Rows of at least three alike streams whose ids are one distance apart, or twice that where one is missing."""
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
                    continue  # it stands inside a row that begins earlier
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
    """Numbers of nodes, and the formula that gives their ids, written as protocols write it."""
    if stride == 1:
        # CANopen and most others add the node to a round number.
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
