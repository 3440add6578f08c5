"""Memory that two processes share: reads while a writer writes, is suspended midway, or is killed."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.link.process.memory import Cell, LatestRecord, Ring, Segment

_LONG = 1 << 20

_WRITER = """
import sys
from snakestudio.link.process.memory import Cell, LatestRecord, Ring, Segment
size = int(sys.argv[2])
segment = Segment.attach(sys.argv[1], size)
latest, ring = LatestRecord(segment, 0, {long}), Ring(segment, LatestRecord.size({long}), {long})
cell = Cell(segment, LatestRecord.size({long}) + Ring.size({long}))
number = 0
while True:
    number += 1
    latest.write(bytes([number % 251]) * ({long} - number % 1000))
    ring.write(number.to_bytes(4, "little") * (10_000 + number % 1000))
    cell.write(float(number))
"""


@pytest.fixture
def segment():
    new_segment = Segment.create(1 << 16)
    yield new_segment
    new_segment.close()


def test_latest_returns_the_last_record_with_its_number(segment: Segment) -> None:
    writer = LatestRecord(segment, 0, 100)
    reader = LatestRecord(segment, 0, 100)
    assert reader.read() == (0, b"")
    writer.write(b"one")
    writer.write(b"second")
    assert reader.read() == reader.read() == (2, b"second")
    with pytest.raises(ValueError, match=r"101.*100"):
        writer.write(bytes(101))
    assert reader.read() == (2, b"second")


def test_half_overwritten_record_is_never_read(segment: Segment) -> None:
    """Three records later the first one is overwritten; a single changed byte is detected."""
    writer = LatestRecord(segment, 0, 64)
    reader = LatestRecord(segment, 0, 64)
    writer.write(b"a" * 64)
    assert reader.read() == (1, b"a" * 64)
    writer.write(b"b" * 64)
    at = segment.map.find(b"b" * 64)
    segment.map[at + 10] = ord("c")
    assert reader.read() == (1, b"a" * 64)


@given(st.lists(st.tuples(st.binary(max_size=200), st.booleans()), max_size=60))
def test_ring_returns_all_in_order_or_counts_losses(steps: list[tuple[bytes, bool]]) -> None:
    """Against a plain list: records are read in order, and missing ones are counted."""
    segment = Segment.create(Ring.size(512))
    try:
        writer = Ring(segment, 0, 512)
        reader = Ring(segment, 0, 512)
        written: list[bytes] = []
        position = 0
        for record, take in steps:
            writer.write(record)
            written.append(record)
            if take:
                lost = reader.lost
                taken = reader.read()
                position += reader.lost - lost
                assert taken == written[position : position + len(taken)]
                position += len(taken)
                assert position == len(written)  # nothing remains
    finally:
        segment.close()


def test_ring_drops_the_oldest_and_refuses_oversized_records(segment: Segment) -> None:
    writer = Ring(segment, 0, 256)
    reader = Ring(segment, 0, 256)
    for number in range(100):
        writer.write(number.to_bytes(8, "little"))
    taken = [int.from_bytes(record, "little") for record in reader.read()]
    assert taken == list(range(100 - len(taken), 100))
    assert len(taken) == 256 // 24  # 16 bytes of head and 8 of data each
    assert reader.lost == 100 - len(taken)
    with pytest.raises(ValueError, match="does not fit"):
        writer.write(bytes(200))


def test_cell_returns_the_last_complete_value(segment: Segment) -> None:
    writer = Cell(segment, 16)
    reader = Cell(segment, 16)
    assert reader.read() == 0.0
    writer.write(12.5)
    assert reader.read() == 12.5
    # here the writer is suspended: half of the record is written
    struct.pack_into("=d", segment.map, 16, 13.5)
    assert reader.read() == 12.5  # the last record that was read, of any age
    writer.write(14.5)
    assert reader.read() == 14.5


@pytest.mark.skipif(
    sys.platform == "win32", reason="there are no signals to suspend a process with"
)
def test_killed_writer_leaves_complete_records() -> None:
    """The writer spends nearly all of its time copying a megabyte: most of forty suspensions interrupt a copy."""
    size = LatestRecord.size(_LONG) + Ring.size(_LONG) + Cell.SIZE
    segment = Segment.create(size)
    assert segment.descriptor is not None
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITER.format(long=_LONG), segment.handle, str(size)],
        pass_fds=[segment.descriptor],
    )
    latest = LatestRecord(segment, 0, _LONG)
    ring = Ring(segment, LatestRecord.size(_LONG), _LONG)
    at = LatestRecord.size(_LONG) + Ring.size(_LONG)
    cell = Cell(segment, at)
    try:
        numbers = [0]
        beat = cell.read()
        for turn in range(40):
            deadline = time.monotonic() + 20
            while latest.read()[0] == numbers[-1] and time.monotonic() < deadline:
                time.sleep(0.003)
            os.kill(writer.pid, signal.SIGSTOP if turn < 39 else signal.SIGKILL)
            # The signal is asynchronous: wait until the writer is stopped, and leave a dead one to its Popen.
            assert os.waitid(os.P_PID, writer.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            number, record = latest.read()
            assert record == bytes([number % 251]) * (_LONG - number % 1000)
            for each in ring.read():
                count = int.from_bytes(each[:4], "little")
                assert each == count.to_bytes(4, "little") * (10_000 + count % 1000)
            numbers.append(number)
            first, second = struct.unpack_from("=dd", segment.map, at)
            if first == second:
                beat = first
                # the cell is written right after the record of its number
                assert abs(beat - number) <= 1
            assert (
                cell.read() == beat
            )  # suspended while writing the cell: the previous value is read
            if turn < 39:
                os.kill(writer.pid, signal.SIGCONT)
        assert numbers == sorted(set(numbers))
    finally:
        writer.kill()
        writer.wait()
        segment.close()


def test_shared_memory_leaves_no_files(segment: Segment) -> None:
    """The memory has no name that would have to be removed after a crash."""
    if sys.platform == "linux":
        assert not [name for name in os.listdir("/dev/shm") if "snakestudio" in name]
        assert os.readlink(f"/proc/self/fd/{segment.descriptor}").startswith("/memfd:")
