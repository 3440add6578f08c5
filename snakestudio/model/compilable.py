"""Arithmetic of paths and controllers that is done every control period, in loops that a compiler can take.

`model` and `control` import in an instant and know no compiler, so the functions here run as they
stand, until `engines.compiled_arithmetic` gives them machine code. Results are the same to the last
bit either way: only what rounds alike in Python, numpy and compiled code is used, and nothing is
summed up in another order than it stands.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray

_NEWTON_STEPS = 8
_STILL = 1e-9
"""Steps of Newton's method at most, and a step below which it has converged, m."""


class Compilable:
    """A function of numbers and of contiguous arrays, which it fills.

    Attributes
    ----------
    plain : function
        As it is written.
    signature : str
        Types of the arguments, in numba's notation.
    run : function
        `plain`, or machine code of it; what is called.
    """

    __slots__ = ("plain", "run", "signature")

    def __init__(self, plain: Callable[..., Any], signature: str) -> None:
        self.plain = self.run = plain
        self.signature = signature

    def __call__(self, *args: Any) -> Any:
        """Call `run`."""
        return self.run(*args)


ALL: list[Compilable] = []
"""What there is to be compiled."""


def _compilable(signature: str) -> Callable[[Callable[..., Any]], Compilable]:
    def register(function: Callable[..., Any]) -> Compilable:
        ALL.append(Compilable(function, signature))
        return ALL[-1]

    return register


@_compilable("void(float64[:, ::1], float64[::1], float64[::1])")
def link_headings(pose: FloatArray, heading: FloatArray, bend: FloatArray) -> None:
    """Directions of the axes of all links from `pose` (n, 7), `heading` (n,), and turns between them, `bend` (n-1,).

    rad; the headings are not wrapped, the turns are in (-pi, pi].
    """
    turn = 2.0 * math.pi
    for k in range(len(heading)):
        w, x, y, z = pose[k, 3], pose[k, 4], pose[k, 5], pose[k, 6]
        heading[k] = math.atan2(2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z))
        if k:
            bend[k - 1] = math.pi - (math.pi - (heading[k] - heading[k - 1])) % turn


@_compilable("void(float64[::1], float64, float64, float64, float64, float64, float64[:, ::1])")
def follow_offset(
    time: FloatArray,
    since: float,
    target: float,
    response: float,
    angle: float,
    rate: float,
    motion: FloatArray,
) -> None:
    """Angle, rate and acceleration, `motion` (3, k), of an `OffsetFilter` at `time` (k,); rad, s."""
    speed = 1.0 / response
    away = angle - target
    slope = rate + speed * away
    for i in range(len(time)):
        passed = time[i] - since
        fading = math.exp(-1.0 / response * passed)
        left = away + slope * passed
        motion[0, i] = target + left * fading
        motion[1, i] = (slope - speed * left) * fading
        motion[2, i] = (speed * left - 2.0 * slope) * speed * fading


@_compilable("boolean(float64[::1], float64[::1], float64[:, :, ::1], int64, float64[:, :, ::1])")
def copy_rows(
    time: FloatArray, times: FloatArray, motion: FloatArray, first: int, part: FloatArray
) -> bool:
    """Copy into `part` (3, k, m) what `motion` (3, a, m) at `times` (a,) is from row `first` on.

    False if those are not the times `time` (k,).
    """
    for i in range(len(time)):
        if times[first + i] != time[i]:
            return False
        for d in range(part.shape[0]):
            for j in range(part.shape[2]):
                part[d, i, j] = motion[d, first + i, j]
    return True


@_compilable(
    "void(float64[::1], float64, float64, float64, float64, float64, int64[::1], float64[:, ::1], float64[:, ::1], "
    "float64[:, ::1])"
)
def add_offset(
    time: FloatArray,
    since: float,
    target: float,
    response: float,
    angle: float,
    rate: float,
    columns: IndexArray,
    angles: FloatArray,
    rates: FloatArray,
    accelerations: FloatArray,
) -> None:
    """Add the motion of `follow_offset` to some columns of three arrays (k, m)."""
    speed = 1.0 / response
    away = angle - target
    slope = rate + speed * away
    for i in range(len(time)):
        passed = time[i] - since
        fading = math.exp(-1.0 / response * passed)
        left = away + slope * passed
        turned = target + left * fading
        turning = (slope - speed * left) * fading
        speeding = (speed * left - 2.0 * slope) * speed * fading
        for column in columns:
            angles[i, column] += turned
            rates[i, column] += turning
            accelerations[i, column] += speeding


def piece_at(s: float, lengths: FloatArray) -> int:
    """The piece of a curve in which its length `s` is, m; at the end of a piece the one that begins there."""
    return min(max(int(np.searchsorted(lengths, s, side="right")) - 1, 0), len(lengths) - 2)


