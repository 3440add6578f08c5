"""Tables of joint angles: a row per time, a column per joint axis; commands, logs of robots, recorded runs.

If a file lacks information, the error names the scene key that provides it; interpolated and ignored
content is listed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from snakestudio import inputs
from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.errors import MistakeError
from snakestudio.inputs import ANGLE_TABLE, InputError
from snakestudio.model.robot.robot import Axis
from snakestudio.model.tables.cells import (
    MISSING,
    cells,
    decoded,
    delimiter_and_decimal,
    is_number,
    number,
)
from snakestudio.model.tables.clock import Clock, clock_text_unit, stamp_unit
from snakestudio.model.tables.units import ANGLE_UNITS, TimeUnit, angle_unit_of, time_unit_of
from snakestudio.text import counted

_HEADER_ROWS = 6
"""Largest number of header rows above the numbers."""

_LOOKED_AT = 400
"""Lines used to detect how cells are separated."""

_SURELY_RADIANS = 2.2
"""Table maximum up to which angles are in radians, rad: no joint axis of a snake robot bends by more
than 126°, and motions in degrees exceed 2.2°."""

_SURELY_DEGREES = 2.0 * math.pi
"""Angles beyond a full turn are in degrees."""

_LONG_STEP = 5.0
"""Spacing of integer times without unit above which they are milliseconds, not seconds."""

_GAP = 10.0
"""Ratio of a time step to the usual one above which it is a gap."""

_SHORTEST_GAP = 0.25
"""Shortest gap, s."""

_OWN = re.compile(r"joint_(\d{1,4})_(yaw|pitch|roll)(_ref)?_rad\Z")
"""Column of a run of this program."""

_SUFFIX = re.compile(
    r"\s*(?:\[(?P<square>[^\[\]]*)\]|\((?P<round>[^()]*)\)|[\s_](?P<bare>rad|radians?|deg|degrees?|s|sec|secs|ms|us|ns)"
    r"|(?P<sign>°))\s*\Z",
    re.IGNORECASE,
)
_TIME_NAMES = frozenset(
    {
        "time",
        "t",
        "timestamp",
        "time stamp",
        "stamp",
        "elapsed",
        "elapsed time",
        "seconds",
        "secs",
        "sec",
        "date",
        "datetime",
        "date time",
        "clock",
        "zeit",
        "tid",
    }
)
_NANOSECONDS = re.compile(r"(?P<stem>.*?)[\s_./]*(?:nsecs?|nanosecs?|nanoseconds?)\Z")
"""Name of the column with the nanoseconds of stamps whose seconds are in another column."""

_INDEX_NAMES = frozenset(
    {"", "frame", "frames", "index", "row", "sample", "samples", "step", "no", "nr", "#", "seq"}
)
_TEXTS = re.compile(r"(?:child )?(?:frame )?(?:id|names?)\d*\Z")
"""Last part of the name of a column of text."""

_KINDS = {
    "yaw": "yaw",
    "lateral": "yaw",
    "lat": "yaw",
    "horizontal": "yaw",
    "pitch": "pitch",
    "vertical": "pitch",
    "vert": "pitch",
    "dorsal": "pitch",
    "roll": "roll",
}
_OTHER_QUANTITIES = frozenset(
    {
        "vel",
        "velocity",
        "velocities",
        "speed",
        "rate",
        "omega",
        "acc",
        "accel",
        "acceleration",
        "torque",
        "tau",
        "effort",
        "current",
        "amp",
        "amps",
        "voltage",
        "volt",
        "volts",
        "power",
        "pwm",
        "load",
        "temp",
        "temperature",
        "error",
        "err",
        "status",
        "force",
        "moment",
        "gyro",
        "imu",
    }
)
_COMMANDS = frozenset(
    {"ref", "reference", "cmd", "command", "target", "goal", "setpoint", "desired", "des"}
)


class TableError(MistakeError):
    """Table that is unusable.

    Attributes
    ----------
    key : str
        Name of the gait value that the error belongs to.
    """

    def __init__(self, key: str, message: str, remedy: str) -> None:
        super().__init__(message, remedy)
        self.key = key


class Note(NamedTuple):
    """Assumption, or interpolated or ignored content."""

    severity: Literal["warning", "hint"]
    key: str
    message: str
    remedy: str


class JointTable(NamedTuple):
    """Joint angles over time, with the signs and zeros of the file."""

    time: FloatArray
    """Times (k,), s, from 0, ascending."""

    angle: FloatArray
    """Angles (k, m), rad; NaN for empty cells."""

    own: bool
    """Whether the columns are those of a run of this program, with the signs and zeros of the scene;
    otherwise those of the robot itself."""

    columns: tuple[str, ...]
    """Names of the columns of the axes, or their 1-based numbers."""

    unit: Literal["deg", "rad"]
    """Unit in the file; that of the first axis if there are several."""

    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Raw:
    """Unprocessed table."""

    names: tuple[str, ...]
    """Names of the columns; empty without a header."""

    values: FloatArray
    """Values (rows, columns); NaN for cells without a number."""

    stamps: tuple[str, ...]
    """Cells of the column that can contain the time."""

    stamped: int
    """Index of that column, or -1."""

    nanoseconds: tuple[str, ...]
    """Cells with the nanoseconds of the stamps; empty if these are not in a separate column."""

    is_certain: bool
    """Whether the column contains the time; otherwise it does if it is one more than the joint axes."""

    decimal: str


def read_joint_table(
    path: Path,
    axes: Sequence[Axis],
    unit: Literal["auto", "deg", "rad"] = "auto",
    rate_hz: float | None = None,
    ignored: Sequence[Axis] = (),
) -> JointTable:
    """Read the angles of joint axes from a file.

    Raises `TableError` if it is unusable.

    Parameters
    ----------
    axes : sequence of Axis
        Axes in the order of the result.
    unit : {"auto", "deg", "rad"}
        Unit of the angles; "auto": from the header or the range of values.
    rate_hz : float, optional
        Rows per second, instead of a time column.
    ignored : sequence of Axis
        Axes of the robot that its model does not move; the file can contain their columns.
    """
    try:
        stat = path.stat()
        stamp = (stat.st_mtime_ns, stat.st_size)
    except (OSError, ValueError):
        stamp = (0, 0)
    raw = _raw(path, stamp)
    if len(raw.values) < 2:
        raise TableError(
            "file", "the table has only one row", "add a row of joint angles for each time"
        )
    notes: list[Note] = []
    chosen, own = _columns(raw, axes, ignored, rate_hz)
    time, rows = _times(raw, len(axes), rate_hz, notes)
    factors, first = _units(raw, chosen, unit, notes)
    angle = raw.values[rows][:, chosen] * factors
    names = tuple(raw.names[c] if raw.names else str(c + 1) for c in chosen)
    _report_gaps(angle, time, names, notes)
    return JointTable(time, angle, own, names, first, tuple(notes))


# ---------------------------------------------------------------------------------- lines and cells


@lru_cache(maxsize=4)
def _raw(path: Path, stamp: tuple[int, int]) -> _Raw:
    """Return the cells of a file; `stamp` (its time and size) causes a changed file to be read again."""
    try:
        text = decoded(inputs.read_bytes(path, ANGLE_TABLE))
        if text is None:
            raise InputError("the file is binary, not a table of joint angles", "choose a CSV file")
        return _parsed(text)
    except InputError as error:
        raise TableError("file", f"'{path.name}': {error.message}", error.remedy) from None


def _parsed(text: str) -> _Raw:
    numbered = [(i, line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
    comments = [line for _, line in numbered if line.lstrip().startswith("#")]
    numbered = [(i, line) for i, line in numbered if not line.lstrip().startswith("#")]
    if not numbered:
        raise InputError("the table has no rows", "add a row of joint angles for each time")
    inputs.count(len(numbered), ANGLE_TABLE.lines, "lines")
    inputs.count(max(len(line) for _, line in numbered), ANGLE_TABLE.line, "characters in a line")
    delimiter, decimal = delimiter_and_decimal([line for _, line in numbered[:_LOOKED_AT]])
    begin = next(
        (k for k, (_, line) in enumerate(numbered) if _is_data(cells(line, delimiter), decimal)),
        len(numbered),
    )
    if begin > _HEADER_ROWS or begin == len(numbered):
        raise InputError(
            "the table has no rows of numbers", "add a row of joint angles for each time"
        )
    width = len(_trimmed(cells(numbered[begin][1], delimiter)))
    inputs.count(width, ANGLE_TABLE.columns, "columns")
    inputs.count(width * (len(numbered) - begin), ANGLE_TABLE.values, "cells")
    header = [_trimmed(cells(line, delimiter)) for _, line in numbered[:begin]]
    names = _names(header, comments[-1:], delimiter, width)
    cells_of_first = cells(numbered[begin][1], delimiter)[:width]
    stamped = next((c for c, name in enumerate(names) if _is_time(name)), -1)
    if stamped < 0:
        stamped = next((c for c, cell in enumerate(cells_of_first) if clock_text_unit(cell)), -1)
    nanoseconds = _nanoseconds(names, stamped)
    texts = {c for c, name in enumerate(names) if _TEXTS.match(_last_part(_split(name)[0]))}
    values = np.empty((len(numbered) - begin, width))
    table = []
    for row, (line_number, line) in enumerate(numbered[begin:]):
        row_cells = cells(line, delimiter)
        if len(row_cells) == width + 1 and not row_cells[-1]:
            row_cells.pop()
        if len(row_cells) != width:
            message = f"line {line_number} has {len(row_cells)} cells, the first row {width}"
            raise InputError(message, "write a cell for each column in every row")
        table.append(row_cells)
        values[row] = _numbers(row_cells, decimal, texts | {stamped}, line_number)
    is_certain = stamped >= 0
    if not is_certain:
        stamped, is_certain = _ascending(values, bool(names))
    stamps = tuple(row_cells[stamped] for row_cells in table) if stamped >= 0 else ()
    parts = tuple(row_cells[nanoseconds] for row_cells in table) if nanoseconds >= 0 else ()
    return _Raw(names, values, stamps, stamped, parts, is_certain, decimal)


def _nanoseconds(names: Sequence[str], stamped: int) -> int:
    """Index of the column with the nanoseconds of stamps, or -1."""
    if not names or stamped < 0:
        return -1
    seconds = re.sub(r"[\s_./]*(?:secs?|seconds?)\Z", "", names[stamped].lower())
    for column, name in enumerate(names):
        match = _NANOSECONDS.match(name.lower())
        if match is not None and match["stem"] == seconds and column != stamped:
            return column
    return -1


def _ascending(values: FloatArray, is_named: bool) -> tuple[int, bool]:
    """Index of the column whose numbers are times, or -1, and whether that is certain.

    Stamps since 1970 are certain. Without names, the first column is the time if it ascends, and the
    last one may be.
    """
    for column in range(values.shape[1]):
        times = values[np.isfinite(values[:, column]), column]
        steps = np.diff(times)
        if len(steps) and stamp_unit(float(times[0])) and (steps >= 0.0).all() and steps.any():
            return column, True
    for column, is_certain in () if is_named else ((0, True), (values.shape[1] - 1, False)):
        if len(values) > 1 and bool((np.diff(values[:, column]) > 0.0).all()):
            return column, is_certain
    return -1, False


def _trimmed(row: list[str]) -> list[str]:
    """Return the row without the empty cell due to a delimiter at its end."""
    return row[:-1] if len(row) > 1 and not row[-1] else row


def _is_data(row: list[str], decimal: str) -> bool:
    """Return whether a row contains data: headers start with a word or contain no numbers."""
    first = row[0]
    begins = (
        is_number(first, decimal) or first.lower() in MISSING or clock_text_unit(first) is not None
    )
    return begins and any(is_number(cell, decimal) for cell in row)


def _numbers(row: list[str], decimal: str, texts: set[int], line: int) -> list[float]:
    """Numbers of a row; NaN for the text in the columns `texts`."""
    try:
        if decimal == "." and not any("_" in cell for cell in row):  # Python alone reads 0_2 as 2
            return [value if math.isfinite(value := float(cell)) else math.nan for cell in row]
    except ValueError:
        pass
    result = []
    for column, cell in enumerate(row):
        try:
            result.append(number(cell, decimal))
        except ValueError:
            if column not in texts:
                excerpt = cell if len(cell) <= 40 else f"{cell[:40]}..."
                raise InputError(
                    f'line {line}: "{excerpt}" is not a number', "correct it, or clear the cell"
                ) from None
            result.append(math.nan)
    return result


def _names(
    header: list[list[str]], comment: list[str], delimiter: str, width: int
) -> tuple[str, ...]:
    """Return the names of the columns with units appended, from the rows above the numbers, or ()."""
    full = [row for row in header if len(row) == width]
    if header and not full:
        message = f"its header has {len(header[-1])} names and its rows have {width} cells"
        raise InputError(message, "name every column")
    if not full and comment:  # header as written by numpy.savetxt
        row = _trimmed(cells(comment[0].lstrip().lstrip("#"), delimiter))
        full = [row] if len(row) == width and not any(is_number(cell, ".") for cell in row) else []
    if not full:
        return ()
    units = [row for row in full if any(row) and all(_unit_of(cell) for cell in row if cell)]
    labels = [row for row in full if row not in units] or full
    names = [cell.strip().strip('"') for cell in labels[-1]]
    if units and units[-1] is not labels[-1]:
        names = [
            f"{name} [{unit.strip('[]()')}]" if unit else name
            for name, unit in zip(names, units[-1], strict=True)
        ]
    return tuple(names)


def _unit_of(cell: str) -> str | None:
    return angle_unit_of(cell) or time_unit_of(cell)


def _split(name: str) -> tuple[str, str]:
    """Return the name in lower case without its unit, and the unit as written ("" if none)."""
    match = _SUFFIX.search(name)
    if match is None or not name[: match.start()].strip():
        return re.sub(r"[\s_]+", " ", name.lower()).strip(), ""
    unit = next(part for part in match.group("square", "round", "bare", "sign") if part is not None)
    if unit.isdigit():  # an index, as in "position[3]"
        return re.sub(r"[\s_]+", " ", name.lower()).strip(), ""
    return re.sub(r"[\s_]+", " ", name[: match.start()].lower()).strip(), unit


# -------------------------------------------------------------------------------------------- times


def _is_time(name: str) -> bool:
    base, unit = _split(name)
    if unit and angle_unit_of(unit):
        return False
    last = _last_part(base).removeprefix("%")
    return last in _TIME_NAMES or (last.removesuffix(" utc").removesuffix(" local") in _TIME_NAMES)


def _last_part(base: str) -> str:
    """Last part of a name with dots, such as the field of a ROS message."""
    return re.split(r"[./]", base)[-1].strip()


def _has_times(raw: _Raw, axes: int) -> bool:
    """Whether the candidate column contains times."""
    return raw.stamped >= 0 and (raw.is_certain or raw.values.shape[1] == axes + 1)


def _times(
    raw: _Raw, axes: int, rate_hz: float | None, notes: list[Note]
) -> tuple[FloatArray, IndexArray]:
    """Times of the rows, from 0, s, and the indices of these rows in the file."""
    count = len(raw.values)
    if rate_hz is not None or not _has_times(raw, axes):
        if rate_hz is None:
            raise TableError("rate_hz", "the table has no time column", "set the rows per second")
        time = np.arange(count) / rate_hz
        rows = np.arange(count)
    else:
        time = _stamped(raw, notes)
        rows = np.flatnonzero(np.isfinite(time))
        if len(rows) < count:
            notes.append(
                Note(
                    "warning",
                    "file",
                    f"{counted(count - len(rows), 'row')} without a time were ignored",
                    "fill in the times",
                )
            )
        time = time[rows]
        back = np.flatnonzero(np.diff(time) < 0.0)
        if len(back):
            at = int(back[0])
            message = f"the times are not ascending: {time[at + 1]:.6g} s follows {time[at]:.6g} s"
            raise TableError("file", message, "sort the rows by time, or set gait.rate_hz")
        last = np.append(np.diff(time) > 0.0, True)[: len(time)]
        if not last.all():
            repeated = int((~last).sum())
            message = f"{counted(repeated, 'row')} with the time of the next one were ignored"
            notes.append(
                Note("hint", "file", message, "write the times with more digits if all rows matter")
            )
        time = time[last]
        rows = rows[last]
    if len(time) < 2:
        raise TableError(
            "file",
            "only one row of the table has a distinct time",
            "add a row of joint angles for each time",
        )
    return time - time[0], rows


def _stamped(raw: _Raw, notes: list[Note]) -> FloatArray:
    """Return the times of all rows, s; NaN for cells without a time."""
    first = next((cell for cell in raw.stamps if cell.lower() not in MISSING), "")
    unit: TimeUnit | None = None
    if raw.names:
        unit = time_unit_of(_split(raw.names[raw.stamped])[1])
    numeric = is_number(first, raw.decimal)
    if not numeric:
        unit = clock_text_unit(first)
        if unit is None:
            raise TableError(
                "file",
                f'"{first[:40]}" is not a time',
                "write times in seconds, or set gait.rate_hz",
            )
    elif unit is None:
        value = float(first.replace(",", "."))
        unit = stamp_unit(value)
        if unit is None:
            column = raw.values[:, raw.stamped]
            column = column[np.isfinite(column)]
            steps = np.diff(column)
            unit = "s"
            if (
                len(steps)
                and float(np.median(steps)) >= _LONG_STEP
                and bool((column == np.rint(column)).all())
            ):
                unit = "ms"
                message = "the times have no unit and were read as milliseconds"
                notes.append(
                    Note("hint", "file", message, 'name the column "time_s" if they are seconds')
                )
    clock = Clock(unit, raw.decimal, None)
    for row, cell in enumerate(raw.stamps):
        try:
            clock.add(cell, raw.nanoseconds[row] if raw.nanoseconds else None)
        except ValueError as error:
            wrong = str(error)[:40]
            raise TableError(
                "file", f'"{wrong}" is not a time', "correct it, or clear the cell"
            ) from None
    _report_clock(raw, clock, notes)
    return clock.times()


def _report_clock(raw: _Raw, clock: Clock, notes: list[Note]) -> None:
    """Record which column was read as time, and its start, unless the header or its position states it."""
    column = raw.names[raw.stamped] if raw.names else str(raw.stamped + 1)
    if _is_time(column) if raw.names else raw.stamped == 0 and not clock.description:
        return
    reading = f" ({clock.description})" if clock.description else ""
    notes.append(
        Note(
            "hint",
            "file",
            f'column "{column}" was read as the time{reading}, and its first row is t = 0',
            "set gait.rate_hz if it is not the time",
        )
    )


# ------------------------------------------------------------------------------------------ columns


class _Candidate(NamedTuple):
    column: int
    number: int | None
    kind: str | None
    stem: str


def _columns(
    raw: _Raw, axes: Sequence[Axis], ignored: Sequence[Axis], rate_hz: float | None
) -> tuple[list[int], bool]:
    """Return the column of each axis, and whether they are this program's columns."""
    if not raw.names:
        width = raw.values.shape[1]
        is_timed = _has_times(raw, len(axes)) and (rate_hz is None or width == len(axes) + 1)
        columns = [c for c in range(width) if not (is_timed and c == raw.stamped)]
        return _in_order(columns, axes), False
    own = _own_columns(raw.names, axes, ignored)
    if own is not None:
        return own, True
    candidates = [
        c
        for k, name in enumerate(raw.names)
        if k != raw.stamped and (c := _candidate(k, name)) is not None
    ]
    groups: dict[str, list[_Candidate]] = {}
    for each in candidates:
        if each.number is not None:
            groups.setdefault(each.stem, []).append(each)
    consistent = [
        group for group in groups.values() if len({(c.number, c.kind) for c in group}) == len(group)
    ]
    if consistent and max(map(len, consistent)) > 1:
        most = max(map(len, consistent))
        best = min(
            (g for g in consistent if len(g) == most),
            key=lambda g: bool(set(g[0].stem.split()) & _COMMANDS),
        )
        return _by_number(best, axes, ignored), False
    return _in_order([each.column for each in candidates], axes), False


