"""Counters and checksums in the frames of an unknown robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from snakestudio.link.learning.fields import BitField, read_field
from snakestudio.link.learning.streams import Stream
from snakestudio.link.profile.checksums import CHECKSUMS

_FEWEST = 12
_SHARE = 0.95
_WEAK = 0.6


@dataclass(frozen=True, slots=True)
class Guard:
    """A counter or a checksum."""

    kind: Literal["counter", "checksum"]
    field: BitField
    confidence: float
    """0 to 1."""

    reason: str
    """Evidence, for users."""

    algorithm: str = ""
    """Name of the checksum algorithm in profiles."""


def find_counters(stream: Stream) -> list[Guard]:
    """Return half bytes, bytes and pairs of bytes that count up by one from frame to frame.

    A field is widened if it carries into the bits above it, so that half a counter is not mistaken
    for a counter.
    """
    n = stream.count
    if n < _FEWEST:
        return []
    guards: list[Guard] = []
    taken: set[int] = set()
    for first in range(0, 8 * stream.length, 4):
        if first in taken:
            continue
        best: tuple[BitField, float] | None = None
        for field in _widening(first, 8 * stream.length):
            fraction = _counts(stream, field)
            if fraction < _SHARE:
                continue
            if best is None:
                best = field, fraction
            else:  # wider only if bits above the narrower field changed, which the carry explains
                added = set(field.places) - set(best[0].places)
                if any(stream.flips[index] > 0 for index in added):
                    best = field, fraction
        if best is not None:
            field, fraction = best
            taken.update(field.places)
            confidence = fraction * min(1.0, n / 30)
            guards.append(
                Guard(
                    "counter",
                    field,
                    confidence,
                    f"counts up by one in {fraction:.0%} of {n} frames",
                )
            )
    return guards


def _widening(first: int, bits: int) -> list[BitField]:
    fields = [BitField(first, 4)]
    if first % 8 == 0:
        fields += [BitField(first, 8)]
        if first + 16 <= bits:
            fields.append(BitField(first, 16))
        if first >= 8:  # the lower byte of a big-endian counter follows the upper one
            fields.append(BitField(first - 8, 16, big_endian=True))
    return fields


def _counts(stream: Stream, field: BitField) -> float:
    values = read_field(stream, field)
    return float(np.mean(np.mod(np.diff(values), 2.0**field.width) == 1.0))


def find_checksum(stream: Stream) -> Guard | None:
    """Return the byte that is a known checksum of the others, if there is one.

    XOR and sum match easily while little changes: their confidence is halved with fewer than two
    other changing bytes.
    """
    if stream.length < 2:
        return None
    payloads = np.unique(stream.data, axis=0)
    if len(payloads) < _FEWEST:
        return None
    sample = payloads[:: max(1, len(payloads) // 200)]
    guards: list[Guard] = []
    for index in sorted(stream.changing_bytes, key=lambda i: (i not in (stream.length - 1, 0), -i)):
        if len(np.unique(sample[:, index])) < 4:
            continue
        others = len([byte for byte in stream.changing_bytes if byte != index])
        for algorithm, check in CHECKSUMS.items():
            hits = sum(
                check(bytes(np.delete(payload, index))) == int(payload[index]) for payload in sample
            )
            fraction = hits / len(sample)
            if fraction >= _SHARE:
                plain = algorithm in ("xor8", "sum8")
                confidence = (
                    fraction * min(1.0, len(sample) / 20) * (_WEAK if plain and others < 2 else 1.0)
                )
                reason = f"matches {algorithm} of the other bytes in {fraction:.0%} of {len(sample)} different frames"
                guards.append(
                    Guard("checksum", BitField(8 * index, 8), confidence, reason, algorithm)
                )
    return max(guards, key=lambda guard: guard.confidence, default=None)