def nearest_on_chords(
    x: float, y: float, low: float, high: float, lengths: FloatArray, chords: FloatArray
) -> tuple[float, float]:
    """Where a polyline is nearest to (x, y) between its lengths `low` and `high`, m, and its distance there, m."""
    first, last = piece_at(low, lengths), piece_at(high, lengths)
    nearest = math.inf
    place = low
    for piece in range(first, last + 1):
        begin_x, begin_y, way_x, way_y, square = chords[piece]
        # Pieces of a smooth path are chords, a little shorter than what they cut off.
        begin = lengths[piece]
        arc = lengths[piece + 1] - lengths[piece]
        share = min(max(((x - begin_x) * way_x + (y - begin_y) * way_y) / square, 0.0), 1.0)
        if piece == first:
            share = max(share, (low - begin) / arc)
        if piece == last:
            share = min(share, (high - begin) / arc)
        dx, dy = begin_x + share * way_x - x, begin_y + share * way_y - y
        distance = math.sqrt(dx * dx + dy * dy)  # hypot rounds in its own way in every library
        if distance < nearest:
            nearest = distance
            place = begin + share * arc
    return place, nearest


def cubic(u: float, a: float, b: float, c: float, d: float) -> tuple[float, float, float]:
    """A u^3 + b u^2 + c u + d with its first and its second derivative."""
    return ((a * u + b) * u + c) * u + d, (3.0 * a * u + 2.0 * b) * u + c, 6.0 * a * u + 2.0 * b


def nearest_on_cubics(
    x: float,
    y: float,
    place: float,
    low: float,
    high: float,
    lengths: FloatArray,
    cubics: FloatArray,
) -> tuple[float, float]:
    """The place near `place` where a smooth curve is nearest to (x, y), m, and its distance there, m.

    By Newton's method on the foot of the perpendicular, between the lengths `low` and `high`.
    """
    at_x = at_y = 0.0
    moving = True
    for turn in range(_NEWTON_STEPS + 1):
        piece = piece_at(place, lengths)
        a, b, c, d = cubics[piece, 0]
        e, f, g, h = cubics[piece, 1]
        at_x, dx, ddx = cubic(place - lengths[piece], a, b, c, d)
        at_y, dy, ddy = cubic(place - lengths[piece], e, f, g, h)
        if not moving or turn == _NEWTON_STEPS:
            break
        away_x, away_y = x - at_x, y - at_y
        # Near the centre of curvature Newton's method is no guide: there, plain steps.
        slope = max(dx * dx + dy * dy - away_x * ddx - away_y * ddy, 0.5)
        before = place
        place = min(max(place + (away_x * dx + away_y * dy) / slope, low), high)
        moving = abs(place - before) >= _STILL
    return place, math.sqrt((x - at_x) * (x - at_x) + (y - at_y) * (y - at_y))


@_compilable(
    "UniTuple(float64, 8)"
    "(float64, float64, float64, float64, boolean, float64[::1], float64[:, ::1], float64[:, :, ::1])"
)
def nearest_on_curve(
    x: float,
    y: float,
    low: float,
    high: float,
    smooth: bool,
    lengths: FloatArray,
    chords: FloatArray,
    cubics: FloatArray,
) -> tuple[float, float, float, float, float, float, float, float]:
    """Where a curve is nearest to (x, y) between its lengths `low` and `high`, m, and its distance there, m.

    After these come x and y of that place and their first and second derivatives by the length. The
    distance is infinite if nothing of the curve is between `low` and `high`.

    Parameters
    ----------
    x, y, low, high : float
        m.
    smooth : bool
        Whether the curve is smooth rather than made of straight pieces.
    lengths : (p + 1,)
        At the ends of the curve's pieces, m.
    chords : (p, 5)
        Of every piece: its beginning (x, y), the way to its end (x, y), and the square of that.
    cubics : (p, 2, 4)
        Coefficients of x and y of every piece over the length from its beginning, the highest power
        first.
    """
    low = max(low, 0.0)
    high = min(high, lengths[-1])
    if low > high:
        return 0.0, math.inf, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    place, distance = nearest_on_chords(x, y, low, high, lengths, chords)
    if smooth:
        place, distance = nearest_on_cubics(x, y, place, low, high, lengths, cubics)
    piece = piece_at(place, lengths)
    a, b, c, d = cubics[piece, 0]
    e, f, g, h = cubics[piece, 1]
    at_x, dx, ddx = cubic(place - lengths[piece], a, b, c, d)
    at_y, dy, ddy = cubic(place - lengths[piece], e, f, g, h)
    return place, distance, at_x, at_y, dx, dy, ddx, ddy


HELPERS = (piece_at, cubic, nearest_on_chords, nearest_on_cubics)
"""Functions that those of `ALL` and later ones of these call."""
