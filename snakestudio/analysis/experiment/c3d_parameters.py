"""Header and parameters of a C3D file (C3D user guide, www.c3d.org)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray

BLOCK = 512
"""Size of a block in bytes; every section starts at the beginning of a block."""

_INTEL = 84
_DEC = 85
_MIPS = 86
"""Processor types, by the byte that the parameters begin with; they differ in the byte order of
numbers."""

_SHORTEST_STEP = 3
"""Smallest distance from the pointer of a parameter to the next parameter, bytes."""


class DamageError(Exception):
    """The file is inconsistent."""


@dataclass(frozen=True, slots=True)
class Header:
    """First block of the file."""

    points: int
    analog: int
    """Analog values per frame; a few programs write the number of channels instead."""
    first: int
    last: int
    """Number of the last frame; 65535 where the file has more frames than two bytes can count."""
    scale: float
    """Length units per step of integers; negative if positions are real numbers."""
    data: int
    """Block of the first frame, 1-based."""
    samples: int
    """Analog samples per frame."""
    rate: float
    """Hz."""


class Numbers:
    """Decoder of numbers in the format of the processor that wrote the file."""

    def __init__(self, processor: int) -> None:
        if processor not in (_INTEL, _DEC, _MIPS):
            raise DamageError(f"its processor type {processor} is unknown")
        self._processor = processor
        self._order = ">" if processor == _MIPS else "<"

    def integers(self, data: bytes) -> NDArray[np.int16]:
        """Return two-byte integers."""
        return np.frombuffer(data, f"{self._order}i2").astype(np.int16)

    def real(self, data: bytes) -> NDArray[np.float32]:
        """Return four-byte numbers; DEC swaps the words, and its exponent is larger by two."""
        if self._processor == _DEC:
            halves = np.frombuffer(data, "<u2").reshape(-1, 2)[:, ::-1]
            with np.errstate(all="ignore"):
                return (np.ascontiguousarray(halves).view("<f4").ravel() / 4.0).astype(np.float32)
        return np.frombuffer(data, f"{self._order}f4").astype(np.float32)


def read_header(data: bytes, numbers: Numbers) -> Header:
    """Read the header of a file with this number format."""
    values = numbers.integers(data[:24]).astype(np.uint16).tolist()
    scale, rate = (float(numbers.real(data[at : at + 4])[0]) for at in (12, 20))
    return Header(values[1], values[2], values[3], values[4], scale, values[8], values[9], rate)


class Parameters:
    """Parameters by ``GROUP:NAME``; values are decoded on access."""

    def __init__(
        self, section: bytes, numbers: Numbers, places: dict[str, int], is_complete: bool
    ) -> None:
        self._section = section
        self._numbers = numbers
        self._places = places
        self.is_complete = is_complete
        """False if a pointer leads out of the section, so that parameters may be missing."""

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def values(self, name: str) -> FloatArray:
        """Return the numbers of a parameter; empty if there is none."""
        kind, _, data = self._raw(name)
        if kind == 1:
            return np.frombuffer(data, np.uint8).astype(np.float64)
        if kind == 2:
            return self._numbers.integers(data).astype(np.float64)
        return self._numbers.real(data).astype(np.float64) if kind == 4 else np.empty(0)

    def number(self, name: str) -> float | None:
        """Return the first number of a parameter; None if there is none."""
        values = self.values(name)
        return float(values[0]) if len(values) and np.isfinite(values[0]) else None

    def count(self, name: str) -> int | None:
        """Return an unsigned two-byte counter, although the format defines it as signed."""
        number = self.number(name)
        if number is None:
            return None
        return round(number + 65536.0 if number < 0.0 else number)

    def texts(self, name: str) -> list[str]:
        """Return the texts of a parameter; empty if there are none."""
        kind, width, data = self._raw(name)
        if kind != -1 or not width:
            return []
        return [_text(data[i : i + width]) for i in range(0, len(data), width)]

    def _raw(self, name: str) -> tuple[int, int, bytes]:
        """Return the type, first dimension, and bytes; type 0 if there is no such parameter."""
        at = self._places.get(name)
        section = self._section
        if at is None:
            return 0, 0, b""
        if at + 2 > len(section):
            raise DamageError("its parameters end early")
        kind, n_dimensions = struct.unpack_from("<bB", section, at)
        dimensions = list(section[at + 2 : at + 2 + n_dimensions])
        size = abs(kind)
        for each in dimensions:
            size *= each
        at += 2 + n_dimensions
        if kind not in (-1, 1, 2, 4) or n_dimensions > 7 or at + size > len(section):
            raise DamageError(f"its parameter {name} does not fit into the section")
        return kind, dimensions[0] if dimensions else 1, section[at : at + size]


def read_parameters(section: bytes, numbers: Numbers) -> Parameters:
    """Return the parameters of a section, which may extend up to the start of the frames.

    Raises `DamageError` if their pointers are invalid.
    """
    groups: dict[int, str] = {}
    places: dict[tuple[int, str], int] = {}
    complete = True
    for number, name, pointer, step in _entries(section, numbers):
        if number < 0:
            groups[-number] = name
        else:
            places[number, name] = pointer + 2
        complete = pointer + step <= len(section)
    named = {f"{groups.get(number, '')}:{name}": at for (number, name), at in places.items()}
    return Parameters(section, numbers, named, complete)


def _entries(section: bytes, numbers: Numbers) -> Iterator[tuple[int, str, int, int]]:
    """Yield the number, name, position of the pointer, and its value, of each group and parameter."""
    at = 4
    while at + 2 <= len(section):
        length, number = struct.unpack_from("<bb", section, at)
        length = abs(length)  # negative: locked
        if length == 0 or number == 0:
            return
        pointer = at + 2 + length
        if pointer + 2 > len(section):
            raise DamageError("its parameters end early")
        (step,) = numbers.integers(section[pointer : pointer + 2]).tolist()
        yield number, _text(section[at + 2 : pointer]).upper(), pointer, step
        if step == 0:  # the last one
            return
        if step < _SHORTEST_STEP:
            raise DamageError("its parameters form a loop")
        at = pointer + step


def _text(data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.strip("\0 \t\r\n")
