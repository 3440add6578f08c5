"""Starting a run together with other instruments: prepared, it waits for a trigger, then fires and starts at once.

One `SynchronizedStart` is one start. Its methods are called by one thread in their order:
`prepare`, `wait`, `go`, `accompany`, `close`; `start_now` and `cancel` may be called by any.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass

from snakestudio.errors import TriggerError
from snakestudio.model.recording import Recording
from snakestudio.sync.lsl import LslOutlet, wait_for_marker
from snakestudio.sync.protocol import Trigger
from snakestudio.sync.receiver import TriggerReceiver, welcome
from snakestudio.sync.sender import ClockOffset, TriggerSender

__all__ = ["SynchronizedStart", "Together", "Words"]

_LOOK_S = 0.05
_USUAL = ("connected", "went away")
"""Ends of remarks that are not worth noting in a run."""


@dataclass(frozen=True, slots=True)
class Together:
    """With whom to start."""

    fire: bool = False
    """Whether START is sent to `host`, `port` when the run starts, and STOP when it ends."""

    host: str = "localhost"
    port: int = 5005
    wait: str = ""
    """"" to start by hand, "port" to wait for START on `wait_port`, "lsl" for the first marker of
    `wait_stream`."""

    wait_port: int = 5005
    wait_host: str = ""
    """Address of this machine to wait at; "" for all of them."""

    wait_stream: str = ""
    """Name of a stream of the Lab Streaming Layer."""

    limit_s: float = 0.0
    """How long to wait, s; 0: until cancelled."""

    outlet: bool = False
    """Whether markers and the robot's pose go out as streams of the Lab Streaming Layer."""

    @property
    def at_itself(self) -> bool:
        """Whether it would fire at the port it waits on."""
        here = self.host.strip().lower() in ("localhost", "127.0.0.1", "::1", "0.0.0.0")
        return self.fire and here and self.wait == "port" and self.port == self.wait_port

    @property
    def empty(self) -> bool:
        """Whether there is nobody to start with."""
        return not (self.fire or self.wait or self.outlet)


@dataclass(frozen=True, slots=True)
class Words:
    """How what is done to a run is called."""

    by_hand: str = "Play"
    """What starts it here."""

    stopped: str = "the run was paused"
    """What became of it by a STOP."""


