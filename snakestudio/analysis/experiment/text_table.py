"""Text files of measurements: their bytes and their lines."""

from __future__ import annotations

import hashlib
from pathlib import Path

from snakestudio import inputs
from snakestudio.errors import ExperimentError
from snakestudio.inputs import MEASUREMENT, InputError
from snakestudio.model.tables.cells import decoded

_MOST_LINES = 3_000_000
"""An hour at 800 frames a second."""


def read_bytes(path: Path) -> bytes:
    """What a file holds.

    Raises `ExperimentError` if it cannot be read, is empty or far too large for a measurement.
    """
    try:
        data = inputs.read_bytes(path, MEASUREMENT)
    except InputError as error:
        raise ExperimentError(f"{path}: {error}") from None
    if not data.strip():
        raise ExperimentError(f"{path}: the file is empty; export the measurement again.")
    return data


def digest(data: bytes) -> str:
    """SHA-256 of what a file holds."""
    return hashlib.sha256(data).hexdigest()


def read_lines(path: Path, data: bytes) -> list[str]:
    """The lines of a text file: UTF-8 or UTF-16 with its mark, or Latin-1 as older programs write.

    Raises `ExperimentError` if it is no text.
    """
    text = decoded(data)
    if text is None:
        raise ExperimentError(
            f"{path}: this is no text but a binary file; export it as CSV, TSV, TRC or C3D, or give it that ending."
        )
    if text.count("\n") > _MOST_LINES:
        raise ExperimentError(
            f"{path}: there are more than {_MOST_LINES} lines in it; export a shorter piece or a lower rate."
        )
    lines = text.removesuffix("\n").split("\n")
    longest = max(map(len, lines))
    if longest > MEASUREMENT.line:
        raise ExperimentError(
            f"{path}: a line of {longest} characters is none of a measurement; export it again."
        )
    return lines


def room_for(path: Path, rows: int, columns: int) -> None:
    """See that a table is one that fits in memory.

    Raises
    ------
    ExperimentError
    """
    if columns > MEASUREMENT.columns:
        raise ExperimentError(
            f"{path}: {columns} columns are more than {MEASUREMENT.columns}; export fewer."
        )
    if rows * columns > MEASUREMENT.values:
        raise ExperimentError(
            f"{path}: {rows} rows of {columns} columns are too much to read at once; export a shorter piece, a lower "
            "rate or fewer columns."
        )
