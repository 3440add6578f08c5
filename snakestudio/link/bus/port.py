"""The link's bus: a thread that opens and reads it, and reopens it after failures of the adapter."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from snakestudio.errors import LinkError
from snakestudio.link.bus.bus_errors import BusSetupError, UnreadableError, named, working_error
from snakestudio.link.bus.open_bus import CanBus, open_bus
from snakestudio.link.frame import Frame
from snakestudio.link.profile.schema import Bus

_FIRST_WAIT_S = 0.1
_LONGEST_WAIT_S = 2.0
_STABLE_S = 2.0
"""A bus that was open for this long is reopened immediately after a failure."""
_READ_S = 0.1
_GATHER_S = 0.002
"""Frames that arrive within this time are read together, instead of waking a thread for each."""
_ERROR_WAIT_S = 0.05
_ERRORS = 25
"""Receive errors in a row after which an adapter is closed and reopened."""
_SEND_FAILING_S = 0.25
_JOIN_S = 3.0


@dataclass(frozen=True, slots=True)
class ReceivedFrame:
    """A frame that was read; `sent` if it was sent by the link, which only a log records."""

    frame: Frame
    sent: bool


@dataclass(frozen=True, slots=True)
class BusChange:
    """Event: the bus was opened, or failed."""

    open: bool
    text: str
    """Message for users."""

    final: bool = False
    """Whether the bus is not reopened."""

    error: LinkError | None = None
    """Reason, if it is an error of this program."""


@dataclass(frozen=True, slots=True)
class UnreadableData:
    """Event: data that is not a frame; the bus itself works. `text` is the reason."""

    text: str


class Port:
    """A bus with the thread that reads it.

    Parameters
    ----------
    deliver : callable
        Called from that thread with each `ReceivedFrame`, `BusChange` and `UnreadableData`; must return
        immediately.

    Attributes
    ----------
    error_frames, send_errors : int
        Errors reported by the adapter or on reading it; frames that it did not accept.
    """

    def __init__(
        self,
        bus: Bus,
        deliver: Callable[[ReceivedFrame | BusChange | UnreadableData], None],
        opener: Callable[[Bus], CanBus] = open_bus,
    ) -> None:
        self.bus = bus
        self.error_frames = 0
        self.send_errors = 0
        self._deliver = deliver
        self._opener = opener
        self._can_bus: CanBus | None = None
        self._failing_since: float | None = None
        self._failure = ""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="snakestudio-bus", daemon=True)
        self._thread.start()

    def send(self, frame: Frame) -> bool:
        """Send a frame to the adapter; False if it did not accept it. For one thread only."""
        opened = self._can_bus
        if opened is None:
            return False
        try:
            opened.send(frame)
        except Exception as error:  # drivers raise any exception
            self.send_errors += 1
            now = time.monotonic()
            if self._failing_since is None:
                self._failing_since = now
            elif now - self._failing_since > _SEND_FAILING_S:
                self._failure = working_error(self.bus, error)
            return False
        self._failing_since = None
        return True

    def close(self) -> None:
        """Close the bus; nothing more is delivered, except items that are already being delivered."""
        self._closing.set()
        self._thread.join(_JOIN_S)  # an adapter that hangs while opening is left to its thread

    def _emit(self, item: ReceivedFrame | BusChange | UnreadableData) -> None:
        # After closing, nothing is delivered: a driver that hung may respond when another bus is open.
        if not self._closing.is_set():
            self._deliver(item)

    def _run(self) -> None:
        try:
            self._keep_open()
        except Exception as error:  # any error must be reported
            self._emit(BusChange(False, working_error(self.bus, error), True))

    def _keep_open(self) -> None:
        wait = _FIRST_WAIT_S
        last_failure = ""
        while not self._closing.is_set():
            try:
                opened = self._opener(self.bus)
            except LinkError as error:
                if self._closing.is_set():
                    return
                final = isinstance(error, BusSetupError)
                if str(error) != last_failure:
                    last_failure = str(error)
                    self._emit(BusChange(False, last_failure, final, error))
                if final:
                    return
                self._closing.wait(wait)
                wait = min(2 * wait, _LONGEST_WAIT_S)
                continue
            if (
                self._closing.is_set()
            ):  # opening took longer than `close` waits: another bus may be open by now
                opened.close()
                return
            began = time.monotonic()
            last_failure = ""
            self._failure = ""
            self._failing_since = None
            self._can_bus = opened
            self._emit(BusChange(True, f"{named(self.bus)} is open."))
            try:
                failure = self._read(opened)
            except LinkError as error:  # a replayed log has ended, or is damaged
                self._emit(BusChange(False, str(error), True, error))
                return
            finally:
                self._can_bus = None
                opened.close()
            if failure:
                last_failure = failure
                self._emit(BusChange(False, failure))
                wait = (
                    _FIRST_WAIT_S
                    if time.monotonic() - began > _STABLE_S
                    else min(2 * wait, _LONGEST_WAIT_S)
                )
                self._closing.wait(wait)

    def _read(self, opened: CanBus) -> str:
        """Deliver frames until the bus fails; return the reason, or "" after `close`.

        Raises `LinkError` when no more frames can come.
        """
        errors = 0
        waits = True
        looked = time.monotonic()
        while not self._closing.is_set():
            if self._failure:
                return self._failure
            try:
                received = opened.receive(_READ_S if waits else 0.0)
            except UnreadableError as error:
                self.error_frames += 1
                self._emit(UnreadableData(str(error)))
                continue
            except LinkError:
                raise
            except (
                Exception
            ) as error:  # drivers raise any exception, and a single error does not end reading
                errors += 1
                self.error_frames += 1
                if errors >= _ERRORS or _is_disconnected(error):
                    return working_error(self.bus, error)
                self._closing.wait(min(_ERROR_WAIT_S, 0.001 * errors))
                continue
            if received is not None:
                errors = 0
                waits = False
                self.error_frames += received[0].error
                self._emit(ReceivedFrame(*received))
            elif not waits:  # everything was read: further frames may gather for a moment
                waits = True
                time.sleep(_GATHER_S)
            now = time.monotonic()
            if now - looked > _READ_S:
                looked = now
                if off := opened.off():
                    return off
        return ""


def _is_disconnected(error: BaseException | None) -> bool:
    """Return whether the device no longer exists, according to the operating system."""
    while error is not None:
        if isinstance(error, OSError) and error.errno is not None:
            return True
        error = error.__cause__ or error.__context__
    return False
