"""Read measured tracks from files: CSV, TSV and other tables, TRC, C3D, each by its ending."""

from __future__ import annotations

from array import array
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.experiment import csv_layout
from snakestudio.analysis.experiment.c3d import read_c3d
from snakestudio.analysis.experiment.column_names import unit_in
from snakestudio.analysis.experiment.csv_layout import guess_from_lines, preview
from snakestudio.analysis.experiment.layout import (
    ANGLE_UNITS,
    LENGTH_UNITS,
    TIME_UNITS,
    BodyColumns,
    JointColumns,
    Layout,
    axes_matrix,
    length_unit,
)
from snakestudio.analysis.experiment.markers import Markers
from snakestudio.analysis.experiment.samples import Samples, capture_of
from snakestudio.analysis.experiment.text_table import cells, digest, number, read_bytes, read_lines, room_for
from snakestudio.errors import ExperimentError
from snakestudio.model.capture import Capture
from snakestudio.model.rotations import matrices, quaternions, rotation

__all__ = ["MARKERS", "TABLES", "BodyColumns", "JointColumns", "Layout", "guess_layout", "preview", "read_capture"]

TABLES = (".csv", ".tsv", ".txt", ".dat")
"""Endings of tables of text, which have a layout."""

MARKERS = (".trc", ".c3d")
"""Endings of files of markers, which say themselves how they are to be read."""


def guess_layout(path: str | Path) -> Layout:
    """How a file is best read. What cannot be told is left out: see `Layout.problems`.

    Of TRC and C3D it holds axes, unit of length and the markers' names with the links they sit on.

    Raises
    ------
    ExperimentError
        If the file cannot be read, or is none of these kinds.
    """
    path = Path(path)
    if _suffix(path) in MARKERS:
        return _markers(path, read_bytes(path)).layout()
    return csv_layout.guess_layout(path)


def read_capture(path: str | Path, layout: Layout | None = None) -> Capture:
    """Read a measurement.

    Parameters
    ----------
    path : str or Path
    layout : Layout, optional
        How to read it, guessed if left out. Of TRC and C3D, which say most of it themselves, it tells axes, unit of
        length, which markers to take, the links they sit on, and the longest gap to be filled.

    Raises
    ------
    ExperimentError
        Saying what is wrong and what to do.
    """
    path = Path(path)
    if _suffix(path) in TABLES:
        return read_table(path, layout)
    data = read_bytes(path)
    markers = _markers(path, data)
    layout = layout or markers.layout()
    samples, notes = markers.samples(layout)
    return capture_of(path, samples, layout.max_gap_s, notes, digest(data))


def _markers(path: Path, data: bytes) -> Markers:
    return read_trc(path, data) if _suffix(path) == ".trc" else read_c3d(path, data)


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in (*TABLES, *MARKERS):
        endings = ", ".join((*TABLES, *MARKERS))
        raise ExperimentError(f"{path}: measurements are read from {endings}; export it as one of these.")
    return suffix


def read_trc(path: Path, data: bytes) -> Markers:
    """What a TRC file holds.

    Raises
    ------
    ExperimentError
        Saying what is wrong and what to do.
    """
    lines = read_lines(path, data)
    if len(lines) < 6 or not lines[0].startswith("PathFileType"):
        raise ExperimentError(
            f"{path}: this is no TRC file (its first line does not begin with PathFileType); export it anew, or give a "
            "table the ending .csv."
        )
    about = {key.strip(): value.strip() for key, value in zip(lines[1].split("\t"), lines[2].split("\t"), strict=False)}
    unit = length_unit(path, about.get("Units", "mm"))
    names = tuple(cell.strip() for cell in lines[3].rstrip().split("\t")[2:] if cell.strip())
    if not names:
        raise ExperimentError(f"{path}: line 4 names no markers; export it anew.")
    width = 2 + 3 * len(names)
    room_for(path, len(lines), width)
    numbers = array("d")
    for index, line in enumerate(lines[5:], 6):
        if not line.strip():
            continue
        row = [cell.strip() for cell in line.split("\t")]
        try:
            # A marker out of sight is an empty cell, and the last ones of a line may be left away.
            numbers.extend([number(cell, ".") for cell in [*row, *[""] * (width - len(row))][:width]])
        except ValueError as error:
            raise ExperimentError(f'{path}: line {index}: "{error}" is not a number; mend it.') from None
    table = np.frombuffer(numbers).reshape(-1, width)
    if len(table) < 2:
        raise ExperimentError(f"{path}: there are fewer than two frames; export the measurement again.")
    time = table[:, 1]
    notes: tuple[str, ...] = ()
    if not np.isfinite(time).all():
        rate = _rate(about.get("DataRate", ""))
        if not rate > 0:
            raise ExperimentError(f"{path}: frames have no time, and there is no DataRate; export it anew.")
        time = np.arange(len(table)) / rate
        notes = (f"The times are counted off at {rate:g} Hz, as some are missing.",)
    position = table[:, 2:].reshape(len(table), len(names), 3).copy()
    position[(position == 0.0).all(axis=2)] = np.nan
    step = float(np.median(np.diff(time)))
    return Markers("TRC", time, names, position, unit, 1.0 / step if step > 0 else 0.0, notes)


