"""Checks of a profile's frames: lengths, overlapping bits, shared ids, counters and checksums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cantools.database.can.message import Message as DbcMessage

from snakestudio.errors import Problem
from snakestudio.link.profile.binding import BoundMessage, Layout
from snakestudio.link.profile.bus_load import data_length
from snakestudio.link.profile.field import Field, can_share_frame, fields_of, raw_range
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import INCOMING, Message, Profile


def frame_problems(loaded: LoadedProfile, layout: Layout) -> Iterator[Problem]:
    """Return the problems of the messages and their ids."""
    messages = {message.name: message for message in loaded.database.messages}
    for index, message in enumerate(loaded.profile.messages):
        key = f"messages[{index + 1}]"
        dbc = messages.get(message.message)
        if dbc is not None:
            yield from _length(loaded.profile, dbc, key)
            yield from _bits(loaded.profile, dbc, key)
        yield from _ends(message, key)
        if message.remote and message.role != "request":
            yield Problem(
                "error",
                f"{key}.remote",
                f"a message with the role {message.role} cannot be a remote frame",
                "change its role to request, or set remote to false",
            )
    for bound in _first_of_each(layout):
        yield from _guards(bound, f"messages[{bound.index + 1}]")
        if (
            bound.message.role != "command"
        ):  # steps of sequences may set the multiplexer: see check_sequences
            yield from _pages(bound, f"messages[{bound.index + 1}]")
    yield from _meeting(loaded.profile, layout)


def _first_of_each(layout: Layout) -> list[BoundMessage]:
    return list({bound.index: bound for bound in reversed(layout.bound)}.values())


def _length(profile: Profile, dbc: DbcMessage, key: str) -> Iterator[Problem]:
    most = 64 if profile.bus.fd else 8
    if dbc.length > most:
        remedy = "set bus.fd = true, or split it" if dbc.length <= 64 else "split it"
        what = f"{dbc.name} has {dbc.length} bytes, but a frame of this bus has at most {most}"
        yield Problem("error", f"{key}.message", what, remedy)
    elif data_length(dbc.length, profile.bus.fd) != dbc.length:
        what = f"{dbc.name} has {dbc.length} bytes, which CAN FD pads to {data_length(dbc.length, True)}"
        yield Problem(
            "hint", f"{key}.message", what, "change the length in the DBC if the robot relies on it"
        )


def _bits(profile: Profile, dbc: DbcMessage, key: str) -> Iterator[Problem]:
    fields = list(fields_of(dbc).values())
    for at, field in enumerate(fields):
        for other in fields[:at]:
            if field.bits & other.bits and can_share_frame(field, other):
                what = f"{other.name} and {field.name} overlap in {dbc.name}"
                yield Problem(
                    "error",
                    f"{key}.message",
                    what,
                    f"correct their start bits or lengths in {profile.dbc}",
                )
    for signal in dbc.signals:
        own = next((field for field in fields if field.name == signal.name), None)
        if own is None or own.floating or own.scale != own.scale:
            continue
        low, high = raw_range(own.length, own.signed, own.floating)
        least, most = sorted((own.physical(low), own.physical(high)))
        step = abs(own.scale)
        for bound, beyond in ((signal.minimum, "below"), (signal.maximum, "above")):
            if bound is None:
                continue
            if (beyond == "below" and bound < least - step) or (
                beyond == "above" and bound > most + step
            ):
                what = f"the range of {signal.name} reaches {bound:g}, {beyond} the limit of its {own.length} bits"
                remedy = f"correct its range or length in {profile.dbc}; it can hold {least:g} to {most:g}"
                yield Problem("warning", f"{key}.message", what, remedy)


def _ends(message: Message, key: str) -> Iterator[Problem]:
    """Check that no signal carries a quantity that its message's role cannot have."""
    for at, signal in enumerate(message.signals):
        where = f"{key}.signals[{at + 1}]"
        if signal.signal in message.fixed and signal.quantity in ("counter", "checksum"):
            what = f"{signal.signal} is fixed, so it cannot be a {signal.quantity}"
            yield Problem("error", f"{where}.quantity", what, "remove it from fixed")
        if message.role not in INCOMING and signal.quantity in ("temperature", "voltage"):
            what = (
                f"{message.called} is sent to the robot, which does not receive a {signal.quantity}"
            )
            yield Problem(
                "warning",
                f"{where}.quantity",
                what,
                "remove it, or change the role of the message",
            )


