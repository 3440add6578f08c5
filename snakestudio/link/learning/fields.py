"""A run of bits in a frame, read as a number in one of the common encodings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio.link.learning.streams import Stream
from snakestudio.link.profile.layout import bit_places


@dataclass(frozen=True, slots=True)
class BitField:
    """Position and encoding of a number."""

    first: int
    """First bit in the order of transmission: little-endian, the least significant bit as
    ``8 byte + bit`` with bit 0 the least significant bit of its byte; big-endian, the most
    significant bit as ``8 byte + bit`` with bit 0 the most significant bit of its byte."""

    width: int
    """bit"""

    big_endian: bool = False
    signed: bool = False
    is_float: bool = False

    @property
    def dbc_start(self) -> int:
        """Start bit of the DBC: the least significant bit, or (big-endian) the most significant one."""
        if not self.big_endian:
            return self.first
        return self.first // 8 * 8 + 7 - self.first % 8

    @property
    def places(self) -> tuple[int, ...]:
        """Bits from the least to the most significant, as ``8 byte + bit`` with bit 0 the least significant one."""
        return bit_places(self.dbc_start, self.width, self.big_endian)

    def text(self) -> str:
        """Return a description: "16 bit from byte 2, little-endian, signed"."""
        byte, bit = divmod(self.first, 8)
        where = f"byte {byte}" + (f" bit {bit if not self.big_endian else 7 - bit}" if bit else "")
        order = "" if self.width <= 8 else ", big-endian" if self.big_endian else ", little-endian"
        kind = "float" if self.is_float else "signed" if self.signed else "unsigned"
        return f"{self.width} bit from {where}{order}, {kind}"


def read_field(stream: Stream, field: BitField) -> NDArray[np.float64]:
    """Return the number in each frame, (n,); NaN for floats that are not numbers.

    Raises `ValueError` if the field does not fit into the stream's frames.
    """
    if field.first < 0 or field.first + field.width > 8 * stream.length:
        raise ValueError(f"{field.text()} does not fit into {stream.length} bytes")
    if field.is_float:
        kind = ">f4" if field.big_endian else "<f4"
        at = field.first // 8
        with np.errstate(invalid="ignore"):  # bits that are not a number
            raw = (
                np.ascontiguousarray(stream.data[:, at : at + 4])
                .view(kind)[:, 0]
                .astype(np.float64)
            )
        return np.where(np.isfinite(raw), raw, np.nan)
    weights = 2.0 ** np.arange(field.width)
    values: NDArray[np.float64] = stream.bits[:, list(field.places)].astype(np.float64) @ weights
    if field.signed:
        values = np.where(values >= 2.0 ** (field.width - 1), values - 2.0**field.width, values)
    return values
