"""Import of measured tracks from files: CSV, TSV and other tables, TRC and C3D, by file extension."""

from __future__ import annotations

from array import array
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.analysis.experiment.c3d import read_c3d
from snakestudio.analysis.experiment.layout import BodyColumns, Layout, axes_matrix
from snakestudio.analysis.experiment.markers import Markers
from snakestudio.analysis.experiment.recognizers import Reading, recognize
from snakestudio.analysis.experiment.recognizers.trc import read_trc
from snakestudio.analysis.experiment.rotation_kinds import rotation_matrices
from snakestudio.analysis.experiment.samples import (
    Samples,
    capture_of,
    rows_known,
    runs_of,
    without_unseen_zeros,
)
from snakestudio.analysis.experiment.text_table import digest, read_bytes, read_lines, room_for
from snakestudio.errors import ExperimentError
from snakestudio.model.capture import Capture
from snakestudio.model.recognition import IgnoredColumns, Recognition, RecognizedBody, ignored_text
from snakestudio.model.rotations import quaternions
from snakestudio.model.tables.cells import cells, number
from snakestudio.model.tables.clock import Clock
from snakestudio.model.tables.units import ANGLE_UNITS, LENGTH_UNITS

TABLES = (".csv", ".tsv", ".txt", ".dat")
"""Extensions of text tables, which have a layout."""

MARKERS = (".trc", ".c3d")
"""Extensions of marker files, which define how they are read."""


def guess_layout(path: str | Path) -> Layout:
    """Return the layout with which a file is best read. Undetermined parts are left out: see `Layout.problems`.

    For TRC and C3D, it contains axes, unit of length, and the names and links of the markers.

    Raises `ExperimentError` if the file cannot be read or has another extension.
    """
    path = Path(path)
    if _suffix(path) in MARKERS:
        return _markers(path, read_bytes(path)).layout()
    return recognize_file(path).layout


def recognize_file(path: str | Path) -> Reading:
    """Return the interpretation of a text table, with open questions.

    Raises `ExperimentError` if the file cannot be read, or is not text.
    """
    path = Path(path)
    return recognize(read_lines(path, read_bytes(path)))


def preview(path: str | Path, layout: Layout, n: int) -> list[list[str]]:
    """Return the first n lines of a file as cells, including the header.

    Raises `ExperimentError` if the file cannot be read.
    """
    lines = read_lines(Path(path), read_bytes(Path(path)))
    return [cells(line, layout.delimiter) for line in lines[:n]]


def read_capture(path: str | Path, layout: Layout | None = None) -> Capture:
    """Read a measurement.

    Raises `ExperimentError` if the file cannot be read.

    Parameters
    ----------
    layout : Layout, optional
        Guessed if omitted. For TRC and C3D, which define most of it, it sets axes, unit of length,
        the markers to use, their links, and the longest gap to fill.
    """
    path = Path(path)
    if _suffix(path) in TABLES:
        return read_table(path, layout)
    data = read_bytes(path)
    markers = _markers(path, data)
    layout = layout or markers.layout()
    samples, (summary, *remarks) = markers.samples(layout)
    recognition = Recognition(
        markers.file_type or markers.kind,
        length_unit=layout.length_unit,
        ignored=markers.ignored,
        remarks=tuple(remarks),
        summary=summary,
    )
    capture = capture_of(
        path, samples, layout.max_gap_s, list(recognition.sentences()), digest(data)
    )
    return _recognized(capture, recognition, layout, _marker_kinds(capture))


def _marker_kinds(capture: Capture) -> dict[str, str]:
    """Return the kind of each body of a marker file: points followed by an orientation are rigid bodies."""
    if capture.orientation is None:
        return dict.fromkeys(capture.bodies, "marker")
    turned = cast(BoolArray, np.isfinite(capture.orientation).all(axis=2))
    return {
        body: "rigid body" if turned[:, index].any() else "marker"
        for index, body in enumerate(capture.bodies)
    }


def _markers(path: Path, data: bytes) -> Markers:
    return read_trc(path, data) if _suffix(path) == ".trc" else read_c3d(path, data)


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in (*TABLES, *MARKERS):
        endings = ", ".join((*TABLES, *MARKERS))
        raise ExperimentError(
            f"{path}: Measurements are read from {endings} files. Export it as one of these."
        )
    return suffix


_MOST_TOLD = 4
"""Number of invalid lines that are listed."""

_MOST_COUNTED = 100_000
"""Number of invalid lines after which reading stops."""


