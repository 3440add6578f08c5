"""What channels are called, and their units, read off the endings of their names."""

from __future__ import annotations

from snakestudio.model.column_units import parted, unit_text

__all__ = ["label_of", "unit_of"]


def unit_of(name: str) -> str:
    """The unit that a channel's name ends in, as people write it; "" of a pure number."""
    return unit_text(parted(name)[1])


def label_of(name: str) -> str:
    """A channel's name as a legend says it: "link_6_x_m" is "link 6 x", "com_x_m" is "CoM x"."""
    words = parted(name)[0].replace("_", " ")
    return words.replace("com ", "CoM ", 1) if words.startswith("com ") else words
