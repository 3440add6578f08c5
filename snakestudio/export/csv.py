"""CSV export: the columns fixed for outside users, under a header that rebuilds the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio.export.files import replacing
from snakestudio.export.provenance import header_lines
from snakestudio.model.columns import column_names, table
from snakestudio.model.recording import Recording

__all__ = ["number", "write_blocks", "write_csv"]

FloatArray = NDArray[np.float64]


def write_csv(
    path: str | Path,
    recording: Recording,
    scene_file: str | None = None,
    progress: Callable[[float], bool] | None = None,
) -> bool:
    """Write a recording as CSV; every number is written so that it reads back exactly.

    Parameters
    ----------
    path : path
    recording : Recording
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
    header, names = header_lines(recording, scene_file), column_names(recording.schema)
    return write_blocks(path, header, names, table(recording), len(recording), progress)


def write_blocks(
    path: str | Path,
    header: Iterable[str],
    names: Sequence[str],
    blocks: Iterable[FloatArray],
    n_rows: int,
    progress: Callable[[float], bool] | None,
    cell: Callable[[float], str] | None = None,
) -> bool:
    """Write header lines, column names and blocks of rows, about `n_rows` in all; False if it was cancelled.

    `cell` makes a text of a value, `number` if none is given. The rest is as in `write_csv`.
    """
    cell, done = cell or number, 0
    with replacing(Path(path)) as partial, partial.path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in header)
        file.write(",".join(names) + "\n")
        for block in blocks:
            file.writelines(",".join(map(cell, row)) + "\n" for row in block.tolist())
            done += len(block)
            if progress is not None and not progress(min(1.0, done / n_rows)):
                partial.keep = False
                break
    return partial.keep


def number(value: float) -> str:
    """A value so that it reads back exactly."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
