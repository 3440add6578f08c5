"""Profiles learned from the traffic of emulated robots agree with the robots' own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from snakestudio.link.emulator.robot import EmulatedRobot
from snakestudio.link.frame import Frame
from snakestudio.link.learning.motion import Cue
from snakestudio.link.learning.proposal import Move, propose
from snakestudio.link.profile.loading import load_profile
from snakestudio.paths import resource


def traffic(name: str, seconds: float = 3.0) -> list[Frame]:
    """Return the traffic of a robot after booting, without any host."""
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
def test_formulas_of_the_profile_are_found(name: str, formulas: set[str]) -> None:
    messages = propose(traffic(name))
    assert formulas <= {message.family.formula for message in messages}
    nodes = load_profile(resource("profiles", f"{name}.toml")).profile.nodes
    assert all(
        message.family.nodes == nodes for message in messages if message.family.formula in formulas
    )


def test_heartbeats_of_the_lab_robot_count_up() -> None:
    (heartbeat,) = [
        message
        for message in propose(traffic("lab_robot", 5.0))
        if message.family.formula == "0x700 + node"
    ]
    assert heartbeat.role == "heartbeat"
    (guard,) = heartbeat.guards
    # Count, the last of four bytes
    assert (guard.kind, guard.field.first, guard.field.width) == ("counter", 24, 8)


def test_counter_and_checksum_of_the_generic_servo_are_found() -> None:
    profile = load_profile(resource("profiles", "generic_servo.toml")).profile
    algorithms = {
        signal.quantity: signal.checksum
        for message in profile.messages
        if message.role == "feedback"
        for signal in message.signals
    }
    guards = [guard for message in propose(traffic("generic_servo")) for guard in message.guards]
    assert {guard.kind for guard in guards} == {"counter", "checksum"}
    assert algorithms["checksum"] in {guard.algorithm for guard in guards}


def test_heartbeat_with_changing_status_is_recognised() -> None:
    def beats(begin: float, count: int, *, moving: bool) -> list[Frame]:
        return [
            Frame(
                0x700 + node,
                bytes([2, 40 + k % 8] if moving else [1, 40]),
                time=begin + 0.1 * k + 0.001 * node,
            )
            for k in range(count)
            for node in (1, 2, 3)
        ]

    cue = Cue(10.0)
    move = Move(1, "yaw", tuple(beats(9.0, 140, moving=True)), cue.angle, cue.begin, cue.end)
    (message,) = propose(beats(0.0, 50, moving=False), [move])
    assert (message.role, message.changing) == ("heartbeat", (0, 1))
