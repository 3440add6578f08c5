"""A signal as bits of a frame: their position, their scale, and the multiplexer values with which they are present.

cantools reads the DBC; the bits are encoded and decoded here, with integers that are made once from
the frame's bytes. This handles all encodings in one place, cannot fail on any bytes, and
distinguishes messages by single signals before they are decoded. The tests compare it with the
coder of cantools.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from cantools.database.can.message import Message as DbcMessage
from cantools.database.can.signal import Signal as DbcSignal

from snakestudio.errors import FormulaError
from snakestudio.link.profile.formula import read_formula
from snakestudio.link.profile.schema import Signal

_FLOATS = {
    16: ("<e", 65504.0),
    32: ("<f", 3.4028234663852886e38),
    64: ("<d", 1.7976931348623157e308),
}


@dataclass(frozen=True, slots=True)
class Field:
    """One signal of a frame."""

    name: str
    unit: str
    """Name and unit of the DBC."""

    length: int
    """Bits."""

    shift: int
    """Number of bits below its lowest bit, in the frame's bytes as an integer of its byte order."""

    big: bool
    """Whether the byte order is Motorola (most significant byte first)."""

    signed: bool
    """Whether the raw value is a two's complement."""

    floating: bool
    """Whether the raw value is an IEEE 754 number."""

    scale: float
    """Physical value per raw unit: physical value = ``scale * raw + offset``."""

    offset: float
    """Physical value of the raw value 0."""

    low: float
    """Least raw value."""

    high: float
    """Largest raw value."""

    choices: Mapping[str, int]
    """Raw values by their names in the DBC."""

    selectors: tuple[tuple[str, frozenset[int]], ...]
    """The signal is present only if each of these multiplexer signals has one of its raw values."""

    initial: float
    """Default raw value: the DBC's start value, else the one nearest to a physical value of 0."""

    bits: int
    """Mask of its bits, in the frame's bytes as a little-endian integer."""

    def raw(self, little: int, big: int) -> float:
        """Return the raw value in a frame, whose bytes are given as little- and big-endian integers."""
        bits = ((big if self.big else little) >> self.shift) & ((1 << self.length) - 1)
        if self.floating:
            value: float = struct.unpack(
                _FLOATS[self.length][0], bits.to_bytes(self.length // 8, "little")
            )[0]
            return value
        if self.signed and bits >> (self.length - 1):
            return bits - (1 << self.length)
        return bits

    def pattern(self, raw: float) -> int:
        """Return the bits of a raw value, shifted to their position."""
        if self.floating:
            bits = int.from_bytes(struct.pack(_FLOATS[self.length][0], raw), "little")
        else:
            bits = int(raw) & ((1 << self.length) - 1)
        return bits << self.shift

    def physical(self, raw: float) -> float:
        """Return the physical value of a raw value."""
        return raw * self.scale + self.offset

    def nearest(self, physical: float) -> float:
        """Return the raw value nearest to a physical value, in the range of the signal.

        Raises `ValueError` if the value is NaN.
        """
        raw = (physical - self.offset) / self.scale
        if raw != raw:
            raise ValueError(f"{self.name} cannot be sent because its value is not a number.")
        raw = min(max(raw, self.low), self.high)
        return raw if self.floating else round(raw)

    def reading(self, value: float | str, node: int) -> float:
        """Return the raw value of a fixed value: physical, the name of a value, or a formula in `node`.

        Raises `FormulaError` if the text is neither, or the value is out of the signal's range.
        """
        if isinstance(value, str):
            if value in self.choices:
                return self.choices[value]
            try:
                physical: float = read_formula(value)(node)
            except FormulaError as error:
                if not self.choices:
                    raise
                names = ", ".join(list(self.choices)[:12])
                raise FormulaError(
                    f"not a value of {self.name} or a formula", f"use one of {names}"
                ) from error
        else:
            physical = value
        if not math.isfinite(physical):
            raise FormulaError("not a finite number", "enter a number")
        raw = (physical - self.offset) / self.scale
        # Values up to half a step beyond the ends are rounded to them.
        if not self.low - 0.5 <= raw <= self.high + 0.5:
            least, most = sorted((self.physical(self.low), self.physical(self.high)))
            raise FormulaError(
                f"{physical:g} is out of the range of {self.name}",
                f"set it to a value from {least:g} to {most:g}",
            )
        return self.nearest(physical)

    def is_present(self, raws: Mapping[str, float]) -> bool:
        """Return whether the signal is in a frame whose multiplexer signals have these raw values."""
        return all(raws.get(name) in values for name, values in self.selectors)


def network_start(signal: DbcSignal) -> int:
    """Return the number of a big-endian signal's first bit, in the order of bits on the bus."""
    return 8 * (signal.start // 8) + 7 - signal.start % 8


def fields_of(message: DbcMessage) -> dict[str, Field]:
    """Return the signals of a DBC message that fit into it, by name."""
    candidates = (_field(signal, message.length) for signal in message.signals)
    fields = {field.name: field for field in candidates if field is not None}
    return {
        name: replace(field, selectors=_selectors(message, name)) for name, field in fields.items()
    }


def _field(signal: DbcSignal, n_bytes: int) -> Field | None:
    big = signal.byte_order == "big_endian"
    length = signal.length
    floating = signal.conversion.is_float
    first = network_start(signal) if big else signal.start
    shift = 8 * n_bytes - first - length if big else first
    if (
        length < 1
        or first < 0
        or first + length > 8 * n_bytes
        or (floating and length not in _FLOATS)
    ):
        return None
    scale = float(signal.conversion.scale)
    offset = float(signal.conversion.offset)
    if scale == 0.0 or not math.isfinite(scale) or not math.isfinite(offset):
        # an invalid scale is reported by the checks
        scale = math.nan
        offset = 0.0
    low, high = raw_range(length, signal.is_signed, floating)
    if math.isfinite(scale):
        for bound in (signal.minimum, signal.maximum):
            if bound is not None and not math.isfinite(bound):
                return None
        ends = [
            None if end is None else (float(end) - offset) / scale
            for end in (signal.minimum, signal.maximum)
        ]
        if scale < 0:
            ends.reverse()
        inner = (
            low if ends[0] is None else max(low, ends[0]),
            high if ends[1] is None else min(high, ends[1]),
        )
        if inner[0] <= inner[1]:
            low, high = inner
            if (
                not floating
            ):  # the DBC's range in whole steps, with a tolerance for the rounding of the division
                low = math.ceil(low - 1e-6)
                high = math.floor(high + 1e-6)
    choices = {str(name): int(code) for code, name in (signal.conversion.choices or {}).items()}
    start = signal.raw_initial
    if start is None:
        start = 0.0 if math.isnan(scale) else -offset / scale
    initial = min(max(float(start), low), high)
    return Field(
        name=signal.name,
        unit=signal.unit or "",
        length=length,
        shift=shift,
        big=big,
        signed=signal.is_signed,
        floating=floating,
        scale=scale,
        offset=offset,
        low=low,
        high=high,
        choices=choices,
        selectors=(),
        initial=initial if floating else round(initial),
        bits=_bits(first, length, big),
    )


def raw_range(length: int, signed: bool, floating: bool) -> tuple[float, float]:
    """Return the least and largest raw value of a signal with this number of bits."""
    if floating:
        return -_FLOATS[length][1], _FLOATS[length][1]
    return (-(1 << (length - 1)), (1 << (length - 1)) - 1) if signed else (0, (1 << length) - 1)


def _bits(first: int, length: int, big: bool) -> int:
    if not big:
        return ((1 << length) - 1) << first
    return sum(1 << (8 * (bit // 8) + 7 - bit % 8) for bit in range(first, first + length))


def _selectors(message: DbcMessage, name: str) -> tuple[tuple[str, frozenset[int]], ...]:
    by_name = {signal.name: signal for signal in message.signals}
    selectors: list[tuple[str, frozenset[int]]] = []
    signal = by_name[name]
    while (
        signal.multiplexer_ids
        and signal.multiplexer_signal in by_name
        and len(selectors) < len(by_name)
    ):
        selectors.append((signal.multiplexer_signal, frozenset(signal.multiplexer_ids)))
        signal = by_name[signal.multiplexer_signal]
    return tuple(selectors)


def can_share_frame(a: Field, b: Field) -> bool:
    """Return whether two signals can be in one frame: no multiplexer value excludes one of them."""
    conditions = dict(a.selectors)
    return all(
        not (name in conditions and conditions[name].isdisjoint(values))
        for name, values in b.selectors
    )


def with_encoding(field: Field, signals: Iterable[Signal]) -> Field:
    """Return the field with the encoding or range of the profile instead of the DBC's scale."""
    for signal in signals:
        if signal.signal != field.name:
            continue
        if signal.encoding == "float32" and field.length == 32:
            low, high = raw_range(32, False, True)
            return replace(
                field,
                floating=True,
                signed=False,
                scale=1.0,
                offset=0.0,
                low=low,
                high=high,
                initial=0.0,
                choices={},
            )
        if signal.range is not None and not field.floating and signal.range[0] != signal.range[1]:
            low, high = raw_range(field.length, field.signed, False)
            scale = (signal.range[1] - signal.range[0]) / (high - low)
            offset = signal.range[0] - low * scale
            initial = round(min(max(-offset / scale, low), high))
            return replace(
                field, scale=scale, offset=offset, low=low, high=high, initial=initial, choices={}
            )
    return field


def usable(fields: Mapping[str, Field]) -> tuple[Field, ...]:
    """Return the fields with a finite scale other than 0."""
    return tuple(field for field in fields.values() if not math.isnan(field.scale))
