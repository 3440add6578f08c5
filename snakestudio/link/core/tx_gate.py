"""The one gate through which frames leave: shut while the link only listens, while no bus is open, and in a replay."""

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
    """Sends frames, and knows how that went.

    Parameters
    ----------
    send : callable
        Puts a frame on the bus. LinkError: it could not.
    watchdogs : Watchdogs
        Are told when sending begins to fail.
    replay : bool
        Whether nothing may be sent at all.

    Attributes
    ----------
    sent, errors : int
        Frames that went out, and that did not.
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
        """Send some frames, each whatever becomes of the others."""
        silent = self._machine.state in (LinkState.DISCONNECTED, LinkState.LISTENING)
        if silent or self._replay or not self.bus_open:
            return
        for frame in frames:
            try:
                self._send(frame)
            except LinkError as error:
                self.errors += 1
                self._watchdogs.sending_failed(now)
                self._journal.say_once(now, "error", str(error), "bus")
            else:
                self.sent += 1
                self._watchdogs.sending_worked()
                self._meter.add(frame, now)

    def message(self, message: Message, now: float) -> None:
        """Send a request or a heartbeat; one that the codec refuses is not sent, and that is said."""
        self._made(lambda: self._codec.frames(message), now)

    def step(self, step: Step, held: FloatArray | None, now: float) -> None:
        """Send the frames of a sequence's step to all nodes; a set-point among them tells the angles held (rad).

        A step that the codec refuses is left out, and that is said: what a stop sequence has behind
        it must go out. No robot is armed by a profile with such a step.
        """
        self._made(lambda: self._codec.step_frames(step, angle=held), now)

    def _made(self, make: Callable[[], Iterable[Frame]], now: float) -> None:
        try:
            frames = make()
        except ProfileError as error:
            self.errors += 1
            self._journal.say_once(now, "error", str(error), "profile")
        else:
            self.frames(frames, now)
