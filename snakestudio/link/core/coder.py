"""Encoding and decoding of one message of one node, with counters and checksums."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from snakestudio.errors import FormulaError, ProfileError
from snakestudio.link.frame import Frame
from snakestudio.link.profile.binding import AxisQuantity, BoundMessage
from snakestudio.link.profile.bus_load import data_length
from snakestudio.link.profile.checksums import CHECKSUMS
from snakestudio.link.profile.field import Field, usable
from snakestudio.link.profile.schema import OUTGOING, Message, Profile, Quantity
from snakestudio.link.profile.units import RAW


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a frame."""

    quantity: Quantity
    axis: int
    """Index into the profile's axes; -1 for the whole node with all its axes."""

    node: int
    """Number of the node; -1 for the whole robot."""

    value: float
    """Value in SI (temperatures °C) on the joint side, without sign, offset and gear; the raw bits of
    status, errors, counters and checksums as an integer."""


@dataclass(frozen=True, slots=True)
class DecodedFrame:
    """Content of a frame of the profile."""

    message: Message
    node: int | None
    """Number of the node; None for a frame of all nodes, or of an unknown one."""

    values: tuple[Value, ...]
    """Values; empty if there is a problem, because such a frame cannot be trusted."""

    signals: dict[str, float]
    """Physical values by the signals' names."""

    problem: str = ""
    """What is wrong with the frame, as a clause; "" if nothing is."""

    unknown: tuple[Value, ...] = ()
    """Values that the frame reports as unknown: NaN, or infinite."""


class _Counters:
    """Counters of a message: the next one to send, and the last received one."""

    __slots__ = ("last", "next")

    def __init__(self) -> None:
        self.next = 0
        self.last: float | None = None


