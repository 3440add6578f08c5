"""The strict reader of C3D files: compared with ezc3d for valid files, and correct or refusing for others."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import ezc3d
import numpy as np
import pytest
from numpy.typing import NDArray

from snakestudio.analysis.experiment.c3d import read_c3d
from snakestudio.errors import ExperimentError
from tests.wording import naming

INTEL = 84
DEC = 85
MIPS = 86
NAMES = ("head", "tail", "link_3")


def by_library(path: Path, n: int, k: int, analog: int, rate: float, seed: int) -> Path:
    """A file as written by ezc3d, with some points missing."""
    random = np.random.default_rng(seed)
    file: Any = ezc3d.c3d()
    file["parameters"]["POINT"]["RATE"]["value"] = [rate]
    file["parameters"]["POINT"]["LABELS"]["value"] = [f"m{i}" for i in range(n)]
    file["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    points = np.ones((4, n, k))
    points[:3] = 1000.0 * random.normal(size=(3, n, k))
    residuals = np.where(random.random((1, n, k)) < 0.1, -1.0, 0.5)
    file["data"]["points"] = points
    file["data"]["meta_points"]["residuals"] = residuals
    if analog:
        file["parameters"]["ANALOG"]["RATE"]["value"] = [2.0 * rate]
        file["parameters"]["ANALOG"]["LABELS"]["value"] = [f"a{i}" for i in range(analog)]
        file["data"]["analogs"] = random.normal(size=(1, analog, 2 * k))
    file.write(str(path))
    return path


def by_hand(
    processor: int,
    integers: bool,
    first: int = 1,
    k: int = 25,
    analog: int = 4,
    *,
    counted: int | None = None,
    units: str = "mm",
    segments: int = 0,
    description: int = 0,
) -> bytes:
    """A file as described in the guide, of any processor, with integer or real numbers.

    `counted` is the value of its counters; `description` adds a long parameter, so that the
    parameters take two blocks.
    """
    order = ">" if processor == MIPS else "<"

    def real(value: float) -> bytes:
        if processor != DEC:
            return struct.pack(f"{order}f", value)
        low, high = struct.unpack("<HH", struct.pack("<f", 4.0 * value))
        return struct.pack("<HH", high, low)

    def int16(value: int) -> bytes:
        return struct.pack(f"{order}h", value)

    def group(name: str, number: int) -> bytes:
        return struct.pack("<bb", len(name), -number) + name.encode() + int16(3) + b"\0"

    def parameter(
        name: str, number: int, kind: int, dimensions: tuple[int, ...], data: bytes
    ) -> bytes:
        body = struct.pack("<bB", kind, len(dimensions)) + bytes(dimensions) + data + b"\0"
        return struct.pack("<bb", len(name), number) + name.encode() + int16(len(body) + 2) + body

    n = len(NAMES)
    scale = 0.5 if integers else -0.5
    last = first + k - 1 if counted is None else counted
    counter = struct.pack(f"{order}H", k if counted is None else counted)
    data = 4 if description else 3
    rotations = data + -(-k * (4 * n + analog) * (2 if integers else 4) // 512)
    unit = units.encode()
    parameters = b"".join(
        (
            group("TRIAL", 3),
            *(
                [parameter("DESCRIPTIONS", 3, -1, (description, 2), b"d" * 2 * description)]
                if description
                else []
            ),
            *(
                [
                    group("ROTATION", 4),
                    parameter("USED", 4, 2, (), int16(segments)),
                    parameter("DATA_START", 4, 2, (), int16(rotations)),
                    parameter("LABELS", 4, -1, (4, segments), b"head" * segments),
                ]
                if segments
                else []
            ),
            group("POINT", 1),
            parameter("USED", 1, 2, (), int16(n)),
            parameter("FRAMES", 1, 2, (), counter),
            parameter("RATE", 1, 4, (), real(50.0)),
            parameter("SCALE", 1, 4, (), real(scale)),
            parameter("DATA_START", 1, 2, (), int16(data)),
            parameter("UNITS", 1, -1, (len(unit), 1), unit),
            parameter("LABELS", 1, -1, (8, n), b"".join(name.ljust(8).encode() for name in NAMES)),
            group("ANALOG", 2),
            parameter("USED", 2, 2, (), int16(analog // 2)),
            parameter("RATE", 2, 4, (), real(100.0)),
            parameter("SCALE", 2, 4, (analog // 2,), real(1.0) * (analog // 2)),
            parameter("GEN_SCALE", 2, 4, (), real(1.0)),
            parameter("OFFSET", 2, 2, (analog // 2,), int16(0) * (analog // 2)),
            parameter("LABELS", 2, -1, (2, analog // 2), b"a1a2"[:analog]),
        )
    )
    assert 508 * (data - 3) < len(parameters) <= 508 * (data - 2)
    counters = [
        int16(n),
        int16(analog),
        int16(first),
        struct.pack(f"{order}H", last),
        int16(10),
        real(scale),
        int16(data),
        int16(2),
        real(50.0),
    ]
    head = (b"\x02\x50" + b"".join(counters)).ljust(512, b"\0")
    section = (b"\x01\x50\x01" + bytes([processor]) + parameters).ljust(512 * (data - 2), b"\0")
    frames = b""
    for frame in range(k):
        for point in range(n):
            seen = (frame + point) % 7
            position = [10 * frame + point, -3 * frame, 100 + point]
            if integers:
                frames += b"".join(map(int16, position)) + int16(2 if seen else -1)
            else:
                frames += b"".join(map(real, map(float, position))) + real(2.0 if seen else -1.0)
        frames += b"".join((int16 if integers else real)(5) for _ in range(analog))  # type: ignore[operator]
    frames = frames.ljust(-(-len(frames) // 512) * 512, b"\0")
    for frame in range(k if segments else 0):
        for segment in range(segments):
            angle = 0.1 * (frame + segment)
            c, s = np.cos(angle), np.sin(angle)
            by_columns = (
                c,
                s,
                0,
                0,
                -s,
                c,
                0,
                0,
                0,
                0,
                1,
                0,
                10 * frame,
                segment,
                5,
                1,
                -1 if frame == 3 else 0,
            )
            frames += b"".join(real(float(value)) for value in by_columns)
    return head + section + frames.ljust(-(-len(frames) // 512) * 512, b"\0")


def of_library(path: Path) -> tuple[NDArray[np.float64], tuple[str, ...], float, int]:
    """Result of ezc3d: positions (k, n, 3) with NaN where missing, labels, rate, first frame."""
    file: Any = ezc3d.c3d(str(path))
    points = file["data"]["points"]
    residuals = file["data"]["meta_points"]["residuals"][0]
    position = points[:3].transpose(2, 1, 0).copy()
    position[residuals.T < 0.0] = np.nan
    about = file["parameters"]["POINT"]
    labels = (*about["LABELS"]["value"], *about.get("LABELS2", {}).get("value", ()))
    return (
        position,
        labels,
        file["parameters"]["POINT"]["RATE"]["value"][0],
        file["header"]["points"]["first_frame"],
    )


def same(path: Path) -> None:
    markers = read_c3d(path, path.read_bytes())
    position, labels, rate, first = of_library(path)
    np.testing.assert_allclose(markers.position, position, rtol=1e-6)
    assert markers.names == labels
    assert markers.rate == pytest.approx(rate)
    assert markers.time[0] * markers.rate == pytest.approx(first)
    assert np.isnan(position).any()


@pytest.mark.parametrize(("n", "k", "analog"), [(1, 40, 0), (7, 100, 0), (5, 30, 3), (300, 20, 2)])
def test_files_of_the_library_are_read_as_the_library_reads_them(
    tmp_path: Path, n: int, k: int, analog: int
) -> None:
    same(by_library(tmp_path / "a.c3d", n, k, analog, 120.0, n + k))


@pytest.mark.parametrize("processor", [INTEL, DEC])
@pytest.mark.parametrize("integers", [True, False])
@pytest.mark.parametrize("first", [1, 40])
def test_numbers_of_any_processor_are_read_like_the_library(
    tmp_path: Path, processor: int, integers: bool, first: int
) -> None:
    path = tmp_path / "a.c3d"
    path.write_bytes(by_hand(processor, integers, first))
    same(path)


@pytest.mark.parametrize("integers", [True, False])
def test_numbers_of_either_byte_order_are_the_same(tmp_path: Path, integers: bool) -> None:
    one, other = (
        read_c3d(tmp_path / "a.c3d", by_hand(processor, integers)) for processor in (INTEL, MIPS)
    )
    np.testing.assert_array_equal(one.position, other.position)
    assert (one.names, one.rate, one.unit) == (other.names, other.rate, other.unit)


def test_kinds_of_points_are_recognized(tmp_path: Path) -> None:
    markers = read_c3d(tmp_path / "a.c3d", by_hand(INTEL, True))
    assert (markers.names, markers.unit, len(markers.time)) == (NAMES, "mm", 25)
    np.testing.assert_allclose(markers.position[3, 1], [0.5 * 31, -0.5 * 9, 0.5 * 101])
    assert np.isnan(markers.position[7, 0]).all()


def changed(sound: bytes, at: int, value: bytes) -> bytes:
    return sound[:at] + value + sound[at + len(value) :]


@pytest.mark.parametrize(
    ("at", "value", "message"),
    [
        (2, struct.pack("<H", 4), "its header states 4 points and its parameters 3"),
        (515, b"\x07", "its processor type 7 is unknown"),
        (0, b"\x01", "parameters.*inside"),
        (523, struct.pack("<h", 1), "loop"),
        (523, struct.pack("<h", 30_000), "parameters.*section"),
    ],
)
def test_contradictions_not_resolved_by_size_are_damage(
    tmp_path: Path, at: int, value: bytes, message: str
) -> None:
    with pytest.raises(ExperimentError, match=message):
        read_c3d(tmp_path / "a.c3d", changed(by_hand(INTEL, False), at, value))


@pytest.mark.parametrize(
    ("at", "value", "note"),
    [
        (8, struct.pack("<H", 24), "the header states 24 frames; the file has 25"),
        (8, struct.pack("<H", 60_000), "the header states 60000 frames; the file has 25"),
        (4, struct.pack("<H", 900), "Its header states 900 analog values and its parameters 2"),
        (
            4,
            struct.pack("<H", 2),
            "2 samples a frame",
        ),  # channels, not values
        (16, struct.pack("<H", 9000), ""),  # the parameters contain the start of the frames
        (12, struct.pack("<f", 0.0), ""),  # and the scale
        (20, struct.pack("<f", 60.0), "The header states 60 Hz and POINT:RATE 50 Hz"),
    ],
)
def test_contradictions_resolved_by_size_are_noted(
    tmp_path: Path, at: int, value: bytes, note: str
) -> None:
    sound = by_hand(INTEL, False)
    markers = read_c3d(tmp_path / "a.c3d", changed(sound, at, value))
    expected = read_c3d(tmp_path / "a.c3d", sound)
    np.testing.assert_array_equal(markers.position, expected.position)
    np.testing.assert_array_equal(markers.time, expected.time)
    assert note in " ".join(markers.notes)


@pytest.mark.parametrize("integers", [True, False])
def test_damaged_header_is_never_read_as_other_positions(tmp_path: Path, integers: bool) -> None:
    sound = by_hand(INTEL, integers)
    expected = read_c3d(tmp_path / "a.c3d", sound).position
    n_read = 0
    for at in (2, 4, 6, 8, 10, 16, 18):
        for value in (*range(12), 24, 26, 27, 32, 64, 255, 4096, 32767, 32768, 65534, 65535):
            try:
                markers = read_c3d(tmp_path / "a.c3d", changed(sound, at, struct.pack("<H", value)))
            except ExperimentError:
                continue
            np.testing.assert_array_equal(markers.position, expected, err_msg=f"{value} at {at}")
            n_read += 1
    assert n_read > 50


def test_two_scales_are_noted_and_the_header_counts(tmp_path: Path) -> None:
    sound = by_hand(INTEL, True)
    at = sound.index(b"SCALE") + 5 + 2 + 2
    markers = read_c3d(tmp_path / "a.c3d", changed(sound, at, struct.pack("<f", 0.2)))
    np.testing.assert_array_equal(markers.position, read_c3d(tmp_path / "a.c3d", sound).position)
    assert "POINT:SCALE states 0.2" in " ".join(markers.notes)


@pytest.mark.parametrize("missing", [512, 1024, 1500])
def test_truncated_file_is_read_to_its_last_complete_frame(tmp_path: Path, missing: int) -> None:
    sound = by_hand(INTEL, False)
    expected = read_c3d(tmp_path / "a.c3d", sound).position
    markers = read_c3d(tmp_path / "a.c3d", sound[:-missing])
    k = (len(sound) - missing - 1024) // 64
    np.testing.assert_array_equal(markers.position, expected[:k])
    assert markers.notes == (
        f"The file is truncated: it announces 25 frames but has {k}, which were read.",
    )


def test_file_truncated_before_its_second_frame_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="announces 25 frames but has 1"):
        read_c3d(tmp_path / "a.c3d", by_hand(INTEL, False)[: 1024 + 100])


def test_frames_that_begin_with_0_start_at_0(tmp_path: Path) -> None:
    markers = read_c3d(tmp_path / "a.c3d", by_hand(INTEL, True, first=0))
    assert (len(markers.time), markers.time[0], markers.notes) == (25, 0.0, ())


def test_parameters_may_reach_to_the_first_frame(tmp_path: Path) -> None:
    """The first block declares one block of parameters; there are two."""
    markers = read_c3d(tmp_path / "a.c3d", by_hand(INTEL, True, description=200))
    assert (markers.names, markers.unit, len(markers.time)) == (NAMES, "mm", 25)


def test_rotations_behind_the_points_become_segments(tmp_path: Path) -> None:
    markers = read_c3d(tmp_path / "a.c3d", by_hand(INTEL, True, analog=0, segments=2))
    assert markers.names == (*NAMES, "head", "head")
    np.testing.assert_array_equal(
        markers.position[:, :3], read_c3d(tmp_path, by_hand(INTEL, True)).position
    )
    np.testing.assert_allclose(markers.position[7, 4], [70.0, 1.0, 5.0])
    assert markers.orientation is not None
    np.testing.assert_allclose(
        markers.orientation[7, 4], [np.cos(0.4), 0.0, 0.0, np.sin(0.4)], atol=1e-7
    )
    assert np.isnan(markers.orientation[3, 3:]).all()
    assert np.isnan(markers.orientation[:, :3]).all()


@pytest.mark.parametrize(
    ("units", "unit", "factor"),
    [
        ("meters", "m", 1.0),
        ("mete", "m", 1.0),
        ("M", "m", 1.0),
        ("Millimeters", "mm", 1.0),
        ("cm", "cm", 1.0),
        ("inches", "in", 1.0),
        ("ft", "in", 12.0),
        ("µm", "mm", 1e-3),
        ("dm", "cm", 10.0),
    ],
)
def test_units_of_length_are_read_in_any_spelling(
    tmp_path: Path, units: str, unit: str, factor: float
) -> None:
    markers = read_c3d(tmp_path / "a.c3d", by_hand(INTEL, True, analog=2, units=units))
    plain = read_c3d(tmp_path / "a.c3d", by_hand(INTEL, True, analog=2))
    assert markers.unit == unit
    np.testing.assert_allclose(markers.position, plain.position * factor)


def test_unknown_unit_of_length_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match='"furlong" is unknown'):
        read_c3d(tmp_path / "a.c3d", by_hand(INTEL, True, analog=2, units="furlong"))


def test_file_without_points_names_its_contents(tmp_path: Path) -> None:
    sound = changed(by_hand(INTEL, True), 2, b"\0\0")
    with pytest.raises(ExperimentError, match="only 2 analog channels"):
        read_c3d(tmp_path / "a.c3d", changed(sound, sound.index(b"USED") + 8, b"\0\0"))


def test_full_counters_are_read_to_the_end_and_noted(tmp_path: Path) -> None:
    sound = by_hand(INTEL, True, analog=0, counted=65535)
    frames = sound[1024 : 1024 + 24] * 66_000
    integers = sound[:1024] + frames.ljust(-(-len(frames) // 512) * 512 + 512, b"\0")
    markers = read_c3d(tmp_path / "a.c3d", integers)
    assert len(markers.time) == 66_000
    assert markers.notes == (naming("65535 frames; all 66000"),)
    with pytest.raises(ExperimentError, match="announces at least 65535 frames but has 65000"):
        read_c3d(tmp_path / "a.c3d", integers[: 1024 + 65_000 * 24])


def test_counters_that_overflowed_are_read_to_the_end(tmp_path: Path) -> None:
    sound = by_hand(INTEL, True, analog=0, counted=66_000 - 65_536)
    markers = read_c3d(tmp_path / "a.c3d", sound[:1024] + sound[1024 : 1024 + 24] * 66_000)
    assert len(markers.time) == 66_000
    assert "its counters overflowed" in markers.notes[0]


def test_more_frames_than_the_header_can_count(tmp_path: Path) -> None:
    markers = read_c3d(tmp_path / "a.c3d", _long())
    assert len(markers.time) == 70_000
    assert markers.notes == ()


def _long() -> bytes:
    """70,000 frames: the header counts to 65,535, a parameter has the full number."""
    sound = bytearray(by_hand(INTEL, True, analog=0, k=25))
    frames = sound[1024 : 1024 + 24] * 70_000
    struct.pack_into("<H", sound, 8, 65535)
    at = sound.index(b"FRAMES") - 2
    value = (
        b"\x0b\x01LONG_FRAMES"
        + struct.pack("<h", 9)
        + b"\x04\x00"
        + struct.pack("<f", 70_000.0)
        + b"\0"
    )
    result = bytes(sound[:at]) + value + bytes(sound[at + 2 + 6 + 2 + 5 : 1024])
    return result[:1024].ljust(1024, b"\0") + bytes(frames)
