"""A signal as bits of a frame: where they stand, what they are worth, and when they are there at all.

cantools reads the DBC; the bits themselves are moved here, on whole numbers made of the frame's
bytes once. That way one place serves all encodings, cannot fail on any bytes, and tells messages
apart by single signals before they are decoded. cantools' own coder is the second opinion of the
tests.
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
    """`name` and `unit`: as in the DBC."""

    length: int
    """Bits."""

    shift: int
    """Bits below its lowest, in the number that the frame's bytes make in its byte order."""

    big: bool
    """Whether its byte order is Motorola's (most significant byte first)."""

    signed: bool
    floating: bool
    """`signed` and `floating`: two's complement; IEEE 754."""

    scale: float
    offset: float
    """`scale` and `offset`: physical value is ``scale * raw + offset``."""

    low: float
    high: float
    """`low` and `high`: least and largest raw value."""

    choices: Mapping[str, int]
    """Raw values that the DBC gives names to."""

    selectors: tuple[tuple[str, frozenset[int]], ...]
    """It is only there where these multiplexer signals have one of these raw values each."""

    initial: float
    """Raw value where nobody says another: the DBC's start value, else what is nearest to a
    physical value of 0."""

    bits: int
    """The bits it takes, in the number that the frame's bytes make least significant byte first."""

    def raw(self, little: int, big: int) -> float:
        """Raw value in a frame, whose bytes are given as two numbers: least and most significant byte first."""
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
        """The bits of a raw value, shifted to where they stand."""
        if self.floating:
            bits = int.from_bytes(struct.pack(_FLOATS[self.length][0], raw), "little")
        else:
            bits = int(raw) & ((1 << self.length) - 1)
        return bits << self.shift

    def physical(self, raw: float) -> float:
        """Physical value of a raw one."""
        return raw * self.scale + self.offset

    def nearest(self, physical: float) -> float:
        """Raw value nearest to a physical one, within what the signal can hold.

        Raises `ValueError` if it is not a number.
        """
        raw = (physical - self.offset) / self.scale
        if raw != raw:
            raise ValueError(f"{self.name} cannot be sent: its value is not a number")
        raw = min(max(raw, self.low), self.high)
        return raw if self.floating else round(raw)

    def reading(self, given: float | str, node: int) -> float:
        """Raw value of a fixed one: a physical value, the name of a value, or a formula in `node`.

        Raises `FormulaError` if the text is neither, or the value is beyond what the signal can
        hold.
        """
        if isinstance(given, str):
            if given in self.choices:
                return self.choices[given]
            try:
                physical: float = read_formula(given)(node)
            except FormulaError as error:
                if not self.choices:
                    raise
                names = ", ".join(list(self.choices)[:12])
                raise FormulaError(
                    f"it is no value of {self.name} and no formula", f"give one of {names}"
                ) from error
        else:
            physical = given
        if not math.isfinite(physical):
            raise FormulaError("it is not a finite number", "give a number")
        raw = (physical - self.offset) / self.scale
        # Half a step beyond the ends still rounds to them.
        if not self.low - 0.5 <= raw <= self.high + 0.5:
            least, most = sorted((self.physical(self.low), self.physical(self.high)))
            raise FormulaError(
                f"{physical:g} is beyond what {self.name} can hold",
                f"give a value from {least:g} to {most:g}",
            )
        return self.nearest(physical)

    def there(self, raws: Mapping[str, float]) -> bool:
        """Whether it is in a frame whose multiplexer signals have these raw values."""
        return all(raws.get(name) in values for name, values in self.selectors)


def network_start(signal: DbcSignal) -> int:
    """Number of a big-endian signal's first bit, counted from the frame's first as they go over the bus."""
    return 8 * (signal.start // 8) + 7 - signal.start % 8


def fields_of(message: DbcMessage) -> dict[str, Field]:
    """The signals of a DBC message that fit into it, by name."""
    made = (_field(signal, message.length) for signal in message.signals)
    fields = {field.name: field for field in made if field is not None}
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
        # said by the checks; nothing can be made of it
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
            ):  # the DBC's range in whole steps, forgiving the rounding of the division
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
    """Least and largest raw value of so many bits."""
    if floating:
        return -_FLOATS[length][1], _FLOATS[length][1]
    return (-(1 << (length - 1)), (1 << (length - 1)) - 1) if signed else (0, (1 << length) - 1)


def _bits(first: int, length: int, big: bool) -> int:
    if not big:
        return ((1 << length) - 1) << first
    return sum(1 << (8 * (bit // 8) + 7 - bit % 8) for bit in range(first, first + length))


def _selectors(message: DbcMessage, name: str) -> tuple[tuple[str, frozenset[int]], ...]:
    by_name = {signal.name: signal for signal in message.signals}
    found: list[tuple[str, frozenset[int]]] = []
    signal = by_name[name]
    while (
        signal.multiplexer_ids
        and signal.multiplexer_signal in by_name
        and len(found) < len(by_name)
    ):
        found.append((signal.multiplexer_signal, frozenset(signal.multiplexer_ids)))
        signal = by_name[signal.multiplexer_signal]
    return tuple(found)


def together(a: Field, b: Field) -> bool:
    """Whether two signals can be in one frame: no multiplexer signal asks for one of them only."""
    conditions = dict(a.selectors)
    return all(
        not (name in conditions and conditions[name].isdisjoint(values))
        for name, values in b.selectors
    )


def with_encoding(field: Field, signals: Iterable[Signal]) -> Field:
    """The field with what the profile says about its encoding in place of the DBC's scale."""
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
    """Those whose scale says something."""
    return tuple(field for field in fields.values() if not math.isnan(field.scale))
