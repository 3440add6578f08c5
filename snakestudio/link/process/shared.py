"""What window and link share: who writes what, and how it is laid out.

The window writes its beat, its stop requests and its references; the link writes its telemetry, its
events and the traffic. Commands go through a pipe instead, which tells the link when the window is
gone.
"""

from __future__ import annotations

import json
import pickle
import struct
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from snakestudio.errors import LinkError
from snakestudio.link.frame import Frame
from snakestudio.link.messages import LinkEvent, ReferenceBlock, Telemetry
from snakestudio.link.process.memory import Cell, Latest, Ring, Segment

_REASON = 1000
_TELEMETRY = 65_536
_TELEMETRY_AXIS = 1024
_REFERENCES = 1 << 20
_KNOTS = 64
"""Knots of which eight blocks shall find room, however many axes there are."""
_EVENTS = 1 << 18
_TRAFFIC = 1 << 18
_SHOWN_AT_ONCE = 4096
"""Bytes of traffic that wait to be published at most."""
_TEXT = 200
_SENTENCES = 40
"""What is left of the reasons where there is no room for all: in any script four bytes a character
at most."""

_FRAME = struct.Struct("=dIBBB")
_EXTENDED = 1
_REMOTE = 2
_ERROR = 4
_SENT = 8
_FD = 16


class LinkMemory:
    """The memory of one link, from either side.

    Parameters
    ----------
    n_axes : int
        Axes of the profile.
    handle : str, optional
        Of the memory to attach; a new one is made without.
    """

    def __init__(self, n_axes: int, handle: str | None = None) -> None:
        self._n_axes = n_axes
        telemetry = _TELEMETRY + _TELEMETRY_AXIS * n_axes
        references = max(_REFERENCES, 8 * _KNOTS * 8 * (2 * n_axes + 1))
        parts = {
            "beat": Cell.SIZE,
            "stop": Latest.size(_REASON),
            "references": Ring.size(references),
            "telemetry": Latest.size(telemetry),
            "events": Ring.size(_EVENTS),
            "traffic": Ring.size(_TRAFFIC),
        }
        at = {}
        total = 0
        for name, size in parts.items():
            at[name] = total
            # a processor's cache line each: two writers never meet in one
            total += -(-size // 64) * 64
        self.segment = Segment.create(total) if handle is None else Segment.attach(handle, total)
        self._beat = Cell(self.segment, at["beat"])
        self._stop = Latest(self.segment, at["stop"], _REASON)
        self._references = Ring(self.segment, at["references"], references)
        self._telemetry = Latest(self.segment, at["telemetry"], telemetry)
        self._events = Ring(self.segment, at["events"], _EVENTS)
        self._traffic = Ring(self.segment, at["traffic"], _TRAFFIC)
        self._shown = bytearray()
        self._stops = 0
        self._telemetry_seen = 0

    def close(self) -> None:
        """Leave it."""
        self.segment.close()

    # -------------------------------------------------------------------------------- by the window

    def beat(self, at: float) -> None:
        """The window lives; `at` in s, monotonic clock."""
        self._beat.write(at)

    @property
    def stops(self) -> int:
        """How many stops this side has asked for."""
        return self._stops

    def request_stop(self, reason: str) -> int:
        """Ask for the stop sequence; gives the request's number, from 1."""
        self._stop.write(reason.encode()[:_REASON])
        self._stops += 1
        return self._stops

    def send(self, block: ReferenceBlock) -> None:
        """Hand over references.

        Raises `LinkError` if the block does not have the shape of the profile's axes.
        """
        block = ReferenceBlock(
            np.ascontiguousarray(block.time, dtype=np.float64),
            np.ascontiguousarray(block.angle, dtype=np.float64),
            np.ascontiguousarray(block.rate, dtype=np.float64),
        )
        problem = block.shape_problem(self._n_axes)
        if problem:
            raise LinkError(
                f"References were refused: {problem}. Give angle and rate of every axis at each knot."
            )
        record = block.pack()
        if self._references.fits(len(record)):
            self._references.write(record)
            return
        time = block.time
        angle = block.angle
        rate = block.rate
        # of a block that goes on from the first one's last knot nothing is lost
        middle = time.size // 2
        self.send(ReferenceBlock(time[: middle + 1], angle[: middle + 1], rate[: middle + 1]))
        self.send(ReferenceBlock(time[middle:], angle[middle:], rate[middle:]))

    def telemetry(self) -> Telemetry | None:
        """What the link said last, if that is new."""
        number, record = self._telemetry.read()
        if number == self._telemetry_seen:
            return None
        self._telemetry_seen = number
        telemetry: Telemetry = pickle.loads(record)
        return telemetry

    def events(self) -> Iterator[LinkEvent]:
        """What happened since this was last asked."""
        for record in self._events.take():
            time, severity, text, kind = json.loads(record)
            yield LinkEvent(time, severity, text, kind)

    def traffic(self, newest: int) -> list[tuple[Frame, bool]]:
        """The newest frames since this was last asked, at most that many, and whether they were sent by us."""
        found = [frame for record in self._traffic.take() for frame in _unpacked(record)]
        return found[-newest:]

    # ---------------------------------------------------------------------------------- by the link

    @property
    def window_beat(self) -> float:
        """When the window last said that it lives, s; 0 if never."""
        return self._beat.read()

    def stop_requested(self) -> tuple[int, str]:
        """How often a stop was asked for, and the latest reason."""
        number, record = self._stop.read()
        return number, record.decode(errors="replace")

    def references(self) -> Iterator[ReferenceBlock]:
        """References since this was last asked."""
        for record in self._references.take():
            yield ReferenceBlock.unpack(record)

    def say(self, telemetry: Telemetry) -> None:
        """Publish what the link knows."""
        record = pickle.dumps(telemetry, protocol=pickle.HIGHEST_PROTOCOL)
        if len(record) > self._telemetry.capacity:
            short = replace(
                telemetry,
                reason=telemetry.reason[:_TEXT],
                not_ready=tuple(text[:_TEXT] for text in telemetry.not_ready[:_SENTENCES]),
                axis_text=tuple(text[:_TEXT] for text in telemetry.axis_text),
            )
            record = pickle.dumps(short, protocol=pickle.HIGHEST_PROTOCOL)
        self._telemetry.write(record)

    def tell(self, event: LinkEvent) -> None:
        """Publish an event."""
        self._events.write(
            json.dumps([event.time, event.severity, event.text[:4000], event.kind]).encode()
        )

    def show(self, frame: Frame, *, sent: bool) -> None:
        """Put a frame among the traffic; `flush` publishes it."""
        flags = (
            _EXTENDED * frame.extended
            | _REMOTE * frame.remote
            | _ERROR * frame.error
            | _SENT * sent
        )
        data = frame.data
        self._shown += _FRAME.pack(
            frame.time, frame.id, flags | _FD * frame.fd, min(frame.length, 255), len(data)
        )
        self._shown += data
        if len(self._shown) > _SHOWN_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Publish the frames that were put among the traffic: many at once cost little more than one."""
        if self._shown:
            self._traffic.write(bytes(self._shown))
            self._shown.clear()


def _unpacked(record: bytes) -> Iterator[tuple[Frame, bool]]:
    at = 0
    while at < len(record):
        time, number, flags, length, size = _FRAME.unpack_from(record, at)
        at += _FRAME.size
        frame = Frame(
            number,
            record[at : at + size],
            bool(flags & _EXTENDED),
            bool(flags & _REMOTE),
            bool(flags & _FD),
            bool(flags & _ERROR),
            time,
            length,
        )
        at += size
        yield frame, bool(flags & _SENT)
