"""The only gate for sent frames: closed while the link only listens, while no bus is open, and during replays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from snakestudio._arrays import FloatArray
from snakestudio.errors import LinkError, ProfileError
from snakestudio.link.core.arrivals import LoadMeter
from snakestudio.link.core.journal import Journal
from snakestudio.link.core.machine import Machine
from snakestudio.link.core.watchdogs import Watchdogs
from snakestudio.link.frame import Frame
from snakestudio.link.messages import LinkState
from snakestudio.link.profile.schema import Message, Step

if TYPE_CHECKING:
    from snakestudio.link.core.codec import Codec


class TxGate:
    """Sends frames, and counts failures.

    Parameters
    ----------
    send : callable
        Sends a frame to the bus; raises `LinkError` if this fails.
    watchdogs : Watchdogs
        Notified when sending begins to fail.
    replay : bool
        Whether nothing may be sent at all.

    Attributes
    ----------
    sent, errors : int
        Numbers of sent frames, and of frames that could not be sent.
    """

    def __init__(
        self,
        codec: Codec,
        send: Callable[[Frame], None],
        machine: Machine,
        watchdogs: Watchdogs,
        meter: LoadMeter,
        journal: Journal,
        *,
        replay: bool,
    ) -> None:
        self._codec = codec
        self._send = send
        self._machine = machine
        self._watchdogs = watchdogs
        self._meter = meter
        self._journal = journal
        self._replay = replay
        self.bus_open = False
        self.sent = self.errors = 0

    def frames(self, frames: Iterable[Frame], now: float) -> None:
        """Send frames; failures do not affect the others."""
        silent = self._machine.state in (LinkState.DISCONNECTED, LinkState.LISTENING)
        if silent or self._replay or not self.bus_open:
            return
        for frame in frames:
            try:
                self._send(frame)
            except LinkError as error:
                self.errors += 1
                self._watchdogs.sending_failed(now)
                self._journal.report_once(now, "error", str(error), "bus")
            else:
                self.sent += 1
                self._watchdogs.sending_worked()
                self._meter.add(frame, now)

    def message(self, message: Message, now: float) -> None:
        """Send a request or a heartbeat; one that the codec rejects is reported instead."""
        self._send_made_by(lambda: self._codec.frames(message), now)

    def step(self, step: Step, held: FloatArray | None, now: float) -> None:
        """Send the frames of a sequence's step to all nodes; set-points among them carry the held angles (rad).

        A step that the codec rejects is skipped and reported, because the following steps of a stop
        sequence must be sent. A robot cannot be armed with such a profile.
        """
        self._send_made_by(lambda: self._codec.step_frames(step, angle=held), now)

    def _send_made_by(self, make: Callable[[], Iterable[Frame]], now: float) -> None:
        try:
            frames = make()
        except ProfileError as error:
            self.errors += 1
            self._journal.report_once(now, "error", str(error), "profile")
        else:
            self.frames(frames, now)