def read_table(path: Path, layout: Layout | None = None) -> Capture:
    """Read a text table.

    Raises `ExperimentError` if the file cannot be read.

    Parameters
    ----------
    layout : Layout, optional
        Guessed if omitted.
    """
    data = read_bytes(path)
    lines = read_lines(path, data)
    file_digest = digest(data)
    del data  # uses as much memory as the lines
    reading = recognize(lines)
    guessed = layout is None
    layout = layout or reading.layout
    _no_twofold_commas(path, lines, layout)
    problems = (*(reading.questions if guessed else ()), *layout.problems())
    if problems:
        if not layout.bodies and reading.ignored:
            problems = (*problems, f"Columns that were ignored: {ignored_text(reading.ignored)}.")
        known = "" if not guessed or reading.file_type == "Table" else f"{reading.file_type}: "
        raise ExperimentError("\n".join(f"{path}: {known}{problem}" for problem in problems))
    if not guessed:
        reading = _by_layout(reading, layout)
    values, clock, notes = _values(path, lines, layout)
    recognition = Recognition(
        reading.file_type,
        length_unit=layout.length_unit,
        clock=clock.description,
        ignored=reading.ignored,
        remarks=reading.remarks,
        summary=_summary(reading, guessed),
    )
    samples = _samples(layout, values, clock.times())
    capture = capture_of(
        path, samples, layout.max_gap_s, [*recognition.sentences(), *notes], file_digest
    )
    kinds = dict(zip((body.name for body in layout.bodies), reading.kinds, strict=False))
    return _recognized(capture, recognition, layout, kinds)


def _by_layout(reading: Reading, layout: Layout) -> Reading:
    """Return the part of the recognition that still applies to a table that is read with another layout."""
    own = reading.layout
    same_table = (own.delimiter, own.header_rows) == (layout.delimiter, layout.header_rows)
    if not same_table:
        return Reading("Table, read by its layout", layout)
    same_columns = [body.columns for body in own.bodies] == [body.columns for body in layout.bodies]
    if same_columns:
        return replace(reading, layout=layout)
    ignored = [*reading.ignored]
    used = {column for body in layout.bodies for column in body.columns}
    for body in own.bodies:
        lost = [column for column in body.columns if column not in used]
        if lost:
            ignored.append(IgnoredColumns(body.name, "not in the layout", len(lost)))
    return Reading(
        f"{reading.file_type}, read by its layout", layout, ignored=tuple(ignored), unit_stated=True
    )


def _recognized(
    capture: Capture, recognition: Recognition, layout: Layout, kinds: dict[str, str]
) -> Capture:
    """Return the capture with the recognition of its file."""
    oriented = capture.orientation
    bodies = []
    for index, name in enumerate(capture.bodies):
        seen = capture.measured[:, index]
        span = np.flatnonzero(seen)
        inside = seen[span[0] : span[-1] + 1] if len(span) else seen
        bodies.append(
            RecognizedBody(
                name,
                kinds.get(name, "body"),
                oriented is not None and bool(np.isfinite(oriented[:, index]).any()),
                len(runs_of(~inside)),
                int(np.count_nonzero(~seen)),
            )
        )
    angles = (
        any(body.rotation not in ("none", "quaternion", "matrix") for body in layout.bodies)
        or layout.joints
    )
    recognition = replace(
        recognition,
        bodies=tuple(bodies),
        angle_unit=layout.angle_unit if angles else "",
        up=_up_text(layout.axes),
        rate_hz=capture.rate,
        frames=len(capture.time),
        duration_s=capture.duration,
    )
    return replace(capture, recognition=recognition)


def _up_text(axes: str) -> str:
    return axes[5] if axes[4] == "+" else axes[4:]


def _no_twofold_commas(path: Path, lines: list[str], layout: Layout) -> None:
    """Refuse tables with commas both as delimiters and decimal marks: rows have twice as many cells as names."""
    if layout.delimiter != "," or not 0 < layout.header_rows < len(lines):
        return
    names = next((line for line in lines[layout.header_rows - 1 :: -1] if line.strip()), "")
    first = next((line for line in lines[layout.header_rows :] if line.strip()), "")
    wide = len(cells(names, ","))
    row = len(cells(first, ","))
    if wide >= 2 and row >= 2 * wide - 1 and not names.startswith("#"):
        raise ExperimentError(
            f"{path}: There are {row} cells under {wide} names: commas seem to be both decimal mark and delimiter. "
            "Export the table with semicolons or tabs between the columns, or with decimal points."
        )


