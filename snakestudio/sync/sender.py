"""The triggering side of a synchronized start: connects to a waiting peer, compares clocks, and sends START."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass

from snakestudio.errors import TriggerError, UsageError
from snakestudio.sync.protocol import (
    VERSION,
    LineBuffer,
    TriggerKind,
    clock_words,
    format_line,
    number,
    run_word,
    version_of,
)

_CONNECT_S = 3.0
_GREETING_S = 0.5
_ANSWER_S = 1.0
_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """Offset of another clock from that of this computer."""

    offset: float
    """Other clock minus this one, s."""

    uncertainty: float
    """Half of the shortest round trip, s, which bounds the error of the offset."""


@dataclass(frozen=True, slots=True)
class SentTrigger:
    """A sent trigger."""

    kind: TriggerKind
    sent: float
    """Unix time by the clock of this computer, s."""

    received: float | None
    """Unix time by the peer's clock, s; None if it did not answer."""

    peer: str
    clock: ClockOffset | None

    def sentence(self) -> str:
        """Return the description for the events of a run."""
        text = f"{self.kind} was sent to {self.peer} at {self.sent:.6f} (Unix time)"
        text += (
            ", not acknowledged"
            if self.received is None
            else f", received at {self.received:.6f} by its clock"
        )
        if self.clock is not None:
            text += f", which is {clock_words(self.clock.offset, self.clock.uncertainty)}"
        return text


def split_address(text: str) -> tuple[str, int]:
    """Split ``HOST:PORT`` into host and port.

    Raises `UsageError` if the text has another form.
    """
    host, colon, port = text.strip().rpartition(":")
    if not (
        colon
        and host
        and not host.isdecimal()
        and port.isascii()
        and port.isdecimal()
        and 0 < int(port) <= 65535
    ):
        raise UsageError(f"{text!r} is not an address. Write HOST:PORT, such as localhost:5005.")
    return host.strip("[]"), int(port)


class TriggerSender:
    """A connection to a waiting peer.

    Raises `TriggerError` if no peer listens there.

    Attributes
    ----------
    peer : str
        Host and port of the peer.
    version : int or None
        Protocol version of the peer; None if it sent no greeting, in which case it sends no answers.
    """

    def __init__(self, host: str, port: int) -> None:
        self.peer = f"{host}:{port}"
        try:
            self._connection = socket.create_connection((host, port), timeout=_CONNECT_S)
        except (OSError, OverflowError, UnicodeError) as error:
            raise TriggerError(_why_not(self.peer, error)) from error
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = LineBuffer()
        self._lines: list[tuple[str, float]] = []
        self.clock: ClockOffset | None = None
        self.version: int | None = None
        try:
            first = self._line(_GREETING_S)
            self.version = version_of(first[0]) if first is not None else None
            if self.version is not None and self.version > VERSION:
                raise TriggerError(
                    f"{self.peer} uses version {self.version} of the trigger protocol, but this program uses version "
                    f"{VERSION}. Update SnakeStudio on this computer."
                )
        except TriggerError:
            self.close()
            raise

    def __enter__(self) -> TriggerSender:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def compare_clocks(self, rounds: int = _ROUNDS) -> ClockOffset | None:
        """Measure the offset of the peer's clock by the fastest of several round trips, and send it to the peer.

        Raises `TriggerError` if the connection is closed.

        Returns
        -------
        ClockOffset or None
            None if the peer does not answer.
        """
        if self.version is None:
            return None
        offsets: list[ClockOffset] = []
        for k in range(rounds):
            wall = time.time()
            began = time.perf_counter()
            self._send(format_line("PING", k))
            answer = self._answer(("PONG", str(k)))
            if answer is None:
                break
            fields, ended = answer
            peer_time = number(fields[2]) if len(fields) == 3 else None
            if peer_time is not None:
                trip = ended - began
                offsets.append(ClockOffset(peer_time - (wall + 0.5 * trip), 0.5 * trip))
        if offsets:
            self.clock = min(offsets, key=lambda one: one.uncertainty)
            self._send(format_line("CLOCK", self.clock.offset, self.clock.uncertainty))
        return self.clock

    def fire(self, kind: TriggerKind, name: str = "") -> float:
        """Send a trigger without waiting for the answer.

        Raises `TriggerError` if the connection is closed.

        Returns
        -------
        float
            Unix time, s.
        """
        sent = time.time()
        self._send(format_line(kind, run_word(name), sent))
        return sent

    def acknowledged(self, kind: TriggerKind, sent: float) -> SentTrigger:
        """Return the wait for the answer to a sent trigger, unless the peer sends no answers.

        Raises `TriggerError` if the peer refuses it or the connection is closed.
        """
        answer = self._answer(("OK", kind)) if self.version is not None else None
        received = number(answer[0][2]) if answer is not None and len(answer[0]) == 3 else None
        return SentTrigger(kind, sent, received, self.peer, self.clock)

    def _send(self, data: bytes) -> None:
        try:
            self._connection.settimeout(0.0)
            try:
                # Sending to a peer that has closed the connection raises no error the first time.
                if not self._connection.recv(1, socket.MSG_PEEK):
                    raise ConnectionResetError("it closed the connection")
            except BlockingIOError:
                pass  # connected, no data
            self._connection.settimeout(_ANSWER_S)
            self._connection.sendall(data)
        except OSError as error:
            raise TriggerError(
                f"The connection to {self.peer} is lost ({error.strerror or error}). Start it again and retry."
            ) from error

    def _answer(self, begin: tuple[str, str]) -> tuple[list[str], float] | None:
        """The line that starts with two given words, and its time of arrival; None if it does not arrive in time."""
        deadline = time.monotonic() + _ANSWER_S
        while (left := deadline - time.monotonic()) > 0:
            line = self._line(left)
            if line is None:
                return None
            fields = line[0].split()
            if tuple(fields[:2]) == begin:
                return fields, line[1]
            if fields[0] == "ERR":
                raise TriggerError(f"{self.peer} refused: {' '.join(fields[1:])}.")
        return None

    def _line(self, seconds: float) -> tuple[str, float] | None:
        """Return the next line and its time of arrival (by `perf_counter`); None if none arrives in time."""
        deadline = time.monotonic() + seconds
        while not self._lines:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            try:
                self._connection.settimeout(left)
                data = self._connection.recv(4096)
            except TimeoutError:
                return None
            except OSError as error:
                raise TriggerError(
                    f"The connection to {self.peer} is lost ({error.strerror or error}). Start it again."
                ) from error
            came = time.perf_counter()
            if not data:
                raise TriggerError(
                    f"{self.peer} closed the connection. Check that it is waiting for a trigger."
                )
            self._lines += [(line, came) for line in self._buffer.feed(data)[0]]
        return self._lines.pop(0)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _why_not(peer: str, error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return f"No program is waiting for a trigger at {peer}. Start the other side first, or correct host and port."
    if isinstance(error, socket.gaierror | UnicodeError):
        return f"The host of {peer} is unknown. Check its spelling, or use its IP address."
    if isinstance(error, TimeoutError):
        return f"{peer} does not respond. Check that it is switched on and not behind a firewall."
    if isinstance(error, OverflowError):
        return f"{peer}: The port is invalid. Use a port from 1 to 65535."
    return f"{peer} cannot be reached ({error}). Check host, port and network."