def _own_columns(
    names: Sequence[str], axes: Sequence[Axis], ignored: Sequence[Axis]
) -> list[int] | None:
    """Return the columns of the axes in tables of this program: angles, or references if there are no angles."""
    by_joint = {
        (int(m[1]) - 1, m[2], bool(m[3])): k
        for k, name in enumerate(names)
        if (m := _OWN.match(name))
    }
    if not by_joint:
        return None
    known = {(axis.joint, axis.kind) for axis in (*axes, *ignored)}
    extra = sorted({(joint, kind) for joint, kind, _ in by_joint} - known)
    if not extra:
        for reference in (False, True):
            columns = [by_joint.get((axis.joint, axis.kind, reference)) for axis in axes]
            if None not in columns:
                return [column for column in columns if column is not None]
        missing = next(axis for axis in axes if (axis.joint, axis.kind, False) not in by_joint)
        message = f"the table has no column {missing.name}_rad"
    else:
        message = f"the table has angles of joint_{extra[0][0] + 1}_{extra[0][1]}, an axis that the robot does not have"
    raise TableError("file", message, "choose a table of a robot with the same joints")


def _candidate(column: int, name: str) -> _Candidate | None:
    """Return the column that can contain angles; None for other content."""
    base, unit = _split(name)
    if unit and not angle_unit_of(unit):
        return None
    tokens = re.findall(
        r"[^\W\d_]+",
        re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name[: len(base)] if unit else name).lower(),
    )
    last = _last_part(base)
    if set(tokens) & _OTHER_QUANTITIES or last in _INDEX_NAMES or base.startswith("unnamed"):
        return None
    if _NANOSECONDS.match(base) or _TEXTS.match(last):
        return None
    numbers = re.findall(r"\d{1,4}", base)
    kind = next((_KINDS[token] for token in tokens if token in _KINDS), None)
    stem = " ".join(token for token in tokens if token not in _KINDS)
    if len(numbers) > 1:  # in "snake2 joint 03" the last number is the joint
        stem += " " + " ".join(numbers[:-1])
    return _Candidate(column, int(numbers[-1]) if numbers else None, kind, stem)


