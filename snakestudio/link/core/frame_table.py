"""Finds the message that a frame is one of: by its id, and among those that share one by their fixed signals."""

from __future__ import annotations

from typing import NamedTuple

from snakestudio.link.core.coder import Coder, Decoded
from snakestudio.link.frame import Frame
from snakestudio.link.profile.field import Field

__all__ = ["Found", "FrameTable"]


class Found(NamedTuple):
    """The message of a frame.

    Attributes
    ----------
    coder : Coder
    data : bytes or None
        The message's bytes; None if the frame is too short, or a remote one.
    little, big : int
        Those bytes as numbers, least and most significant first.
    """

    coder: Coder
    data: bytes | None = None
    little: int = 0
    big: int = 0


class _Alternatives:
    """Messages that share an id, told apart by their fixed signals."""

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
        """Whether any of these messages has a frame's id."""
        return (frame.id, frame.extended, frame.remote) in self._by_id

    def find(self, frame: Frame) -> Found | None:
        """The message that a frame is one of; None if it is none of these."""
        groups = self._by_id.get((frame.id, frame.extended, frame.remote))
        if groups is None or frame.error:
            return None
        if frame.remote:
            return Found(groups[0].coders[0])
        short: Coder | None = None
        for group in groups:
            if len(frame.data) < group.length:
                short = short or group.coders[0]
                continue
            data = frame.data[: group.length]  # what a longer one is filled up with says nothing
            little, big = int.from_bytes(data, "little"), int.from_bytes(data, "big")
            coder = group.find(little, big)
            if coder is not None:
                return Found(coder, data, little, big)
        return None if short is None else Found(short)

    def decode(self, frame: Frame) -> Decoded | None:
        """What a frame says; None if it is none of these messages."""
        found = self.find(frame)
        if found is None:
            return None
        coder, data, little, big = found
        if data is not None:
            return coder.decoded(data, little, big)
        bound = coder.bound
        if frame.remote:
            return Decoded(bound.message, bound.node, (), {})
        problem = f"{coder.label} has {len(frame.data)} bytes instead of {bound.length}"
        groups = self._by_id[frame.id, frame.extended, frame.remote]
        if len({each.bound.node for group in groups for each in group.coders}) > 1:
            return Decoded(bound.message, None, (), {}, problem)  # who sent it is what is missing
        return Decoded(bound.message, bound.node, (), {}, problem)
