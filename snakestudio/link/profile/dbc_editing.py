"""Adding, changing and removing messages of a DBC, for robots that are documented without a DBC file."""

from __future__ import annotations

import copy
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import cantools
from cantools.database.can import Message as DbcMessage
from cantools.database.can import Signal as DbcSignal
from cantools.database.can.database import Database
from cantools.database.can.signal_group import SignalGroup
from cantools.database.conversion import BaseConversion
from cantools.database.namedsignalvalue import NamedSignalValue

from snakestudio.errors import ProfileError
from snakestudio.link.profile.layout import bit_places
from snakestudio.link.profile.loading import read_dbc
from snakestudio.link.profile.schema import Message, Profile, Step

_NAME = re.compile(r"[A-Za-z_]\w{0,127}\Z", re.ASCII)
# Numbers with more digits do not fit into 64 bits.
_CHOICE = re.compile(
    r"\s*(-?\d{1,30}|0[xX][0-9A-Fa-f]{1,30})\s*[=: ]\s*"
    r'(?:"([^"]*)"|([^,"\s](?:[^,"]*[^,"\s])?))\s*(?:,|\Z)',
    re.ASCII,
)
"""A value and its name, which is quoted if it has a comma."""
_WORDS = frozenset(
    {
        "BA_",
        "BA_DEF_",
        "BA_DEF_DEF_",
        "BA_DEF_DEF_REL_",
        "BA_DEF_REL_",
        "BA_DEF_SGTYPE_",
        "BA_REL_",
        "BA_SGTYPE_",
        "BO_",
        "BO_TX_BU_",
        "BS_",
        "BU_",
        "BU_BO_REL_",
        "BU_EV_REL_",
        "BU_SG_REL_",
        "CAT_",
        "CAT_DEF_",
        "CM_",
        "ENVVAR_DATA_",
        "EV_",
        "EV_DATA_",
        "FILTER",
        "NS_",
        "NS_DESC_",
        "SG_",
        "SG_MUL_VAL_",
        "SGTYPE_",
        "SGTYPE_VAL_",
        "SIG_GROUP_",
        "SIG_TYPE_REF_",
        "SIG_VALTYPE_",
        "SIGTYPE_VALTYPE_",
        "VAL_",
        "VAL_TABLE_",
        "VERSION",
        "VECTOR__INDEPENDENT_SIG_MSG",
    }
)
"""Keywords of the DBC format: parsers take them for the beginning of a statement anywhere."""


@dataclass(frozen=True, slots=True)
class SignalDraft:
    """A signal to write to the DBC."""

    name: str
    start: int
    """Start bit of the DBC: ``8 byte + bit`` of the least significant bit, or (big-endian) of the
    most significant one."""

    length: int
    """Bits."""

    big_endian: bool = False
    signed: bool = False
    is_float: bool = False
    scale: float = 1.0
    """Physical value per raw unit: physical value = ``scale * raw + offset``."""

    offset: float = 0.0
    """Physical value of the raw value 0."""

    unit: str = ""
    choices: tuple[tuple[int, str], ...] = ()
    """Names of values."""

    origin: str = ""
    """Previous name of the signal, "" for a new one: properties without a field here are kept."""


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """A message to write to the DBC; `length` in bytes."""

    name: str
    id: int
    extended: bool
    length: int
    signals: tuple[SignalDraft, ...]


def drafts_of(database: Database) -> tuple[MessageDraft, ...]:
    """Return the messages of a DBC as drafts."""
    return tuple(
        MessageDraft(
            message.name,
            message.frame_id,
            message.is_extended_frame,
            message.length,
            tuple(_draft(signal) for signal in message.signals),
        )
        for message in database.messages
    )


def _draft(signal: DbcSignal) -> SignalDraft:
    return SignalDraft(
        signal.name,
        signal.start,
        signal.length,
        signal.byte_order == "big_endian",
        signal.is_signed,
        signal.is_float,
        float(signal.scale),
        float(signal.offset),
        signal.unit or "",
        tuple((int(value), str(name)) for value, name in (signal.choices or {}).items()),
        signal.name,
    )


def choices_text(choices: Sequence[tuple[int, str]]) -> str:
    """Return the names of values as one line: 0 Stop, 1 Arm, 2 "Arm, then go"."""
    return ", ".join(
        f'{value} "{name}"' if _needs_quotes(name) else f"{value} {name}" for value, name in choices
    )


def _needs_quotes(name: str) -> bool:
    return not name or "," in name or name != name.strip()


