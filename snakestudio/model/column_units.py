"""Units of columns and signals: parsed from name suffixes, propagated through arithmetic, formatted as suffixes."""

from __future__ import annotations

from collections.abc import Sequence

Unit = tuple[float, float, float, float, float] | None
"""Exponents of kilogram, metre, second, radian and degree; None if unknown."""

PLAIN: Unit = (0.0, 0.0, 0.0, 0.0, 0.0)

# A torque counts as energy per angle, so that torque times angle is energy and torque times rate is
# power.
_ENDINGS: dict[str, tuple[Unit, str]] = {
    "m": ((0, 1, 0, 0, 0), "m"),
    "s": ((0, 0, 1, 0, 0), "s"),
    "rad": ((0, 0, 0, 1, 0), "rad"),
    "deg": ((0, 0, 0, 0, 1), "°"),
    "kg": ((1, 0, 0, 0, 0), "kg"),
    "hz": ((0, 0, -1, 0, 0), "Hz"),
    "mps": ((0, 1, -1, 0, 0), "m/s"),
    "mps2": ((0, 1, -2, 0, 0), "m/s²"),
    "radps": ((0, 0, -1, 1, 0), "rad/s"),
    "radps2": ((0, 0, -2, 1, 0), "rad/s²"),
    "degps": ((0, 0, -1, 0, 1), "°/s"),
    "n": ((1, 1, -2, 0, 0), "N"),
    "nm": ((1, 2, -2, -1, 0), "N m"),
    "ns": ((1, 1, -1, 0, 0), "N s"),
    "nps": ((1, 1, -3, 0, 0), "N/s"),
    "npm": ((1, 0, -2, 0, 0), "N/m"),
    "j": ((1, 2, -2, 0, 0), "J"),
    "w": ((1, 2, -3, 0, 0), "W"),
    "m2": ((0, 2, 0, 0, 0), "m²"),
    "m2ps2": ((0, 2, -2, 0, 0), "m²/s²"),
    "per_m": ((0, -1, 0, 0, 0), "1/m"),
    "per_rad": ((0, 0, 0, -1, 0), "1/rad"),
    "ms": ((0, 1, 1, 0, 0), "m s"),
    "rads": ((0, 0, 1, 1, 0), "rad s"),
    # Motor status values: no arithmetic is done with them.
    "a": (None, "A"),
    "v": (None, "V"),
    "degc": (None, "°C"),
}
"""Name suffixes of columns: unit, and its symbol."""

_NAMES = {unit: ending for ending, (unit, _) in _ENDINGS.items()}


def parted(name: str) -> tuple[str, str]:
    """Return the column name without its unit suffix, and that suffix, or ""."""
    stem, _, ending = name.rpartition("_")
    if stem.endswith("_per"):
        stem = stem.removesuffix("_per")
        ending = f"per_{ending}"
    return (stem, ending) if stem and ending in _ENDINGS else (name, "")


def of_column(name: str) -> Unit:
    """Return the unit of the suffix of a column name; dimensionless without one."""
    ending = parted(name)[1]
    return _ENDINGS[ending][0] if ending else PLAIN


def combined(a: Unit, b: Unit, sign: float = 1.0) -> Unit:
    """Return the unit of a product (`sign` 1) or a quotient (-1)."""
    if a is None or b is None:
        return None
    kg, m, s, rad, deg = (x + sign * y for x, y in zip(a, b, strict=True))
    return kg, m, s, rad, deg


def raised(a: Unit, exponent: float) -> Unit:
    """Return the unit of a power."""
    if a is None:
        return None
    kg, m, s, rad, deg = (x * exponent for x in a)
    return kg, m, s, rad, deg


def common(units: Sequence[Unit]) -> Unit:
    """Return the unit shared by all; None if they differ."""
    return units[0] if units and all(unit == units[0] for unit in units) else None


def alike(a: Unit, b: Unit) -> bool:
    """Whether values of two units can be added or compared: radians are dimensionless, unknown units always match."""
    if a is None or b is None:
        return True
    return all(abs(a[k] - b[k]) < 1e-9 for k in (0, 1, 2, 4))


def ending_of(unit: Unit) -> str:
    """Return the suffix for a unit in column names; "" if dimensionless or unknown."""
    if unit is None:
        return ""
    # the radian of "rad/s times metre" is dimensionless
    plain_angle: Unit = (*unit[:3], 0.0, unit[4])
    return _NAMES.get(unit) or _NAMES.get(plain_angle) or ""


def unit_text(ending: str) -> str:
    """Return the symbol for the unit of a suffix: "m/s" for "mps"; "" if unknown."""
    known = _ENDINGS.get(ending)
    return known[1] if known is not None else ""


def unit_of(name: str, plain: str = "") -> str:
    """Return the symbol of the unit of a column name; `plain` if dimensionless."""
    return unit_text(parted(name)[1]) or plain


def label_of(name: str) -> str:
    """Return the column name as text for a legend: "link_6_x_m" is "link 6 x", "com_x_m" is "CoM x"."""
    label = parted(name)[0].replace("_", " ")
    return label.replace("com ", "CoM ", 1) if label.startswith("com ") else label
