"""Ids, periods, families of ids, counters and checksums in traffic with a known layout."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.link.frame import Frame
from snakestudio.link.learning.families import find_families
from snakestudio.link.learning.fields import BitField, read_field
from snakestudio.link.learning.guards import find_checksum, find_counters
from snakestudio.link.learning.streams import Stream, sort_streams
from snakestudio.link.profile.formula import read_formula
from tests.link.learning.traffic_of_robots import frames_of, little_endian


def stream_of(payloads: list[bytes], period: float = 0.02) -> Stream:
    (stream,) = sort_streams(
        [Frame(0x123, data, time=number * period) for number, data in enumerate(payloads)]
    )
    return stream


def test_frames_are_sorted_by_id_with_periods_and_changes() -> None:
    frames = frames_of(
        [1], lambda n: 0x181, lambda n, a, k: bytes([7, k & 255]), 0.0, 4.0, 0.02, lambda n, t: 0.0
    )
    frames += [Frame(0x701, b"\5", time=0.1 * k) for k in range(40)]
    frames += [
        Frame(0x701, b"\5\6", time=0.05),
        Frame(0x20, error=True, time=1.0),
        Frame(0x701, remote=True, time=2.0),
    ]
    feedback, heartbeat = sort_streams(frames)
    assert (feedback.id, feedback.count, feedback.length) == (0x181, 200, 2)
    assert feedback.period == pytest.approx(0.02, rel=0.05)
    assert feedback.is_periodic
    assert feedback.changing_bytes == (1,)
    assert (heartbeat.count, heartbeat.other_lengths, heartbeat.changing_bytes) == (40, 1, ())
    # The least significant bit of a counter changes every time, the next one every other time, and so on.
    assert feedback.flips[8:12] == pytest.approx([1.0, 0.5, 0.25, 0.125], abs=0.01)


def test_irregular_frames_are_not_periodic() -> None:
    times = np.cumsum(np.random.default_rng(3).exponential(0.05, 200))
    (stream,) = sort_streams([Frame(5, b"\1", time=float(t)) for t in times])
    assert not stream.is_periodic


@pytest.mark.parametrize(
    ("ids", "formula", "nodes"),
    [
        (
            [0x181 + k for k in range(10)],
            "0x180 + node",
            range(1, 11),
        ),  # CANopen's TPDO1: 0x180 + node
        (
            [(k << 5) | 0x09 for k in range(3, 8)],
            "node << 5 | 0x09",
            range(3, 8),
        ),  # ODrive: node << 5 | command
        ([0x300 + 3 * k for k in range(5)], "0x2FD + 3 * node", range(1, 6)),
        ([0x201, 0x202, 0x204, 0x205], "0x200 + node", [1, 2, 4, 5]),  # node 3 is missing
    ],
)
def test_equidistant_ids_form_one_formula(ids: list[int], formula: str, nodes: list[int]) -> None:
    frames = [
        Frame(each, bytes(4), time=0.1 * k + 0.001 * each % 0.1) for k in range(20) for each in ids
    ]
    (family,) = find_families(sort_streams(frames))
    assert family.formula == formula
    assert family.nodes == tuple(nodes)
    assert [read_formula(formula)(node) for node in family.nodes] == ids


def test_messages_of_nodes_form_families() -> None:
    nodes = range(1, 6)
    frames = [
        Frame(base + n, bytes(8), time=0.02 * k)
        for k in range(50)
        for base in (0x180, 0x280)
        for n in nodes
    ]
    frames += [Frame(0x80, b"", time=0.02 * k) for k in range(50)]
    families = find_families(sort_streams(frames))
    assert [family.formula for family in families] == ["", "0x180 + node", "0x280 + node"]


@pytest.mark.parametrize(
    ("position", "width", "big"),
    [(8, 8, False), (12, 4, False), (0, 4, False), (16, 16, False), (16, 16, True)],
)
def test_counters_are_found_with_position_and_width(position: int, width: int, big: bool) -> None:
    field = BitField(position, width, big)
    rng = np.random.default_rng(position)
    payloads = []
    for number in range(300):
        bits = rng.integers(0, 2, 48).astype(np.uint8)  # everything else is noise
        for i, at in enumerate(field.places):
            bits[at] = (number + 250) >> i & 1
        payloads.append(np.packbits(bits, bitorder="little").tobytes())
    (counter,) = find_counters(stream_of(payloads))
    assert (counter.field.first, counter.field.width) == (position, width)
    assert counter.field.big_endian == big
    assert counter.confidence > 0.95


@pytest.mark.parametrize("algorithm", ["xor8", "sum8", "crc8_j1850", "crc8_autosar"])
@pytest.mark.parametrize("position", [0, 3, 7])
def test_checksum_is_identified_by_name_and_position(algorithm: str, position: int) -> None:
    from snakestudio.link.profile.checksums import CHECKSUMS

    rng = np.random.default_rng(position)
    payloads = []
    for _ in range(60):
        body = bytes(rng.integers(0, 256, 7).astype(np.uint8))
        payloads.append(body[:position] + bytes([CHECKSUMS[algorithm](body)]) + body[position:])
    checksum = find_checksum(stream_of(payloads))
    assert checksum is not None
    # Every byte of an exclusive or is the checksum of the others: the last one is meant.
    assert checksum.algorithm == algorithm
    assert checksum.field.first == (8 * 7 if algorithm == "xor8" else 8 * position)
    assert checksum.confidence > 0.95


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_random_frames_have_neither_counter_nor_checksum(seed: int, length: int) -> None:
    rng = np.random.default_rng(seed)
    stream = stream_of([bytes(rng.integers(0, 256, length).astype(np.uint8)) for _ in range(80)])
    assert find_counters(stream) == []
    assert find_checksum(stream) is None


def test_constant_byte_is_not_a_checksum() -> None:
    # although 0 is the exclusive or of zeros
    assert find_checksum(stream_of([bytes(8)] * 100)) is None


@given(
    st.integers(0, 40),
    st.integers(2, 24),
    st.booleans(),
    st.booleans(),
    st.binary(min_size=8, max_size=8),
)
def test_fields_agree_with_cantools(
    first: int, width: int, big: bool, signed: bool, data: bytes
) -> None:
    """cantools' decoder verifies positions of bits, byte order and sign."""
    from cantools.database.can import Message as DbcMessage
    from cantools.database.can import Signal as DbcSignal

    field = BitField(first, width, big, signed)
    order = "big_endian" if big else "little_endian"
    signal = DbcSignal("x", field.dbc_start, width, order, signed)
    expected = DbcMessage(1, "M", 8, [signal], strict=True).decode(data)["x"]
    assert read_field(stream_of([data]), field)[0] == expected


def test_messages_of_a_complete_robot_are_classified() -> None:
    frames = frames_of(
        range(1, 11), lambda n: 0x180 + n, little_endian, 0.0, 3.0, 0.02, lambda n, t: 3.0 * n
    )
    (family,) = find_families(sort_streams(frames))
    assert math.isclose(family.period, 0.02, rel_tol=0.05)
    stream = family.streams[4]
    (counter,) = find_counters(stream)
    assert (counter.field.first, counter.field.width) == (48, 8)
    checksum = find_checksum(stream)
    assert checksum is not None
    assert (checksum.algorithm, checksum.field.first) == ("crc8_j1850", 56)
