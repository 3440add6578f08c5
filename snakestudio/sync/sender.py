"""Firing at others: connects to who waits, compares the clocks, and says START."""

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
    number,
    run_word,
    say,
    version_of,
)

__all__ = ["ClockOffset", "Fired", "TriggerSender", "split_address"]

_CONNECT_S = 3.0
_GREETING_S = 0.5
_ANSWER_S = 1.0
_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """How another clock stands to the one of this machine."""

    offset: float
    """Other clock minus this one, s."""

    uncertainty: float
    """Half of the shortest round trip, s: the offset cannot be further off than that."""


@dataclass(frozen=True, slots=True)
class Fired:
    """A trigger that was sent."""

    kind: TriggerKind
    sent: float
    """Unix time by the clock of this machine, s."""

    received: float | None
    """Unix time by the peer's clock; None where it did not answer."""

    peer: str
    clock: ClockOffset | None

    def sentence(self) -> str:
        """What happened, for the events of a run."""
        told = f"{self.kind} was sent to {self.peer} at {self.sent:.6f} (Unix time)"
        told += (
            ", not acknowledged"
            if self.received is None
            else f", received at {self.received:.6f} by its clock"
        )
        if self.clock is not None:
            told += f", which is {clock_words(self.clock.offset, self.clock.uncertainty)}"
        return told


def split_address(text: str) -> tuple[str, int]:
    """Host and port of ``HOST:PORT``.

    Raises `UsageError` if it is written otherwise.
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
        raise UsageError(f"{text!r} is no address; write it as HOST:PORT, like localhost:5005.")
    return host.strip("[]"), int(port)


class TriggerSender:
    """A connection to one who waits.

    Raises `TriggerError` if nobody listens there.

    Attributes
    ----------
    peer : str
        Where it is connected to.
    version : int or None
        Of the peer's protocol; None if it did not introduce itself, then no answers are waited for.
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
                    f"{self.peer} speaks version {self.version} of the trigger protocol and this program version "
                    f"{VERSION}; update SnakeStudio on this machine."
                )
        except TriggerError:
            self.close()
            raise

    def __enter__(self) -> TriggerSender:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def compare_clocks(self, rounds: int = _ROUNDS) -> ClockOffset | None:
        """Find how the peer's clock stands to this one, from the quickest of some round trips, and tell the peer.

        Raises `TriggerError` if the peer is gone.

        Returns
        -------
        ClockOffset or None
            None if the peer does not answer.
        """
        if self.version is None:
            return None
        found: list[ClockOffset] = []
        for k in range(rounds):
            wall = time.time()
            began = time.perf_counter()
            self._send(say("PING", k))
            answer = self._answer(("PONG", str(k)))
            if answer is None:
                break
            words, ended = answer
            there = number(words[2]) if len(words) == 3 else None
            if there is not None:
                trip = ended - began
                found.append(ClockOffset(there - (wall + 0.5 * trip), 0.5 * trip))
        if found:
            self.clock = min(found, key=lambda one: one.uncertainty)
            self._send(say("CLOCK", self.clock.offset, self.clock.uncertainty))
        return self.clock

    def fire(self, kind: TriggerKind, name: str = "") -> float:
        """Send a trigger; returns at once.

        Raises `TriggerError` if the peer is gone.

        Returns
        -------
        float
            Unix time, s.
        """
        sent = time.time()
        self._send(say(kind, run_word(name), sent))
        return sent

    def acknowledged(self, kind: TriggerKind, sent: float) -> Fired:
        """Wait for the answer to a trigger that was sent; a peer that says nothing is not waited for.

        Raises `TriggerError` if the peer refuses it or is gone.
        """
        answer = self._answer(("OK", kind)) if self.version is not None else None
        received = number(answer[0][2]) if answer is not None and len(answer[0]) == 3 else None
        return Fired(kind, sent, received, self.peer, self.clock)

    def _send(self, data: bytes) -> None:
        try:
            self._connection.settimeout(0.0)
            try:
                # The first line to a peer that has closed the connection would go into the void
                # without an error.
                if not self._connection.recv(1, socket.MSG_PEEK):
                    raise ConnectionResetError("it closed the connection")
            except BlockingIOError:
                pass  # it is there, and has nothing to say
            self._connection.settimeout(_ANSWER_S)
            self._connection.sendall(data)
        except OSError as error:
            raise TriggerError(
                f"{self.peer} is gone ({error.strerror or error}); start it again and try once more."
            ) from error

    def _answer(self, begin: tuple[str, str]) -> tuple[list[str], float] | None:
        """The line that begins with two words, and when it came; None if none comes in time."""
        deadline = time.monotonic() + _ANSWER_S
        while (left := deadline - time.monotonic()) > 0:
            line = self._line(left)
            if line is None:
                return None
            words = line[0].split()
            if tuple(words[:2]) == begin:
                return words, line[1]
            if words[0] == "ERR":
                raise TriggerError(f"{self.peer} refused: {' '.join(words[1:])}.")
        return None

    def _line(self, seconds: float) -> tuple[str, float] | None:
        """The next line and when it came (by `perf_counter`); None if none comes in time."""
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
                    f"{self.peer} is gone ({error.strerror or error}); start it again."
                ) from error
            came = time.perf_counter()
            if not data:
                raise TriggerError(
                    f"{self.peer} closed the connection; see that it waits for a trigger there."
                )
            self._lines += [(line, came) for line in self._buffer.feed(data)[0]]
        return self._lines.pop(0)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


def _why_not(peer: str, error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return f"Nobody waits for a trigger at {peer}; start the other side first, or mend host and port."
    if isinstance(error, socket.gaierror | UnicodeError):
        return f"The host of {peer} is not known; check how it is written, or give its address in numbers."
    if isinstance(error, TimeoutError):
        return (
            f"{peer} does not answer; see that it is switched on and that no firewall is between."
        )
    if isinstance(error, OverflowError):
        return f"{peer}: that is no port; give one from 1 to 65535."
    return f"{peer} cannot be reached ({error}); check host, port and network."
