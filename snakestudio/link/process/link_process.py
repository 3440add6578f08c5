"""The link's process: bus, core, shared memory and pipe around one loop with precise timing."""

from __future__ import annotations

import contextlib
import gc
import math
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from snakestudio.errors import LinkError
from snakestudio.link.bus.frame_log import FrameLog, LogSource, check_log_path
from snakestudio.link.bus.port import BusChange, Port, ReceivedFrame, UnreadableData
from snakestudio.link.core.codec import Codec
from snakestudio.link.core.link_core import LinkCore
from snakestudio.link.frame import Frame
from snakestudio.link.messages import LinkCommand, LinkEvent, LinkState, Severity
from snakestudio.link.process.inbox import Inbox
from snakestudio.link.process.last_resort import stop_blindly
from snakestudio.link.process.memory import Segment
from snakestudio.link.process.pipe import PipeClosed, read_commands
from snakestudio.link.process.priority import raise_priority
from snakestudio.link.process.setup import Setup
from snakestudio.link.process.shared import LinkMemory
from snakestudio.link.process.standstill import Standstill
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import Step

_POLL_S = 0.005
"""Longest interval at which shared memory and frames of the robot are polled while a bus is open:
commands of the window wake the loop through the pipe, and so do frames that are not the robot's."""
_POLL_WITHOUT_BUS_S = 0.02
_PUBLISH_S = 0.02
_PUBLISH_AT_LEAST_S = 0.05
_SPARE_S = 0.002
"""Telemetry is written only if the next deadline is at least this far away, or if it is overdue."""
_COLLECT_S = 5.0
_COLLECT_SPARE_S = 0.005
_BATCH = 64
_SWITCH_S = 0.001
"""Longer than the core needs for the set-points of a period, so that no other thread runs in between;
other threads release the interpreter after each frame."""
_LONGEST_END_S = 1.5
_LOG_END_S = 1.0
_LIVE = (LinkState.IDLE, LinkState.ARMED, LinkState.STREAMING)


def serve(handle: str, size: int) -> None:
    """Run the link until the window ends it, or has ended.

    Parameters
    ----------
    handle : str
        Handle of the memory with the `Setup`.
    size : int
        Bytes of the setup.
    """
    segment = Segment.attach(handle, size)
    setup = Setup.of(segment.map[:size])
    segment.close()
    # The window handles Ctrl-C of a terminal; when it ends, the link stops the robot and ends, too.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.setswitchinterval(_SWITCH_S)
    loaded = setup.loaded()
    memory = LinkMemory(len(loaded.profile.axes), setup.memory)
    try:
        process = LinkProcess(loaded, memory, raise_priority())
        signal.signal(signal.SIGTERM, lambda *_: process.inbox.put(PipeClosed()))
        threading.Thread(
            target=read_commands,
            args=(process.inbox.put,),
            name="snakestudio-commands",
            daemon=True,
        ).start()
        process.run()
    finally:
        memory.close()


@dataclass(frozen=True, slots=True)
class _LogReport:
    """Message of the frame log."""

    severity: Severity
    text: str


_Item = ReceivedFrame | BusChange | UnreadableData | LinkCommand | PipeClosed | _LogReport


class BusPort(Protocol):
    """An open bus as the link uses it: a `Port`, or a substitute."""

    error_frames: int
    send_errors: int

    def send(self, frame: Frame) -> bool:
        """Send a frame now; return whether the bus accepted it."""

    def close(self) -> None:
        """Close the bus."""


