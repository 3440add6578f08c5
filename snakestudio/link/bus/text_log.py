"""Logs of frames as text: Vector ASC, candump (files and screen output) and PCAN TRC, line by line.

Unreadable lines are skipped and counted. python-can's readers stop at them, and misread relative
times (ASC), error frames (candump) and version 1.2 (TRC).
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import BinaryIO, Protocol

from can.util import dlc2len

from snakestudio.inputs import FRAME_LOG, InputError
from snakestudio.link.frame import Frame

_LOOKED_AT = 400
"""Number of lines at the beginning from which the format is recognized."""

_WITHOUT_TIME = re.compile(r"\S+\s+[0-9A-F]+#", re.IGNORECASE)
"""A frame in the notation of cansend."""

_EPOCH_S = 1e6
"""A candump time above this is a date, not a difference."""

_ERROR_FLAG = 0x2000_0000
_ID_MASK = 0x1FFF_FFFF
"""Mask of the id in SocketCAN's notation."""

_MOST_BYTES = 8
_MOST_BYTES_FD = 64

_EDL = 0x1000
_RTR = 0x10
"""Bits of an ASC frame's flags: CAN FD, remote."""


class UnknownLogError(Exception):
    """The file is not a log of frames, or has no times."""


@dataclass(frozen=True, slots=True)
class TextFrame:
    """A frame of a line; `time` as the line states it, s."""

    time: float
    frame: Frame
    sent: bool


class _Format(Protocol):
    """Reads the lines of one format."""

    name: str

    @abstractmethod
    def recognizes(self, lines: Sequence[str]) -> bool:
        """Return whether a file that begins with these lines has this format; stores properties of its header."""

    @abstractmethod
    def frame(self, line: str) -> TextFrame | None:
        """Return the frame of a line that is not empty; None if it contains something else.

        Raises `ValueError` if it cannot be read.
        """


