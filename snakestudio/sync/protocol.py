"""The line protocol of synchronized starts, simple enough for Matlab, LabVIEW or netcat as a peer.

The waiting side listens on a TCP port, the triggering side connects to it. Lines are ASCII, end in LF
(or CR LF) and have at most 512 characters. Times are Unix times of the writer, in seconds, with a
decimal point.

::

    listener  SNAKESTUDIO-TRIGGER 1                 on each new connection: name and version
    either    PING <number>                         answered by   PONG <number> <time>
    sender    CLOCK <offset s> <uncertainty s>      listener's clock minus its own, measured by PING
    sender    START [<run name>] [<time>]           answered by   OK START <time>
    sender    STOP [<run name>] [<time>]            answered by   OK STOP <time>
    listener  ERR <sentence>                        a line was not understood, or was too late; it is ignored

Only the line START is required: ``echo START | nc HOST PORT`` starts a waiting listener. A listener
need not send anything: if it does not send the first line, the sender does not wait for answers.
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
    """A received trigger."""

    kind: TriggerKind
    name: str
    """Name of the run according to the peer; may be empty."""

    sent: float | None
    """Unix time by the peer's clock, s; None if it sent none."""

    received: float
    """Unix time by the clock of this computer, s."""

    peer: str
    """Name of the sender."""

    offset: float | None = None
    """The peer's clock minus that of this computer, s; None if unknown."""

    uncertainty: float | None = None
    """Uncertainty of `offset`, s; None if unknown."""

    def sentence(self) -> str:
        """Return the description for the events of a run."""
        named = f" “{self.name}”" if self.name else ""
        text = (
            f"{self.kind} was received from {self.peer}{named} at {self.received:.6f} (Unix time)"
        )
        if self.sent is not None:
            text += f", sent at {self.sent:.6f} by its clock"
        if self.offset is not None and self.uncertainty is not None:
            text += f", which is {clock_words(self.offset, self.uncertainty)}"
        return text


def clock_words(offset: float, uncertainty: float) -> str:
    """Return the text for an offset between clocks, such as "0.210 ± 0.050 ms ahead"."""
    side = "ahead" if offset >= 0 else "behind"
    return f"{1e3 * abs(offset):.3f} ± {1e3 * uncertainty:.3f} ms {side}"


def greeting() -> str:
    """Return the first line of the listener."""
    return f"{_NAME} {VERSION}"


def version_of(line: str) -> int | None:
    """Return the version in a first line; None if the line is not a greeting."""
    fields = line.split()
    return (
        int(fields[1])
        if len(fields) == 2 and fields[0] == _NAME and fields[1].isdecimal()
        else None
    )


def format_line(*fields: object) -> bytes:
    """Format a line: numbers with microseconds, non-ASCII characters as question marks."""
    texts = [f"{field:.6f}" if isinstance(field, float) else str(field) for field in fields]
    line = " ".join(" ".join(texts).split())[: LONGEST_LINE - 1]
    return line.encode("ascii", "replace") + b"\n"


def run_word(name: str) -> str:
    """Return the name of a run as a single word of a line."""
    return re.sub(r"\s+", "_", name.strip())[:200]


def number(field: str) -> float | None:
    """Return a finite number, or None."""
    try:
        value = float(field)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def parse_trigger(line: str, received: float, peer: str) -> Trigger | None:
    """Parse a trigger; None if the line is not one."""
    fields = line.split()
    if not fields or fields[0] not in ("START", "STOP"):
        return None
    kind: TriggerKind = "START" if fields[0] == "START" else "STOP"
    sent = number(fields[-1]) if len(fields) > 1 else None
    name = " ".join(fields[1:] if sent is None else fields[1:-1])
    return Trigger(kind, name, sent, received, peer)


class LineBuffer:
    """Splits received bytes into lines; a line that becomes too long is dropped."""

    def __init__(self) -> None:
        self._bytes = b""
        self._dropping = False

    def feed(self, data: bytes) -> tuple[list[str], bool]:
        """Add received bytes.

        Returns
        -------
        lines : list of str
            Complete lines, without line ends and empty lines.
        too_long : bool
            Whether a line was dropped.
        """
        *complete, rest = (self._bytes + data).split(b"\n")
        lines: list[str] = []
        too_long = False
        for raw in complete:
            if self._dropping:
                self._dropping = False  # the end of the dropped line
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
