"""Tracked poses of a live robot: the protocol of pose sources, and the filter of their packets.

`BodyTracker` is the part without a socket: it checks the order of packets, counts lost, duplicate
and late ones, rejects jumps, and describes problems. It stores the newest pose of every link with
the time of its reception.

**Jumps.** A body that moves by more than `JUMP` + `FASTEST` times the time since its last pose is
rejected. Usually two markers were confused, and the next packet is right again. A body that stays
at the new position for `MOVED_S` is accepted: the robot was carried.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.link.pose_packet import BodyPose, PosePacket

JUMP = 0.1
"""Distance that is always accepted between two poses of a body, m: noise, and swinging links."""

FASTEST = 3.0
"""Highest accepted speed of a body, m/s."""

MOVED_S = 0.5
"""Time for which a body must stay at another position until it is accepted, s."""

STATISTICS_S = 2.0
"""Time over which rate and jitter are computed, s."""

RESTART = 1000
"""Number of sequence numbers behind the newest from which on a packet is that of a restarted sender
rather than a late one."""


@dataclass(frozen=True, slots=True)
class TrackedPose:
    """The tracked links at one instant."""

    time: float
    """Time of reception of the newest pose, s, `time.monotonic()`."""

    links: NDArray[np.intp]
    """Indices of the links, ascending. Shape (k,)."""

    pose: FloatArray
    """Centre of gravity (m) and unit quaternion w x y z, world frame. Shape (k, 7)."""


@dataclass(frozen=True, slots=True)
class StreamStatistics:
    """Statistics of a stream of poses."""

    received: int = 0
    """Number of accepted packets."""

    lost: int = 0
    """Number of packets that did not arrive."""

    late: int = 0
    """Number of packets that arrived after newer ones."""

    double: int = 0
    """Number of packets that arrived twice."""

    unreadable: int = 0
    """Number of packets that could not be read."""

    jumps: int = 0
    """Number of rejected poses of bodies."""

    rate: float = 0.0
    """Packet rate, Hz; 0 without packets."""

    jitter: float = 0.0
    """Standard deviation of the interval between packets, s."""


class PoseSource(Protocol):
    """Source of tracked poses of a robot. Reading it never waits."""

    @property
    def where(self) -> str:
        """Name of the source for messages, such as "UDP port 22350"."""
        ...

    @property
    def latest(self) -> TrackedPose | None:
        """Newest poses of the tracked links; None before the first. Each update is a new object."""
        ...

    @property
    def problem(self) -> str:
        """Current problem, a message with its remedy; "" if there is none."""
        ...

    @property
    def statistics(self) -> StreamStatistics:
        """Statistics of the stream."""
        ...

    def begin(self, n_links: int) -> None:
        """Start to listen for a robot of `n_links` links; called again with another number for another scene."""
        ...

    def close(self) -> None:
        """Stop listening; returns when the source has ended."""
        ...


@dataclass(slots=True)
class _Body:
    """A tracked link."""

    pose: FloatArray  # last accepted pose
    time: float  # time of the last accepted pose
    seen: float  # time of the last pose, accepted or not
    rejected: FloatArray | None = None  # last rejected pose
    since: float = 0.0  # time of the first pose near `rejected`


@dataclass(slots=True)
class _Counts:
    received: int = 0
    lost: int = 0
    late: int = 0
    double: int = 0
    unreadable: int = 0
    jumps: int = 0


@dataclass(slots=True)
class BodyTracker:
    """Stores the newest accepted pose of every tracked link; not thread-safe."""

    n_links: int
    """Number of links of the robot."""

    keep_s: float = 0.3
    """Age from which on the pose of a link is omitted, s."""

    problem: str = ""
    """Why the last packet was rejected; "" if it was accepted."""

    _bodies: dict[int, _Body] = field(default_factory=dict)
    _counts: _Counts = field(default_factory=_Counts)
    _sequence: int | None = None
    _recent: deque[int] = field(default_factory=lambda: deque(maxlen=64))
    _times: deque[float] = field(default_factory=lambda: deque(maxlen=4096))

    def add(self, packet: PosePacket, now: float) -> TrackedPose | None:
        """Process a packet received at `now` (s, monotonic); return the tracked links if any was updated, else None."""
        if not self._in_order(packet.sequence):
            return None
        self._counts.received += 1
        self._times.append(now)
        self.problem = ""
        updated = False
        for body in packet.bodies:
            if body.link >= self.n_links:
                self.problem = (
                    f"The pose stream contains link {body.link + 1}, but the scene's robot has {self.n_links}. Number "
                    "the bodies like the links, from 1, or open the robot's scene."
                )
                continue
            updated |= self._update(body, now)
        if not packet.bodies:
            self.problem = (
                "The pose stream contains no bodies. Check that the cameras see the markers."
            )
        return self._tracked(now) if updated else None

    def count_unreadable(self, why: str) -> None:
        """Count a datagram that is not a packet; `why` is the reason."""
        self._counts.unreadable += 1
        self.problem = (
            f"Data on the pose port cannot be read ({why}). Check that the sender "
            "uses the pose format."
        )

    def statistics(self, now: float) -> StreamStatistics:
        """Return the statistics of the stream at `now`, s."""
        recent = np.array([time for time in self._times if now - time <= STATISTICS_S])
        gaps = np.diff(recent)
        rate = len(gaps) / float(gaps.sum()) if len(gaps) and gaps.sum() > 0.0 else 0.0
        c = self._counts
        return StreamStatistics(
            c.received,
            c.lost,
            c.late,
            c.double,
            c.unreadable,
            c.jumps,
            rate,
            float(gaps.std()) if len(gaps) else 0.0,
        )

    def _in_order(self, sequence: int) -> bool:
        newest = self._sequence
        if newest is not None and newest - RESTART < sequence <= newest:
            if sequence in self._recent:
                self._counts.double += 1
            else:
                self._counts.late += 1
                # The packet was counted as lost.
                self._counts.lost = max(0, self._counts.lost - 1)
                self._recent.append(sequence)
            return False
        if newest is not None and newest < sequence < newest + RESTART:
            self._counts.lost += sequence - newest - 1
        self._sequence = sequence
        self._recent.append(sequence)
        return True

    def _update(self, body: BodyPose, now: float) -> bool:
        """Process the pose of a body; return whether it was accepted."""
        pose = np.array([*body.position, *body.quaternion])
        known = self._bodies.get(body.link)
        if known is None or now - known.seen > max(self.keep_s, MOVED_S):
            self._bodies[body.link] = _Body(pose, now, now)
            return True
        jump = _jump(pose, known.pose, now - known.seen)
        known.seen = now
        if jump is None:
            known.pose = pose
            known.time = now
            known.rejected = None
            return True
        if known.rejected is None or _jump(pose, known.rejected, 0.0) is not None:
            known.since = now
        known.rejected = pose
        if now - known.since >= MOVED_S:
            known.pose = pose
            known.time = now
            known.rejected = None
            return True
        self._counts.jumps += 1
        self.problem = (
            f"Link {body.link + 1} seems to jump by {jump:.2f} m, which is ignored. Check that its markers are not "
            "confused with those of another body."
        )
        return False

    def _tracked(self, now: float) -> TrackedPose:
        links = sorted(
            link for link, body in self._bodies.items() if now - body.time <= self.keep_s
        )
        pose = np.array([self._bodies[link].pose for link in links])
        return TrackedPose(
            max(self._bodies[link].time for link in links), np.array(links, np.intp), pose
        )


def _jump(pose: FloatArray, before: FloatArray, span: float) -> float | None:
    """Return the distance between two poses of a body, m, if it is too large for `span` seconds, else None."""
    distance = math.dist(pose[:3], before[:3])
    return distance if distance > JUMP + FASTEST * span else None
