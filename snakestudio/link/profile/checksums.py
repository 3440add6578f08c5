"""Checksums of frames over all bytes except the checksum byte."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from types import MappingProxyType


def _table(polynomial: int) -> bytes:
    def remainder(byte: int) -> int:
        for _ in range(8):
            byte = (byte << 1) ^ polynomial if byte & 0x80 else byte << 1
        return byte & 0xFF

    return bytes(remainder(byte) for byte in range(256))


def _crc8(polynomial: int) -> Callable[[bytes], int]:
    """Return a CRC-8 with initial value and final XOR 0xFF, as in SAE J1850 and AUTOSAR."""
    table = _table(polynomial)

    def crc(data: bytes) -> int:
        value = 0xFF
        for byte in data:
            value = table[value ^ byte]
        return value ^ 0xFF

    return crc


def _xor8(data: bytes) -> int:
    return reduce(lambda value, byte: value ^ byte, data, 0)


def _sum8(data: bytes) -> int:
    return sum(data) & 0xFF


CHECKSUMS: Mapping[str, Callable[[bytes], int]] = MappingProxyType(
    {
        "xor8": _xor8,
        "sum8": _sum8,
        "crc8_j1850": _crc8(0x1D),  # SAE J1850; AUTOSAR's Crc_CalculateCRC8
        "crc8_autosar": _crc8(0x2F),  # AUTOSAR's Crc_CalculateCRC8H2F
    }
)
"""Functions by their names in the profile."""
