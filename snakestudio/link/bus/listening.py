"""Listening on a bus without a link: the received frames, and a table of the nodes."""

from __future__ import annotations

import math
import queue
from dataclasses import dataclass, field
from types import TracebackType

from snakestudio.errors import LinkError
from snakestudio.link.bus.port import BusChange, Port, ReceivedFrame, UnreadableData
from snakestudio.link.bus.replay import LogEndedError
from snakestudio.link.core.coder import DecodedFrame
from snakestudio.link.frame import Frame
from snakestudio.link.profile.schema import Bus, Profile


class ListenOnlyBus:
    """A bus on which nothing is sent, as a context.

    Attributes
    ----------
    open : bool
        Whether the bus was opened.
    ended : bool
        Whether no more frames can come because the replayed log has ended.
    """

    def __init__(self, bus: Bus) -> None:
        self.ended = False
        self.notes: tuple[str, ...] = ()
        """Messages about unreadable parts of a log that has ended."""
        self._inbox: queue.SimpleQueue[ReceivedFrame | BusChange | UnreadableData] = (
            queue.SimpleQueue()
        )
        self._port = Port(bus, self._inbox.put)
        self.open = False

    def __enter__(self) -> ListenOnlyBus:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._port.close()

    def next(self, timeout: float) -> tuple[Frame, bool] | None:
        """Return the next frame, and whether it was sent by the link (known only from logs); None after `timeout` s.

        Raises `LinkError` if the bus cannot be opened; a bus that fails later is reopened as soon
        as possible.
        """
        try:
            item = self._inbox.get(timeout=timeout)
        except queue.Empty:
            return None
        if isinstance(item, ReceivedFrame):
            return item.frame, item.sent
        if isinstance(item, UnreadableData):
            return None
        if item.open:
            self.open = True
        elif isinstance(item.error, LogEndedError):
            self.ended = True
            self.notes = item.error.notes
        elif item.final or not self.open:
            raise LinkError(item.text)
        return None


@dataclass(slots=True)
class _Node:
    frames: int = 0
    first: float = math.nan
    last: float = math.nan
    unreadable: int = 0
    status: str = ""
    angles: dict[int, float] = field(default_factory=dict)


class NodeTable:
    """Last values of the nodes of a profile."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._nodes = {node: _Node() for node in profile.nodes}
        self._unknown: dict[tuple[int, bool], int] = {}

    def add(self, frame: Frame, decoded: DecodedFrame | None) -> None:
        """Add a frame that the codec decoded."""
        if decoded is None:
            if not frame.error:
                key = (frame.id, frame.extended)
                self._unknown[key] = self._unknown.get(key, 0) + 1
            return
        node = self._nodes.get(decoded.node) if decoded.node is not None else None
        if node is None:
            return
        if not node.frames:
            node.first = frame.time
        node.frames += 1
        node.last = frame.time
        node.unreadable += bool(decoded.problem)
        for value in decoded.values:
            if value.quantity == "angle" and value.axis >= 0:
                node.angles[value.axis] = value.value
            elif value.quantity == "status":
                node.status = self._status(int(value.value))

    def text(self, now: float) -> str:
        """Return one line per node, followed by frames with ids that are not in the profile.

        Parameters
        ----------
        now : float
            s, monotonic clock.
        """
        lines = [
            f"{'node':>4} {'frames':>7} {'Hz':>7} {'age s':>7}  {'status':<16} angles in degrees"
        ]
        for number, node in self._nodes.items():
            if not node.frames:
                lines.append(f"{number:>4} {0:>7} {'-':>7} {'-':>7}  no frames")
                continue
            span = node.last - node.first
            rate = f"{(node.frames - 1) / span:.1f}" if span > 0 else "-"
            angles = "  ".join(
                f"{self._profile.axes[axis].name} {math.degrees(angle):.1f}"
                for axis, angle in node.angles.items()
            )
            bad = f"  {node.unreadable} unreadable" if node.unreadable else ""
            line = f"{number:>4} {node.frames:>7} {rate:>7} {now - node.last:>7.2f}  {node.status:<16} {angles}{bad}"
            lines.append(line.rstrip())
        if self._unknown:
            known = ", ".join(
                f"{number:0{8 if extended else 3}X} ({count})"
                for (number, extended), count in sorted(self._unknown.items())[:40]
            )
            lines.append(f"frames that are not in the profile: {known}")
        return "\n".join(lines)

    def _status(self, code: int) -> str:
        for known in self._profile.status:
            if code & known.mask == known.code:
                return known.text or known.meaning
        return f"status {code}"
