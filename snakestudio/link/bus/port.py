"""The link's bus, kept open: a thread that opens, reads and opens again, whatever the adapter does meanwhile."""

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
"""A bus that was open so long is tried again at once after it failed."""
_READ_S = 0.1
_GATHER_S = 0.002
"""Frames that come within so short a time are read one after the other, instead of waking somebody
each."""
_ERROR_WAIT_S = 0.05
_ERRORS = 25
"""Receive errors in a row after which an adapter is closed and opened again."""
_SEND_FAILING_S = 0.25
_JOIN_S = 3.0


@dataclass(frozen=True, slots=True)
class Received:
    """A frame that was read; `sent`: by us, as a log tells."""

    frame: Frame
    sent: bool


@dataclass(frozen=True, slots=True)
class BusChange:
    """The bus was opened, or it failed."""

    open: bool
    text: str
    """A sentence."""

    final: bool = False
    """Whether it is not tried again."""

    error: LinkError | None = None
    """Why, where it is one of our own."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Something came that is no frame; the bus is well. Why, a sentence."""

    text: str


class Port:
    """A bus with the thread that reads it.

    Parameters
    ----------
    deliver : callable
        Called from that thread with every `Received`, `BusChange` and `Unreadable`; must return at
        once.

    Attributes
    ----------
    error_frames, send_errors : int
        Errors that the adapter reported or that reading it gave; frames that it did not take.
    """

    def __init__(
        self,
        bus: Bus,
        deliver: Callable[[Received | BusChange | Unreadable], None],
        opener: Callable[[Bus], CanBus] = open_bus,
    ) -> None:
        self.bus = bus
        self.error_frames = 0
        self.send_errors = 0
        self._deliver = deliver
        self._opener = opener
        self._opened: CanBus | None = None
        self._failing_since: float | None = None
        self._failure = ""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="snakestudio-bus", daemon=True)
        self._thread.start()

    def send(self, frame: Frame) -> bool:
        """Hand a frame to the adapter; False if it did not take it. From one thread."""
        opened = self._opened
        if opened is None:
            return False
        try:
            opened.send(frame)
        except Exception as error:  # drivers raise anything
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
        """Give the bus back; nothing is delivered any more but what is on its way."""
        self._closing.set()
        self._thread.join(_JOIN_S)  # an adapter that hangs while it opens is left to its thread

    def _say(self, item: Received | BusChange | Unreadable) -> None:
        """Deliver it, unless nobody waits for it: a driver that hung may answer long after another took over."""
        if not self._closing.is_set():
            self._deliver(item)

    def _run(self) -> None:
        try:
            self._keep_open()
        except Exception as error:  # whatever it is, it must not end in silence
            self._say(BusChange(False, working_error(self.bus, error), True))

    def _keep_open(self) -> None:
        wait = _FIRST_WAIT_S
        said = ""
        while not self._closing.is_set():
            try:
                opened = self._opener(self.bus)
            except LinkError as error:
                if self._closing.is_set():
                    return
                final = isinstance(error, BusSetupError)
                if str(error) != said:
                    said = str(error)
                    self._say(BusChange(False, said, final, error))
                if final:
                    return
                self._closing.wait(wait)
                wait = min(2 * wait, _LONGEST_WAIT_S)
                continue
            if (
                self._closing.is_set()
            ):  # it took longer than anybody waited: another one may be in its place by now
                opened.close()
                return
            began = time.monotonic()
            said = ""
            self._failure = ""
            self._failing_since = None
            self._opened = opened
            self._say(BusChange(True, f"{named(self.bus)} is open."))
            try:
                failure = self._read(opened)
            except LinkError as error:  # of a log that is played: it has ended, or is broken
                self._say(BusChange(False, str(error), True, error))
                return
            finally:
                self._opened = None
                opened.close()
            if failure:
                said = failure
                self._say(BusChange(False, failure))
                wait = (
                    _FIRST_WAIT_S
                    if time.monotonic() - began > _STABLE_S
                    else min(2 * wait, _LONGEST_WAIT_S)
                )
                self._closing.wait(wait)

    def _read(self, opened: CanBus) -> str:
        """Deliver frames until the bus fails; says why, or "" when it shall be closed.

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
                self._say(Unreadable(str(error)))
                continue
            except LinkError:
                raise
            except (
                Exception
            ) as error:  # drivers raise anything, and one error is no reason to stop reading
                errors += 1
                self.error_frames += 1
                if errors >= _ERRORS or _is_gone(error):
                    return working_error(self.bus, error)
                self._closing.wait(min(_ERROR_WAIT_S, 0.001 * errors))
                continue
            if received is not None:
                errors = 0
                waits = False
                self.error_frames += received[0].error
                self._say(Received(*received))
            elif not waits:  # all that came is taken: what comes next may gather for a moment
                waits = True
                time.sleep(_GATHER_S)
            now = time.monotonic()
            if now - looked > _READ_S:
                looked = now
                if off := opened.off():
                    return off
        return ""


def _is_gone(error: BaseException | None) -> bool:
    """Whether the operating system says that there is nothing to read from any more, not just that one read failed."""
    while error is not None:
        if isinstance(error, OSError) and error.errno is not None:
            return True
        error = error.__cause__ or error.__context__
    return False
