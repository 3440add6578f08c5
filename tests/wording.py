"""Comparison of messages by the keys, names and values in them, independent of their wording."""

from __future__ import annotations

__all__ = ["naming"]


class _Naming(str):
    """String that is equal to all texts that contain its parts."""

    parts: tuple[str, ...]

    __slots__ = ("parts",)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and all(part in other for part in self.parts)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def __repr__(self) -> str:
        return f"naming({', '.join(map(repr, self.parts))})"


def naming(*parts: str) -> str:
    """Return a stand-in for any message with these parts: ``sentences == [naming("robot.mass_kg", "-1")]``.

    In a search within a text it is its longest part. A part may itself have several parts.
    """
    text = _Naming(max(parts, key=len))
    text.parts = tuple(
        each for part in parts for each in (part.parts if isinstance(part, _Naming) else (part,))
    )
    return text
