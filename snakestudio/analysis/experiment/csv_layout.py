"""Guess how a table of measurements is to be read: delimiter, header, columns, units, axes, rate."""

from __future__ import annotations

import contextlib
import math
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import cast

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.experiment.column_names import Heading, headings, link_of, rate_in
from snakestudio.analysis.experiment.layout import (
    AXES,
    AngleUnit,
    BodyColumns,
    JointColumns,
    Layout,
    LengthUnit,
    RotationKind,
    TimeUnit,
)
from snakestudio.analysis.experiment.text_table import (
    MISSING,
    beginning_of,
    cells,
    delimiter_and_decimal,
    is_number,
    number,
    read_bytes,
    read_lines,
)
from snakestudio.analysis.experiment.upright import up_axis
from snakestudio.inputs import MEASUREMENT

__all__ = ["guess_from_lines", "guess_layout", "preview"]


_BEGINNING = 400
"""Lines that the guess looks at."""

_CHARACTERS = 2_000_000
"""Characters of them."""

_WORDS = 2_000
"""Characters of a line that speaks of the whole file."""

_LARGE_M = 30.0
"""No unit given and positions that differ by more than this: millimetres."""


def preview(path: str | Path, layout: Layout, n: int) -> list[list[str]]:
    """The first n lines of a file as cells, header and all.

    Raises
    ------
    ExperimentError
        If the file cannot be read.
    """
    lines = read_lines(Path(path), read_bytes(Path(path)))
    return [cells(line, layout.delimiter) for line in lines[:n]]


def guess_layout(path: str | Path) -> Layout:
    """How a table of text is best read. What cannot be told is left out: see `Layout.problems`.

    Raises
    ------
    ExperimentError
        If the file cannot be read, or is no text.
    """
    return guess_from_lines(read_lines(Path(path), read_bytes(Path(path))))


def guess_from_lines(lines: list[str]) -> Layout:
    """How a table given as lines is best read."""
    begun = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")), 0)
    beginning = beginning_of(lines[begun : begun + _BEGINNING], _BEGINNING, _CHARACTERS)
    delimiter, decimal = delimiter_and_decimal(beginning)
    first = _first_row(beginning, delimiter, decimal)
    rows = [cells(line, delimiter) for line in beginning[first:] if line.strip() and not line.startswith("#")]
    n_columns = min(max((len(row) for row in rows), default=0), MEASUREMENT.columns)
    rows = [row[:n_columns] for row in rows]
    above = [cells(line, delimiter) for line in beginning[:first] if line.strip()]
    # Words over the columns are rows about as wide as the table; what is narrower speaks of the whole file.
    words = [row for row in above if len(row) >= max(2, n_columns - 2)]
    found = headings(words, n_columns)
    values = _values(rows, n_columns, decimal)
    if not any(heading.what for heading in found):
        found = _by_place(values)
    layout = Layout(delimiter=delimiter, decimal="," if decimal == "," else ".", header_rows=begun + first)
    metadata = [line[:_WORDS] for line in lines[max(begun - _BEGINNING, 0) : begun + first] if line.strip()]
    layout = _timed(layout, found, values, metadata)
    layout = replace(layout, bodies=_bodies(found), joints=_joints(found))
    layout = _with_units(layout, found, values, metadata)
    return replace(layout, axes=_axes(layout, values))


