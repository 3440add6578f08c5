"""CSV export: the columns fixed for outside users, under a header that rebuilds the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from snakestudio._arrays import FloatArray
from snakestudio.export.files import Partial, replacing
from snakestudio.export.number_text import counts_among, rows_text
from snakestudio.export.provenance import header_lines
from snakestudio.export.text_writers import TextWriters
from snakestudio.model.columns import column_names, table
from snakestudio.model.recording import Recording

__all__ = ["write_blocks", "write_csv"]


_PIECE = 512
"""Rows between two reports of progress."""


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
    n_rows = len(recording)
    counts = counts_among(names)
    with TextWriters(n_rows * len(names), counts) as writers, _named(path, header, names) as (partial, file):
        done = 0
        for text, rows in writers.lines(_pieces(table(recording))):
            file.write(text)
            done += rows
            if progress is not None and not progress(min(1.0, done / n_rows)):
                partial.keep = False
                break
    return partial.keep


def _pieces(blocks: Iterable[FloatArray]) -> Iterator[FloatArray]:
    """Blocks of at most so many rows that cancelling answers at once."""
    for block in blocks:
        for start in range(0, len(block), _PIECE):
            yield block[start : start + _PIECE]


@contextmanager
def _named(path: str | Path, header: Iterable[str], names: Iterable[str]) -> Iterator[tuple[Partial, BinaryIO]]:
    """A file that has its header and column names already and gets its name when the block ends well."""
    with replacing(Path(path)) as partial, partial.path.open("wb") as file:
        file.writelines(f"{line}\n".encode() for line in header)
        file.write((",".join(names) + "\n").encode())
        yield partial, file


def write_blocks(
    path: str | Path,
    header: Iterable[str],
    names: Sequence[str],
    blocks: Iterable[FloatArray],
    n_rows: int,
    progress: Callable[[float], bool] | None,
) -> bool:
    """Write header lines, column names and blocks of rows, about `n_rows` in all; False if it was cancelled.

    A value that is NaN, as there is none, is left empty. The rest is as in `write_csv`.
    """
    counts = counts_among(names)
    done = 0
    with _named(path, header, names) as (partial, file):
        for block in blocks:
            file.write(rows_text(block, counts).replace(b"nan", b""))
            done += len(block)
            if progress is not None and not progress(min(1.0, done / n_rows)):
                partial.keep = False
                break
    return partial.keep
