"""Core and emulated robot, two pieces that know of each other only by the frames of the shipped profiles."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

from snakestudio.link.codec import Codec
from snakestudio.link.core import LinkCore
from snakestudio.link.emulator.fault import Fault, FaultKind
from snakestudio.link.emulator.robot import EmulatedRobot
from snakestudio.link.frame import Frame
from snakestudio.link.messages import Command, CommandKind, LinkEvent, LinkState, ReferenceBlock
from snakestudio.link.profile.library import find_profile, shipped
from snakestudio.link.profile.loading import LoadedProfile, load_profile

_STEP_S = 0.01

_load = functools.cache(load_profile)


class _Pair:
    """Both ends of a bus without a bus, 10 ms by 10 ms."""

    def __init__(self, name: str) -> None:
        loaded: LoadedProfile = _load(find_profile(name))
        self.codec = Codec(loaded)
        self.robot = EmulatedRobot(loaded)
        self.events: list[LinkEvent] = []
        self.now = 50.0
        self.core = LinkCore(self.codec, send=self._send, tell=self.events.append)
        self.core.bus(True, "", self.now)
        self.command("idle")

    def _send(self, frame: Frame) -> None:
        self.robot.receive(frame, self.now)

    def command(self, kind: CommandKind) -> None:
        self.core.command(Command(kind), self.now)

    def run(self, duration: float, *, until: LinkState | None = None) -> float:
        """Let time pass, with references of a gait of 15° at 0.5 Hz; gives how much of it passed."""
        begin = self.now
        while self.now < begin + duration - 1e-9 and self.core.state is not until:
            self.now += _STEP_S
            self.core.window_beat(self.now)
            self.core.reference(self._gait())
            for frame in self.robot.poll(self.now):
                self.core.receive(frame, self.now)
            self.core.poll(self.now)
        return self.now - begin

    def _gait(self) -> ReferenceBlock:
        time = self.now + np.linspace(0.0, 0.3, 4)
        speed, amplitude = math.pi, math.radians(15.0)
        phase = speed * time[:, None] + np.arange(self.codec.n_axes)
        return ReferenceBlock(time, amplitude * np.sin(phase), amplitude * speed * np.cos(phase))

    def streaming(self) -> None:
        self.run(2.0)
        self.command("arm")
        self.run(1.0, until=LinkState.ARMED)
        self.command("stream")
        self.run(1.0)
        assert self.core.state is LinkState.STREAMING


@pytest.mark.parametrize("name", [path.stem for path in shipped()])
def test_every_shipped_robot_is_armed_driven_stopped_and_armed_again(name: str) -> None:
    pair = _Pair(name)
    pair.streaming()
    error = np.abs(pair.robot.angles - pair.core.telemetry(pair.now).reference)
    assert np.degrees(error.max()) < 12.0  # it follows, as far as its lag at 10 Hz and its gears' play let it
    pair.core.stop("Stopped by the operator.", pair.now)
    # CiA 402's quick stop brakes before torque goes off; all others are safe with the first frame.
    pair.run(0.3 if name == "cia402_csp" else 0.02)
    assert pair.robot.safe
    pair.run(1.5)
    assert pair.robot.safe
    pair.command("reset")
    pair.run(2.0)
    assert pair.core.telemetry(pair.now).not_ready == ()
    pair.command("arm")
    pair.run(1.0)
    assert pair.core.state is LinkState.ARMED
    pair.command("disarm")
    pair.run(0.5)
    assert pair.core.state is LinkState.IDLE
    assert pair.robot.safe


_STOPS: dict[FaultKind, tuple[float, str]] = {
    "dropout": (0.25, "joint 3"),
    "bus-off": (0.25, "joint 3"),
    "reset": (0.25, ""),
    "overtemperature": (0.6, "joint 3"),
    "duplicate-id": (1.5, "joint 3"),
    "frozen-sensor": (4.0, "joint 3"),
    "corrupt": (1.0, ""),
}
"""Faults that stop the robot: within which time (s), and what the reason has to name."""


@pytest.mark.parametrize("kind", _STOPS)
def test_faults_stop_the_robot(kind: FaultKind) -> None:
    within, words = _STOPS[kind]
    pair = _Pair("lab_robot")
    pair.streaming()
    pair.robot.inject(Fault(kind, 3), pair.now)
    took = pair.run(5.0, until=LinkState.FAULT)
    reason = pair.core.telemetry(pair.now).reason
    assert pair.core.state is LinkState.FAULT
    assert took <= within
    assert words in reason.lower()
    pair.run(0.3)
    assert pair.robot.safe


def test_a_babbling_node_is_named_and_keeps_the_robot_from_being_armed() -> None:
    pair = _Pair("lab_robot")
    pair.run(2.0)
    pair.robot.inject(Fault("babble", 3), pair.now)
    pair.run(2.5)
    assert any("of node 3" in event.text and "babbles" in event.text for event in pair.events)
    pair.command("arm")
    pair.run(0.5)
    assert pair.core.state is LinkState.IDLE


def test_a_jammed_joint_stops_the_robot() -> None:
    pair = _Pair("lab_robot")
    pair.streaming()
    pair.robot.inject(Fault("jam", 3), pair.now)
    pair.run(4.0, until=LinkState.FAULT)
    assert pair.core.state is LinkState.FAULT
    assert "joint 3" in pair.core.telemetry(pair.now).reason.lower()
