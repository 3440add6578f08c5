"""Search for bits of a frame that follow a joint moved by hand, over positions, widths, byte orders and signs.

Fields are ranked by their squared correlation with the stated motion, the best over small delays.
Neighbouring fields correlate almost as well (such as the upper byte of an angle, or the angle with
unrelated bits below it). Fields with similar correlation are ranked by the smoothness of the angle,
by how often their bits flip, and finally by the widths and positions that robots commonly use.
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
    """A field that follows the stated motion."""

    key: tuple[int, bool]
    """Id of the stream, and whether it has 29 bits."""

    field: BitField
    correlation: float
    """Correlation with the motion, -1 to 1; negative if the field counts in the opposite direction."""

    delay: float
    """Delay behind the motion, s."""

    scale: float
    """Measured angle per count, rad; always positive, the sign is in `correlation`."""

    nice_scale: float
    """`scale` rounded to a common unit (0.01 degree, a 4096th of a turn ...) if one is close."""

    zero: float
    """Count at the joint's position before the motion."""

    confidence: float
    """0 to 1."""

    reason: str
    """Evidence, for users."""


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
    """Return the fields of a stream that follow a motion, the best one first.

    Of overlapping fields only the best one is returned.

    Parameters
    ----------
    stream : Stream
        Frames during the motion.
    motion : callable
        Angle of the joint at given times, rad.
    begin, end : float
        Begin and end of the motion, s.
    quiet : Stream, optional
        Frames of the same id without motion; fields that change as much there are excluded.
    exact : bool
        Whether the amplitude of the motion is known exactly (the robot moved itself) or only
        approximately (by hand).
    most : int
        Maximum number of fields.
    """
    span = stream.between(begin, end + _MAX_DELAY_S)
    if span.count < _FEWEST or not span.changing_bytes:
        return []
    delayed = _DelayedMotion(motion, span.time)
    tried = [
        finding
        for field in _candidates(span)
        if (finding := _try(span, field, delayed, quiet, exact)) is not None
    ]
    smoothest = min((candidate.roughness for candidate in tried), default=1.0)
    selection: list[AngleFinding] = []
    for candidate in sorted((one.ranked(smoothest) for one in tried), key=lambda one: -one.rank):
        places = set(candidate.finding.field.places)
        if all(places.isdisjoint(other.field.places) for other in selection):
            selection.append(candidate.finding)
        if len(selection) == most:
            break
    return selection


def _candidates(stream: Stream) -> list[BitField]:
    bits = 8 * stream.length
    fields: list[BitField] = []
    for width in _WIDTHS:
        for first in range(0, bits - width + 1, 4):
            orders = (False, True) if width > 8 or first % 8 else (False,)
            fields += [
                BitField(first, width, big, signed) for big in orders for signed in (True, False)
            ]
    for first in range(0, bits - 31, 8):
        fields += [BitField(first, 32, big, True, True) for big in (False, True)]
    return fields


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A field that follows the motion.

    `rank` decides the order; `roughness` is the mean second difference of the angle, rad.
    """

    finding: AngleFinding
    rank: float
    roughness: float

    def ranked(self, smoothest: float) -> _Candidate:
        """Return the candidate with its roughness included in the rank.

        A field without the lower bits of its number has coarser steps, and one with unrelated bits
        below it has noisy ones: the true field is the smoothest.
        """
        return replace(
            self, rank=self.rank - _ROUGH * math.log2(max(self.roughness / smoothest, 1.0))
        )


def _try(
    stream: Stream, field: BitField, delayed: _DelayedMotion, quiet: Stream | None, exact: bool
) -> _Candidate | None:
    flips = stream.flips[list(field.places)]
    if not field.is_float and flips.max() == 0:
        return None
    values = read_field(stream, field)
    if not np.isfinite(values).all() or np.ptp(values) == 0:
        return None
    if field.is_float and not _FLOATS[0] < np.abs(values).max() < _FLOATS[1]:
        return None  # integers read as floats are almost 0
    r, delay, angles = delayed.correlation(values)
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
            f"; one count is about {math.degrees(slope):.2g}° (see the manual for the exact value)"
        )
    if steady < 0.9:
        reason += ", but also changes when the joint is at rest"
    finding = AngleFinding(stream.key, field, r, delay, slope, nice, zero, confidence, reason)
    roughness = slope * float(np.mean(np.abs(np.diff(values, 2))))
    return _Candidate(finding, r2 + _shape(field, flips), roughness)


class _DelayedMotion:
    """A motion at the times of a stream's frames for all delays, prepared for correlation."""

    def __init__(self, motion: Callable[[ArrayLike], FloatArray], time: FloatArray) -> None:
        self.delays = np.linspace(0.0, _MAX_DELAY_S, _DELAYS)
        self.angles = motion(time[None, :] - self.delays[:, None])
        centred = self.angles - self.angles.mean(axis=1, keepdims=True)
        self._units = centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-12)

    def correlation(self, values: FloatArray) -> tuple[float, float, FloatArray]:
        """Return the strongest correlation over all delays, its delay (s) and the (n,) angles (rad)."""
        centred = values - values.mean()
        r = self._units @ centred / np.linalg.norm(centred)
        best = int(np.argmax(np.abs(r)))
        return float(r[best]), float(self.delays[best]), self.angles[best]


def _shape(field: BitField, flips: FloatArray) -> float:
    """Return how well the bits behave as one number, as a small bonus on the squared correlation."""
    if (
        field.is_float
    ):  # a wrong position hardly ever gives finite numbers of similar size that follow a motion
        return 0.05
    bonus = _PRIOR[field.width] + (0.01 if field.first % 8 == 0 else 0.0)
    bonus -= 0.05 if flips[0] == 0 else 0.0  # the least significant bit of a number changes
    # Within a number the flips decrease from the least significant bit on; an increase shows where
    # another number begins.
    bonus -= 0.08 * float(np.clip(np.diff(flips), 0.0, None).max(initial=0.0))
    never_used = int(np.argmax(flips[::-1] > 0))
    bonus -= 0.002 * max(0, never_used - field.width // 2)  # more than the upper half: too wide
    if field.signed and flips[-1] > 0:
        # Copies of the sign that flip with it belong to the number, even if it remains small.
        copies = int(np.argmax(flips[::-1] != flips[-1]))
        bonus += min(0.03, 0.002 * copies)
    if field.signed and field.width in (16, 32):
        bonus += 0.004  # angles have both signs; this decides only between equal candidates
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
    if is_float:  # floats are in a unit
        units = [1.0, math.radians(1.0), 2 * math.pi]
        tolerance = max(tolerance, 0.5)
    closest = min(units, key=lambda unit: abs(math.log(unit / scale)))
    return closest if abs(math.log(closest / scale)) <= tolerance else scale