def _guards(bound: BoundMessage, key: str) -> Iterator[Problem]:
    checksums = [carried.field for carried in bound.carried if carried.quantity == "checksum"]
    for at, signal in enumerate(bound.message.signals):
        field = bound.fields[signal.signal]
        where = f"{key}.signals[{at + 1}].quantity"
        if signal.quantity in ("status", "error") and field.floating:
            what = f"{field.name} is a floating-point number, which cannot be a {signal.quantity}"
            yield Problem("error", where, what, "bind an integer signal")
        if signal.quantity == "checksum" and (
            field.length != 8 or field.floating or not _is_a_byte(field)
        ):
            what = f"{field.name} is not a whole byte of {bound.message.message}"
            yield Problem("error", where, what, "move the checksum to a separate byte in the DBC")
        if signal.quantity == "counter" and (
            field.length < 2 or field.floating or field.high - field.low < 1
        ):
            what = f"{field.name} cannot be a counter because it has only {field.length} bit"
            yield Problem("error", where, what, "give the counter 2 bits or more")
    if len(checksums) > 1:
        what = (
            f"{checksums[0].name} and {checksums[1].name} are checksums that depend on each other"
        )
        yield Problem("error", f"{key}.signals", what, "bind only one checksum per message")


def _pages(bound: BoundMessage, key: str) -> Iterator[Problem]:
    """Check that signals are on the multiplexer page that the frames of this message have."""
    for field in bound.absent({}):
        at = next(
            (i for i, signal in enumerate(bound.message.signals) if signal.signal == field.name),
            None,
        )
        where = f"{key}.fixed.{field.name}" if at is None else f"{key}.signals[{at + 1}]"
        yield wrong_page(where, bound, field, {})


def wrong_page(key: str, bound: BoundMessage, field: Field, raws: Mapping[str, float]) -> Problem:
    """Return the problem of a signal that is absent from the frame with these raw values."""
    values = bound.selecting(raws)
    name, codes = next(
        each for each in field.selectors if each[0] in values and values[each[0]] not in each[1]
    )
    pages = " or ".join(_named(bound.fields[name], code) for code in sorted(codes)[:3])
    actual = _named(bound.fields[name], values[name])
    what = f"{field.name} is only in a {bound.message.message} whose {name} is {pages}, but this frame has {actual}"
    return Problem(
        "error", key, what, f"select its page ({name} = {pages}), or bind a signal of this one"
    )


def _named(field: Field, raw: float) -> str:
    return next(
        (f'"{name}"' for name, code in field.choices.items() if code == raw),
        f"{field.physical(raw):g}",
    )


def _is_a_byte(field: Field) -> bool:
    low = (field.bits & -field.bits).bit_length() - 1
    return low % 8 == 0 and field.bits == 0xFF << low


def _meeting(profile: Profile, layout: Layout) -> Iterator[Problem]:
    """Check that frames with the same id can be distinguished."""
    by_id: dict[tuple[int, bool, bool], list[BoundMessage]] = {}
    for bound in layout.bound:
        by_id.setdefault((bound.id, bound.extended, bound.message.remote), []).append(bound)
    seen_pairs: set[tuple[int, int]] = set()
    for (identifier, _, _), sharing in by_id.items():
        for at, bound in enumerate(sharing):
            for other in sharing[:at]:
                pair = other.index, bound.index
                if pair not in seen_pairs and not _apart(other, bound):
                    seen_pairs.add(pair)
                    yield _clash(identifier, other, bound)
    names: dict[str, int] = {}
    for index, message in enumerate(profile.messages):
        if message.role not in INCOMING and names.setdefault(message.called, index) != index:
            what = f"messages[{names[message.called] + 1}] is also called {message.called}"
            yield Problem(
                "error", f"messages[{index + 1}].name", what, "change the name of one of them"
            )


def _apart(a: BoundMessage, b: BoundMessage) -> bool:
    incoming = a.message.role in INCOMING
    if incoming != (b.message.role in INCOMING):
        return False
    if any(name in b.fixed and b.fixed[name] != raw for name, raw in a.fixed.items()):
        return True
    # Commands of sequences to one node may have different meanings in one frame.
    same = a.node == b.node and a.message.message == b.message.message
    return (
        not incoming
        and same
        and a.index != b.index
        and "command" in (a.message.role, b.message.role)
    )


def _clash(identifier: int, a: BoundMessage, b: BoundMessage) -> Problem:
    key = f"messages[{b.index + 1}].id"
    if a.index == b.index:
        what = f"nodes {a.node} and {b.node} have the same id 0x{identifier:X}"
        return Problem(
            "error", key, what, "use node in the formula, or distinguish them by a fixed signal"
        )
    if (a.message.role in INCOMING) != (b.message.role in INCOMING):
        what = f"0x{identifier:X} is sent by SnakeStudio ({_who(a, b, True)}) and by the robot ({_who(a, b, False)})"
        return Problem("error", key, what, "correct one of the formulas")
    what = f"{a.message.called} and {b.message.called} share the id 0x{identifier:X}"
    return Problem(
        "error", key, what, "correct one of the formulas, or distinguish them by a fixed signal"
    )


def _who(a: BoundMessage, b: BoundMessage, ours: bool) -> str:
    return next(
        each.message.called for each in (a, b) if (each.message.role not in INCOMING) == ours
    )
