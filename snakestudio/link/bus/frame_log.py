"""Logs of all frames on a bus, as BLF, ASC or candump files, written beside the link's work and never in its way."""

from __future__ import annotations

import contextlib
import json
import queue
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator
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
"""Formats that are read, too: PCAN's, and whatever of these was saved as text."""

_WAITING = 20_000
"""Frames that may wait for a slow disk: several seconds of a full bus."""
_FLUSH_S = 0.5
_LOOK_S = 0.1
_OBJECT = struct.Struct("<4sHHLL")
"""What every object of a BLF file begins with: mark, sizes of its head, version, size, kind."""
_CONTAINER = 10
_MOST_OBJECT = 16_000_000
_BLF_MARK = b"LOGG"
_BLF_BLOCK = 16_384
"""Bytes that a BLF file is written in: what a killed link takes with it."""


_UNSORTED_S = 0.05
"""Frames of several channels may be out of order by so much; a larger step back is a clock that was
set."""
_LONGEST_STEP_S = 1.0
"""Most time that is assumed between two frames where the clock was set back."""


@dataclass(frozen=True, slots=True)
class LogSource:
    """What is needed to understand a log years later, kept in a file beside it."""

    profile: Profile
    dbc: str
    """Text of its DBC."""


@dataclass(frozen=True, slots=True)
class Logged:
    """A frame of a log."""

    time: float
    """s since the log's first frame."""

    frame: Frame
    sent: bool
    """Whether it was sent by the program that wrote the log."""


def side_file(path: Path) -> Path:
    """Where a log's `LogSource` is kept: `run.blf.json` beside `run.blf`."""
    return path.with_name(path.name + ".json")


def check_log_path(path: Path) -> None:
    """See that a log can be written there.

    Raises `LinkError` if its ending is none of `ENDINGS`, or there is no such folder.
    """
    if path.suffix.lower() not in ENDINGS:
        raise LinkError(
            f"{path.name}: Frames are logged as {listing(ENDINGS, 'or')}. Use one of these endings."
        )
    if not path.parent.is_dir():
        raise LinkError(
            f"{path}: there is no folder {path.parent}; make it, or choose another one."
        )


class FrameLog:
    """Writes frames to a file, in a thread of its own that opens and ends it, too: no disk ever holds up the caller.

    Parameters
    ----------
    path : Path
        Its ending chooses the format, see `check_log_path`.
    channel : str
        Of the bus, as the file shall name it.
    say : callable
        Called from that thread with a severity and a sentence: when the log has begun, has ended,
        or could not go on.

    Attributes
    ----------
    lost : int
        Frames that came faster than the disk took them.
    whole : bool
        False if it could not be written, or not to its end.
    """

    def __init__(
        self, path: Path, source: LogSource, channel: str, say: Callable[[Severity, str], None]
    ) -> None:
        self.path = path
        self.lost = 0
        self.whole = True
        self._source = source
        self._say = say
        self._waiting: queue.Queue[can.Message | None] = queue.Queue(_WAITING)
        # One offset for the whole log: times between frames stay right when the wall clock is set.
        self._epoch = time.time() - time.monotonic()
        self._channel: str | int = (
            0 if path.suffix.lower() in (".blf", ".asc") else channel or "can0"
        )
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="snakestudio-frame-log", daemon=True)
        self._thread.start()

    def write(self, frame: Frame, *, sent: bool) -> None:
        """Add a frame; returns at once."""
        if self._ended:
            return
        message = message_of(frame, self._channel, frame.time + self._epoch, sent=sent)
        try:
            self._waiting.put_nowait(message)
        except queue.Full:
            self.lost += 1

    def end(self) -> None:
        """Write what waits, and end the file; returns at once."""
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
            self.whole = False
            self._say(
                "error",
                f"{self.path}: the log cannot be written ({error.strerror}); choose another folder.",
            )
            return
        self._say("info", f"All frames are logged to {name}.")
        try:
            count = self._write(writer)
            writer.stop()
        except Exception as error:  # a full disk, and frames that a format cannot hold
            self._ended = True
            self.whole = False
            with contextlib.suppress(Exception):
                writer.stop()
            why = getattr(error, "strerror", None) or error
            self._say("error", f"{name}: the log ended ({why}); make room, and begin another one.")
            return
        lost = f"; {self.lost} more came faster than the disk took them" if self.lost else ""
        self._say("warning" if lost else "info", f"The log {name} ended with {count} frames{lost}.")

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
                time.sleep(0)  # between two frames, whoever waits for the interpreter goes first
            now = time.monotonic()
            if now - flushed > _FLUSH_S:
                flushed = now
                file = getattr(writer, "file", None)
                if file is not None:
                    file.flush()


def read_log(path: Path) -> LogReader:
    """The frames of a log, in the order in which they are in the file."""
    return LogReader(path)


class LogReader(Iterator[Logged]):
    """The frames of a log; behind the last one `notes` says what could not be read.

    Times never decrease: where the clock of the recording was set back, they continue.

    Raises `LinkError`: from the first frame on, if the file is missing, of no known kind, or ends
    in a way that cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._text: TextLog | None = None
        self._clock = _Clock()
        self._frames = self._read()

    def __next__(self) -> Logged:
        return next(self._frames)

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be read so far, in sentences."""
        return (*(self._text.notes() if self._text else ()), *self._clock.notes())

    def _read(self) -> Iterator[Logged]:
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
                    yield Logged(since, replace(frame, time=since), sent)
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
            where = f"behind {count} frames" if count else "at its beginning"
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
        """When a frame was on the bus, s since the first, by the time that the log states."""
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
        """What was done to the times, in sentences."""
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
    """A BLF file of others, looked at on its way to python-can: that believes every size, and 0 keeps it for ever."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._kind = 0
        self._tail = b""

    def read(self, size: int) -> bytes:
        """The next bytes.

        Raises `ValueError` if nothing sound is so long, or what they hold is not.
        """
        if not 0 <= size <= _MOST_OBJECT:
            raise ValueError("an object of an impossible size")
        data = self._file.read(size)
        if self._kind == _CONTAINER:
            self._look_into(data)
        begins = size == _OBJECT.size and data[:4] == b"LOBJ" and len(data) == size
        self._kind = _OBJECT.unpack(data)[4] if begins and self._kind == 0 else 0
        return data

    def close(self) -> None:
        """Left to whoever opened it."""

    def _look_into(self, data: bytes) -> None:
        method = int.from_bytes(data[:2], "little")
        packed = data[16:]
        if method == 2:
            unpacker = zlib.decompressobj()
            packed = unpacker.decompress(packed, _MOST_OBJECT)
            if unpacker.unconsumed_tail:
                raise ValueError("a container of an impossible size")
        content = self._tail + packed
        at = 0
        while (found := content.find(b"LOBJ", at, at + 8)) >= 0 and found + _OBJECT.size <= len(
            content
        ):
            length = _OBJECT.unpack_from(content, found)[3]
            if not _OBJECT.size <= length <= _MOST_OBJECT:
                raise ValueError("an object of an impossible size")
            if found + length > len(content):
                break
            at = found + length
        self._tail = content[at:]


def read_source(path: Path) -> LogSource | None:
    """What a log was written of, if the file beside it is there and says so."""
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
