"""Synchronized start of a run with other instruments: prepares, waits for a trigger, then triggers others and starts.

One `SynchronizedStart` is one start. One thread calls its methods in this order: `prepare`, `wait`, `start_run`,
`accompany`, `close`. Any thread may call `start_now` and `cancel`.
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

_LOOK_S = 0.05
_USUAL = ("connected", "disconnected")
"""Ends of remarks that are not recorded in a run."""


@dataclass(frozen=True, slots=True)
class StartSettings:
    """Settings of a synchronized start."""

    fire: bool = False
    """Whether START is sent to `host`, `port` when the run starts, and STOP when it ends."""

    host: str = "localhost"
    port: int = 5005
    wait: str = ""
    """"" to start manually, "port" to wait for START on `wait_port`, "lsl" to wait for the first marker of
    `wait_stream`."""

    wait_port: int = 5005
    wait_host: str = ""
    """Address of this computer to listen on; "" for all addresses."""

    wait_stream: str = ""
    """Name of a stream of the Lab Streaming Layer."""

    limit_s: float = 0.0
    """Time limit, s; 0: until cancelled."""

    outlet: bool = False
    """Whether to send markers and the robot's pose as LSL streams."""

    @property
    def at_itself(self) -> bool:
        """Whether the trigger would go to the port that is waited on."""
        here = self.host.strip().lower() in ("localhost", "127.0.0.1", "::1", "0.0.0.0")
        return self.fire and here and self.wait == "port" and self.port == self.wait_port

    @property
    def empty(self) -> bool:
        """Whether no other instrument is involved."""
        return not (self.fire or self.wait or self.outlet)


@dataclass(frozen=True, slots=True)
class ActionNames:
    """Names of actions on a run."""

    by_hand: str = "Play"
    """The action that starts the run."""

    stopped: str = "the run was paused"
    """The effect of a STOP."""


class SynchronizedStart:
    """A synchronized start.

    Parameters
    ----------
    name : str
        Name of the run, sent to the peers.
    start : callable
        Starts the run; called on the waiting thread when the trigger arrives.
    refuses, stopped : callable
        See `TriggerReceiver`.
    action_names : ActionNames
        Names of actions on a run.

    Attributes
    ----------
    doing : str
        Current activity, for display.
    notes : list of str
        Events of the run, in sentences.
    trouble : str
        A problem that did not prevent the start, in a sentence.
    trigger : Trigger or None
        The external trigger that started the run.
    started : float or None
        Unix time at which `start` was called, s.
    """

    def __init__(
        self,
        choices: StartSettings,
        name: str,
        start: Callable[[], None],
        refuses: Callable[[], str] = welcome,
        stopped: Callable[[str], None] | None = None,
        action_names: ActionNames = ActionNames(),
    ) -> None:
        self.choices = choices
        self.name = name
        self._action_names = action_names
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
        """End waiting and start."""
        self._now.set()

    def cancel(self) -> None:
        """Cancel the start."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """Whether the start was cancelled."""
        return self._cancelled.is_set()

    @property
    def clock(self) -> ClockOffset | None:
        """Clock offset of the triggered peer; None if unknown."""
        return None if self._sender is None else self._sender.clock

    @property
    def port(self) -> int | None:
        """The port that it listens on."""
        return None if self._receiver is None else self._receiver.port

    def prepare(self) -> None:
        """Listen, connect and compare the clocks.

        Raises `TriggerError` if one of these fails.
        """
        choices = self.choices
        if choices.at_itself:
            raise TriggerError(
                f"Port {choices.port} of this computer is used both to wait and to send START. Use different ports."
            )
        try:
            if choices.outlet:
                self._outlet = LslOutlet()
            if choices.fire:
                self.doing = f"Connecting to {choices.host}:{choices.port}..."
                self._sender = TriggerSender(choices.host, choices.port)
                self._sender.compare_clocks()
            if choices.wait == "port":  # last, because peers are handled from now on
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
        return f"Ready: {self._action_names.by_hand} starts it.{fired}"

    def wait(self) -> bool:
        """Return the wait for the trigger, or for `start_now`.

        Raises `TriggerError` if no trigger arrives within the limit.

        Returns
        -------
        bool
            False if cancelled.
        """
        limit = self.choices.limit_s or None
        if self._receiver is not None:
            self.trigger = self._receiver.wait("START", limit, self._is_due)
        elif self.choices.wait == "lsl":
            self.trigger = wait_for_marker(self.choices.wait_stream, limit, self._is_due)
        else:
            while not self._is_due():
                self._now.wait(_LOOK_S)
        return not self.cancelled

    def _is_due(self) -> bool:
        return self._now.is_set() or self.cancelled

    def start_run(self) -> None:
        """Send the trigger and start, then collect the answers.

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
        """Wait until the run has ended: send its rows, and stop it when a peer stops.

        Parameters
        ----------
        ended : callable
            Polled about 20 times a second; returns whether the run has ended.
        stop : callable
            Stops the run.
        recording : callable
            Returns the recording of the run.
        """

        def is_over() -> bool:
            run = recording()
            if self._outlet is not None and run is not None:
                self._outlet.follow(run)
            return ended() or self.cancelled

        if self._receiver is not None:
            stopped = self._receiver.wait("STOP", None, is_over)
            if stopped is not None:
                stop()
                self.notes.append(f"{stopped.sentence()}; {self._action_names.stopped}.")
        else:
            while not is_over():
                self._cancelled.wait(_LOOK_S)
        self.finish()

    def finish(self) -> None:
        """Notify the peers that the run has ended."""
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
        """Close all connections."""
        self._outlet = None
        if self._sender is not None:
            self._sender.close()
        if self._receiver is not None:
            self._receiver.close()
