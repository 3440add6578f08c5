"""Frames of each node with the quantities they carry: the profile resolved against its DBC, for checks and codec."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cantools.database.can.message import Message as DbcMessage

from snakestudio.errors import FormulaError, Problem
from snakestudio.link.profile.field import Field, can_share_frame, fields_of, with_encoding
from snakestudio.link.profile.formula import read_formula
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import INCOMING, Message, Profile, Quantity, Signal
from snakestudio.link.profile.units import RAW, ambiguous_unit, known_units, to_si

_DIRECTED = ("angle", "rate", "torque", "current")
"""Quantities that belong to one axis, because they have its direction."""


@dataclass(frozen=True, slots=True)
class AxisQuantity:
    """A quantity of one axis in a signal of a frame: ``factor * physical + offset``, SI, on the joint side."""

    field: Field
    quantity: Quantity
    axis: int
    """Index into the profile's axes; -1 for the whole node."""

    node: int
    """Number of the node; -1 for the whole robot."""

    factor: float
    offset: float


@dataclass(frozen=True, slots=True)
class BoundMessage:
    """A message of the profile for one node, or for all of them in one frame."""

    index: int
    """Index of the message in the profile."""

    message: Message
    node: int | None
    """Number of the node; None if one frame serves all nodes."""

    id: int
    extended: bool
    length: int
    """Bytes."""

    fields: Mapping[str, Field]
    fixed: Mapping[str, float]
    """Raw values."""

    carried: tuple[AxisQuantity, ...]

    def selecting(self, raws: Mapping[str, float]) -> dict[str, float]:
        """Return the raw values of the multiplexers of a frame with these raw values.

        A frame to the robot has all of them: given, else fixed, else initial. In frames from the
        robot a multiplexer without a value is free: its pages alternate.
        """
        named = dict(self.fixed) | dict(raws)
        if self.message.role in INCOMING:
            return named
        return {name: field.initial for name, field in self.fields.items()} | named

    def absent(self, raws: Mapping[str, float]) -> list[Field]:
        """Return the bound, fixed or given signals that are not on the page with these raw values."""
        relevant = {carried.field.name for carried in self.carried} | set(self.fixed) | set(raws)
        values = self.selecting(raws)
        return [
            field
            for name, field in self.fields.items()
            if name in relevant
            and any(by in values and values[by] not in codes for by, codes in field.selectors)
        ]

    @property
    def pages(self) -> tuple[Mapping[str, int], ...]:
        """Values of the free multiplexers for each page that bound signals need; one empty page if none is free."""
        free = [
            {name: min(codes) for name, codes in carried.field.selectors if name not in self.fixed}
            for carried in self.carried
        ]
        pages: list[Mapping[str, int]] = []
        for page in free:
            if page and page not in pages:
                pages.append(page)
        return tuple(pages) or ({},)


@dataclass(frozen=True, slots=True)
class Layout:
    """All frames of a profile, and the problems that prevent some from being resolved."""

    bound: tuple[BoundMessage, ...]
    problems: tuple[Problem, ...]
    """Errors only."""


def resolve(loaded: LoadedProfile) -> Layout:
    """Resolve the messages of a profile against its DBC."""
    messages = {message.name: message for message in loaded.database.messages}
    bound: list[BoundMessage] = []
    problems: list[Problem] = []
    for index, message in enumerate(loaded.profile.messages):
        key = f"messages[{index + 1}]"
        dbc = messages.get(message.message)
        if dbc is None:
            remedy = _meant(message.message, messages, f"use a message of {loaded.profile.dbc}")
            problems.append(
                Problem(
                    "error",
                    f"{key}.message",
                    f'"{message.message}" is not in {loaded.profile.dbc}',
                    remedy,
                )
            )
            continue
        new_bound, new_problems = _bind(loaded.profile, index, message, dbc, key)
        bound += new_bound
        problems += new_problems
    return Layout(tuple(bound), tuple(problems))


def frame_id(formula: str, node: int, extended: bool) -> int:
    """Return the id that a formula gives for a node.

    Raises `FormulaError` if it cannot be evaluated, or the id is too large.
    """
    number = read_formula(formula)(node)
    _within(number, node, extended)
    return number


def _within(number: int, node: int, extended: bool) -> None:
    bits = 29 if extended else 11
    if not 0 <= number < 1 << bits:
        text = f"0x{number:X}" if number >= 0 else str(number)
        remedy = (
            "correct the formula"
            if extended
            else "correct the formula, or set extended = true for 29-bit ids"
        )
        raise FormulaError(f"the id is {text} for node {node}, beyond {bits} bits", remedy)


