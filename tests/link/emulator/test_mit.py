"""The emulated MIT-type actuator with frames packed by hand.

A number x in ±r with b bits is (x + r) / (2 r) (2^b - 1). A command is p16 v12 kp12 kd12 t12, a
reply id8 p16 v12 t12.
"""

from __future__ import annotations

import math

import pytest

from tests.link.emulator.bench import Bench

ENTER = "fffffffffffffffc"
LEAVE = "fffffffffffffffd"
ZERO = "fffffffffffffffe"
# p = 0.25: (0.25 + 12.5) / 25 * 65535 = 33422.85 -> 0x828F (0.25006 rad); v = 0 -> 2047.5 -> 0x7FF;
# kp = 60 of 500: 491.4 -> 0x1EB; kd = 1.5 of 5: 1228.5 -> 0x4CC; t = 0 -> 0x7FF
COMMAND = "828f 7ff1 eb4c c7ff"
POLL = "7fff 7ff0 0000 07ff"  # p, v and t in the middle, no stiffness, no damping


@pytest.fixture
def bench(shipped) -> Bench:
    bench = Bench(shipped("mit_actuator"))
    bench.run(0.3)
    return bench


def test_mit_node_sends_nothing_unless_commanded(bench: Bench) -> None:
    bench.run(0.2)
    assert not bench.frames
    bench.hex(4, POLL)
    (reply,) = bench.of(0)
    assert reply.data[0] == 4
    # the middle of every range
    assert reply.data[1:] == bytes.fromhex("8000 800 800".replace(" ", "")[:10])


def test_motor_mode_follows_a_position(bench: Bench) -> None:
    bench.hex(4, COMMAND)
    assert bench.robot.safe  # at rest a command only causes a reply
    bench.hex(4, ENTER)
    assert bench.robot.nodes[3].torque
    for _ in range(200):
        bench.hex(4, COMMAND)
        bench.run(0.01)
    assert bench.robot.angles[3] == pytest.approx(0.25, abs=math.radians(0.3))
    data = bench.of(0)[-1].data
    position = int.from_bytes(data[1:3], "big") * 25 / 65535 - 12.5
    assert position == pytest.approx(bench.robot.angles[3], abs=0.001)
    bench.hex(4, LEAVE)
    assert bench.robot.safe


def test_every_frame_is_answered(bench: Bench) -> None:
    for frame in (ENTER, COMMAND, ZERO, LEAVE, POLL):
        bench.hex(9, frame)
    assert [frame.data[0] for frame in bench.of(0)] == [9] * 5
    bench.hex(9, "00")  # too short for a command
    assert len(bench.of(0)) == 5
    assert bench.robot.rejected == 1


def test_zero_moves_the_count(bench: Bench) -> None:
    bench.hex(4, ENTER)
    for _ in range(200):
        bench.hex(4, COMMAND)
        bench.run(0.01)
    bench.hex(4, ZERO)
    data = bench.of(0)[-1].data
    assert int.from_bytes(data[1:3], "big") == pytest.approx(0x8000, abs=1)


def test_joint_without_stiffness_is_limp(bench: Bench) -> None:
    bench.hex(4, ENTER)
    for _ in range(5):
        bench.hex(4, COMMAND)
        bench.run(0.05)
    bench.hex(4, POLL)
    bench.run(0.15)
    bench.hex(4, POLL)
    torque = (bench.of(0)[-1].data[4] & 0x0F) << 8 | bench.of(0)[-1].data[5]
    assert torque == pytest.approx(0x7FF, abs=1)
    assert bench.robot.nodes[3].torque  # it is in motor mode nevertheless


def test_missing_commands_trip_the_watchdog(bench: Bench) -> None:
    bench.hex(4, ENTER)
    bench.run(0.25)
    assert bench.robot.safe
    assert bench.count("watchdog") == 1
