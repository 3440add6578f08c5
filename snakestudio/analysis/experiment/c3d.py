"""C3D files (Vicon, Qualisys, OptiTrack, Theia and most others): tracks of markers and segments, read strictly.

A C3D file consists of blocks of 512 bytes: a header, parameters in groups, and the frames, each with
its points followed by its analog values (the C3D file format user guide, www.c3d.org); rotations of
segments are in a section after them. Header and parameters state most things twice, and many
programs write one of the two wrong. Where they differ, the size of the file decides; if it does
not, the file is refused. Each such decision is noted.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.experiment.c3d_parameters import (
    BLOCK,
    DamageError,
    Header,
    Numbers,
    Parameters,
    read_header,
    read_parameters,
)
from snakestudio.analysis.experiment.markers import Markers
from snakestudio.analysis.experiment.text_table import room_for
from snakestudio.errors import ExperimentError
from snakestudio.model.rotations import quaternions
from snakestudio.model.tables.units import LengthUnit
from snakestudio.text import capitalized, counted

_KEY = 0x50
"""Second byte of every C3D file."""

_MOST_COUNTED = 65535
"""Largest value of a two-byte counter; it only means "at least as many"."""

_NECESSARY = ("POINT:USED", "POINT:LABELS", "POINT:UNITS")
"""Parameters that are required if the section is truncated."""

_ROTATION_VALUES = 17
"""A matrix (4, 4) in column-major order, and a residual, all real numbers."""

_UNITS: dict[str, tuple[LengthUnit, float]] = {
    **dict.fromkeys(
        ("m", "meter", "meters", "metre", "metres", "mete"), ("m", 1.0)
    ),  # "mete": truncated to four letters
    **dict.fromkeys(("dm", "decimeter", "decimeters", "decimetre", "decimetres"), ("cm", 10.0)),
    **dict.fromkeys(
        ("cm", "centimeter", "centimeters", "centimetre", "centimetres", "cent"), ("cm", 1.0)
    ),
    **dict.fromkeys(
        ("mm", "millimeter", "millimeters", "millimetre", "millimetres", "mill"), ("mm", 1.0)
    ),
    **dict.fromkeys(
        (
            "um",
            "µm",
            "μm",
            "micron",
            "microns",
            "micrometer",
            "micrometers",
            "micrometre",
            "micrometres",
        ),
        ("mm", 1e-3),
    ),
    **dict.fromkeys(("in", "inch", "inches", "inc"), ("in", 1.0)),
    **dict.fromkeys(("ft", "foot", "feet"), ("in", 12.0)),
}
"""Unit of `Layout` and the factor to it, by spelling."""


@dataclass(frozen=True, slots=True)
class _Frames:
    """Location and size of the frames."""

    start: int
    points: int
    analog: int
    size: int
    """Bytes per number."""
    available: int
    """Bytes from `start` to the end of the section."""

    @property
    def frame(self) -> int:
        """Bytes per frame."""
        return (4 * self.points + self.analog) * self.size

    def fits(self, count: int, data: bytes) -> bool:
        """Return whether this number of frames fills the section, except for less than a block or zeros."""
        rest = self.available - count * self.frame
        end = self.start + self.available
        return 0 <= rest < BLOCK or (rest > 0 and not any(data[end - rest : end]))


def read_c3d(path: Path, data: bytes) -> Markers:
    """Return the tracks in a C3D file; a marker with a negative residual was not seen (C3D user guide, "Residuals").

    Raises `ExperimentError` if the file cannot be read.
    """
    if len(data) < BLOCK or data[1] != _KEY:
        raise ExperimentError(
            f"{path}: This is not a C3D file. Export it again, or give a table the extension .csv."
        )
    try:
        return _markers(path, data)
    except DamageError as error:
        raise ExperimentError(
            f"{path}: The C3D file is damaged ({error}). Export it again."
        ) from None


def _markers(path: Path, data: bytes) -> Markers:
    start = (data[0] - 1) * BLOCK
    if not BLOCK <= start <= len(data) - BLOCK:
        raise DamageError("its parameters are not inside the file")
    numbers = Numbers(data[start + 3])
    header = read_header(data, numbers)
    # The first block counts the blocks of the parameters, but some programs write a wrong count.
    end = (header.data - 1) * BLOCK
    parameters = read_parameters(
        data[start : end if end > start else start + data[start + 2] * BLOCK], numbers
    )
    if not parameters.is_complete and not all(name in parameters for name in _NECESSARY):
        raise DamageError("its parameters extend beyond their section")
    notes: list[str] = []
    rate = _rate(path, header, parameters, notes)
    n_segments = _segments(parameters)
    position: FloatArray = np.empty((0, 0, 3))
    orientation: FloatArray | None = None
    names: list[str] = []
    if header.points or parameters.count("POINT:USED"):
        frames, count = _layout(data, header, parameters, notes)
        room_for(path, count, 4 * frames.points)
        position = _positions(data, frames, count, numbers, _scale(header, parameters, notes))
        names = _labels(parameters, frames.points, notes)
    else:
        count = _no_points(path, header, parameters, n_segments)
    if count < 2:
        raise ExperimentError(
            f"{path}: The file has {counted(count, 'frame')}, but a measurement needs at least two. "
            "Export a recording of the motion."
        )
    if n_segments:
        segments = _poses(data, parameters, n_segments, count, numbers)
        if segments is None:
            notes.append(
                f"The rotations of {n_segments} segments are not available for each frame, so they were ignored."
            )
        else:
            room_for(path, count, _ROTATION_VALUES * n_segments)
            n_points = position.shape[1]
            orientation = np.full((count, n_points + n_segments, 4), np.nan)
            orientation[:, n_points:] = segments[1]
            position = np.concatenate([position.reshape(count, n_points, 3), segments[0]], axis=1)
            names += [
                name or f"Segment {i + 1}"
                for i, name in enumerate(_texts(parameters, "ROTATION:LABELS"))
            ]
            names += [f"Segment {i + 1}" for i in range(len(names) - n_points, n_segments)]
            names = names[: n_points + n_segments]
            notes.append(f"{n_segments} of the bodies are segments with rotations.")
    if not names:
        raise ExperimentError(
            f"{path}: The file has no markers. Export the marker trajectories as well."
        )
    unit, factor = _unit(path, parameters, notes)
    first = max(header.first - 1, 0)
    if first > 0:
        notes.append(
            f"The file begins with frame {header.first}, so its first time is {first / rate:.4g} s."
        )
    time = (first + np.arange(count)) / rate
    return Markers(
        "C3D", time, tuple(names), position * factor, unit, rate, tuple(notes), orientation
    )


def _no_points(path: Path, header: Header, parameters: Parameters, n_segments: int) -> int:
    """Return the number of frames of a file that has only segments."""
    counts = _counts(header, parameters)
    if not n_segments:
        channels = parameters.count("ANALOG:USED") or header.analog
        only = f", only {channels} analog channels" if channels else ""
        raise ExperimentError(
            f"{path}: The file has no markers{only}. Export the marker trajectories as well."
        )
    if len(set(counts.values())) != 1:
        raise DamageError(_differing(counts))
    return next(iter(counts.values()))


def _rate(path: Path, header: Header, parameters: Parameters, notes: list[str]) -> float:
    """Return the frames per second. The parameter is used: the header has a copy of it."""
    stated = parameters.number("POINT:RATE")
    rate = stated if stated is not None and stated > 0.0 else header.rate
    if not 1e-3 <= rate <= 1e6:
        raise ExperimentError(f"{path}: The file does not state its frame rate. Export it again.")
    if np.isfinite(header.rate) and header.rate > 0.0 and abs(header.rate - rate) > 1e-3 * rate:
        notes.append(
            f"The header states {header.rate:g} Hz and POINT:RATE {rate:g} Hz; POINT:RATE was used."
        )
    return rate


def _scale(header: Header, parameters: Parameters, notes: list[str]) -> float:
    """Return the length units per step of integers. The header is used where programs write two different values."""
    stated = [header.scale, parameters.number("POINT:SCALE") or 0.0]
    scales = [scale for scale in stated if np.isfinite(scale) and scale != 0.0]
    if not scales:
        raise DamageError("it states no scale")
    if scales[0] > 0.0 and abs(scales[0] - scales[-1]) > 1e-4 * scales[0]:
        notes.append(
            f"The header states a scale of {scales[0]:g}, which was used, and POINT:SCALE states {scales[-1]:g}. "
            "Check a known distance."
        )
    return scales[0]


def _layout(
    data: bytes, header: Header, parameters: Parameters, notes: list[str]
) -> tuple[_Frames, int]:
    """Return the location and number of frames; header, parameters and the size of the file must agree.

    Raises `DamageError` if they do not.
    """
    counts = _counts(header, parameters)
    candidates = _candidates(data, header, parameters)
    known = sorted(set(counts.values()))
    fitting = {frames: [k for k in known if frames.fits(k, data)] for frames in candidates}
    fitting = {frames: ks for frames, ks in fitting.items() if ks}
    if len(fitting) > 1:
        raise DamageError(_ambiguous(header, parameters))
    if fitting:
        frames, ks = next(iter(fitting.items()))
        count = _smallest_whole(data, frames, ks)
        if len(known) > 1:
            notes.append(
                f"{capitalized(_differing(counts))}; the file has {count}, which were read."
            )
        if len(candidates) > 1:
            notes.append(
                f"{capitalized(_ambiguous(header, parameters))}; the size of the file settled it."
            )
        return frames, count
    if len(candidates) != 1:
        raise DamageError(_ambiguous(header, parameters))
    frames = candidates[0]
    held = _without_zeros(data, frames)
    if not known:  # all counters are at their limit
        if held < _MOST_COUNTED:
            raise DamageError(f"it announces at least {_MOST_COUNTED} frames but has {held}")
        notes.append(
            f"The counters of the file end at {_MOST_COUNTED} frames; all {held} frames up to its end were read."
        )
        return frames, held
    count = known[-1]
    if len(known) > 1:
        raise DamageError(_differing(counts))
    if held < 2:
        raise DamageError(f"it announces {count} frames but has {held}")
    if held < count:
        available = min(frames.available // frames.frame, count)
        notes.append(
            f"The file is truncated: it announces {count} frames but has {available}, which were read."
        )
        return frames, available
    if (held - count) % (_MOST_COUNTED + 1) == 0:
        notes.append(
            f"The file counts {count} frames but has {held} (its counters overflowed); all were read."
        )
        return frames, held
    notes.append(
        f"The file announces {count} frames; data for {held - count} more after them were ignored."
    )
    return frames, count


def _counts(header: Header, parameters: Parameters) -> dict[str, int]:
    """Return the number of frames by source; two-byte counters at their limit are omitted."""
    counts: dict[str, int] = {}
    first, last = (parameters.values(f"TRIAL:ACTUAL_{end}_FIELD") for end in ("START", "END"))
    if len(first) == len(last) == 2:
        first, last = first % 65536.0, last % 65536.0  # two words, the lower one first
        counts["TRIAL"] = int(last[0] + 65536.0 * last[1] - first[0] - 65536.0 * first[1]) + 1
    for name in ("LONG_FRAMES", "FRAMES"):
        counts[f"POINT:{name}"] = parameters.count(f"POINT:{name}") or 0
    if header.last < _MOST_COUNTED:
        counts["the header"] = header.last - header.first + 1
    if "TRIAL" in counts and last[0] == _MOST_COUNTED and last[1] == 0.0:
        del counts["TRIAL"]
    counts = {name: count for name, count in counts.items() if count > 0 and count != _MOST_COUNTED}
    longer = {name: count for name, count in counts.items() if count > _MOST_COUNTED}
    return longer or counts


def _candidates(data: bytes, header: Header, parameters: Parameters) -> list[_Frames]:
    """Return all layouts of the frames that header and parameters state, each once; one if they agree."""
    used = parameters.count("POINT:USED")
    channels = parameters.count("ANALOG:USED")
    points = [header.points] if used is None else [header.points, used]
    analog = [header.analog]
    if channels is None:
        analog.append(header.analog * max(header.samples, 1))
    else:
        point_rate = parameters.number("POINT:RATE")
        analog_rate = parameters.number("ANALOG:RATE")
        ratio = (
            round(analog_rate / point_rate)
            if point_rate and analog_rate and analog_rate > 0.0
            else 1
        )
        likely = {channels * header.samples, channels * max(ratio, 1)}
        if header.analog not in likely:
            analog += sorted(likely, reverse=True)
    scales = [header.scale, parameters.number("POINT:SCALE") or 0.0]
    sizes = [4 if scale < 0.0 else 2 for scale in scales if np.isfinite(scale) and scale != 0.0]
    blocks = [header.data, parameters.count("POINT:DATA_START") or 0]
    starts = [
        (block - 1) * BLOCK for block in blocks if block > 1 and (block - 1) * BLOCK < len(data)
    ]
    if not starts:
        raise DamageError("its frames are not inside the file")
    rotations = ((parameters.count("ROTATION:DATA_START") or 0) - 1) * BLOCK
    result: list[_Frames] = []
    for start, n, values, size in product(starts, points, analog, sizes):
        end = rotations if start < rotations < len(data) and _segments(parameters) else len(data)
        frames = _Frames(start, n, values, size, end - start)
        if n and frames not in result:
            result.append(frames)
    if not result:
        raise DamageError("it states no scale")
    return result


def _smallest_whole(data: bytes, frames: _Frames, counts: list[int]) -> int:
    """Return the smallest number of frames after which there is no data; the largest if there always is."""
    end = frames.start + frames.available
    for count in counts:
        if not any(data[frames.start + count * frames.frame : end]):
            return count
    return counts[-1]


def _without_zeros(data: bytes, frames: _Frames) -> int:
    """Return the number of frames to the end of the section; zeros at its end fill up the last block."""
    k = frames.available // frames.frame
    values = np.frombuffer(data, np.uint8, k * frames.frame, frames.start)
    used = np.flatnonzero(values)
    return int(used[-1]) // frames.frame + 1 if len(used) else 0


def _differing(counts: dict[str, int]) -> str:
    by_count: dict[int, list[str]] = {}
    for name, count in counts.items():
        by_count.setdefault(count, []).append(name)
    if not by_count:
        return "it does not state how many frames it has"
    return ", ".join(
        f"{' and '.join(names)} state{'s'[: len(names) == 1]} {count} frames"
        for count, names in by_count.items()
    )


def _ambiguous(header: Header, parameters: Parameters) -> str:
    """Return the statements in which header and parameters differ."""
    pairs = (
        ("points", header.points, parameters.count("POINT:USED")),
        ("analog values", header.analog, parameters.count("ANALOG:USED")),
        ("as the block of the first frame", header.data, parameters.count("POINT:DATA_START")),
    )
    differing = [
        f"{a} {what} and its parameters {b}" for what, a, b in pairs if b is not None and a != b
    ]
    differing = differing or [f"{header.analog} analog values and {header.samples} samples a frame"]
    return f"its header states {differing[0]}"


def _positions(
    data: bytes, frames: _Frames, count: int, numbers: Numbers, scale: float
) -> FloatArray:
    """Return positions (k, n, 3) in the file's unit; NaN where a point was not seen."""
    width = 4 * frames.points * frames.size
    rows = np.frombuffer(data, np.uint8, count * frames.frame, frames.start).reshape(
        count, frames.frame
    )
    flat = np.ascontiguousarray(rows[:, :width]).tobytes()
    real = frames.size == 4
    values = (numbers.real(flat) if real else numbers.integers(flat)).reshape(
        count, frames.points, 4
    )
    with np.errstate(invalid="ignore"):
        position = values[:, :, :3].astype(np.float64)
        residual = values[:, :, 3]
        position[
            (residual < 0) | (position == 0.0).all(axis=2) | ~np.isfinite(position).all(axis=2)
        ] = np.nan
    return position if real else position * scale