def _first_row(lines: list[str], delimiter: str, decimal: str) -> int:
    """Index of the first line of numbers: most of it is numbers, and so is the next one."""

    def numeric(line: str) -> bool:
        row = cells(line, delimiter)
        good = sum(is_number(cell, decimal) for cell in row)
        wrong = sum(not is_number(cell, decimal) and cell.lower() not in MISSING for cell in row)
        return good >= 1 and wrong == 0 and len(row) >= 2

    full = [i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    for i, j in pairwise(full):
        if numeric(lines[i]) and numeric(lines[j]):
            return i
    return full[-1] if full and numeric(lines[full[-1]]) else len(lines)


def _values(rows: list[list[str]], n_columns: int, decimal: str) -> FloatArray:
    values = np.full((len(rows), n_columns), np.nan)
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            if is_number(cell, decimal):
                with contextlib.suppress(ValueError):  # too large for a number
                    values[i, j] = number(cell, decimal)
    return values


def _by_place(values: FloatArray) -> list[Heading]:
    """Without words: a first column that counts up evenly is the time, then x, y and z of one body after another."""
    found: list[Heading] = []
    start = 0
    if values.shape[1] >= 3 and len(values) > 2:
        steps = np.diff(values[:, 0])
        if np.all(steps > 0) and float(np.ptp(steps)) <= 0.5 * float(np.median(steps)):
            found.append(Heading("time"))
            start = 1
    left = values.shape[1] - start
    size = 3 if left % 3 == 0 else 2 if left % 2 == 0 and left < 6 else 3
    for j in range(left):
        body = j // size
        whole = (body + 1) * size <= left
        found.append(Heading("xyz"[j % size] if whole else "", f"Body {body + 1}" if left > size else ""))
    return found


def _timed(layout: Layout, found: list[Heading], values: FloatArray, metadata: list[str]) -> Layout:
    rate = rate_in(metadata)
    times = [i for i, heading in enumerate(found) if heading.what == "time"]
    frames = [i for i, heading in enumerate(found) if heading.what == "frame"]
    if not times:
        if frames:
            return replace(layout, time_column=frames[0], time_unit="frame", rate_hz=rate)
        return replace(layout, time_column=None, rate_hz=rate)
    column = times[0]
    unit = found[column].unit
    if unit not in ("s", "ms", "us", "min"):
        steps = np.diff(values[:, column])
        step = float(np.median(steps[np.isfinite(steps)])) if np.isfinite(steps).any() else 0.0
        # Nothing is filmed at less than two pictures a second, or at more than ten thousand.
        unit = "s" if step < 0.5 else "ms" if step < 500.0 else "us"
    return replace(layout, time_column=column, time_unit=cast(TimeUnit, unit))


def _bodies(found: list[Heading]) -> tuple[BodyColumns, ...]:
    names: dict[str, dict[str, int]] = {}
    for column, heading in enumerate(found):
        if heading.what in ("", "time", "frame", "joint_yaw", "joint_pitch"):
            continue
        names.setdefault(heading.body, {}).setdefault(heading.what, column)
    bodies = []
    for name, columns in names.items():
        if sum(axis in columns for axis in "xyz") < 2:
            continue
        kind, wanted = next(
            (
                (kind, wanted)
                for kind, wanted in (
                    ("quaternion", ("qw", "qx", "qy", "qz")),
                    ("euler", ("roll", "pitch", "yaw")),
                    ("vertical", ("vertical",)),
                )
                if all(what in columns for what in wanted)
            ),
            ("none", ()),
        )
        bodies.append(
            BodyColumns(
                name or "Body", columns.get("x"), columns.get("y"), columns.get("z"),
                cast(RotationKind, kind),
                tuple(columns[what] for what in wanted), link_of(name),
            )
        )  # fmt: skip
    return tuple(bodies)


def _joints(found: list[Heading]) -> tuple[JointColumns, ...]:
    joints: dict[int, dict[str, int]] = {}
    for column, heading in enumerate(found):
        if heading.what in ("joint_yaw", "joint_pitch"):
            joints.setdefault(int(heading.body) - 1, {}).setdefault(heading.what, column)
    return tuple(JointColumns(i, own.get("joint_yaw"), own.get("joint_pitch")) for i, own in sorted(joints.items()))


def _with_units(layout: Layout, found: list[Heading], values: FloatArray, metadata: list[str]) -> Layout:
    lengths = [found[b.x if b.x is not None else b.columns[0]].unit for b in layout.bodies]
    length = next((unit for unit in lengths if unit in ("m", "cm", "mm", "in")), "") or _length_in(metadata)
    if not length:
        spans = [_span(values[:, c]) for body in layout.bodies for c in (body.x, body.y, body.z) if c is not None]
        length = "mm" if max(spans, default=0.0) > _LARGE_M else "m"
    turning = [c for body in layout.bodies if body.rotation != "quaternion" for c in body.rotation_columns]
    turning += [c for joint in layout.joints for c in (joint.yaw, joint.pitch) if c is not None]
    angle = next((found[c].unit for c in turning if found[c].unit in ("rad", "deg")), "")
    if not angle:
        known = np.abs(values[:, turning])
        angle = "deg" if turning and np.isfinite(known).any() and float(np.nanmax(known)) > 2.1 * math.pi else "rad"
    return replace(layout, length_unit=cast(LengthUnit, length), angle_unit=cast(AngleUnit, angle))


def _length_in(metadata: list[str]) -> str:
    """The unit that a line such as "Length Units,Meters" gives."""
    for line in metadata:
        match = re.search(
            r"(?:length )?units?\W+(millimet\w+|centimet\w+|met(?:er|re)s?|inch\w*|mm|cm|m)\b", line, re.I
        )
        if match:
            word = match[1].lower()
            return {"mi": "mm", "mm": "mm", "ce": "cm", "cm": "cm", "in": "in"}.get(word[:2], "m")
    return ""


def _span(column: FloatArray) -> float:
    seen = column[np.isfinite(column) & (column != 0.0)]
    return float(np.ptp(seen)) if len(seen) else 0.0


def _axes(layout: Layout, values: FloatArray) -> str:
    """The axis that points up by the tracks; z where a body has no three coordinates."""
    bodies = []
    for body in layout.bodies:
        columns = [c for c in (body.x, body.y, body.z) if c is not None]
        if len(columns) < 3:
            return AXES["z"]
        place = values[:, columns]
        bodies.append(np.where((place == 0.0).all(axis=1, keepdims=True), np.nan, place))
    return AXES[up_axis(np.stack(bodies, axis=1))] if bodies else AXES["z"]
