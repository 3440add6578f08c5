"""TRC files of markers, as written by Cortex, OpenSim and many scripts. A name belongs to the columns under it."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from snakestudio.analysis.experiment.layout import length_unit
from snakestudio.analysis.experiment.markers import Markers
from snakestudio.analysis.experiment.recognizers.reading import decimal_of, trimmed, unique_names
from snakestudio.analysis.experiment.text_table import read_lines, room_for
from snakestudio.errors import ExperimentError
from snakestudio.model.recognition import IgnoredColumns
from snakestudio.model.tables.cells import is_number, number

_RATES = ("DataRate", "CameraRate", "OrigDataRate")


@dataclass(slots=True)
class _Header:
    about: dict[str, str]
    first: int
    """Line of the first frame."""
    names: list[str]
    notes: list[str]
    decimal: str


def read_trc(path: Path, data: bytes) -> Markers:
    """Read a TRC file.

    Raises `ExperimentError` if it is invalid.
    """
    lines = read_lines(path, data)
    header = _header(path, lines)
    unit = length_unit(path, header.about.get("Units", "mm"))
    width = 2 + 3 * len(header.names)
    room_for(path, len(lines), width)
    table = _frames(path, lines, header, width)
    notes = list(header.notes)
    if "Units" not in header.about:
        notes.append("The file does not name its unit of length; mm is usual in TRC files.")
    rate = next((rate for key in _RATES if (rate := _rate(header.about.get(key, "")))), 0.0)
    time = table[:, 1]
    if not np.isfinite(time).all():
        if not rate:
            raise ExperimentError(
                f"{path}: some frames have no time, and the header states no DataRate. Export the trial again."
            )
        time = np.arange(len(table)) / rate
        notes.append(f"Some times are missing, so times are computed from the rate of {rate:g} Hz.")
    step = float(np.median(np.diff(time)))
    if rate and step > 0 and abs(step * rate - 1.0) > 0.02:
        notes.append(
            f"The times have a rate of {1.0 / step:.4g} Hz, but the header states {rate:g} Hz; the times are used."
        )
    frames = header.about.get("NumFrames", "")
    if frames.isdigit() and int(frames) != len(table):
        notes.append(f"NumFrames is {frames}, but the file has {len(table)} frames.")
    position = table[:, 2:].reshape(len(table), len(header.names), 3).copy()
    position[(position == 0.0).all(axis=2)] = np.nan
    ignored = (IgnoredColumns("Frame#", "a count of frames"),)
    return Markers(
        "TRC",
        time,
        tuple(header.names),
        position,
        unit,
        1.0 / step if step > 0 else 0.0,
        tuple(notes),
        file_type="TRC",
        ignored=ignored,
    )


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("\t")] if "\t" in line else line.split()


def _header(path: Path, lines: list[str]) -> _Header:
    if len(lines) < 5 or not lines[0].lstrip('"').startswith("PathFileType"):
        raise ExperimentError(
            f"{path}: This is not a TRC file (its first line does not begin with PathFileType). Export it again, or "
            "give a table the extension .csv."
        )
    kind = re.search(r"\(([^)]*)\)", lines[0])
    if kind and re.sub(r"\s", "", kind[1]).upper() != "X/Y/Z":
        raise ExperimentError(
            f"{path}: The first line announces ({kind[1]}) for each marker, not (X/Y/Z). Export positions of markers."
        )
    about = dict(zip(_split(lines[1]), _split(lines[2]), strict=False))
    if "Units" not in about and "DataRate" not in about and "NumMarkers" not in about:
        raise ExperimentError(
            f"{path}: Line 2 names neither DataRate, NumMarkers nor Units. Export the trial again."
        )
    first = next((i for i in range(3, len(lines)) if _is_frame(lines[i])), None)
    if first is None:
        raise ExperimentError(
            f"{path}: The file has fewer than two frames. Export the measurement again."
        )
    over = [i for i in range(3, first) if lines[i].strip()]
    if not over:
        raise ExperimentError(f"{path}: Line 4 names no markers. Export the trial again.")
    names_row = trimmed(_split(lines[over[0]]))
    axes_row = [cell for cell in _split(lines[over[1]]) if cell] if len(over) > 1 else []
    rows = [trimmed(_split(line)) for line in lines[first : first + 200] if line.strip()]
    decimal = decimal_of(rows)
    columns = max(map(len, rows)) - 2
    about = {key: value for key, value in about.items() if key}
    stated = int(about["NumMarkers"]) if about.get("NumMarkers", "").isdigit() else None
    notes: list[str] = []
    count = _count(path, axes_row, columns, stated, notes)
    names, unnamed = _names(path, names_row, count)
    if unnamed:
        notes.append(f"Markers without a name are numbered: {', '.join(unnamed)}.")
    unique, repeated = unique_names(names)
    if repeated:
        notes.append(
            f"Several markers have the same name: {', '.join(repeated)}; the later ones are numbered."
        )
    return _Header(about, first, unique, notes, decimal)


def _is_frame(line: str) -> bool:
    row = _split(line)
    return len(row) > 2 and is_number(row[0], ".")


def _count(
    path: Path, axes_row: list[str], columns: int, stated: int | None, notes: list[str]
) -> int:
    """Return the number of markers: two of the axes, the columns and NumMarkers must agree."""
    by_axes = None
    if axes_row:
        letters = "".join(cell[0].upper() for cell in axes_row)
        if len(letters) % 3 or letters != "XYZ" * (len(letters) // 3):
            raise ExperimentError(
                f"{path}: The row under the names is {' '.join(axes_row[:6])} ..., not X1 Y1 Z1 X2 and so on. Export "
                "positions of markers, or give a table the extension .csv and a layout."
            )
        by_axes = len(axes_row) // 3
    votes = [each for each in (by_axes, stated) if each is not None]
    fitting = next((each for each in votes if 3 * each == columns), None)
    if (
        fitting is None
        and by_axes is not None
        and stated in (None, by_axes)
        and columns in range(3, 3 * by_axes, 3)
    ):
        fitting = by_axes  # the last markers are not visible, and their cells are omitted
    if fitting is None:
        parts = [f"{columns} columns of coordinates"]
        parts += [f"axes of {by_axes} markers"] if by_axes is not None else []
        parts += [f"NumMarkers {stated}"] if stated is not None else []
        raise ExperimentError(
            f"{path}: {', '.join(parts)} do not agree. Export the trial again, or give a table the extension .csv and "
            "a layout."
        )
    if stated is not None and stated != fitting:
        notes.append(f"NumMarkers is {stated}, but there are columns for {fitting} markers.")
    return fitting


def _names(path: Path, row: list[str], count: int) -> tuple[list[str], list[str]]:
    """Return the names of the markers by the columns under them, and those that were generated."""
    cells = {column - 2: name for column, name in enumerate(row) if column >= 2 and name}
    names = [""] * count
    if all(column % 3 == 0 and column // 3 < count for column in cells):
        for column, name in cells.items():
            names[column // 3] = name
    elif len(cells) == count and sorted(cells) == list(range(count)):
        names = [cells[i] for i in range(count)]  # the names follow each other without empty cells
    else:
        raise ExperimentError(
            f"{path}: The names in line 4 are not above the columns of the {count} markers. Export the trial again, or "
            "give a table the extension .csv and a layout."
        )
    result = [name or f"Marker {i + 1}" for i, name in enumerate(names)]
    return result, [label for label, name in zip(result, names, strict=True) if not name]


def _frames(
    path: Path, lines: list[str], header: _Header, width: int
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return rows (k, width) of numbers; NaN for empty cells."""
    numbers = array("d")
    for index, line in enumerate(lines[header.first :], header.first + 1):
        if not line.strip():
            continue
        row = trimmed(_split(line))
        if len(row) > width:
            raise ExperimentError(
                f"{path}: Line {index} has {len(row)} cells, but the header names {width}. Export the trial again."
            )
        try:
            # The cell of a marker that is not visible is empty; the last ones in a line may be omitted.
            numbers.extend(
                [number(cell, header.decimal) for cell in [*row, *[""] * (width - len(row))]]
            )
        except ValueError as error:
            raise ExperimentError(
                f'{path}: Line {index}: "{error}" is not a number. Correct or remove it.'
            ) from None
    table = np.frombuffer(numbers).reshape(-1, width)
    if len(table) < 2:
        raise ExperimentError(
            f"{path}: The file has fewer than two frames. Export the measurement again."
        )
    return table


def _rate(text: str) -> float:
    try:
        rate = number(text, "," if "," in text else ".")
    except ValueError:
        return 0.0
    return rate if 1e-3 < rate < 1e6 else 0.0
