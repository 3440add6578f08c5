"""Units of physical values in a DBC, and what they are in SI."""

from __future__ import annotations

import difflib
import math

from snakestudio.link.profile.schema import Quantity

__all__ = ["RAW", "known_units", "similar_unit", "to_si"]

RAW: tuple[Quantity, ...] = ("status", "error", "counter", "checksum")
"""Quantities that are bits: they have no unit, and a scale of the DBC does not apply."""

_TURN, _DEGREE = 2 * math.pi, math.pi / 180

_UNITS: dict[Quantity, dict[str, tuple[float, float]]] = {
    "angle": {
        "rad": (1.0, 0.0), "mrad": (1e-3, 0.0), "deg": (_DEGREE, 0.0), "°": (_DEGREE, 0.0),
        "degree": (_DEGREE, 0.0), "degrees": (_DEGREE, 0.0), "turn": (_TURN, 0.0), "turns": (_TURN, 0.0),
        "rev": (_TURN, 0.0),
    },
    "rate": {
        "rad/s": (1.0, 0.0), "mrad/s": (1e-3, 0.0), "deg/s": (_DEGREE, 0.0), "°/s": (_DEGREE, 0.0),
        "dps": (_DEGREE, 0.0), "turn/s": (_TURN, 0.0), "turns/s": (_TURN, 0.0), "rev/s": (_TURN, 0.0),
        "rpm": (_TURN / 60, 0.0), "rev/min": (_TURN / 60, 0.0), "1/min": (_TURN / 60, 0.0),
    },
    "torque": {"nm": (1.0, 0.0), "mnm": (1e-3, 0.0)},
    "current": {"a": (1.0, 0.0), "ma": (1e-3, 0.0)},
    "temperature": {"°c": (1.0, 0.0), "degc": (1.0, 0.0), "c": (1.0, 0.0), "k": (1.0, -273.15)},
    "voltage": {"v": (1.0, 0.0), "mv": (1e-3, 0.0)},
}  # fmt: skip
_SHOWN = {"nm": "Nm", "mnm": "mNm", "a": "A", "ma": "mA", "°c": "°C", "degc": "degC", "c": "C", "k": "K", "v": "V",
          "mv": "mV"}  # fmt: skip


def to_si(quantity: Quantity, unit: str) -> tuple[float, float] | None:
    """Factor and offset that make SI (temperatures: °C) of a value in `unit`; None if that is no unit of it."""
    return _UNITS[quantity].get(_plain(unit))


def known_units(quantity: Quantity) -> tuple[str, ...]:
    """Units that a quantity may have."""
    return tuple(_SHOWN.get(unit, unit) for unit in _UNITS[quantity])


def similar_unit(quantity: Quantity, unit: str) -> str | None:
    """The unit that was probably meant."""
    close = difflib.get_close_matches(_plain(unit), list(_UNITS[quantity]), n=1, cutoff=0.6)
    return _SHOWN.get(close[0], close[0]) if close else None


def _plain(unit: str) -> str:
    """The unit without case, spaces and multiplication signs: "N m", "N*m" and "Nm" are the same."""
    return "".join(c for c in unit.casefold() if c not in " *·.")
