"""Qualisys Track Manager TSV: markers (3D), rigid bodies (6D) and skeletons, with or without rows of column names.

Above the numbers are lines with a key and values (NO_OF_FRAMES, FREQUENCY, MARKER_NAMES ...). Lengths
are in mm, angles in degrees, and rotation matrices are in column-major order
(Qualisys Track Manager manual, TSV export).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

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
from snakestudio.model.tables.cells import is_number
from snakestudio.text import counted

_KEYS = {
    "FILE_VERSION",
    "NO_OF_FRAMES",
    "NO_OF_CAMERAS",
    "NO_OF_MARKERS",
    "NO_OF_BODIES",
    "FREQUENCY",
    "NO_OF_ANALOG",
    "ANALOG_FREQUENCY",
    "DESCRIPTION",
    "TIME_STAMP",
    "DATA_INCLUDED",
    "EVENT",
    "MARKER_NAMES",
    "BODY_NAMES",
    "TRAJECTORY_TYPES",
    "REFERENCE",
    "SCALE",
    "SOLVER",
    "NO_OF_SEGMENTS",
    "SEGMENT_NAMES",
    "COORDINATE_SYSTEM",
    "ORIENTATION",
    "GAP_FILL",
    "EULER_ANGLES",
    "EULER",
}
_HEADER_LINES = 400
_LEADING = {
    "frame": "frame",
    "frame#": "frame",
    "time": "time",
    "time (s)": "time",
    "smpte": "timecode",
    "timecode": "timecode",
}
_PARTS = {
    "x": "x",
    "y": "y",
    "z": "z",
    "roll": "roll",
    "pitch": "pitch",
    "yaw": "yaw",
    "residual": "residual",
    "qx": "qx",
    "qy": "qy",
    "qz": "qz",
    "qw": "qw",
} | {f"rot[{i}]": f"rot{i}" for i in range(9)}
_PART = re.compile(
    r"(?:(?P<name>.*?)[\s_.:]+)?(?P<part>x|y|z|roll|pitch|yaw|residual|q[xyzw]|rot\[\d\])\Z",
    re.IGNORECASE,
)
_POSE = ("x", "y", "z", "roll", "pitch", "yaw", "residual", *(f"rot{i}" for i in range(9)))
"""Columns of a 6D body, in order."""


@dataclass(slots=True)
class _Header:
    about: dict[str, list[str]]
    first: int
    names_row: list[str]


class _UnclearError(Exception):
    """The header is invalid; the message is the reason."""


def recognize_qualisys(lines: list[str]) -> Reading | None:
    """Recognize a Qualisys TSV; None if it is not one."""
    begin = next((i for i, line in enumerate(lines[:_HEADER_LINES]) if line.strip()), None)
    if begin is None or lines[begin].split("\t")[0].strip() not in _KEYS:
        return None
    header = _header(lines, begin)
    if len(header.about) < 2:
        return None
    included = " ".join(header.about.get("DATA_INCLUDED", [])).strip() or _included(header.about)
    file_type = f"Qualisys TSV, {included}" if included else "Qualisys TSV"
    layout = Layout(
        delimiter="\t",
        header_rows=header.first,
        length_unit="mm",
        angle_unit="deg",
        time_column=None,
    )
    try:
        return _reading(lines, header, layout, file_type)
    except _UnclearError as error:
        return Reading(file_type, layout, questions=(str(error),))


def _included(about: dict[str, list[str]]) -> str:
    if "BODY_NAMES" in about or "NO_OF_BODIES" in about:
        return "6D"
    return "3D" if "MARKER_NAMES" in about or "NO_OF_MARKERS" in about else ""


def _header(lines: list[str], begin: int) -> _Header:
    about: dict[str, list[str]] = {}
    names_row: list[str] = []
    for index in range(begin, min(len(lines), begin + _HEADER_LINES)):
        row = [cell.strip() for cell in lines[index].split("\t")]
        if not any(row):
            continue
        if all(_is_value(cell) for cell in row if cell):
            return _Header(about, index, names_row)
        if row[0].lower() in _LEADING or sum(_PART.match(cell) is not None for cell in row) >= 2:
            names_row = row
        else:
            about.setdefault(row[0], row[1:])
    return _Header(about, len(lines), names_row)


def _is_value(cell: str) -> bool:
    return is_number(cell, ".") or is_number(cell, ",")


def _reading(lines: list[str], header: _Header, layout: Layout, file_type: str) -> Reading:
    rows = [trimmed(row) for row in data_rows(lines, header.first, "\t")]
    if not rows:
        raise _UnclearError(
            "There are no rows of numbers after the header. Export the measurement again."
        )
    decimal = decimal_of(rows)
    width = max(map(len, rows))
    values = values_of(rows, width, decimal)
    rate = _rate(header.about)
    ignored = IgnoredList()
    parts, lead = _columns(header, rows, values, rate)
    layout = replace(layout, decimal="," if decimal == "," else ".")
    layout, remarks = _timed(layout, lead, values, rate, ignored)
    bodies, kinds = _bodies(parts, header, values, ignored, remarks)
    count = sum(1 for line in lines[header.first :] if line.strip())
    stated = _count(header.about, "NO_OF_FRAMES")
    if stated is not None and stated != count:
        remarks.append(f"NO_OF_FRAMES is {stated}, but the file has {count} frames.")
    analog = _count(header.about, "NO_OF_ANALOG")
    entries = ignored.entries()
    if analog:
        entries = (
            *entries,
            IgnoredColumns("analog channels", "they are in a separate file", analog),
        )
    axes, doubts = upright_axes(bodies, values, "z")
    layout = replace(layout, bodies=tuple(bodies), axes=axes)
    return Reading(file_type, layout, tuple(kinds), entries, (*remarks, *doubts))


def _count(about: dict[str, list[str]], key: str) -> int | None:
    text = about.get(key, [""])[0] if about.get(key) else ""
    return int(text) if text.isdigit() else None


def _rate(about: dict[str, list[str]]) -> float | None:
    text = about.get("FREQUENCY", [""])[0] if about.get("FREQUENCY") else ""
    try:
        rate = float(text.replace(",", "."))
    except ValueError:
        return None
    return rate if 1e-3 < rate < 1e6 else None


def _names(header: _Header) -> tuple[str, list[str]]:
    """Return the kind and names of the bodies, as listed and counted in the header."""
    about = header.about
    for key, count_key, kind in (
        ("BODY_NAMES", "NO_OF_BODIES", "rigid body"),
        ("MARKER_NAMES", "NO_OF_MARKERS", "marker"),
    ):
        if key not in about and count_key not in about:
            continue
        if kind == "marker" and "6D" in about.get("DATA_INCLUDED", []):
            continue
        listed = about.get(key, [])
        count = _count(about, count_key)
        names = trimmed(listed)
        if count is not None and len(names) < count <= len(listed):
            names = listed[:count]
        if not names and count:
            names = [""] * count
        if count is not None and len(names) != count:
            raise _UnclearError(
                f"{count_key} is {count}, but {key} lists {len(names)} names. Export the measurement again, or give a "
                "layout."
            )
        label = "Marker" if kind == "marker" else "Body"
        return kind, [name or f"{label} {i + 1}" for i, name in enumerate(names)]
    if header.names_row:
        return ("segment" if "QX" in header.names_row else "marker"), []
    raise _UnclearError(
        "The header names neither markers nor bodies (MARKER_NAMES, BODY_NAMES). Export 3D or 6D data, or give a "
        "layout."
    )


_Columns = list[tuple[str, str, dict[str, int]]]
"""Kind, name and columns by part of each body."""


def _columns(
    header: _Header, rows: list[list[str]], values: FloatArray, rate: float | None
) -> tuple[_Columns, dict[str, int]]:
    """Return the columns of each body, and those of frame and time."""
    kind, names = _names(header)
    width = values.shape[1]
    if header.names_row:
        return _named_columns(header.names_row, kind, names, width)
    size = len(_POSE) if kind == "rigid body" else 3
    left = width - size * len(names)
    if left not in (0, 1, 2):
        raise _UnclearError(
            f"The header names {len(names)} {'bodies' if kind == 'rigid body' else 'markers'}, which need "
            f"{size * len(names)} columns in addition to frame and time, but the rows have {width}. Export the "
            "measurement again with a row of column names, or give a layout."
        )
    lead = _leading(rows, values[:, : left + 1], left, rate)
    order = _POSE if kind == "rigid body" else ("x", "y", "z")
    parts: _Columns = [
        (kind, name, {part: left + size * b + i for i, part in enumerate(order)})
        for b, name in enumerate(names)
    ]
    turned = [
        name
        for _, name, columns in parts
        if kind == "rigid body" and _matrix_order(columns, values) is None
    ]
    if turned:
        raise _UnclearError(
            f"The columns of {', '.join(turned)} do not contain rotation matrices as expected, so the columns are not "
            "certain. Export the measurement again with a row of column names, or give a layout."
        )
    return parts, lead


def _leading(
    rows: list[list[str]], values: FloatArray, left: int, rate: float | None
) -> dict[str, int]:
    """Which of the first columns are frame and time, by their format and steps."""
    lead: dict[str, int] = {}
    for column in range(left):
        if _counts_frames(rows, values, column) and "frame" not in lead:
            lead["frame"] = column
        elif _counts_times(values[:, column], rate) and "time" not in lead:
            lead["time"] = column
        else:
            raise _UnclearError(
                f"Column {column + 1} is before the positions, but it has neither frames nor times at the frequency "
                "of the header. Export the measurement again with a row of column names, or give a layout."
            )
    if "frame" in lead and "time" not in lead and _counts_times(values[:, left], rate):
        raise _UnclearError(
            f"Column {left + 1} has times, but the remaining columns are not complete positions. Export the "
            "measurement again with a row of column names, or give a layout."
        )
    return lead


def _counts_frames(rows: list[list[str]], values: FloatArray, column: int) -> bool:
    """Return whether a column contains consecutive integers, written as such."""
    are_digits = all(column < len(row) and row[column].isdigit() for row in rows)
    return are_digits and bool(np.all(np.diff(values[:, column]) == 1.0))


def _counts_times(column: FloatArray, rate: float | None) -> bool:
    """Return whether the steps of a column match the frequency, up to the precision of the digits."""
    steps = np.diff(column)
    steps = steps[np.isfinite(steps)]
    return bool(rate and len(steps)) and bool(np.all(np.abs(steps * (rate or 0.0) - 1.0) < 0.1))


def _named_columns(
    row: list[str], kind: str, names: list[str], width: int
) -> tuple[_Columns, dict[str, int]]:
    """Return the columns by the row of names above them."""
    row = trimmed(row)
    if len(row) != width:
        raise _UnclearError(
            f"{counted(len(row), 'column')} have names, but the rows have {width}. Export the measurement again, or "
            "give a layout."
        )
    lead: dict[str, int] = {}
    parts: _Columns = []
    current = ""
    for column, cell in enumerate(row):
        low = cell.lower()
        if low in _LEADING and _LEADING[low] not in lead and not parts:
            lead[_LEADING[low]] = column
            continue
        match = _PART.match(cell)
        if match is None:
            current = cell  # the name of a segment is above a separate column
            parts.append((kind, current, {}))
            continue
        part = _PARTS[match["part"].lower()]
        name = (match["name"] or "").strip() or current
        if not parts or parts[-1][1] != name or part in parts[-1][2]:
            parts.append((kind, name, {}))
        parts[-1][2][part] = column
    parts = [each for each in parts if each[2]]
    if names:
        if len(parts) != len(names) or any(
            own and own != name for (_, own, _), name in zip(parts, names, strict=True)
        ):
            columns_of = ", ".join(dict.fromkeys(own or "unnamed" for _, own, _ in parts))
            raise _UnclearError(
                f"The header lists {', '.join(names)}, but the columns are {columns_of}. Export the "
                "measurement again, or give a layout."
            )
        parts = [(kind, name, columns) for (_, _, columns), name in zip(parts, names, strict=True)]
    for _, name, columns in parts:
        missing = [axis.upper() for axis in "xyz" if axis not in columns]
        if missing:
            raise _UnclearError(
                f"{name or 'A body'} has no column {' or '.join(missing)}. Export the measurement again, or give a "
                "layout."
            )
    if not parts:
        raise _UnclearError(
            "No column has the name of a position (X, Y, Z). Export 3D or 6D data, or give a layout."
        )
    return parts, lead


def _timed(
    layout: Layout,
    lead: dict[str, int],
    values: FloatArray,
    rate: float | None,
    ignored: IgnoredList,
) -> tuple[Layout, list[str]]:
    remarks: list[str] = []
    if "timecode" in lead:
        ignored.add("SMPTE", "a timecode")
    if "time" in lead:
        steps = np.diff(values[:, lead["time"]])
        step = float(np.nanmedian(steps)) if np.isfinite(steps).any() else 0.0
        if rate and step > 0 and abs(step * rate - 1.0) > 0.02:
            remarks.append(
                f"The times have a rate of {1.0 / step:.4g} Hz, but FREQUENCY is {rate:g} Hz; the times are used."
            )
        return replace(layout, time_column=lead["time"], time_unit="s"), remarks
    if rate is None:
        raise _UnclearError(
            "The file has no time column and no FREQUENCY. Give the rate in a layout."
        )
    remarks.append(f"The file has no time column; FREQUENCY ({rate:g} Hz) is used.")
    if "frame" in lead:
        return replace(layout, time_column=lead["frame"], time_unit="frame", rate_hz=rate), remarks
    return replace(layout, time_column=None, rate_hz=rate), remarks


def _bodies(
    parts: _Columns, header: _Header, values: FloatArray, ignored: IgnoredList, remarks: list[str]
) -> tuple[list[BodyColumns], list[str]]:
    names, repeated = unique_names(
        [name or f"Body {i + 1}" for i, (_, name, _) in enumerate(parts)]
    )
    if repeated:
        remarks.append(
            f"Several bodies have the same name: {', '.join(repeated)}; the later ones are numbered."
        )
    bodies = []
    for (_, _, columns), name in zip(parts, names, strict=True):
        rotation, used, remark = _rotation(name, columns, values)
        if remark:
            remarks.append(remark)
        for part in columns:
            if part == "residual":
                ignored.add("Residual", "not a position")
            elif part not in ("x", "y", "z") and columns[part] not in used:
                same = rotation == "matrix" and part in ("roll", "pitch", "yaw")
                ignored.add(
                    part.capitalize(),
                    "the same rotation as the matrix" if same else "the rotation is not read",
                )
        bodies.append(
            BodyColumns(
                name, columns["x"], columns["y"], columns["z"], rotation, used, link_of(name)
            )
        )
    return bodies, [kind for kind, _, _ in parts]


def _rotation(
    name: str, columns: dict[str, int], values: FloatArray
) -> tuple[RotationKind, tuple[int, ...], str]:
    """Return the kind and columns of a rotation, and why it is ignored."""
    if all(f"rot{i}" in columns for i in range(9)):
        order = _matrix_order(columns, values)
        if order is None:
            return (
                "none",
                (),
                f"{name}: its matrices are not rotations, so its orientation is not read.",
            )
        down = order == "columns"
        elements = [
            columns[f"rot{3 * column + row if down else 3 * row + column}"]
            for row in range(3)
            for column in range(3)
        ]
        return "matrix", tuple(elements), ""
    if all(part in columns for part in ("qw", "qx", "qy", "qz")):
        chosen = tuple(columns[part] for part in ("qw", "qx", "qy", "qz"))
        if not is_unit_quaternion(values[:, chosen]):
            return (
                "none",
                (),
                f"{name}: its quaternions do not have norm 1, so its orientation is not read.",
            )
        return "quaternion", chosen, ""
    if all(part in columns for part in ("roll", "pitch", "yaw")):
        chosen = tuple(columns[part] for part in ("roll", "pitch", "yaw"))
        return (
            "euler_xyz",
            chosen,
            (
                f"{name}: roll, pitch and yaw are read in the default convention of Qualisys (R = R_x R_y R_z)."
            ),
        )
    return "none", (), ""


def _matrix_order(columns: dict[str, int], values: FloatArray) -> Literal["columns", "rows"] | None:
    """Return the order of nine matrix elements, checked against the angles in the same rows; None if neither fits."""
    elements = values[:, [columns[f"rot{i}"] for i in range(9)]]
    known = np.isfinite(elements).all(axis=1) & (np.abs(elements).sum(axis=1) > 0.0)
    if not known.any():
        return "columns"
    by_rows = elements[known].reshape(-1, 3, 3)
    if (
        np.abs(by_rows @ by_rows.transpose(0, 2, 1) - np.eye(3)).max() > 0.02
        or (np.linalg.det(by_rows) < 0.0).any()
    ):
        return None
    if not all(part in columns for part in ("roll", "pitch", "yaw")):
        return "columns"
    angles = np.radians(values[known][:, [columns[part] for part in ("roll", "pitch", "yaw")]])
    if not np.isfinite(angles).all():
        return "columns"
    by_angles = rotation_matrices("euler_xyz", angles)
    apart = {
        "columns": float(np.abs(by_rows.transpose(0, 2, 1) - by_angles).max()),
        "rows": float(np.abs(by_rows - by_angles).max()),
    }
    return "rows" if apart["rows"] < 0.01 < apart["columns"] else "columns"
