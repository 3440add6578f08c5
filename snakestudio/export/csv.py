"""CSV export: the columns fixed for outside users, under a header that rebuilds the run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from snakestudio.export.columns import column_names, table
from snakestudio.export.files import replacing
from snakestudio.export.provenance import header_lines
from snakestudio.session.recording import SpooledRecording

__all__ = ["number", "write_csv"]


def write_csv(
    path: str | Path,
    recording: SpooledRecording,
    scene_file: str | None = None,
    progress: Callable[[float], bool] | None = None,
) -> bool:
    """Write a recording as CSV; every number is written so that it reads back exactly.

    Parameters
    ----------
    path : path
    recording : SpooledRecording
    scene_file : str, optional
        Name of the scene's file, for the header.
    progress : callable, optional
        Gets the finished fraction; the export is cancelled, leaving no file, when it returns False.

    Returns
    -------
    bool
        False if it was cancelled.

    Raises
    ------
    ExportError
        If the file cannot be written.
    """
    path = Path(path)
    total, done = len(recording), 0
    with replacing(path) as partial, partial.path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in header_lines(recording, scene_file))
        file.write(",".join(column_names(recording.schema)) + "\n")
        for part in table(recording):
            file.writelines(",".join(map(number, row)) + "\n" for row in part.tolist())
            done += len(part)
            if progress is not None and not progress(min(1.0, done / total)):
                partial.keep = False
                break
    return partial.keep


def number(value: float) -> str:
    """A value so that it reads back exactly."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
