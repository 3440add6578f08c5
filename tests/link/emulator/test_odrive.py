"""The emulated ODrive with frames made by hand from the published CAN Simple protocol, and with the codec.

Node 3: ids are 3 << 5 | command = 0x60 | command.
"""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tests.link.emulator.bench import Bench


@pytest.fixture
def bench(shipped) -> Bench:
    bench = Bench(shipped("odrive_can_simple"))
    bench.run(0.6)
    bench.frames.clear()
    return bench


def closed_loop(bench: Bench) -> None:
    bench.hex(0x67, "08000000")  # Set_Axis_State, CLOSED_LOOP_CONTROL = 8


def test_heartbeat_contains_error_and_state(bench: Bench) -> None:
    bench.run(0.2)
    beats = bench.of(0x61)
    assert 3 <= len(beats) <= 5  # every 50 ms
    # no error, IDLE = 1, success, trajectory done
    assert beats[-1].data == bytes.fromhex("00000000 01 00 01 00")
    closed_loop(bench)
    bench.run(0.06)
    assert bench.of(0x61)[-1].data[4] == 8


def test_positions_are_turns_of_the_motor(bench: Bench) -> None:
    # Target of the joint is 0.2 rad: at gear 50 the motor turns to 0.2 * 50 / (2 pi) = 1.5915494
    # turns, as float32.
    closed_loop(bench)
    command = struct.pack("<fhh", 1.5915494, 0, 0)
    assert command == bytes.fromhex("e4b7cb3f 0000 0000")  # 1.5915494 is 0x3FCBB7E4 in IEEE 754
    for _ in range(200):
        bench.hex(0x6C, command.hex())
        bench.run(0.01)
    axis = 2
    # half its backlash of 0.5 degrees
    assert bench.robot.angles[axis] == pytest.approx(0.2, abs=np.radians(0.3))
    turns, _ = struct.unpack("<ff", bench.of(0x69)[-1].data)
    assert turns == pytest.approx(bench.robot.angles[axis] * 50 / (2 * np.pi), abs=1e-3)


def test_remote_frames_are_answered_with_the_same_id(bench: Bench) -> None:
    bench.hex(0x74, "", remote=True)  # Get_Iq
    bench.hex(0x75, "", remote=True)  # Get_Temperature
    bench.hex(0x77, "", remote=True)  # Get_Bus_Voltage_Current
    assert struct.unpack("<ff", bench.of(0x74)[0].data) == (0.0, 0.0)
    assert struct.unpack("<ff", bench.of(0x75)[0].data)[1] == 25.0  # at the temperature of the air
    assert struct.unpack("<ff", bench.of(0x77)[0].data)[0] == 24.0
    assert not any(frame.remote for _, frame in bench.frames)


def test_watchdog_latches_until_errors_are_cleared(bench: Bench) -> None:
    closed_loop(bench)
    bench.run(0.19)
    assert not bench.robot.safe
    bench.run(0.05)
    assert bench.robot.safe
    bench.run(0.06)
    error, state, result = struct.unpack_from("<IBB", bench.of(0x61)[-1].data)
    assert (error, state, result) == (0x01000000, 1, 3)  # WATCHDOG_TIMER_EXPIRED, IDLE, DISARMED
    closed_loop(bench)
    assert bench.robot.safe  # not with an error
    bench.hex(0x78, "00")  # Clear_Errors
    closed_loop(bench)
    assert not bench.robot.safe


def test_echoed_answers_do_not_feed_the_watchdog(bench: Bench) -> None:
    closed_loop(bench)
    for _ in range(30):
        # its own encoder estimates, as an echoing bus returns them
        bench.hex(0x69, "0000000000000000")
        bench.run(0.01)
    assert bench.robot.safe


def test_estop_stops_immediately(bench: Bench) -> None:
    closed_loop(bench)
    bench.hex(0x62, "")
    assert bench.robot.safe
    bench.run(0.06)
    assert struct.unpack_from("<I", bench.of(0x61)[-1].data)[0] == 0x02000000  # ESTOP_REQUESTED


@pytest.mark.parametrize("data", ["", "00", "0000c07f00000000"])
def test_set_points_that_are_not_numbers_are_refused(bench: Bench, data: str) -> None:
    closed_loop(bench)
    bench.hex(0x6C, data)  # empty, truncated, NaN (0x7FC00000)
    assert bench.robot.rejected == 1
    assert bench.robot.set_points == 0


def test_set_absolute_position_moves_the_zero(bench: Bench) -> None:
    bench.hex(0x79, struct.pack("<f", 0.25).hex())
    bench.run(0.02)
    assert struct.unpack("<ff", bench.of(0x69)[-1].data)[0] == pytest.approx(0.25)
