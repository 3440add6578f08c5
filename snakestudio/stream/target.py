"""Destination of a stream as users write it: a port to listen on, a Rerun viewer, or a Rerun file."""

from __future__ import annotations

import ipaddress
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from snakestudio.errors import UsageError
from snakestudio.inputs import local_path

FOXGLOVE_PORT = 8765
"""Default port of the Foxglove protocol."""

RERUN_PORT = 9876
"""Default port of Rerun viewers."""

DEFAULT_RATE_HZ = 50.0
MAX_RATE_HZ = 1000.0
"""Samples per second."""

_LOOPBACK = "127.0.0.1"
_HOW = "Write [HOST:]PORT, rerun, rerun:[HOST:]PORT or rerun:FILE.rrd."


@dataclass(frozen=True, slots=True)
class Target:
    """Destination and rate of a stream."""

    kind: Literal["foxglove", "rerun", "rrd"] = "foxglove"
    """A server for Foxglove and compatible programs, a listening Rerun viewer, or a Rerun file."""

    host: str = _LOOPBACK
    port: int = FOXGLOVE_PORT
    """0 selects a free port."""

    path: Path | None = None
    """The file of the kind "rrd"."""

    rate_hz: float = DEFAULT_RATE_HZ

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rate_hz) and 0.0 < self.rate_hz <= MAX_RATE_HZ):
            raise UsageError(
                f"{self.rate_hz:g} is not a valid number of samples per second. "
                f"Choose a rate above 0 and up to {MAX_RATE_HZ:g} Hz."
            )

    @property
    def address(self) -> str:
        """Host and port as one text, or the path of the file."""
        if self.path is not None:
            return str(self.path)
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_open(self) -> bool:
        """Whether other computers can connect: the address listened on is not the loopback's."""
        if self.kind != "foxglove" or self.host == "localhost":
            return False
        try:
            return not ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return True

    @property
    def warning(self) -> str:
        """Warning about an address that other computers can reach, or ""."""
        if not self.is_open:
            return ""
        return (
            f"The stream on {self.address} is open to other computers, without a password or encryption. "
            "Listen on 127.0.0.1 to stream to this computer only."
        )


def parse_target(text: str, rate_hz: float = DEFAULT_RATE_HZ) -> Target:
    """Parse a stream target.

    Raises `UsageError` if the text is not a target.

    Parameters
    ----------
    text : str
        ``""`` (the default port), ``[HOST:]PORT``, ``rerun``, ``rerun:[HOST:]PORT`` or
        ``rerun:FILE.rrd``.
    rate_hz : float
        Samples per second.
    """
    target_text = text.strip()
    kind, colon, rest = target_text.partition(":")
    if kind != "rerun":
        host, port = (
            _address(target_text, FOXGLOVE_PORT, text)
            if target_text
            else (_LOOPBACK, FOXGLOVE_PORT)
        )
        return Target("foxglove", host, port, None, rate_hz)
    if rest.lower().endswith(".rrd"):
        return Target("rrd", "", 0, local_path(rest), rate_hz)
    if colon and not rest:
        raise UsageError(f"{text!r} is not a stream target. {_HOW}")
    host, port = _address(rest, RERUN_PORT, text) if rest else (_LOOPBACK, RERUN_PORT)
    if port == 0:
        raise UsageError(f"{text!r}: a Rerun viewer cannot listen on port 0. {_HOW}")
    return Target("rerun", host, port, None, rate_hz)


def _address(text: str, default: int, target_text: str) -> tuple[str, int]:
    """Parse host and port; a number is a port, other text without a colon is a host."""
    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = ("", text) if text.isdecimal() else (text, str(default))
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise UsageError(
            f"{target_text!r} is not a stream target. Put an IPv6 address in brackets, such as [::1]:{default}."
        )
    named = host.isascii() and all(mark.isalnum() or mark in "-._:%" for mark in host)
    if not (
        port.isascii() and port.isdecimal() and int(port) <= 65535 and named and (host or not colon)
    ):
        raise UsageError(
            f"{target_text!r} is not a stream target. {_HOW} A port is a number up to 65535."
        )
    return host or _LOOPBACK, int(port)
