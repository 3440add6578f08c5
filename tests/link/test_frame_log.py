"""Logs of frames: written, read by us and by python-can, truncated at any byte, and replayed as a bus."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from pathlib import Path

import can
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from snakestudio.errors import LinkError
from snakestudio.link.bus.frame_log import (
    ENDINGS,
    FrameLog,
    LogSource,
    check_log_path,
    read_log,
    read_source,
    side_file,
)
from snakestudio.link.bus.replay import LogEndedError, ReplayBus
from snakestudio.link.frame import Frame
from snakestudio.link.profile.schema import Axis, Bus, Message, Profile
from tests.open_files import open_files

_PROFILE = Profile(
    name="Tiny",
    dbc="tiny.dbc",
    axes=(Axis(joint=1, node=1),),
    messages=(Message(role="feedback", message="F"),),
)
_SOURCE = LogSource(_PROFILE, 'VERSION ""\n')
_FRAMES = [
    (Frame(0x181, b"\x01\x02", time=10.0), False),
    (Frame(0x201, b"\xff" * 8, time=10.01), True),
    (Frame(0x1ABCDEF, b"", extended=True, time=10.02), False),
    (Frame(0x181, remote=True, time=10.05), True),
    (Frame(0x300, bytes(range(12)), fd=True, time=10.25), False),
]


def _log(path: Path, frames: list[tuple[Frame, bool]]) -> list[tuple[str, str]]:
    messages: list[tuple[str, str]] = []
    log = FrameLog(path, _SOURCE, "can7", lambda severity, text: messages.append((severity, text)))
    for frame, sent in frames:
        log.write(frame, sent=sent)
    log.end()
    log.join(5.0)
    return messages


@pytest.mark.parametrize("ending", ENDINGS)
def test_logged_frames_are_read_back(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"run{ending}"
    messages = _log(path, _FRAMES)
    assert [severity for severity, _ in messages] == ["info", "info"]
    assert messages[1][1] == f"The log run{ending} ended with 5 frames."
    read = list(read_log(path))
    for entry, (frame, sent) in zip(read, _FRAMES, strict=True):
        got = entry.frame
        assert (got.id, got.data, got.extended, got.remote, got.fd) == (
            frame.id,
            frame.data,
            frame.extended,
            frame.remote,
            frame.fd,
        )
        # python-can reads no direction of CAN FD frames back from BLF; its own default is
        # "received".
        assert entry.sent == sent
        # ASC has tenths of milliseconds
        assert entry.time == pytest.approx(frame.time - 10.0, abs=1e-4)
    assert read_source(path) == _SOURCE


def test_candump_lines_match_candump(tmp_path: Path) -> None:
    """The format of `candump -L` (can-utils): (seconds) channel id#data; direction as `-x` adds it."""
    path = tmp_path / "run.log"
    begin = time.time()
    _log(path, [(Frame(0x181, b"\x01\xab", time=time.monotonic()), False)])
    (line,) = path.read_text().splitlines()
    stamp, rest = line.split(" ", 1)
    assert rest == "can7 181#01AB R"
    assert float(stamp.strip("()")) == pytest.approx(begin, abs=1.0)


def test_missing_or_invalid_source_gives_none(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    assert read_source(path) is None
    for text in ("", "[]", '{"profile": 3}', '{"profile": {}, "dbc": ""}'):
        side_file(path).write_text(text)
        assert read_source(path) is None


def test_unwritable_log_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LinkError, match=r"run\.csv"):
        check_log_path(tmp_path / "run.csv")
    with pytest.raises(LinkError, match="folder"):
        check_log_path(tmp_path / "no" / "run.blf")
    (tmp_path / "taken.blf").mkdir()
    ((severity, text),) = _log(tmp_path / "taken.blf", _FRAMES)
    assert severity == "error"
    assert "directory)" in text


