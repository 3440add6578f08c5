"""Which bits of a frame follow a joint that somebody moved: a search over places, widths, byte orders and signs.

A number counts as found by its squared correlation with the stated motion, the best over small
delays. Neighbouring fields correlate almost as well (the upper byte of an angle does, and so does
the angle with foreign bits below it). What correlates alike is told apart by how smooth the angle
is that it gives, by how bits of a number flip, and at last by the widths and places that robots
use.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from snakestudio._arrays import FloatArray
from snakestudio.link.learning.fields import BitField, read_field
from snakestudio.link.learning.streams import Stream

_FEWEST = 20
_LEAST_R2 = 0.7
_MAX_DELAY_S = 0.6
_DELAYS = 25
_FLOATS = (1e-3, 1e5)
_ROUGH = 0.02
_WIDTHS = (8, 10, 12, 14, 16, 20, 24, 32)
_PRIOR = {8: -0.015, 10: -0.01, 12: 0.0, 14: -0.01, 16: 0.015, 20: -0.015, 24: -0.01, 32: 0.0}
# Units in which robots count angles, in degrees for one count.
_NICE_DEG = (
    1.0, 0.1, 0.01, 0.001, 360 / 4096, 360 / 8192, 360 / 16384, 360 / 65536, 360 / 1000, 180 / 32768,
    math.degrees(1.0), math.degrees(0.1), math.degrees(0.01), math.degrees(0.001), math.degrees(1e-4), 360.0,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AngleFinding:
    """A number that follows the stated motion."""

    key: tuple[int, bool]
    """Id of the stream, and whether it has 29 bits."""

    field: BitField
    correlation: float
    """With the motion, -1 to 1; below 0 it counts the other way round."""

    delay: float
    """By how much it is behind the motion, s."""

    scale: float
    """rad in one count, as measured; always positive, the sign is in `correlation`."""

    nice_scale: float
    """The same, rounded to a unit that robots use (0.01 degree, a 4096th of a turn ...) if there is
    one close by."""

    zero: float
    """The count when the joint is where it was while everything was quiet."""

    confidence: float
    """0 to 1."""

    reason: str
    """What speaks for it."""


def find_angles(
    stream: Stream,
    motion: Callable[[ArrayLike], FloatArray],
    begin: float,
    end: float,
    *,
    quiet: Stream | None = None,
    exact: bool = False,
    most: int = 3,
) -> list[AngleFinding]:
    """Numbers in a stream that follow a motion, the best one first.

    Of fields that share bits only the best one stays.

    Parameters
    ----------
    stream : Stream
        Frames of the time of the motion.
    motion : callable
        Angle of the joint at given times, rad.
    begin, end : float
        When the motion takes place, s.
    quiet : Stream, optional
        The same id while nothing moved; what changes just as much there does not follow the motion.
    exact : bool
        Whether the amplitude of the motion is known exactly (the robot moved itself) and not only
        about (by hand).
    most : int
        How many at most.
    """
    span = stream.between(begin, end + _MAX_DELAY_S)
    if span.count < _FEWEST or not span.changing_bytes:
        return []
    course = _Course(motion, span.time)
    tried = [
        finding
        for field in _candidates(span)
        if (finding := _try(span, field, course, quiet, exact)) is not None
    ]
    smoothest = min((candidate.roughness for candidate in tried), default=1.0)
    kept: list[AngleFinding] = []
    for candidate in sorted((one.ranked(smoothest) for one in tried), key=lambda one: -one.rank):
        places = set(candidate.finding.field.places)
        if all(places.isdisjoint(other.field.places) for other in kept):
            kept.append(candidate.finding)
        if len(kept) == most:
            break
    return kept


def _candidates(stream: Stream) -> list[BitField]:
    bits = 8 * stream.length
    found: list[BitField] = []
    for width in _WIDTHS:
        for first in range(0, bits - width + 1, 4):
            orders = (False, True) if width > 8 or first % 8 else (False,)
            found += [
                BitField(first, width, big, signed) for big in orders for signed in (True, False)
            ]
    for first in range(0, bits - 31, 8):
        found += [BitField(first, 32, big, True, True) for big in (False, True)]
    return found


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A field that follows the motion.

    `rank` is what is compared; `roughness` is the mean second difference of the angle it gives,
    rad.
    """

    finding: AngleFinding
    rank: float
    roughness: float

    def ranked(self, smoothest: float) -> _Candidate:
        """The same with its roughness counted in.

        A field that lacks the lower bits of its number gives coarser steps, and one that takes
        foreign bits in below gives restless ones: the true one is the smoothest of all.
        """
        return replace(
            self, rank=self.rank - _ROUGH * math.log2(max(self.roughness / smoothest, 1.0))
        )


