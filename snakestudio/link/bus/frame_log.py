"""Logs of all frames on a bus as BLF, ASC or candump files, written in a separate thread."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import struct
import threading
import time
import zlib
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, cast

import can
from can.io.generic import MessageWriter

from snakestudio.errors import LinkError
from snakestudio.inputs import FRAME_LOG, NOTE, InputError, opened, parse_json, read_text
from snakestudio.link.bus.can_message import frame_of, message_of
from snakestudio.link.bus.text_log import TextLog, UnknownLogError
from snakestudio.link.frame import Frame
from snakestudio.link.messages import Severity
from snakestudio.link.profile.schema import Profile
from snakestudio.model.atomic import write_atomically
from snakestudio.text import listing

ENDINGS = (".blf", ".asc", ".log")
"""Formats that are written: Vector's binary and text formats, and candump's."""

READABLE = (*ENDINGS, ".trc", ".txt")
"""Formats that can be read: also those of PCAN, and any of these saved as text."""

_WAITING = 20_000
"""Frames that may wait for a slow disk: several seconds of a full bus."""
_FLUSH_S = 0.5
_LOOK_S = 0.1
_OBJECT = struct.Struct("<4sHHLL")
"""Header of each object of a BLF file: signature, header size, version, size, kind."""
_CONTAINER = 10
_MOST_OBJECT = 16_000_000
_BLF_MARK = b"LOGG"
_BLF_BLOCK = 16_384
"""Bytes per block of a BLF file: at most so many are lost if the link is killed."""


_UNSORTED_S = 0.05
"""Frames of several channels may be out of order by this time; a larger step back means that the
clock was set."""
_LONGEST_STEP_S = 1.0
"""Longest time that is assumed between two frames where the clock was set back."""


@dataclass(frozen=True, slots=True)
class LogSource:
    """Profile and DBC of a log, stored in a file next to it, so that it can be decoded later."""

    profile: Profile
    dbc: str
    """Text of the DBC."""


@dataclass(frozen=True, slots=True)
class LoggedFrame:
    """A frame of a log."""

    time: float
    """s since the log's first frame."""

    frame: Frame
    sent: bool
    """Whether the frame was sent by the program that wrote the log."""


def side_file(path: Path) -> Path:
    """Return the file of a log's `LogSource`: `run.blf.json` for `run.blf`."""
    return path.with_name(path.name + ".json")


def check_log_path(path: Path) -> None:
    """Check that a log can be written to a path.

    Raises `LinkError` if its ending is not one of `ENDINGS`, or the folder does not exist.
    """
    if path.suffix.lower() not in ENDINGS:
        raise LinkError(
            f"{path.name}: Frames are logged as {listing(ENDINGS, 'or')}. Use one of these endings."
        )
    if not os.path.isdir(path.parent):
        raise LinkError(
            f"{path}: The folder {path.parent} does not exist. Create it, or choose another one."
        )


