"""A CAN frame, independent of the adapter."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame on the bus."""

    id: int
    """Arbitration id, 11 or 29 bits."""

    data: bytes = b""
    """Up to 8 bytes, 64 with CAN FD; empty for a remote frame."""

    extended: bool = False
    """Whether the id has 29 bits."""

    remote: bool = False
    """Whether it is a remote frame, which requests data."""

    fd: bool = False
    """Whether it is a CAN FD frame."""

    error: bool = False
    """Whether it is an error that the adapter reports, not a message."""

    time: float = 0.0
    """Time at which it was received or sent to the adapter, s on the machine's monotonic clock; 0 if
    not yet."""

    length: int = 0
    """Data length that a remote frame requests."""
