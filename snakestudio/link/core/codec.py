"""Encoding and decoding of frames by profile and DBC, for the link, the window and the emulated robot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import FormulaError, ProfileError
from snakestudio.link.core.coder import Coder, DecodedFrame, signals_text
from snakestudio.link.frame import Frame
from snakestudio.link.profile.binding import frame_id, resolve
from snakestudio.link.profile.field import Field, fields_of, usable
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import INCOMING, OUTGOING, Message, Quantity, Step


class FrameContent(NamedTuple):
    """The message of a frame."""

    coder: Coder
    data: bytes | None = None
    """Bytes of the message; None if the frame is too short, or a remote frame."""

    little: int = 0
    """The bytes as a little-endian integer."""

    big: int = 0
    """The bytes as a big-endian integer."""


class _Alternatives:
    """Messages that share an id, distinguished by their fixed signals."""

    __slots__ = ("_by_raw", "_fields", "coders", "length")

    def __init__(self, fields: tuple[Field, ...], coders: list[Coder]) -> None:
        self._fields = fields
        self._by_raw = {tuple(c.bound.fixed[f.name] for f in fields): c for c in reversed(coders)}
        self.coders = coders
        self.length = coders[0].bound.length

    def find(self, little: int, big: int) -> Coder | None:
        return self._by_raw.get(tuple([field.raw(little, big) for field in self._fields]))


class FrameTable:
    """The messages of some roles, by id."""

    def __init__(self, coders: list[Coder]) -> None:
        grouped: dict[tuple[int, bool, bool], dict[tuple[int, tuple[str, ...]], list[Coder]]] = {}
        for coder in coders:
            bound = coder.bound
            key = bound.id, bound.extended, bound.message.remote
            fixed = () if bound.message.remote else tuple(sorted(bound.fixed))
            grouped.setdefault(key, {}).setdefault((bound.length, fixed), []).append(coder)
        self._by_id = {
            key: tuple(
                _Alternatives(tuple(same[0].bound.fields[name] for name in names), same)
                for (_, names), same in sorted(groups.items(), key=lambda item: -len(item[0][1]))
            )
            for key, groups in grouped.items()
        }

    def has(self, frame: Frame) -> bool:
        """Return whether any of these messages has the id of a frame."""
        return (frame.id, frame.extended, frame.remote) in self._by_id

    def find(self, frame: Frame) -> FrameContent | None:
        """Return the message of a frame; None if it is not in this table."""
        groups = self._by_id.get((frame.id, frame.extended, frame.remote))
        if groups is None or frame.error:
            return None
        if frame.remote:
            return FrameContent(groups[0].coders[0])
        short_coder: Coder | None = None
        for group in groups:
            if len(frame.data) < group.length:
                short_coder = short_coder or group.coders[0]
                continue
            data = frame.data[: group.length]  # padding of a longer frame is ignored
            little = int.from_bytes(data, "little")
            big = int.from_bytes(data, "big")
            coder = group.find(little, big)
            if coder is not None:
                return FrameContent(coder, data, little, big)
        return None if short_coder is None else FrameContent(short_coder)

    def decode(self, frame: Frame) -> DecodedFrame | None:
        """Decode a frame; None if its message is not in this table."""
        match = self.find(frame)
        if match is None:
            return None
        coder, data, little, big = match
        if data is not None:
            return coder.decoded(data, little, big)
        bound = coder.bound
        if frame.remote:
            return DecodedFrame(bound.message, bound.node, (), {})
        problem = f"{coder.label} has {len(frame.data)} bytes instead of {bound.length}"
        groups = self._by_id[frame.id, frame.extended, frame.remote]
        if len({each.bound.node for group in groups for each in group.coders}) > 1:
            return DecodedFrame(
                bound.message, None, (), {}, problem
            )  # the sender is in the missing bytes
        return DecodedFrame(bound.message, bound.node, (), {}, problem)


class Codec:
    """Encodes and decodes all frames of a profile.

    In messages that are sent once for all nodes, slots number all axes of the profile, from 0.

    Counters of messages are stored: each encoded frame increments its counter, and the second of two
    successive received frames with the same count has a problem. There is no other state.

    Raises `ProfileError` with all problems if a message or signal cannot be resolved.
    """

    def __init__(self, loaded: LoadedProfile) -> None:
        layout = resolve(loaded)
        if layout.problems:
            raise ProfileError.of(layout.problems, loaded.path or "")
        self.loaded = loaded
        self.profile = loaded.profile
        self.n_axes = len(loaded.profile.axes)
        self._coders: list[list[Coder]] = [[] for _ in loaded.profile.messages]
        for bound in layout.bound:
            self._coders[bound.index].append(Coder(bound, loaded.profile))
        self.pages = {bound.index: len(bound.pages) for bound in layout.bound}
        """Number of frames that a message of the robot needs for all its signals, by its index in the
        profile."""
        self._slots = {
            (axis.node, axis.slot): i for i, axis in reversed(list(enumerate(loaded.profile.axes)))
        }
        self._received_table = FrameTable(self._of_roles(INCOMING))
        self._sent_table = FrameTable(self._of_roles(OUTGOING))
        self._set_points = self._of_roles(("set_point",))
        self._syncs = self._of_roles(("sync",))
        self._targets = _Targets(self._set_points)
        self._others: dict[tuple[int, bool], tuple[str, int, tuple[Field, ...]]] = {
            (message.frame_id, message.is_extended_frame): (
                message.name,
                message.length,
                usable(fields_of(message)),
            )
            for message in reversed(loaded.database.messages)
        }

    def _of_roles(self, roles: tuple[str, ...]) -> list[Coder]:
        return [
            coder
            for coders in self._coders
            for coder in coders
            if coder.bound.message.role in roles
        ]

    def axis_of(self, node: int, slot: int) -> int | None:
        """Return the index of a node's axis in the profile; None if it has no such slot."""
        return self._slots.get((node, slot))

    def set_points(self, angle: FloatArray, rate: FloatArray | None = None) -> list[Frame]:
        """Return the frames with set-points of all joints, followed by sync frames.

        Raises `ValueError` if a value is not finite.

        Parameters
        ----------
        angle : (m,) array
            Joint angles, rad.
        rate : (m,) array, optional
            Joint rates, rad/s; 0 if omitted.
        """
        if not np.all(np.isfinite(angle)) or (rate is not None and not np.all(np.isfinite(rate))):
            raise ValueError("set-points must be finite")
        if rate is None:
            frames = self._with_references(self._set_points, angle, rate)
        else:
            raws = self._targets.raws(angle, rate)
            frames = [
                coder.frame(dict(each)) for coder, each in zip(self._set_points, raws, strict=True)
            ]
        frames += [sync.frame({}) for sync in self._syncs]
        return frames

    def _with_references(
        self, coders: list[Coder], angle: FloatArray, rate: FloatArray | None
    ) -> list[Frame]:
        values: dict[tuple[Quantity, int], float] = {
            ("angle", i): value for i, value in enumerate(angle.tolist())
        }
        if rate is not None:
            values |= {("rate", i): value for i, value in enumerate(rate.tolist())}
        return [coder.frame(coder.from_values(values)) for coder in coders]

    def frames(
        self,
        message: Message,
        signals: Mapping[str, float | str] | None = None,
        node: int | None = None,
    ) -> list[Frame]:
        """Return the frames of a command, request or heartbeat, to all nodes or to one.

        Raises `ProfileError` if a signal is not in the message, or its value is out of range.

        Parameters
        ----------
        message : Message
            Message of the profile.
        signals : mapping, optional
            Physical values by the signals' names in the DBC, names of values, or formulas in
            `node`.
        node : int, optional
            All nodes if omitted.
        """
        frames = []
        for coder in self._of(message):
            if node is not None and coder.bound.node not in (node, None):
                continue
            whose = next(
                n for n in (coder.bound.node, node, self.profile.nodes[0]) if n is not None
            )
            frames.append(coder.frame(coder.from_signals(signals or {}, whose)))
        return frames

    def step_frames(
        self, step: Step, node: int | None = None, angle: FloatArray | None = None
    ) -> list[Frame]:
        """Return the frames of a sequence's step; none if it waits or expects.

        Raises `ProfileError` if the profile has no such message, or the id or signals of the step
        are invalid.

        Parameters
        ----------
        node : int, optional
            All nodes if omitted.
        angle : (m,) array, optional
            Held joint angles, rad, for steps that send a set-point message. Without angles, or with
            an unknown one (NaN), such a step sends nothing.
        """
        if step.raw is not None:
            return list(self._raw_frames(step, node))
        if step.send is None:
            return []
        for message in self.profile.messages:
            if message.called != step.send or message.role in INCOMING:
                continue
            if message.role != "set_point":
                return self.frames(message, step.signals, node)
            if angle is None or not np.all(np.isfinite(angle)):
                return []
            coders = [c for c in self._of(message) if node is None or c.bound.node in (node, None)]
            return self._with_references(coders, angle, None)
        raise ProfileError(
            f'The profile has no message "{step.send}" that can be sent. Name one of its messages.'
        )

    def _raw_frames(self, step: Step, node: int | None) -> Iterator[Frame]:
        try:
            data = bytes.fromhex(step.raw or "")
            nodes = self.profile.nodes if node is None else (node,)
            if step.each == "once":
                nodes = nodes[:1]
            for each in nodes:
                yield Frame(
                    frame_id(step.id, each, step.extended), data, step.extended, fd=len(data) > 8
                )
        except FormulaError as error:
            raise ProfileError(f'The id "{step.id}" of raw bytes cannot be used. {error}') from None
        except ValueError:
            raise ProfileError(
                f'"{step.raw}" is not a list of hexadecimal bytes. Write bytes like FF FF 00 01.'
            ) from None

    def _of(self, message: Message) -> list[Coder]:
        for own, coders in zip(self.profile.messages, self._coders, strict=True):
            if own is message:
                return coders
        for own, coders in zip(self.profile.messages, self._coders, strict=True):
            if own == message:
                return coders
        raise ProfileError(
            f'The profile has no message "{message.called}". Name one of its messages.'
        )

    def decode(self, frame: Frame) -> DecodedFrame | None:
        """Decode a frame from the robot; None if the profile binds no such message. Never raises."""
        return self._received_table.decode(frame)

    def decode_outgoing(self, frame: Frame) -> DecodedFrame | None:
        """Decode a frame to the robot, as its nodes do; None if the profile binds no such message."""
        return self._sent_table.decode(frame)

    def encode(
        self,
        message: Message,
        node: int,
        values: Mapping[tuple[Quantity, int], float],
        signals: Mapping[str, float] | None = None,
    ) -> Frame:
        """Return the frame that a node sends or receives.

        Raises `ValueError` if a value is not a number, and `ProfileError` if the message is not in
        the profile, or the node does not have it.

        Parameters
        ----------
        values : mapping
            Values by quantity and axis (its index; -1 for the whole node, for axes without a separate
            value), as in `Value`. Missing values are those fixed in the profile, else 0.
        signals : mapping, optional
            Physical values by the names of signals; they have priority over `values`.
        """
        coder = next((c for c in self._of(message) if c.bound.node in (node, None)), None)
        if coder is None:
            raise ProfileError(
                f"Node {node} has no message {message.called}. Use a node of the profile."
            )
        return coder.frame(coder.from_values(values) | coder.from_signals(signals or {}, node))

    def expects(self, frame: Frame) -> bool:
        """Return whether the robot sends frames with this id, according to the profile."""
        return not frame.error and self._received_table.has(frame)

    def text(self, frame: Frame) -> str:
        """Return a description of a frame by profile and DBC; "" if neither knows it."""
        if frame.error:
            return "error on the bus"
        for table in (self._received_table, self._sent_table):
            match = table.find(frame)
            if match is not None:
                return _frame_text(
                    match.coder.label, match.coder.bound.length, match.coder.fields, frame
                )
        other = self._others.get((frame.id, frame.extended))
        return _frame_text(*other, frame) if other is not None else ""


