"""The line protocol by which instruments start together; simple enough for Matlab, LabVIEW or netcat as a peer.

Who waits listens on a TCP port, who fires connects to it. Lines are ASCII, end in LF (or CR LF) and
have at most 512 characters. Times are Unix times of whoever writes them, in seconds, with a point.

::

    listener  SNAKESTUDIO-TRIGGER 1                 at once, to everybody who connects: name and version
    either    PING <number>                         answered by   PONG <number> <time>
    firing    CLOCK <offset s> <uncertainty s>      what it found: listener's clock minus its own, from its PINGs
    firing    START [<run name>] [<time>]           answered by   OK START <time>
    firing    STOP [<run name>] [<time>]            answered by   OK STOP <time>
    listener  ERR <sentence>                        a line was not understood, or came too late; it is ignored

Nothing but the line START itself is needed: ``echo START | nc HOST PORT`` starts whoever waits
there. And a listener need not say anything: without its first line, its answers are not waited for.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

VERSION = 1
LONGEST_LINE = 512

TriggerKind = Literal["START", "STOP"]

_NAME = "SNAKESTUDIO-TRIGGER"


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger that came in."""

    kind: TriggerKind
    name: str
    """Name of the run, as the peer gave it; may be empty."""

    sent: float | None
    """Unix time by the peer's clock, s; None where it gave none."""

    received: float
    """Unix time by the clock of this machine, s."""

    peer: str
    """Where it came from."""

    offset: float | None = None
    uncertainty: float | None = None
    """`offset` and `uncertainty`: peer's clock minus that of this machine, s, as far as known."""

    def sentence(self) -> str:
        """What happened, for the events of a run."""
        named = f" “{self.name}”" if self.name else ""
        told = f"{self.kind} came from {self.peer}{named} at {self.received:.6f} (Unix time)"
        if self.sent is not None:
            told += f", sent at {self.sent:.6f} by its clock"
        if self.offset is not None and self.uncertainty is not None:
            told += f", which is {clock_words(self.offset, self.uncertainty)}"
        return told


def clock_words(offset: float, uncertainty: float) -> str:
    """An offset between clocks in words: "0.210 ± 0.050 ms ahead"."""
    side = "ahead" if offset >= 0 else "behind"
    return f"{1e3 * abs(offset):.3f} ± {1e3 * uncertainty:.3f} ms {side}"


def greeting() -> str:
    """The first line of whoever listens."""
    return f"{_NAME} {VERSION}"


def version_of(line: str) -> int | None:
    """The version that a first line names; None if it is none."""
    words = line.split()
    return int(words[1]) if len(words) == 2 and words[0] == _NAME and words[1].isdecimal() else None


def say(*words: object) -> bytes:
    """A line: numbers with microseconds, and whatever is no ASCII as a question mark."""
    texts = [f"{word:.6f}" if isinstance(word, float) else str(word) for word in words]
    line = " ".join(" ".join(texts).split())[: LONGEST_LINE - 1]
    return line.encode("ascii", "replace") + b"\n"


def run_word(name: str) -> str:
    """A run's name as one word of a line."""
    return re.sub(r"\s+", "_", name.strip())[:200]


def number(word: str) -> float | None:
    """A finite number, or None."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def parse_trigger(line: str, received: float, peer: str) -> Trigger | None:
    """The trigger that a line is, if it is one."""
    words = line.split()
    if not words or words[0] not in ("START", "STOP"):
        return None
    kind: TriggerKind = "START" if words[0] == "START" else "STOP"
    sent = number(words[-1]) if len(words) > 1 else None
    name = " ".join(words[1:] if sent is None else words[1:-1])
    return Trigger(kind, name, sent, received, peer)


class LineBuffer:
    """Bytes as they come in, given out line by line; a line without an end is dropped where it gets too long."""

    def __init__(self) -> None:
        self._bytes = b""
        self._dropping = False

    def feed(self, data: bytes) -> tuple[list[str], bool]:
        """Take bytes in.

        Returns
        -------
        lines : list of str
            Those that are complete, without their ends and without empty ones.
        too_long : bool
            Whether one was dropped.
        """
        *complete, rest = (self._bytes + data).split(b"\n")
        lines: list[str] = []
        too_long = False
        for raw in complete:
            if self._dropping:
                self._dropping = False  # the end of the one that was dropped
            elif len(raw) > LONGEST_LINE:
                too_long = True
            elif line := raw.decode("ascii", "replace").strip():
                lines.append(line)
        if len(rest) > LONGEST_LINE:
            too_long = too_long or not self._dropping
            self._dropping = True
            rest = b""
        elif self._dropping:
            rest = b""
        self._bytes = rest
        return lines, too_long
