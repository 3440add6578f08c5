"""Long tables of numbers become text in two processes at once: Python's own lock lets only one thread write numbers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from snakestudio.export.number_text import HEAD, rows_text

__all__ = ["TextWriters"]

FloatArray = NDArray[np.float64]

_WORTH = 4_000_000
"""Numbers from which on a second process is quicker than it takes to start."""


class TextWriters:
    """Makes text of blocks of numbers, two of three in a helper process; a context manager.

    Whoever exports has the table to make and the file to write besides, so the helper's share is the larger one.

    Parameters
    ----------
    n_numbers : int
        How many there will be: for few of them no other process is started.
    """

    def __init__(self, n_numbers: int) -> None:
        self._helper: subprocess.Popen[bytes] | None = None
        if n_numbers >= _WORTH and (os.cpu_count() or 1) > 1:
            program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "snakestudio"]
            try:
                self._helper = subprocess.Popen(
                    [*program, "number-text"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except OSError:
                self._helper = None  # alone it only takes longer

    def lines(self, blocks: Iterable[FloatArray]) -> Iterator[tuple[bytes, int]]:
        """The text of the blocks, and how many rows it has, in order."""
        rest = iter(blocks)
        for block in rest:
            sent: FloatArray | None = None
            if self._helper is not None:
                share = list(islice(rest, 2))
                sent = np.concatenate(share) if share else None
            under_way = sent is not None and self._send(sent)
            yield rows_text(block), len(block)
            if sent is not None:
                text = self._receive() if under_way else None
                yield rows_text(sent) if text is None else text, len(sent)

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
