"""Lossless times of measured rows: stamps in any unit since 1970, dates, times of day, timecodes."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.tables.cells import MISSING, is_number
from snakestudio.model.tables.units import TIME_UNITS, TimeUnit

_DATE = re.compile(
    r"(\d{4})[-/](\d\d)[-/](\d\d)[T ,]+(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?\s*(Z|UTC|[+-]\d\d:?\d\d)?\Z",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?\s*([AP]M)?\Z", re.IGNORECASE)
_TIMECODE = re.compile(r"(\d\d):(\d\d):(\d\d)[:;](\d\d)(?:\.(\d+))?\Z")

_REBASED_S = 1e6
"""Time above which a clock counts from an event unrelated to the measurement, 12 days."""


_EPOCH_S = (3.0e8, 4.2e9)
"""Range of seconds since 1970 for the years 1979 to 2103."""

_DAY_S = 86_400.0
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def clock_text_unit(cell: str) -> TimeUnit | None:
    """Return the kind of clock of a text: "date", "clock" or "timecode"; None for other text."""
    if _DATE.match(cell):
        return "date"
    if _CLOCK.match(cell):
        return "clock"
    return "timecode" if _TIMECODE.match(cell) else None


def stamp_unit(first: float) -> TimeUnit | None:
    """Return the unit in which a number is a plausible time since 1970, or None."""
    low, high = _EPOCH_S
    for unit in ("s", "ms", "us", "ns"):
        if low <= first * TIME_UNITS[unit] <= high:
            return unit
    return None


class Clock:
    """Times of rows, added one by one as text.

    Numbers above 10^6 s are offset by the first one before conversion to floating point, which could
    not represent them: since 1970 the spacing of doubles is 0.24 µs in seconds and 256 ns in
    nanoseconds. Texts are also relative to the first; a time of day that decreases by more than 12
    hours has passed midnight.
    """

    def __init__(self, unit: TimeUnit, decimal: str, rate_hz: float | None) -> None:
        self.unit = unit
        self._decimal = decimal
        rate = Decimal(repr(rate_hz or 1.0))
        self._rate = rate
        self._factor = 1 / rate if unit == "frame" else Decimal(repr(TIME_UNITS[unit]))
        self._base: Decimal | None = None
        self._first: Decimal | None = None
        self._values: list[float] = []

    def __len__(self) -> int:
        return len(self._values)

    def add(self, cell: str, nanoseconds: str | None = None) -> None:
        """Add the time of a row.

        Raises `ValueError` with the cell if it is not a time.
        """
        seconds = self._seconds(cell)
        if seconds is None:
            self._values.append(math.nan)
            return
        if nanoseconds is not None:
            try:
                seconds += Decimal(nanoseconds).scaleb(-9)
            except InvalidOperation:
                raise ValueError(nanoseconds) from None
        if self._base is None:
            self._first = seconds
            from_first = abs(seconds) >= _REBASED_S or self.unit in (
                "date",
                "clock",
                "timecode",
                "frame",
            )
            self._base = seconds if from_first else Decimal(0)
        self._values.append(float(seconds - self._base))

    def _seconds(self, cell: str) -> Decimal | None:
        if self.unit == "date":
            return _date_seconds(cell)
        if self.unit == "clock":
            return _clock_seconds(cell)
        if self.unit == "timecode":
            return _timecode_seconds(cell, self._rate)
        number = _number(cell, self._decimal)
        return None if number is None else number * self._factor

    def times(self) -> FloatArray:
        """Return times (k,), s."""
        times = np.array(self._values, dtype=np.float64)
        if self.unit in ("clock", "timecode"):
            known = np.flatnonzero(np.isfinite(times))
            days = np.cumsum(np.diff(times[known], prepend=times[known[:1]]) < -0.5 * _DAY_S)
            times[known] += _DAY_S * days
        return times

    @property
    def description(self) -> str:
        """Reading of the clock at the first row, if times are relative to it; else ""."""
        if self._first is None or not self._base:
            return ""
        first = float(self._first)
        if self.unit == "frame":
            return ""
        if self.unit in ("clock", "timecode"):
            return f"{'timecode' if self.unit == 'timecode' else 'time of day'}, from {timedelta(seconds=round(first))}"
        if self.unit == "date" or _EPOCH_S[0] <= first <= _EPOCH_S[1]:
            moment = (_EPOCH + timedelta(seconds=first)).strftime("%Y-%m-%d %H:%M:%S")
            return (
                f"dates, from {moment}"
                if self.unit == "date"
                else f"in {self.unit} since 1970, from {moment} UTC"
            )
        return f"{self.unit}, from {first:.10g} s"


def _number(cell: str, decimal: str) -> Decimal | None:
    if is_number(cell, decimal):
        value = Decimal(cell.replace(",", "."))
        if abs(value.adjusted()) < 300:
            return value
    if cell.lower() in MISSING:
        return None
    raise ValueError(cell)


def _fraction(digits: str | None) -> Decimal:
    return Decimal(f"0.{digits}") if digits else Decimal(0)


def _check_missing(cell: str) -> None:
    if cell.lower() not in MISSING:
        raise ValueError(cell)


def _date_seconds(cell: str) -> Decimal | None:
    match = _DATE.match(cell)
    if match is None:
        _check_missing(cell)
        return None
    zone = match[8] or "Z"
    shift = 0
    if zone[0] in "+-":
        minutes = 60 * int(zone[1:3]) + int(zone[-2:])
        shift = 60 * minutes * (1 if zone[0] == "+" else -1)
    try:
        year, month, day, hour, minute, second = map(int, match.group(1, 2, 3, 4, 5, 6))
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        raise ValueError(cell) from None
    delta = moment - _EPOCH
    return Decimal(delta.days * 86_400 + delta.seconds - shift) + _fraction(match[7])


def _clock_seconds(cell: str) -> Decimal | None:
    match = _CLOCK.match(cell)
    if match is None:
        _check_missing(cell)
        return None
    hours, minutes, seconds = map(int, match.group(1, 2, 3))
    if match[5]:
        hours = hours % 12 + (12 if match[5].lower() == "pm" else 0)
    if minutes > 59 or seconds > 60:
        raise ValueError(cell)
    return Decimal(3600 * hours + 60 * minutes + seconds) + _fraction(match[4])


def _timecode_seconds(cell: str, rate: Decimal) -> Decimal | None:
    match = _TIMECODE.match(cell)
    if match is None:
        _check_missing(cell)
        return None
    hours, minutes, seconds, frames = map(int, match.group(1, 2, 3, 4))
    return Decimal(3600 * hours + 60 * minutes + seconds) + (frames + _fraction(match[5])) / rate
