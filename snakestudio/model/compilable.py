"""Arithmetic of paths and controllers that runs every control period, in loops that a compiler can handle.

`model` and `control` import fast and without a compiler, so the functions here run in Python until
`engines.compiled_arithmetic` replaces them by machine code. Results are identical to the last bit:
only operations that round alike in Python, numpy and compiled code are used, and sums keep their
order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray

_NEWTON_STEPS = 8
"""Largest number of steps of Newton's method."""

_STEP_TOLERANCE = 1e-9
"""Step below which Newton's method has converged, m."""


class Compilable:
    """Function of numbers and of contiguous arrays, which it fills.

    Attributes
    ----------
    plain : function
        Function as written.
    signature : str
        Types of the arguments, in numba's notation.
    run : function
        Function that is called: `plain`, or its machine code.
    """

    __slots__ = ("plain", "run", "signature")

    def __init__(self, plain: Callable[..., Any], signature: str) -> None:
        self.plain = self.run = plain
        self.signature = signature

    def __call__(self, *args: Any) -> Any:
        """Call `run`."""
        return self.run(*args)


ALL: list[Compilable] = []
"""All functions to compile."""


def _compilable(signature: str) -> Callable[[Callable[..., Any]], Compilable]:
    def register(function: Callable[..., Any]) -> Compilable:
        ALL.append(Compilable(function, signature))
        return ALL[-1]

    return register


@_compilable("void(float64[:, ::1], float64[::1], float64[::1])")
def link_headings(pose: FloatArray, heading: FloatArray, bend: FloatArray) -> None:
    """Directions of the axes of all links from `pose` (n, 7), to `heading` (n,); angles between them to `bend` (n-1,).

    In rad; headings are not wrapped, angles are in (-pi, pi].
    """
    turn = 2.0 * math.pi
    for k in range(len(heading)):
        w, x, y, z = pose[k, 3], pose[k, 4], pose[k, 5], pose[k, 6]
        heading[k] = math.atan2(2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z))
        if k:
            bend[k - 1] = math.pi - (math.pi - (heading[k] - heading[k - 1])) % turn


def offset_at(
    elapsed: float, target: float, response: float, angle: float, rate: float
) -> tuple[float, float, float]:
    """Angle, rate and acceleration of an `OffsetFilter` at `elapsed` s after it had `angle` and `rate`; rad, s."""
    speed = 1.0 / response
    difference = angle - target
    slope = rate + speed * difference
    decay = math.exp(-1.0 / response * elapsed)
    remainder = difference + slope * elapsed
    return (
        target + remainder * decay,
        (slope - speed * remainder) * decay,
        (speed * remainder - 2.0 * slope) * speed * decay,
    )


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
    """Compute angle, rate and acceleration, `motion` (3, k), of an `OffsetFilter` at `time` (k,); rad, s."""
    for i in range(len(time)):
        elapsed = time[i] - since
        motion[0, i], motion[1, i], motion[2, i] = offset_at(elapsed, target, response, angle, rate)


