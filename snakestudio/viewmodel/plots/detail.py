"""Detail of old rows for plots, read from the recording in pieces and cached while it is shown."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import Float32Array, FloatArray
from snakestudio.viewmodel.plots.pyramid import BLOCK, Envelope, Pyramid, Samples

MOST_ROWS = 1 << 17
"""Number of rows of the longest span that is read from the recording: twenty minutes at 100 Hz. The
pyramid suffices for longer spans."""

_Key = tuple[str, int]
"""Key of a series, and number of rows per bin."""


class _Piece(NamedTuple):
    """`BLOCK` rows in bins: smallest and largest values, and values of the first row, (bins, columns)."""

    low: Float32Array
    high: Float32Array
    first: Float32Array


class Detail:
    """Pieces of series with more detail than their pyramids have.

    Parameters
    ----------
    limit : int
        Memory limit of all pieces together, bytes.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: dict[tuple[_Key, int], _Piece] = {}
        self._requests: dict[_Key, range] = {}
        self._bytes_of: dict[_Key, int] = {}
        self._missing: dict[_Key, list[int]] = {}
        self._completed: dict[str, int] = {}
        self.nbytes = 0

    def keep(self, keys: Collection[str]) -> None:
        """Discard all other series and all requests."""
        self.cancel()
        for of, number in list(self._pieces):
            if of[0] not in keys:
                del self._pieces[of, number]
                self.nbytes -= self._bytes_of[of]

    def abandon(self, key: str) -> None:
        """Cancel reading for a series."""
        self._requests = {of: numbers for of, numbers in self._requests.items() if of[0] != key}
        self._missing = {of: numbers for of, numbers in self._missing.items() if of[0] != key}

    def cancel(self) -> None:
        """Cancel all reading, because plots show another span."""
        self._requests = {}
        self._missing = {}

    def completed(self, key: str) -> int:
        """Return the number of spans of a series that were read completely."""
        return self._completed.get(key, 0)

    @property
    def missing(self) -> int:
        """Number of requested rows that are not read yet."""
        return BLOCK * len(set().union(*self._missing.values()))

    def missing_of(self, key: str) -> list[int]:
        """Return the missing pieces of a series, the newest first."""
        return sorted(
            {n for of, missing in self._missing.items() if of[0] == key for n in missing},
            reverse=True,
        )

    def next_piece(self, keys: Collection[str]) -> tuple[int, list[str]] | None:
        """Return the newest missing piece of these series, and the series that lack it; None if there is none."""
        number = max(
            (missing[-1] for of, missing in self._missing.items() if of[0] in keys), default=-1
        )
        if number < 0:
            return None
        lacking = [
            of[0] for of, missing in self._missing.items() if of[0] in keys and number in missing
        ]
        return number, list(dict.fromkeys(lacking))

    def put(self, key: str, number: int, values: FloatArray) -> None:
        """Store a piece of a series, (BLOCK, columns), in the requested bins."""
        table = np.ascontiguousarray(values, dtype=np.float32)
        for of, missing in list(self._missing.items()):
            if of[0] != key or number not in missing:
                continue
            if of[1] == 1:
                self._keep(of, number, _Piece(table, table, table))
            else:
                binned = table.reshape(-1, of[1], table.shape[1])
                low, high = np.fmin.reduce(binned, axis=1), np.fmax.reduce(binned, axis=1)
                self._keep(of, number, _Piece(low, high, binned[:, 0].copy()))
            missing.remove(number)
            if not missing:
                del self._missing[of]
                self._completed[key] = self._completed.get(key, 0) + 1

    def _keep(self, of: _Key, number: int, piece: _Piece) -> None:
        """Store a piece, and discard the oldest ones that are not in view."""
        self._pieces[of, number] = piece
        self.nbytes += self._bytes_of[of]
        for entry in list(self._pieces):
            if self.nbytes <= self._limit:
                break
            if entry[1] not in self._requests.get(entry[0], ()):
                del self._pieces[entry]
                self.nbytes -= self._bytes_of[entry[0]]

    def _request(self, of: _Key, numbers: range, width: int) -> None:
        """Request pieces, if there is memory for them in addition to what is shown."""
        self._bytes_of[of] = (4 if of[1] == 1 else 12) * BLOCK // of[1] * width
        requests = {**self._requests, of: numbers}
        if (
            sum(len(pieces) * self._bytes_of[each] for each, pieces in requests.items())
            > self._limit
        ):
            return
        self._requests = requests
        missing = [number for number in numbers if (of, number) not in self._pieces]
        if missing:
            self._missing[of] = missing
        else:
            self._missing.pop(of, None)

    def _lacks(self, pyramid: Pyramid, start: int, stop: int, stride: int) -> range:
        """Return the pieces of a span that a pyramid lacks in bins of `stride` rows."""
        stop = min(stop, pyramid.reach(stride))
        if stop <= start or stride > BLOCK:
            return range(0)
        return range(start // BLOCK, -(-stop // BLOCK))

    def envelope(
        self, key: str, pyramid: Pyramid, start: int, stop: int, stride: int, coarse: Envelope
    ) -> Envelope:
        """Return a span in bins of `stride` rows, or `coarse` ones where needed, and request what is missing."""
        numbers = self._lacks(pyramid, start, stop, stride)
        if not numbers or stop - start > MOST_ROWS or not len(coarse.row):
            return coarse
        of = key, stride
        self._request(of, numbers, pyramid.width)
        pieces = {
            number: self._pieces[of, number] for number in numbers if (of, number) in self._pieces
        }
        if not pieces:
            return coarse
        rows = np.arange(start // stride, -(-stop // stride), dtype=np.int64) * stride
        bins = (rows - coarse.row[0]) // coarse.stride
        rows = rows[bins < len(coarse.row)]
        bins = bins[bins < len(coarse.row)]
        low, high = coarse.low[bins], coarse.high[bins]
        parts = [(number * BLOCK, piece.low, piece.high) for number, piece in pieces.items()]
        since = -(-max(start, pyramid.reach(stride)) // stride) * stride
        if since < stop:
            newer = pyramid.binned(since, stop, stride)
            parts.append((since, newer.low, newer.high))
        for row, *tables in parts:
            for table, part in zip((low, high), tables, strict=True):
                _place(table, part, (row - int(rows[0])) // stride)
        return Envelope(rows, stride, low, high)

    def samples(self, key: str, pyramid: Pyramid, start: int, stop: int, stride: int) -> Samples:
        """Return the known rows from start to stop at multiples of `stride`, and request the missing ones."""
        numbers = self._lacks(pyramid, start, stop, stride)
        if not numbers or stop - start > MOST_ROWS:
            return pyramid.samples(start, stop, stride)
        of = key, stride
        self._request(of, numbers, pyramid.width)
        parts = []
        begin = start
        for number in numbers:
            piece = self._pieces.get((of, number))
            if piece is None:
                continue
            first = max(start, number * BLOCK)
            last = min(stop, (number + 1) * BLOCK)
            row = np.arange(-(-first // stride) * stride, last, stride, dtype=np.int64)
            parts += [
                pyramid.samples(begin, first, stride),
                Samples(row, piece.first[row // stride % len(piece.first)]),
            ]
            begin = last
        parts.append(pyramid.samples(begin, stop, stride))
        return Samples(
            np.concatenate([part.row for part in parts]),
            np.concatenate([part.values for part in parts]),
        )

    def value_at(self, key: str, index: int) -> Float32Array | None:
        """Return the values of a series at a row; None if they are not cached in full detail."""
        piece = self._pieces.get(((key, 1), index // BLOCK))
        return None if piece is None else piece.first[index % BLOCK]


def _place(table: Float32Array, part: Float32Array, at: int) -> None:
    """Write those bins to a table, from bin `at`, that lie in it."""
    skip = max(0, -at)
    count = min(len(table) - (at + skip), len(part) - skip)
    if count > 0:
        table[at + skip : at + skip + count] = part[skip : skip + count]