def _rate(text: str) -> float:
    try:
        return number(text, ".")
    except ValueError:
        return 0.0


_MOST_TOLD = 4
"""Wrong lines that are named."""

_MOST_COUNTED = 100_000
"""After so many the rest is not looked at."""


def read_table(path: Path, layout: Layout | None = None) -> Capture:
    """Read a table of text.

    Parameters
    ----------
    path : Path
    layout : Layout, optional
        Guessed if left out.

    Raises
    ------
    ExperimentError
        Saying what is wrong and what to do.
    """
    data = read_bytes(path)
    lines, found = read_lines(path, data), digest(data)
    del data  # as much again as the lines
    guessed = layout is None
    layout = layout or guess_from_lines(lines)
    _no_twofold_commas(path, lines, layout)
    problems = layout.problems()
    if problems:
        raise ExperimentError("\n".join(f"{path}: {problem}" for problem in problems))
    values, notes = _values(path, lines, layout)
    if guessed:
        notes = [_read_as(layout, lines), *notes]
    samples = _samples(layout, values)
    return capture_of(path, samples, layout.max_gap_s, notes, found)


def _no_twofold_commas(path: Path, lines: list[str], layout: Layout) -> None:
    """Numbers with decimal commas in a table that commas separate have twice as many cells as there are names."""
    if layout.delimiter != "," or not 0 < layout.header_rows < len(lines):
        return
    names = next((line for line in lines[layout.header_rows - 1 :: -1] if line.strip()), "")
    first = next((line for line in lines[layout.header_rows :] if line.strip()), "")
    wide, row = len(cells(names, ",")), len(cells(first, ","))
    if wide >= 2 and row >= 2 * wide - 1 and not names.startswith("#"):
        raise ExperimentError(
            f"{path}: {row} cells stand under {wide} names: commas seem to be both the decimal mark and the delimiter; "
            "export with semicolons or tabs between the columns, or with decimal points."
        )


def _values(path: Path, lines: list[str], layout: Layout) -> tuple[FloatArray, list[str]]:
    """The columns that are needed, (k, c) with c up to the last of them; NaN where nothing is."""
    needed = {c for body in layout.bodies for c in body.columns}
    needed |= {c for joint in layout.joints for c in (joint.yaw, joint.pitch) if c is not None}
    if layout.time_column is not None:
        needed.add(layout.time_column)
    order, width = sorted(needed), max(needed) + 1
    room_for(path, max(len(lines) - layout.header_rows, 0), width)
    numbers = array("d")
    mistakes: list[str] = []
    n_mistakes, widths = 0, set()
    last = max((i for i, line in enumerate(lines) if line.strip()), default=0)
    notes = []
    for index in range(layout.header_rows, len(lines)):
        line = lines[index]
        if not line.strip() or line.startswith("#"):
            continue
        row = cells(line, layout.delimiter)
        widths.add(len(row))
        try:
            if len(row) < width:
                raise ValueError
            numbers.extend([number(row[c], layout.decimal) for c in order])
        except ValueError as error:
            if index == last and len(row) < width:  # the file ends in the middle of a line
                notes.append(f"The last line ({index + 1}) is not whole and was left out.")
                continue
            n_mistakes += 1
            wrong = f'"{error}" is not a number' if error.args else f"{len(row)} cells instead of at least {width}"
            if n_mistakes <= _MOST_TOLD:
                mistakes.append(f"{path}: line {index + 1}: {wrong}.")
            elif n_mistakes == _MOST_COUNTED:
                break
    if n_mistakes:
        if n_mistakes > _MOST_TOLD:
            least = "at least " if n_mistakes == _MOST_COUNTED else ""
            mistakes.append(f"{path}: and {least}{n_mistakes - _MOST_TOLD} more such lines.")
        mistakes.append(
            f"{path}: mend these lines, or choose another delimiter, decimal mark or number of header rows."
        )
        raise ExperimentError("\n".join(mistakes))
    rows = np.frombuffer(numbers).reshape(-1, len(order))
    values = np.full((len(rows), width), np.nan)
    values[:, order] = rows
    return values, notes


