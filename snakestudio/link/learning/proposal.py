"""Proposal from recorded traffic: the messages, the quantities that they carry, and the confidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snakestudio.link.frame import Frame
from snakestudio.link.learning.angles import AngleFinding, find_angles
from snakestudio.link.learning.families import Family, find_families
from snakestudio.link.learning.guards import Guard, find_checksum, find_counters
from snakestudio.link.learning.streams import Stream, sort_streams
from snakestudio.link.profile.schema import AxisKind

_MOST_MOVED = 4
"""Most streams in which the motion of one joint may appear; with more, it is not the joint's."""


@dataclass(frozen=True, slots=True)
class Move:
    """One axis that was moved while frames were recorded."""

    joint: int
    """Number of the joint, from 1."""

    axis: AxisKind
    frames: tuple[Frame, ...]
    """All frames on the bus during the motion."""

    motion: Callable[[ArrayLike], NDArray[np.float64]]
    """Requested angle of the joint at given times, rad."""

    begin: float
    """Begin of the motion, s."""

    end: float
    """End of the motion, s."""

    exact: bool = False
    """Whether the robot moved the joint, so that the amplitude is known."""


@dataclass(frozen=True, slots=True)
class FoundAngle:
    """The angle of an axis in a message of a node."""

    joint: int
    axis: AxisKind
    node: int
    finding: AngleFinding


@dataclass(frozen=True, slots=True, eq=False)
class FoundMessage:
    """A message on the bus, from one or more nodes."""

    family: Family
    role: Literal["feedback", "heartbeat", ""]
    """Role; "" if there is no evidence for either."""

    guards: tuple[Guard, ...]
    """Counters, and at most one checksum."""

    angles: tuple[FoundAngle, ...]
    changing: tuple[int, ...]
    """Bytes that are not constant."""

    confidence: float
    """Confidence in the role, 0 to 1."""

    reason: str


def propose(quiet: Sequence[Frame], moves: Sequence[Move] = ()) -> list[FoundMessage]:
    """Return the proposed messages, sorted by id.

    Parameters
    ----------
    quiet : sequence of Frame
        Frames recorded without motion.
    moves : sequence of Move
        Recordings with one moved axis each.
    """
    everything = [*quiet, *(frame for move in moves for frame in move.frames)]
    families = find_families(sort_streams(everything))
    still = {stream.key: stream for stream in sort_streams(quiet)}
    places = {
        stream.key: (f, n)
        for f, family in enumerate(families)
        for n, stream in enumerate(family.streams)
    }
    angles: list[list[FoundAngle]] = [[] for _ in families]
    for move in moves:
        for finding in _follow(move, still):
            if finding.key in places:
                f, n = places[finding.key]
                node = families[f].nodes[n] if families[f].nodes else 0
                angles[f].append(FoundAngle(move.joint, move.axis, node, finding))
    return [_message(family, tuple(of), still) for family, of in zip(families, angles, strict=True)]


def _follow(move: Move, still: dict[tuple[int, bool], Stream]) -> list[AngleFinding]:
    """Return the best field of each stream that follows a move; none if too many streams do."""
    angles: list[AngleFinding] = []
    for stream in sort_streams(move.frames):
        best = find_angles(
            stream,
            move.motion,
            move.begin,
            move.end,
            quiet=still.get(stream.key),
            exact=move.exact,
            most=1,
        )
        angles += [finding for finding in best if finding.confidence > 0.3]
    angles.sort(key=lambda finding: -finding.confidence)
    return [] if len(angles) > _MOST_MOVED else angles


def _message(
    family: Family, angles: tuple[FoundAngle, ...], still: Mapping[tuple[int, bool], Stream]
) -> FoundMessage:
    changing = tuple(sorted({byte for stream in family.streams for byte in stream.changing_bytes}))
    guards = _guards(family)
    guarded = {bit // 8 for guard in guards for bit in guard.field.places}
    period = family.period
    periodic = sum(stream.is_periodic for stream in family.streams) / len(family.streams)
    interval = f"every {1000 * period:.0f} ms" if period > 0 else "irregularly"
    many = f" from {len(family.streams)} nodes" if len(family.streams) > 1 else ""
    if angles:
        best = max(angles, key=lambda angle: angle.finding.confidence)
        reason = f"Joint {best.joint} {best.axis}: {best.finding.reason}"
        return FoundMessage(
            family, "feedback", guards, angles, changing, best.finding.confidence, reason
        )
    # Heartbeats are recognized in frames without motion, because status and temperature change with
    # the torque.
    calm = [still.get(stream.key, stream) for stream in family.streams]
    restless = {byte for stream in calm for byte in stream.changing_bytes} - guarded
    if period >= 0.04 and periodic >= 0.5 and not restless:
        reason = f"Sent {interval}{many}, only as a sign of life"
        return FoundMessage(family, "heartbeat", guards, (), changing, 0.8 * periodic, reason)
    if period >= 0.04 and periodic >= 0.5 and len(restless) == 1 and _rarely(calm):
        reason = f"Sent {interval}{many}; one of its bytes changes rarely, like a status"
        return FoundMessage(family, "heartbeat", guards, (), changing, 0.6 * periodic, reason)
    what = f"{len(changing)} of {family.length} bytes change" if family.length else "no data"
    return FoundMessage(family, "", guards, (), changing, 0.0, f"Sent {interval}{many}; {what}")


def _rarely(streams: Sequence[Stream]) -> bool:
    return all(stream.flips.max(initial=0.0) < 0.05 for stream in streams)


def _guards(family: Family) -> tuple[Guard, ...]:
    """Return the counters and the checksum that most nodes of a family have in common."""
    votes: dict[object, list[Guard]] = {}
    for stream in family.streams:
        check = find_checksum(stream)
        candidates = [*find_counters(stream), *([check] if check is not None else [])]
        for guard in candidates:
            votes.setdefault((guard.kind, guard.field, guard.algorithm), []).append(guard)
    guards = [
        max(same, key=lambda guard: guard.confidence)
        for same in votes.values()
        if 2 * len(same) > len(family.streams)
    ]
    sums = sorted(
        (guard for guard in guards if guard.kind == "checksum"), key=lambda guard: -guard.confidence
    )[:1]
    taken = {bit for guard in sums for bit in guard.field.places}
    counters = [
        guard
        for guard in guards
        if guard.kind == "counter" and taken.isdisjoint(guard.field.places)
    ]
    return (*counters, *sums)