def _try(
    stream: Stream, field: BitField, course: _Course, quiet: Stream | None, exact: bool
) -> _Candidate | None:
    flips = stream.flips[list(field.places)]
    if not field.is_float and flips.max() == 0:
        return None
    values = read_field(stream, field)
    if not np.isfinite(values).all() or np.ptp(values) == 0:
        return None
    if field.is_float and not _FLOATS[0] < np.abs(values).max() < _FLOATS[1]:
        return None  # whole numbers, taken for floats, are next to nothing
    r, delay, angles = course.correlation(values)
    r2 = r * r
    if r2 < _LEAST_R2:
        return None
    steady = _steadiness(quiet, field, values)
    confidence = max(0.0, min(1.0, (r2 - _LEAST_R2) / (0.97 - _LEAST_R2))) * steady
    slope = abs(float(np.cov(values, angles)[0, 1] / np.var(values, ddof=1)))
    zero = _resting(quiet, field) if quiet is not None and quiet.count else _at_zero(values, angles)
    nice = _nice(slope, field.is_float, 0.1 if exact else 0.35)
    reason = (
        f"{field.text()} follows the motion (correlation {r:+.3f}, {1000 * delay:.0f} ms behind)"
    )
    if not exact:
        reason += (
            f"; one count is about {math.degrees(slope):.2g}°, the maker's manual knows it exactly"
        )
    if steady < 0.9:
        reason += ", but does not stand still when the joint does"
    finding = AngleFinding(stream.key, field, r, delay, slope, nice, zero, confidence, reason)
    roughness = slope * float(np.mean(np.abs(np.diff(values, 2))))
    return _Candidate(finding, r2 + _shape(field, flips), roughness)


class _Course:
    """A motion at the times of a stream's frames, for every delay, ready to be correlated with."""

    def __init__(self, motion: Callable[[ArrayLike], FloatArray], time: FloatArray) -> None:
        self.delays = np.linspace(0.0, _MAX_DELAY_S, _DELAYS)
        self.angles = motion(time[None, :] - self.delays[:, None])
        centred = self.angles - self.angles.mean(axis=1, keepdims=True)
        self._units = centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-12)

    def correlation(self, values: FloatArray) -> tuple[float, float, FloatArray]:
        """The strongest correlation over all delays, with its delay (s) and the (n,) angles then (rad)."""
        centred = values - values.mean()
        r = self._units @ centred / np.linalg.norm(centred)
        best = int(np.argmax(np.abs(r)))
        return float(r[best]), float(self.delays[best]), self.angles[best]


def _shape(field: BitField, flips: FloatArray) -> float:
    """How well the bits behave as those of one number, as a small bonus on the squared correlation."""
    if (
        field.is_float
    ):  # a wrong place would hardly ever give finite numbers of one size that follow a motion
        return 0.05
    bonus = _PRIOR[field.width] + (0.01 if field.first % 8 == 0 else 0.0)
    bonus -= 0.05 if flips[0] == 0 else 0.0  # a number's least bit does not stand still
    # Inside a number the flips fall from the least bit on; a rise shows where another number
    # begins.
    bonus -= 0.08 * float(np.clip(np.diff(flips), 0.0, None).max(initial=0.0))
    never_used = int(np.argmax(flips[::-1] > 0))
    bonus -= 0.002 * max(0, never_used - field.width // 2)  # more than the upper half: too wide
    if field.signed and flips[-1] > 0:
        # Copies of the sign that flip with it belong to the number, however small it stays.
        copies = int(np.argmax(flips[::-1] != flips[-1]))
        bonus += min(0.03, 0.002 * copies)
    if field.signed and field.width in (16, 32):
        bonus += 0.004  # angles go both ways; this decides only where nothing else does
    return bonus


def _steadiness(quiet: Stream | None, field: BitField, moving: FloatArray) -> float:
    if quiet is None or quiet.count < _FEWEST // 2 or field.first + field.width > 8 * quiet.length:
        return 0.9
    values = read_field(quiet, field)
    rest = float(np.nanstd(values))
    return max(0.0, 1.0 - max(0.0, rest / float(np.std(moving)) - 0.1) / 0.4)


def _resting(quiet: Stream, field: BitField) -> float:
    return float(np.median(read_field(quiet, field)))


def _at_zero(values: FloatArray, angles: FloatArray) -> float:
    near = np.abs(angles) <= 0.05 * np.abs(angles).max()
    return float(np.median(values[near])) if near.any() else float(values[0])


def _nice(scale: float, is_float: bool, tolerance: float) -> float:
    units = [math.radians(unit) for unit in _NICE_DEG]
    if is_float:  # floats carry a unit itself
        units = [1.0, math.radians(1.0), 2 * math.pi]
        tolerance = max(tolerance, 0.5)
    closest = min(units, key=lambda unit: abs(math.log(unit / scale)))
    return closest if abs(math.log(closest / scale)) <= tolerance else scale