class LinkProcess:
    """The loop of the link.

    Parameters
    ----------
    priority : str
        Priority that the operating system granted.
    clock : callable
        The machine's monotonic clock, s.
    inbox : Inbox, optional
        Queue of the loop.
    port : BusPort, optional
        An open bus; without it, "connect" opens that of the profile.
    standstill : Standstill, optional
        Detector of standstills; by default with the time of the robot's own watchdog.

    Attributes
    ----------
    core : LinkCore
    memory : LinkMemory
        Memory shared with the window.
    """

    def __init__(
        self,
        loaded: LoadedProfile,
        memory: LinkMemory,
        priority: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        inbox: Inbox[_Item] | None = None,
        port: BusPort | None = None,
        standstill: Standstill | None = None,
    ) -> None:
        self.inbox: Inbox[_Item] = Inbox() if inbox is None else inbox
        self._clock = clock
        self._loaded = loaded
        self.memory = memory
        self._priority = priority
        profile = loaded.profile
        self._replayed = profile.bus.interface == "replay"
        self._codec = Codec(loaded)
        self.core = LinkCore(
            self._codec, send=self._send, publish=memory.publish_event, replay=self._replayed
        )
        self._replayed_reference = np.full(len(profile.axes), math.nan)
        self._port = port
        self._log: FrameLog | None = None
        self._bus_open = False
        self._bus_problem = ""
        self._news = False  # True while the core has unprocessed input
        self._carried_out = 0
        self._due = 0.0
        self._left = False  # whether the inbox was not emptied, as something was due
        self._published_at = self._collected = 0.0
        self._end: float | None = None
        self._leave: tuple[float, LinkCommand] | None = (
            None  # when the bus is given back at the latest, and who wants it
        )
        # The time of the robot's own watchdog: after a longer standstill the link must not simply
        # continue.
        self._standstill = standstill or Standstill(
            max(profile.timing.window_timeout_s, 2.0 / profile.timing.set_point_rate_hz),
            None if clock is time.monotonic else clock,
        )
        steps = max(_duration(profile.sequences.stop), _duration(profile.sequences.disarm))
        self._end_s = min(0.1 + steps, _LONGEST_END_S)

    def run(self) -> None:
        """Run until the window ends the link, or has ended.

        Raises `LinkError` on an internal failure, after the stop sequence has been sent.
        """
        gc.collect()
        gc.freeze()  # existing objects stay: collections only need to check new ones
        gc.disable()
        try:
            self.loop()
        except Exception as error:
            self._stop_blindly()
            traceback.print_exc()
            text = f"The link failed, and the stop sequence was sent ({type(error).__name__}: {error})."
            with contextlib.suppress(Exception):
                self._report("error", text, "process")
            with contextlib.suppress(Exception):
                self._close()
            raise LinkError(text) from error
        self._close()

    def loop(self) -> None:
        """Run the loop until the window ends the link, or has ended; exceptions are not caught."""
        last = self._clock()
        self._report("info", f"The link runs with priority {self._priority}.", "priority")
        while self._end is None or last < self._end:
            now = last = self._clock()
            suspended = self._standstill.measure()
            if suspended and self.core.state in _LIVE and not self._replayed:
                self.core.stop(f"The link itself was suspended for {suspended:.1f} s.", now)
            self.poll_memory(now)
            if self._news or now >= self._due:
                self._news = False
                self._due = self.core.poll(now, self._clock)
            self._between()
            self._wait()
            if self._leave is not None and (self.core.at_rest or now >= self._leave[0]):
                self._disconnect(now)
            if self._end is not None and self.core.at_rest:
                break

    def _stop_blindly(self) -> None:
        # The robot must not depend on what has just failed.
        if self._bus_open and self.core.state not in (LinkState.DISCONNECTED, LinkState.LISTENING):
            stop_blindly(self._codec, self._send)

    def poll_memory(self, now: float) -> None:
        """Handle what the window wrote to the shared memory; `now` in s, of the clock."""
        self._apply_stop(now)
        if self._end is None:
            self.core.window_beat(self.memory.window_beat)
        for block in self.memory.references():
            self.core.reference(block)

    def _apply_stop(self, now: float) -> bool:
        """Carry out a new stop that the window requested in shared memory; return whether there was one."""
        new = self.core.stop_requested(*self.memory.stop_requested(), now)
        self._news |= new
        return new

    def _between(self) -> None:
        """Do work that can wait until there is time between two deadlines."""
        now = self._clock()
        spare = self._due - now
        since = now - self._published_at
        if spare > _SPARE_S or since > _PUBLISH_AT_LEAST_S:
            self.memory.flush()
        if since > _PUBLISH_AT_LEAST_S or (since > _PUBLISH_S and spare > _SPARE_S):
            self._published_at = now
            self._publish_telemetry(now)
        if now - self._collected > _COLLECT_S and (spare > _COLLECT_SPARE_S or not self._bus_open):
            self._collected = now
            gc.collect()

    def _wait(self) -> None:
        """Wait until the next deadline or an item of the inbox, and handle what arrived."""
        interval = _POLL_S if self._bus_open else _POLL_WITHOUT_BUS_S
        timeout = min(self._due - self._clock(), interval)
        if timeout > 0.0 and not self._left:
            self.inbox.wait(timeout)
        self._left = False
        for _ in range(_BATCH):
            if (item := self.inbox.pop()) is None:
                return
            now = self._clock()
            self.handle(item, now)
            if now >= self._due:
                break
        self._left = True

    def deliver(self, item: ReceivedFrame | BusChange | UnreadableData) -> None:
        """Deliver an item of the port's thread; only changes of the bus and foreign frames wake the loop."""
        if isinstance(item, ReceivedFrame) and self._codec.expects(item.frame):
            self.inbox.put_quietly(item)
        else:
            self.inbox.put(item)

    def handle(self, item: _Item, now: float) -> None:
        """Handle an item of the inbox; `now` in s, of the clock."""
        if not isinstance(item, ReceivedFrame):
            self._news = True
        match item:
            case ReceivedFrame(frame, sent):
                self._record(frame, sent=sent)
                if not (self._replayed and self._is_replayed(frame)):
                    self._news |= self.core.receive(frame, now)
            case LinkCommand(kind, number, values):
                # Shared memory is faster than the pipe in which commands wait: a stop there comes
                # first.
                stopped = self._apply_stop(now)
                if kind == "log":
                    self._begin_log(str(values.get("path", "")))
                elif kind == "close":
                    self.core.stop("The link is closed.", now)
                    self._end = now + self._end_s
                elif kind == "stop":
                    if not stopped:
                        self.core.command(item, now)
                elif self._end is not None:
                    pass  # nothing is started any more
                elif self._leave is not None:
                    why = "The link is being disconnected. Wait until the robot has received its stop."
                    self._report("warning", why, "refused")
                elif kind == "disconnect":
                    needs_stop = not self.core.at_rest and not self._replayed
                    self._leave = now + (self._end_s if needs_stop else 0.0), item
                    if needs_stop:  # the whole sequence with its waits, before the bus is closed
                        self.core.stop("Disconnected by the operator.", now)
                        return
                    self._disconnect(now)
                else:
                    self.core.command(item, now)
                    if kind == "connect" and self._port is None:
                        self._port = Port(self._loaded.profile.bus, self.deliver)
                self._carried_out = max(self._carried_out, number)
            case BusChange():
                self._bus_changed(item, now)
            case UnreadableData(text):
                self.core.unreadable(text, now)
            case _LogReport(severity, text):
                self._report(severity, text, "log")
            case PipeClosed():
                if self._end is None:
                    self.core.window_ended(now)
                    self._end = now + self._end_s

    def _bus_changed(self, change: BusChange, now: float) -> None:
        if not change.open and not self._bus_open:  # the core reports changes of an open bus
            self._report("error" if change.final else "warning", change.text, "bus")
        self._bus_open = change.open
        self._bus_problem = "" if change.open else change.text
        self.core.bus(change.open, change.text, now)
        if change.final:
            self._port = None

    def _is_replayed(self, frame: Frame) -> bool:
        """Return whether a frame of a log was sent by the link; its set-points are then shown again."""
        decoded = self._codec.decode_outgoing(frame)
        if decoded is None:
            return False
        if decoded.message.role == "set_point":
            for value in decoded.values:
                if value.quantity == "angle" and value.axis >= 0:
                    self._replayed_reference[value.axis] = value.value
        return True

    def _disconnect(self, now: float) -> None:
        assert self._leave is not None
        (_, command), self._leave = self._leave, None
        self.core.command(command, now)
        self._release()
        self._bus_problem = ""
        self._carried_out = max(self._carried_out, command.number)

    def _release(self) -> None:
        if self._port is not None:
            port = self._port
            self._port = None
            port.close()
        self._bus_open = False

    # ------------------------------------------------------------------------------------------ out

    def _send(self, frame: Frame) -> None:
        if self._port is None or not self._port.send(frame):
            raise LinkError(
                "The bus did not accept a frame because it is busy or no node acknowledges. Check cable and bit rate."
            )
        # several times as fast as `replace`; called hundreds of times a second
        sent = Frame(
            frame.id,
            frame.data,
            frame.extended,
            frame.remote,
            frame.fd,
            frame.error,
            self._clock(),
            frame.length,
        )
        self._record(sent, sent=True)

    def _record(self, frame: Frame, *, sent: bool) -> None:
        self.memory.show(frame, sent=sent)
        if self._log is not None:
            self._log.write(frame, sent=sent)

    def _publish_telemetry(self, now: float) -> None:
        telemetry = self.core.telemetry(now)
        port = self._port
        if self._replayed:
            telemetry = replace(telemetry, reference=self._replayed_reference)
        if self._bus_problem and telemetry.state is LinkState.DISCONNECTED:
            telemetry = replace(telemetry, reason=self._bus_problem)
        self.memory.publish_telemetry(
            replace(
                telemetry,
                carried_out=max(telemetry.carried_out, self._carried_out),
                error_frames=port.error_frames if port is not None else 0,
                send_errors=port.send_errors if port is not None else 0,
                bus_open=self._bus_open,
                priority=self._priority,
            )
        )

    def _report(self, severity: Severity, text: str, kind: str) -> None:
        self.memory.publish_event(LinkEvent(self._clock(), severity, text, kind))

    def _begin_log(self, path: str) -> None:
        if self._log is not None:
            self._log.end()
            self._log = None
        if not path:
            return
        try:
            check_log_path(Path(path))
        except LinkError as error:
            self._report("error", str(error), "log")
            return
        source = LogSource(self._loaded.profile, self._loaded.dbc_text)

        def report(severity: Severity, text: str) -> None:
            self.inbox.put(_LogReport(severity, text))

        self._log = FrameLog(Path(path), source, self._loaded.profile.bus.channel, report)

    def _close(self) -> None:
        self._release()
        if self._log is not None:
            self._log.end()
            self._log.join(_LOG_END_S)
        while (item := self.inbox.pop()) is not None:
            if isinstance(item, _LogReport):
                self._report(item.severity, item.text, "log")
        self.memory.flush()
        self._publish_telemetry(self._clock())


def _duration(steps: tuple[Step, ...]) -> float:
    """Return the longest duration of a sequence, s."""
    return sum(
        (step.wait_s or 0.0) + (step.timeout_s if step.expect is not None else 0.0)
        for step in steps
    )
