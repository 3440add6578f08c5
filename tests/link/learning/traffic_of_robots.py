"""Traffic of fictitious robots with a known layout, to test learning."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

import numpy as np

from snakestudio.link.frame import Frame
from snakestudio.link.learning.motion import Cue
from snakestudio.link.profile.checksums import CHECKSUMS

Pack = Callable[[int, float, int], bytes]
"""Data of a frame, from the node, the angle of its joint in degrees and the number of the frame."""


def hand(
    cue: Cue, seed: int = 0, delay: float = 0.15, amplitude: float = 0.85
) -> Callable[[float], float]:
    """Return the angles of a hand that follows a cue with lag, too small an amplitude and some noise, rad."""
    rng = np.random.default_rng(seed)
    at = np.linspace(cue.begin - 1, cue.end + 2, 40)
    wobble = rng.normal(0.0, 0.06 * cue.amplitude, len(at))

    def angle(time: float) -> float:
        inside = cue.begin <= time - delay <= cue.end
        return float(
            amplitude * cue.angle(time - delay) + (np.interp(time, at, wobble) if inside else 0.0)
        )

    return angle


def frames_of(
    nodes: Sequence[int],
    id_of: Callable[[int], int],
    pack: Pack,
    begin: float,
    end: float,
    period: float,
    angle: Callable[[int, float], float],
    seed: int = 1,
) -> list[Frame]:
    """Return frames that every node sends once per period, with a jitter of a fiftieth of a period.

    `angle` returns the angle of a node's joint at a time, degrees.
    """
    rng = np.random.default_rng(seed)
    frames = []
    for number in range(int((end - begin) / period)):
        for index, node in enumerate(nodes):
            time = begin + (number + index / len(nodes)) * period + rng.uniform(0, 0.02 * period)
            frames.append(Frame(id_of(node), pack(node, angle(node, time), number), time=time))
    return sorted(frames, key=lambda frame: frame.time)


def little_endian(node: int, degrees: float, number: int) -> bytes:
    """Hundredths of a degree, 16 bit from byte 2; a noisy current in bytes 4 and 5; a counter; a checksum."""
    rng = np.random.default_rng([node, number])
    current = int(rng.integers(-300, 300))
    body = (
        bytes([0x40 | node, 0])
        + struct.pack("<hh", round(100 * degrees), current)
        + bytes([number & 0xFF])
    )
    return body + bytes([CHECKSUMS["crc8_j1850"](body)])
