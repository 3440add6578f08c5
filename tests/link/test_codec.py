"""The codec against cantools' coder, in both directions, and with arbitrary input."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from cantools.database.can import Message as DbcMessage
from cantools.database.can import Signal as DbcSignal
from cantools.database.conversion import BaseConversion
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.errors import ProfileError
from snakestudio.link.core.codec import Codec
from snakestudio.link.core.coder import DecodedFrame
from snakestudio.link.frame import Frame
from snakestudio.link.profile.checksums import CHECKSUMS
from snakestudio.link.profile.field import fields_of
from snakestudio.link.profile.library import shipped
from snakestudio.link.profile.loading import load_profile, parse_profile
from snakestudio.link.profile.schema import INCOMING, Quantity, Step
from tests.wording import naming

CODECS = {path.stem: Codec(load_profile(path)) for path in shipped()}

DBC = """VERSION ""
BU_: A B
BO_ 16 Mixed: 8 A
 SG_ Kind M : 0|4@1+ (1,0) [0|15] "" B
 SG_ Angle m1 : 15|12@0- (0.1,5) [0|0] "deg" B
 SG_ Current m1 : 32|16@1+ (0.01,0) [0|655.35] "A" B
 SG_ Heat m2 : 8|8@1- (0.5,300) [0|0] "K" B
BO_ 17 Target: 8 B
 SG_ First : 0|16@1- (0.01,0) [-90|90] "deg" A
 SG_ Second : 16|16@1- (0.01,0) [0|0] "deg" A
 SG_ Third : 32|16@1- (0.01,0) [0|0] "deg" A
BO_ 18 Raw: 4 B
 SG_ Number : 0|32@1+ (7,3) [0|0] "" A
BO_ 19 Word: 1 A
 SG_ State : 0|8@1- (1,0) [0|0] "" B