class _Targets:
    """Conversion of angles and rates of all axes to raw values together, once per period.

    Parameters
    ----------
    coders : list of Coder
        Coders of the set-points.
    """

    def __init__(self, coders: list[Coder]) -> None:
        each = [
            [c for c in coder.bound.carried if c.quantity in ("angle", "rate") and c.axis >= 0]
            for coder in coders
        ]
        signals = [carried for several in each for carried in several]
        self._names = [[carried.field.name for carried in several] for several in each]
        self._axes = np.array([carried.axis for carried in signals], np.intp)
        self._rates = np.array([carried.quantity == "rate" for carried in signals], np.bool_)
        self._integer = np.array([not carried.field.floating for carried in signals], np.bool_)
        # physical = (value - offset) / factor, raw = (physical - zero) / scale
        self._offset = np.array([carried.offset for carried in signals], np.float64)
        self._factor = np.array([carried.factor for carried in signals], np.float64)
        self._zero = np.array([carried.field.offset for carried in signals], np.float64)
        self._scale = np.array([carried.field.scale for carried in signals], np.float64)
        self._low = np.array([carried.field.low for carried in signals], np.float64)
        self._high = np.array([carried.field.high for carried in signals], np.float64)

    def raws(self, angle: FloatArray, rate: FloatArray) -> Iterator[Iterator[tuple[str, float]]]:
        """Iterate over names and raw values of each coder's signals, for angles (rad) and rates (rad/s), (m,)."""
        target = np.where(self._rates, rate[self._axes], angle[self._axes])
        raw = ((target - self._offset) / self._factor - self._zero) / self._scale
        raw = np.minimum(np.maximum(raw, self._low), self._high)
        values = iter(np.where(self._integer, np.rint(raw), raw).tolist())
        return (zip(names, values, strict=False) for names in self._names)


def _frame_text(label: str, length: int, fields: tuple[Field, ...], frame: Frame) -> str:
    if frame.remote:
        return f"{label} is requested"
    if len(frame.data) < length:
        return f"{label}: {len(frame.data)} bytes instead of {length}"
    return f"{label}: {signals_text(fields, frame.data[:length])}".removesuffix(": ")
