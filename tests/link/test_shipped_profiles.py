"""The shipped profiles against frames computed by hand from the specifications of the protocols."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from snakestudio.link.core.codec import Codec
from snakestudio.link.core.coder import Value
from snakestudio.link.frame import Frame
from snakestudio.link.profile.check import arming_problems, check
from snakestudio.link.profile.library import find_profile, shipped
from snakestudio.link.profile.loading import load_profile
from snakestudio.link.profile.schema import Step

DEG = math.pi / 180


def codec(name: str) -> Codec:
    return Codec(load_profile(find_profile(name)))


def candump(frames: list[Frame]) -> list[str]:
    """Return frames as candump writes them; R is a remote frame."""
    return [f"{f.id:03X}#{'R' if f.remote else f.data.hex().upper()}" for f in frames]


def sequence(own: Codec, steps: tuple[Step, ...], node: int) -> list[str]:
    return [text for step in steps for text in candump(own.step_frames(step, node))]


def set_points(own: Codec, angle: dict[int, float], rate: dict[int, float]) -> list[str]:
    angles = np.zeros(own.n_axes)
    rates = np.zeros(own.n_axes)
    for axis, value in angle.items():
        angles[axis] = value
    for axis, value in rate.items():
        rates[axis] = value
    return candump(own.set_points(angles, rates))


def values(own: Codec, frame: str) -> dict[tuple[str, int], float]:
    identifier, data = frame.split("#")
    decoded = own.decode(Frame(int(identifier, 16), bytes.fromhex(data)))
    assert decoded is not None
    assert decoded.problem == ""
    return {(value.quantity, value.axis): value.value for value in decoded.values}


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_shipped_profile_can_be_armed(path: Path) -> None:
    loaded = load_profile(path)
    assert arming_problems(loaded) == []
    # The only warning: actuators of the MIT type cannot report whether they are armed.
    assert [p.key for p in check(loaded)] == (["status"] if path.stem == "mit_actuator" else [])


def test_lab_robot() -> None:
    own = codec("lab_robot")
    # Joint 3 is axes 4 and 5. 12.34° in 0.01°: 1234 = 0x04D2, low byte first; -5°: -500 = 0xFE0C;
    # 30°/s in 0.1°/s: 300 = 0x012C.
    frames = set_points(own, {4: 12.34 * DEG, 5: -5 * DEG}, {4: 30 * DEG})
    assert len(frames) == 10
    assert frames[2] == "203#D2040CFE2C010000"
    # 1° = 100 = 0x0064, -1° = 0xFF9C, 1.5 A = 1500 mA = 0x05DC, -0.25 A = -250 = 0xFF06.
    got = values(own, "185#64009CFFDC0506FF")
    assert got == pytest.approx(
        {("angle", 8): 1 * DEG, ("angle", 9): -1 * DEG, ("current", 8): 1.5, ("current", 9): -0.25}
    )
    # 65 °C + 40 = 105 = 0x69, 24 V = 24000 mV = 0x5DC0; the voltage is the node's.
    got = values(own, "281#692DC05D")
    assert got == pytest.approx(
        {("temperature", 0): 65, ("temperature", 1): 5, ("voltage", -1): 24}
    )
    assert values(own, "70A#02050000")[("status", -1)] == 2
    sequences = own.profile.sequences
    assert sequence(own, sequences.arm, 4) == ["104#01"]
    assert sequence(own, sequences.disarm, 4) == ["104#02"]
    assert sequence(own, sequences.zero, 10) == ["10A#03"]
    assert sequence(own, sequences.reset, 1) == ["101#04"]
    assert [f for step in sequences.stop for f in candump(own.step_frames(step))] == ["001#00"]


def test_alternating_modules() -> None:
    own = codec("alternating_modules")
    assert own.profile.axes_text == "alternating yaw and pitch"
    assert _autosar(b"123456789") == 0xDF  # the check value of AUTOSAR's specification of CRC-8H2F
    # Joint 3 is a yaw axis of node 3: 30° = 30000 = 0x007530 in 24 bits, low byte first; -40°/s =
    # -400 = 0xFE70.
    body = bytes([0x30, 0x75, 0x00, 0x70, 0xFE, 0x00])
    frames = set_points(own, {2: 30 * DEG}, {2: -40 * DEG})
    assert len(frames) == 12
    assert frames[2] == f"103#{body.hex().upper()}{_autosar(body):02X}"
    # Node 12, a pitch axis: -1.5° = -1500 = 0xFFFA24, 2°/s = 20 = 0x0014, -0.5 A = -50 = 0xFCE,
    # count 9.
    body = bytes.fromhex("24FAFF1400CE9F")
    got = values(own, f"18C#{body.hex()}{_autosar(body):02X}")
    assert {q: v for q, v in got.items() if q[0] not in ("counter", "checksum")} == pytest.approx(
        {("angle", 11): -1.5 * DEG, ("rate", 11): 2 * DEG, ("current", 11): -0.5}
    )
    sequences = own.profile.sequences
    assert sequence(own, sequences.arm, 7) == ["087#01"]
    assert sequence(own, sequences.disarm, 7) == ["087#02"]
    assert sequence(own, sequences.reset, 12) == ["08C#04"]
    assert [f for step in sequences.stop for f in candump(own.step_frames(step))] == ["010#00"]


def _autosar(data: bytes) -> int:
    """CRC-8 of AUTOSAR bit by bit: polynomial 0x2F, initial value FF, inverted at the end."""
    crc = 0xFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ 0x2F) & 0xFF if crc & 0x80 else crc << 1
    return crc ^ 0xFF


def _j1850(data: bytes) -> int:
    """CRC-8 SAE J1850 bit by bit: x^8 + x^4 + x^3 + x^2 + 1, initial value FF, inverted at the end."""
    crc = 0xFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ 0x1D) & 0xFF if crc & 0x80 else crc << 1
    return crc ^ 0xFF


def test_generic_servo() -> None:
    own = codec("generic_servo")
    assert _j1850(b"123456789") == 0x4B  # the check value of Rocksoft's catalogue
    # 45° = 4500 = 0x1194, high byte first; -90°/s = -900 = 0xFC7C; then the count in the low four
    # bits, and the CRC.
    for count in (*range(16), 0):
        body = bytes([0x11, 0x94, 0xFC, 0x7C, count])
        frame = set_points(own, {6: 45 * DEG}, {6: -90 * DEG})[6]
        assert frame == f"207#{body.hex().upper()}{_j1850(body):02X}"
    # -1.23° = -123 = 0xFF85, 2°/s = 20 = 0x0014, 0.5 A = 50 = 0x0032, count 9.
    body = bytes.fromhex("FF850014003209")
    got = values(own, f"181#{body.hex()}{_j1850(body):02X}")
    assert {q: v for (q, _), v in got.items() if q not in ("counter", "checksum")} == pytest.approx(
        {"angle": -1.23 * DEG, "rate": 2 * DEG, "current": 0.5}
    )
    broken = own.decode(Frame(0x181, body + bytes([_j1850(body) ^ 1])))
    assert broken is not None
    assert broken.values == ()
    assert "the checksum Checksum of ServoFeedback of node 1 is" in broken.problem
    sequences = own.profile.sequences
    assert sequence(own, sequences.arm, 7) == ["107#01"]
    assert sequence(own, sequences.reset, 7) == ["107#04"]
    assert [f for step in sequences.stop for f in candump(own.step_frames(step))] == ["100#00"]


def test_odrive_can_simple() -> None:
    own = codec("odrive_can_simple")
    # Node 2: 2 << 5 | 0x0C = 0x4C. A hundredth of a turn at gear 50 is half a turn of the motor, as
    # float 0x3F000000; a fiftieth of a turn a second is one of the motor, in thousandths 1000 =
    # 0x03E8.
    frames = set_points(own, {1: 0.01 * 2 * math.pi}, {1: 0.02 * 2 * math.pi})
    assert frames[1] == "04C#0000003FE8030000"
    # 0.25 = 0x3E800000 and -2.0 = 0xC0000000, turns and turns a second of the motor.
    got = values(own, "049#0000803E000000C0")
    assert got == pytest.approx(
        {("angle", 1): 0.25 * 2 * math.pi / 50, ("rate", 1): -2.0 * 2 * math.pi / 50}
    )
    assert values(own, "041#0000000208000000") == {("status", 1): 8, ("error", 1): 0x02000000}
    # Node 1: clear errors 0x18, position control (3) with inputs passed through (1) by 0x0B, closed
    # loop (8) by 0x07.
    sequences = own.profile.sequences
    assert sequence(own, sequences.arm, 1) == ["038#00", "02B#0300000001000000", "027#08000000"]
    assert sequence(own, sequences.disarm, 1) == ["027#01000000"]
    assert sequence(own, sequences.stop, 1) == ["022#"]
    assert sequence(own, sequences.zero, 1) == ["039#00000000"]
    request = next(m for m in own.profile.messages if m.called == "Ask_Iq")
    assert candump(own.frames(request, node=10)) == ["154#R"]
    decoded = own.decode_outgoing(own.frames(request, node=10)[0])
    assert decoded is not None
    assert (decoded.message, decoded.node) == (request, 10)
    # -1.5 = 0xBFC00000, the measured one in the upper half.
    assert values(own, "154#000000000000C0BF") == {("current", 9): -1.5}


def test_cia402_csp() -> None:
    own = codec("cia402_csp")
    # 9° at gear 100 are 2.5 turns of the motor, 2.5 * 65536 = 163840 = 0x00028000; then SYNC.
    frames = set_points(own, {2: 9 * DEG}, {})
    assert frames[2] == "203#00800200"
    assert frames[-1] == "080#"
    # Operation enabled with voltage, remote and target reached: 0x0637; -65536 increments are one
    # turn back.
    got = values(own, "183#37060000FFFF")
    assert got == pytest.approx({("status", 2): 0x0637, ("angle", 2): -2 * math.pi / 100})
    meaning = next(s for s in own.profile.status if 0x0637 & s.mask == s.code)
    assert meaning.meaning == "armed"
    # Half a turn a second is 32768 = 0x8000; 250 thousandths of 0.07 N m, at gear 100 1.75 N m of
    # the joint.
    got = values(own, "283#00800000FA00")
    assert got == pytest.approx({("rate", 2): math.pi / 100, ("torque", 2): 1.75})
    sequences = own.profile.sequences
    # SDO: write 1 byte (0x2F) into 0x6060:00, the value 8; then the controlwords 6, 7 and 15.
    assert sequence(own, sequences.arm, 3) == [
        "603#2F60600008000000",
        "303#0600",
        "303#0700",
        "303#0F00",
    ]
    assert sequence(own, sequences.stop, 3) == ["303#0200", "303#0000"]
    assert sequence(own, sequences.reset, 3) == ["303#0000", "303#8000", "303#0600"]
    start = next(m for m in own.profile.messages if m.message == "NMT")
    assert candump(own.frames(start)) == ["000#0100"]
    heartbeat = own.decode(Frame(0x70A, b"\x05"))
    assert heartbeat is not None
    assert (heartbeat.message.role, heartbeat.node) == ("heartbeat", 10)


@pytest.mark.parametrize(
    ("statusword", "text"),
    # CiA 402, statusword: the states by the bits that distinguish them, with other bits set.
    [
        (0x0200, "Not ready to switch on"),
        (0x0240, "Switch on disabled"),
        (0x0231, "Ready to switch on"),
        (0x0233, "Switched on"),
        (0x1237, "Operation enabled"),
        (0x0217, "Quick stop active"),
        (0x021F, "Fault reaction active"),
        (0x0218, "Fault"),
    ],
)
def test_cia402_states(statusword: int, text: str) -> None:
    status = codec("cia402_csp").profile.status
    assert [s.text for s in status if statusword & s.mask == s.code] == [text]


def test_mit_actuator() -> None:
    own = codec("mit_actuator")
    # Position 16 bits over ±12.5 rad, velocity 12 bits over ±65 rad/s, stiffness 12 bits over 0 to
    # 500: 60 is 491 = 0x1EB, damping over 0 to 5: 2 is 1638 = 0x666, torque over ±18: 0 lies
    # between 0x7FF and 0x800. All one behind the other, most significant first.
    position = -12.5 + 25 * 0x1234 / 65535
    velocity = -65 + 130 * 0x567 / 4095
    frame = set_points(own, {0: position}, {0: velocity})[0]
    assert frame in ("001#12345671EB6667FF", "001#12345671EB666800")
    # Node 4 identifies itself in the first byte; 0xFFFF is 12.5 rad, 0x000 -65 rad/s, 0xFFF 18 N m.
    got = values(own, "000#04FFFF000FFF")
    assert got == pytest.approx({("angle", 3): 12.5, ("rate", 3): -65, ("torque", 3): 18})
    assert own.decode(Frame(0, bytes.fromhex("0BFFFF000FFF"))) is None  # there is no node 11
    sequences = own.profile.sequences
    assert sequence(own, sequences.arm, 2) == ["002#FFFFFFFFFFFFFFFC"]
    assert sequence(own, sequences.stop, 2) == ["002#FFFFFFFFFFFFFFFD"]
    assert sequence(own, sequences.zero, 2) == ["002#FFFFFFFFFFFFFFFE"]
    # The poll has neither stiffness nor damping.
    poll = next(m for m in own.profile.messages if m.called == "Poll")
    assert candump(own.frames(poll, node=2))[0][4:].startswith("8000")
    assert candump(own.frames(poll, node=2))[0][11:17] == "000000"


def test_torque_and_current_are_converted_to_the_joint() -> None:
    own = codec("cia402_csp")
    decoded = own.decode(Frame(0x281, bytes.fromhex("00000000E803")))
    assert decoded is not None
    # 1000 thousandths of 0.07 N m, at gear 100
    assert Value("torque", 0, 1, pytest.approx(7.0)) in decoded.values