"""
TOML = """format = 1
name = "Odd"
dbc = "odd.dbc"
axes = [
    { joint = 1, node = 7, sign = -1, offset_deg = 10.0, gear = 4.0 },
    { joint = 2, node = 9, slot = 3 },
    { joint = 3, node = 9, slot = 4 },
]
messages = [
    { role = "set_point", message = "Target", each = "once", signals = [
        { signal = "First", quantity = "angle", slot = 0 },
        { signal = "Second", quantity = "angle", slot = 1 },
        { signal = "Third", quantity = "angle", slot = 2 },
    ] },
    { role = "feedback", message = "Mixed", name = "Angles", id = "0x20 + node", fixed = { Kind = 1 }, signals = [
        { signal = "Angle", quantity = "angle", slot = 0 },
        { signal = "Current", quantity = "current", slot = 0 },
    ] },
    { role = "feedback", message = "Mixed", name = "Heats", id = "0x20 + node", fixed = { Kind = 2 }, signals = [
        { signal = "Heat", quantity = "temperature" },
    ] },
    { role = "feedback", message = "Raw", id = "0x30 + node", signals = [
        { signal = "Number", quantity = "angle", slot = 3, encoding = "float32", unit = "rad" },
    ] },
    { role = "feedback", message = "Word", id = "0x40 + node", signals = [{ signal = "State", quantity = "status" }] },
]
"""


def odd(toml: str = TOML) -> Codec:
    return Codec(parse_profile(toml, DBC))


def got(decoded: DecodedFrame | None) -> dict[tuple[Quantity, int], float]:
    assert decoded is not None
    assert decoded.problem == ""
    return {(value.quantity, value.axis): value.value for value in decoded.values}


# ----------------------------------------------------------------------------------------- cantools


@st.composite
def messages(draw: st.DrawFn) -> DbcMessage:
    """A message of up to 64 bytes: groups of whole bytes in either byte order, with signals of any length."""
    n_bytes = draw(st.sampled_from((1, 2, 3, 5, 8, 8, 8, 12, 64)))
    signals: list[DbcSignal] = []
    byte = 0
    while byte < n_bytes:
        span = draw(st.integers(1, min(8, n_bytes - byte)))
        order = draw(st.sampled_from(("little_endian", "big_endian")))
        bit = 0
        while bit < 8 * span:
            length = draw(st.integers(1, 8 * span - bit))
            floating = length in (16, 32, 64) and draw(st.booleans())
            first = 8 * byte + bit
            start = first if order == "little_endian" else 8 * (first // 8) + 7 - first % 8
            scale, offset = draw(st.sampled_from(((1, 0), (0.01, 0), (0.5, -40), (-2, 3))))
            conversion = BaseConversion.factory(
                scale=1 if floating else scale, offset=0 if floating else offset, is_float=floating
            )
            signed = not floating and draw(st.booleans())
            signals.append(
                DbcSignal(
                    f"s{len(signals)}",
                    start,
                    length,
                    order,
                    is_signed=signed,
                    conversion=conversion,
                )  # type: ignore[arg-type]
            )
            bit += length
        byte += span
    return DbcMessage(1, "m", n_bytes, signals, strict=True)


@given(messages(), st.randoms(use_true_random=False))
def test_bits_agree_with_cantools(message: DbcMessage, draw: random.Random) -> None:
    fields = fields_of(message)
    raws: dict[str, float] = {}
    little = big = 0
    for name, field in fields.items():
        if field.floating:
            raws[name] = draw.choice((0.0, -1.5, 0.25, 1024.0))
        else:
            raws[name] = draw.randint(int(field.low), int(field.high))
        if field.big:
            big |= field.pattern(raws[name])
        else:
            little |= field.pattern(raws[name])
    n = message.length
    data = (little | int.from_bytes(big.to_bytes(n, "big"), "little")).to_bytes(n, "little")
    assert data == message.encode(raws, scaling=False)
    parts = int.from_bytes(data, "little"), int.from_bytes(data, "big")
    assert {name: field.raw(*parts) for name, field in fields.items()} == message.decode(
        data, scaling=False
    )
    physical = message.decode(data, decode_choices=False)
    assert {name: f.physical(f.raw(*parts)) for name, f in fields.items()} == pytest.approx(
        physical
    )


@pytest.mark.parametrize("name", CODECS)
@given(draw=st.randoms(use_true_random=False))
def test_shipped_messages_agree_with_cantools(name: str, draw: random.Random) -> None:
    codec = Codec(CODECS[name].loaded)
    node = draw.choice(codec.profile.nodes)
    for message in codec.profile.messages:
        if message.remote:
            continue
        dbc = codec.loaded.database.get_message_by_name(message.message)
        ours = {
            s.signal
            for s in message.signals
            if s.range is not None or s.quantity in ("counter", "checksum")
        }
        fields = {
            n: f for n, f in fields_of(dbc).items() if n not in ours and n not in message.fixed
        }
        raws: dict[str, float] = {
            name: draw.choice((0.0, -1.5, 0.25))
            if field.floating
            else draw.randint(int(field.low), int(field.high))
            for name, field in fields.items()
        }
        physical = {name: field.physical(raws[name]) for name, field in fields.items()}
        frame = codec.encode(message, node, {}, physical)
        second = dbc.decode(frame.data, scaling=False, decode_choices=False)
        assert isinstance(second, dict)
        assert {name: second[name] for name in raws} == raws
        decoded = codec.decode(frame) if message.role in INCOMING else codec.decode_outgoing(frame)
        assert decoded is not None
        scaled = dbc.decode(frame.data, decode_choices=False)
        assert isinstance(scaled, dict)
        assert {name: decoded.signals[name] for name in raws} == pytest.approx(
            {name: scaled[name] for name in raws}
        )


# ---------------------------------------------------------------------------------- both directions


@pytest.mark.parametrize("name", CODECS)
def test_encoded_commands_are_decoded_by_the_robot(name: str) -> None:
    codec = Codec(CODECS[name].loaded)
    rng = np.random.default_rng(1)
    angle, rate = rng.uniform(-1, 1, codec.n_axes), rng.uniform(-2, 2, codec.n_axes)
    decoded_values: dict[tuple[Quantity, int], float] = {}
    for frame in codec.set_points(angle, rate):
        decoded = codec.decode_outgoing(frame)
        assert decoded is not None
        assert decoded.message.role in ("set_point", "sync")
        decoded_values |= got(decoded)
        assert codec.decode(frame) is None
        assert codec.text(frame)
    coarsest = 25 / 65535  # MIT's 16 bits over 25 rad
    assert [decoded_values["angle", i] for i in range(codec.n_axes)] == pytest.approx(
        angle.tolist(), abs=coarsest
    )
    if ("rate", 0) in decoded_values:
        assert [decoded_values["rate", i] for i in range(codec.n_axes)] == pytest.approx(
            rate.tolist(), abs=130 / 4095
        )


@pytest.mark.parametrize("name", CODECS)
def test_feedback_of_the_robot_is_decoded(name: str) -> None:
    codec = Codec(CODECS[name].loaded)
    values: dict[tuple[Quantity, int], float] = {
        (quantity, i): 0.05 * i - 0.3
        for i in range(codec.n_axes)
        for quantity in ("angle", "rate", "torque", "current")
    }  # type: ignore[misc]
    values |= {("temperature", i): 30.0 + i for i in range(codec.n_axes)} | {
        ("status", -1): 1.0,
        ("error", -1): 4.0,
    }
    for message in codec.profile.messages:
        if message.role not in INCOMING:
            continue
        for node in codec.profile.nodes:
            decoded = codec.decode(codec.encode(message, node, values))
            assert decoded is not None
            assert decoded.node == node
            for (quantity, axis), value in got(decoded).items():
                if quantity in ("counter", "checksum", "voltage"):
                    continue
                expected = values.get((quantity, axis), values.get((quantity, -1)))
                assert value == pytest.approx(expected, abs=0.05), (message.called, quantity, axis)


# ----------------------------------------------------------------------------------- unusual robots


def test_sign_offset_and_gear_are_taken_out() -> None:
    codec = odd()
    # The node reports gear * (sign * angle + offset) = 4 * (-20° + 10°) = -40°; the signal has steps
    # of 0.1° from 5° on:
    # -450 steps, in 12 bits 0xE3E; big-endian from bit 15 (byte 1) on. 1.5 A = 150 = 0x96 in bytes
    # 4 and 5.
    frame = codec.encode(
        codec.profile.messages[1], 7, {("angle", 0): math.radians(20), ("current", 0): 1.5}
    )
    assert frame == Frame(0x27, bytes.fromhex("01E3E00096000000"))
    assert got(codec.decode(frame)) == pytest.approx(
        {("angle", 0): math.radians(20), ("current", 0): 1.5}
    )


def test_fixed_selector_identifies_the_message() -> None:
    codec = odd()
    # 20 °C = 293.15 K = 300 - 13.7 steps of half a kelvin: -14 = 0xF2, 293 K. The node has two
    # axes: it is both's.
    frame = codec.encode(codec.profile.messages[2], 9, {("temperature", -1): 20.0})
    assert frame == Frame(0x29, bytes.fromhex("02F2000000000000"))
    decoded = codec.decode(frame)
    assert decoded is not None
    assert decoded.message.name == "Heats"
    assert decoded.signals == {"Kind": 2.0, "Heat": 293.0}
    assert got(decoded) == pytest.approx({("temperature", -1): 19.85})
    assert (
        codec.decode(Frame(0x29, bytes.fromhex("03F2000000000000"))) is None
    )  # not defined in the profile


def test_broadcast_frame_has_a_slot_for_each_axis() -> None:
    codec = odd()
    # -(0) and offset 10° at gear 4: 40° = 4000 = 0x0FA0; the others as they are: 1° = 100, -1° =
    # -100.
    frames = codec.set_points(np.radians([0.0, 1.0, -1.0]))
    assert frames == [Frame(17, bytes.fromhex("A00F64009CFF0000"))]
    decoded = codec.decode_outgoing(frames[0])
    assert decoded is not None
    assert decoded.node is None
    assert [(v.axis, v.node) for v in decoded.values] == [(0, 7), (1, 9), (2, 9)]
    assert codec.axis_of(9, 4) == 2
    assert codec.axis_of(9, 0) is None


def test_values_beyond_a_signal_are_clamped() -> None:
    codec = odd()
    # First may go to ±90° in the DBC, Second as far as 16 bits.
    frame = codec.set_points(np.radians([-1000.0, -1000.0, 1000.0]))[0]
    assert frame.data == bytes.fromhex("28230080FF7F0000")  # 9000, -32768, 32767


def test_nan_from_the_robot_is_a_problem() -> None:
    codec = odd()
    fine = codec.encode(codec.profile.messages[3], 9, {("angle", 1): -0.75})
    assert fine.data == bytes.fromhex("000040BF")  # IEEE 754: -0.75 = 0xBF400000
    for data in ("0000C07F", "0000807F"):  # not a number, infinity
        decoded = codec.decode(Frame(0x39, bytes.fromhex(data)))
        assert decoded is not None
        assert decoded.values == ()
        assert decoded.problem == "Number in Raw of node 9 is not a number"


def test_status_is_decoded_from_its_bits() -> None:
    codec = odd()
    # though the DBC calls it signed
    assert got(codec.decode(Frame(0x47, b"\xfe"))) == {("status", 0): 0xFE}
    assert codec.encode(codec.profile.messages[4], 7, {("status", -1): 0xFE}).data == b"\xfe"


def test_short_frames_are_a_problem_and_long_ones_are_not() -> None:
    codec = CODECS["lab_robot"]
    short = codec.decode(Frame(0x185, b"\x01\x02"))
    assert short is not None
    assert (short.node, short.values) == (5, ())
    assert short.problem == "JointFeedback of node 5 has 2 bytes instead of 8"
    assert got(codec.decode(Frame(0x282, bytes(8))))
    nobody = CODECS["mit_actuator"].decode(Frame(0, b"\x01"))
    assert nobody is not None
    assert nobody.node is None


def test_frames_outside_the_profile_are_unknown() -> None:
    codec = CODECS["lab_robot"]
    feedback = Frame(0x185, bytes(8))
    assert codec.decode(feedback) is not None
    for frame in (
        Frame(0x7FF, bytes(8)),
        Frame(0x185, bytes(8), extended=True),
        Frame(0x185, remote=True, length=8),
        Frame(0x185, bytes(8), error=True),
        Frame(0x205, bytes(8)),
    ):
        assert codec.decode(frame) is None


def test_constant_counter_is_a_problem() -> None:
    codec = Codec(CODECS["generic_servo"].loaded)
    message = next(m for m in codec.profile.messages if m.message == "ServoFeedback")
    first = codec.encode(message, 3, {})
    second = codec.encode(message, 3, {})
    assert got(codec.decode(first))
    assert got(codec.decode(second))
    again = codec.decode(second)
    assert again is not None
    assert again.problem == "the counter Count of ServoFeedback of node 3 does not change from 1"
    assert got(codec.decode(codec.encode(message, 4, {})))  # another node counts by itself
    assert got(codec.decode(first))


def test_values_that_are_not_numbers_are_not_sent() -> None:
    codec = CODECS["lab_robot"]
    angle = np.zeros(codec.n_axes)
    angle[7] = math.nan
    with pytest.raises(ValueError, match="finite"):
        codec.set_points(angle)
    with pytest.raises(ValueError, match="not a number"):
        codec.encode(codec.profile.messages[4], 1, {("angle", 0): math.nan})


def test_sequence_steps_are_encoded() -> None:
    codec = CODECS["lab_robot"]
    assert codec.step_frames(Step(wait_s=1.0)) == codec.step_frames(Step(expect="armed")) == []
    raw = Step(raw="FF 01", id="0x300 + node", each="once")
    assert codec.step_frames(raw) == [Frame(0x301, b"\xff\x01")]
    assert len(codec.step_frames(Step(raw="FF", id="node"))) == 10
    held = np.radians(np.full(codec.n_axes, 1.0))
    target = Step(send="JointSetPoint")
    assert codec.step_frames(target, 2, held) == [Frame(0x202, bytes.fromhex("6400640000000000"))]
    held[0] = math.nan
    assert codec.step_frames(target, 2, held) == codec.step_frames(target, 2) == []
    command = Step(send="JointCommand", signals={"Command": "node - 1"})
    assert codec.step_frames(command, 3) == [Frame(0x103, b"\x02")]
    for step, says in (
        (Step(send="Nix"), '"Nix"'),
        (Step(send="JointCommand", signals={"Comand": 1}), 'no signal "Comand"'),
        (
            Step(send="JointCommand", signals={"Command": 900}),
            "value from 0 to 4",
        ),
        (Step(raw="xyz", id="1"), "hexadecimal bytes"),
        (Step(raw="00", id="0x800"), "beyond 11 bits"),
    ):
        with pytest.raises(ProfileError, match=says):
            codec.step_frames(step)


def test_unsolvable_message_is_refused_by_the_codec() -> None:
    with pytest.raises(ProfileError) as caught:
        odd(TOML.replace('signal = "Heat"', 'signal = "Hear"'))
    assert (
        str(caught.value)
        == 'messages[3].signals[1].signal: "Hear" is not in Mixed. Did you mean Heat?'
    )


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (
            Frame(0x702, bytes.fromhex("02040007")),
            "JointHeartbeat of node 2: State Armed, Errors 4, Count 7",
        ),
        (Frame(0x101, b"\x01"), "JointCommand of node 1: Command Arm"),
        (
            Frame(0x100, b"\x01"),
            "JointCommand: Command Arm",
        ),  # by the DBC: no node has this message
        (Frame(0x181, b"\x01"), "JointFeedback of node 1: 1 bytes instead of 8"),
        (Frame(0x7FF, b"\x01"), ""),
        (Frame(0, error=True), naming("error on")),
    ],
)
def test_frames_are_described_in_words(frame: Frame, text: str) -> None:
    assert CODECS["lab_robot"].text(frame) == text


@pytest.mark.parametrize(
    ("name", "check"),
    # Of "123456789": Rocksoft's catalogue (CRC-8/SAE-J1850), AUTOSAR SWS CRC library (0x2F); the
    # others by hand.
    [("crc8_j1850", 0x4B), ("crc8_autosar", 0xDF), ("xor8", 0x31), ("sum8", 0xDD)],
)
def test_checksums_have_their_published_check_values(name: str, check: int) -> None:
    assert CHECKSUMS[name](b"123456789") == check


# ---------------------------------------------------------------------------------- arbitrary input


def _feed(count: int, seed: int) -> None:
    """Pass random frames, half of them with ids of the profile, to everything that reads frames."""
    draw = random.Random(seed)
    codecs = [Codec(codec.loaded) for codec in (*CODECS.values(), odd())]
    for codec in codecs:
        own = [frame.id for frame in codec.set_points(np.zeros(codec.n_axes))]
        for message in codec.profile.messages:
            if not message.remote:
                own += [codec.encode(message, node, {}).id for node in codec.profile.nodes]
        for _ in range(count // len(codecs)):
            identifier = draw.choice(own) if draw.random() < 0.7 else draw.randrange(1 << 29)
            length = draw.choice((8, 8, 8, 6, draw.randrange(65)))
            frame = Frame(
                identifier,
                draw.randbytes(length),
                identifier > 0x7FF,
                draw.random() < 0.02,
                error=draw.random() < 0.01,
            )
            for decoded in (codec.decode(frame), codec.decode_outgoing(frame)):
                if decoded is not None:
                    assert all(math.isfinite(value.value) for value in decoded.values)
            if draw.random() < 0.1:
                codec.text(frame)


def test_any_frame_is_decoded_without_error() -> None:
    _feed(6_000, 1)


@pytest.mark.soak
def test_million_frames_are_decoded_without_error() -> None:
    _feed(1_000_000, 2)


def test_raw_bytes_are_sent_to_node_0_if_selected() -> None:
    toml = TOML.replace("node = 9", "node = 0")
    codec = odd(toml)
    assert codec.profile.nodes == (7, 0)
    for each in ("node", "once"):
        step = Step(raw="FF", id="0x300 + node", each=each)
        assert [frame.id for frame in codec.step_frames(step, 0)] == [0x300]
        assert [frame.id for frame in codec.step_frames(step, 7)] == [0x307]


def test_counter_counts_only_frames_that_contain_it() -> None:
    dbc = DBC.replace(
        " SG_ Angle m1 :", ' SG_ Count m1 : 4|4@1+ (1,0) [0|15] "" B\n SG_ Angle m1 :'
    )
    counter = '{ signal = "Count", quantity = "counter" },\n        { signal = "Angle"'
    toml = TOML.replace("fixed = { Kind = 1 }, ", "").replace('{ signal = "Angle"', counter)
    lines = toml.splitlines(keepends=True)
    heats = next(i for i, line in enumerate(lines) if '"Heats"' in line)
    codec = Codec(parse_profile("".join(lines[:heats] + lines[heats + 3 :]), dbc))

    def problem(first: int) -> str:
        decoded = codec.decode(Frame(0x27, bytes([first]) + bytes(7)))
        assert decoded is not None
        return decoded.problem

    # Low nibble: which signals are there (1: those with the counter, 2: others); high nibble: the
    # count, if it is.
    assert [bool(problem(byte)) for byte in (0x01, 0x02, 0x02, 0x11, 0x12, 0x12, 0x21, 0x21)] == [
        False
    ] * 7 + [True]