def _segments(parameters: Parameters) -> int:
    """Return the number of segments with rotations."""
    return parameters.count("ROTATION:USED") or 0


def _poses(
    data: bytes, parameters: Parameters, n: int, count: int, numbers: Numbers
) -> tuple[FloatArray, FloatArray] | None:
    """Positions (k, n, 3) in the file's unit and quaternions (k, n, 4) of segments; None unless each frame has them."""
    start = ((parameters.count("ROTATION:DATA_START") or 0) - 1) * BLOCK
    size = count * n * _ROTATION_VALUES * 4
    if (
        (parameters.number("ROTATION:RATIO") or 1.0) != 1.0
        or start < BLOCK
        or start + size > len(data)
    ):
        return None
    values = (
        numbers.real(data[start : start + size])
        .reshape(count, n, _ROTATION_VALUES)
        .astype(np.float64)
    )
    matrix = values[:, :, :16].reshape(count, n, 4, 4).transpose(0, 1, 3, 2)
    with np.errstate(invalid="ignore"):
        seen = (values[:, :, 16] >= 0.0) & np.isfinite(matrix).all(axis=(2, 3))
    position = np.where(seen[:, :, None], matrix[:, :, :3, 3], np.nan)
    orientation = np.full((count, n, 4), np.nan)
    orientation[seen] = quaternions(matrix[seen][:, :3, :3])
    return position, orientation