class Coder:
    """Encoder and decoder of one message of one node.

    Attributes
    ----------
    fd : bool
        Whether its frames are CAN FD frames.
    label : str
        Name for users: "JointFeedback of node 3".
    """

    __slots__ = (
        "_alternatives",
        "_base",
        "_checksum_bytes",
        "_counted",
        "_counters",
        "_initial",
        "_meanings",
        "_moves",
        "_outgoing",
        "_pages",
        "_places",
        "bound",
        "fd",
        "fields",
        "label",
    )

    def __init__(self, bound: BoundMessage, profile: Profile) -> None:
        self.bound = bound
        self.fields = usable(bound.fields)
        self.fd = profile.bus.fd and bound.length > 8
        whose = "" if bound.node is None else f" of node {bound.node}"
        self.label = f"{bound.message.called}{whose}"
        self._counted = tuple(c.field for c in bound.carried if c.quantity == "counter")
        self._counters = _Counters()
        kinds = {
            signal.signal: signal.checksum
            for signal in bound.message.signals
            if signal.quantity == "checksum"
        }
        self._checksum_bytes: tuple[tuple[str, int, Callable[[bytes], int]], ...] = tuple(
            (c.field.name, (c.field.bits.bit_length() - 1) // 8, CHECKSUMS[kinds[c.field.name]])
            for c in bound.carried
            if c.quantity == "checksum"
        )
        # All signals of a received frame as tuples: (name, big, shift, mask, sign bit, scale,
        # offset, field).
        self._moves = tuple(
            (
                f.name,
                f.big,
                f.shift,
                (1 << f.length) - 1,
                1 << (f.length - 1) if f.signed else 0,
                f.scale,
                f.offset,
                f if f.floating else None,
            )
            for f in self.fields
        )
        self._meanings = tuple(
            (
                c.field.name,
                c.quantity,
                c.axis,
                c.node,
                c.factor,
                c.offset,
                (1 << c.field.length) - 1 if c.quantity in RAW and not c.field.floating else 0,
            )
            for c in bound.carried
        )
        self._alternatives = tuple(field for field in self.fields if field.selectors)
        self._outgoing = bound.message.role in OUTGOING
        self._pages = itertools.cycle(bound.pages)
        self._initial = {field.name: field.initial for field in self.fields}
        # Default bits of a frame, and the position of each signal: computed once, because most
        # messages are sent often.
        self._base = (0, 0) if self._alternatives else self._bits(self._initial | dict(bound.fixed))
        self._places = {
            field.name: (field, ~(((1 << field.length) - 1) << field.shift))
            for field in self.fields
        }

    def frame(self, raws: Mapping[str, float]) -> Frame:
        """Return the frame with these raw values, the fixed ones, and correct counter and checksums.

        In frames from the robot, pages that are not selected alternate.

        Raises `ProfileError` if a frame to the robot is on another page than a bound, fixed or given
        signal, because the robot would read other signals.
        """
        bound = self.bound
        if bound.message.remote:
            return Frame(bound.id, extended=bound.extended, remote=True, length=bound.length)
        values = dict(raws)
        for field in self._counted:
            values[field.name] = int(field.low) + self._counters.next % (
                int(field.high - field.low) + 1
            )
        little, big = self._paged(raws, values) if self._alternatives else self._base
        self._counters.next += 1
        if not self._alternatives:
            for name, raw in values.items():
                entry = self._places.get(name)
                if entry is not None:
                    field, others = entry
                    if field.big:
                        big = big & others | field.pattern(raw)
                    else:
                        little = little & others | field.pattern(raw)
        n = bound.length
        data = bytearray(
            (little | int.from_bytes(big.to_bytes(n, "big"), "little")).to_bytes(n, "little")
        )
        for _, at, checksum in self._checksum_bytes:
            data[at] = checksum(bytes(data[:at] + data[at + 1 :]))
        data.extend(bytes(data_length(n, self.fd) - n))
        return Frame(bound.id, bytes(data), bound.extended, fd=self.fd)

    def _paged(self, raws: Mapping[str, float], values: Mapping[str, float]) -> tuple[int, int]:
        """Return the bits of a frame of a message with pages, as little- and big-endian integers."""
        bound = self.bound
        if self._outgoing and (absent := bound.absent(raws)):
            raise ProfileError(
                f"{self.label} was not sent because {absent[0].name} is not on the selected page. Set its multiplexer"
                " to a fixed value in the profile."
            )
        page = {} if self._outgoing else dict(next(self._pages))
        return self._bits(self._initial | page | dict(bound.fixed) | dict(values))

    def _bits(self, values: Mapping[str, float]) -> tuple[int, int]:
        little = big = 0
        for field in self.fields:
            if not field.selectors or field.is_present(values):
                if field.big:
                    big |= field.pattern(values[field.name])
                else:
                    little |= field.pattern(values[field.name])
        return little, big

    def decoded(self, data: bytes, little: int, big: int) -> DecodedFrame:
        """Decode a frame of this message."""
        raws: dict[str, float] = {}
        signals: dict[str, float] = {}
        for name, is_big, shift, mask, sign, scale, offset, special in self._moves:
            raw: float
            if special is None:
                bits = ((big if is_big else little) >> shift) & mask
                raw = bits - mask - 1 if bits & sign else bits
            else:
                raw = special.raw(little, big)
            raws[name] = raw
            signals[name] = raw * scale + offset
        for field in self._alternatives:
            if not field.is_present(raws):
                del signals[field.name]
        bound = self.bound
        problem = self._problem(data, raws)
        if problem:
            return DecodedFrame(bound.message, bound.node, (), signals, problem)
        values = []
        unknown = []
        for name, quantity, axis, node, factor, offset, mask in self._meanings:
            if name not in signals:
                continue
            value = float(int(raws[name]) & mask) if mask else factor * signals[name] + offset
            decoded_value = Value(quantity, axis, node, value)
            if value - value != 0.0:  # infinite, or not a number
                unknown.append(decoded_value)
                problem = problem or f"{name} in {self.label} is not a number"
            values.append(decoded_value)
        if unknown:
            return DecodedFrame(bound.message, bound.node, (), signals, problem, tuple(unknown))
        return DecodedFrame(bound.message, bound.node, tuple(values), signals)

    def _problem(self, data: bytes, raws: Mapping[str, float]) -> str:
        for name, at, checksum in self._checksum_bytes:
            expected = checksum(data[:at] + data[at + 1 :])
            if data[at] != expected:
                return f"the checksum {name} of {self.label} is 0x{data[at]:02X} instead of 0x{expected:02X}"
        for field in self._counted:
            if field.selectors and not field.is_present(raws):
                continue
            last = self._counters.last
            self._counters.last = raws.get(field.name)
            if last is not None and last == self._counters.last:
                return f"the counter {field.name} of {self.label} does not change from {last:g}"
        return ""

    def from_values(self, values: Mapping[tuple[Quantity, int], float]) -> dict[str, float]:
        """Return the raw values of values by quantity and axis, SI.

        Raises `ValueError` if a value is not a number.
        """
        raws: dict[str, float] = {}
        for carried in self.bound.carried:
            value = values.get((carried.quantity, carried.axis))
            if value is None:
                value = values.get((carried.quantity, -1))
            if value is not None and carried.quantity not in ("counter", "checksum"):
                raws[carried.field.name] = _raw(carried, value)
        return raws

    def from_signals(self, signals: Mapping[str, float | str], node: int) -> dict[str, float]:
        """Return the raw values of signals by name, given as physical values, names of values, or formulas in `node`.

        Raises `ProfileError` if the message has no such signal, or the value is out of range.
        """
        raws = {}
        for name, value in signals.items():
            field = self.bound.fields.get(name)
            if field is None:
                raise ProfileError(
                    f'{self.bound.message.called} has no signal "{name}". Name one of its signals.'
                )
            try:
                raws[name] = field.reading(value, node)
            except FormulaError as error:
                raise ProfileError(f"{name} = {value}: {error}") from None
        return raws


def _raw(carried: AxisQuantity, value: float) -> float:
    field = carried.field
    if value != value:
        raise ValueError(f"{field.name} cannot be sent because its value is not a number.")
    if carried.quantity in RAW and not field.floating:
        bits = int(value) & ((1 << field.length) - 1)
        return bits - (1 << field.length) if field.signed and bits >> (field.length - 1) else bits
    return field.nearest((value - carried.offset) / carried.factor)


def signals_text(fields: tuple[Field, ...], data: bytes) -> str:
    """Return the signals of a frame as text: "Yaw 12.5 deg, State Armed"."""
    little = int.from_bytes(data, "little")
    big = int.from_bytes(data, "big")
    raws = {field.name: field.raw(little, big) for field in fields}
    parts = []
    for field in fields:
        if field.is_present(raws):
            names = {code: name for name, code in field.choices.items()}
            code_name = (
                names.get(int(raws[field.name]))
                if names and math.isfinite(raws[field.name])
                else None
            )
            unit = f" {field.unit}" if field.unit else ""
            parts.append(
                f"{field.name} {code_name or f'{field.physical(raws[field.name]):.6g}{unit}'}"
            )
    return ", ".join(parts)
