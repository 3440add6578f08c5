"""Units of physical values in a DBC, and their conversion to SI.

Unknown spellings are rejected: a wrong guess would be a factor of 57 on a robot.
"""

from __future__ import annotations

import math
import re

from snakestudio.link.profile.schema import Quantity

RAW: tuple[Quantity, ...] = ("status", "error", "counter", "checksum")
"""Quantities without a unit, which are raw bits: the scale of the DBC does not apply."""

_TURN = 2 * math.pi
_DEGREE = math.pi / 180
_GON = math.pi / 200

_ANGLES: dict[str, float] = {
    **dict.fromkeys(("rad", "radian", "radians", "radiant"), 1.0),
    **dict.fromkeys(("mrad", "milliradian", "milliradians"), 1e-3),
    **dict.fromkeys(
        (
            "deg",
            "degree",
            "degrees",
            "°",
            "º",
            "˚",
            "â°",
            "grader",
            "graden",
            "grados",
            "graus",
            "gradi",
            "degré",
            "degrés",
            "degre",
            "degres",
        ),
        _DEGREE,
    ),
    **dict.fromkeys(("mdeg", "millidegree", "millidegrees", "m°"), 1e-3 * _DEGREE),
    **dict.fromkeys(("gon", "gradian", "gradians"), _GON),
    **dict.fromkeys(
        ("turn", "turns", "rev", "revs", "revolution", "revolutions", "umdrehung", "umdrehungen"),
        _TURN,
    ),
}

_PERIODS = {
    **dict.fromkeys(("/s", "/sec", "/second", "persecond", "s^-1", "s-1", "/(s)"), 1.0),
    **dict.fromkeys(("/min", "/minute", "perminute", "min^-1", "min-1"), 60.0),
}

_RATES: dict[str, float] = {
    **{
        angle + per: factor / period
        for angle, factor in _ANGLES.items()
        for per, period in _PERIODS.items()
    },
    "dps": _DEGREE,
    "u/s": _TURN,
    **dict.fromkeys(("rpm", "1/min", "/min", "min^-1", "min-1", "u/min", "r/min"), _TURN / 60),
}

_UNITS: dict[Quantity, dict[str, tuple[float, float]]] = {
    "angle": {unit: (factor, 0.0) for unit, factor in _ANGLES.items()},
    "rate": {unit: (factor, 0.0) for unit, factor in _RATES.items()},
    "torque": {
        **dict.fromkeys(
            ("nm", "n-m", "newtonmeter", "newtonmeters", "newtonmetre", "newtonmetres"), (1.0, 0.0)
        ),
        **dict.fromkeys(("mnm", "nmm"), (1e-3, 0.0)),
        **dict.fromkeys(("ncm", "cnm"), (1e-2, 0.0)),
    },
    "current": {
        **dict.fromkeys(("a", "amp", "amps", "ampere", "amperes"), (1.0, 0.0)),
        **dict.fromkeys(("ma", "milliamp", "milliamps", "milliampere"), (1e-3, 0.0)),
        **dict.fromkeys(("ua", "μa"), (1e-6, 0.0)),
    },
    "temperature": {
        **dict.fromkeys(
            (
                "°c",
                "ºc",
                "˚c",
                "â°c",
                "degc",
                "deg_c",
                "c",
                "celsius",
                "degreec",
                "degreesc",
                "gradc",
                "degreecelsius",
                "degreescelsius",
                "gradcelsius",
            ),
            (1.0, 0.0),
        ),
        **dict.fromkeys(("k", "kelvin"), (1.0, -273.15)),
        **dict.fromkeys(("°f", "degf", "fahrenheit"), (5 / 9, -160 / 9)),
    },
    "voltage": {
        **dict.fromkeys(("v", "volt", "volts"), (1.0, 0.0)),
        **dict.fromkeys(("mv", "millivolt", "millivolts"), (1e-3, 0.0)),
    },
}
"""Factor and offset by the spelling in lower case."""

_SHOWN: dict[Quantity, tuple[str, ...]] = {
    "angle": ("rad", "deg", "turn", "mrad", "mdeg", "gon"),
    "rate": ("rad/s", "deg/s", "rpm", "turn/s", "mrad/s", "deg/min"),
    "torque": ("Nm", "mNm", "Ncm"),
    "current": ("A", "mA"),
    "temperature": ("°C", "K", "°F"),
    "voltage": ("V", "mV"),
}


def to_si(quantity: Quantity, unit: str) -> tuple[float, float] | None:
    """Return factor and offset from `unit` to SI (temperatures: °C); None if the quantity has no such unit."""
    return _UNITS[quantity].get(_plain(unit))


def known_units(quantity: Quantity) -> tuple[str, ...]:
    """Return the units of a quantity, one spelling each."""
    return _SHOWN[quantity]


def ambiguous_unit(quantity: Quantity, unit: str) -> tuple[str, str] | None:
    """Return the two possible units of an ambiguous spelling; None if it is not ambiguous."""
    spelling = _plain(unit)
    if (
        quantity not in ("angle", "rate")
        or re.match(r"grads?(/|per|s\^?-|min|\Z)", spelling) is None
    ):
        return None
    per = spelling.removeprefix("grad") if quantity == "rate" else ""
    return f"deg{per}", f"gon{per}"


def _plain(unit: str) -> str:
    """Return the unit without case, spaces and multiplication signs: "N m", "N*m" and "Nm" are the same.

    "Grad" is German for degrees; in lower case it may mean gradians (French, English).
    """
    return "".join(c for c in re.sub(r"\bGrad\b", "deg", unit).casefold() if c not in " *·⋅.")
