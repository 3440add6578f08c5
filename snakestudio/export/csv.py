"""CSV export: the columns fixed for outside users, under a header that rebuilds the run; written by processes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.export.files import replacing
from snakestudio.export.number_text import HEAD, counts_among, rows_text
from snakestudio.export.provenance import header_lines
from snakestudio.inputs import local_path
from snakestudio.model.atomic import Partial
from snakestudio.model.columns import column_names, table
from snakestudio.model.recording import Recording
from snakestudio.paths import own_program

_PIECE = 512
"""Rows between two reports of progress."""


def write_csv(
    path: str | Path,
    recording: Recording,
    scene_file: str | None = None,
    progress: Callable[[float], bool] | None = None,
) -> bool:
    """Write a recording as CSV; every number is written so that it reads back exactly.

    Raises `ExportError` if the file cannot be written.

    Parameters
    ----------
    scene_file : str, optional
        Name of the scene's file, for the header.
    progress : callable, optional
        Gets the finished fraction; the export is cancelled, leaving no file, when it returns False.

    Returns
    -------
    bool
        False if it was cancelled.
    """
    header = header_lines(recording, scene_file)
    names = column_names(recording.schema)
    n_rows = len(recording)
    counts = counts_among(names)
    with (
        TextWriters(n_rows * len(names), counts) as writers,
        _named(path, header, names) as (partial, file),
    ):
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
def _named(
    path: str | Path, header: Iterable[str], names: Iterable[str]
) -> Iterator[tuple[Partial, BinaryIO]]:
    """A file that has its header and column names already and gets its name when the block ends well."""
    with replacing(local_path(path)) as partial, partial.path.open("wb") as file:
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


def write_lines(path: str | Path, header: Iterable[str], names: Iterable[str], lines: str) -> None:
    """Write header lines, column names and `lines` that are CSV already.

    Raises `ExportError` if the file cannot be written.
    """
    with _named(path, header, names) as (_, file):
        file.write(lines.encode())


_WORTH = 4_000_000
"""Numbers from which on a second process is quicker than it takes to start."""


_OWN_SHARE = 0.46
"""Of the rows: with it both take the same time."""


class TextWriters:
    """Makes text of blocks of numbers, half of them in a helper process; a context manager.

    Whoever exports has the table to make and the file to write besides, so the helper's half is the
    larger one.

    Parameters
    ----------
    n_numbers : int
        How many there will be: for few of them no other process is started.
    counts : sequence of int
        Columns that hold counts.
    """

    def __init__(self, n_numbers: int, counts: Sequence[int] = ()) -> None:
        self._counts = tuple(counts)
        self.helper: subprocess.Popen[bytes] | None = None
        if n_numbers >= _WORTH and (os.cpu_count() or 1) > 1:
            try:
                self.helper = subprocess.Popen(
                    [*own_program(), "number-text", *map(str, self._counts)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except OSError:
                self.helper = None  # alone it only takes longer

    def lines(self, blocks: Iterable[FloatArray]) -> Iterator[tuple[bytes, int]]:
        """The text of the blocks, and how many rows it has, in order."""
        rest = iter(blocks)
        while taken := list(islice(rest, 2)):
            block = np.concatenate(taken)
            cut = len(block) if self.helper is None else max(1, round(_OWN_SHARE * len(block)))
            own = block[:cut]
            other = block[cut:]
            under_way = len(other) > 0 and self._send(other)
            yield rows_text(own, self._counts), len(own)
            if len(other):
                text = self._receive() if under_way else None
                yield rows_text(other, self._counts) if text is None else text, len(other)

    def _send(self, block: FloatArray) -> bool:
        assert self.helper is not None
        assert self.helper.stdin is not None
        try:
            self.helper.stdin.write(HEAD.pack(*block.shape))
            self.helper.stdin.write(np.ascontiguousarray(block, "<f8").tobytes())
            self.helper.stdin.flush()
        except OSError:
            self._end()
            return False
        return True

    def _receive(self) -> bytes | None:
        """What the helper made of the block; None if it is gone."""
        assert self.helper is not None
        assert self.helper.stdout is not None
        head = self.helper.stdout.read(HEAD.size)
        if len(head) == HEAD.size:
            length = HEAD.unpack(head)[0]
            text = self.helper.stdout.read(length)
            if len(text) == length:
                return text
        self._end()
        return None

    def _end(self) -> None:
        helper = self.helper
        self.helper = None
        if helper is not None:
            helper.kill()
            helper.communicate()

    def __enter__(self) -> TextWriters:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