def test_frames_lost_on_a_slow_disk_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("snakestudio.link.bus.frame_log._WAITING", 10)
    slow = can.CanutilsLogWriter.on_message_received

    full = threading.Event()

    def crawl(self: can.CanutilsLogWriter, message: can.Message) -> None:
        assert full.wait(60.0), "the link waited for the disk"
        slow(self, message)

    monkeypatch.setattr(can.CanutilsLogWriter, "on_message_received", crawl)
    log = FrameLog(tmp_path / "run.log", _SOURCE, "", lambda *_: None)
    for number in range(100):
        log.write(Frame(number), sent=False)
    full.set()  # until here the disk accepted nothing
    log.end()
    log.join(5.0)
    written = len(list(read_log(tmp_path / "run.log")))
    # 10 wait, 1 is being written, and one of the written messages may be about the log
    assert log.lost >= 88
    assert written + log.lost == 100


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ending=st.sampled_from(ENDINGS),
    keep=st.floats(0, 1),
    flips=st.lists(st.integers(0, 10**6), max_size=4),
)
def test_damaged_log_gives_frames_or_a_message(
    tmp_path: Path, ending: str, keep: float, flips: list[int]
) -> None:
    complete = tmp_path / f"whole{ending}"
    if not complete.exists():
        _log(
            complete,
            [
                (Frame(number, bytes([number % 256]), time=number / 100), False)
                for number in range(0x200)
            ],
        )
    data = bytearray(complete.read_bytes())
    data = data[: int(len(data) * keep)]
    for flip in flips if data else []:
        data[flip % len(data)] ^= 0x41
    damaged = tmp_path / f"damaged{ending}"
    damaged.write_bytes(data)
    count = 0
    message = ""
    try:
        for _ in read_log(damaged):
            count += 1
    except LinkError as error:
        message = str(error)
    assert count <= 0x200 + 8
    assert "\n" not in message
    assert not message or (damaged.name in message and message.endswith("."))


def test_killed_link_leaves_a_readable_blf(tmp_path: Path) -> None:
    """State of the file on disk while it is being written: the header of a log that was never closed."""
    path = tmp_path / "run.blf"
    log = FrameLog(path, _SOURCE, "", lambda *_: None)
    for number in range(3000):
        log.write(Frame(0x100, number.to_bytes(4, "little"), time=number / 1000), sent=False)
    deadline = time.monotonic() + 60.0
    numbers: list[int] = []
    while len(numbers) <= 2500 and time.monotonic() < deadline:
        time.sleep(0.1)  # before the flush
        (tmp_path / "killed.blf").write_bytes(path.read_bytes())
        with suppress(LinkError):  # nothing is on the disk yet
            numbers = [
                int.from_bytes(entry.frame.data, "little")
                for entry in read_log(tmp_path / "killed.blf")
            ]
    log.end()
    log.join(5.0)
    assert len(numbers) > 2500  # of about 40 bytes each, less than one block of 16 kB is missing
    assert numbers == list(range(len(numbers)))


class Clock:
    """Clock that advances only by sleeping."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_log_is_replayed_in_time_faster_and_in_a_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr("snakestudio.link.bus.replay.time", clock)
    path = tmp_path / "run.log"
    _log(path, _FRAMES)
    bus = ReplayBus(Bus(interface="replay", channel=str(path), options={"speed": 2.0}))
    assert bus.replayed
    begin = clock.now
    got = []
    while len(got) < len(_FRAMES):
        received = bus.receive(0.05)
        if received is not None:
            got.append((received, clock.now - begin))
    with pytest.raises(LogEndedError, match=r"run\.log"):
        bus.receive(0.05)
    assert [sent for (_, sent), _ in got] == [sent for _, sent in _FRAMES]
    for ((frame, _), at), (logged, _) in zip(got, _FRAMES, strict=True):
        # candump writes microseconds
        assert at == pytest.approx((logged.time - 10.0) / 2.0, abs=1e-6)
        assert frame.time == pytest.approx(begin + at, abs=1e-9)
    with pytest.raises(LinkError, match=r"Nothing.*sent"):
        bus.send(Frame(1))
    looped = ReplayBus(
        Bus(interface="replay", channel=str(path), options={"speed": 100.0, "loop": True})
    )
    ids = [received[0].id for _ in range(60) if (received := looped.receive(0.05)) is not None]
    assert ids[:12] == [*(frame.id for frame, _ in _FRAMES)] * 2 + [0x181, 0x201]
    looped.close()
    assert str(path) not in open_files().values()


def test_log_without_frames_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.log"
    path.write_text("")
    with pytest.raises(LinkError, match=r"empty\.log"):
        ReplayBus(Bus(interface="replay", channel=str(path)))
    assert not os.path.exists(side_file(path))
