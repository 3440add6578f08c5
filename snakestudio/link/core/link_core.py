"""The link without its bus: sends frames, evaluates the robot's frames, and stops the robot.

The core has no clock, thread or bus: frames, commands and times are passed to it, and it calls
`send`. The same series of calls always gives the same frames, so it can be tested with millions of
random calls. Its parts are small: `machine` (states), `torque_control` (sequences and stops),
`limits` and `set_points`, `watchdogs`, `plausibility`, `arrivals`, `readiness`. This module combines
them, and decides whether a command is carried out.

Two rules have priority over all others. `stop` sends its frames in the same call, before anything
else that is due. And set-points are sent only in three situations: while the robot is armed, while
it is being armed, and while it is being disarmed in order; only the operator's `arm` can start them.

Set-points begin **before** the arm sequence, equal to the angles measured when arming began: most
drives (CiA 402 cyclic position, ODrive) move to their last set-point at the moment the torque is
switched on, so they must have it by then. Drives without torque ignore set-points.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from snakestudio.link.core.arrivals import Arrivals, LoadMeter
from snakestudio.link.core.foreign_master import ForeignMaster
from snakestudio.link.core.journal import Journal
from snakestudio.link.core.limited import LimitMonitor
from snakestudio.link.core.limits import AxisLimits
from snakestudio.link.core.machine import Machine, Trigger
from snakestudio.link.core.node_states import NodeStates
from snakestudio.link.core.plausibility import PlausibilityChecks
from snakestudio.link.core.readiness import Readiness, Supervisor, refused_plugins
from snakestudio.link.core.references import Wiggle
from snakestudio.link.core.rx_path import RxPath
from snakestudio.link.core.sender import PeriodicMessages
from snakestudio.link.core.sequencer import Task
from snakestudio.link.core.set_points import SetPoints
from snakestudio.link.core.telemetry_builder import TelemetryBuilder
from snakestudio.link.core.text import axis_names
from snakestudio.link.core.torque_control import TorqueControl
from snakestudio.link.core.tx_gate import TxGate
from snakestudio.link.core.watchdogs import Loss, Watchdogs
from snakestudio.link.frame import Frame
from snakestudio.link.messages import (
    BEGINNING,
    LinkCommand,
    LinkEvent,
    LinkState,
    ReferenceBlock,
    Severity,
    Telemetry,
)
from snakestudio.link.profile.check import arming_problems
from snakestudio.link.profile.expected import ExpectedIntervals

if TYPE_CHECKING:
    from snakestudio.link.core.codec import Codec

_POLL_S = 0.01
"""Longest interval of watchdogs and sequences while torque is on, or a sequence runs, s."""

_IDLE_POLL_S = 0.05

_REASONS_S = 0.05

_AHEAD_S = 1.0


class LinkCore:
    """The link without its bus.

    Parameters
    ----------
    send : callable
        Sends a frame to the bus immediately; raises `LinkError` if this fails.
    publish : callable
        Called with each event.
    replay : bool
        Whether the bus is a replayed log: nothing is sent, and arming is refused.

    Attributes
    ----------
    set_points : SetPoints
        Set-points of the axes.
    """

    def __init__(
        self,
        codec: Codec,
        *,
        send: Callable[[Frame], None],
        publish: Callable[[LinkEvent], None],
        replay: bool = False,
    ) -> None:
        profile = codec.profile
        self._codec = codec
        self._profile = profile
        self._journal = Journal(publish)
        self._machine = Machine()
        self._node_states = NodeStates(profile)
        limits = AxisLimits(profile)
        meter = self._meter = LoadMeter(profile)
        plausibility = PlausibilityChecks(limits, self._node_states)
        self._watchdogs = Watchdogs(profile, self._node_states)
        self._arrivals = Arrivals(profile)
        self._foreign_master = ForeignMaster(codec, replay=replay)
        expected = ExpectedIntervals(profile, codec.pages)
        self._limited = LimitMonitor(profile, limits, self._node_states, expected)
        self._rx = RxPath(
            codec,
            self._node_states,
            plausibility,
            self._arrivals,
            self._foreign_master,
            meter,
            self._journal,
        )
        self._tx = TxGate(
            codec, send, self._machine, self._watchdogs, meter, self._journal, replay=replay
        )
        self.set_points = SetPoints(codec, limits, self._tx)
        self._periodic = PeriodicMessages(profile)
        self._torque = TorqueControl(
            profile,
            self._machine,
            self._node_states,
            self._tx,
            self.set_points,
            self._watchdogs,
            self._journal,
        )
        self._supervisor = Supervisor(
            limits, self._node_states, self._watchdogs, self._arrivals, plausibility, self._limited
        )
        self._readiness = Readiness(
            profile,
            limits,
            self._node_states,
            plausibility,
            self._watchdogs,
            self._arrivals,
            self._limited,
            self._foreign_master,
            arming_problems(codec.loaded),
            replay,
        )
        self._telemetry = TelemetryBuilder(
            profile,
            self._node_states,
            expected,
            self._rx,
            self._tx,
            self.set_points,
            meter,
            replay=replay,
        )
        self._news = False
        self._foreign = self._foreign_master_reported = False
        self._replay = replay
        self._now = 0.0
        self._last_reasons: tuple[str, ...] = ()
        self._last_situation: tuple[LinkState, Task | None, float] = self.state, None, math.nan
        self._carried_out = 0
        self._stops = 0

    @property
    def state(self) -> LinkState:
        """State of the link."""
        return self._machine.state

    @property
    def at_rest(self) -> bool:
        """Whether no more frames need to be sent to the robot before its bus is closed."""
        return self._torque.at_rest

    # ------------------------------------------------------------------------ the operator's wishes

    def stop(self, reason: str, now: float) -> None:
        """Send the stop sequence now; latched if torque was or may have been on.

        Parameters
        ----------
        reason : str
            Message for users.
        now : float
            s.
        """
        self._now = now
        if self.state in (LinkState.DISCONNECTED, LinkState.LISTENING):
            self._report(
                now,
                "warning",
                "No stop was sent because the link does not send on the bus.",
                "stop",
            )
            return
        self._torque.halt(reason, now)

    def stop_requested(self, count: int, reason: str, now: float) -> bool:
        """Stop if the number of requested stops at `now` (s) has increased; return whether it has."""
        if count <= self._stops:
            return False
        self._stops = count
        self.stop(reason, now)
        return True

    def command(self, command: LinkCommand, now: float) -> None:
        """Carry out or refuse a command of the operator at `now` (s)."""
        self._now = now
        self._carried_out = command.number
        self._notice_references(now)
        kind = command.kind
        values = command.values
        if kind == "stop":
            number = values.get("request")
            # A stop that is already counted arrived by a faster way; one with an unknown number is
            # carried out, too.
            if not (isinstance(number, int) and 0 < number <= self._stops):
                self.stop(str(values.get("reason", "Stopped by the operator.")), now)
        elif kind in BEGINNING and self._is_over(values.get("stops", 0)):
            self._refuse(
                now, f"“{kind}” was requested before the stop, and is not carried out after it."
            )
        else:
            self._carry_out(command, now)

    def _is_over(self, stops: object) -> bool:
        """Return whether a stop was requested after a command that was given at this number of stops."""
        return not isinstance(stops, int) or stops < self._stops

    def _carry_out(self, command: LinkCommand, now: float) -> None:
        match command.kind:
            case "close":
                if self._torque.torque_possible:
                    self.stop("The program was closed.", now)
            case "disconnect":
                self._disconnect(now)
            case "idle" | "listen":
                self._idle_or_listen(command.kind, now)
            case "arm":
                self._arm(now, _plugins_of(command))
            case "disarm":
                self._disarm(now)
            case "stream":
                self._stream(now, _plugins_of(command))
            case "reset":
                self._reset(now)
            case "zero":
                self._zero(now)
            case "wiggle":
                self._wiggle(command, now)
            case _:
                pass  # the process handles "connect" and "log": bus and log are not part of the core

    def _disconnect(self, now: float) -> None:
        if self._torque.torque_possible:
            self.stop("Disconnected by the operator.", now)
        self._torque.abandon()
        if self._machine.fire("disconnect"):
            self._tx.bus_open = False
            self._periodic.stop()
            self._report(now, "info", "Disconnected.", "state")

    def _idle_or_listen(self, wish: Trigger, now: float) -> None:
        if self._torque.task is not None:
            self._refuse(
                now, f"{self._torque.task.description}. Wait until this has finished, or stop it."
            )
        elif not self._machine.fire(wish):
            self._refuse(
                now,
                {
                    LinkState.DISCONNECTED: "No bus is open. Connect first.",
                    LinkState.FAULT: "The robot was stopped. Reset it first.",
                    LinkState.ARMED: "The robot is armed. Disarm it first.",
                    LinkState.STREAMING: "The robot is armed. Disarm it first.",
                }.get(self.state, f"Already {self.state.name}."),
            )
        elif wish == "idle":
            self._periodic.start(now)
            self._report(now, "info", "The link sends on the bus; torque is off.", "state")
        else:
            self._periodic.stop()
            self._report(now, "info", "The link only listens; nothing is sent.", "state")

    def _arm(self, now: float, plugins: tuple[str, ...] = ()) -> None:
        if self.state is LinkState.STREAMING and self._torque.task is None:
            self._machine.fire("hold")
            self.set_points.hold()
            self._report(now, "info", "The joints come to rest and hold their position.", "state")
            return
        reasons = (*self._reasons(now), *refused_plugins(self._profile, plugins))
        if reasons:
            self._refuse(now, f"The robot is not ready: {' '.join(reasons)}")
            return
        held = self._torque.held = self._node_states.values["angle"].copy()
        self._supervisor.begin(now)
        self.set_points.begin(held, now)
        self._torque.begin("arm", now)

    def _disarm(self, now: float) -> None:
        if (
            self.state not in (LinkState.ARMED, LinkState.STREAMING)
            or self._torque.task is not None
        ):
            doing = "it is being disarmed" if self._torque.task is not None else "it is not armed"
            self._refuse(now, f"The robot cannot be disarmed now: {doing}.")
            return
        self._machine.fire("hold")
        self.set_points.hold()
        self._torque.begin("disarm", now)

    def _stream(self, now: float, plugins: tuple[str, ...] = ()) -> None:
        if refused := refused_plugins(self._profile, plugins):
            self._refuse(now, " ".join(refused))
            return
        if self.state is not LinkState.ARMED or self._torque.task is not None:
            self._refuse(now, "Only an armed robot can follow references. Arm it first.")
            return
        if not now - self._watchdogs.reference_at <= self._profile.timing.reference_timeout_s:
            self._refuse(
                now, "There are no references to follow. Start a gait or a controller first."
            )
            return
        self.set_points.stream()
        self._machine.fire("stream")
        self._report(now, "good", "The joints move to the references and follow them.", "state")

    def _reset(self, now: float) -> None:
        # A robot that stopped by itself before the link was connected also needs a reset, without a
        # change of the link's state.
        task = self._torque.task
        if self.state not in (LinkState.FAULT, LinkState.IDLE) or (
            task is not None and task.kind != "stop"
        ):
            self._refuse(now, "There is nothing to reset now.")
        elif self._torque.reports_armed(now):
            self._refuse(
                now, "The robot still reports that its torque is or may be on. Stop it first."
            )
        elif self.state is LinkState.FAULT and (armed := self._node_states.torque()).any():
            names = axis_names(self._profile.axes, armed)
            status = f"According to the last status of {names}, its torque is on"
            self._refuse(now, f"{status}. Restart the robot and reset it, or disconnect.")
        elif self.state is LinkState.FAULT and (unknown := self._node_states.unknown()).any():
            names = axis_names(self._profile.axes, unknown)
            status = f"The last status of {names} is not defined in the profile"
            self._refuse(now, f"{status}. Add it to the profile's status values, or disconnect.")
        elif not self._tx.bus_open:
            self._refuse(now, "No bus is open. Connect before resetting the robot.")
        else:
            self._machine.fire("reset")
            self._torque.reason = ""
            self._torque.begin("reset", now)

    def _zero(self, now: float) -> None:
        if (
            self.state is not LinkState.IDLE
            or self._torque.task is not None
            or self._node_states.torque().any()
        ):
            self._refuse(
                now,
                "Joints can be zeroed only while torque is off and no other sequence runs. Disarm first.",
            )
        elif not self._profile.sequences.zero:
            self._refuse(now, "The profile has no zero sequence. Add one.")
        else:
            self._torque.begin("zero", now)

    def _wiggle(self, command: LinkCommand, now: float) -> None:
        if (
            self.state is not LinkState.ARMED
            or self._torque.task is not None
            or self.set_points.wiggling
        ):
            self._refuse(
                now, "A joint can be wiggled only while the robot is armed and holds. Arm it first."
            )
            return
        try:
            wiggle = Wiggle.parse(command.values, len(self._profile.axes), now)
        except ValueError as error:
            self._refuse(now, f"The joint was not wiggled: {error}.")
            return
        self.set_points.wiggle(wiggle)
        self._report(
            now,
            "info",
            f"{self._profile.axes[wiggle.axis].name.capitalize()} is being wiggled.",
            "state",
        )

    def _refuse(self, now: float, text: str) -> None:
        self._journal.report(now, "warning", text, "refused")

    # --------------------------------------------------------------------------- what comes from it

    def receive(self, frame: Frame, now: float) -> bool:
        """Handle a frame from the bus with any bytes.

        Returns
        -------
        bool
            Whether it contains something for which `poll` should be called immediately.
        """
        self._now = now
        if self.state is LinkState.DISCONNECTED:
            return False
        new = self._rx.frame(frame, now)
        if self._torque.live and (foreign_master := self._foreign_master.reason(now)):
            self._torque.halt(foreign_master, now)
        return new or self._torque.task is not None  # sequences wait for the robot's status

    def unreadable(self, text: str, now: float) -> None:
        """Handle data on the bus that is not a frame, at `now` (s)."""
        self._now = now
        if self.state is not LinkState.DISCONNECTED:
            self._rx.unreadable_at(text, now)

    def bus(self, is_open: bool, text: str, now: float) -> None:
        """Handle a change of the bus: it was opened, or failed.

        Parameters
        ----------
        text : str
            Message with the reason; may be empty.
        now : float
            s.
        """
        self._now = now
        if is_open == self._tx.bus_open:
            return
        self._tx.bus_open = is_open
        self._watchdogs.sending_worked()
        if not is_open:
            self._bus_lost(text or "The bus was closed.", now)
        elif self.state is LinkState.FAULT:
            # Before anything else, because the state of the robot is unknown. Earlier statuses are
            # not an answer to this stop, but they are kept: a node that does not report may still
            # have the torque that it reported last.
            self._torque.halt("", now)
            self._report(
                now, "warning", "The bus is open again, and the stop sequence was sent.", "bus"
            )
        elif self._machine.fire("bus_opened"):
            self._rx.reset()
            self._tx.sent = self._tx.errors = 0
            self._report(now, "info", text or "The bus is open; the link only listens.", "bus")

    def _bus_lost(self, text: str, now: float) -> None:
        if self._torque.live:
            self._torque.lose(Loss("bus", text), now)
            return
        self._torque.abandon()
        self._report(now, "warning", text, "bus")
        if self._machine.fire("bus_closed"):
            self._periodic.stop()

    def window_beat(self, at: float) -> None:
        """Record a sign of life of the window at a time (s)."""
        # A sign of life in the future would disable the watchdog permanently.
        if at <= self._now + _AHEAD_S and not self._watchdogs.window_at >= at:
            self._watchdogs.window_at = at

    def window_ended(self, now: float) -> None:
        """Handle the end of the window at `now` (s)."""
        self._now = now
        self._watchdogs.window_at = math.nan
        if self._torque.live:
            self._torque.lose(Loss("window", "The program that drives the robot has ended."), now)

    def reference(self, block: ReferenceBlock) -> None:
        """Use references; invalid ones are rejected, and do not reset the watchdog."""
        problem = self.set_points.references.add(block)
        if problem:
            self._journal.report_once(
                self._now, "warning", f"References were rejected because {problem}.", "reference"
            )
        else:
            self._news = True

    # ---------------------------------------------------------------------------------- what is due

    def poll(self, now: float, clock: Callable[[], float] | None = None) -> float:
        """Do what is due by `now` (s); return the time of the next poll.

        Parameters
        ----------
        now : float
            s.
        clock : callable, optional
            Returns the time, s, which advances while frames are sent; by default it is constant.
        """
        self._now = now
        if self.state in (LinkState.DISCONNECTED, LinkState.LISTENING):
            self._notice(now)
            return now + _IDLE_POLL_S
        self._notice_references(now)
        if self._torque.live and (loss := self._danger(now)) is not None:
            self._torque.lose(loss, now)
        if self.set_points.poll(now) and clock is not None:
            self.set_points.sending_ended(clock())
        if self._torque.task is not None:
            self._torque.advance(now)
        elif self.state is LinkState.FAULT:
            self._torque.repeat_stop(now)
        driving = self.set_points.running
        stopped = self.state is LinkState.FAULT
        for message in self._periodic.due(now, driving=driving, stopped=stopped):
            self._tx.message(message, now)
        self._notice(now)
        busy = self._torque.live or self._torque.task is not None
        return min(
            now + (_POLL_S if busy else _IDLE_POLL_S), self.set_points.next, self._periodic.next()
        )

    def _danger(self, now: float) -> Loss | None:
        doing = "" if self._torque.task is None else self._torque.task.kind
        return self._supervisor.check(now, self.state, doing, self.set_points.angle)

    def _notice_references(self, now: float) -> None:
        # References that only repeat past times do not count as references.
        if self._news and self.set_points.references.end > now:
            self._watchdogs.reference_at = now
        self._news = False

    def _notice(self, now: float) -> None:
        """Report unusual conditions in any state."""
        for text in self._arrivals.judge(now):
            self._report(now, "warning", text, "node")
        for severity, text in self._limited.news(now, live=self._torque.live):
            self._report(now, severity, text, "node")
        load = self._meter.load(now)
        if load > self._profile.timing.max_bus_load:
            self._journal.report_once(
                now, "warning", f"The bus load is {100 * load:.0f} %.", "load"
            )
        foreign = self.state in (LinkState.LISTENING, LinkState.IDLE) and self._torque.task is None
        foreign = foreign and not self._replay and self._torque.reports_armed(now)
        if foreign and not self._foreign:
            armed = self._node_states.reports("armed").any()
            condition = (
                "armed, but not by SnakeStudio"
                if armed
                else "stopping, and its torque may be on. Press Stop"
            )
            self._report(now, "warning", f"The robot is {condition}.", "robot")
        self._foreign = foreign
        foreign_master = (
            self._foreign_master.reason(now)
            if self.state in (LinkState.LISTENING, LinkState.IDLE)
            else ""
        )
        if foreign_master and not self._foreign_master_reported:
            self._report(now, "warning", foreign_master, "robot")
        self._foreign_master_reported = bool(foreign_master)

    # ------------------------------------------------------------------------------------ telemetry

    def telemetry(self, now: float) -> Telemetry:
        """Return the telemetry at `now` (s); the process sets priority and error frames of the adapter."""
        return self._telemetry.build(
            now, self.state, self._torque.reason, self._reasons_lately(now), self._carried_out
        )

    def _reasons_lately(self, now: float) -> tuple[str, ...]:
        """Return the reasons of at most `_REASONS_S` ago in the same situation, because their text takes time."""
        situation = self.state, self._torque.task
        if self._last_situation[:2] != situation or not now - self._last_situation[2] < _REASONS_S:
            self._last_reasons = self._reasons(now)
            self._last_situation = (*situation, now)
        return self._last_reasons

    def _reasons(self, now: float) -> tuple[str, ...]:
        return self._readiness.reasons(
            now,
            self.state,
            bus_load=self._meter.load(now),
            busy="" if self._torque.task is None else self._torque.task.description,
            stopped=self._torque.reason,
        )

    def _report(self, now: float, severity: Severity, text: str, kind: str) -> None:
        self._journal.report(now, severity, text, kind)


def _plugins_of(command: LinkCommand) -> tuple[str, ...]:
    """Return the names of the plug-ins that make the references, from the command."""
    return tuple(name for name in str(command.values.get("plugins", "")).split(",") if name)
