"""Messages by what they are about: the keys, names and values in them, whatever the words around."""

from __future__ import annotations

__all__ = ["naming"]


class _Naming(str):
    """A text that is equal to all that have its parts in them."""

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
    """Stand for any message with these parts: ``sentences == [naming("robot.mass_kg", "-1")]``.

    It is the longest part where a text is searched for it. A part may stand for several itself.
    """
    text = _Naming(max(parts, key=len))
    text.parts = tuple(
        each for part in parts for each in (part.parts if isinstance(part, _Naming) else (part,))
    )
    return text
