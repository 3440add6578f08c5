r"""The firmware of a serial CAN adapter (LAWICEL's protocol), and a pseudo-terminal that emulates the adapter.

Each command ends with a carriage return and is answered with one, or with BELL if it cannot be
carried out: ``Sn`` and ``sxxyy`` (bit rate, while closed), ``O``, ``L`` and ``C`` (open, listen
only, close), ``tiiil..``, ``Tiiiiiiiil..``, ``riiil``, ``Riiiiiiiil`` (transmit; answered with z or
Z first), ``F`` (status), ``V`` and ``N`` (version, serial number).
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from dataclasses import replace

from snakestudio.errors import LinkError
from snakestudio.link.frame import Frame

_OK = b"\r"
_BELL = b"\a"
BIT_RATES = (10_000, 20_000, 50_000, 100_000, 125_000, 250_000, 500_000, 800_000, 1_000_000)
_BUS_ERROR = 0x80
_LONGEST = 64
"""Longest command in bytes; longer input is noise and is discarded."""
_CAPACITY = 65_536
"""Most bytes that wait to be read by a program."""


class SlcanAdapter:
    """A serial adapter between a program and a bus, sans IO.

    Parameters
    ----------
    bitrate : int
        Bit rate of the bus, bit/s: an adapter with another bit rate receives only errors.
    """

    def __init__(self, bitrate: int) -> None:
        self._bus_bitrate = bitrate
        self._bitrate: int | None = None
        self._open = self._silent = False
        self._flags = 0
        self._line = bytearray()

    @property
    def connected(self) -> bool:
        """Whether the adapter is open with the bit rate of the bus."""
        return self._open and self._bitrate == self._bus_bitrate

    def written(self, data: bytes) -> tuple[list[Frame], bytes]:
        """Handle data written by a program; return the frames for the bus and the reply of the adapter."""
        frames: list[Frame] = []
        answer = b""
        for byte in data:
            if byte != 0x0D:
                self._line.append(byte)
                continue
            line = bytes(self._line)
            self._line = bytearray()
            answer += self._command(line, frames) if len(line) <= _LONGEST else _BELL
        del self._line[: -_LONGEST - 1]
        return frames, answer

    def encode(self, frame: Frame) -> bytes:
        """Return what a program reads for a frame on the bus."""
        if not self._open or frame.fd or frame.error:
            return b""
        if self._bitrate != self._bus_bitrate:
            self._flags |= _BUS_ERROR
            return b""
        head = "R" if frame.remote else "T"
        number = f"{head}{frame.id:08X}" if frame.extended else f"{head.lower()}{frame.id:03X}"
        count = frame.length if frame.remote else len(frame.data)
        return f"{number}{count}{frame.data.hex().upper()}\r".encode()

    def _command(self, line: bytes, frames: list[Frame]) -> bytes:
        if not line:
            return _OK
        try:
            text = line.decode("ascii")
        except UnicodeDecodeError:
            return _BELL
        letter = text[0]
        rest = text[1:]
        if letter == "S" and not self._open and rest in tuple("012345678"):
            self._bitrate = BIT_RATES[int(rest)]
            return _OK
        if letter == "s" and not self._open and len(rest) == 4 and _hexadecimal(rest):
            self._bitrate = _of_registers(int(rest[:2], 16), int(rest[2:], 16))
            return _OK
        if text in ("O", "L") and not self._open and self._bitrate is not None:
            self._open = True
            self._silent = text == "L"
            self._flags = 0
            return _OK
        if text == "C" and self._open:
            self._open = False
            return _OK
        if text == "F" and self._open:
            flags = self._flags
            self._flags = 0
            return f"F{flags:02X}\r".encode()
        if text == "V":
            return b"V1013\r"
        if text == "N":
            return b"NSNKE\r"
        if letter in "tTrR":
            return self._transmit(letter, rest, frames)
        return _BELL

    def _transmit(self, letter: str, rest: str, frames: list[Frame]) -> bytes:
        digits = 8 if letter in "TR" else 3
        if not self._open or self._silent or len(rest) <= digits or not _hexadecimal(rest):
            return _BELL
        number = int(rest[:digits], 16)
        count = int(rest[digits], 16)
        remote = letter in "rR"
        if number > (0x1FFFFFFF if digits == 8 else 0x7FF) or count > 8:
            return _BELL
        if len(rest) != digits + 1 + (0 if remote else 2 * count):
            return _BELL
        if self._bitrate != self._bus_bitrate:
            self._flags |= _BUS_ERROR
        else:
            data = bytes.fromhex(rest[digits + 1 :])
            frames.append(
                Frame(
                    number, data, extended=digits == 8, remote=remote, length=count if remote else 0
                )
            )
        return b"Z\r" if digits == 8 else b"z\r"


def _hexadecimal(text: str) -> bool:
    return all(mark in "0123456789abcdefABCDEF" for mark in text)


def _of_registers(first: int, second: int) -> int:
    """Return the bit rate of an SJA1000's timing registers at 16 MHz."""
    prescaler = (first & 0x3F) + 1
    quanta = 1 + (second & 0x0F) + 1 + (second >> 4 & 0x07) + 1
    return round(8_000_000 / (prescaler * quanta))


class PtySlcan:
    """A pseudo-terminal that acts as a serial port with an `SlcanAdapter`.

    Raises `LinkError` if this system has no pseudo-terminals.

    Attributes
    ----------
    path : str
        Path of the serial port.
    lost : int
        Frames that were lost because no program read them.
    """

    def __init__(self, bitrate: int) -> None:
        try:
            import tty

            self._master, self._slave = os.openpty()
        except (ImportError, AttributeError, OSError) as error:
            raise LinkError(
                f"This system has no pseudo-terminals ({error}). Use --interface udp_multicast."
            ) from None
        # kept open, so that the terminal survives when a program closes it
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.path = os.ttyname(self._slave)
        self._adapter = SlcanAdapter(bitrate)
        self._unsent = b""
        self.lost = 0

    def receive(self, timeout: float) -> list[Frame]:
        """Return the frames that were written to the port, as soon as there are some."""
        frames: list[Frame] = []
        select.select([self._master], [self._master] if self._unsent else [], [], timeout)
        self._write(b"")
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._master, 65536):
                read, answer = self._adapter.written(data)
                now = time.monotonic()  # a serial port has no time stamps
                frames += [replace(frame, time=now) for frame in read]
                self._write(answer)
        return frames

    def send(self, frame: Frame) -> None:
        """Send a frame to the program that reads from the port."""
        self._write(self._adapter.encode(frame))

    def _write(self, data: bytes) -> None:
        # If the terminal's buffer is full, whole frames are lost, as with real adapters.
        if len(self._unsent) < _CAPACITY:
            self._unsent += data
        else:
            self.lost += bool(data)
        with contextlib.suppress(BlockingIOError):
            while self._unsent:
                self._unsent = self._unsent[os.write(self._master, self._unsent) :]

    def close(self) -> None:
        """Close the terminal."""
        os.close(self._master)
        os.close(self._slave)