def _unit(path: Path, parameters: Parameters, notes: list[str]) -> tuple[LengthUnit, float]:
    """Return the unit of length, and the factor from the file's unit to it."""
    spellings = {text.casefold().rstrip(".") for text in parameters.texts("POINT:UNITS") if text}
    if not spellings:
        notes.append("The file does not state its unit of length; millimetres were assumed.")
        return "mm", 1.0
    units = {_UNITS.get(spelling) for spelling in spellings}
    if None in units or len(units) > 1:
        stated = " and ".join(f'"{spelling}"' for spelling in sorted(spellings))
        raise ExperimentError(
            f"{path}: The unit of length {stated} is unknown. Export it in m, cm, mm, in, or another common unit."
        )
    (unit,) = units
    assert unit is not None
    return unit


def _texts(parameters: Parameters, name: str) -> list[str]:
    """Return the texts of a parameter and of its continuations: one parameter has at most 255."""
    texts = parameters.texts(name)
    for i in range(2, 100):
        texts += parameters.texts(f"{name}{i}")
    return texts


def _labels(parameters: Parameters, n: int, notes: list[str]) -> list[str]:
    labels = _texts(parameters, "POINT:LABELS")[:n]
    unnamed = n - sum(map(bool, labels))
    if unnamed:
        notes.append(
            f"{unnamed} of {n} markers have no name in the file; they are named by number."
        )
    labels += [""] * (n - len(labels))
    return [label or f"Marker {i + 1}" for i, label in enumerate(labels)]