def choices_of(text: str) -> tuple[tuple[int, str], ...]:
    """Return the names of values of a line: 0 Stop, 0x1=Arm, 2 "Arm, then go".

    Raises `ProfileError` if a part is not a number with a name.
    """
    choices = []
    rest = text
    while rest := rest.lstrip(", \t\r\n"):
        match = _CHOICE.match(rest)
        name = "" if match is None else match[3] or match[2]
        if match is None or not _may_be_quoted(name):
            part = rest.split(",", 1)[0].strip()
            raise ProfileError(
                f'"{part}" is not a value with a name. Write values like 0 Stop, 1 Arm.'
            )
        choices.append((int(match[1], 16 if match[1][:2] in ("0x", "0X") else 10), name))
        rest = rest[match.end() :]
    return tuple(choices)


def with_message(dbc_text: str, draft: MessageDraft, replaced: str = "") -> str:
    """Return the text of a DBC (may be empty) with a message added, or instead of the message `replaced`.

    Raises `ProfileError`: see `message_of`.
    """
    database = _database(dbc_text)
    dbc_message = _dbc_message(database, draft, replaced)
    names = [message.name for message in database.messages]
    others = [message for message in database.messages if message.name != replaced]
    index = names.index(replaced) if replaced in names else len(others)
    return _text(database, [*others[:index], dbc_message, *others[index:]])


def message_of(dbc_text: str, draft: MessageDraft, replaced: str = "") -> DbcMessage:
    """Return the message that `with_message` would write to a DBC.

    Signals may overlap here, because a DBC may describe the same bits in two ways. The checks
    report it if the profile binds such a message.

    Raises `ProfileError` with one line per problem: invalid names, numbers that do not fit, a
    missing multiplexer.
    """
    return _dbc_message(_database(dbc_text), draft, replaced)


def _database(dbc_text: str) -> Database:
    return read_dbc(dbc_text, "the DBC") if dbc_text.strip() else Database(version="")


def _dbc_message(database: Database, draft: MessageDraft, replaced: str) -> DbcMessage:
    before = next((message for message in database.messages if message.name == replaced), None)
    known = {} if before is None else {signal.name: signal for signal in before.signals}
    problems = _mistakes(draft, [message for message in database.messages if message is not before])
    problems += _without_multiplexer(draft, known)
    if problems:
        raise ProfileError("\n".join(problems))
    names = {signal.origin: signal.name for signal in draft.signals if signal.origin in known}
    signals = [_signal(signal, known.get(signal.origin)) for signal in draft.signals]
    for signal in signals:
        signal.multiplexer_signal = names.get(signal.multiplexer_signal or "")
    return DbcMessage(
        draft.id,
        draft.name,
        draft.length,
        signals,
        comment=None if before is None else before.comment,
        senders=[] if before is None else before.senders,
        send_type=None if before is None else before.send_type,
        cycle_time=None if before is None else before.cycle_time,
        dbc_specifics=None if before is None else before.dbc,
        is_extended_frame=draft.extended,
        is_fd=draft.length > 8,
        signal_groups=None if before is None else _groups(before, names),
        strict=False,
    )


def _groups(before: DbcMessage, names: Mapping[str, str]) -> list[SignalGroup]:
    """Return the groups of a message's signals with their new names."""
    return [
        SignalGroup(
            group.name,
            group.repetitions,
            [names[name] for name in group.signal_names if name in names],
        )
        for group in before.signal_groups or ()
    ]


def without_message(dbc_text: str, name: str) -> str:
    """Return the text of a DBC without a message."""
    database = read_dbc(dbc_text, "the DBC")
    return _text(database, [message for message in database.messages if message.name != name])


def renamed(profile: Profile, draft: MessageDraft, replaced: str) -> Profile:
    """Return the profile after a message or its signals were renamed."""
    names = {signal.origin: signal.name for signal in draft.signals if signal.origin}
    bound = [message for message in profile.messages if message.message == replaced]
    called = {message.called for message in bound}

    def keys(values: Mapping[str, float | str]) -> dict[str, float | str]:
        return {names.get(name, name): value for name, value in values.items()}

    def message_of(message: Message) -> Message:
        signals = [
            signal.model_copy(update={"signal": names.get(signal.signal, signal.signal)})
            for signal in message.signals
        ]
        # Sequences keep their name for the message.
        own = {"name": message.called} if draft.name != replaced else {}
        return message.model_copy(
            update={"message": draft.name, "signals": tuple(signals), "fixed": keys(message.fixed)}
            | own
        )

    def step_of(step: Step) -> Step:
        return (
            step.model_copy(update={"signals": keys(step.signals)}) if step.send in called else step
        )

    sequences = profile.sequences.model_copy(
        update={
            name: tuple(step_of(step) for step in getattr(profile.sequences, name))
            for name in type(profile.sequences).model_fields
        }
    )
    messages = tuple(
        message_of(message) if message in bound else message for message in profile.messages
    )
    return profile.model_copy(update={"messages": messages, "sequences": sequences})


