"""Units in measurement files, by known spellings. Unknown units are reported, never guessed."""

from __future__ import annotations

import re
from typing import Literal

LengthUnit = Literal["m", "dm", "cm", "mm", "um", "km", "in", "ft", "yd"]
AngleUnit = Literal["rad", "deg"]
TimeUnit = Literal["s", "ms", "us", "ns", "min", "h", "frame", "date", "clock", "timecode"]

LENGTH_UNITS: dict[str, float] = {
    "m": 1.0,
    "dm": 0.1,
    "cm": 0.01,
    "mm": 0.001,
    "um": 1e-6,
    "km": 1000.0,
    "in": 0.0254,
    "ft": 0.3048,
    "yd": 0.9144,
}
"""Metres per unit."""

ANGLE_UNITS: dict[str, float] = {"rad": 1.0, "deg": 0.017453292519943295}
"""Radians per unit."""

TIME_UNITS: dict[str, float] = {
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "ns": 1e-9,
    "min": 60.0,
    "h": 3600.0,
    "frame": 0.0,
    "date": 0.0,
    "clock": 0.0,
    "timecode": 0.0,
}
"""Seconds per unit. 0 for times that are not multiples of seconds: frames count at the layout's rate;
dates (ISO 8601), times of day (hh:mm:ss.fff) and timecodes (hh:mm:ss:ff at the layout's rate) are
text."""

_LENGTHS: dict[LengthUnit, str] = {
    "m": "m meter meters metre metres mtr",
    "dm": "dm decimeter decimeters decimetre decimetres",
    "cm": "cm centimeter centimeters centimetre centimetres",
    "mm": "mm millimeter millimeters millimetre millimetres",
    "um": "um µm μm micrometer micrometers micrometre micrometres micron microns",
    "km": "km kilometer kilometers kilometre kilometres",
    "in": 'in inch inches "',
    "ft": "ft foot feet",
    "yd": "yd yard yards",
}
_ANGLES: dict[AngleUnit, str] = {
    "rad": "rad radian radians",
    "deg": "deg degree degrees degs ° grad grader",  # Swedish, German and Norwegian for degrees; never gon
}
_TIMES: dict[TimeUnit, str] = {
    "s": "s sec secs second seconds sek sekunden",
    "ms": "ms msec msecs millisec milliseconds millisecond millis",
    "us": "us µs μs usec usecs microsec microseconds microsecond micros",
    "ns": "ns nsec nsecs nanosec nanoseconds nanosecond nanos",
    "min": "min mins minute minutes",
    "h": "h hr hrs hour hours",
}

_LENGTH_OF = {
    spelling: unit for unit, spellings in _LENGTHS.items() for spelling in spellings.split()
}
_ANGLE_OF = {
    spelling: unit for unit, spellings in _ANGLES.items() for spelling in spellings.split()
}
_TIME_OF = {spelling: unit for unit, spellings in _TIMES.items() for spelling in spellings.split()}


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text.strip().strip("[](){}").strip().strip(".").lower())


def length_unit_of(text: str) -> LengthUnit | None:
    """Return the unit of length with this spelling; None if unknown."""
    return _LENGTH_OF.get(_plain(text))


def angle_unit_of(text: str) -> AngleUnit | None:
    """Return the unit of angle with this spelling; None if unknown."""
    return _ANGLE_OF.get(_plain(text))


def time_unit_of(text: str) -> TimeUnit | None:
    """Return the unit of time with this spelling; None if unknown."""
    return _TIME_OF.get(_plain(text))
