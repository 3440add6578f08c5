"""Vicon CSV and ASCII files of Nexus and Tracker: sections with a rate, names, axes and units above the numbers.

Positions are in the sections *Trajectories* (markers), *Objects* and *Segments* (rigid bodies); the
sections *Devices*, *Joints* and *Model Outputs* have none. Tracker gives rotations as RX RY RZ RW
(quaternion) or as RX RY RZ.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.experiment.column_names import link_of
from snakestudio.analysis.experiment.layout import BodyColumns, Layout, RotationKind
from snakestudio.analysis.experiment.recognizers.reading import (
    IgnoredList,
    Reading,
    data_rows,
    decimal_of,
    is_unit_quaternion,
    trimmed,
    unique_names,
    upright_axes,
    values_of,
)
from snakestudio.analysis.experiment.rotation_kinds import rotation_matrices
from snakestudio.model.recognition import IgnoredColumns
from snakestudio.model.tables.cells import cells, is_number
from snakestudio.model.tables.units import (
    ANGLE_UNITS,
    AngleUnit,
    LengthUnit,
    angle_unit_of,
    length_unit_of,
)

_WITH_POSITIONS = {"trajectories": "trajectory", "objects": "rigid body", "segments": "segment"}
"""Sections with positions, in order of preference, and the kind of their bodies."""

_SECTIONS = (
    *_WITH_POSITIONS,
    "devices",
    "joints",
    "model outputs",
    "trajectory count",
    "analog",
    "forces",
    "force plates",
    "events",
    "object quality",
    "kinetics",
)
_AXES = {"x": "x", "y": "y", "z": "z", "tx": "x", "ty": "y", "tz": "z"}
_TURNS = ("rx", "ry", "rz", "rw")


@dataclass(slots=True)
class _Section:
    name: str
    begin: int
    rate: float | None = None


@dataclass(slots=True)
class _Group:
    """Columns under one name."""

    name: str
    columns: dict[str, int] = field(default_factory=dict)


class _UnclearError(Exception):
    """The section is invalid; the message is the reason."""


def recognize_vicon(lines: list[str]) -> Reading | None:
    """Recognize a Vicon file; None if it is not one."""
    filled = [i for i, line in enumerate(lines[:40]) if line.strip()]
    if len(filled) < 3:
        return None
    heads = [
        i
        for i in filled[:8]
        if re.match(r'\s*"?frame"?\s*[,;\t]\s*"?sub ?frame"?', lines[i], re.IGNORECASE)
    ]
    if _section_name(lines[filled[0]]) is None and not heads:
        return None
    delimiter = next(
        (
            mark
            for mark in (",", ";", "\t")
            if mark in (lines[heads[0]] if heads else lines[filled[2]])
        ),
        ",",
    )
    sections = _sections(lines)
    by_name = {section.name: section for section in reversed(sections)}
    chosen = next((by_name[name] for name in _WITH_POSITIONS if name in by_name), None)
    if chosen is None and not sections:
        chosen = _Section("", filled[0] - 2)
    layout = Layout(delimiter=delimiter, time_column=None)
    if chosen is None:
        held = ", ".join(section.name.title() for section in sections)
        question = f"The file has the sections {held} but no positions. Export Trajectories, Objects or Segments."
        return Reading("Vicon CSV", layout, questions=(question,))
    file_type = f"Vicon CSV, {chosen.name.title()}" if chosen.name else "Vicon CSV"
    others = tuple(
        IgnoredColumns(f"section {section.name.title()}", "another section is read")
        for section in sections
        if section is not chosen
    )
    try:
        return _reading(lines, chosen, layout, file_type, others)
    except _UnclearError as error:
        return Reading(file_type, layout, ignored=others, questions=(str(error),))


def _section_name(line: str) -> str | None:
    if len(line) > 200:
        return None
    text = re.sub(r'[,;\t"]+\s*\Z|\A[\s"]+', "", line.strip()).strip().lower()
    return text if text in _SECTIONS else None


def _sections(lines: list[str]) -> list[_Section]:
    sections = []
    for index, line in enumerate(lines):
        if line[:1].isalpha() or line[:1] == '"':
            name = _section_name(line)
            if name is not None:
                rate = _rate(lines[index + 1]) if index + 1 < len(lines) else None
                sections.append(_Section(name, index, rate))
    return sections


def _rate(line: str) -> float | None:
    text = re.sub(r'[;\t"]', "", line).strip().strip(",").replace(",", ".")
    try:
        rate = float(text)
    except ValueError:
        return None
    return rate if 1e-3 < rate < 1e6 else None


def _reading(
    lines: list[str],
    section: _Section,
    layout: Layout,
    file_type: str,
    others: tuple[IgnoredColumns, ...],
) -> Reading:
    delimiter = layout.delimiter
    names_at, axes_at = _head(lines, section, delimiter)
    names = cells(lines[names_at], delimiter) if names_at is not None else []
    axes = trimmed(cells(lines[axes_at], delimiter))
    below = cells(lines[axes_at + 1], delimiter) if axes_at + 1 < len(lines) else []
    has_units = any(below) and not any(
        is_number(cell, ".") or is_number(cell, ",") for cell in below
    )
    units = [*below, *[""] * len(axes)][: len(axes)] if has_units else [""] * len(axes)
    first = axes_at + 1 + has_units
    count = 0
    while first + count < len(lines) and re.match(r'\s*"?\d', lines[first + count]):
        count += 1
    rows = data_rows(lines, first, delimiter, count)
    if len(rows) < 2:
        raise _UnclearError(
            f"The section {section.name.title()} has fewer than two frames. Export the trial again."
        )
    widths = {len(trimmed(row)) for row in rows}
    if max(widths) > len(axes) or max(map(len, rows)) < len(axes):
        raise _UnclearError(
            f"The row of axes has {len(axes)} columns, but the rows of numbers have {max(map(len, rows))}. Export the "
            "trial again, or give a layout."
        )
    decimal = decimal_of(rows)
    values = values_of(rows, len(axes), decimal)
    ignored = IgnoredList()
    _check_names(names, axes)
    groups = _groups([*names, *[""] * len(axes)][: len(axes)], axes, ignored)
    remarks: list[str] = []
    questions: list[str] = []
    behind = lines[first + count :]
    layout = replace(
        layout,
        header_rows=first,
        row_lines=count if any(map(str.strip, behind)) else None,
        decimal="," if decimal == "," else ".",
        time_column=0,
        time_unit="frame",
        rate_hz=section.rate,
    )
    if section.rate is None:
        questions.append(
            "There is no frame rate under the name of the section. Give the rate in a layout."
        )
    kind = _WITH_POSITIONS.get(section.name, "body")
    bodies, length, angle = _bodies(groups, units, values, ignored, remarks, questions)
    if not has_units:
        questions.append(
            "There is no row of units above the numbers. Give the unit of length in a layout."
        )
    upright, doubts = upright_axes(bodies, values, "z")
    layout = replace(
        layout, bodies=tuple(bodies), length_unit=length, angle_unit=angle, axes=upright
    )
    return Reading(
        file_type,
        layout,
        (kind,) * len(bodies),
        (*ignored.entries(), *others),
        (*remarks, *doubts),
        tuple(questions),
        has_units,
    )


def _head(lines: list[str], section: _Section, delimiter: str) -> tuple[int | None, int]:
    """Return the line numbers of the names and the axes."""
    for index in range(max(section.begin + 1, 0), min(len(lines), section.begin + 10)):
        row = cells(lines[index], delimiter)
        if row and row[0].lower() == "frame":
            above = index - 1
            named = above > section.begin + 1 and not is_number(
                cells(lines[above], delimiter)[0], "."
            )
            return (above if named else None), index
    raise _UnclearError(
        f"The section {section.name.title()} has no row that begins with Frame. Export the trial again, or give a "
        "layout."
    )


_SEQUENCES = (
    ("x", "y", "z"),
    ("tx", "ty", "tz"),
    (*_TURNS[:3], "tx", "ty", "tz"),
    (*_TURNS, "tx", "ty", "tz"),
)
"""Axes under one name, in order."""


def _check_names(names: list[str], axes: list[str]) -> None:
    """Check that each name is above the first of its columns."""
    low = [axis.lower() for axis in axes]
    for column, name in enumerate(names):
        if not name:
            continue
        behind = tuple(low[column : column + 7])
        leading = column < len(low) and low[column] in ("frame", "sub frame", "subframe")
        inside = column < len(low) and low[column] in (*_AXES, *_TURNS)
        if (
            column >= len(low)
            or leading
            or (inside and not any(behind[: len(s)] == s for s in _SEQUENCES))
        ):
            raise _UnclearError(
                f'The name "{name}" is above column {column + 1}, but no X, Y and Z begin there. Export the trial '
                "again, or give a layout."
            )


def _groups(names: list[str], axes: list[str], ignored: IgnoredList) -> list[_Group]:
    """Return the columns by the name above the first of them; a name is valid up to the next one."""
    groups: list[_Group] = []
    for column, axis in enumerate(axes):
        low = axis.lower()
        if low in ("frame", "sub frame", "subframe"):
            continue
        if names[column] or not groups or low in groups[-1].columns:
            groups.append(_Group(names[column]))
        if low in groups[-1].columns:
            ignored.add(axis, "not a position")
        groups[-1].columns[low] = column
    return groups


def _bodies(
    groups: list[_Group],
    units: list[str],
    values: FloatArray,
    ignored: IgnoredList,
    remarks: list[str],
    questions: list[str],
) -> tuple[list[BodyColumns], LengthUnit, AngleUnit]:
    read: list[tuple[_Group, dict[str, int]]] = []
    lengths: set[str] = set()
    for group in groups:
        position = {_AXES[low]: column for low, column in group.columns.items() if low in _AXES}
        own = {units[column] for column in position.values()}
        known = {length_unit_of(unit) for unit in own if unit}
        if (
            set(position) == {"x", "y", "z"}
            and (own == {""} or "" not in own)
            and None not in known
        ):
            read.append((group, position))
            lengths |= {str(unit) for unit in known}
            continue
        if position and (set(position) != {"x", "y", "z"} or "" in own) and known - {None}:
            questions.append(
                f"{group.name or 'A body'} has no X, Y and Z that all have a unit of length. Export the trial again, "
                "or give a layout."
            )
        elif set(position) >= {"x", "y"} and any(own) and None in known and "/" not in "".join(own):
            questions.append(
                f'The unit of length "{sorted(own)[0]}" of {group.name} is unknown. Give it in a layout.'
            )
        for low in group.columns:
            ignored.add(
                f"{group.name} {low.upper()}", f"in {units[group.columns[low]]}, not a position"
            )
    if len(lengths) > 1:
        questions.append(
            f"The positions are in different units ({', '.join(sorted(lengths))}). Give a layout."
        )
    names, repeated = unique_names(
        [group.name or f"Trajectory {i + 1}" for i, (group, _) in enumerate(read)]
    )
    if repeated:
        remarks.append(
            f"Several bodies have the same name: {', '.join(repeated)}; the later ones are numbered."
        )
    bodies = []
    angles: set[str] = set()
    for (group, position), name in zip(read, names, strict=True):
        turns = [low for low in _TURNS if low in group.columns]
        rotation, used = _rotation(name, group, turns, units, values, angles, remarks)
        for low, column in group.columns.items():
            if low not in _AXES and column not in used:
                ignored.add(
                    f"{name} {low.upper()}",
                    "not a position" if low not in _TURNS else "the rotation is not read",
                )
        bodies.append(
            BodyColumns(
                name, position["x"], position["y"], position["z"], rotation, used, link_of(name)
            )
        )
    if not bodies and not questions:
        questions.append(
            "The section has no column with a position (X, Y, Z with a unit of length). Export Trajectories."
        )
    if len(angles) > 1:
        questions.append(
            f"The rotations are in different units ({', '.join(sorted(angles))}). Give a layout."
        )
    return (
        bodies,
        cast(LengthUnit, min(lengths, default="mm")),
        cast(AngleUnit, min(angles, default="deg")),
    )


_AGREE = 0.01
"""Largest difference of elements of rotation matrices that count as equal in all conventions."""


def _rotation(
    name: str,
    group: _Group,
    turns: list[str],
    units: list[str],
    values: FloatArray,
    angles: set[str],
    remarks: list[str],
) -> tuple[RotationKind, tuple[int, ...]]:
    """Kind and columns of a rotation. Files do not state whether three angles are a vector or successive rotations."""
    if turns == list(_TURNS):
        chosen = tuple(group.columns[low] for low in ("rw", "rx", "ry", "rz"))
        if is_unit_quaternion(values[:, chosen]):
            return "quaternion", chosen
        remarks.append(
            f"{name}: its quaternions do not have norm 1, so its orientation is not read."
        )
    elif turns == list(_TURNS[:3]):
        chosen = tuple(group.columns[low] for low in turns)
        unit = angle_unit_of(units[chosen[0]])
        if unit is None:
            remarks.append(
                f"{name}: its angles have no known unit, so its orientation is not read."
            )
            return "none", ()
        rows = values[:, chosen] * ANGLE_UNITS[unit]
        rows = rows[np.isfinite(rows).all(axis=1)]
        by_vector = rotation_matrices("vector", rows)
        successive = [rotation_matrices(kind, rows) for kind in ("euler_xyz", "euler_zyx")]
        if all(np.abs(by_vector - other).max(initial=0.0) < _AGREE for other in successive):
            angles.add(unit)
            return "vector", chosen
        remarks.append(
            f"{name}: RX, RY and RZ can be a rotation vector or successive rotations, so its orientation is not read. "
            "Give a layout with the rotation vector, euler_xyz or another."
        )
    return "none", ()
