"""Recognizer of all other text tables, by column names. Anything uncertain becomes a question."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import cast

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.experiment.column_names import Heading, headings, link_of, rate_in
from snakestudio.analysis.experiment.layout import (
    AXES,
    BodyColumns,
    JointColumns,
    Layout,
    RotationKind,
)
from snakestudio.analysis.experiment.recognizers.reading import (
    IgnoredList,
    Reading,
    is_unit_quaternion,
    trimmed,
    unique_names,
    upright_axes,
    values_of,
)
from snakestudio.analysis.experiment.upright import up_axis
from snakestudio.inputs import MEASUREMENT
from snakestudio.model.tables.cells import (
    MISSING,
    beginning_of,
    cells,
    delimiter_and_decimal,
    is_number,
)
from snakestudio.model.tables.clock import clock_text_unit, stamp_unit
from snakestudio.model.tables.units import (
    TIME_UNITS,
    AngleUnit,
    LengthUnit,
    TimeUnit,
    length_unit_of,
)

_BEGINNING = 400
"""Number of lines that the recognizer reads."""

_CHARACTERS = 2_000_000
"""Number of characters that it reads."""

_WORDS = 2_000
"""Largest number of characters of a line of metadata."""

_LARGE_M = 30.0
"""Range of positions without unit above which they are taken as millimetres."""

_ROTATIONS: tuple[tuple[RotationKind, tuple[str, ...]], ...] = (
    ("quaternion", ("qw", "qx", "qy", "qz")),
    ("euler", ("roll", "pitch", "yaw")),
    ("vertical", ("vertical",)),
)


@dataclass(slots=True)
class _Table:
    """Parsed beginning of a table."""

    delimiter: str
    decimal: str
    header_rows: int
    n_columns: int
    rows: list[list[str]]
    values: FloatArray
    headings: list[Heading]
    metadata: list[str]
    named: bool
    n_names: int
    """Number of columns in the row of names."""

    @property
    def text_columns(self) -> set[int]:
        """Columns with texts and no numbers."""
        return {
            column
            for column in range(self.n_columns)
            if not np.isfinite(self.values[:, column]).any()
            and any(column < len(row) and row[column].lower() not in MISSING for row in self.rows)
        }


@dataclass(slots=True)
class _Group:
    """Columns of one body."""

    name: str
    columns: dict[str, int] = field(default_factory=dict)


def recognize_table(lines: list[str]) -> Reading:
    """Recognize a table given as lines."""
    table = _parse_table(lines)
    layout = Layout(
        delimiter=table.delimiter,
        decimal="," if table.decimal == "," else ".",
        header_rows=table.header_rows,
    )
    ignored = IgnoredList()
    remarks: list[str] = []
    questions: list[str] = []
    if not table.named and table.n_columns:
        table.headings = _by_position(table, remarks, questions)
    if table.named:
        _question_names(table, questions)
    layout = _timed(layout, table, ignored, remarks, questions)
    groups = _groups(table, ignored, remarks, questions)
    bodies = _bodies(groups, table, ignored, remarks)
    _ignore_others(table, layout, ignored)
    layout = replace(layout, bodies=tuple(bodies), joints=_joints(table.headings))
    layout, stated = _with_units(layout, table, remarks, questions)
    file_type = _file_type(table)
    kind = "body"
    if file_type == "Table":
        layout = replace(layout, axes=_axes(layout, table.values))
    else:
        axes, doubts = upright_axes(bodies, table.values, "z")
        layout = replace(layout, axes=axes)
        kind = "trajectory"
        remarks += doubts
    return Reading(
        file_type,
        layout,
        (kind,) * len(bodies),
        ignored.entries(),
        tuple(remarks),
        tuple(questions),
        stated,
    )


# --- parsing ---------------------------------------------------------------------------------


def _parse_table(lines: list[str]) -> _Table:
    begun = next(
        (i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")), 0
    )
    beginning = beginning_of(lines[begun : begun + _BEGINNING], _BEGINNING, _CHARACTERS)
    delimiter, decimal = delimiter_and_decimal(beginning)
    first = _first_row(beginning, delimiter, decimal)
    rows = [
        cells(line, delimiter)
        for line in beginning[first:]
        if line.strip() and not line.startswith("#")
    ]
    n_columns = min(max((len(row) for row in rows), default=0), MEASUREMENT.columns)
    rows = [row[:n_columns] for row in rows]
    above = [
        cells(line, delimiter)
        for line in beginning[:first]
        if line.strip() and not line.startswith("#")
    ]
    # Rows above the numbers that are about as wide as the table are column names; narrower ones are
    # metadata of the file.
    name_rows = [row for row in above if len(row) >= max(2, n_columns - 2)]
    if not name_rows:
        name_rows = _words_of_comment(
            lines[max(begun - _BEGINNING, 0) : begun + first], delimiter, n_columns
        )
    names = headings(name_rows, n_columns)
    metadata = [
        line[:_WORDS] for line in lines[max(begun - _BEGINNING, 0) : begun + first] if line.strip()
    ]
    values = values_of(rows, n_columns, decimal)
    n_names = len(trimmed(name_rows[-1])) if name_rows else 0
    return _Table(
        delimiter,
        decimal,
        begun + first,
        n_columns,
        rows,
        values,
        names,
        metadata,
        bool(name_rows),
        n_names,
    )


def _question_names(table: _Table, questions: list[str]) -> None:
    """Ask if names and columns do not match."""
    if table.n_names > table.n_columns:
        questions.append(
            f"The row of names has {table.n_names} columns, but the rows of numbers have {table.n_columns}. Export the "
            "table again, or give a layout."
        )
        return
    nameless = [
        str(column + 1)
        for column, heading in enumerate(table.headings)
        if column and not heading.name and np.isfinite(table.values[:, column]).any()
    ]
    if nameless:
        questions.append(
            f"There is no name above column {', '.join(nameless[:8])}. Export the table again, or give a layout."
        )


def _words_of_comment(lines: list[str], delimiter: str, n_columns: int) -> list[list[str]]:
    """Return the names in the last comment above the numbers, if there is one for each column."""
    comment = next((line for line in reversed(lines) if line.strip()), "")
    if not comment.startswith("#"):
        return []
    text = comment.lstrip("#").strip()
    for mark in dict.fromkeys((delimiter, ",", " ")):
        row = cells(text, mark)
        if len(row) == n_columns >= 2:
            return [row]
    return []


def _first_row(lines: list[str], delimiter: str, decimal: str) -> int:
    """Return the index of the first row: numbers in all columns in which the rows below have numbers."""
    full = [i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    tail = [cells(lines[i], delimiter) for i in full[len(full) // 2 :][-60:]]
    numbers = _number_columns(tail, decimal)

    def numeric(line: str) -> bool:
        row = cells(line, delimiter)
        known = [
            cell
            for column, cell in enumerate(row)
            if column in numbers and cell.lower() not in MISSING
        ]
        return len(row) >= 2 and len(known) >= 1 and all(is_number(cell, decimal) for cell in known)

    for i, j in pairwise(full):
        if numeric(lines[i]) and numeric(lines[j]):
            return i
    return full[-1] if full and numeric(lines[full[-1]]) else len(lines)


def _number_columns(rows: list[list[str]], decimal: str) -> set[int]:
    """Return the columns with at least as many numbers as texts; columns of remarks have few of either."""
    balance: Counter[int] = Counter()
    for row in rows:
        for column, cell in enumerate(row):
            if cell.lower() not in MISSING:
                balance[column] += 1 if is_number(cell, decimal) else -1
    return {column for column, count in balance.items() if count >= 0}


def _file_type(table: _Table) -> str:
    names = [heading.name.lower().lstrip("#% ") for heading in table.headings]
    if any(re.match(r"p_[a-z]+(_[a-z]+)?_x", name) for name in names):
        return "EuRoC trajectory"
    if any(
        name.startswith(("field.", "%time", "field/"))
        or "header.stamp" in name
        or "header/stamp" in name
        or name == "__time"
        or "/pose/" in name
        for name in names
    ):
        return "ROS table"
    if names[:4] in (["timestamp", "tx", "ty", "tz"], ["time", "tx", "ty", "tz"]):
        return "Trajectory, TUM"
    return "Table"


# --- numbers without names ------------------------------------------------------------------------


def _by_position(table: _Table, remarks: list[str], questions: list[str]) -> list[Heading]:
    """Return the suggested headings for columns without names; only time, x, y and z of one body are certain."""
    values = table.values
    n_columns = table.n_columns
    timed = (n_columns == 3 or n_columns % 3 != 0) and _counts_evenly(values[:, 0])
    result = [Heading("time")] if timed else []
    left = n_columns - len(result)
    size = 3 if left % 3 == 0 else 2 if left % 2 == 0 and left < 6 else 3
    for j in range(left):
        is_complete = (j // size + 1) * size <= left
        result.append(
            Heading(
                "xyz"[j % size] if is_complete else "",
                f"Body {j // size + 1}" if left > size else "",
            )
        )
    certain = timed and n_columns == 4 and not _counts_evenly(values[:, 2])
    if certain:
        remarks.append("No line names the columns; they are read as time, x, y and z.")
    else:
        questions.append(
            f"The table has {n_columns} columns without names, so it is not certain which of them are times and "
            "positions. Give a layout, or export the table with a row of names."
        )
    return result


def _counts_evenly(column: FloatArray) -> bool:
    steps = np.diff(column)
    return (
        len(steps) > 1
        and bool(np.all(steps > 0))
        and float(np.ptp(steps)) <= 0.5 * float(np.median(steps))
    )


# --- time -----------------------------------------------------------------------------------------


def _timed(
    layout: Layout, table: _Table, ignored: IgnoredList, remarks: list[str], questions: list[str]
) -> Layout:
    rate = rate_in(table.metadata)
    columns = [i for i, heading in enumerate(table.headings) if heading.what == "time"]
    frames = [i for i, heading in enumerate(table.headings) if heading.what == "frame"]
    numeric = [i for i in columns if _increases(table.values[:, i])]
    texts = [(i, unit) for i in table.text_columns if (unit := _text_clock(table, i)) is not None]
    stamps = [i for i in numeric if "stamp" in table.headings[i].name.lower()]
    if not numeric and columns and not texts:
        numeric = [i for i in columns if np.isfinite(table.values[:, i]).any()][:1]
    if numeric:
        column = (stamps or numeric)[0]
        name = table.headings[column].name
        others = [
            table.values[:, i] for i in numeric if i != column and table.headings[i].name == name
        ]
        if not all(np.allclose(other, table.values[:, column], equal_nan=True) for other in others):
            questions.append(
                f'Several columns with different times have the name "{name}". Give a layout, or export the bodies '
                "one by one."
            )
        extra = _nanoseconds(table, column)
        steps = np.diff(table.values[:, column])
        if extra is None and np.count_nonzero(steps == 0.0) > 0.5 * len(steps):
            questions.append(
                f'Most rows of the column "{name}" have the time of the row before, so the times are not '
                "certain. Give a layout, or export more digits."
            )
        unit = _time_unit(table, column, remarks, questions)
        layout = replace(layout, time_column=column, time_unit=unit)
        return replace(layout, nanoseconds_column=extra)
    if texts:
        named = [(i, unit) for i, unit in texts if i in columns]
        column, unit = (named or texts)[0]
        if unit == "timecode" and not rate:
            questions.append(
                "The times are timecodes, but there is no frame rate. Give the rate in a layout."
            )
        return replace(
            layout, time_column=column, time_unit=unit, rate_hz=rate if unit == "timecode" else None
        )
    unread = next((i for i in columns if i in table.text_columns), None)
    if unread is not None:
        text = next(
            row[unread]
            for row in table.rows
            if unread < len(row) and row[unread].lower() not in MISSING
        )
        questions.append(
            f'The column "{table.headings[unread].name}" holds texts such as "{text[:40]}", which are not dates (ISO '
            "8601), times of day or timecodes. Export the times in seconds, or give a layout."
        )
    if frames:
        return replace(layout, time_column=frames[0], time_unit="frame", rate_hz=rate)
    return replace(layout, time_column=None, rate_hz=rate)


def _nanoseconds(table: _Table, column: int) -> int | None:
    """Return the column of nanoseconds for whole seconds in another column; None if there is none."""
    seconds = table.values[:, column]
    if table.headings[column].unit != "s" or not np.all(seconds[np.isfinite(seconds)] % 1.0 == 0.0):
        return None
    for other, heading in enumerate(table.headings):
        if heading.what == "nanoseconds" or (heading.what == "time" and heading.unit == "ns"):
            values = table.values[:, other]
            if np.all((values >= 0.0) & (values < 1e9)):
                return other
    return None


def _increases(column: FloatArray) -> bool:
    known = column[np.isfinite(column)]
    return len(known) > 1 and bool(np.any(np.diff(known) > 0))


def _text_clock(table: _Table, column: int) -> TimeUnit | None:
    """Return the kind of clock in the texts of a column; None for other texts."""
    kinds = {
        clock_text_unit(row[column])
        for row in table.rows
        if column < len(row) and row[column].lower() not in MISSING
    }
    return kinds.pop() if len(kinds) == 1 else None


def _time_unit(table: _Table, column: int, remarks: list[str], questions: list[str]) -> TimeUnit:
    values = table.values[:, column]
    known = values[np.isfinite(values)]
    first = float(known[0]) if len(known) else 0.0
    since_epoch = stamp_unit(first) if first > 1e8 else None
    stated = table.headings[column].unit
    if stated in TIME_UNITS:
        unit = cast(TimeUnit, stated)
        if since_epoch is not None and since_epoch != unit and first * TIME_UNITS[unit] > 1e10:
            questions.append(
                f"The unit of time is stated as {unit}, but the values look like {since_epoch} since 1970. Give the "
                "unit in a layout."
            )
        return unit
    steps = np.diff(known)
    steps = steps[steps > 0]
    step = float(np.median(steps)) if len(steps) else 0.0
    # Frame rates are at least 2 Hz and at most 10 kHz.
    by_step = next(
        (unit for unit, most in (("s", 0.5), ("ms", 500.0), ("us", 5e5)) if step < most), "ns"
    )
    unit = since_epoch or cast(TimeUnit, by_step)
    if since_epoch is None and 0.5 <= step <= 2.0:
        questions.append(
            f"The times are {step:g} apart and have no unit. Give the unit (seconds, milliseconds, frames) in a layout."
        )
    elif unit != "s":
        why = "they are counted from 1970" if since_epoch else f"they are {step:g} apart"
        remarks.append(f"No unit of time is stated; the times are read in {unit}, because {why}.")
    return unit


# --- bodies ---------------------------------------------------------------------------------------


def _groups(
    table: _Table, ignored: IgnoredList, remarks: list[str], questions: list[str]
) -> list[_Group]:
    """Return the columns grouped by body; a repeated name starts another body."""
    groups: list[_Group] = []
    latest: dict[tuple[str, int], _Group] = {}
    for column, heading in enumerate(table.headings):
        if heading.what in ("", "time", "nanoseconds", "frame", "joint_yaw", "joint_pitch"):
            continue
        key = (heading.body, heading.occurrence)
        group = latest.get(key)
        if group is None or heading.what in group.columns:
            group = latest[key] = _Group(heading.body)
            groups.append(group)
        group.columns[heading.what] = column
    placed = [group for group in groups if sum(axis in group.columns for axis in "xyz") >= 2]
    placed = _without_points(placed, table, ignored)
    if table.named and any(
        len({table.headings[c].name for c in group.columns.values()}) < len(group.columns)
        for group in groups
    ):
        remarks.append(
            "Consecutive columns with the same name are read as the x, y and z of a body."
        )
    for name in dict.fromkeys(group.name for group in groups):
        own = [group for group in groups if group.name == name]
        if len(own) > 1 and any(group not in placed for group in own):
            what = f"of {name}" if name else "x, y and z"
            questions.append(
                f"Columns {what} are repeated, but not as complete positions. Give a layout, or export the "
                "table with different names."
            )
    _question_axes(placed, questions)
    unnamed = [group for group in placed if not group.name]
    repeated = [
        name
        for name, count in Counter(group.name for group in placed).items()
        if count > 1 and name
    ]
    if len(unnamed) > 1:
        for number, group in enumerate(unnamed, 1):
            group.name = f"Body {number}"
        remarks.append(
            f"{len(unnamed)} bodies have the same column names; they are numbered in the order of the file."
        )
    if repeated:
        remarks.append(
            f"Several bodies have the same name: {', '.join(repeated)}; the later ones are numbered."
        )
    for group, name in zip(placed, unique_names([group.name for group in placed])[0], strict=True):
        group.name = name
    return placed


def _without_points(groups: list[_Group], table: _Table, ignored: IgnoredList) -> list[_Group]:
    """Return the groups without points that are not links, such as the target of a controller.

    In a table of links, these are groups of other names, with other coordinates or in another unit.
    """

    def form(group: _Group) -> tuple[tuple[str, str], ...]:
        columns = group.columns
        return tuple(
            (axis, table.headings[columns[axis]].unit) for axis in "xyz" if axis in columns
        )

    links = {form(group) for group in groups if link_of(group.name) is not None}
    if len(links) != 1:
        return groups
    bodies = [group for group in groups if link_of(group.name) is not None or form(group) in links]
    for group in groups:
        if group not in bodies:
            for column in group.columns.values():
                ignored.add(table.headings[column].name, "not a link")
    return bodies


def _question_axes(groups: list[_Group], questions: list[str]) -> None:
    """Ask if bodies have different coordinates, for example because a column is missing."""
    axes = {tuple(sorted(axis for axis in "xyz" if axis in group.columns)) for group in groups}
    if axes - {("x", "y"), ("x", "y", "z")} or len(axes) > 1:
        held = "; ".join(
            f"{group.name or 'a body'} {', '.join(axis for axis in 'xyz' if axis in group.columns)}"
            for group in groups[:6]
        )
        questions.append(
            f"The bodies have different coordinates ({held}). Export x, y and z, or give a layout."
        )
    orders: dict[str, set[tuple[str, ...]]] = {}
    for group in groups:
        orders.setdefault(group.name, set()).add(tuple(group.columns))
    mixed = [name for name, own in orders.items() if len(own) > 1]
    if mixed:
        what = f"of {mixed[0]}" if mixed[0] else "x, y and z"
        questions.append(f"Columns {what} are repeated in different orders. Give a layout.")


def _bodies(
    groups: list[_Group], table: _Table, ignored: IgnoredList, remarks: list[str]
) -> list[BodyColumns]:
    bodies = []
    for group in groups:
        columns = group.columns
        kind, axes = next(
            ((kind, parts) for kind, parts in _ROTATIONS if all(part in columns for part in parts)),
            ("none", ()),
        )
        chosen = tuple(columns[part] for part in axes)
        name = group.name or "Body"
        if kind == "quaternion" and not is_unit_quaternion(table.values[:, chosen]):
            if np.isfinite(table.values[:, chosen]).any():
                remarks.append(
                    f"{name}: its quaternions do not have norm 1, so its orientation is not read."
                )
            kind = "none"
            chosen = ()
        for what, column in columns.items():
            if what not in ("x", "y", "z") and column not in chosen:
                ignored.add(table.headings[column].name, "not a complete rotation")
        bodies.append(
            BodyColumns(
                name,
                columns.get("x"),
                columns.get("y"),
                columns.get("z"),
                kind,
                chosen,
                link_of(name),
            )
        )
    return bodies


def _ignore_others(table: _Table, layout: Layout, ignored: IgnoredList) -> None:
    """List the columns that are neither time nor part of a body."""
    texts = table.text_columns
    for column, heading in enumerate(table.headings):
        if column in (layout.time_column, layout.nanoseconds_column) or heading.what.startswith(
            "joint"
        ):
            continue
        name = heading.name or f"column {column + 1}"
        if column in texts:
            ignored.add(name, "text")
        elif heading.what in ("time", "nanoseconds", "frame"):
            ignored.add(name, "another clock" if heading.what != "frame" else "a count of frames")
        elif not heading.what and (np.isfinite(table.values[:, column]).any() or heading.name):
            ignored.add(name, heading.reason or "not a position")
    # Columns of a body with fewer than two coordinates.
    used = {
        column for column, heading in enumerate(table.headings) if heading.what in ("x", "y", "z")
    }
    by_body = Counter(
        (table.headings[column].body, table.headings[column].occurrence) for column in used
    )
    for column in sorted(used):
        heading = table.headings[column]
        if by_body[heading.body, heading.occurrence] < 2:
            ignored.add(heading.name or f"column {column + 1}", "a single coordinate")


def _joints(columns: list[Heading]) -> tuple[JointColumns, ...]:
    joints: dict[int, dict[str, int]] = {}
    for column, heading in enumerate(columns):
        if heading.what in ("joint_yaw", "joint_pitch"):
            joints.setdefault(int(heading.body) - 1, {}).setdefault(heading.what, column)
    return tuple(
        JointColumns(i, own.get("joint_yaw"), own.get("joint_pitch"))
        for i, own in sorted(joints.items())
    )


# --- units and axes -------------------------------------------------------------------------------


def _with_units(
    layout: Layout, table: _Table, remarks: list[str], questions: list[str]
) -> tuple[Layout, bool]:
    """Return the layout with its units, and whether the unit of length is stated."""
    values = table.values
    columns = [c for body in layout.bodies for c in (body.x, body.y, body.z) if c is not None]
    lengths = {table.headings[c].unit for c in columns if length_unit_of(table.headings[c].unit)}
    unknown = sorted({table.headings[c].unknown_unit for c in columns} - {""})
    if unknown:
        questions.append(
            f'The unit of length "{unknown[0]}" is unknown. Give the unit in a layout.'
        )
    if len(lengths) > 1:
        questions.append(
            f"The positions are in different units ({', '.join(sorted(lengths))}). Export them in one unit, or give a "
            "layout for some of the columns."
        )
    length = min(lengths, default="") or _length_in(table.metadata)
    stated = bool(length)
    if not length:
        spans = [_span(values[:, c]) for c in columns]
        length = "mm" if max(spans, default=0.0) > _LARGE_M else "m"
    turning = [
        c
        for body in layout.bodies
        if body.rotation in ("euler", "vertical")
        for c in body.rotation_columns
    ]
    turning += [c for joint in layout.joints for c in (joint.yaw, joint.pitch) if c is not None]
    angles = {table.headings[c].unit for c in turning if table.headings[c].unit in ("rad", "deg")}
    if len(angles) > 1:
        questions.append(
            "Some angles are in radians and some in degrees. Give a layout for those of one unit."
        )
    angle = min(angles, default="")
    if not angle:
        known = np.abs(values[:, turning])
        angle = (
            "deg"
            if turning and np.isfinite(known).any() and float(np.nanmax(known)) > 2.1 * math.pi
            else "rad"
        )
        if turning:
            remarks.append(f"The unit of angles is not stated; they are read in {angle}.")
    if any(body.rotation == "euler" for body in layout.bodies):
        remarks.append("Roll, pitch and yaw are read as R = R_z(yaw) R_y(pitch) R_x(roll).")
    return replace(
        layout, length_unit=cast(LengthUnit, length), angle_unit=cast(AngleUnit, angle)
    ), stated


def _length_in(metadata: list[str]) -> str:
    """Return the unit in a line such as "Length Units,Meters"."""
    for line in metadata:
        match = re.search(r"(?:length )?units?\W+([a-zµ]+)\b", line, re.IGNORECASE)
        if match and length_unit_of(match[1]):
            return str(length_unit_of(match[1]))
    return ""


def _span(column: FloatArray) -> float:
    seen = column[np.isfinite(column) & (column != 0.0)]
    return float(np.ptp(seen)) if len(seen) else 0.0


def _axes(layout: Layout, values: FloatArray) -> str:
    """Return the upward axis according to the tracks; z if a body lacks one of three coordinates."""
    bodies = []
    for body in layout.bodies:
        columns = [c for c in (body.x, body.y, body.z) if c is not None]
        if len(columns) < 3:
            return AXES["z"]
        position = values[:, columns]
        bodies.append(np.where((position == 0.0).all(axis=1, keepdims=True), np.nan, position))
    return AXES[up_axis(np.stack(bodies, axis=1))] if bodies else AXES["z"]
