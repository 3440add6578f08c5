"""What the operator wants of the link, carried out where the robot stands, or refused with the reason."""

from __future__ import annotations

from collections.abc import Callable

from snakestudio.link.core.cyclic import Cyclic
from snakestudio.link.core.journal import Journal
from snakestudio.link.core.machine import Machine, Trigger
from snakestudio.link.core.node_states import NodeStates
from snakestudio.link.core.references import Wiggle
from snakestudio.link.core.set_points import SetPoints
from snakestudio.link.core.supervisor import Supervisor
from snakestudio.link.core.text import axis_names
from snakestudio.link.core.torque_control import TorqueControl
from snakestudio.link.core.tx_gate import TxGate
from snakestudio.link.core.watchdogs import Watchdogs
from snakestudio.link.messages import LinkCommand, LinkState, Severity
from snakestudio.link.profile.schema import Profile

__all__ = ["Operator"]


class Operator:
    """Takes the operator's commands.

    Parameters
    ----------
    profile : Profile
    machine : Machine
    conduct : TorqueControl
    observed : NodeStates
    outgoing : TxGate
    set_points : SetPoints
    cyclic : Cyclic
    supervisor : Supervisor
    watchdogs : Watchdogs
    journal : Journal
    reasons : callable
        Why the robot cannot be armed at a time (s), in sentences.
    """

    def __init__(
        self,
        profile: Profile,
        machine: Machine,
        conduct: TorqueControl,
        observed: NodeStates,
        outgoing: TxGate,
        set_points: SetPoints,
        cyclic: Cyclic,
        supervisor: Supervisor,
        watchdogs: Watchdogs,
        journal: Journal,
        reasons: Callable[[float], tuple[str, ...]],
    ) -> None:
        self._profile, self._machine, self._conduct, self._observed = profile, machine, conduct, observed
        self._outgoing, self._set_points, self._cyclic = outgoing, set_points, cyclic
        self._supervisor, self._watchdogs, self._journal = supervisor, watchdogs, journal
        self._reasons = reasons

    @property
    def _state(self) -> LinkState:
        return self._machine.state

    def command(self, command: LinkCommand, now: float) -> None:
        """Carry out, or refuse, what the operator wants (s)."""
        match command.kind:
            case "stop":
                self.stop(str(command.values.get("reason", "Stopped by the operator.")), now)
            case "close":
                if self._conduct.torque_possible:
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
        if self._state in (LinkState.DISCONNECTED, LinkState.LISTENING):
            self._say(now, "warning", "No stop was sent: the link does not speak on the bus.", "stop")
            return
        self._conduct.halt(reason, now)

    def _disconnect(self, now: float) -> None:
        if self._conduct.torque_possible:
            self.stop("Disconnected by the operator.", now)
        self._conduct.abandon()
        if self._machine.fire("disconnect"):
            self._outgoing.bus_open = False
            self._cyclic.stop()
            self._say(now, "info", "Disconnected.", "state")

    def _idle_or_listen(self, wish: Trigger, now: float) -> None:
        if self._conduct.task is not None:
            self._refuse(now, f"{self._conduct.task.words}; wait until that is done, or stop it.")
        elif not self._machine.fire(wish):
            self._refuse(now, {
                LinkState.DISCONNECTED: "No bus is open; connect first.",
                LinkState.FAULT: "The robot was stopped; reset it first.",
                LinkState.ARMED: "The robot is armed; disarm it first.",
                LinkState.STREAMING: "The robot is armed; disarm it first.",
            }.get(self._state, f"That is how it is already: {self._state.name}."))  # fmt: skip
        elif wish == "idle":
            self._cyclic.start(now)
            self._say(now, "info", "The link speaks on the bus; torque is off.", "state")
        else:
            self._cyclic.stop()
            self._say(now, "info", "The link only listens; nothing is sent.", "state")

    def _arm(self, now: float) -> None:
        if self._state is LinkState.STREAMING and self._conduct.task is None:
            self._machine.fire("hold")
            self._set_points.hold()
            self._say(now, "info", "The joints come to rest, and hold.", "state")
            return
        reasons = self._reasons(now)
        if reasons:
            self._refuse(now, f"The robot is not ready: {' '.join(reasons)}")
            return
        held = self._conduct.held = self._observed.values["angle"].copy()
        self._supervisor.begin(now)
        self._set_points.begin(held, now)
        self._conduct.begin("arm", now)

    def _disarm(self, now: float) -> None:
        if self._state not in (LinkState.ARMED, LinkState.STREAMING) or self._conduct.task is not None:
            doing = "it is being disarmed" if self._conduct.task is not None else "it is not armed"
            self._refuse(now, f"The robot cannot be disarmed now: {doing}.")
            return
        self._machine.fire("hold")
        self._set_points.hold()
        self._conduct.begin("disarm", now)

    def _stream(self, now: float) -> None:
        if self._state is not LinkState.ARMED or self._conduct.task is not None:
            self._refuse(now, "Only a robot that is armed can follow references; arm it first.")
            return
        if not now - self._watchdogs.reference_at <= self._profile.timing.reference_timeout_s:
            self._refuse(now, "There are no references to follow; start a gait or a controller first.")
            return
        self._set_points.stream()
        self._machine.fire("stream")
        self._say(now, "good", "The joints are led to the references, and follow them.", "state")

    def _reset(self, now: float) -> None:
        # A robot that stopped by itself before we spoke to it needs a reset too, and changes no state of ours.
        task = self._conduct.task
        if self._state not in (LinkState.FAULT, LinkState.IDLE) or (task is not None and task.kind != "stop"):
            self._refuse(now, "There is nothing to reset now.")
        elif self._conduct.says_armed(now):
            self._refuse(now, "The robot still says that its torque is on, or may be; stop it first.")
        elif self._state is LinkState.FAULT and (armed := self._observed.torque()).any():
            names = axis_names(self._profile.axes, armed)
            said = f"The last word of {names} was that its torque is on"
            self._refuse(now, f"{said}; start the robot again and reset, or disconnect.")
        elif self._state is LinkState.FAULT and (unknown := self._observed.unknown()).any():
            names = axis_names(self._profile.axes, unknown)
            said = f"The last word of {names} is none that the profile knows"
            self._refuse(now, f"{said}; add it to the profile's status values, or disconnect.")
        elif not self._outgoing.bus_open:
            self._refuse(now, "No bus is open; the robot cannot be reset before it is.")
        else:
            self._machine.fire("reset")
            self._conduct.reason = ""
            self._conduct.begin("reset", now)

    def _zero(self, now: float) -> None:
        if self._state is not LinkState.IDLE or self._conduct.task is not None or self._observed.torque().any():
            self._refuse(now, "Joints are zeroed while torque is off and nothing else is under way; disarm first.")
        elif not self._profile.sequences.zero:
            self._refuse(now, "The profile has no zero sequence; give it one.")
        else:
            self._conduct.begin("zero", now)

    def _wiggle(self, command: LinkCommand, now: float) -> None:
        if self._state is not LinkState.ARMED or self._conduct.task is not None or self._set_points.wiggling:
            self._refuse(now, "One joint is wiggled while the robot is armed and holds; arm it first.")
            return
        try:
            wiggle = Wiggle.parse(command.values, len(self._profile.axes), now)
        except ValueError as error:
            self._refuse(now, f"The joint was not wiggled: {error}.")
            return
        self._set_points.wiggle(wiggle)
        self._say(now, "info", f"{self._profile.axes[wiggle.axis].name.capitalize()} is wiggled.", "state")

    def _refuse(self, now: float, text: str) -> None:
        self._journal.say(now, "warning", text, "refused")

    def _say(self, now: float, severity: Severity, text: str, kind: str) -> None:
        self._journal.say(now, severity, text, kind)