class FrameLog:
    """Log that is opened, written and ended in a separate thread, so that a slow disk never delays the caller.

    Parameters
    ----------
    path : Path
        Its ending selects the format: see `check_log_path`.
    channel : str
        Name of the bus in the file.
    report : callable
        Called from that thread with a severity and a message when the log begins, ends or fails.

    Attributes
    ----------
    lost : int
        Frames that were dropped because the disk was too slow.
    complete : bool
        False if the log could not be written completely.
    """

    def __init__(
        self, path: Path, source: LogSource, channel: str, report: Callable[[Severity, str], None]
    ) -> None:
        self.path = path
        self.lost = 0
        self.complete = True
        self._source = source
        self._report = report
        self._waiting: queue.Queue[can.Message | None] = queue.Queue(_WAITING)
        # One offset for the whole log: times between frames stay correct when the wall clock is set.
        self._epoch = time.time() - time.monotonic()
        self._channel: str | int = (
            0 if path.suffix.lower() in (".blf", ".asc") else channel or "can0"
        )
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="snakestudio-frame-log", daemon=True)
        self._thread.start()

    def write(self, frame: Frame, *, sent: bool) -> None:
        """Add a frame; returns immediately."""
        if self._ended:
            return
        message = message_of(frame, self._channel, frame.time + self._epoch, sent=sent)
        try:
            self._waiting.put_nowait(message)
        except queue.Full:
            self.lost += 1

    def end(self) -> None:
        """Write the remaining frames and end the file; returns immediately."""
        self._ended = True

    def join(self, timeout: float) -> None:
        """Wait until the file has ended, at most `timeout` s."""
        self._thread.join(timeout)

    def _run(self) -> None:
        name = self.path.name
        try:
            side = json.dumps(_side(self._source), indent=1, ensure_ascii=False)
            write_atomically(side_file(self.path), side.encode())
            writer = _writer(self.path)
        except OSError as error:
            self._ended = True
            self.complete = False
            self._report(
                "error",
                f"{self.path}: The log cannot be written ({error.strerror}). Choose another folder.",
            )
            return
        self._report("info", f"All frames are logged to {name}.")
        try:
            count = self._write(writer)
            writer.stop()
        except Exception as error:  # a full disk, and frames that a format cannot hold
            self._ended = True
            self.complete = False
            with contextlib.suppress(Exception):
                writer.stop()
            why = getattr(error, "strerror", None) or error
            self._report(
                "error", f"{name}: The log ended ({why}). Free disk space, and start a new log."
            )
            return
        lost = f"; {self.lost} more were lost because the disk was too slow" if self.lost else ""
        self._report(
            "warning" if lost else "info", f"The log {name} ended with {count} frames{lost}."
        )

    def _write(self, writer: MessageWriter) -> int:
        count = 0
        flushed = time.monotonic()
        while True:
            try:
                message = self._waiting.get(timeout=_LOOK_S)
            except queue.Empty:
                if self._ended:
                    return count
                message = None
            if message is not None:
                writer.on_message_received(message)
                count += 1
                time.sleep(
                    0
                )  # between two frames, other threads that wait for the interpreter run first
            now = time.monotonic()
            if now - flushed > _FLUSH_S:
                flushed = now
                file = getattr(writer, "file", None)
                if file is not None:
                    file.flush()


def read_log(path: Path) -> LogReader:
    """Return the frames of a log in the order of the file."""
    return LogReader(path)