def _values(path: Path, lines: list[str], layout: Layout) -> tuple[FloatArray, Clock, list[str]]:
    """Return the required columns, (k, c) with c up to the last of them, and the times; NaN for empty cells."""
    needed = {c for body in layout.bodies for c in body.columns}
    needed |= {c for joint in layout.joints for c in (joint.yaw, joint.pitch) if c is not None}
    timed = layout.time_column
    seconds = [] if timed is None else [timed]
    if timed is not None and layout.nanoseconds_column is not None:
        seconds.append(layout.nanoseconds_column)
    order = sorted(needed)
    width = max([*needed, *seconds]) + 1
    end = (
        len(lines)
        if layout.row_lines is None
        else min(layout.header_rows + layout.row_lines, len(lines))
    )
    room_for(path, max(end - layout.header_rows, 0), width)
    clock = Clock(
        layout.time_unit if timed is not None else "frame", layout.decimal, layout.rate_hz
    )
    numbers = array("d")
    mistakes: list[str] = []
    n_mistakes = 0
    last = max((i for i, line in enumerate(lines[:end]) if line.strip()), default=0)
    notes = []
    for index in range(layout.header_rows, end):
        line = lines[index]
        if not line.strip() or line.startswith("#"):
            continue
        row = cells(line, layout.delimiter)
        try:
            if len(row) < width:
                raise ValueError
            values = [number(row[c], layout.decimal) for c in order]
            if timed is None:
                clock.add(str(len(clock)))
            else:
                clock.add(*(row[c] for c in seconds))
            numbers.extend(values)
        except ValueError as error:
            if index == last and len(row) < width:  # the file ends in the middle of a line
                notes.append(f"The last line ({index + 1}) is incomplete and was ignored.")
                continue
            n_mistakes += 1
            wrong = (
                f'"{error}" is not a number'
                if error.args
                else f"{len(row)} cells instead of at least {width}"
            )
            if n_mistakes <= _MOST_TOLD:
                mistakes.append(f"{path}: line {index + 1}: {wrong}.")
            elif n_mistakes == _MOST_COUNTED:
                break
    if n_mistakes:
        if n_mistakes > _MOST_TOLD:
            least = "at least " if n_mistakes == _MOST_COUNTED else ""
            mistakes.append(f"{path}: There are {least}{n_mistakes - _MOST_TOLD} more such lines.")
        mistakes.append(
            f"{path}: Correct these lines, or choose another delimiter, decimal mark or number of header rows."
        )
        raise ExperimentError("\n".join(mistakes))
    rows = np.frombuffer(numbers).reshape(-1, len(order))
    values_read = np.full((len(rows), width), np.nan)
    values_read[:, order] = rows
    return values_read, clock, notes


def _summary(reading: Reading, guessed: bool) -> str:
    """Return the summary of how a table was read, so that users notice a wrong guess."""
    layout = reading.layout
    mark = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "blanks"}[layout.delimiter]
    time = (
        f"time in {layout.time_unit}"
        if layout.time_column is not None
        else f"{layout.rate_hz:g} Hz"
    )
    lengths = f"lengths in {layout.length_unit}"
    if guessed and not reading.unit_stated:
        lengths += " (not stated in the file)"
    return f"{reading.file_type}: {mark} between columns, {time}, {lengths}, {_up_text(layout.axes)} up."


def _samples(layout: Layout, values: FloatArray, time: FloatArray) -> Samples:
    k = len(values)
    bodies = layout.bodies
    matrix = axes_matrix(layout.axes)
    position = np.zeros((k, len(bodies), 3))
    for b, body in enumerate(bodies):
        for axis, column in enumerate((body.x, body.y, body.z)):
            if column is not None:
                position[:, b, axis] = values[:, column] * LENGTH_UNITS[layout.length_unit]
    if layout.zero_is_missing:
        position = without_unseen_zeros(position)
    position = position @ matrix.T
    orientation = None
    if any(body.rotation != "none" for body in bodies):
        orientation = np.stack(
            [_orientation(body, values, layout, matrix) for body in bodies], axis=1
        )
    joint_angle = None
    if layout.joints:
        joint_angle = np.zeros((k, max(joint.joint for joint in layout.joints) + 1, 2))
        for joint in layout.joints:
            for axis, column in enumerate((joint.yaw, joint.pitch)):
                if column is not None:
                    joint_angle[:, joint.joint, axis] = (
                        values[:, column] * ANGLE_UNITS[layout.angle_unit]
                    )
    names = tuple(body.name for body in bodies)
    return Samples(
        time, names, tuple(body.link for body in bodies), position, orientation, joint_angle
    )


def _orientation(
    body: BodyColumns, values: FloatArray, layout: Layout, matrix: FloatArray
) -> FloatArray:
    """Return quaternions (k, 4) of one body in the world's axes; NaN where there are none."""
    result = np.full((len(values), 4), np.nan)
    if body.rotation == "none":
        return result
    columns = values[:, body.rotation_columns]
    known = rows_known(columns)
    if body.rotation == "quaternion":
        known &= np.linalg.norm(columns, axis=1) > 1e-6
    elif body.rotation == "matrix":
        determinant: FloatArray = np.linalg.det(
            np.where(known[:, None], columns, 0.0).reshape(-1, 3, 3)
        )
        known &= np.abs(determinant - 1.0) < 0.1
    else:
        columns = columns * ANGLE_UNITS[layout.angle_unit]
    turned = rotation_matrices(body.rotation, columns[known])
    if body.rotation != "vertical":  # these angles are already about the vertical axis
        # The axes of the world change, and those of the body with them.
        turned = matrix @ turned @ matrix.T
    result[known] = quaternions(turned)
    return result