def _bind(
    profile: Profile, index: int, message: Message, dbc: DbcMessage, key: str
) -> tuple[list[BoundMessage], list[Problem]]:
    problems: list[Problem] = []
    fields = {name: with_encoding(field, message.signals) for name, field in fields_of(dbc).items()}
    for at, signal in enumerate(message.signals):
        problems += _signal_problems(profile, signal, dbc, fields, f"{key}.signals[{at + 1}]")
    for name in message.fixed:
        if name not in fields:
            problems.append(_unknown_signal(f"{key}.fixed.{name}", name, dbc, fields))
    if problems:
        return [], problems
    extended = dbc.is_extended_frame if message.extended is None else message.extended
    bound = []
    for node in profile.nodes if message.each == "node" else (None,):
        number = profile.nodes[0] if node is None else node
        try:
            if message.id:
                identifier = frame_id(message.id, number, extended)
            else:
                identifier = dbc.frame_id
                _within(identifier, number, extended)
        except FormulaError as error:
            return [], [
                Problem("error", f"{key}.id", f'"{message.id}": {error.message}', error.remedy)
            ]
        fixed = {}
        for name, value in message.fixed.items():
            try:
                fixed[name] = fields[name].reading(value, number)
            except FormulaError as error:
                text = f'"{value}"' if isinstance(value, str) else f"{value:g}"
                return [], [
                    Problem(
                        "error", f"{key}.fixed.{name}", f"{text}: {error.message}", error.remedy
                    )
                ]
        carried, problem = _carried(profile, message, node, fields, key)
        if problem is not None:
            return [], [problem]
        bound.append(
            BoundMessage(
                index, message, node, identifier, extended, dbc.length, fields, fixed, carried
            )
        )
    for at, signal in enumerate(message.signals):
        if not any(
            carried.field.name == signal.signal for each in bound for carried in each.carried
        ):
            owner = "the robot" if message.each == "once" else "no node"
            has = "has no axis" if message.each == "once" else "has an axis"
            slot = f"{key}.signals[{at + 1}].slot"
            problems.append(
                Problem(
                    "error",
                    slot,
                    f"{owner} {has} in slot {signal.slot}",
                    "correct the slot, or the slots of the axes",
                )
            )
    return bound, problems


def _signal_problems(
    profile: Profile, signal: Signal, dbc: DbcMessage, fields: Mapping[str, Field], key: str
) -> list[Problem]:
    field = fields.get(signal.signal)
    if field is None:
        return [_unknown_signal(f"{key}.signal", signal.signal, dbc, fields)]
    if signal.encoding == "float32" and field.length != 32:
        what = f"{signal.signal} has {field.length} bits, but float32 needs 32"
        return [Problem("error", f"{key}.encoding", what, "correct the DBC, or remove encoding")]
    if signal.range is not None:
        if signal.encoding == "float32" or field.floating:
            what = f"{signal.signal} is a floating-point number, which has no range"
            return [Problem("error", f"{key}.range", what, "remove range")]
        if signal.range[0] == signal.range[1]:
            return [
                Problem(
                    "error",
                    f"{key}.range",
                    f"both ends are {signal.range[0]:g}",
                    "set it to the smallest and the largest value",
                )
            ]
    if math.isnan(field.scale):
        what = f"the scale of {signal.signal} in {profile.dbc} is 0 or not finite"
        return [
            Problem(
                "error", f"{key}.signal", what, "correct the DBC, or set the range of the signal"
            )
        ]
    if signal.factor is not None and signal.factor == 0.0:
        return [
            Problem(
                "error",
                f"{key}.factor",
                "must not be 0",
                "set it to the SI value of one unit of the signal",
            )
        ]
    if signal.quantity in RAW or signal.factor is not None:
        return []
    unit = field.unit if signal.unit is None else signal.unit
    if to_si(signal.quantity, unit) is None:
        return [_unit_problem(signal, unit, profile.dbc, f"{key}.unit")]
    return []


