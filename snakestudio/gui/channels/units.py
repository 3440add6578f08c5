"""Units of channels, read off the endings of their names."""

from __future__ import annotations

__all__ = ["label_of", "unit_of"]

_UNITS = {
    "mps2": "m/s²",
    "mps": "m/s",
    "radps2": "rad/s²",
    "radps": "rad/s",
    "rad": "rad",
    "deg": "°",
    "nm": "N m",
    "n": "N",
    "j": "J",
    "w": "W",
    "m": "m",
    "s": "s",
    "hz": "Hz",
}


def unit_of(name: str) -> str:
    """The unit that a channel's name ends in, as people write it; "" of a pure number."""
    return _UNITS.get(name.rpartition("_")[2], "")


def label_of(name: str) -> str:
    """A channel's name as a legend says it: "link_6_x_m" is "link 6 x", "com_x_m" is "CoM x"."""
    stem, _, ending = name.rpartition("_")
    words = (stem if ending in _UNITS and stem else name).replace("_", " ")
    return words.replace("com ", "CoM ", 1) if words.startswith("com ") else words
