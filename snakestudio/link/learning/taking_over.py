"""Conversion of learned messages to messages of a DBC and axes of a profile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cantools.database import Database
from cantools.database import load_string as load_dbc
from cantools.database.can import Message as DbcMessage
from cantools.database.can import Signal as DbcSignal
from cantools.database.conversion import BaseConversion

from snakestudio.link.learning.fields import BitField
from snakestudio.link.learning.guards import Guard
from snakestudio.link.learning.proposal import FoundAngle, FoundMessage
from snakestudio.link.profile.schema import Axis, Message, Profile, Quantity, Signal
from snakestudio.model.robot.overrides import AXES


def empty_dbc() -> str:
    """Return the text of a DBC without messages."""
    return str(Database(version="").as_dbc_string())


def add_learned(
    profile: Profile | None,
    dbc_text: str,
    proposals: Sequence[FoundMessage],
    *,
    others: bool = True,
    name: str = "robot",
) -> tuple[Profile, str]:
    """Return a profile and the text of its DBC with the learned messages added.

    Bound messages of the same name and axes of the same joint are replaced; everything else stays.

    Raises `ValueError` if a new profile is requested and no angle was found, because a profile has
    at least one axis.

    Parameters
    ----------
    profile : Profile or None
        Profile to extend; None creates a new one.
    dbc_text : str
        DBC of that profile, or an empty one.
    proposals : sequence of FoundMessage
        Learned messages; those without a role are ignored.
    others : bool
        Whether nodes of a family whose joints were not moved become further joints, in the order of
        their numbers.
    name : str
        Name of a new profile.
    """
    chosen = [message for message in proposals if message.role]
    database = (
        load_dbc(dbc_text, database_format="dbc", strict=False) if dbc_text.strip() else Database()
    )
    if not isinstance(database, Database):
        raise ValueError("this is not a DBC")
    bound: list[Message] = []
    axes: list[Axis] = []
    names: dict[str, DbcMessage] = {}
    for message in chosen:
        base = "FEEDBACK" if message.role == "feedback" else "HEARTBEAT"
        called = f"{base}_{message.family.streams[0].id:X}"
        dbc_message, binding, rows = _bind(message, called, others)
        names[called] = dbc_message
        bound.append(binding)
        axes += rows
    text = _with_messages(database, names)
    if profile is None:
        if not axes:
            raise ValueError(
                "no angle was found yet, and a profile needs at least one axis; move a joint and search again"
            )
        return Profile(
            name=name, dbc=f"{name}.dbc", axes=tuple(_unique(axes)), messages=tuple(bound)
        ), text
    replaced = {binding.message for binding in bound}
    messages = (*(m for m in profile.messages if m.message not in replaced), *bound)
    new = _unique(axes)
    replaced_axes = {(axis.joint, axis.axis) for axis in new}
    remaining = [axis for axis in profile.axes if (axis.joint, axis.axis) not in replaced_axes]
    joined = sorted([*remaining, *new], key=_sort_key)
    return profile.model_copy(update={"messages": messages, "axes": tuple(joined)}), text


def _unique(axes: Sequence[Axis]) -> list[Axis]:
    by_joint: dict[tuple[int, str], Axis] = {}
    for axis in axes:
        by_joint.setdefault((axis.joint, axis.axis), axis)
    return sorted(by_joint.values(), key=_sort_key)


def _sort_key(axis: Axis) -> tuple[int, int]:
    """Return the sort key: joint, then axis in the order of rotation."""
    return axis.joint, AXES.index(axis.axis)


def _with_messages(database: Database, added: dict[str, DbcMessage]) -> str:
    remaining = [message for message in database.messages if message.name not in added]
    joined = Database(
        messages=[*remaining, *added.values()],
        nodes=database.nodes,
        version=database.version or "",
        dbc_specifics=database.dbc,
        strict=False,
    )
    return str(joined.as_dbc_string())


def _bind(
    proposal: FoundMessage, called: str, others: bool
) -> tuple[DbcMessage, Message, list[Axis]]:
    stream = proposal.family.streams[0]
    signals: list[DbcSignal] = []
    carried: list[Signal] = []
    counters = sum(guard.kind == "counter" for guard in proposal.guards)
    for number, guard in enumerate(proposal.guards, 1):
        quantity: Quantity = guard.kind
        label = guard.kind.capitalize() + (
            str(number) if counters > 1 and guard.kind == "counter" else ""
        )
        signals.append(_signal(label, guard.field, None, ""))
        carried.append(_carried(label, guard, quantity))
    slots = _slots(proposal.angles)
    axes: list[Axis] = []
    for slot, same in enumerate(slots):
        finding = same[0].finding
        unit, scale = _unit(finding.field, finding.nice_scale)
        label = "Angle" if len(slots) == 1 else f"Angle{slot + 1}"
        signals.append(_signal(label, finding.field, scale, unit))
        carried.append(Signal(signal=label, quantity="angle", slot=slot, unit=unit))
        axes += [_axis(angle, slot, unit, scale) for angle in same]
        if others:
            axes += _assumed_axes(proposal, same, slot)
    dbc_message = DbcMessage(
        stream.id,
        called,
        max(stream.length, 1),
        signals,
        is_extended_frame=stream.extended,
        cycle_time=round(1000 * proposal.family.period) if proposal.family.period > 0 else None,
        strict=False,
        comment=proposal.reason,
    )
    period = proposal.family.period
    binding = Message(
        role=proposal.role or "feedback",
        message=called,
        id=proposal.family.formula,
        each="node" if proposal.family.nodes else "once",
        every_s=round(period, 3) if math.isfinite(period) and period >= 0.001 else None,
        signals=tuple(carried),
    )
    return dbc_message, binding, axes


def _carried(label: str, guard: Guard, quantity: Quantity) -> Signal:
    values: dict[str, Any] = {"checksum": guard.algorithm} if guard.kind == "checksum" else {}
    return Signal(signal=label, quantity=quantity, **values)


def _slots(angles: Sequence[FoundAngle]) -> list[list[FoundAngle]]:
    """Return the angles of a message sorted by their bits, one slot each, without those that overlap better ones."""
    by_field: dict[BitField, list[FoundAngle]] = {}
    for angle in angles:
        by_field.setdefault(angle.finding.field, []).append(angle)
    best = sorted(by_field, key=lambda field: -max(a.finding.confidence for a in by_field[field]))
    fields: list[BitField] = []
    for field in best:
        if all(set(field.places).isdisjoint(other.places) for other in fields):
            fields.append(field)
    return [by_field[field] for field in sorted(fields, key=lambda field: field.first)]


def _unit(field: BitField, scale: float) -> tuple[str, float]:
    """Return unit and scale of the DBC signal: floats are in a unit already, counts are scaled to degrees."""
    if field.is_float:
        units = {"rad": 1.0, "deg": math.radians(1.0), "turn": 2 * math.pi}
        unit = min(units, key=lambda name: abs(math.log(units[name] / scale)))
        if abs(math.log(units[unit] / scale)) < 1e-9:
            return unit, 1.0
    return "deg", float(f"{math.degrees(scale):.9g}")


def _axis(angle: FoundAngle, slot: int, unit: str, scale: float) -> Axis:
    in_degrees = {"rad": math.degrees(1.0), "deg": 1.0, "turn": 360.0}[unit]
    sign: Any = 1 if angle.finding.correlation > 0 else -1
    offset = round(angle.finding.zero * scale * in_degrees, 3)
    return Axis(
        joint=angle.joint, axis=angle.axis, node=angle.node, slot=slot, sign=sign, offset_deg=offset
    )


def _assumed_axes(message: FoundMessage, known: Sequence[FoundAngle], slot: int) -> list[Axis]:
    """Return axes of the nodes that were not moved, numbered upward from the first node that was moved.

    Their directions are those of the moved joints, separately for odd and even numbers if these
    differ.
    """
    first = min(known, key=lambda angle: angle.node)
    moved = {angle.node for angle in known}
    nodes = message.family.nodes
    if first.node not in nodes:
        return []
    index = nodes.index(first.node)
    kinds = {angle.joint % 2: angle.axis for angle in reversed(known)}
    rows = []
    for i, node in enumerate(nodes):
        joint = first.joint + i - index
        if node not in moved and joint >= 1:
            rows.append(
                Axis(joint=joint, axis=kinds.get(joint % 2, first.axis), node=node, slot=slot)
            )
    return rows


def _signal(name: str, field: BitField, scale: float | None, unit: str) -> DbcSignal:
    return DbcSignal(
        name,
        field.dbc_start,
        field.width,
        "big_endian" if field.big_endian else "little_endian",
        field.signed,
        conversion=BaseConversion.factory(1 if scale is None else scale, 0, None, field.is_float),
        unit=unit or None,
    )
