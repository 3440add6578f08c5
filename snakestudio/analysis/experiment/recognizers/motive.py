"""OptiTrack Motive CSV, formats 1.2 to 1.25.

The first line has pairs of keys and values. Above the numbers are the rows *Type*, *Name*, *ID*
and (from 1.25 on) *Parent*, a row of kinds (Rotation, Position, Mean Marker Error ...) and a row of
axes. Names are in the row *Name*. Source: OptiTrack documentation, Data Export: CSV.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
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
from snakestudio.model.tables.cells import cells, is_number
from snakestudio.model.tables.units import length_unit_of

_HEADER_LINES = 60
_LABELS = ("type", "name", "id", "parent")
_KEYS = {
    "format version",
    "capture frame rate",
    "export frame rate",
    "total exported frames",
    "rotation type",
    "length units",
    "coordinate space",
}
_LEADING = {"frame": "frame", "time (seconds)": "time", "time": "time", "timecode": "timecode"}
_UNLABELED = re.compile(r"unlabell?ed\b", re.IGNORECASE)


@dataclass(slots=True)
class _Header:
    """Rows above the numbers, each with a cell for every column."""

    about: dict[str, str]
    first: int
    rows: dict[str, list[str]]
    axes: list[str]


@dataclass(slots=True)
class _Asset:
    """Columns of a body or marker."""

    kind: str
    name: str
    columns: dict[str, dict[str, int]] = field(
        default_factory=lambda: {"position": {}, "rotation": {}}
    )


def recognize_motive(lines: list[str]) -> Reading | None:
    """Recognize an OptiTrack Motive CSV; None if it is not one."""
    begin = next((i for i, line in enumerate(lines[:_HEADER_LINES]) if line.strip()), None)
    match = (
        None
        if begin is None
        else re.match(r'"?format version"?\s*([,;\t])', lines[begin], re.IGNORECASE)
    )
    if begin is None or match is None:
        return None
    delimiter = match[1]
    about = _about(cells(lines[begin], delimiter))
    file_type = "OptiTrack Motive CSV"
    if about.get("format version"):
        file_type += f", format {about['format version']}"
    header = _header(lines, begin, delimiter, about)
    if isinstance(header, str):
        return Reading(file_type, Layout(delimiter=delimiter), questions=(header,))
    rows = data_rows(lines, header.first, delimiter)
    decimal = decimal_of(rows)
    layout = Layout(
        delimiter=delimiter,
        decimal="," if decimal == "," else ".",
        header_rows=header.first,
        angle_unit="deg",
    )
    questions: list[str] = []
    width = len(header.axes)
    widest = max((len(trimmed(row)) for row in rows), default=width)
    if widest > width or (rows and max(map(len, rows)) < width):
        questions.append(
            f"The header has {width} columns, but the rows of numbers have {max(map(len, rows))}. Export the take "
            "again, or give a layout."
        )
    values = values_of(rows, width, decimal)
    layout, remarks = _timed(layout, header, values, questions)
    ignored = IgnoredList()
    assets = _assets(header, ignored, questions)
    bodies, kinds, more = _bodies(assets, header, values, ignored, questions)
    remarks += more
    unit = length_unit_of(about.get("length units", ""))
    if unit is None:
        stated = about.get("length units")
        what = (
            f'names the unknown unit of length "{stated}"'
            if stated
            else "does not name its unit of length"
        )
        questions.append(f"The first line {what} (Length Units). Give the unit in a layout.")
    count = sum(1 for line in lines[header.first :] if line.strip())
    total = about.get("total exported frames", "")
    if total.isdigit() and int(total) != count:
        remarks.append(f"The first line states {total} frames, but the file has {count}.")
    axes, doubts = upright_axes(bodies, values, "y")
    layout = replace(layout, bodies=tuple(bodies), length_unit=unit or "m", axes=axes)
    if not bodies and not questions:
        questions.append(
            "No rigid body, marker or bone has a position. Export positions with the take."
        )
    return Reading(
        file_type,
        layout,
        tuple(kinds),
        ignored.entries(),
        (*remarks, *doubts),
        tuple(questions),
        unit is not None,
    )


def _about(row: list[str]) -> dict[str, str]:
    """Return the keys and values of the first line. Notes may contain commas, so only known keys are used."""
    about: dict[str, str] = {}
    for key, value in pairwise([*row, ""]):
        if key.lower() in _KEYS:
            about.setdefault(key.lower(), value)
    return about


def _header(lines: list[str], begin: int, delimiter: str, about: dict[str, str]) -> _Header | str:
    """Return the rows above the numbers, or why they are invalid."""
    rows: dict[str, list[str]] = {}
    labelled: dict[str, int] = {}
    above: list[str] = []
    for index in range(begin + 1, min(len(lines), begin + _HEADER_LINES)):
        row = cells(lines[index], delimiter)
        lower_cells = [cell.lower() for cell in row if cell]
        if not lower_cells:
            continue
        label = next((i for i, cell in enumerate(row[:3]) if cell), None)
        if label is not None and row[label].lower() in _LABELS and row[label].lower() not in rows:
            rows[row[label].lower()] = row
            labelled[row[label].lower()] = label
            continue
        if _is_axes(row):
            if "name" not in rows:
                return "There is no row Name above the row of axes. Export the take again, or give a layout."
            if not _has_kinds(above):
                return (
                    "There is no row of kinds (Rotation, Position) above the row of axes. Export the take again, or "
                    "give a layout."
                )
            rows["kind"] = above
            leading = _leading_count(row)
            fitted = {
                name: _fitted(each, labelled.get(name, -1), leading) for name, each in rows.items()
            }
            # A column such as Mean Marker Error has no axis, so the row of axes can end before the
            # others.
            width = max(len(trimmed(each)) for each in (row, fitted["name"], fitted["kind"]))
            for name, each in fitted.items():
                if len(each) > width or (name == "kind" and len(each) < width):
                    return (
                        f"The row {'of kinds' if name == 'kind' else name.capitalize()} has {len(each)} columns, but "
                        f"the other rows have {width}. Export the take again, or give a layout."
                    )
            rows = {name: [*each, *[""] * (width - len(each))] for name, each in fitted.items()}
            axes = [*row, *[""] * width][:width]
            return _Header(about, index + 1, rows, axes)
        if sum(is_number(cell, ".") for cell in row) > 1:
            break
        above = row
    return "There is no row of axes (X, Y, Z) above the numbers. Export the take again, or give a layout."


def _is_axes(row: list[str]) -> bool:
    cells = [cell.lower() for cell in row if cell]
    axes = sum(text in ("x", "y", "z", "w") for text in cells)
    return axes >= 2 and 2 * axes >= len(cells) - 3


def _has_kinds(row: list[str]) -> bool:
    cells = [cell.lower() for cell in row if cell]
    return any(text in ("position", "rotation") for text in cells)


def _leading_count(axes: list[str]) -> int:
    """Return the number of columns before those of bodies: frame, time, timecode."""
    return next((i for i, cell in enumerate(axes) if cell.lower() in ("x", "y", "z", "w")), 0)


def _fitted(row: list[str], label: int, leading: int) -> list[str]:
    """Return a row with its cells aligned to their columns."""
    own = list(row)
    if label >= 0:
        own[label] = ""
    if (
        label >= leading
    ):  # the file has no columns for frame and time, so the label has a separate column
        own = own[label + 1 - leading :]
    return trimmed(own)


def _timed(
    layout: Layout, header: _Header, values: FloatArray, questions: list[str]
) -> tuple[Layout, list[str]]:
    """Return the layout with the time columns, checked against the stated rate."""
    remarks: list[str] = []
    rates = [
        _positive(header.about.get(key, "")) for key in ("export frame rate", "capture frame rate")
    ]
    rate = next((rate for rate in rates if rate), None)
    lead = {
        _LEADING[cell.lower()]: column
        for column, cell in reversed(list(enumerate(header.axes)))
        if cell.lower() in _LEADING
    }
    if "time" in lead:
        layout = replace(layout, time_column=lead["time"], time_unit="s", rate_hz=None)
        steps = np.diff(values[:, lead["time"]])
        steps = steps[np.isfinite(steps)]
        if (
            rate
            and len(steps) > 1
            and np.median(steps) > 0
            and abs(np.median(steps) * rate - 1.0) > 0.02
        ):
            remarks.append(
                f"The times have a rate of {1.0 / float(np.median(steps)):.4g} Hz, but the first line states {rate:g} "
                "Hz; the times are used."
            )
    elif "frame" in lead:
        layout = replace(layout, time_column=lead["frame"], time_unit="frame", rate_hz=rate)
    else:
        layout = replace(layout, time_column=None, rate_hz=rate)
    if layout.time_column is None or layout.time_unit == "frame":
        if rate is None:
            questions.append(
                "The file has no time column and no frame rate. Give the rate in a layout."
            )
        else:
            remarks.append(f"The file has no time column; the rate of {rate:g} Hz is used.")
    captured = rates[1]
    if rates[0] and captured and abs(rates[0] / captured - 1.0) > 1e-6:
        remarks.append(f"Captured at {captured:g} Hz and exported at {rates[0]:g} Hz.")
    return layout, remarks


def _positive(text: str) -> float | None:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if 1e-3 < value < 1e6 else None


def _assets(header: _Header, ignored: IgnoredList, questions: list[str]) -> list[_Asset]:
    """Return the bodies and markers with their columns; all other columns are ignored."""
    assets: list[_Asset] = []
    key_before: tuple[str, str, str] | None = None
    by_key: dict[tuple[str, str, str], _Asset] = {}
    types, names, ids = (
        header.rows.get(label, [""] * len(header.axes)) for label in ("type", "name", "id")
    )
    for column, axis in enumerate(header.axes):
        low = axis.lower()
        kind = header.rows["kind"][column].lower()
        if low in _LEADING:
            if _LEADING[low] == "timecode":
                ignored.add(axis, "a timecode")
            continue
        key = (types[column], names[column], ids[column])
        if not any(key) and not kind and not low:
            continue
        if kind not in ("position", "rotation"):
            what = header.rows["kind"][column] or axis
            ignored.add(
                what,
                "not a position"
                if kind or low not in ("x", "y", "z", "w")
                else "its kind is not stated",
            )
            if not kind and low in ("x", "y", "z", "w"):
                questions.append(
                    f"Column {column + 1} ({names[column] or 'unnamed'}, {axis}) is neither Position nor Rotation. "
                    "Export the take again, or give a layout."
                )
            continue
        asset = by_key.get(key)
        # A repeated name and ID, elsewhere or with the same axis, is another body.
        if (
            asset is None
            or (key != key_before and low in asset.columns[kind])
            or low in asset.columns[kind]
        ):
            asset = by_key[key] = _Asset(
                types[column].strip().lower() or "body", names[column] or ids[column]
            )
            assets.append(asset)
        asset.columns[kind][low] = column
        key_before = key
    return assets


def _bodies(
    assets: list[_Asset],
    header: _Header,
    values: FloatArray,
    ignored: IgnoredList,
    questions: list[str],
) -> tuple[list[BodyColumns], list[str], list[str]]:
    """Return the bodies to read, their kinds, and remarks."""
    local = header.about.get("coordinate space", "").strip().lower() == "local"
    solid = {
        asset.name for asset in assets if asset.kind == "rigid body" and asset.columns["position"]
    }
    unnamed_alone = all(
        _UNLABELED.match(asset.name) for asset in assets if asset.columns["position"]
    )
    read: list[_Asset] = []
    for asset in assets:
        axes = set(asset.columns["position"])
        reason = ""
        if not axes:
            reason = "it has a rotation but no position"
        elif axes != {"x", "y", "z"}:
            questions.append(
                f"{asset.name or 'A body'} has the axes {', '.join(sorted(axes)).upper()} under Position, not X, Y and "
                "Z. Export the take again, or give a layout."
            )
            continue
        elif (
            solid
            and "marker" in asset.kind
            and (asset.kind != "marker" or _owner(asset.name) in solid)
        ):
            reason = "a marker of a rigid body that is read"
        elif _UNLABELED.match(asset.name) and not unnamed_alone:
            reason = "an unlabeled marker"
        elif local and asset.kind in ("bone", "rigid body marker", "bone marker"):
            reason = "its coordinates are relative to its parent (Coordinate Space Local)"
        if reason:
            for _ in range(len(axes) + len(asset.columns["rotation"])):
                ignored.add(f"{asset.kind} {asset.name}", reason)
        else:
            read.append(asset)
    remarks = []
    if local:
        remarks.append("Coordinate Space is Local: only bodies with global coordinates are read.")
    names, repeated = unique_names([asset.name or f"Body {i + 1}" for i, asset in enumerate(read)])
    if repeated:
        remarks.append(
            f"Several bodies have the same name: {', '.join(repeated)}; the later ones are numbered."
        )
    bodies = []
    for asset, name in zip(read, names, strict=True):
        kind, columns, remark = _rotation(asset, header, values)
        if remark:
            remarks.append(remark)
            for axis in asset.columns["rotation"]:
                ignored.add(f"{name} Rotation {axis.upper()}", "an unknown kind of rotation")
        x, y, z = (asset.columns["position"][axis] for axis in "xyz")
        bodies.append(BodyColumns(name, x, y, z, kind, columns, link_of(name)))
    return bodies, [asset.kind for asset in read], remarks


def _owner(name: str) -> str:
    """Return the rigid body that a marker belongs to: "link 1:Marker 2", "link 1_2"."""
    return re.split(r":|_(?=\d+\Z)", name)[0].strip()


def _rotation(
    asset: _Asset, header: _Header, values: FloatArray
) -> tuple[RotationKind, tuple[int, ...], str]:
    """Return the kind and columns of a rotation, and why it is ignored."""
    columns = asset.columns["rotation"]
    if not columns:
        return "none", (), ""
    stated = re.sub(r"euler|[^a-z]", "", header.about.get("rotation type", "").lower())
    if set(columns) == {"w", "x", "y", "z"} and stated in ("", "quaternion"):
        chosen = tuple(columns[axis] for axis in "wxyz")
        if not is_unit_quaternion(values[:, chosen]) and np.isfinite(values[:, chosen]).any():
            return (
                "none",
                (),
                f"{asset.name}: its quaternions do not have norm 1, so its orientation is not read.",
            )
        return "quaternion", chosen, ""
    if set(columns) == {"x", "y", "z"} and sorted(stated) == ["x", "y", "z"]:
        return cast(RotationKind, f"euler_{stated}"), tuple(columns[axis] for axis in "xyz"), ""
    return (
        "none",
        (),
        (
            f'{asset.name}: the first line states the rotation type "{header.about.get("rotation type", "none")}", but '
            f"its columns are {', '.join(axis.upper() for axis in columns)}, so its orientation is not read."
        ),
    )
