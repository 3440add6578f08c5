"""Names of parts in robot files: valid in all formats, and unique."""

from __future__ import annotations

import re


def plain_name(text: str) -> str:
    """A name without characters that are special in a format or invalid in XML; "" if nothing is left."""
    name = re.sub(r"[^\w .()+-]", "_", text)
    return re.sub(r"_{2,}", "_", name).strip("_ ")


class UniqueNames:
    """Assigns unique names to parts; `taken` are in use."""

    def __init__(self, *taken: str) -> None:
        self._taken = set(taken)

    def unique(self, name: str) -> str:
        """`name`, with a number appended if necessary."""
        name = base = plain_name(name) or "part"
        number = 2
        while name in self._taken:
            name = f"{base}_{number}"
            number = number + 1
        self._taken.add(name)
        return name
