"""C3D files (Vicon, Qualisys, OptiTrack and most others): markers and their residuals, read strictly.

A C3D file is blocks of 512 bytes: a header, parameters in groups, and the frames, each with its points and then its
analog values (the C3D file format user guide, www.c3d.org). Only what tells of the points is read. What the header, the
parameters and the size of the file say must agree: a file that holds less than it says, or says two things, is damaged.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.analysis.experiment.layout import length_unit
from snakestudio.analysis.experiment.markers import Markers
from snakestudio.analysis.experiment.text_table import room_for
from snakestudio.errors import ExperimentError

__all__ = ["read_c3d"]

Parameter = str | FloatArray | list[str]

_BLOCK = 512
_KEY = 0x50
"""Second byte of every C3D file."""

_INTEL, _DEC, _MIPS = 84, 85, 86
"""Processors, by the byte that the parameters begin with: they differ in how numbers lie in the file."""

_DAMAGED = "export it again"


class _DamageError(Exception):
    """What contradicts itself."""


@dataclass(frozen=True, slots=True)
class _Header:
    """The first block, words counted from 1 as in the guide."""

    parameters: int
    points: int
    analog: int
    first: int
    last: int
    scale: float
    data: int
    rate: float


class _Numbers:
    """Numbers as the processor had them that wrote a file."""

    def __init__(self, processor: int) -> None:
        if processor not in (_INTEL, _DEC, _MIPS):
            raise _DamageError(f"its processor type {processor} is none")
        self._processor = processor
        self._order = ">" if processor == _MIPS else "<"

    def whole(self, data: bytes) -> NDArray[np.int16]:
        """Numbers of two bytes."""
        return np.frombuffer(data, f"{self._order}i2").astype(np.int16)

    def real(self, data: bytes) -> NDArray[np.float32]:
        """Numbers of four bytes; DEC has its words the other way round, and an exponent that is larger by two."""
        if self._processor == _DEC:
            words = np.frombuffer(data, "<u2").reshape(-1, 2)[:, ::-1]
            with np.errstate(all="ignore"):
                return (np.ascontiguousarray(words).view("<f4").ravel() / 4.0).astype(np.float32)
        return np.frombuffer(data, f"{self._order}f4").astype(np.float32)


def read_c3d(path: Path, data: bytes) -> Markers:
    """What a C3D file holds; a marker with a negative residual was not seen (C3D user guide, "Residuals").

    Raises
    ------
    ExperimentError
        Saying what is wrong and what to do.
    """
    if len(data) < _BLOCK or data[1] != _KEY:
        raise ExperimentError(f"{path}: this is no C3D file; export it anew, or give a table the ending .csv.")
    try:
        return _markers(path, data)
    except _DamageError as error:
        raise ExperimentError(f"{path}: the C3D file is damaged ({error}); {_DAMAGED}.") from None


def _markers(path: Path, data: bytes) -> Markers:
    start = (data[0] - 1) * _BLOCK
    if not _BLOCK <= start <= len(data) - _BLOCK:
        raise _DamageError("its parameters lie out of the file")
    numbers = _Numbers(data[start + 3])
    header = _header(data, numbers)
    found = _parameters(data[start : start + data[start + 2] * _BLOCK or None], numbers)
    n, used = header.points, _number(found, "POINT:USED")
    if used is not None and used != n:
        raise _DamageError(f"its header tells of {n} points, its parameters of {used:g}")
    k = _frames(header, found)
    if n == 0 or k < 2:
        raise ExperimentError(f"{path}: there are no marker tracks in it; export the trajectories as well.")
    room_for(path, k, 4 * n)
    rate = _number(found, "POINT:RATE")
    rate = rate if rate is not None and rate > 0.0 else header.rate
    if not 1e-3 <= rate <= 1e6:
        raise ExperimentError(f"{path}: the file tells no frame rate; {_DAMAGED}.")
    position, residual = _points(data, header, numbers, n, k)
    position[(residual < 0.0) | (position == 0.0).all(axis=2)] = np.nan
    units = found.get("POINT:UNITS")
    unit = length_unit(path, units[0].strip("\0") if isinstance(units, list) and units else "mm")
    labels = _labels(found)[:n]
    labels += [f"Marker {i + 1}" for i in range(len(labels), n)]
    first = header.first - 1
    time = (first + np.arange(k)) / rate
    notes: tuple[str, ...] = ()
    if first > 0:
        notes = (f"The file begins with frame {first + 1}, so its first time is {time[0]:.4g} s.",)
    return Markers("C3D", time, tuple(labels), position, unit, rate, notes)


def _header(data: bytes, numbers: _Numbers) -> _Header:
    words = numbers.whole(data[:24]).astype(np.uint16).tolist()
    scale, rate = (float(numbers.real(data[at : at + 4])[0]) for at in (12, 20))
    header = _Header(data[0], words[1], words[2], words[3], words[4], scale, words[8], rate)
    if not (np.isfinite(scale) and scale != 0.0):
        raise _DamageError("its scale is no number but 0")
    if header.first < 1:
        raise _DamageError("its frames do not begin with a number from 1")
    return header


def _parameters(section: bytes, numbers: _Numbers) -> dict[str, Parameter]:
    """Parameters by ``GROUP:NAME``; of those that are not needed none is made."""
    groups: dict[int, str] = {}
    found: dict[str, tuple[int, str, int]] = {}
    at = 4
    while at + 2 <= len(section):
        length, number = struct.unpack_from("<bb", section, at)
        length = abs(length)  # negative: locked
        if length == 0 or number == 0:
            break
        name = section[at + 2 : at + 2 + length].decode("latin-1").upper().strip()
        pointer = at + 2 + length
        if pointer + 2 > len(section):
            raise _DamageError("its parameters end early")
        (step,) = numbers.whole(section[pointer : pointer + 2]).tolist()
        if number < 0:
            groups[-number] = name
        else:
            found[f"{number}:{name}"] = (number, name, pointer + 2)
        if step == 0:  # the last one
            break
        if step < 3:
            raise _DamageError("its parameters lead back to themselves")
        at = pointer + step
        if at > len(section):
            raise _DamageError("its parameters lead out of their place")
    made: dict[str, Parameter] = {}
    for number, name, at in found.values():
        full = f"{groups.get(number, '')}:{name}"
        if full in _NEEDED:
            made[full] = _value(section, at, numbers)
    return made


_NEEDED = frozenset({
    "POINT:USED", "POINT:RATE", "POINT:UNITS", "POINT:FRAMES", "POINT:LONG_FRAMES", "POINT:SCALE", "POINT:DATA_START",
    "TRIAL:ACTUAL_START_FIELD", "TRIAL:ACTUAL_END_FIELD", "POINT:LABELS", *(f"POINT:LABELS{i}" for i in range(2, 100)),
})  # fmt: skip


def _value(section: bytes, at: int, numbers: _Numbers) -> Parameter:
    """What a parameter holds: texts, or numbers."""
    if at + 2 > len(section):
        raise _DamageError("its parameters end early")
    kind, n_dimensions = struct.unpack_from("<bB", section, at)
    dimensions = list(section[at + 2 : at + 2 + n_dimensions])
    size = 1
    for each in dimensions:
        size *= each
    at += 2 + n_dimensions
    if kind not in (-1, 1, 2, 4) or n_dimensions > 7 or at + size * abs(kind) > len(section):
        raise _DamageError("a parameter of it does not fit")
    data = section[at : at + size * abs(kind)]
    if kind == -1:
        width = dimensions[0] if dimensions else 1
        return [data[i : i + width].decode("latin-1").strip() for i in range(0, len(data), width)] if width else []
    if kind == 1:
        return np.frombuffer(data, np.uint8).astype(np.float64)
    if kind == 2:
        return numbers.whole(data).astype(np.float64)
    return numbers.real(data).astype(np.float64)


def _number(found: dict[str, Parameter], name: str) -> float | None:
    """The first number of a parameter; None where there is none."""
    value = found.get(name)
    if not isinstance(value, np.ndarray) or not len(value) or not np.isfinite(value[0]):
        return None
    number = float(value[0])
    whole = name in ("POINT:USED", "POINT:FRAMES", "POINT:DATA_START")
    return number + 65536.0 if whole and number < 0.0 else number  # counts of two bytes have no sign


def _labels(found: dict[str, Parameter]) -> list[str]:
    """Names of the points; more than 255 go on in further parameters."""
    labels: list[str] = []
    for name in ("POINT:LABELS", *(f"POINT:LABELS{i}" for i in range(2, 100))):
        value = found.get(name)
        if isinstance(value, list):
            labels += [label.strip("\0 ") or f"Marker {len(labels) + i + 1}" for i, label in enumerate(value)]
    return labels


def _frames(header: _Header, found: dict[str, Parameter]) -> int:
    """How many frames there are: the header counts them with two bytes, so long files say it elsewhere, too."""
    in_header = header.last - header.first + 1
    told = [_number(found, name) for name in ("POINT:LONG_FRAMES", "POINT:FRAMES")]
    first, last = (found.get(f"TRIAL:ACTUAL_{end}_FIELD") for end in ("START", "END"))
    if isinstance(first, np.ndarray) and isinstance(last, np.ndarray) and len(first) == len(last) == 2:
        first, last = first % 65536.0, last % 65536.0  # two words, the lower one first
        told.insert(0, float(last[0] + 65536.0 * last[1] - first[0] - 65536.0 * first[1] + 1.0))
    sizes = {round(value) for value in told if value is not None and value > 0}
    if header.last < 65535 and in_header > 0:
        sizes.add(in_header)
    short = {size for size in sizes if size < 65535}
    long = {size for size in sizes if size >= 65536}
    if len(long) > 1 or (not long and len(short) > 1):
        raise _DamageError(f"it tells of {' and of '.join(map(str, sorted(sizes)))} frames")
    return max(sizes, default=max(in_header, 0))


def _points(data: bytes, header: _Header, numbers: _Numbers, n: int, k: int) -> tuple[FloatArray, FloatArray]:
    """Positions (k, n, 3) in the file's unit, and residuals (k, n): negative where a point was not seen."""
    start, size = (header.data - 1) * _BLOCK, 4 if header.scale < 0.0 else 2
    frame = (4 * n + header.analog) * size
    if start < _BLOCK:
        raise _DamageError("its frames lie where its header is")
    there = (len(data) - start) // frame if start < len(data) else 0
    if there < k:
        raise _DamageError(f"it tells of {k} frames and holds {there}")
    if len(data) - start - k * frame >= max(frame, _BLOCK):
        raise _DamageError(f"it tells of {k} frames and holds {there}")
    rows = np.frombuffer(data, np.uint8, k * frame, start).reshape(k, frame)[:, : 4 * n * size]
    flat = np.ascontiguousarray(rows).tobytes()
    if header.scale < 0.0:
        values = numbers.real(flat).reshape(k, n, 4)
        with np.errstate(invalid="ignore"):
            return values[:, :, :3].astype(np.float64), values[:, :, 3].astype(np.float64)
    whole = numbers.whole(flat).reshape(k, n, 4)
    return whole[:, :, :3].astype(np.float64) * header.scale, whole[:, :, 3].astype(np.float64)