class SynchronizedStart:
    """One start together with others.

    Parameters
    ----------
    name : str
        Of the run, told to the others.
    start : callable
        Starts the run; called as soon as the trigger is there, on the thread that waits.
    refuses, stopped : callable
        See `TriggerReceiver`.
    words : Words
        How what is done to a run is called.

    Attributes
    ----------
    doing : str
        What goes on, for people.
    notes : list of str
        What happened, in sentences for the events of the run.
    trouble : str
        What went wrong although the run was started, in a sentence.
    trigger : Trigger or None
        What started it, if that came from outside.
    started : float or None
        Unix time at which the run was told to start, s.
    """

    def __init__(
        self,
        choices: Together,
        name: str,
        start: Callable[[], None],
        refuses: Callable[[], str] = welcome,
        stopped: Callable[[str], None] | None = None,
        words: Words = Words(),
    ) -> None:
        self.choices = choices
        self.name = name
        self._words = words
        self._refuses = refuses
        self._stopped = stopped
        self._start = start
        self.doing = ""
        self.notes: list[str] = []
        self.trouble = ""
        self.trigger: Trigger | None = None
        self.started: float | None = None
        self._now, self._cancelled = threading.Event(), threading.Event()
        self._sender: TriggerSender | None = None
        self._receiver: TriggerReceiver | None = None
        self._outlet: LslOutlet | None = None

    def __enter__(self) -> SynchronizedStart:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start_now(self) -> None:
        """Do not wait any longer."""
        self._now.set()

    def cancel(self) -> None:
        """Do not start."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """Whether it was given up."""
        return self._cancelled.is_set()

    @property
    def clock(self) -> ClockOffset | None:
        """How the clock of whom it fires at stands to that of this machine, as far as known."""
        return None if self._sender is None else self._sender.clock

    @property
    def port(self) -> int | None:
        """The port it listens on."""
        return None if self._receiver is None else self._receiver.port

    def prepare(self) -> None:
        """Listen, connect and compare the clocks.

        Raises `TriggerError` if one of them does not work.
        """
        choices = self.choices
        if choices.at_itself:
            raise TriggerError(
                f"Port {choices.port} of this machine is both waited on and fired at; take another one for one of them."
            )
        try:
            if choices.outlet:
                self._outlet = LslOutlet()
            if choices.fire:
                self.doing = f"Connecting to {choices.host}:{choices.port} ..."
                self._sender = TriggerSender(choices.host, choices.port)
                self._sender.compare_clocks()
            if choices.wait == "port":  # last: whoever connects is listened to from now on
                self._receiver = TriggerReceiver(
                    choices.wait_port, choices.wait_host, self._refuses, self._stopped
                )
        except BaseException:
            self.close()
            raise
        self.doing = self._waiting()

    def _waiting(self) -> str:
        fired = (
            f" START goes to {self.choices.host}:{self.choices.port}." if self.choices.fire else ""
        )
        if self._receiver is not None:
            at = f" at {self.choices.wait_host}" if self.choices.wait_host else ""
            return f"Waiting for START on port {self._receiver.port}{at}.{fired}"
        if self.choices.wait == "lsl":
            return f"Waiting for a marker of the LSL stream '{self.choices.wait_stream}'.{fired}"
        return f"Ready: {self._words.by_hand} starts it.{fired}"

    def wait(self) -> bool:
        """Wait for the trigger, or for `start_now`.

        Raises `TriggerError` if nothing came within the limit.

        Returns
        -------
        bool
            False if it was cancelled.
        """
        limit = self.choices.limit_s or None
        if self._receiver is not None:
            self.trigger = self._receiver.wait("START", limit, self._awaited)
        elif self.choices.wait == "lsl":
            self.trigger = wait_for_marker(self.choices.wait_stream, limit, self._awaited)
        else:
            while not self._awaited():
                self._now.wait(_LOOK_S)
        return not self.cancelled

    def _awaited(self) -> bool:
        return self._now.is_set() or self.cancelled

    def go(self) -> None:
        """Fire and start, then gather what the others say.

        Raises `TriggerError` if START cannot be sent; the run is not started then.
        """
        sent = None if self._sender is None else self._sender.fire("START", self.name)
        self._start()
        self.started = time.time()
        if self._outlet is not None:
            self._outlet.mark(f"START {self.name}")
        self.doing = "Started."
        if self.trigger is not None:
            late = 1e3 * (self.started - self.trigger.received)
            self.notes.append(
                f"{self.trigger.sentence()}; the run was started {late:.3f} ms later."
            )
        if self._sender is not None and sent is not None:
            try:
                with nullcontext() if self._receiver is None else self._receiver.meanwhile():
                    self.notes.append(f"{self._sender.acknowledged('START', sent).sentence()}.")
            except TriggerError as error:
                self.trouble = f"START was sent, but {str(error)[:1].lower()}{str(error)[1:]}"
                self.notes.append(self.trouble)

    def accompany(
        self,
        ended: Callable[[], bool],
        stop: Callable[[], None],
        recording: Callable[[], Recording | None],
    ) -> None:
        """Stay until the run has ended: send its rows out, and stop it when the others stop.

        Parameters
        ----------
        ended : callable
            Asked about 20 times a second.
        stop : callable
            Stops the run.
        recording : callable
            Gives the recording of the run.
        """

        def look() -> bool:
            run = recording()
            if self._outlet is not None and run is not None:
                self._outlet.follow(run)
            return ended() or self.cancelled

        if self._receiver is not None:
            stopped = self._receiver.wait("STOP", None, look)
            if stopped is not None:
                stop()
                self.notes.append(f"{stopped.sentence()}; {self._words.stopped}.")
        else:
            while not look():
                self._cancelled.wait(_LOOK_S)
        self.finish()

    def finish(self) -> None:
        """Tell the others that the run has ended."""
        if self._outlet is not None:
            self._outlet.mark(f"STOP {self.name}")
        if self._sender is not None:
            try:
                self.notes.append(
                    f"{self._sender.acknowledged('STOP', self._sender.fire('STOP', self.name)).sentence()}."
                )
            except TriggerError as error:
                self.notes.append(f"STOP was not sent: {error}")
        if self._receiver is not None:
            self.notes += [
                f"Trigger: {remark}."
                for remark in self._receiver.remarks
                if not remark.endswith(_USUAL)
            ]

    def close(self) -> None:
        """Let everybody go."""
        self._outlet = None
        if self._sender is not None:
            self._sender.close()
        if self._receiver is not None:
            self._receiver.close()
