"""Text files of measurements: bytes and lines."""

from __future__ import annotations

import hashlib
from pathlib import Path

from snakestudio import inputs
from snakestudio.errors import ExperimentError
from snakestudio.inputs import MEASUREMENT, InputError
from snakestudio.model.tables.cells import decoded

_MOST_LINES = 3_000_000
"""Limit: an hour at 800 frames per second."""


def read_bytes(path: Path) -> bytes:
    """Return the content of a file.

    Raises `ExperimentError` if it cannot be read, is empty, or is far too large for a measurement.
    """
    try:
        data = inputs.read_bytes(path, MEASUREMENT)
    except InputError as error:
        raise ExperimentError(f"{path}: {error}") from None
    if not data.strip():
        raise ExperimentError(f"{path}: The file is empty. Export the measurement again.")
    return data


def digest(data: bytes) -> str:
    """Return the SHA-256 of the content of a file."""
    return hashlib.sha256(data).hexdigest()


def read_lines(path: Path, data: bytes) -> list[str]:
    """Return the lines of a text file: UTF-8 or UTF-16 with a byte order mark, or Latin-1, as older programs write.

    Raises `ExperimentError` if it is not a text file.
    """
    text = decoded(data)
    if text is None:
        raise ExperimentError(
            f"{path}: This is a binary file, not text. Export it as CSV, TSV, TRC or C3D, or give it that extension."
        )
    if text.count("\n") > _MOST_LINES:
        raise ExperimentError(
            f"{path}: The file has more than {_MOST_LINES} lines. Export a shorter piece, or at a lower rate."
        )
    lines = text.removesuffix("\n").split("\n")
    longest = max(map(len, lines))
    if longest > MEASUREMENT.line:
        raise ExperimentError(
            f"{path}: A line of {longest} characters cannot be part of a measurement. Export it again."
        )
    return lines


def room_for(path: Path, rows: int, columns: int) -> None:
    """Check that a table fits in memory.

    Raises
    ------
    ExperimentError
    """
    if columns > MEASUREMENT.columns:
        raise ExperimentError(
            f"{path}: The file has {columns} columns, more than {MEASUREMENT.columns}. Export fewer."
        )
    if rows * columns > MEASUREMENT.values:
        raise ExperimentError(
            f"{path}: {rows} rows of {columns} columns are too many. Export a shorter piece, at a lower "
            "rate or fewer columns."
        )
