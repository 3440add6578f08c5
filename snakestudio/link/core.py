"""The link without its bus: what is sent when, what is believed of the robot, and what stops it.

The core has no clock, no thread and no bus of its own: frames, commands and times are handed to it, and it answers by
calling `send`. The same course of calls gives the same frames, always, which is what makes it possible to test it with
millions of random ones. Its parts are small: `machine` (states), `limits` and `set_points`, `sequencer`, `watchdogs`,
`measured`, `arrivals`, `readiness`, `stopping`; here they are put together.

Two rules stand above all others. Whatever `stop` sends is sent in the same call, before anything else that is due.
And set-points go out in three situations only: while the robot is armed, while it is being armed, and while it is
disarmed in order; nothing but the operator's `arm` begins any of them.

Set-points begin **before** the arm sequence, equal to the angles measured when arming began: most drives (CiA 402
cyclic position, ODrive) move to the last set-point they have at the moment that torque comes on, so it has to be there
by then. Drives without torque ignore them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from snakestudio.link.arrivals import Arrivals, LoadMeter
from snakestudio.link.cyclic import Cyclic
from snakestudio.link.frame import Frame
from snakestudio.link.incoming import Incoming
from snakestudio.link.journal import Journal
from snakestudio.link.limits import AxisLimits
from snakestudio.link.machine import Machine, Trigger
from snakestudio.link.measured import MeasuredChecks
from snakestudio.link.messages import Command, LinkEvent, LinkState, ReferenceBlock, Severity, Telemetry
from snakestudio.link.observed import Observed
from snakestudio.link.outgoing import Outgoing
from snakestudio.link.profile.check import arming_problems
from snakestudio.link.profile.schema import Step
from snakestudio.link.readiness import Readiness
from snakestudio.link.references import Wiggle
from snakestudio.link.sequencer import Task
from snakestudio.link.set_points import SetPoints
from snakestudio.link.stopping import Stopping
from snakestudio.link.supervisor import Supervisor
from snakestudio.link.telemetry_builder import TelemetryBuilder
from snakestudio.link.watchdogs import Loss, Watchdogs
from snakestudio.link.words import axis_names

if TYPE_CHECKING:
    from snakestudio.link.codec import Codec

__all__ = ["LinkCore"]

FloatArray = NDArray[np.float64]

_POLL_S = 0.01
"""While torque is on, and while a sequence runs, watchdogs and sequences are no slower than this."""

_IDLE_POLL_S = 0.05

_REASONS_S = 0.05

_AHEAD_S = 1.0


class LinkCore:
    """The whole of the link but its bus.

    Parameters
    ----------
    codec : Codec
    send : callable
        Puts a frame on the bus at once. LinkError: it could not.
    tell : callable
        Takes what happened, in words.
    replay : bool
        Whether the bus is a log that is played: nothing is sent, and arming is refused.
    """

    def __init__(
        self,
        codec: Codec,
        *,
        send: Callable[[Frame], None],
        tell: Callable[[LinkEvent], None],
        replay: bool = False,
    ) -> None:
        profile = codec.profile
        self._codec, self._profile = codec, profile
        self._journal = Journal(tell)
        self._machine = Machine()
        self._observed = Observed(profile)
        limits = AxisLimits(profile)
        meter = self._meter = LoadMeter(profile)
        measured = MeasuredChecks(limits, self._observed)
        self._watchdogs = Watchdogs(profile, self._observed)
        self._arrivals = Arrivals(profile)
        self._incoming = Incoming(codec, self._observed, measured, self._arrivals, meter, self._journal)
        self._outgoing = Outgoing(codec, send, self._machine, self._watchdogs, meter, self._journal, replay=replay)
        self._set_points = SetPoints(codec, limits, self._outgoing)
        self._cyclic = Cyclic(profile)
        self._stopping = Stopping(profile, self._observed, self._journal)
        self._supervisor = Supervisor(limits, self._observed, self._watchdogs, self._arrivals, measured)
        self._readiness = Readiness(
            profile, limits, self._observed, measured, self._watchdogs, self._arrivals,
            arming_problems(codec.loaded), replay,
        )  # fmt: skip
        self._telemetry = TelemetryBuilder(
            profile, self._observed, self._incoming, self._outgoing, self._set_points, meter, replay=replay
        )
        self._task: Task | None = None
        self._held: FloatArray = np.zeros(codec.n_axes)
        self._reason = ""
        self._news = False
        self._foreign = False
        self._now = 0.0
        self._said: tuple[str, ...] = ()
        self._said_at: tuple[LinkState, Task | None, float] = self.state, None, math.nan
        self._carried_out = 0

    @property
    def state(self) -> LinkState:
        """Where it stands."""
        return self._machine.state

    # ------------------------------------------------------------------------------------------- the operator's wishes

    def command(self, command: Command, now: float) -> None:
        """Carry out, or refuse, what the operator wants (s)."""
        self._now = now
        self._carried_out = command.number
        match command.kind:
            case "stop":
                self.stop(str(command.values.get("reason", "Stopped by the operator.")), now)
            case "close":
                if self._torque_possible():
                    self.stop("The program was closed.", now)
            case "disconnect":
                self._disconnect(now)
            case "idle" | "listen":
                self._idle_or_listen(command.kind, now)
            case "arm":
                self._arm(now)
            case "disarm":
                self._disarm(now)
            case "stream":
                self._stream(now)
            case "reset":
                self._reset(now)
            case "zero":
                self._zero(now)
            case "wiggle":
                self._wiggle(command, now)
            case _:
                pass  # "connect" and "log" are the process's own: bus and log are no part of the core

    def stop(self, reason: str, now: float) -> None:
        """Send the stop sequence now; latched if torque was on, or may have been.

        Parameters
        ----------
        reason : str
            A sentence.
        now : float
            s.
        """
        if self.state in (LinkState.DISCONNECTED, LinkState.LISTENING):
            self._say(now, "warning", "No stop was sent: the link does not speak on the bus.", "stop")
            return
        self._halt(reason, now, self._profile.sequences.stop)

    def _disconnect(self, now: float) -> None:
        if self._torque_possible():
            self.stop("Disconnected by the operator.", now)
        self._abandon()
        if self._machine.fire("disconnect"):
            self._cyclic.stop()
            self._say(now, "info", "Disconnected.", "state")

    def _idle_or_listen(self, wish: Trigger, now: float) -> None:
        if self._task is not None:
            self._refuse(now, f"{self._task.words}; wait until that is done, or stop it.")
        elif not self._machine.fire(wish):
            self._refuse(now, {
                LinkState.DISCONNECTED: "No bus is open; connect first.",
                LinkState.FAULT: "The robot was stopped; reset it first.",
                LinkState.ARMED: "The robot is armed; disarm it first.",
                LinkState.STREAMING: "The robot is armed; disarm it first.",
            }.get(self.state, f"That is how it is already: {self.state.name}."))  # fmt: skip
        elif wish == "idle":
            self._cyclic.start(now)
            self._say(now, "info", "The link speaks on the bus; torque is off.", "state")
        else:
            self._cyclic.stop()
            self._say(now, "info", "The link only listens; nothing is sent.", "state")

    def _arm(self, now: float) -> None:
        if self.state is LinkState.STREAMING and self._task is None:
            self._machine.fire("hold")
            self._set_points.hold()
            self._say(now, "info", "The joints come to rest, and hold.", "state")
            return
        reasons = self._reasons(now)
        if reasons:
            self._refuse(now, f"The robot is not ready: {' '.join(reasons)}")
            return
        self._held = self._observed.values["angle"].copy()
        self._supervisor.begin(now)
        self._set_points.begin(self._held, now)
        self._begin(Task("arm", self._profile.sequences.arm, now), now)
        self._set_points.poll(now)
        self._advance(now)

    def _disarm(self, now: float) -> None:
        if self.state not in (LinkState.ARMED, LinkState.STREAMING) or self._task is not None:
            doing = "it is being disarmed" if self._task is not None else "it is not armed"
            self._refuse(now, f"The robot cannot be disarmed now: {doing}.")
            return
        self._machine.fire("hold")
        self._set_points.hold()
        sequences = self._profile.sequences
        self._begin(Task("disarm", sequences.disarm or sequences.stop, now), now)
        self._advance(now)

    def _stream(self, now: float) -> None:
        if self.state is not LinkState.ARMED or self._task is not None:
            self._refuse(now, "Only a robot that is armed can follow references; arm it first.")
            return
        self._notice_references(now)
        if not now - self._watchdogs.reference_at <= self._profile.timing.reference_timeout_s:
            self._refuse(now, "There are no references to follow; start a gait or a controller first.")
            return
        self._set_points.stream()
        self._machine.fire("stream")
        self._say(now, "good", "The joints are led to the references, and follow them.", "state")

    def _reset(self, now: float) -> None:
        # A robot that stopped by itself before we spoke to it needs a reset too, and changes no state of ours.
        if self.state not in (LinkState.FAULT, LinkState.IDLE) or (self._task and self._task.kind != "stop"):
            self._refuse(now, "There is nothing to reset now.")
        elif self._says_armed(now):
            self._refuse(now, "The robot still says that it is armed; stop it first.")
        elif not self._outgoing.bus_open:
            self._refuse(now, "No bus is open; the robot cannot be reset before it is.")
        else:
            self._machine.fire("reset")
            self._reason = ""
            self._begin(Task("reset", self._profile.sequences.reset, now), now)
            self._advance(now)

    def _zero(self, now: float) -> None:
        if self.state is not LinkState.IDLE or self._task is not None or self._observed.says("armed").any():
            self._refuse(now, "Joints are zeroed while torque is off and nothing else is under way; disarm first.")
        elif not self._profile.sequences.zero:
            self._refuse(now, "The profile has no zero sequence; give it one.")
        else:
            self._begin(Task("zero", self._profile.sequences.zero, now), now)
            self._advance(now)

    def _wiggle(self, command: Command, now: float) -> None:
        if self.state is not LinkState.ARMED or self._task is not None or self._set_points.wiggling:
            self._refuse(now, "One joint is wiggled while the robot is armed and holds; arm it first.")
            return
        try:
            wiggle = Wiggle.parse(command.values, self._codec.n_axes, now)
        except ValueError as error:
            self._refuse(now, f"The joint was not wiggled: {error}.")
            return
        self._set_points.wiggle(wiggle)
        self._say(now, "info", f"{self._profile.axes[wiggle.axis].name.capitalize()} is wiggled.", "state")

    # --------------------------------------------------------------------------------------------- what comes from it

    def receive(self, frame: Frame, now: float) -> None:
        """Take over a frame from the bus; any bytes will do."""
        self._now = now
        if self.state is not LinkState.DISCONNECTED:
            self._incoming.frame(frame, now)

    def bus(self, is_open: bool, text: str, now: float) -> None:
        """The adapter was opened, or failed.

        Parameters
        ----------
        is_open : bool
        text : str
            Why, in a sentence; may be empty.
        now : float
            s.
        """
        self._now = now
        if is_open == self._outgoing.bus_open:
            return
        self._outgoing.bus_open = is_open
        self._watchdogs.sending_worked()
        if not is_open:
            self._bus_lost(text or "The bus was closed.", now)
        elif self.state is LinkState.FAULT:
            # Before anything else: nobody knows what the robot did meanwhile.
            self._observed.forget()
            self._halt("", now, self._profile.sequences.stop)
            self._say(now, "warning", "The bus is open again, and the stop sequence was sent.", "bus")
        elif self._machine.fire("bus_opened"):
            self._incoming.forget()
            self._outgoing.sent = self._outgoing.errors = 0
            self._say(now, "info", text or "The bus is open; the link only listens.", "bus")

    def _bus_lost(self, text: str, now: float) -> None:
        if self._live():
            self._lose(Loss("bus", text), now)
            return
        self._abandon()
        self._say(now, "warning", text, "bus")
        if self._machine.fire("bus_closed"):
            self._cyclic.stop()

    def window_beat(self, at: float) -> None:
        """The window lived at a time (s)."""
        # A sign of life from the future would keep the watchdog quiet for good.
        if at <= self._now + _AHEAD_S and not self._watchdogs.window_at >= at:
            self._watchdogs.window_at = at

    def window_gone(self, now: float) -> None:
        """There is no window any more (s)."""
        self._now = now
        self._watchdogs.window_at = math.nan
        if self._live():
            self._lose(Loss("window", "The program's window is gone."), now)

    def reference(self, block: ReferenceBlock) -> None:
        """Take references over; ones that cannot be used are refused, and count as none."""
        problem = self._set_points.references.add(block)
        if problem:
            self._journal.say_once(self._now, "warning", f"References were refused: {problem}.", "reference")
        else:
            self._news = True

    # --------------------------------------------------------------------------------------------------- what is due

    def poll(self, now: float) -> float:
        """Do whatever is due by now (s); gives the time at which it wants to be asked next."""
        self._now = now
        if self.state in (LinkState.DISCONNECTED, LinkState.LISTENING):
            self._notice(now)
            return now + _IDLE_POLL_S
        self._notice_references(now)
        if self._live() and (loss := self._danger(now)) is not None:
            self._lose(loss, now)
        self._set_points.poll(now)
        if self._task is not None:
            self._advance(now)
        elif self.state is LinkState.FAULT and self._outgoing.bus_open and self._stopping.repeat(now):
            self._begin(Task("stop", self._profile.sequences.stop, now), now)
            self._advance(now)
        driving, stopped = self._set_points.running, self.state is LinkState.FAULT
        for message in self._cyclic.due(now, driving=driving, stopped=stopped):
            self._outgoing.frames(self._codec.frames(message), now)
        self._notice(now)
        busy = self._live() or self._task is not None
        return min(now + (_POLL_S if busy else _IDLE_POLL_S), self._set_points.next, self._cyclic.next())

    def _danger(self, now: float) -> Loss | None:
        doing = "" if self._task is None else self._task.kind
        return self._supervisor.check(now, self.state, doing, self._set_points.angle)

    def _advance(self, now: float) -> None:
        """Go on with the sequence that is under way, and end it."""
        task = self._task
        if task is None:
            return
        held = self._held if task.kind == "arm" else None
        progress = task.sequence.advance(now, lambda step: self._outgoing.step(step, held, now), self._observed.all_say)
        if progress == "running":
            return
        missed = task.sequence.missed
        if progress == "failed":
            text = f"{task.words}, but not all nodes said in time that they are {missed}."
            if task.kind in ("arm", "disarm"):
                self._lose(Loss("fault", text), now)
            else:
                self._task = None
                self._say(now, "error", text, "fault")
        elif task.kind == "arm":
            self._confirm(task, now)
        elif task.kind == "disarm":
            self._set_points.end()
            self._confirm(task, now)
        else:
            self._task = None
            if task.kind in ("zero", "reset"):
                self._say(now, "good", f"The {task.kind} sequence was sent.", "state")

    def _confirm(self, task: Task, now: float) -> None:
        """Armed, or no longer, is what the robot says itself, if its profile lets it."""
        arming = task.kind == "arm"
        observed = self._observed
        if observed.has_status:
            said = observed.all_say("armed", task.begin) if arming else observed.none_armed(task.begin)
            if not said:
                if task.confirmed_in_time(now, self._profile.timing.confirm_s):
                    return
                wrong = ~observed.says("armed") if arming else observed.says("armed")
                wrong |= ~(observed.status_time >= task.begin)
                names = axis_names(self._profile.axes, wrong)
                self._lose(Loss("fault", f"No word in time that {names} is {'' if arming else 'dis'}armed."), now)
                return
        self._task = None
        self._machine.fire("armed" if arming else "disarmed")
        self._say(now, "good", "The robot is armed, and holds." if arming else "The robot is disarmed.", "state")

    def _notice_references(self, now: float) -> None:
        # A window that repeats what is over gives no references, however often.
        if self._news and self._set_points.references.end > now:
            self._watchdogs.reference_at = now
        self._news = False

    def _notice(self, now: float) -> None:
        """Odd things that are told, whatever the state."""
        for text in self._arrivals.judge(now):
            self._say(now, "warning", text, "node")
        load = self._meter.load(now)
        if load > self._profile.timing.max_bus_load:
            self._journal.say_once(now, "warning", f"The bus is busy for {100 * load:.0f} % of the time.", "load")
        foreign = self.state in (LinkState.LISTENING, LinkState.IDLE) and self._task is None
        foreign = foreign and self._says_armed(now)
        if foreign and not self._foreign:
            self._say(now, "warning", "The robot is armed by somebody else.", "robot")
        self._foreign = foreign

    # ------------------------------------------------------------------------------------------------------ stopping

    def _live(self) -> bool:
        """Whether torque is on by our doing, or may be."""
        armed = self.state in (LinkState.ARMED, LinkState.STREAMING)
        return armed or (self._task is not None and self._task.kind == "arm")

    def _says_armed(self, now: float) -> bool:
        """Whether any node says now that it is armed; what a silent one said last is no news."""
        observed = self._observed
        return bool((observed.says("armed") & (now - observed.status_time <= self._profile.timing.lost_s)).any())

    def _torque_possible(self) -> bool:
        """Whether anything but a robot that is known to be off may be at the other end."""
        return self._live() or bool(self._observed.says("armed").any())

    def _lose(self, loss: Loss, now: float) -> None:
        sequences = self._profile.sequences
        gentle = getattr(self._profile.on_loss, loss.what) == "disarm" and sequences.disarm
        self._halt(loss.text, now, sequences.disarm if gentle else sequences.stop)

    def _halt(self, reason: str, now: float, steps: tuple[Step, ...]) -> None:
        latch = self._torque_possible()
        self._abandon()
        self._begin(Task("stop", steps, now), now)
        self._advance(now)
        self._stopping.begin(now)
        if latch and self._machine.fire("fault"):
            self._reason = reason
            self._say(now, "error", reason, "fault")
        elif self.state is LinkState.IDLE:
            self._say(now, "info", f"{reason} Torque was off; the stop sequence was sent all the same.", "stop")

    def _abandon(self) -> None:
        self._task = None
        self._set_points.end()
        self._news = False
        self._watchdogs.reference_at = math.nan

    # -------------------------------------------------------------------------------------------------------- telling

    def telemetry(self, now: float) -> Telemetry:
        """What is known (s). Priority and the adapter's error frames are the process's to fill in."""
        return self._telemetry.build(now, self.state, self._reason, self._reasons_lately(now), self._carried_out)

    def _reasons_lately(self, now: float) -> tuple[str, ...]:
        """As they were at most `_REASONS_S` ago in this very situation: putting them in words takes its time."""
        situation = self.state, self._task
        if self._said_at[:2] != situation or not now - self._said_at[2] < _REASONS_S:
            self._said, self._said_at = self._reasons(now), (*situation, now)
        return self._said

    def _reasons(self, now: float) -> tuple[str, ...]:
        return self._readiness.reasons(
            now,
            self.state,
            bus_load=self._meter.load(now),
            busy="" if self._task is None else self._task.words,
            stopped=self._reason,
        )

    def _begin(self, task: Task, now: float) -> None:
        self._task = task
        if task.kind != "stop":
            self._say(now, "info", f"{task.words}.", "state")

    def _refuse(self, now: float, text: str) -> None:
        self._say(now, "warning", text, "refused")

    def _say(self, now: float, severity: Severity, text: str, kind: str) -> None:
        self._journal.say(now, severity, text, kind)
