"""What parts of a typed formula have beside a value: a unit (unknown where a number may carry any), and a size."""

from __future__ import annotations

__all__ = ["PLAIN", "UNITS", "Size", "Unit", "combined", "product_size", "raised", "spoken"]

Unit = tuple[float, float] | None
"""Powers of metre and second; None: whatever is wanted, for a number was multiplied in."""

PLAIN: Unit = (0.0, 0.0)

Size = tuple[int, int, int]
"""About how many terms a part has, and its first and second derivative."""

UNITS: dict[str, Unit] = {
    "any": None,
    "": PLAIN,
    "m": (1.0, 0.0),
    "s": (0.0, 1.0),
    "1/m": (-1.0, 0.0),
    "1/s": (0.0, -1.0),
    "rad/s": (0.0, -1.0),
    "m/s": (1.0, -1.0),
    "m/s^2": (1.0, -2.0),
}
"""Units by the names that scenes give them; "any" is for numbers that nobody has to divide by a unit first."""


def combined(a: Unit, b: Unit, sign: float = 1.0) -> Unit:
    """Unit of a product (`sign` 1) or quotient (-1)."""
    return None if a is None or b is None else (a[0] + sign * b[0], a[1] + sign * b[1])


def raised(a: Unit, exponent: float) -> Unit:
    """Unit of a power."""
    return None if a is None else (a[0] * exponent, a[1] * exponent)


def spoken(unit: Unit) -> str:
    """The unit for people."""
    if unit is None:
        return "any unit"
    names = {value: name for name, value in reversed(UNITS.items()) if name != "rad/s"}
    if unit in names:
        return names[unit] or "no unit"
    return " ".join(f"{symbol}^{power:g}" for symbol, power in zip(("m", "s"), unit, strict=True) if power)


def product_size(a: Size, b: Size) -> Size:
    """Size of a product, or of a function of something."""
    return a[0] + b[0], a[1] + b[1] + a[0] + b[0], a[2] + b[2] + 2 * (a[1] + b[1]) + a[0] + b[0]