def _by_number(group: list[_Candidate], axes: Sequence[Axis], ignored: Sequence[Axis]) -> list[int]:
    """Return the columns whose names identify joints, or joints and axes, by number."""
    least = min(each.number or 0 for each in group)
    base = 0 if least == 0 else 1
    if all(each.kind is not None for each in group):
        by_axis = {((each.number or 0) - base, each.kind): each.column for each in group}
        columns = [by_axis.get((axis.joint, axis.kind)) for axis in axes]
        extra = set(by_axis) - {(axis.joint, axis.kind) for axis in (*axes, *ignored)}
        if None in columns or extra:
            raise _other_count(len(group), axes)
        return [column for column in columns if column is not None]
    by_number = {(each.number or 0) - base: each.column for each in group}
    joints = [axis.joint for axis in axes]
    if len(by_number) == len(axes) and set(by_number) == set(joints):
        return [by_number[joint] for joint in joints]
    return _in_order(
        [each.column for each in sorted(group, key=lambda each: each.number or 0)], axes
    )


def _in_order(columns: list[int], axes: Sequence[Axis]) -> list[int]:
    if len(columns) != len(axes):
        raise _other_count(len(columns), axes)
    return columns


def _other_count(count: int, axes: Sequence[Axis]) -> TableError:
    single = len({axis.joint for axis in axes}) == len(axes)
    return TableError(
        "file",
        f"the table has {counted(count, 'column')} of joint angles but the robot has "
        f"{counted(len(axes), 'joint' if single else 'joint axis')}",
        "add a column for each, name the column of the time, or choose a robot with as many joints",
    )