class TextLog:
    """The frames of a log, with the number of unreadable lines.

    The iteration raises `UnknownLogError` at the first frame if the format is unknown, and after
    the last one if most lines were damaged. It raises `InputError` if a line is too long.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.lines = 0
        """Lines that should hold a frame."""
        self.damaged = 0
        self.first_damaged = 0
        """Number of the first damaged line, from 1; 0 if there is none."""
        self.unfinished = False
        """Whether the last line was ignored because it is incomplete."""
        self.format = ""

    def __iter__(self) -> Iterator[TextFrame]:
        first: list[str] = []
        lines = self._lines()
        for line in lines:
            first.append(line)
            if len(first) == _LOOKED_AT:
                break
        if not any(line.strip() for line in first):
            return
        reader = _recognize([line.strip() for line in first])
        self.format = reader.name
        lengths: dict[int, int] = {}
        number = 0
        for source in (first, lines):
            for line in source:
                number += 1
                text = line.strip()
                if not text or text.startswith(("#", "//")):
                    continue
                ends = line.endswith("\n")
                try:
                    text_frame = reader.frame(text)
                except (ValueError, IndexError):
                    self._count_damaged(number, ends)
                    continue
                if text_frame is None:
                    continue
                if not ends and len(text_frame.frame.data) < lengths.get(text_frame.frame.id, 0):
                    self.unfinished = True  # a truncated line may look like a frame
                    continue
                self.lines += 1
                lengths[text_frame.frame.id] = len(text_frame.frame.data)
                yield text_frame
        if self.damaged > self.lines - self.damaged:
            raise UnknownLogError(
                f"{self.damaged} of {self.lines} lines are not {self.format} lines (the first is line "
                f"{self.first_damaged})"
            )

    def _count_damaged(self, number: int, ends: bool) -> None:
        if not ends:
            self.unfinished = True
            return
        self.lines += 1
        self.damaged += 1
        self.first_damaged = self.first_damaged or number

    def notes(self) -> list[str]:
        """Return messages about what could not be read."""
        notes = []
        if self.damaged:
            notes.append(
                f"{self.damaged} of {self.lines} lines could not be read (first: line {self.first_damaged})."
            )
        if self.unfinished:
            notes.append("The last line is incomplete and was ignored.")
        return notes

    def _lines(self) -> Iterator[str]:
        while line := self._file.readline(FRAME_LOG.line + 1):
            if len(line) > FRAME_LOG.line:
                raise InputError(
                    f"it has a line longer than {FRAME_LOG.line} characters",
                    "choose another file",
                )
            yield line.decode("utf-8", errors="replace").removeprefix("\ufeff")


def _recognize(lines: Sequence[str]) -> _Format:
    lines = [line for line in lines if line]
    for reader in (_Asc(), _Trc(), _Candump(), _Screen()):
        if reader.recognizes(lines):
            return reader
    if any("\0" in line for line in lines):
        raise UnknownLogError("it is a binary file")
    if _WITHOUT_TIME.match(lines[0]):
        raise UnknownLogError("its frames have no times. Record with candump -l can0 (or -L)")
    if all("," in line or ";" in line for line in lines[:5]):
        raise UnknownLogError("it looks like a table (CSV)")
    beginning = "".join(c if c.isprintable() else "?" for c in lines[0][:60])
    raise UnknownLogError(f'none of its lines is a frame; it begins with "{beginning}"')


def _text_frame(
    time: float,
    identifier: int,
    data: bytes,
    sent: bool,
    *,
    extended: bool,
    fd: bool = False,
    remote: bool = False,
    length: int = 0,
) -> TextFrame:
    if not 0 <= identifier <= (_ID_MASK if extended else 0x7FF):
        raise ValueError("id")
    if len(data) > (_MOST_BYTES_FD if fd else _MOST_BYTES):
        raise ValueError("length")
    frame = Frame(
        identifier, b"" if remote else data, extended, remote, fd, length=length if remote else 0
    )
    return TextFrame(time, frame, sent)


def _error(time: float, sent: bool = False) -> TextFrame:
    return TextFrame(time, Frame(0, error=True), sent)


def _seconds(text: str) -> float:
    return float(text.replace(",", "."))


def _bytes(parts: Sequence[str], length: int, base: int = 16) -> bytes:
    """Return the first `length` bytes."""
    if len(parts) < length:
        raise ValueError("fewer bytes than announced")
    return bytes(int(part, base) for part in parts[:length])


class _Asc(_Format):
    """Vector ASC. Times are absolute or, depending on the header, relative to the previous line."""

    name = "ASC"

    _TIME = re.compile(r"(-?\d+(?:[.,]\d+)?)\s+(.*)")
    _HEADER = re.compile(
        r"(date\b|base\s+(hex|dec)\b|(no\s+)?internal\s+events|(begin|end)\s+triggerblock|// version)",
        re.IGNORECASE,
    )
    _BASE = re.compile(r"base\s+(hex|dec)\b(?:\s+timestamps\s+(absolute|relative))?", re.IGNORECASE)
    _FRAME = re.compile(r"(\d+\s+\S+\s+(Rx|Tx)\b|\d+\s+ErrorFrame\b|CANFD\s)", re.IGNORECASE)
    _FRAME_AT_BEGINNING = re.compile(
        r"-?\d+[.,]\d+\s+\d+\s+[0-9A-F]+x?\s+(Rx|Tx)\s+[dr]\b", re.IGNORECASE
    )

    def __init__(self) -> None:
        self._base = 16
        self._relative = False
        self._time = 0.0

    def recognizes(self, lines: Sequence[str]) -> bool:
        return any(self._BASE.match(line) or self._FRAME_AT_BEGINNING.match(line) for line in lines)

    def frame(self, line: str) -> TextFrame | None:
        base = self._BASE.match(line)
        if base:
            self._base = 10 if base[1].lower() == "dec" else 16
            self._relative = (base[2] or "absolute").lower() == "relative"
            return None
        match = self._TIME.match(line)
        if match is None:
            if self._HEADER.match(line):
                return None
            raise ValueError("not an event")
        stated = _seconds(match[1])
        event = match[2]
        self._time = self._time + stated if self._relative else stated
        if self._FRAME.match(event) is None:
            return None  # statistics, chip states, other buses
        tokens = event.split()
        if tokens[0].upper() == "CANFD":
            return self._fd(tokens[1:])
        if tokens[1].lower() == "errorframe":
            return _error(self._time)
        if tokens[2].lower() not in ("rx", "tx"):
            return None  # TxRq: a request to send, not a frame on the bus
        identifier, extended = self._id(tokens[1])
        sent = tokens[2].lower() == "tx"
        kind = tokens[3].lower()
        rest = tokens[4:]
        if kind == "r":
            length = int(rest[0], 16) if rest and re.fullmatch(r"[0-9a-fA-F]", rest[0]) else 0
            return _text_frame(
                self._time, identifier, b"", sent, extended=extended, remote=True, length=length
            )
        if kind != "d":
            raise ValueError("neither data nor remote")
        length = min(int(rest[0], self._base), _MOST_BYTES)
        data = _bytes(rest[1:], length, self._base)
        return _text_frame(self._time, identifier, data, sent, extended=extended)

    def _fd(self, tokens: list[str]) -> TextFrame | None:
        direction = tokens[1].lower()
        if tokens[2].lower() == "errorframe":
            return _error(self._time)
        if direction not in ("rx", "tx"):
            return None
        identifier, extended = self._id(tokens[2])
        # a symbolic name may be in between
        named = not (tokens[3] in ("0", "1") and tokens[4] in ("0", "1"))
        rest = tokens[4 if named else 3 :]
        length = int(rest[3])
        data = _bytes(rest[4:], length, self._base)
        behind = rest[4 + length :]
        flags = int(behind[2], 16) if len(behind) > 2 else _EDL
        fd = bool(flags & _EDL)
        remote = bool(flags & _RTR) and not flags & _EDL
        dlc = int(rest[2], 16)
        return _text_frame(
            self._time,
            identifier,
            data,
            direction == "tx",
            extended=extended,
            fd=fd,
            remote=remote,
            length=dlc,
        )

    def _id(self, text: str) -> tuple[int, bool]:
        extended = text[-1:].lower() == "x"
        return int(text.rstrip("xX"), self._base), extended


class _Candump(_Format):
    """Output of ``candump -l`` and ``-L``. Short times that do not ascend are differences (``-t d``)."""

    name = "candump"

    _LINE = re.compile(
        r"\((-?\d+[.,]?\d*)\)\s+(\S+)\s+([0-9A-F]+)#(\S*)(?:\s+([RT])\S*)?", re.IGNORECASE
    )

    def __init__(self) -> None:
        self._differences = False
        self._time = 0.0

    def recognizes(self, lines: Sequence[str]) -> bool:
        matches = [match for line in lines if (match := self._LINE.match(line))]
        self._differences = _are_differences([_seconds(match[1]) for match in matches])
        return bool(matches)

    def frame(self, line: str) -> TextFrame | None:
        match = self._LINE.fullmatch(line)
        if match is None:
            if line.startswith(";"):
                return None
            raise ValueError("not a frame")
        stated = _seconds(match[1])
        self._time = self._time + stated if self._differences else stated
        sent = (match[5] or "").upper() == "T"
        digits = match[3]
        data = match[4].replace(".", "")
        if len(digits) not in (3, 8):
            raise ValueError("id")
        number = int(digits, 16)
        extended = len(digits) == 8
        if extended and number & _ERROR_FLAG:
            return _error(self._time, sent)
        if data.startswith("#"):
            int(data[1], 16)  # flags
            return _text_frame(
                self._time, number, bytes.fromhex(data[2:]), sent, extended=extended, fd=True
            )
        if data[:1].upper() == "R":
            length = int(data[1:2] or "0", 16)
            return _text_frame(
                self._time, number, b"", sent, extended=extended, remote=True, length=length
            )
        data = data.partition("_")[0]  # a length code above 8
        return _text_frame(self._time, number, bytes.fromhex(data), sent, extended=extended)


class _Screen(_Format):
    """Screen output of candump, which has times with ``-t``."""

    name = "candump screen"

    _LINE = re.compile(
        r"(?:\((?:(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):)?(-?\d+[.,]?\d*)\)\s+)?\S+\s+(?:(RX|TX)\s+\S\s+\S\s+)?"
        r"([0-9A-F]{8}|[0-9A-F]{3})\s+\[(\d{1,2})\]\s*(.*)"
    )

    def __init__(self) -> None:
        self._differences = False
        self._time = 0.0

    def recognizes(self, lines: Sequence[str]) -> bool:
        matches = [match for line in lines if (match := self._LINE.fullmatch(_plain(line)))]
        if not matches:
            return False
        if all(match[6] is None for match in matches):
            raise UnknownLogError(
                "it is the screen output of candump, which has no times. Record with candump -l can0 (or -L), or print "
                "times with -ta"
            )
        self._differences = _are_differences([_stamp(match) for match in matches if match[6]])
        return True

    def frame(self, line: str) -> TextFrame | None:
        match = self._LINE.fullmatch(_plain(line))
        if match is None or match[6] is None:
            raise ValueError("not a frame with a time")
        stated = _stamp(match)
        self._time = self._time + stated if self._differences else stated
        sent = match[7] == "TX"
        number = int(match[8], 16)
        extended = len(match[8]) == 8
        rest = match[10]
        if extended and number & _ERROR_FLAG:
            return _error(self._time, sent)
        length = int(match[9])
        fd = len(match[9]) == 2
        if rest.startswith("remote request"):
            return _text_frame(
                self._time, number, b"", sent, extended=extended, remote=True, length=length
            )
        data = _bytes([part for part in re.split(r"[\s.]+", rest) if part], length)
        return _text_frame(self._time, number, data, sent, extended=extended, fd=fd)


def _plain(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line).strip()


def _stamp(match: re.Match[str]) -> float:
    """Return the seconds of a time, or of a date since 1970."""
    seconds = _seconds(match[6])
    if match[1] is None:
        return seconds
    import calendar

    year, month, day, hour, minute = (int(match[i]) for i in range(1, 6))
    return calendar.timegm((year, month, day, hour, minute, 0)) + seconds


def _are_differences(times: Sequence[float]) -> bool:
    """Return whether times are differences: a tenth of them are smaller than the one before, or all are equal."""
    if len(times) < 3 or max(times) > _EPOCH_S:
        return False
    earlier = sum(after < before for before, after in pairwise(times))
    same = len(set(times[1:])) == 1 and times[-1] > 0.0
    return same or earlier >= 0.1 * (len(times) - 1)


_COLUMNS_BY_VERSION = {
    (1, 0): "NOILD",
    (1, 1): "NOTILD",
    (1, 2): "NOBTILD",
    (1, 3): "NOBTIRLD",
    (2, 0): "NOTIdlD",
    (2, 1): "NOTBIdRLD",
}
"""Columns of TRC by their letters in version 2; in 1.x, T is the direction."""


class _Trc(_Format):
    """PCAN TRC 1.0 to 2.1 (PEAK CAN TRC File Format, PEAK-System 2023). Times are in ms."""

    name = "PCAN TRC"

    _VERSION = re.compile(r";\s*\$FILEVERSION\s*=\s*(\d+)\.(\d+)", re.IGNORECASE)
    _COLUMNS = re.compile(r";\s*\$COLUMNS\s*=\s*(\S+)", re.IGNORECASE)
    _FIRST = re.compile(r"\d+\)\s+-?\d+(?:[.,]\d+)?\s+")

    def __init__(self) -> None:
        self._columns = "NOILD"
        self._second = False

    def recognizes(self, lines: Sequence[str]) -> bool:
        return any(self._VERSION.match(line) or self._FIRST.match(line) for line in lines)

    def frame(self, line: str) -> TextFrame | None:
        if line.startswith(";"):
            if version := self._VERSION.match(line):
                stated = int(version[1]), int(version[2])
                self._second = stated[0] > 1
                self._columns = _COLUMNS_BY_VERSION.get(
                    stated, "NOTBIdRLD" if self._second else "NOBTIRLD"
                )
            elif (columns := self._COLUMNS.match(line)) and self._second:
                self._columns = columns[1].replace(",", "")
            return None
        tokens = line.split()
        at = {letter: i for i, letter in enumerate(self._columns)}
        time = _seconds(tokens[at["O"]]) / 1000.0
        kind = tokens[at["T"]].upper() if "T" in at else ""
        rest = tokens[at["D"] :]
        if kind in ("ER", "ERROR") or (rest and rest[0] == "ERROR"):
            return _error(time)
        if kind in ("ST", "EC", "EV", "WARNG"):
            return None  # states of the adapter, marks by the user
        digits = tokens[at["I"]]
        if digits.upper() == "FFFFFFFF":
            return None
        directions = ("RX", "TX", "")
        direction = tokens[at["d"]].upper() if "d" in at else kind
        if direction not in directions or (
            self._second and kind not in ("DT", "FD", "FB", "FE", "BI", "RR")
        ):
            raise ValueError("type")
        fd = self._second and kind in ("FD", "FB", "FE", "BI")
        number = int(tokens[at["l" if "l" in at else "L"]])
        length = number if "l" in at else dlc2len(number) if fd else min(number, _MOST_BYTES)
        remote = kind == "RR" or (bool(rest) and rest[0].upper() == "RTR")
        data = b"" if remote else _bytes(rest, length)
        return _text_frame(
            time,
            int(digits, 16),
            data,
            direction == "TX",
            extended=len(digits) > 4,
            fd=fd,
            remote=remote,
            length=length,
        )
