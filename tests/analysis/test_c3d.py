"""Our strict reader of C3D files, held against ezc3d where a file is sound, and against damage where it is not."""

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

INTEL, DEC, MIPS = 84, 85, 86
NAMES = ("head", "tail", "link_3")


def by_library(path: Path, n: int, k: int, analog: int, rate: float, seed: int) -> Path:
    """A file as ezc3d writes one; some points were not seen."""
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


def by_hand(processor: int, whole: bool, first: int = 1, k: int = 25, analog: int = 4) -> bytes:
    """A file as the guide tells, of any processor, in whole numbers or real ones."""
    order = ">" if processor == MIPS else "<"

    def real(value: float) -> bytes:
        if processor != DEC:
            return struct.pack(f"{order}f", value)
        low, high = struct.unpack("<HH", struct.pack("<f", 4.0 * value))
        return struct.pack("<HH", high, low)

    def word(value: int) -> bytes:
        return struct.pack(f"{order}h", value)

    def group(name: str, number: int) -> bytes:
        return struct.pack("<bb", len(name), -number) + name.encode() + word(3) + b"\0"

    def parameter(name: str, number: int, kind: int, dimensions: tuple[int, ...], data: bytes) -> bytes:
        body = struct.pack("<bB", kind, len(dimensions)) + bytes(dimensions) + data + b"\0"
        return struct.pack("<bb", len(name), number) + name.encode() + word(len(body) + 2) + body

    n, scale = len(NAMES), 0.5 if whole else -0.5
    parameters = b"".join((
        group("POINT", 1), parameter("USED", 1, 2, (), word(n)), parameter("FRAMES", 1, 2, (), word(k)),
        parameter("RATE", 1, 4, (), real(50.0)), parameter("SCALE", 1, 4, (), real(scale)),
        parameter("DATA_START", 1, 2, (), word(3)), parameter("UNITS", 1, -1, (2, 1), b"mm"),
        parameter("LABELS", 1, -1, (8, n), b"".join(name.ljust(8).encode() for name in NAMES)),
        group("ANALOG", 2), parameter("USED", 2, 2, (), word(analog // 2)), parameter("RATE", 2, 4, (), real(100.0)),
        parameter("SCALE", 2, 4, (analog // 2,), real(1.0) * (analog // 2)),
        parameter("GEN_SCALE", 2, 4, (), real(1.0)), parameter("OFFSET", 2, 2, (analog // 2,), word(0) * (analog // 2)),
        parameter("LABELS", 2, -1, (2, analog // 2), b"a1a2"[: analog]),
    ))  # fmt: skip
    assert len(parameters) <= 508
    words = [
        word(n),
        word(analog),
        word(first),
        word(first + k - 1),
        word(10),
        real(scale),
        word(3),
        word(2),
        real(50.0),
    ]
    head = (b"\x02\x50" + b"".join(words)).ljust(512, b"\0")
    section = (b"\x01\x50\x01" + bytes([processor]) + parameters).ljust(512, b"\0")
    frames = b""
    for frame in range(k):
        for point in range(n):
            seen = (frame + point) % 7
            place = [10 * frame + point, -3 * frame, 100 + point]
            if whole:
                frames += b"".join(map(word, place)) + word(2 if seen else -1)
            else:
                frames += b"".join(map(real, map(float, place))) + real(2.0 if seen else -1.0)
        frames += b"".join((word if whole else real)(5) for _ in range(analog))  # type: ignore[operator]
    return head + section + frames.ljust(-(-len(frames) // 512) * 512, b"\0")


def of_library(path: Path) -> tuple[NDArray[np.float64], tuple[str, ...], float, int]:
    """What ezc3d reads: places (k, n, 3) with NaN where nothing was seen, labels, rate, first frame."""
    file: Any = ezc3d.c3d(str(path))
    points, residuals = file["data"]["points"], file["data"]["meta_points"]["residuals"][0]
    position = points[:3].transpose(2, 1, 0).copy()
    position[residuals.T < 0.0] = np.nan
    about = file["parameters"]["POINT"]
    labels = (*about["LABELS"]["value"], *about.get("LABELS2", {}).get("value", ()))
    return position, labels, file["parameters"]["POINT"]["RATE"]["value"][0], file["header"]["points"]["first_frame"]


def same(path: Path) -> None:
    markers = read_c3d(path, path.read_bytes())
    position, labels, rate, first = of_library(path)
    np.testing.assert_allclose(markers.position, position, rtol=1e-6)
    assert markers.names == labels
    assert markers.rate == pytest.approx(rate)
    assert markers.time[0] * markers.rate == pytest.approx(first)
    assert np.isnan(position).any()


@pytest.mark.parametrize(("n", "k", "analog"), [(1, 40, 0), (7, 100, 0), (5, 30, 3), (300, 20, 2)])
def test_files_of_the_library_are_read_as_the_library_reads_them(tmp_path: Path, n: int, k: int, analog: int) -> None:
    same(by_library(tmp_path / "a.c3d", n, k, analog, 120.0, n + k))


@pytest.mark.parametrize("processor", [INTEL, DEC])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("first", [1, 40])
def test_numbers_of_any_processor_are_read_as_the_library_reads_them(
    tmp_path: Path, processor: int, whole: bool, first: int
) -> None:
    path = tmp_path / "a.c3d"
    path.write_bytes(by_hand(processor, whole, first))
    same(path)


@pytest.mark.parametrize("whole", [True, False])
def test_numbers_the_other_way_round_are_the_same(tmp_path: Path, whole: bool) -> None:
    one, other = (read_c3d(tmp_path / "a.c3d", by_hand(processor, whole)) for processor in (INTEL, MIPS))
    np.testing.assert_array_equal(one.position, other.position)
    assert (one.names, one.rate, one.unit) == (other.names, other.rate, other.unit)


def test_what_the_places_are_is_known(tmp_path: Path) -> None:
    markers = read_c3d(tmp_path / "a.c3d", by_hand(INTEL, True))
    assert (markers.names, markers.unit, len(markers.time)) == (NAMES, "mm", 25)
    np.testing.assert_allclose(markers.position[3, 1], [0.5 * 31, -0.5 * 9, 0.5 * 101])
    assert np.isnan(markers.position[7, 0]).all()


@pytest.mark.parametrize(
    ("at", "value", "said"),
    [
        (8, struct.pack("<H", 24), "tells of 24 and of 25 frames"),  # one frame less in the header
        (8, struct.pack("<H", 60000), "frames"),
        (2, struct.pack("<H", 4), "its header tells of 4 points, its parameters of 3"),
        (4, struct.pack("<H", 900), "tells of 25 frames and holds 0"),
        (12, struct.pack("<f", 0.0), "its scale is no number but 0"),
        (16, struct.pack("<H", 1), "its frames lie where its header is"),
        (16, struct.pack("<H", 9000), "tells of 25 frames and holds 0"),
        (0, b"\x01", "its parameters lie out of the file"),
        (515, b"\x07", "its processor type 7 is none"),
        (523, struct.pack("<h", 1), "its parameters lead back to themselves"),
    ],
)
def test_what_contradicts_itself_is_damaged(tmp_path: Path, at: int, value: bytes, said: str) -> None:
    sound = by_hand(INTEL, False)
    data = sound[:at] + value + sound[at + len(value) :]
    with pytest.raises(ExperimentError, match=said):
        read_c3d(tmp_path / "a.c3d", data)


@pytest.mark.parametrize("short", [512, 1024, 1500])
def test_a_file_that_was_cut_is_not_read_short(tmp_path: Path, short: int) -> None:
    with pytest.raises(ExperimentError, match="tells of 25 frames and holds"):
        read_c3d(tmp_path / "a.c3d", by_hand(INTEL, False)[:-short])


def test_more_frames_than_the_header_can_count(tmp_path: Path) -> None:
    markers = read_c3d(tmp_path / "a.c3d", _long())
    assert len(markers.time) == 70_000


def _long() -> bytes:
    """70,000 frames: the header counts to 65,535, a parameter tells all."""
    sound = bytearray(by_hand(INTEL, True, analog=0, k=25))
    frames = sound[1024 : 1024 + 24] * 70_000
    struct.pack_into("<H", sound, 8, 65535)
    at = sound.index(b"FRAMES") - 2
    value = b"\x0b\x01LONG_FRAMES" + struct.pack("<h", 9) + b"\x04\x00" + struct.pack("<f", 70_000.0) + b"\0"
    made = bytes(sound[:at]) + value + bytes(sound[at + 2 + 6 + 2 + 5 : 1024])
    return made[:1024].ljust(1024, b"\0") + bytes(frames)
