"""Control of the robot's torque: sequences that are started, confirmed by the robot's status, or ended by a stop.

Only this module switches the torque on and off. `halt` sends its frames in the same call.
"""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.link.core.journal import Journal
from snakestudio.link.core.machine import Machine
from snakestudio.link.core.node_states import NodeStates
from snakestudio.link.core.sequencer import Task, TaskKind
from snakestudio.link.core.set_points import SetPoints
from snakestudio.link.core.stopping import StopMonitor
from snakestudio.link.core.text import axis_names
from snakestudio.link.core.tx_gate import TxGate
from snakestudio.link.core.watchdogs import Loss, Watchdogs
from snakestudio.link.messages import LinkState
from snakestudio.link.profile.schema import Profile, Step


class TorqueControl:
    """Carries out sequences, and stops the robot.

    Attributes
    ----------
    task : Task or None
        Running sequence.
    reason : str
        Why the robot was stopped; "" after a reset.
    held : (m,) array
        Angles at which the joints are held while the robot is armed, rad.
    """

    def __init__(
        self,
        profile: Profile,
        machine: Machine,
        node_states: NodeStates,
        tx: TxGate,
        set_points: SetPoints,
        watchdogs: Watchdogs,
        journal: Journal,
    ) -> None:
        self._profile = profile
        self._machine = machine
        self._node_states = node_states
        self._tx = tx
        self._set_points = set_points
        self._watchdogs = watchdogs
        self._journal = journal
        self._stopping = StopMonitor(profile, node_states, journal)
        self.task: Task | None = None
        self.reason = ""
        self.held: FloatArray = np.zeros(len(profile.axes))

    @property
    def live(self) -> bool:
        """Whether the link has switched the torque on, or may have."""
        armed = self._machine.state in (LinkState.ARMED, LinkState.STREAMING)
        return armed or (self.task is not None and self.task.kind == "arm")

    @property
    def torque_possible(self) -> bool:
        """Whether the robot may have torque: False only if it is known to be off."""
        return self.live or bool((self._node_states.torque() | self._node_states.unknown()).any())

    @property
    def at_rest(self) -> bool:
        """Whether no more frames need to be sent to the robot before its bus is closed."""
        state = self._machine.state
        if not self._tx.bus_open or state in (LinkState.DISCONNECTED, LinkState.LISTENING):
            return True
        if self.task is not None or self.torque_possible:
            return False
        # A status before the stop is not an answer to it; a stop that cannot be confirmed is
        # repeated.
        return state is not LinkState.FAULT or self._stopping.safe

    def reports_armed(self, now: float) -> bool:
        """Return whether any node reports at `now` (s) that its torque is on; old statuses are ignored."""
        node_states = self._node_states
        return bool(
            (
                node_states.torque()
                & (now - node_states.status_time <= self._profile.timing.lost_s)
            ).any()
        )

    # ------------------------------------------------------------------------------------ sequences

    def begin(self, kind: TaskKind, now: float) -> None:
        """Start a sequence of the profile at `now` (s), instead of any other, and carry out its first steps."""
        sequences = self._profile.sequences
        steps: tuple[Step, ...] = getattr(sequences, kind)
        if kind == "disarm" and not steps:
            steps = sequences.stop
        self.task = Task(kind, steps, now)
        self._journal.report(now, "info", f"{self.task.description}.", "state")
        if kind == "arm":
            # drives move to their last set-point when the torque is switched on
            self._set_points.poll(now)
        self.advance(now)

    def advance(self, now: float) -> None:
        """Continue the running sequence, and end it when it is complete."""
        task = self.task
        if task is None:
            return
        held = self.held if task.kind == "arm" else None
        progress = task.sequence.advance(
            now, lambda step: self._tx.step(step, held, now), self._node_states.all_report
        )
        if progress == "running":
            return
        missed = task.sequence.missed
        if progress == "failed":
            text = f"{task.description}, but not all nodes reported in time that they are {missed}."
            if task.kind in ("arm", "disarm"):
                self.lose(Loss("fault", text), now)
            else:
                self.task = None
                self._journal.report(now, "error", text, "fault")
        elif task.kind == "arm":
            self._confirm(task, now)
        elif task.kind == "disarm":
            self._set_points.end()
            self._confirm(task, now)
        else:
            self.task = None
            if task.kind in ("zero", "reset"):
                self._journal.report(now, "good", f"The {task.kind} sequence was sent.", "state")

    def _confirm(self, task: Task, now: float) -> None:
        """Wait for the robot's confirmation that it is armed or disarmed, if it reports a status."""
        arming = task.kind == "arm"
        node_states = self._node_states
        if node_states.has_status:
            yet = (
                ~node_states.reports("armed") | ~(node_states.status_time >= task.begin)
                if arming
                else ~node_states.torque_off(task.begin)
            )
            if yet.any():
                if task.confirmed_in_time(now, self._profile.timing.confirm_s):
                    return
                names = axis_names(self._profile.axes, yet)
                self.lose(
                    Loss(
                        "fault",
                        f"No confirmation in time that {names} is {'' if arming else 'dis'}armed.",
                    ),
                    now,
                )
                return
        self.task = None
        self._machine.fire("armed" if arming else "disarmed")
        self._journal.report(
            now,
            "good",
            "The robot is armed and holds its position." if arming else "The robot is disarmed.",
            "state",
        )

    # ------------------------------------------------------------------------------------- stopping

    def lose(self, loss: Loss, now: float) -> None:
        """Carry out the profile's reaction to a loss immediately; `now` in s."""
        profile = self._profile
        sequences = self._profile.sequences
        reaction = (
            profile.limits.on_lost
            if loss.what == "limited"
            else getattr(profile.on_loss, loss.what)
        )
        gentle = reaction == "disarm" and sequences.disarm
        self._halt(loss.text, now, sequences.disarm if gentle else sequences.stop)

    def halt(self, reason: str, now: float) -> None:
        """Send the stop sequence in this call; latched if torque was or may have been on; `now` in s."""
        self._halt(reason, now, self._profile.sequences.stop)

    def repeat_stop(self, now: float) -> None:
        """Send the stop sequence again if it is due at `now` (s) and the robot has not confirmed the stop."""
        if self._tx.bus_open and self._stopping.repeat(now):
            self._stop(self._profile.sequences.stop, now)

    def abandon(self) -> None:
        """Abandon the running sequence without sending anything."""
        self.task = None
        self._set_points.end()
        self._watchdogs.reference_at = math.nan

    def _halt(self, reason: str, now: float, steps: tuple[Step, ...]) -> None:
        latch = self.torque_possible
        again = self._machine.state is LinkState.FAULT and not self._stopping.safe
        before = self.task
        self.abandon()
        if before is not None and before.kind == "stop" and before.sequence.steps is steps:
            # Send its frames again, but do not restart its waits: repeated presses of the button
            # must not delay later steps.
            self.task = before
            before.sequence.again(lambda step: self._tx.step(step, None, now))
            self.advance(now)
        else:
            self._stop(steps, now)
        self._stopping.begin(now, again=again)
        if latch and self._machine.fire("fault"):
            self.reason = reason
            self._journal.report(now, "error", reason, "fault")
        elif self._machine.state is LinkState.IDLE:
            text = f"{reason} Torque was off; the stop sequence was sent anyway."
            self._journal.report(now, "info", text, "stop")

    def _stop(self, steps: tuple[Step, ...], now: float) -> None:
        self.task = Task("stop", steps, now)
        self.advance(now)
