"""Duration of frames against published values, and against frames that are stuffed bit by bit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.link.profile.binding import resolve
from snakestudio.link.profile.bus_load import data_length, frame_time, message_loads
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import load_profile
from snakestudio.link.profile.schema import Bus

BUS = Bus(bitrate=1_000_000, data_bitrate=1_000_000)


@pytest.mark.parametrize(
    ("n_bytes", "extended", "bits"),
    # Davis, Burns, Bril, Lukkien 2007, equations 1 and 2: 55 + 10 s bits with 11-bit ids, 80 + 10 s
    # with 29-bit ones.
    [(0, False, 55), (1, False, 65), (8, False, 135), (0, True, 80), (8, True, 160)],
)
def test_classic_frames_have_the_published_times(n_bytes: int, extended: bool, bits: int) -> None:
    assert frame_time(n_bytes, extended, False, False, BUS) * 1e6 == pytest.approx(bits)


def test_remote_frame_has_no_data() -> None:
    assert frame_time(8, False, True, False, BUS) * 1e6 == pytest.approx(55)


def _crc15(bits: list[int]) -> int:
    """ISO 11898-1: x^15 + x^14 + x^10 + x^8 + x^7 + x^4 + x^3 + 1."""
    crc = 0
    for bit in bits:
        crc = (crc << 1 & 0x7FFF) ^ (0x4599 if bit ^ crc >> 14 else 0)
    return crc


def _stuffed(bits: list[int]) -> int:
    """Return the number of bits, including the stuff bits after five equal ones."""
    count = 0
    last = -1
    run = 0
    for bit in bits:
        count += 1
        run = run + 1 if bit == last else 1
        last = bit
        if run == 5:
            count = count + 1
            last = 1 - bit
            run = 1
    return count


@given(st.integers(0, 0x7FF), st.binary(max_size=8))
def test_no_frame_exceeds_the_worst_case_time(identifier: int, data: bytes) -> None:
    bits = [0, *(identifier >> i & 1 for i in reversed(range(11))), 0, 0, 0]
    bits += [len(data) >> i & 1 for i in reversed(range(4))]
    bits += [byte >> i & 1 for byte in data for i in reversed(range(8))]
    crc = _crc15(bits)
    bits += [crc >> i & 1 for i in reversed(range(15))]
    on_the_bus = _stuffed(bits) + 1 + 2 + 7 + 3  # CRC delimiter, acknowledgement, end of frame, gap
    assert on_the_bus <= round(frame_time(len(data), False, False, False, BUS) * 1e6)


def test_can_fd_frame_of_64_bytes_has_its_time() -> None:
    # By hand: 17 bits and 4 stuffed ones up to the switch of rates; 5 + 512 behind it, (17 + 517 -
    # 1) // 4 - 4 = 129 stuffed; stuff count and CRC 4 + 21 with 7 fixed stuff bits; 13 bits at the
    # end.
    bus = Bus(bitrate=500_000, data_bitrate=2_000_000, fd=True)
    assert frame_time(64, False, False, True, bus) == pytest.approx(
        (17 + 4 + 13) / 5e5 + (517 + 129 + 25 + 7) / 2e6
    )


def test_can_fd_lengths_are_rounded_up() -> None:
    assert [data_length(n, True) for n in (0, 8, 9, 13, 33, 64)] == [0, 8, 12, 16, 48, 64]
    assert data_length(5, False) == 5


def test_traffic_of_a_profile_is_listed_by_message() -> None:
    loaded = load_profile(find_profile("odrive_can_simple"))
    shares = {s.message.called: s for s in message_loads(loaded.profile, resolve(loaded).bound)}
    # Ten nodes at 100 Hz, 135 bits each, at 1 Mbit/s.
    assert shares["Set_Input_Pos"].rate == pytest.approx(1000)
    assert shares["Set_Input_Pos"].load == pytest.approx(0.135)
    # Requested messages are as frequent as their requests; the remote frames have no data.
    assert shares["Ask_Iq"].load == pytest.approx(100 * 55e-6)
    assert shares["Get_Iq"].load == pytest.approx(100 * 135e-6)
    assert shares["Estop"].rate == 0
