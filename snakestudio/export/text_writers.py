"""Long tables of numbers become text in two processes at once: Python's own lock lets only one thread write numbers."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from types import TracebackType

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.export.number_text import HEAD, rows_text
from snakestudio.paths import own_program

__all__ = ["TextWriters"]


_WORTH = 4_000_000
"""Numbers from which on a second process is quicker than it takes to start."""


_OWN_SHARE = 0.46
"""Of the rows: with it both take the same time."""


class TextWriters:
    """Makes text of blocks of numbers, half of them in a helper process; a context manager.

    Whoever exports has the table to make and the file to write besides, so the helper's half is the larger one.

    Parameters
    ----------
    n_numbers : int
        How many there will be: for few of them no other process is started.
    counts : sequence of int
        Columns that hold counts.
    """

    def __init__(self, n_numbers: int, counts: Sequence[int] = ()) -> None:
        self._counts = tuple(counts)
        self._helper: subprocess.Popen[bytes] | None = None
        if n_numbers >= _WORTH and (os.cpu_count() or 1) > 1:
            try:
                self._helper = subprocess.Popen(
                    [*own_program(), "number-text", *map(str, self._counts)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except OSError:
                self._helper = None  # alone it only takes longer

    def lines(self, blocks: Iterable[FloatArray]) -> Iterator[tuple[bytes, int]]:
        """The text of the blocks, and how many rows it has, in order."""
        rest = iter(blocks)
        while taken := list(islice(rest, 2)):
            block = np.concatenate(taken)
            cut = len(block) if self._helper is None else max(1, round(_OWN_SHARE * len(block)))
            own, other = block[:cut], block[cut:]
            under_way = len(other) > 0 and self._send(other)
            yield rows_text(own, self._counts), len(own)
            if len(other):
                text = self._receive() if under_way else None
                yield rows_text(other, self._counts) if text is None else text, len(other)

    def _send(self, block: FloatArray) -> bool:
        assert self._helper is not None
        assert self._helper.stdin is not None
        try:
            self._helper.stdin.write(HEAD.pack(*block.shape))
            self._helper.stdin.write(np.ascontiguousarray(block, "<f8").tobytes())
            self._helper.stdin.flush()
        except OSError:
            self._end()
            return False
        return True

    def _receive(self) -> bytes | None:
        """What the helper made of the block; None if it is gone."""
        assert self._helper is not None
        assert self._helper.stdout is not None
        head = self._helper.stdout.read(HEAD.size)
        if len(head) == HEAD.size:
            length = HEAD.unpack(head)[0]
            text = self._helper.stdout.read(length)
            if len(text) == length:
                return text
        self._end()
        return None

    def _end(self) -> None:
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.kill()
            helper.communicate()

    def __enter__(self) -> TextWriters:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
