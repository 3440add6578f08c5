"""Format of live poses over UDP, from a motion-capture system or the emulated robot.

A datagram contains one instant as JSON text in UTF-8::

    {
        "pose": 1,
        "sequence": 17,
        "time_s": 3.25,
        "bodies": [{"link": 1, "position_m": [0.1, 0.2, 0.05], "quaternion_wxyz": [1, 0, 0, 0]}],
    }

`pose` is the version of the format. `time_s` is on the sender's clock; only differences are used.
`link` counts from 1; position and orientation are those of the link's centre of gravity, with x
along the link to the next one, and z up when it lies flat. A body that is not seen at that instant
is omitted. `sequence` increases by one with each datagram.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

PORT = 22350
"""Default UDP port of poses."""

_VERSION = 1
_LARGEST = 65_507


@dataclass(frozen=True, slots=True)
class BodyPose:
    """Pose of one link."""

    link: int
    """0-based."""

    position: tuple[float, float, float]
    """Position, m, world frame."""

    quaternion: tuple[float, float, float, float]
    """Unit quaternion w x y z."""


@dataclass(frozen=True, slots=True)
class PosePacket:
    """One instant of a pose stream."""

    sequence: int
    time: float
    """Time on the sender's clock, s."""

    bodies: tuple[BodyPose, ...]


def pack(packet: PosePacket) -> bytes:
    """Return the datagram of a packet."""
    bodies = [
        {
            "link": body.link + 1,
            "position_m": list(body.position),
            "quaternion_wxyz": list(body.quaternion),
        }
        for body in packet.bodies
    ]
    values = {
        "pose": _VERSION,
        "sequence": packet.sequence,
        "time_s": packet.time,
        "bodies": bodies,
    }
    return json.dumps(values, separators=(",", ":")).encode()


def unpack(datagram: bytes) -> PosePacket:
    """Return the packet of a datagram, with normalised quaternions.

    Raises `ValueError` with the reason if it is not a packet.
    """
    if len(datagram) > _LARGEST:
        raise ValueError("it is longer than a datagram can be")
    try:
        values = json.loads(datagram)
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON text") from None
    if not isinstance(values, dict) or values.get("pose") != _VERSION:
        raise ValueError(f'it does not begin with "pose": {_VERSION}')
    sequence = values.get("sequence", 0)
    bodies = values.get("bodies")
    if not isinstance(sequence, int) or isinstance(sequence, bool):
        raise ValueError("the sequence number is not an integer")
    if not isinstance(bodies, list):
        raise ValueError("it has no list of bodies")
    poses = tuple(_body(body) for body in bodies)
    if len({pose.link for pose in poses}) < len(poses):
        raise ValueError("it names a link twice")
    return PosePacket(sequence, _number(values.get("time_s"), "time_s"), poses)


def _body(values: Any) -> BodyPose:
    if not isinstance(values, dict):
        raise ValueError("a body is not an object")
    link = values.get("link")
    if not isinstance(link, int) or isinstance(link, bool) or not 1 <= link <= 100_000:
        raise ValueError("a body's link is not a whole number from 1")
    x, y, z = _numbers(values.get("position_m"), 3, "position_m")
    quaternion = _numbers(values.get("quaternion_wxyz"), 4, "quaternion_wxyz")
    norm = math.sqrt(sum(q * q for q in quaternion))
    if not 0.5 <= norm <= 2.0:
        raise ValueError("a body's quaternion_wxyz is far from unit length")
    w, i, j, k = (q / norm for q in quaternion)
    return BodyPose(link - 1, (x, y, z), (w, i, j, k))


def _numbers(values: Any, count: int, name: str) -> list[float]:
    if not isinstance(values, list) or len(values) != count:
        raise ValueError(f"a body's {name} is not a list of {count} numbers")
    return [_number(each, name) for each in values]


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{name} is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or abs(number) > 1e9:
        raise ValueError(f"{name} is not a finite number of plausible size")
    return number