def _text(database: Database, messages: Sequence[DbcMessage]) -> str:
    result = cantools.database.Database(
        messages=list(messages),
        nodes=database.nodes,
        version=database.version or "",
        dbc_specifics=database.dbc,
        strict=False,
    )
    return str(result.as_dbc_string())


def _signal(draft: SignalDraft, before: DbcSignal | None) -> DbcSignal:
    order: Literal["big_endian", "little_endian"] = (
        "big_endian" if draft.big_endian else "little_endian"
    )
    signal = (
        DbcSignal(draft.name, draft.start, draft.length) if before is None else copy.copy(before)
    )
    if before is not None and _draft(before) != draft:
        signal.minimum = signal.maximum = None  # the old range belongs to another encoding
    signal.name = draft.name
    signal.start = draft.start
    signal.length = draft.length
    signal.byte_order = order
    signal.is_signed = draft.signed or draft.is_float
    signal.unit = draft.unit or None
    names: OrderedDict[int, str | NamedSignalValue] = OrderedDict(draft.choices)
    signal.conversion = BaseConversion.factory(
        draft.scale, draft.offset, names or None, draft.is_float
    )
    return signal


def _mistakes(draft: MessageDraft, others: Sequence[DbcMessage]) -> list[str]:
    problems = _name_mistakes(draft.name, "message")
    most, bits = (0x1FFFFFFF, 29) if draft.extended else (0x7FF, 11)
    if not 0 <= draft.id <= most:
        problems.append(
            f"0x{draft.id:X} does not fit into {bits} bits. Use an id up to 0x{most:X}."
        )
    for other in others:
        if other.name == draft.name:
            problems.append(f"There is already a message {other.name}. Choose another name.")
        elif (other.frame_id, other.is_extended_frame) == (draft.id, draft.extended):
            problems.append(f"0x{draft.id:X} is the id of {other.name}. Choose another id.")
    for signal in draft.signals:
        problems += _signal_mistakes(signal, draft)
    names = [signal.name for signal in draft.signals]
    problems += [
        f"Two signals are called {name}. Rename one of them."
        for name in set(names)
        if names.count(name) > 1
    ]
    return problems


def _name_mistakes(name: str, what: str) -> list[str]:
    if not _NAME.match(name):
        return [
            f'"{name}" is not a valid name of a {what}. Begin with a letter, and use letters, digits and _.'
        ]
    return (
        [f"{name} is a keyword of the DBC format. Choose another name."] if name in _WORDS else []
    )


def _without_multiplexer(draft: MessageDraft, known: Mapping[str, DbcSignal]) -> list[str]:
    """Return the problems of signals whose multiplexer was removed."""
    origins = {signal.origin for signal in draft.signals}
    alone: dict[str, list[str]] = {}
    for signal in draft.signals:
        needed = known[signal.origin].multiplexer_signal if signal.origin in known else None
        if needed and needed not in origins:
            alone.setdefault(needed, []).append(signal.name)
    return [
        f"{', '.join(names)} depend{'s' if len(names) == 1 else ''} on {needed}, which was removed."
        f" Remove {'it' if len(names) == 1 else 'them'}, too."
        for needed, names in alone.items()
    ]


def _signal_mistakes(signal: SignalDraft, draft: MessageDraft) -> list[str]:
    problems = _name_mistakes(signal.name, "signal")
    if problems:
        return problems
    if signal.is_float and signal.length not in (32, 64):
        return [f"{signal.name} is a float of {signal.length} bits. Use 32 or 64 bits."]
    if not 1 <= signal.length <= 64:
        return [f"{signal.name} has {signal.length} bits. Use 1 to 64."]
    if signal.scale == 0.0:
        return [f"{signal.name} has the factor 0. Use another factor."]
    places = bit_places(signal.start, signal.length, signal.big_endian)
    if min(places) < 0 or max(places) >= 8 * draft.length:
        return [
            f"{signal.name} does not fit into {draft.length} bytes. Move or shorten it, or make the message longer."
        ]
    if not _may_be_quoted(signal.unit):
        return [
            f"The unit of {signal.name} contains a quotation mark, or ends with a backslash. Remove it."
        ]
    return []


def _may_be_quoted(text: str) -> bool:
    # A quotation mark would end the text early; a backslash would escape the mark at its end.
    return '"' not in text and not text.endswith("\\")
