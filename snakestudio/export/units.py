"""Units of the named columns of a run: what their names end in."""

from __future__ import annotations

from snakestudio.model.column_units import parted, unit_text

__all__ = ["units_of"]


def units_of(name: str) -> str:
    """Unit of a column, which its name ends in; "1" for what has none."""
    return unit_text(parted(name)[1]) or "1"
