"""Test robot for the link's core: nodes that respond immediately, behind the real codec, without a clock."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass, field

import numpy as np

from snakestudio.link.core.codec import Codec
from snakestudio.link.core.link_core import LinkCore
from snakestudio.link.frame import Frame
from snakestudio.link.messages import CommandKind, LinkCommand, LinkEvent, ReferenceBlock
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import LoadedProfile, load_profile

BOOTING, READY, ARMED, STOPPED, FAULT = range(5)


@functools.cache
def _loaded() -> LoadedProfile:
    return load_profile(find_profile("lab_robot"))


def lab_robot(**timing: float) -> LoadedProfile:
    """Return the papers' robot with other values of its timing."""
    loaded = _loaded()
    profile = loaded.profile.model_copy(
        update={"timing": loaded.profile.timing.model_copy(update=timing)}
    )
    return dataclasses.replace(loaded, profile=profile)


class LittleRobot:
    """Nodes with feedback every 20 ms and heartbeats every 50 ms; joints are at their set-points immediately."""

    def __init__(self, codec: Codec) -> None:
        self.codec = codec
        self.nodes = codec.profile.nodes
        self.state = dict.fromkeys(self.nodes, READY)
        self.angle = np.zeros(codec.n_axes)
        self.silent: set[int] = set()
        self.deaf: set[int] = set()
        self.mute: set[str] = set()
        self.frozen: set[int] = set()
        self.current = np.zeros(codec.n_axes)
        self.temperature = np.full(codec.n_axes, 30.0)
        self.voltage = np.full(codec.n_axes, 24.0)
        self.errors = 0
        self.every: dict[str, float] = {}
        """Intervals of messages that differ from those of the profile, s."""
        self.set_points: list[tuple[float, np.ndarray]] = []
        self.stops = 0
        self._next = {"JointFeedback": 0.0, "JointHeartbeat": 0.0, "JointCondition": 0.0}

    def receive(self, frame: Frame) -> None:
        decoded = self.codec.decode_outgoing(frame)
        assert decoded is not None
        assert not decoded.problem
        name = decoded.message.message
        if name == "BroadcastStop":
            self.stops += 1
            self.state = {
                node: STOPPED if state == ARMED and node not in self.deaf else state
                for node, state in self.state.items()
            }
        elif name == "JointCommand" and decoded.node not in self.deaf:
            wish = {1: ARMED, 2: READY, 4: READY}.get(int(decoded.signals["Command"]))
            if wish is not None:
                self.state[decoded.node] = wish
        elif name == "JointSetPoint":
            for value in decoded.values:
                if (
                    value.quantity == "angle"
                    and self.state[value.node] == ARMED
                    and value.axis not in self.frozen
                ):
                    self.angle[value.axis] = value.value

    def frames(self, now: float) -> list[Frame]:
        frames = []
        for message in self.codec.profile.messages:
            if message.message not in self._next or now < self._next[message.message]:
                continue
            self._next[message.message] = now + self.every.get(message.message, message.every_s)
            if message.message in self.mute:
                continue
            for node in self.nodes:
                if node in self.silent:
                    continue
                values = {
                    ("status", -1): float(self.state[node]),
                    ("error", -1): float(self.errors),
                }
                for index, axis in enumerate(self.codec.profile.axes):
                    if axis.node == node:
                        values["angle", index] = self.angle[index]
                        values["current", index] = self.current[index]
                        values["temperature", index] = self.temperature[index]
                        values["voltage", -1] = self.voltage[index]
                frames.append(self.codec.encode(message, node, values))
        return frames


@dataclass
class Rig:
    """Core, robot and time; all sent frames and events are stored."""

    loaded: LoadedProfile
    now: float = 100.0
    sent: list[tuple[float, Frame]] = field(default_factory=list)
    events: list[LinkEvent] = field(default_factory=list)
    beats: bool = True
    step: float = 0.005
    _ticks: int = 0

    def __post_init__(self) -> None:
        self.codec = Codec(self.loaded)
        # Frame counters are those of the sender: each side has a separate codec.
        self.robot = LittleRobot(Codec(self.loaded))
        self.core = LinkCore(
            self.codec, send=lambda frame: self.send(frame), publish=self.events.append
        )

    def send(self, frame: Frame) -> None:
        self.sent.append((self.now, frame))
        self.robot.receive(frame)

    def command(self, kind: CommandKind, **values: str | float) -> None:
        self.core.command(LinkCommand(kind, values=values), self.now)

    def tick(self, count: int = 1) -> None:
        """Advance the time only."""
        self._ticks += count
        self.now = 100.0 + self._ticks * self.step

    def run(self, duration: float, *, frames: bool = True) -> None:
        end = self.now + duration
        while self.now < end - 1e-9:
            self.tick()
            if self.beats:
                self.core.window_beat(self.now)
            for frame in self.robot.frames(self.now) if frames else ():
                self.core.receive(frame, self.now)
            self.core.poll(self.now)

    def idle(self) -> None:
        self.core.bus(True, "", self.now)
        self.command("idle")
        self.run(0.7)

    def armed(self) -> None:
        self.idle()
        self.command("arm")
        self.run(0.3)

    def references(
        self, angle: np.ndarray | float, rate: float = 0.0, horizon: float = 0.3
    ) -> None:
        """Send references for all axes: an angle (rad) that changes at a rate (rad/s) from now on."""
        time = np.array([self.now, self.now + horizon])
        start = np.broadcast_to(np.asarray(angle, float), self.codec.n_axes)
        block = ReferenceBlock(
            time,
            np.stack([start, start + rate * horizon]),
            np.full((2, self.codec.n_axes), float(rate)),
        )
        self.core.reference(block)

    def stream(self, duration: float, angle: np.ndarray | float, rate: float = 0.0) -> None:
        """Stream references of a constant rate, renewed every 50 ms."""
        end = self.now + duration
        begin = self.now
        while self.now < end - 1e-9:
            self.references(np.asarray(angle) + rate * (self.now - begin), rate)
            self.run(0.05)

    def ids(self) -> list[int]:
        return [frame.id for _, frame in self.sent]

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]
