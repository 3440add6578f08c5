"""A CAN frame as the link sees it, whatever adapter it came through."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame on the bus."""

    id: int
    """Arbitration id, 11 or 29 bits."""

    data: bytes = b""
    """Up to 8 bytes, 64 with CAN FD; empty of a remote frame."""

    extended: bool = False
    """Whether the id has 29 bits."""

    remote: bool = False
    """Whether it asks for data instead of carrying some."""

    fd: bool = False
    """Whether it is a CAN FD frame."""

    error: bool = False
    """Whether it is no message but an error that the adapter reports."""

    time: float = 0.0
    """When it was received or handed to the adapter, s on the machine's monotonic clock; 0 if not
    yet."""

    length: int = 0
    """Data length that a remote frame asks for."""