def _read_as(layout: Layout, lines: list[str]) -> str:
    """What a guess came to, so that a wrong one is seen."""
    mark = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "blanks"}[layout.delimiter]
    time = f"time in {layout.time_unit}" if layout.time_column is not None else f"{layout.rate_hz:g} Hz"
    stated = any(unit_in(cell)[1] == layout.length_unit for line in lines[: layout.header_rows][-20:]
                 for cell in cells(line, layout.delimiter))  # fmt: skip
    lengths = f"lengths in {layout.length_unit}" + ("" if stated else " (no column says so)")
    return f"Read with {mark} between columns, {time}, {lengths}, {layout.axes[5]} upwards."


def _samples(layout: Layout, values: FloatArray) -> Samples:
    k, bodies = len(values), layout.bodies
    if layout.time_column is None:
        assert layout.rate_hz, "the layout was looked at"
        time = np.arange(k) / layout.rate_hz
    else:
        unit = 1.0 / layout.rate_hz if layout.time_unit == "frame" and layout.rate_hz else TIME_UNITS[layout.time_unit]
        time = values[:, layout.time_column] * unit
        if layout.time_unit == "frame" and k:
            time = time - time[0]
    matrix = axes_matrix(layout.axes)
    position = np.zeros((k, len(bodies), 3))
    for b, body in enumerate(bodies):
        for axis, column in enumerate((body.x, body.y, body.z)):
            if column is not None:
                position[:, b, axis] = values[:, column] * LENGTH_UNITS[layout.length_unit]
    if layout.zero_is_missing:
        position[(position == 0.0).all(axis=2)] = np.nan
    position = position @ matrix.T
    orientation = None
    if any(body.rotation != "none" for body in bodies):
        orientation = np.stack([_orientation(body, values, layout, matrix) for body in bodies], axis=1)
    joint_angle = None
    if layout.joints:
        joint_angle = np.zeros((k, max(joint.joint for joint in layout.joints) + 1, 2))
        for joint in layout.joints:
            for axis, column in enumerate((joint.yaw, joint.pitch)):
                if column is not None:
                    joint_angle[:, joint.joint, axis] = values[:, column] * ANGLE_UNITS[layout.angle_unit]
    names = tuple(body.name for body in bodies)
    return Samples(time, names, tuple(body.link for body in bodies), position, orientation, joint_angle)


def _orientation(body: BodyColumns, values: FloatArray, layout: Layout, matrix: FloatArray) -> FloatArray:
    """Quaternions (k, 4) of one body in the world's axes; NaN where there are none."""
    result = np.full((len(values), 4), np.nan)
    if body.rotation == "none":
        return result
    columns = values[:, body.rotation_columns]
    known = np.isfinite(columns).all(axis=1)
    if body.rotation == "quaternion":
        size = np.linalg.norm(columns, axis=1)
        known &= size > 1e-6
        turned = matrices(columns[known] / size[known, None])
    else:
        angles = columns[known] * ANGLE_UNITS[layout.angle_unit]
        if body.rotation == "vertical":  # about what points up already
            result[known] = quaternions(np.array([rotation(*row) for row in angles]).reshape(-1, 3, 3))
            return result
        turned = np.array([rotation(yaw, pitch, roll) for roll, pitch, yaw in angles]).reshape(-1, 3, 3)
    # The world's axes are other ones, and the body's own go with them.
    result[known] = quaternions(matrix @ turned @ matrix.T)
    return result
