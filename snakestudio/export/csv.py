"""CSV export with fixed columns for outside users and a header that reproduces the run; uses several processes."""

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
from snakestudio.export.number_text import HEAD, counts_among, rows_text
from snakestudio.export.provenance import header_lines
from snakestudio.inputs import local_path
from snakestudio.model.columns import column_names, table
from snakestudio.model.recording import Recording
from snakestudio.paths import own_program

_PIECE = 512
"""Number of rows between progress reports."""


def write_csv(
    path: str | Path,
    recording: Recording,
    scene_file: str | None = None,
    progress: Callable[[float], bool] | None = None,
) -> bool:
    """Write a recording as CSV; all numbers are written so that they read back exactly.

    Raises `OSError` if the file cannot be written; an incomplete file remains. See `write_as`.

    Parameters
    ----------
    scene_file : str, optional
        Name of the scene's file, for the header.
    progress : callable, optional
        Called with the finished fraction; the file remains incomplete when it returns False.

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
        _started(path, header, names) as file,
    ):
        done = 0
        for text, rows in writers.lines(_pieces(table(recording))):
            file.write(text)
            done += rows
            if progress is not None and not progress(min(1.0, done / n_rows)):
                return False
    return True


def _pieces(blocks: Iterable[FloatArray]) -> Iterator[FloatArray]:
    """Split blocks so that cancelling responds quickly."""
    for block in blocks:
        for start in range(0, len(block), _PIECE):
            yield block[start : start + _PIECE]


@contextmanager
def _started(path: str | Path, header: Iterable[str], names: Iterable[str]) -> Iterator[BinaryIO]:
    """A file that begins with header and column names."""
    with local_path(path).open("wb") as file:
        file.writelines(f"{line}\n".encode() for line in header)
        file.write((",".join(names) + "\n").encode())
        yield file


def write_blocks(
    path: str | Path,
    header: Iterable[str],
    names: Sequence[str],
    blocks: Iterable[FloatArray],
    n_rows: int,
    progress: Callable[[float], bool] | None,
) -> bool:
    """Write header lines, column names and blocks of rows, about `n_rows` in total; False if cancelled.

    NaN becomes an empty cell. The rest is as in `write_csv`.
    """
    counts = counts_among(names)
    done = 0
    with _started(path, header, names) as file:
        for block in blocks:
            file.write(rows_text(block, counts).replace(b"nan", b""))
            done += len(block)
            if progress is not None and not progress(min(1.0, done / n_rows)):
                return False
    return True


def write_lines(path: str | Path, header: Iterable[str], names: Iterable[str], lines: str) -> None:
    """Write header lines, column names and `lines` that are already CSV."""
    with _started(path, header, names) as file:
        file.write(lines.encode())


_WORTH = 4_000_000
"""Number of values above which a second process is faster despite its start time."""


_OWN_SHARE = 0.46
"""Fraction of the rows with which both processes take the same time."""


class TextWriters:
    """Converts blocks of numbers to text, half of them in a helper process; a context manager.

    The main process also computes the table and writes the file, so the helper's share is
    larger.

    Parameters
    ----------
    n_numbers : int
        Total number of values: for few of them no helper process is started.
    counts : sequence of int
        Columns that contain counts.
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
                self.helper = None  # without the helper it only takes longer

    def lines(self, blocks: Iterable[FloatArray]) -> Iterator[tuple[bytes, int]]:
        """Yield the text of the blocks with their number of rows, in order."""
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
        """Return the text of a block from the helper; None if the helper has ended."""
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
