"""Bus load of frames and of a profile's traffic in the worst case, with all bits that stuffing can add."""

from __future__ import annotations

from dataclasses import dataclass

from snakestudio.link.profile.binding import BoundMessage
from snakestudio.link.profile.expected import interval_of
from snakestudio.link.profile.schema import INCOMING, Bus, Message, Profile

_FD_LENGTHS = (12, 16, 20, 24, 32, 48, 64)


@dataclass(frozen=True, slots=True)
class MessageLoad:
    """Share of a message in the bus load."""

    message: Message
    rate: float
    """Frames per second of all nodes together."""

    load: float
    """Share of the bus capacity, 0 to 1."""


def data_length(n_bytes: int, fd: bool) -> int:
    """Return the data length of a frame for a number of bytes: above 8, CAN FD has only certain lengths."""
    if not fd or n_bytes <= 8:
        return n_bytes
    return next((length for length in _FD_LENGTHS if length >= n_bytes), n_bytes)


def frame_time(n_bytes: int, extended: bool, remote: bool, fd: bool, bus: Bus) -> float:
    """Return the longest time of a frame on the bus with the gap after it, s.

    In a classic frame with s data bytes, g + 8 s bits are subject to stuffing (g = 34, or 54 with a
    29-bit id), which in the worst case adds one bit to the first five and one to every four more;
    13 bits, including the gap of 3, are not: ``g + 8 s + 13 + (g + 8 s - 1) // 4`` (Davis, Burns,
    Bril, Lukkien: Controller Area Network (CAN) schedulability analysis, Real-Time Systems 35,
    2007, section 3.1).

    A CAN FD frame (ISO 11898-1:2015) begins at the bit rate of the bus with 17 bits (36 with a
    29-bit id) up to the one that switches rates; then follow 5 bits and the data with the same
    stuffing, the stuff count of 4 and the CRC of 17 bits (21 for more than 16 bytes) with a fixed
    stuff bit before every 4, and then 13 bits at the bit rate of the bus again.
    """
    if not fd:
        stuffed = (54 if extended else 34) + (0 if remote else 8 * n_bytes)
        return (stuffed + 13 + (stuffed - 1) // 4) / bus.bitrate
    n_bytes = data_length(n_bytes, True)
    head = 36 if extended else 17
    body = 5 + 8 * n_bytes
    head_stuff = (head - 1) // 4
    body_stuff = (head + body - 1) // 4 - head_stuff
    check = 4 + (17 if n_bytes <= 16 else 21)
    fast = body + body_stuff + check + -(-check // 4)
    return (head + head_stuff + 13) / bus.bitrate + fast / bus.data_bitrate


def message_loads(profile: Profile, bound: tuple[BoundMessage, ...]) -> tuple[MessageLoad, ...]:
    """Return the bus load of each message while the robot is driven, in the profile's order.

    Commands are omitted because they are rare. Feedback without an interval is assumed at the rate
    of requests of the same message, or else of set-points.
    """
    times = [0.0] * len(profile.messages)
    counts = [0] * len(profile.messages)
    for each in bound:
        fd = profile.bus.fd and each.length > 8
        times[each.index] += frame_time(
            each.length, each.extended, each.message.remote, fd, profile.bus
        )
        counts[each.index] += 1
    shares = []
    for message, time, count in zip(profile.messages, times, counts, strict=True):
        rate = _rate(profile, message)
        shares.append(MessageLoad(message, rate * count, rate * time))
    return tuple(shares)


def _rate(profile: Profile, message: Message) -> float:
    """Return the frames per second of one node."""
    cycle = profile.timing.set_point_rate_hz
    if message.role in ("set_point", "sync"):
        return cycle
    if message.role == "command" or (message.when == "idle" and message.role not in INCOMING):
        return 0.0
    if message.role in INCOMING:
        every = interval_of(profile, message)
        return cycle if every is None else 1.0 / every
    return 0.0 if message.every_s is None else 1.0 / message.every_s


def planned_load(profile: Profile, bound: tuple[BoundMessage, ...]) -> float:
    """Return the bus load of a profile's traffic in the worst case; may be above 1."""
    return sum(message_load.load for message_load in message_loads(profile, bound))
