"""Shared memory of window and link, with its layout and writers.

The window writes its heartbeat, its stop requests and its references; the link writes its
telemetry, its events and the traffic. Commands go through a pipe instead, which ends when the
window ends.
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
from snakestudio.link.process.memory import Cell, LatestRecord, Ring, Segment

_REASON = 1000
_TELEMETRY = 65_536
_TELEMETRY_AXIS = 1024
_REFERENCES = 1 << 20
_KNOTS = 64
"""Knots per block for which the memory holds eight blocks, for any number of axes."""
_EVENTS = 1 << 18
_TRAFFIC = 1 << 18
_PENDING_BYTES = 4096
"""Most bytes of traffic that wait to be published."""
_TEXT = 200
_SENTENCES = 40
"""Number of reasons that are kept if there is no space for all."""

_FRAME = struct.Struct("=dIBBB")
_EXTENDED = 1
_REMOTE = 2
_ERROR = 4
_SENT = 8
_FD = 16


class LinkMemory:
    """Shared memory of one link, for both sides.

    Parameters
    ----------
    n_axes : int
        Number of axes of the profile.
    handle : str, optional
        Handle of memory to attach; without it new memory is created.
    """

    def __init__(self, n_axes: int, handle: str | None = None) -> None:
        self._n_axes = n_axes
        telemetry = _TELEMETRY + _TELEMETRY_AXIS * n_axes
        references = max(_REFERENCES, 8 * _KNOTS * 8 * (2 * n_axes + 1))
        parts = {
            "beat": Cell.SIZE,
            "stop": LatestRecord.size(_REASON),
            "references": Ring.size(references),
            "telemetry": LatestRecord.size(telemetry),
            "events": Ring.size(_EVENTS),
            "traffic": Ring.size(_TRAFFIC),
        }
        at = {}
        total = 0
        for name, size in parts.items():
            at[name] = total
            # a separate cache line each, so that two writers never share one
            total += -(-size // 64) * 64
        self.segment = Segment.create(total) if handle is None else Segment.attach(handle, total)
        self._beat_cell = Cell(self.segment, at["beat"])
        self._latest_stop = LatestRecord(self.segment, at["stop"], _REASON)
        self._reference_ring = Ring(self.segment, at["references"], references)
        self._latest_telemetry = LatestRecord(self.segment, at["telemetry"], telemetry)
        self._event_ring = Ring(self.segment, at["events"], _EVENTS)
        self._traffic_ring = Ring(self.segment, at["traffic"], _TRAFFIC)
        self._pending = bytearray()
        self._stops = 0
        self._telemetry_seen = 0

    def close(self) -> None:
        """Close the memory."""
        self.segment.close()

    # -------------------------------------------------------------------------------- by the window

    def beat(self, at: float) -> None:
        """Write the window's sign of life; `at` in s, monotonic clock."""
        self._beat_cell.write(at)

    @property
    def stops(self) -> int:
        """Number of stops that this side has requested."""
        return self._stops

    def request_stop(self, reason: str) -> int:
        """Request the stop sequence; return the number of the request, from 1."""
        self._latest_stop.write(reason.encode()[:_REASON])
        self._stops += 1
        return self._stops

    def send(self, block: ReferenceBlock) -> None:
        """Write references.

        Raises `LinkError` if the shape of the block does not fit the profile's axes.
        """
        block = ReferenceBlock(
            np.ascontiguousarray(block.time, dtype=np.float64),
            np.ascontiguousarray(block.angle, dtype=np.float64),
            np.ascontiguousarray(block.rate, dtype=np.float64),
        )
        problem = block.shape_problem(self._n_axes)
        if problem:
            raise LinkError(
                f"References were rejected because {problem}. Pass angle and rate of each axis at each knot."
            )
        record = block.pack()
        if self._reference_ring.fits(len(record)):
            self._reference_ring.write(record)
            return
        time = block.time
        angle = block.angle
        rate = block.rate
        # the second half continues from the last knot of the first, so nothing is lost
        middle = time.size // 2
        self.send(ReferenceBlock(time[: middle + 1], angle[: middle + 1], rate[: middle + 1]))
        self.send(ReferenceBlock(time[middle:], angle[middle:], rate[middle:]))

    def telemetry(self) -> Telemetry | None:
        """Return the latest telemetry if it is new."""
        number, record = self._latest_telemetry.read()
        if number == self._telemetry_seen:
            return None
        self._telemetry_seen = number
        telemetry: Telemetry = pickle.loads(record)
        return telemetry

    def events(self) -> Iterator[LinkEvent]:
        """Iterate over the events since the last call."""
        for record in self._event_ring.read():
            time, severity, text, kind = json.loads(record)
            yield LinkEvent(time, severity, text, kind)

    def traffic(self, newest: int) -> list[tuple[Frame, bool]]:
        """Return up to `newest` frames since the last call, and whether they were sent by the link."""
        frames = [frame for record in self._traffic_ring.read() for frame in _unpacked(record)]
        return frames[-newest:]

    # ---------------------------------------------------------------------------------- by the link

    @property
    def window_beat(self) -> float:
        """Time of the window's last sign of life, s; 0 if there was none."""
        return self._beat_cell.read()

    def stop_requested(self) -> tuple[int, str]:
        """Return the number of requested stops, and the latest reason."""
        number, record = self._latest_stop.read()
        return number, record.decode(errors="replace")

    def references(self) -> Iterator[ReferenceBlock]:
        """Iterate over the references since the last call."""
        for record in self._reference_ring.read():
            yield ReferenceBlock.unpack(record)

    def publish_telemetry(self, telemetry: Telemetry) -> None:
        """Publish telemetry."""
        record = pickle.dumps(telemetry, protocol=pickle.HIGHEST_PROTOCOL)
        if len(record) > self._latest_telemetry.capacity:
            short = replace(
                telemetry,
                reason=telemetry.reason[:_TEXT],
                not_ready=tuple(text[:_TEXT] for text in telemetry.not_ready[:_SENTENCES]),
                axis_text=tuple(text[:_TEXT] for text in telemetry.axis_text),
            )
            record = pickle.dumps(short, protocol=pickle.HIGHEST_PROTOCOL)
        self._latest_telemetry.write(record)

    def publish_event(self, event: LinkEvent) -> None:
        """Publish an event."""
        self._event_ring.write(
            json.dumps([event.time, event.severity, event.text[:4000], event.kind]).encode()
        )

    def show(self, frame: Frame, *, sent: bool) -> None:
        """Add a frame to the traffic; `flush` publishes it."""
        flags = (
            _EXTENDED * frame.extended
            | _REMOTE * frame.remote
            | _ERROR * frame.error
            | _SENT * sent
        )
        data = frame.data
        self._pending += _FRAME.pack(
            frame.time, frame.id, flags | _FD * frame.fd, min(frame.length, 255), len(data)
        )
        self._pending += data
        if len(self._pending) > _PENDING_BYTES:
            self.flush()

    def flush(self) -> None:
        """Publish the added frames: many together cost little more than one."""
        if self._pending:
            self._traffic_ring.write(bytes(self._pending))
            self._pending.clear()


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
