"""What is learned from the emulated robots' own traffic is what their profiles say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from snakestudio.link.emulator.robot import EmulatedRobot
from snakestudio.link.frame import Frame
from snakestudio.link.learning.proposal import propose
from snakestudio.link.profile.loading import load_profile
from snakestudio.paths import resource


def traffic(name: str, seconds: float = 3.0) -> list[Frame]:
    """What a robot says after it was switched on and has booted, while nobody talks to it."""
    robot = EmulatedRobot(load_profile(resource("profiles", f"{name}.toml")))
    frames: list[Frame] = []
    for k in range(int((seconds + 2.0) / 0.005)):
        now = 100.0 + 0.005 * k
        frames += [replace(frame, time=now) for frame in robot.poll(now)]
    return [frame for frame in frames if frame.time >= 102.0]


@pytest.mark.parametrize(
    ("name", "formulas"),
    [
        ("lab_robot", {"0x180 + node", "0x280 + node", "0x700 + node"}),
        ("odrive_can_simple", {"node << 5 | 0x01", "node << 5 | 0x09"}),
    ],
)
def test_the_formulas_of_the_profile_are_found(name: str, formulas: set[str]) -> None:
    found = propose(traffic(name))
    assert formulas <= {message.family.formula for message in found}
    nodes = load_profile(resource("profiles", f"{name}.toml")).profile.nodes
    assert all(message.family.nodes == nodes for message in found if message.family.formula in formulas)


def test_heartbeats_of_the_papers_robot_count_up() -> None:
    (heartbeat,) = [
        message for message in propose(traffic("lab_robot", 5.0)) if message.family.formula == "0x700 + node"
    ]
    assert heartbeat.role == "heartbeat"
    (guard,) = heartbeat.guards
    assert (guard.kind, guard.field.first, guard.field.width) == ("counter", 24, 8)  # Count, the last of four bytes


def test_the_generic_servos_counter_and_checksum_are_found() -> None:
    profile = load_profile(resource("profiles", "generic_servo.toml")).profile
    said = {
        signal.quantity: signal.checksum
        for message in profile.messages
        if message.role == "feedback"
        for signal in message.signals
    }
    guards = [guard for message in propose(traffic("generic_servo")) for guard in message.guards]
    assert {guard.kind for guard in guards} == {"counter", "checksum"}
    assert said["checksum"] in {guard.algorithm for guard in guards}
