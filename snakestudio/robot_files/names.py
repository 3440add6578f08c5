"""Names of parts in robot files: what all formats allow, and none twice."""

from __future__ import annotations

import re


def plain_name(text: str) -> str:
    """A name without what has a special meaning in a format, or XML cannot hold; "" if nothing is left."""
    kept = re.sub(r"[^\w .()+-]", "_", text)
    return re.sub(r"_{2,}", "_", kept).strip("_ ")


class UniqueNames:
    """Gives every part a unique name; `taken` are in use."""

    def __init__(self, *taken: str) -> None:
        self._taken = set(taken)

    def unique(self, wanted: str) -> str:
        """`wanted`, or with a number behind it."""
        name = base = plain_name(wanted) or "part"
        number = 2
        while name in self._taken:
            name = f"{base}_{number}"
            number = number + 1
        self._taken.add(name)
        return name
