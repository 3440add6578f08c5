"""The bits of each signal in the frames of a DBC, as plain data for drawings and tables."""

from __future__ import annotations

from dataclasses import dataclass

from cantools.database.can import Message as DbcMessage

from snakestudio.errors import FormulaError
from snakestudio.link.profile.formula import read_formula
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import Message, Profile


@dataclass(frozen=True, slots=True)
class SignalLayout:
    """A signal of the DBC."""

    name: str
    places: tuple[int, ...]
    """Its bits from the least to the most significant, each as ``8 byte + bit`` with bit 0 the
    least significant bit of its byte."""

    big_endian: bool
    signed: bool
    is_float: bool
    scale: float
    """Physical value per raw unit: physical value = ``scale * raw + offset``."""

    offset: float
    """Physical value of the raw value 0."""

    unit: str
    low: float | None
    """Minimum of the physical value in the DBC; None without a range."""

    high: float | None
    """Maximum of the physical value in the DBC; None without a range."""

    branch: tuple[int, ...]
    """Values of the multiplexer with which the signal is present; () if always."""

    selects: bool
    """Whether the signal is the multiplexer."""

    choices: tuple[tuple[int, str], ...]
    """Names of values."""

    comment: str

    def text(self) -> str:
        """Description: "16 bit, little-endian, signed, 0.01 deg"."""
        order = (
            ""
            if len(self.places) <= 8
            else "big-endian, "
            if self.big_endian
            else "little-endian, "
        )
        kind = "float" if self.is_float else "signed" if self.signed else "unsigned"
        shift = f" {self.offset:+g}" if self.offset else ""
        worth = (
            ""
            if (self.scale, self.offset, self.unit) == (1, 0, "")
            else f", ×{self.scale:g}{shift} {self.unit}"
        )
        return f"{len(self.places)} bit, {order}{kind}{worth.rstrip()}"


@dataclass(frozen=True, slots=True)
class MessageLayout:
    """A message of the DBC."""

    name: str
    id: int
    extended: bool
    length: int
    comment: str
    signals: tuple[SignalLayout, ...]

    def id_text(self) -> str:
        """Return the Id in hexadecimal, with 3 digits, or 8 if it is extended."""
        return f"0x{self.id:08X}" if self.extended else f"0x{self.id:03X}"


def bit_places(start: int, length: int, big_endian: bool) -> tuple[int, ...]:
    """Return the bits of a signal from the least to the most significant.

    Parameters
    ----------
    start : int
        Start bit of the DBC: the least significant bit, or (big-endian) the most significant one.

    Returns
    -------
    tuple of int
        ``8 byte + bit`` with bit 0 the least significant bit of its byte.
    """
    if not big_endian:
        return tuple(range(start, start + length))
    walked = 8 * (start // 8) + 7 - start % 8  # start in the order of transmission
    along = range(walked + length - 1, walked - 1, -1)
    return tuple(8 * (at // 8) + 7 - at % 8 for at in along)


def message_layouts(loaded: LoadedProfile) -> tuple[MessageLayout, ...]:
    """Return the messages of a profile's DBC, sorted by name."""
    layouts = [message_layout(message) for message in loaded.database.messages]
    return tuple(sorted(layouts, key=lambda layout: layout.name))


def message_layout(message: DbcMessage) -> MessageLayout:
    """Return a message of a DBC as plain data."""
    signals = []
    for signal in message.signals:
        big = signal.byte_order == "big_endian"
        signals.append(
            SignalLayout(
                signal.name,
                bit_places(signal.start, signal.length, big),
                big,
                signal.is_signed,
                signal.is_float,
                float(signal.scale),
                float(signal.offset),
                signal.unit or "",
                None if signal.minimum is None else float(signal.minimum),
                None if signal.maximum is None else float(signal.maximum),
                tuple(signal.multiplexer_ids or ()),
                signal.is_multiplexer,
                tuple((int(value), str(name)) for value, name in (signal.choices or {}).items()),
                signal.comment or "",
            )
        )
    return MessageLayout(
        message.name,
        message.frame_id,
        message.is_extended_frame,
        message.length,
        message.comment or "",
        tuple(signals),
    )


def ids_of(
    profile: Profile, message: Message, layout: MessageLayout | None
) -> tuple[tuple[int | None, int], ...]:
    """Return the ids of a message of the profile: for each node, or once for all (node None).

    Raises `FormulaError` if its formula is invalid, or gives no id for a node.
    """
    nodes: tuple[int | None, ...] = profile.nodes if message.each == "node" else (None,)
    if not message.id:
        return () if layout is None else tuple((node, layout.id) for node in nodes)
    formula = read_formula(message.id)
    if message.each == "once":
        if formula.uses_node:
            raise FormulaError(
                "a frame that is sent once for all has no node", "remove `node` from the formula"
            )
        return ((None, formula(0)),)
    return tuple((node, formula(node or 0)) for node in nodes)
