"""The emulated serial adapter against LAWICEL's manual and python-can's slcan driver."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import can
import numpy as np
import pytest

from snakestudio.link.core.codec import Codec
from snakestudio.link.emulator.process import EmulatorProcess
from snakestudio.link.emulator.robot import EmulatedRobot
from snakestudio.link.emulator.slcan import PtySlcan, SlcanAdapter
from snakestudio.link.frame import Frame
from snakestudio.link.profile.loading import load_profile
from tests.link.rig import patient_robot


def opened(bitrate: bytes = b"S6") -> SlcanAdapter:
    adapter = SlcanAdapter(500_000)
    assert adapter.written(bitrate + b"\rO\r") == ([], b"\r\r")
    return adapter


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        (b"O\r", b"\a"),  # no bit rate yet
        (b"S9\r", b"\a"),
        (b"S6\rS5\rO\rO\r", b"\r\r\r\a"),  # already open
        (b"S6\rO\rS6\r", b"\r\r\a"),  # not while open
        (b"C\r", b"\a"),  # already closed
        (b"s001C\r", b"\r"),  # BTR0 = 00, BTR1 = 1C: 500 kbit/s of an SJA1000 at 16 MHz
        (b"V\r", b"V1013\r"),
        (b"N\r", b"NSNKE\r"),
        (b"F\r", b"\a"),  # only while open
        (b"S6\rO\rF\r", b"\r\rF00\r"),
        (b"\r", b"\r"),
        (b"what?\r", b"\a"),
        (b"\xff\xfe\r", b"\a"),
        (b"t2001\r", b"\a"),  # not open
        (b"S6\rL\rt2001AB\r", b"\r\r\a"),  # listen only
        (b"S6\rO\rt2009\r", b"\r\r\a"),  # nine bytes
        (b"S6\rO\rt2002AB\r", b"\r\r\a"),  # one byte instead of two
        (b"S6\rO\rt8001AB\r", b"\r\r\a"),  # more than 11 bits
        (b"S6\rO\rT2000000000\r", b"\r\r\a"),  # more than 29 bits
        (b"t" + 100 * b"0" + b"\rV\r", b"\aV1013\r"),
    ],
)
def test_slcan_commands_are_answered(written: bytes, answer: bytes) -> None:
    assert SlcanAdapter(500_000).written(written) == ([], answer)


def test_frames_are_received_and_sent() -> None:
    adapter = opened()
    frames, answer = adapter.written(b"t20D3112233\rT1ABCDEF00\rr1234\rR000012348\r")
    assert frames == [
        Frame(0x20D, b"\x11\x22\x33"),
        Frame(0x1ABCDEF0, b"", extended=True),
        Frame(0x123, remote=True, length=4),
        Frame(0x1234, extended=True, remote=True, length=8),
    ]
    assert answer == b"z\rZ\rz\rZ\r"
    assert (
        b"".join(adapter.encode(frame) for frame in frames)
        == b"t20D3112233\rT1ABCDEF00\rr1234\rR000012348\r"
    )
    assert adapter.encode(Frame(1, bytes(12), fd=True)) == b""


def test_split_commands_are_reassembled() -> None:
    adapter = SlcanAdapter(500_000)
    answers = b"".join(adapter.written(bytes([byte]))[1] for byte in b"S6\rO\rt0011FF\r")
    assert answers == b"\r\rz\r"


def test_wrong_bit_rate_receives_only_errors() -> None:
    adapter = opened(b"S5")
    assert adapter.written(b"t0011FF\r") == ([], b"z\r")
    assert adapter.encode(Frame(5, b"\x01")) == b""
    assert not adapter.connected
    assert (
        adapter.written(b"F\rF\r")[1] == b"F80\rF00\r"
    )  # bus error, cleared after it was reported


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_python_can_driver_moves_the_robot(tmp_path: Path) -> None:
    loaded = load_profile(patient_robot(tmp_path))
    port = PtySlcan(500_000)
    ended = threading.Event()
    robot = EmulatedRobot(loaded)
    runs = threading.Thread(target=EmulatorProcess(robot, port, ends=ended.is_set).run)
    runs.start()
    bus = can.Bus(
        interface="slcan",
        channel=port.path,
        bitrate=500_000,
        sleep_after_open=0.0,
        ignore_config=True,
    )
    try:
        assert bus.get_version(2.0) == (10, 13)
        codec = Codec(loaded)
        angle = np.full(20, np.nan)
        armed = False
        deadline = time.monotonic() + 20.0
        sent = 0.0
        while time.monotonic() < deadline and not np.allclose(angle, 0.2, atol=0.05):
            if time.monotonic() - sent > 0.05:
                sent = time.monotonic()
                frames = codec.set_points(np.full(20, 0.2))
                if not armed:
                    frames = [
                        f for step in loaded.profile.sequences.arm for f in codec.step_frames(step)
                    ]
                for frame in frames:
                    bus.send(
                        can.Message(
                            arbitration_id=frame.id, data=frame.data, is_extended_id=frame.extended
                        )
                    )
            message = bus.recv(0.01)
            if message is None:
                continue
            decoded = codec.decode(
                Frame(message.arbitration_id, bytes(message.data), message.is_extended_id)
            )
            for value in decoded.values if decoded is not None else ():
                if value.quantity == "angle":
                    angle[value.axis] = value.value
                armed |= value.quantity == "status" and value.value == 2
        assert angle == pytest.approx(np.full(20, 0.2), abs=0.05)
    finally:
        bus.shutdown()
        ended.set()
        runs.join()
        port.close()