# ---------------------------------------------------------------------------------- units and holes


def _units(
    raw: _Raw, chosen: list[int], unit: Literal["auto", "deg", "rad"], notes: list[Note]
) -> tuple[FloatArray, Literal["deg", "rad"]]:
    """Return the radians per unit for each column, and the unit of the first."""
    if unit != "auto":
        return np.full(len(chosen), ANGLE_UNITS[unit]), unit
    named = [
        angle_unit_of(_split(raw.names[column])[1]) if raw.names else None for column in chosen
    ]
    known = [each for each in named if each is not None]
    if known and len(known) == len(named):
        return np.array([ANGLE_UNITS[each] for each in known]), known[0]
    values = raw.values[:, chosen]
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    if not known and largest <= _SURELY_RADIANS:
        if largest > 0.0:
            message = f"the angles are at most {largest:.3g} and were read as radians ({math.degrees(largest):.3g}°)"
            notes.append(
                Note(
                    "hint",
                    "unit",
                    message,
                    'set it to "deg" if they are degrees, or to "rad" to confirm',
                )
            )
        return np.ones(len(chosen)), "rad"
    if not known and largest > _SURELY_DEGREES:
        message = f"the angles are up to {largest:.4g} and were read as degrees"
        notes.append(
            Note(
                "hint",
                "unit",
                message,
                'set it to "rad" if they are radians, or to "deg" to confirm',
            )
        )
        return np.full(len(chosen), ANGLE_UNITS["deg"]), "deg"
    what = (
        "only some columns have a unit"
        if known
        else f"no column has a unit and the largest angle is {largest:.3g}"
    )
    raise TableError(
        "unit", f"the unit of the angles is ambiguous: {what}", 'set it to "deg" or "rad"'
    )


def _report_gaps(
    angle: FloatArray, time: FloatArray, names: tuple[str, ...], notes: list[Note]
) -> None:
    """Record missing cells and gaps in time.

    Raises `TableError` if a column has no numbers.
    """
    missing = ~np.isfinite(angle)
    if missing.any():
        empty = np.flatnonzero(missing.all(axis=0))
        if len(empty):
            raise TableError(
                "file",
                f'column "{names[empty[0]]}" contains no numbers',
                "fill it in, or remove the column",
            )
        message = f"{int(missing.sum())} cells contain no number and were interpolated from neighbouring rows"
        notes.append(Note("warning", "file", message, "fill them in if this is not intended"))
    steps = np.diff(time)
    usual = float(np.median(steps))
    longest = int(steps.argmax())
    if steps[longest] > max(_GAP * usual, _SHORTEST_GAP):
        message = f"there is a gap of {steps[longest]:.3g} s at {time[longest]:.4g} s, interpolated by one smooth curve"
        notes.append(Note("warning", "file", message, "add rows if the joints must move otherwise"))
