"""Fast conversion of many numbers to the same text as Python's shortest representation, in a quarter of the time.

Plain numbers are written by pydantic's JSON writer, which has a fast algorithm for the shortest digits
that read back exactly; where its format differs from Python's (exponents, values that are not finite),
Python writes them. Only counts are written without a decimal point: programs that guess column types
from the first rows (polars, DuckDB) would read a force that begins with zeros as integers,
and fail at the first other value.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cache
from typing import BinaryIO

import numpy as np
from pydantic_core import to_json

from snakestudio._arrays import FloatArray

HEAD = struct.Struct("<qq")
"""Header of a block: rows and columns before numbers, bytes and 0 before text."""

_COUNTS = {"contacts_closed", "solver_unconverged", "links", "joint", "trial", "measured"}
"""Names of the integer columns of all exports."""

_SMALLEST = 1e-4
_LARGEST = 1e9
"""Range in which both formats write a number without an exponent."""

_AT_ONCE = 128
"""Rows converted at a time: more do not fit into the processor's cache and take half as long
again."""


def counts_among(names: Sequence[str]) -> tuple[int, ...]:
    """Return the indices of the columns with counts, by name; they are written as integers."""
    return tuple(index for index, name in enumerate(names) if name in _COUNTS)


def number(value: float) -> str:
    """Return a measured value that reads back exactly and is not taken for an integer by programs that guess types."""
    return repr(value)


def count(value: float) -> str:
    """Return a count."""
    return str(int(value)) if value.is_integer() else repr(value)


def rows_text(block: FloatArray, counts: Sequence[int] = ()) -> bytes:
    """Return the rows of numbers as lines separated by commas, written by `number`, or `count` for those columns."""
    if not spells_alike():
        return _slow(block, counts)
    return b"".join(
        _fast(block[start : start + _AT_ONCE], counts) for start in range(0, len(block), _AT_ONCE)
    )


def _slow(block: FloatArray, counts: Sequence[int]) -> bytes:
    writers = [count if column in counts else number for column in range(block.shape[1])]
    rows = (
        ",".join(write(value) for write, value in zip(writers, row, strict=True))
        for row in block.tolist()
    )
    return "".join(f"{row}\n" for row in rows).encode()


def _fast(block: FloatArray, counts: Sequence[int]) -> bytes:
    size = np.abs(block)
    odd = ~(((size >= _SMALLEST) & (size < _LARGEST)) | (size == 0))
    values = block.astype(object)
    values[odd] = [number(value) for value in block[odd].tolist()]
    for column in counts:
        values[:, column] = [count(value) for value in block[:, column].tolist()]
    # Texts among the numbers are in quotes, which are removed.
    return b"".join([to_json(row)[1:-1] + b"\n" for row in values.tolist()]).translate(None, b'"')


@cache
def spells_alike() -> bool:
    """Return whether the fast writer has Python's format; another release of it may not."""
    mantissas = np.array(
        [
            0.0,
            1.0,
            1.5,
            0.1,
            1 / 3,
            2 / 3,
            9.999999999999999,
            1.0000000000000002,
            536870912.00390625,
        ]
    )
    samples = np.outer(np.concatenate([mantissas, -mantissas]), 10.0 ** np.arange(-7, 12))
    return _fast(samples, ()) == _slow(samples, ())


def serve(source: BinaryIO, sink: BinaryIO, counts: Sequence[int] = ()) -> None:
    """Write the text of blocks of numbers until `source` ends: the main function of the helper process."""
    while len(head := source.read(HEAD.size)) == HEAD.size:
        rows, columns = HEAD.unpack(head)
        data = source.read(8 * rows * columns)
        if len(data) < 8 * rows * columns:
            return
        text = rows_text(np.frombuffer(data, "<f8").reshape(rows, columns), counts)
        sink.write(HEAD.pack(len(text), 0))
        sink.write(text)
        sink.flush()
