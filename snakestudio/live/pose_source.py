"""Where a live robot is, as somebody outside sees it: the protocol of a source, and what becomes of its packets.

`BodyTracker` is the part without a socket: it puts packets in order, counts what is lost, double
and late, refuses jumps, and says in sentences what is wrong. It keeps the newest pose of every link
with the time of its reception.

**Jumps.** A body cannot be elsewhere at once: what moves by more than `JUMP` + `FASTEST` times the
time since it was seen last is not believed. Mostly two markers were taken for each other, and the
next packet is right again. What keeps being seen at the new place for `MOVED_S` is there: somebody
has carried the robot.
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
"""Distance that a body may always have moved, m: noise, and a link that is swung about."""

FASTEST = 3.0
"""Speed of a body that is believed, m/s."""

MOVED_S = 0.5
"""Time for which a body must be seen at another place until it is believed to be there, s."""

FIGURES_S = 2.0
"""Time over which rate and jitter are taken, s."""

RESTART = 1000
"""A sequence number so far behind the newest is a sender that began anew, not a packet that is
late."""


@dataclass(frozen=True, slots=True)
class Tracked:
    """The tracked links at one instant."""

    time: float
    """When the newest of them was received, s, `time.monotonic()`."""

    links: NDArray[np.intp]
    """0-based, ascending. Shape (k,)."""

    pose: FloatArray
    """Centre of gravity (m) and unit quaternion w x y z, world frame. Shape (k, 7)."""


@dataclass(frozen=True, slots=True)
class StreamFigures:
    """How a stream of poses does."""

    received: int = 0
    """Packets that were used."""

    lost: int = 0
    late: int = 0
    double: int = 0
    unreadable: int = 0
    jumps: int = 0
    """`lost`, `late`, `double`, `unreadable` and `jumps`: packets that never came; that came behind
    newer ones; that came twice; that could not be read; bodies that were not believed."""

    rate: float = 0.0
    """Packets a second, Hz; 0 if there are none."""

    jitter: float = 0.0
    """Standard deviation of the time between two, s."""


class PoseSource(Protocol):
    """Somebody who sees the robot. Reading it never waits."""

    @property
    def where(self) -> str:
        """Where it comes from, in words."""
        ...

    @property
    def latest(self) -> Tracked | None:
        """The tracked links, newest; None before the first. Another object whenever there is something new."""
        ...

    @property
    def problem(self) -> str:
        """What is wrong with it now, a sentence with its remedy; "" if nothing is."""
        ...

    @property
    def figures(self) -> StreamFigures:
        """How it does."""
        ...

    def begin(self, n_links: int) -> None:
        """Begin to listen, for a robot of so many links; again, with another number, if the scene has changed."""
        ...

    def close(self) -> None:
        """Listen no more; returns when all of it has ended."""
        ...


@dataclass(slots=True)
class _Body:
    """One tracked link."""

    pose: FloatArray
    time: float  # when it was believed last
    seen: float  # when it was seen last, believed or not
    elsewhere: FloatArray | None = None  # where it was seen and not believed
    since: float = 0.0


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
    """Keeps the newest believable pose of every tracked link; not thread-safe.

    Parameters
    ----------
    keep_s : float
        Age at which a link that is not seen any more is left out, s.
    """

    n_links: int
    keep_s: float = 0.3
    problem: str = ""
    _bodies: dict[int, _Body] = field(default_factory=dict)
    _counts: _Counts = field(default_factory=_Counts)
    _sequence: int | None = None
    _recent: deque[int] = field(default_factory=lambda: deque(maxlen=64))
    _times: deque[float] = field(default_factory=lambda: deque(maxlen=4096))

    def take(self, packet: PosePacket, now: float) -> Tracked | None:
        """Take a packet that came at `now` (s, monotonic); the tracked links if it told anything, else None."""
        if not self._in_order(packet.sequence):
            return None
        self._counts.received += 1
        self._times.append(now)
        self.problem = ""
        told = False
        for body in packet.bodies:
            if body.link >= self.n_links:
                self.problem = (
                    f"The pose stream contains link {body.link + 1}, but the scene's robot has {self.n_links}. Number "
                    "the bodies like the links, from 1, or open the robot's scene."
                )
                continue
            told |= self._see(body, now)
        if not packet.bodies:
            self.problem = "The pose stream sees no body. Check that the cameras see the markers."
        return self._tracked(now) if told else None

    def unreadable(self, why: str) -> None:
        """Note a datagram that is no packet."""
        self._counts.unreadable += 1
        self.problem = (
            f"Data on the pose port cannot be read ({why}). Check that the sender "
            "uses the pose format."
        )

    def figures(self, now: float) -> StreamFigures:
        """How the stream does at `now`, s."""
        recent = np.array([time for time in self._times if now - time <= FIGURES_S])
        gaps = np.diff(recent)
        rate = len(gaps) / float(gaps.sum()) if len(gaps) and gaps.sum() > 0.0 else 0.0
        c = self._counts
        return StreamFigures(
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
                # it was counted as lost, and was not
                self._counts.lost = max(0, self._counts.lost - 1)
                self._recent.append(sequence)
            return False
        if newest is not None and newest < sequence < newest + RESTART:
            self._counts.lost += sequence - newest - 1
        self._sequence = sequence
        self._recent.append(sequence)
        return True

    def _see(self, body: BodyPose, now: float) -> bool:
        """Take one body; whether it was believed."""
        pose = np.array([*body.position, *body.quaternion])
        known = self._bodies.get(body.link)
        if known is None or now - known.seen > max(self.keep_s, MOVED_S):
            self._bodies[body.link] = _Body(pose, now, now)
            return True
        jump = _far(pose, known.pose, now - known.seen)
        known.seen = now
        if jump is None:
            known.pose = pose
            known.time = now
            known.elsewhere = None
            return True
        if known.elsewhere is None or _far(pose, known.elsewhere, 0.0) is not None:
            known.since = now
        known.elsewhere = pose
        if now - known.since >= MOVED_S:
            known.pose = pose
            known.time = now
            known.elsewhere = None
            return True
        self._counts.jumps += 1
        self.problem = (
            f"Link {body.link + 1} seems to jump by {jump:.2f} m, which is ignored. Check that its markers are not "
            "confused with those of another body."
        )
        return False

    def _tracked(self, now: float) -> Tracked:
        links = sorted(
            link for link, body in self._bodies.items() if now - body.time <= self.keep_s
        )
        pose = np.array([self._bodies[link].pose for link in links])
        return Tracked(
            max(self._bodies[link].time for link in links), np.array(links, np.intp), pose
        )


def _far(pose: FloatArray, before: FloatArray, span: float) -> float | None:
    """How far a body has moved, m, if that is not to be believed."""
    distance = math.dist(pose[:3], before[:3])
    return distance if distance > JUMP + FASTEST * span else None