class LogReader(Iterator[LoggedFrame]):
    """Iterator over the frames of a log; after the last one, `notes` lists what could not be read.

    Times never decrease: where the clock of the recording was set back, they continue.

    The iteration raises `LinkError` if the file is missing, of an unknown kind, or damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._text: TextLog | None = None
        self._clock = _Clock()
        self._frames = self._read()

    def __next__(self) -> LoggedFrame:
        return next(self._frames)

    def close(self) -> None:
        """Close the file before its end; no frames follow."""
        self._frames.close()

    @property
    def notes(self) -> tuple[str, ...]:
        """Messages about what could not be read so far."""
        return (*(self._text.notes() if self._text else ()), *self._clock.notes())

    def _read(self) -> Generator[LoggedFrame]:
        path = self._path
        if path.suffix.lower() not in READABLE:
            raise LinkError(
                f"{path.name}: This is not a log of frames. Choose a file that ends in {', '.join(READABLE)}."
            )
        count = 0
        try:
            with opened(path, FRAME_LOG) as data:
                binary = data.read(len(_BLF_MARK)) == _BLF_MARK or path.suffix.lower() == ".blf"
                data.seek(0)
                if not binary:
                    self._text = TextLog(data)
                for time_s, frame, sent in (
                    _blf_frames(data) if self._text is None else _text_frames(self._text)
                ):
                    since = self._clock.since_first(time_s)
                    count += 1
                    yield LoggedFrame(since, replace(frame, time=since), sent)
        except InputError as error:
            raise LinkError(
                f"{path}: The log cannot be read ({error.message}). Choose another file."
            ) from error
        except UnknownLogError as error:
            why = str(error)
            remedy = (
                ""
                if ". " in why
                else " Choose a log of candump -l, Vector ASC or BLF, or PCAN TRC."
            )
            raise LinkError(f"{path.name}: This is not a log of frames: {why}.{remedy}") from error
        except Exception as error:  # readers of binary files raise their own: struct.error, zlib.error, BLFParseError
            where = f"after {count} frames" if count else "at its beginning"
            raise LinkError(
                f"{path.name}: The log is damaged {where}. Choose another file."
            ) from error


class _Clock:
    """Times since the first frame, s, that never decrease."""

    def __init__(self) -> None:
        self._shift: float | None = None
        self._latest = self._step = 0.0
        self._n_set_back = 0
        self._set_back = 0.0

    def since_first(self, stated: float) -> float:
        """Return the time of a frame in s since the first one, for its time in the log."""
        if self._shift is None:
            self._shift = -stated
        since = stated + self._shift
        if since < self._latest - _UNSORTED_S:
            self._n_set_back += 1
            self._set_back = self._set_back or self._latest - since
            self._shift += self._latest + self._step - since
            since = self._latest + self._step
        elif since > self._latest:
            self._step = min(since - self._latest, _LONGEST_STEP_S)
        self._latest = max(since, self._latest)
        return self._latest

    def notes(self) -> list[str]:
        """Return messages about corrections of the times."""
        if not self._n_set_back:
            return []
        times = "once" if self._n_set_back == 1 else f"{self._n_set_back} times"
        return [
            f"The clock was set back {times} (first by {self._set_back:.4g} s); the times were continued."
        ]


def _text_frames(log: TextLog) -> Iterator[tuple[float, Frame, bool]]:
    return ((each.time, each.frame, each.sent) for each in log)


def _blf_frames(data: BinaryIO) -> Iterator[tuple[float, Frame, bool]]:
    for message in can.BLFReader(cast(Any, _GuardedBlf(data))):
        yield message.timestamp, frame_of(message, 0.0), not message.is_rx


class _GuardedBlf:
    """An untrusted BLF file, checked before python-can reads it: that trusts all sizes, and loops forever at 0."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._kind = 0
        self._tail = b""

    def read(self, size: int) -> bytes:
        """Return the next bytes.

        Raises `ValueError` if the size or the content is impossible.
        """
        if not 0 <= size <= _MOST_OBJECT:
            raise ValueError("an object of an impossible size")
        data = self._file.read(size)
        if self._kind == _CONTAINER:
            self._scan_container(data)
        begins = size == _OBJECT.size and data[:4] == b"LOBJ" and len(data) == size
        self._kind = _OBJECT.unpack(data)[4] if begins and self._kind == 0 else 0
        return data

    def close(self) -> None:
        """Do nothing: the caller closes the file that it opened."""

    def _scan_container(self, data: bytes) -> None:
        method = int.from_bytes(data[:2], "little")
        packed = data[16:]
        if method == 2:
            unpacker = zlib.decompressobj()
            packed = unpacker.decompress(packed, _MOST_OBJECT)
            if unpacker.unconsumed_tail:
                raise ValueError("a container of an impossible size")
        content = self._tail + packed
        at = 0
        while (begin := content.find(b"LOBJ", at, at + 8)) >= 0 and begin + _OBJECT.size <= len(
            content
        ):
            length = _OBJECT.unpack_from(content, begin)[3]
            if not _OBJECT.size <= length <= _MOST_OBJECT:
                raise ValueError("an object of an impossible size")
            if begin + length > len(content):
                break
            at = begin + length
        self._tail = content[at:]


def read_source(path: Path) -> LogSource | None:
    """Return the source of a log, if the file next to it exists and is valid."""
    try:
        values = parse_json(read_text(side_file(path), NOTE), NOTE)
        return LogSource(
            Profile.model_validate_json(json.dumps(values["profile"])), str(values["dbc"])
        )
    except (ValueError, KeyError, TypeError):
        return None


def _writer(path: Path) -> MessageWriter:
    match path.suffix.lower():
        case ".blf":
            return can.BLFWriter(path, max_container_size=_BLF_BLOCK)
        case ".asc":
            return can.ASCWriter(path, encoding="utf-8")
        case _:
            return can.CanutilsLogWriter(path, encoding="utf-8")


def _side(source: LogSource) -> dict[str, object]:
    return {
        "snakestudio_frame_log": 1,
        "begun": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "profile": source.profile.model_dump(mode="json"),
        "dbc": source.dbc,
    }
