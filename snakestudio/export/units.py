"""Units of the named columns of a run: what their names end in."""

from __future__ import annotations

__all__ = ["units_of"]

_UNITS = {
    "m": "m", "s": "s", "rad": "rad", "mps": "m/s", "radps": "rad/s", "n": "N", "nm": "N m", "j": "J", "ns": "N s",
    "hz": "Hz", "deg": "deg", "w": "W",
}  # fmt: skip


def units_of(name: str) -> str:
    """Unit of a column, which its name ends in; "1" for what has none."""
    return _UNITS.get(name.rpartition("_")[2], "1") if "_" in name else "1"
