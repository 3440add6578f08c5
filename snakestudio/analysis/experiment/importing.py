"""Read measured tracks from files: CSV, TSV and other tables, TRC, C3D, each by its ending."""

from __future__ import annotations

from pathlib import Path

from snakestudio.analysis.experiment import csv_layout
from snakestudio.analysis.experiment.c3d import read_c3d
from snakestudio.analysis.experiment.csv_layout import preview
from snakestudio.analysis.experiment.csv_read import read_table
from snakestudio.analysis.experiment.layout import BodyColumns, JointColumns, Layout
from snakestudio.analysis.experiment.markers import Markers
from snakestudio.analysis.experiment.samples import capture_of
from snakestudio.analysis.experiment.text_table import digest, read_bytes
from snakestudio.analysis.experiment.trc import read_trc
from snakestudio.errors import ExperimentError
from snakestudio.model.capture import Capture

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