@_compilable("boolean(float64[::1], float64[::1], float64[:, :, ::1], int64, float64[:, :, ::1])")
def copy_rows(
    time: FloatArray, times: FloatArray, motion: FloatArray, first: int, part: FloatArray
) -> bool:
    """Copy the part of `motion` (3, a, m) at `times` (a,) from row `first` on to `part` (3, k, m).

    Return False if these are not the times `time` (k,).
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
    for i in range(len(time)):
        elapsed = time[i] - since
        turn, turn_rate, turn_acceleration = offset_at(elapsed, target, response, angle, rate)
        for column in columns:
            angles[i, column] += turn
            rates[i, column] += turn_rate
            accelerations[i, column] += turn_acceleration


def piece_at(s: float, lengths: FloatArray) -> int:
    """Index of the piece of a curve that contains its length `s`, m; at a boundary, the piece that starts there."""
    return min(max(int(np.searchsorted(lengths, s, side="right")) - 1, 0), len(lengths) - 2)


def nearest_on_chords(
    x: float, y: float, low: float, high: float, lengths: FloatArray, chords: FloatArray
) -> tuple[float, float]:
    """Nearest position on a polyline to (x, y) between its lengths `low` and `high`, m, and the distance, m."""
    first, last = piece_at(low, lengths), piece_at(high, lengths)
    nearest = math.inf
    position = low
    for piece in range(first, last + 1):
        begin_x, begin_y, chord_x, chord_y, square = chords[piece]
        # Pieces of a smooth path are chords, slightly shorter than their arcs.
        begin = lengths[piece]
        arc = lengths[piece + 1] - lengths[piece]
        share = min(max(((x - begin_x) * chord_x + (y - begin_y) * chord_y) / square, 0.0), 1.0)
        if piece == first:
            share = max(share, (low - begin) / arc)
        if piece == last:
            share = min(share, (high - begin) / arc)
        dx, dy = begin_x + share * chord_x - x, begin_y + share * chord_y - y
        distance = math.sqrt(dx * dx + dy * dy)  # hypot rounds differently in each library
        if distance < nearest:
            nearest = distance
            position = begin + share * arc
    return position, nearest


def cubic(u: float, a: float, b: float, c: float, d: float) -> tuple[float, float, float]:
    """Value of a u^3 + b u^2 + c u + d, and its first and second derivative."""
    return ((a * u + b) * u + c) * u + d, (3.0 * a * u + 2.0 * b) * u + c, 6.0 * a * u + 2.0 * b


def nearest_on_cubics(
    x: float,
    y: float,
    position: float,
    low: float,
    high: float,
    lengths: FloatArray,
    cubics: FloatArray,
) -> tuple[float, float]:
    """Position, near the initial `position`, where a smooth curve is nearest to (x, y), m, and the distance, m.

    Newton's method on the foot of the perpendicular, between the lengths `low` and `high`.
    """
    at_x = at_y = 0.0
    moving = True
    for turn in range(_NEWTON_STEPS + 1):
        piece = piece_at(position, lengths)
        a, b, c, d = cubics[piece, 0]
        e, f, g, h = cubics[piece, 1]
        at_x, dx, ddx = cubic(position - lengths[piece], a, b, c, d)
        at_y, dy, ddy = cubic(position - lengths[piece], e, f, g, h)
        if not moving or turn == _NEWTON_STEPS:
            break
        away_x, away_y = x - at_x, y - at_y
        # Newton's method is unreliable near the centre of curvature: plain steps there.
        slope = max(dx * dx + dy * dy - away_x * ddx - away_y * ddy, 0.5)
        before = position
        position = min(max(position + (away_x * dx + away_y * dy) / slope, low), high)
        moving = abs(position - before) >= _STEP_TOLERANCE
    return position, math.sqrt((x - at_x) * (x - at_x) + (y - at_y) * (y - at_y))


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
    """Nearest position on a curve to (x, y) between its lengths `low` and `high`, m, and the distance, m.

    Then x and y of that position and their first and second derivatives by the length. The distance
    is infinite if no part of the curve is between `low` and `high`.

    Parameters
    ----------
    x, y, low, high : float
        m.
    smooth : bool
        Whether the curve is smooth rather than made of straight pieces.
    lengths : (p + 1,)
        Lengths at the ends of the curve's pieces, m.
    chords : (p, 5)
        For each piece: start (x, y), vector to its end (x, y), and the square of its length.
    cubics : (p, 2, 4)
        Coefficients of x and y of each piece over the length from its start, highest power first.
    """
    low = max(low, 0.0)
    high = min(high, lengths[-1])
    if low > high:
        return 0.0, math.inf, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    position, distance = nearest_on_chords(x, y, low, high, lengths, chords)
    if smooth:
        position, distance = nearest_on_cubics(x, y, position, low, high, lengths, cubics)
    piece = piece_at(position, lengths)
    a, b, c, d = cubics[piece, 0]
    e, f, g, h = cubics[piece, 1]
    at_x, dx, ddx = cubic(position - lengths[piece], a, b, c, d)
    at_y, dy, ddy = cubic(position - lengths[piece], e, f, g, h)
    return position, distance, at_x, at_y, dx, dy, ddx, ddy


HELPERS = (offset_at, piece_at, cubic, nearest_on_chords, nearest_on_cubics)
"""Functions called by those of `ALL` and by later ones of this list."""