def _unit_problem(signal: Signal, unit: str, dbc: str, key: str) -> Problem:
    # An unknown unit is never guessed.
    units = ", ".join(known_units(signal.quantity))
    a = "an" if signal.quantity == "angle" else "a"
    where = f" in {dbc}" if signal.unit is None else ""
    if not unit.strip():
        what = f"{signal.signal} has no unit{where}"
        remedy = f"set unit to one of {units}, or set factor"
        return Problem("error", key, what, remedy)
    meanings = ambiguous_unit(signal.quantity, unit)
    if meanings is not None:
        what = f'"{unit}", the unit of {signal.signal}{where}, may mean degrees or gradians (0.9°)'
        return Problem("error", key, what, f"set unit to {meanings[0]} or {meanings[1]}")
    what = f'"{unit}", the unit of {signal.signal}{where}, is not a known unit of {a} {signal.quantity}'
    return Problem("error", key, what, f"set unit to one of {units}, or set factor")


def _unknown_signal(key: str, name: str, dbc: DbcMessage, fields: Mapping[str, Field]) -> Problem:
    if any(signal.name == name for signal in dbc.signals):
        what = f'"{name}" does not fit into the {dbc.length} bytes of {dbc.name}'
        return Problem("error", key, what, "correct its start, length or range in the DBC")
    return Problem(
        "error",
        key,
        f'"{name}" is not in {dbc.name}',
        _meant(name, fields, f"use a signal of {dbc.name}"),
    )


def _meant(name: str, names: Iterable[str], otherwise: str) -> str:
    by_small = {each.casefold(): each for each in names}
    close = difflib.get_close_matches(name.casefold(), list(by_small), n=1, cutoff=0.6)
    return f"did you mean {by_small[close[0]]}" if close else otherwise


def _carried(
    profile: Profile, message: Message, node: int | None, fields: Mapping[str, Field], key: str
) -> tuple[tuple[AxisQuantity, ...], Problem | None]:
    """Return the quantities in a frame's signals with their axes, and a problem if there is one."""
    own = [i for i, axis in enumerate(profile.axes) if node is None or axis.node == node]
    slots = {i if node is None else profile.axes[i].slot: i for i in own}
    carried: list[AxisQuantity] = []
    for at, signal in enumerate(message.signals):
        if signal.slot is not None:
            if signal.slot not in slots:
                continue  # nodes may have fewer axes
            axis = slots[signal.slot]
        else:
            axis = own[0] if len(own) == 1 else -1
        where = f"{key}.signals[{at + 1}].slot"
        if axis < 0 and signal.quantity in _DIRECTED:
            who = "the robot" if node is None else f"node {node}"
            what = (
                f"{signal.signal} carries one {signal.quantity}, but {who} drives {len(own)} axes"
            )
            return (), Problem("error", where, what, "set slot to its axis")
        if any(c.axis == axis and c.quantity == signal.quantity for c in carried):
            same = next(c for c in carried if c.axis == axis and c.quantity == signal.quantity)
            if can_share_frame(same.field, fields[signal.signal]):
                of = "the node" if axis < 0 else profile.axes[axis].name
                what = f"{same.field.name} and {signal.signal} both carry the {signal.quantity} of {of}"
                return (), Problem("error", where, what, "set different slots, or remove one")
        owner = profile.axes[axis].node if axis >= 0 else -1 if node is None else node
        factor, offset = _scale(profile, signal, fields[signal.signal], axis)
        carried.append(
            AxisQuantity(fields[signal.signal], signal.quantity, axis, owner, factor, offset)
        )
    return tuple(carried), None


def _scale(profile: Profile, signal: Signal, field: Field, axis: int) -> tuple[float, float]:
    """Return factor and offset from a signal's physical value to SI on the joint side."""
    if signal.quantity in RAW:
        return 1.0, 0.0
    unit = field.unit if signal.unit is None else signal.unit
    factor, offset = (
        (signal.factor, 0.0)
        if signal.factor is not None
        else to_si(signal.quantity, unit) or (1.0, 0.0)
    )
    if axis < 0:
        return factor, offset
    of = profile.axes[axis]
    # A node counts gear * (sign * angle + offset); the motor turns faster than the joint by the
    # gear ratio, with less torque.
    if signal.quantity == "angle":
        return of.sign * factor / of.gear, of.sign * (offset / of.gear - of.offset)
    if signal.quantity == "rate":
        return of.sign * factor / of.gear, of.sign * offset / of.gear
    if signal.quantity == "torque":
        return of.sign * factor * of.gear, of.sign * offset * of.gear
    if (
        signal.quantity == "current"
        and min(field.physical(field.low), field.physical(field.high)) < 0
    ):
        return of.sign * factor, of.sign * offset  # a magnitude has no direction
    return factor, offset
