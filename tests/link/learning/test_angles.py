"""Angles are learned with position, format, sign and scale, and never from random traffic."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.link.core.codec import Codec
from snakestudio.link.frame import Frame
from snakestudio.link.learning.angles import find_angles
from snakestudio.link.learning.fields import BitField
from snakestudio.link.learning.motion import Cue
from snakestudio.link.learning.proposal import Move, propose
from snakestudio.link.learning.streams import sort_streams
from snakestudio.link.learning.taking_over import add_learned, empty_dbc
from snakestudio.link.profile.loading import LoadedProfile, read_dbc
from tests.link.learning.traffic_of_robots import frames_of, hand, little_endian

CUE = Cue(10.0, amplitude=math.radians(20.0))


def packed(high: int) -> bytes:
    """Return eight bytes of a number whose bits count from the first byte's most significant one."""
    return high.to_bytes(8, "big")


CODINGS: dict[str, tuple[Callable[[float], bytes], BitField, float]] = {
    # name: encoding of an angle in degrees, its field, degrees per count
    "16 bit little-endian": (
        lambda a: bytes([1, 2]) + struct.pack("<h", round(100 * a)) + bytes(4), BitField(16, 16, signed=True), 0.01,
    ),
    "16 bit big-endian": (
        lambda a: struct.pack(">hh", 1000, round(100 * a)) + bytes(4), BitField(16, 16, True, True), 0.01,
    ),
    "16 bit around the middle, as a 65536th of a turn": (
        lambda a: bytes([9]) + struct.pack(">H", 0x8000 + round(a * 65536 / 360)) + bytes(5),
        BitField(8, 16, True), 360 / 65536,
    ),
    "32 bit little-endian, a 65536th of a turn": (
        lambda a: struct.pack("<i", round(a * 65536 / 360)) + bytes(4), BitField(0, 32, signed=True), 360 / 65536,
    ),
    "12 bit big-endian in the middle of a byte": (  # a 4096th of a turn
        lambda a: packed((round(97 * a) % 16) << 52 | (2048 + round(a * 4096 / 360)) << 40),
        BitField(12, 12, True), 360 / 4096,
    ),
    "float in rad": (
        lambda a: struct.pack("<ff", math.radians(a), 0.0), BitField(0, 32, False, True, True), math.degrees(1),
    ),
    "float in turns, big-endian": (
        lambda a: struct.pack(">ff", 1.0, a / 360), BitField(32, 32, True, True, True), 360.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("sign", [1, -1])
def test_angle_moved_by_hand_is_found(coding: str, sign: int) -> None:
    pack, field, degrees = CODINGS[coding]
    move = hand(CUE, seed=1 + sign)
    frames = frames_of(
        [1],
        lambda n: 0x181,
        lambda n, a, k: pack(sign * a),
        9.0,
        CUE.end + 1,
        0.02,
        lambda n, t: math.degrees(move(t)),
    )
    quiet = frames_of(
        [1], lambda n: 0x181, lambda n, a, k: pack(0.0), 0.0, 4.0, 0.02, lambda n, t: 0.0
    )
    (stream,), (still,) = sort_streams(frames), sort_streams(quiet)
    best = find_angles(stream, CUE.angle, CUE.begin, CUE.end, quiet=still)[0]
    assert best.field.places == field.places
    assert (best.field.big_endian, best.field.is_float) == (field.big_endian, field.is_float)
    assert math.copysign(1, best.correlation) == sign
    # the hand moved 85 % of the angle
    assert math.degrees(best.scale) == pytest.approx(degrees, rel=0.3)
    assert best.delay == pytest.approx(0.15, abs=0.1)  # delay of the hand
    assert best.confidence > 0.75


@pytest.mark.parametrize("coding", CODINGS)
def test_exactly_known_motion_determines_the_unit(coding: str) -> None:
    """As when the robot moves itself: of units that differ by 4 % (a 65536th of a turn, 0.1 mrad) the right one."""
    pack, field, degrees = CODINGS[coding]
    frames = frames_of(
        [1],
        lambda n: 0x181,
        lambda n, a, k: pack(a),
        9.0,
        CUE.end + 1,
        0.02,
        lambda n, t: math.degrees(float(CUE.angle(t))),
    )
    best = find_angles(sort_streams(frames)[0], CUE.angle, CUE.begin, CUE.end, exact=True)[0]
    assert best.field.places == field.places
    assert math.degrees(best.nice_scale) == pytest.approx(degrees, rel=1e-9)
    assert best.delay == 0.0


def test_rate_is_not_mistaken_for_the_angle() -> None:
    """A rate is a quarter of a period ahead; with pauses in the motion no delay makes them alike."""
    move = hand(CUE)

    def pack(node: int, degrees: float, number: int) -> bytes:
        return struct.pack("<hh", round(100 * degrees), round(10 * rate[number]))

    at = 9.0 + 0.02 * np.arange(750)
    rate = np.gradient([math.degrees(move(t)) for t in at], 0.02)
    frames = frames_of(
        [1], lambda n: 1, pack, 9.0, 9.0 + 0.02 * 740, 0.02, lambda n, t: math.degrees(move(t))
    )
    findings = find_angles(sort_streams(frames)[0], CUE.angle, CUE.begin, CUE.end)
    assert [finding.field.first for finding in findings if finding.confidence > 0.3] == [0]


def test_field_changing_at_rest_is_doubtful() -> None:
    """A signal that varies all the time may match the motion by chance; pauses without motion reveal it."""
    frames = [
        Frame(7, struct.pack("<h", round(2000 * float(CUE.angle(t)))), time=t)
        for t in np.arange(10.0, CUE.end + 1, 0.02).tolist()
    ]
    always = [Frame(7, frame.data, time=frame.time - 10.0) for frame in frames]
    doubted = find_angles(
        sort_streams(frames)[0], CUE.angle, CUE.begin, CUE.end, quiet=sort_streams(always)[0]
    )
    believed = find_angles(sort_streams(frames)[0], CUE.angle, CUE.begin, CUE.end)
    assert believed[0].confidence > 0.85
    assert all(finding.confidence < 0.3 for finding in doubted)


@given(st.integers(0, 2**32 - 1))
def test_random_traffic_gives_no_angle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    time = np.arange(10.0, CUE.end + 1, 0.05)
    noise = [
        Frame(1, bytes(rng.integers(0, 256, 4).astype(np.uint8)), time=t) for t in time.tolist()
    ]
    # Slow drifts look more like motions than noise does.
    drift = np.cumsum(rng.normal(0, 20, len(time))).astype(np.int64) & 0xFFFF
    walks = [
        Frame(2, struct.pack("<H", d), time=t)
        for d, t in zip(drift.tolist(), time.tolist(), strict=True)
    ]
    messages = propose(
        [*noise, *walks], [Move(1, "yaw", (*noise, *walks), CUE.angle, CUE.begin, CUE.end)]
    )
    assert all(angle.finding.confidence < 0.6 for message in messages for angle in message.angles)
    assert all(message.guards == () for message in messages)
    assert all(message.role != "heartbeat" for message in messages)


@pytest.fixture(scope="module")
def robot() -> tuple[list[Frame], list[Move]]:
    """A robot of four joints: at rest for four seconds, then joints 1 and 3 are moved; joint 3 counts backwards."""
    nodes = range(1, 5)
    offset = {node: 7.0 * node for node in nodes}

    def record(
        begin: float, end: float, moved: int, angle: Callable[[float], float]
    ) -> list[Frame]:
        def degrees(node: int, time: float) -> float:
            sign = -1 if node == 3 else 1
            return sign * math.degrees(angle(time)) * (node == moved) + offset[node]

        frames = frames_of(nodes, lambda n: 0x180 + n, little_endian, begin, end, 0.02, degrees)
        alive = lambda n, a, k: bytes([5])  # noqa: E731
        return frames + frames_of(
            nodes, lambda n: 0x700 + n, alive, begin, end, 0.1, lambda n, t: 0.0
        )

    quiet = record(0.0, 4.0, 0, lambda t: 0.0)
    moves = []
    for joint, begin in ((1, 10.0), (3, 30.0)):
        cue = Cue(begin, amplitude=math.radians(20.0))
        frames = record(begin - 1.0, cue.end + 1, joint, hand(cue, seed=joint))
        moves.append(Move(joint, "yaw", tuple(frames), cue.angle, cue.begin, cue.end))
    return quiet, moves


def test_learned_profile_decodes_the_robot(robot: tuple[list[Frame], list[Move]]) -> None:
    """From nothing to a profile whose codec returns the angles that were packed into the frames."""
    quiet, moves = robot
    messages = propose(quiet, moves)
    assert [message.role for message in messages] == ["feedback", "heartbeat"]
    feedback = messages[0]
    assert {(angle.joint, angle.node) for angle in feedback.angles} == {(1, 1), (3, 3)}
    assert {(guard.kind, guard.field.first, guard.algorithm) for guard in feedback.guards} == {
        ("counter", 48, ""),
        ("checksum", 56, "crc8_j1850"),
    }
    profile, dbc = add_learned(None, empty_dbc(), messages, name="learned")
    assert [(axis.joint, axis.node) for axis in profile.axes] == [(n, n) for n in range(1, 5)]
    assert (profile.axes[0].sign, profile.axes[0].offset_deg) == (1, pytest.approx(7.0, abs=0.01))
    assert (profile.axes[2].sign, profile.axes[2].offset_deg) == (-1, pytest.approx(21.0, abs=0.01))
    assert [message.id for message in profile.messages] == ["0x180 + node", "0x700 + node"]
    codec = Codec(LoadedProfile(profile, read_dbc(dbc), None, dbc))
    decoded = codec.decode(Frame(0x183, little_endian(3, 21.0 - 12.5, 40)))
    assert decoded is not None
    assert decoded.problem == ""
    (value,) = (value for value in decoded.values if value.quantity == "angle")
    # Node 3 reports sign * angle + offset in degrees: -12.5 + 21.
    assert math.degrees(value.value) == pytest.approx(12.5, abs=0.02)
    assert value.axis == 2


def test_second_adoption_replaces_and_keeps_the_rest(
    robot: tuple[list[Frame], list[Move]],
) -> None:
    quiet, moves = robot
    first, dbc = add_learned(None, empty_dbc(), propose(quiet, moves[:1]), others=False)
    assert [axis.joint for axis in first.axes] == [1]
    second, again = add_learned(first, dbc, propose(quiet, moves[1:]), others=False)
    assert [axis.joint for axis in second.axes] == [1, 3]
    assert len(second.messages) == len(first.messages) == 2
    assert again.count("BO_ ") == dbc.count("BO_ ")


def test_unmoved_nodes_alternate_like_moved_ones(
    robot: tuple[list[Frame], list[Move]],
) -> None:
    feedback, _ = propose(*robot)
    one, other = feedback.angles
    angles = one, replace(other, joint=2, axis="pitch", node=2)
    profile, _ = add_learned(None, empty_dbc(), [replace(feedback, angles=angles)])
    assert [(axis.name, axis.node) for axis in profile.axes] == [
        ("joint 1 yaw", 1),
        ("joint 2 pitch", 2),
        ("joint 3 yaw", 3),
        ("joint 4 pitch", 4),
    ]
    alike, _ = add_learned(
        None, empty_dbc(), [replace(feedback, angles=(replace(one, axis="roll"),))]
    )
    assert [axis.axis for axis in alike.axes] == ["roll"] * 4


def test_profile_needs_an_angle(robot: tuple[list[Frame], list[Move]]) -> None:
    with pytest.raises(ValueError, match="move a joint"):
        add_learned(None, empty_dbc(), propose(robot[0]))
