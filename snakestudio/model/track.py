"""Geometry of a path on the ground: positions, directions, curvature, and the nearest position to a point.

Straight paths are polylines; smooth ones are cubic splines through the waypoints, parametrized by
chord length (de Boor, A Practical Guide to Splines, 2001, XVI). An open path continues straight
beyond both ends.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.compilable import cubic, nearest_on_curve
from snakestudio.model.ground_path import GroundPath

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

_PER_CHORD = 64
_FEWEST = 8
_PIECES = 4096
"""Number of pieces of a smooth path between two waypoints in the search for the nearest position: a
minimum, and about the total if there are many waypoints."""


_Derivatives = tuple[float, float, float, float, float, float]


class Track:
    """Path as a curve over its arc length s, m; 0 at its start.

    Parameters
    ----------
    path : GroundPath
        Path with enough distinct waypoints (see `GroundPath.mistakes`).

    Attributes
    ----------
    smooth : bool
        Whether the path is a smooth curve rather than straight lines.
    closed : bool
        Whether the path is closed; then s is modulo its length.
    length : float
        m, of one lap if it is closed.
    points : (k, 2) array
        Polyline close to the path, m; for a closed path the last point is the first.
    lengths : (k,) array
        s of these points, m.
    waypoints : (w,) array
        s of the waypoints, m; a closed path ends with the first one repeated.
    """

    def __init__(self, path: GroundPath) -> None:
        corners = np.array(path.waypoints_m, np.float64)
        self.closed = path.closed
        if self.closed:
            corners = np.vstack([corners, corners[:1]])
        chord = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
        self.smooth = path.shape == "spline" and len(corners) > 2
        self.points: FloatArray = corners
        self.lengths: FloatArray = chord
        every = 1
        if self.smooth:
            from scipy.interpolate import (
                CubicSpline,
            )  # takes half a second to import, which would delay the start of the window

            ends: Literal["periodic", "natural"] = "periodic" if self.closed else "natural"
            first = CubicSpline(chord, corners, bc_type=ends)
            cuts = min(_PER_CHORD, max(_FEWEST, _PIECES // (len(chord) - 1)))
            parameter = np.append(
                (chord[:-1, None] + np.diff(chord)[:, None] * np.arange(cuts) / cuts).ravel(),
                chord[-1],
            )
            self.points, self.lengths = first(parameter), _lengths(first, parameter)
            self.points[0] = corners[0]
            self.points[-1] = corners[-1]
            every = cuts
            # Fitted again over arc length: now s is the parameter, and no inversion is needed.
            coefficients = CubicSpline(self.lengths, self.points, bc_type=ends).c
        else:
            coefficients = np.zeros((4, len(chord) - 1, 2))
            coefficients[2] = np.diff(corners, axis=0) / np.diff(chord)[:, None]
            coefficients[3] = corners[:-1]
        self.waypoints: FloatArray = self.lengths[::every]
        # A controller needs one position at a time: plain numbers are ten times as fast as arrays
        # there.
        self.coefficients: FloatArray = np.ascontiguousarray(coefficients.transpose(1, 2, 0))
        self._cubics: list[Any] = self.coefficients.tolist()
        self._begins: list[float] = self.lengths.tolist()
        self.length = float(self.lengths[-1])
        chords = np.diff(self.points, axis=0)
        squares = np.linalg.norm(chords, axis=1) ** 2
        self.chords: FloatArray = np.column_stack([self.points[:-1], chords, squares])
        # ends of an open path: points, and directions in which it continues
        self._ends = [
            (x, y, math.cos(direction), math.sin(direction))
            for x, y, direction, _ in (self.course(0.0), self.course(self.length))
        ]

    def _inside(self, s: float) -> float:
        """`s` on the first lap, or clipped to the ends."""
        return s % self.length if self.closed else min(max(s, 0.0), self.length)

    def _piece(self, s: float) -> int:
        """Index of the piece between two of `points` that contains `s`; at a point, the piece that starts there."""
        return min(max(bisect_right(self._begins, s) - 1, 0), len(self._cubics) - 1)

    def _at(self, s: float) -> _Derivatives:
        """Point x, y, their first and second derivatives by s; `s` is within the ends."""
        piece = self._piece(s)
        u = s - self._begins[piece]
        of_x, of_y = self._cubics[piece]
        x, dx, ddx = cubic(u, *of_x)
        y, dy, ddy = cubic(u, *of_y)
        return x, y, dx, dy, ddx, ddy

    def pose(self, s: float) -> tuple[FloatArray, float]:
        """Point (2,), m, and direction of the path, rad in (-pi, pi], at `s`; at a corner, the outgoing direction."""
        x, y, direction, _ = self.course(s)
        return np.array([x, y]), direction

    def curvature(self, s: float) -> float:
        """Return the curvature at `s`, 1/m, positive for left bends; 0 on straight lines and beyond the ends."""
        return self.course(s)[3]

    def course(self, s: float) -> tuple[float, float, float, float]:
        """Point x and y, m, direction as in `place`, and `curvature` at `s`."""
        at = self._inside(s)
        x, y, dx, dy, ddx, ddy = self._at(at)
        direction = math.atan2(dy, dx)
        if not self.closed and s != at:
            return (
                x + (s - at) * math.cos(direction),
                y + (s - at) * math.sin(direction),
                direction,
                0.0,
            )
        return x, y, direction, (dx * ddy - dy * ddx) / math.hypot(dx, dy) ** 3

    def largest_curvature(self) -> tuple[float, float]:
        """Return the largest curvature, 1/m, and its position s, m; 0 for straight lines, whose corners have none."""
        bends = [abs(self.curvature(s)) for s in self._begins]
        worst = int(np.argmax(bends))
        return bends[worst], self._begins[worst]

    def nearest(
        self, point: FloatArray, around: float | None = None, reach: float = np.inf
    ) -> float:
        """Return the position s on the path that is nearest to a point.

        Parameters
        ----------
        point : (2,) array
            m.
        around, reach : float
            Restrict the search to positions within `reach` of `around`, m, also beyond the ends of an
            open path, so that another lobe of the path is not chosen. If omitted, the whole path
            between its ends is searched.

        Returns
        -------
        float
            s, m; for a closed path on the lap of `around`, or the first.
        """
        x, y = point.tolist()
        if around is None:
            return self._nearest_between(x, y, 0.0, self.length)[0]
        return self._nearest(x, y, around, reach)[0]

    def nearest_course(
        self, point: FloatArray, around: float, reach: float
    ) -> tuple[float, tuple[float, float, float, float]]:
        """Return the result of `nearest`, and `course` there."""
        x, y = point.tolist()
        s, derivatives = self._nearest(x, y, around, reach)
        if derivatives is None:
            return s, self.course(s)
        at_x, at_y, dx, dy, ddx, ddy = derivatives
        return s, (at_x, at_y, math.atan2(dy, dx), (dx * ddy - dy * ddx) / math.hypot(dx, dy) ** 3)

    def _nearest(
        self, x: float, y: float, around: float, reach: float
    ) -> tuple[float, _Derivatives | None]:
        """Return the nearest position on the path, m, and the result of `_at` there, if available."""
        if not self.closed:
            return self._nearest_of_open(x, y, float(around - reach), float(around + reach))
        reach = min(reach, 0.5 * self.length)
        base = math.floor(around / self.length) * self.length
        low = around - reach - base
        high = around + reach - base
        best = math.inf
        nearest = low
        for lap in (-self.length, 0.0, self.length):
            s, distance, *_ = self._nearest_between(x, y, low - lap, high - lap)
            if distance < best:
                best = distance
                nearest = s + lap
        return nearest + base, None

    def _nearest_of_open(
        self, x: float, y: float, low: float, high: float
    ) -> tuple[float, _Derivatives | None]:
        """`_nearest` for an open path and the straight lines beyond its ends."""
        nearest, best, *at = self._nearest_between(x, y, low, high)
        derivatives: Any = at
        if not best < math.inf:
            nearest = low
            best = math.inf
            derivatives = None
        for end, beyond in ((0.0, low < 0.0), (self.length, high > self.length)):
            if not beyond:
                continue
            end_x, end_y, ahead_x, ahead_y = self._ends[end == self.length]
            further = (x - end_x) * ahead_x + (y - end_y) * ahead_y
            s = min(max(end + further, low), high)
            if (s < 0.0) if end == 0.0 else (s > self.length):
                away_x = x - (end_x + (s - end) * ahead_x)
                away_y = y - (end_y + (s - end) * ahead_y)
                distance = math.sqrt(away_x * away_x + away_y * away_y)
                if distance < best:
                    nearest = s
                    best = distance
                    derivatives = None
        return nearest, derivatives

    def _nearest_between(self, x: float, y: float, low: float, high: float) -> tuple[float, ...]:
        """Return the nearest position between `low` and `high`, m, and the distance, with the result of `_at` there.

        The distance is infinite if the interval is empty.
        """
        nearest: tuple[float, ...] = nearest_on_curve(
            x, y, low, high, self.smooth, self.lengths, self.chords, self.coefficients
        )
        return nearest


def _lengths(curve: CubicSpline, parameter: FloatArray) -> FloatArray:
    """Return the length of `curve` up to ascending values of its parameter, m (Gauss-Legendre with 5 points)."""
    node, weight = np.polynomial.legendre.leggauss(5)
    half = 0.5 * np.diff(parameter)
    at = 0.5 * (parameter[:-1] + parameter[1:])[:, None] + half[:, None] * node
    pieces = half * (np.linalg.norm(curve(at, 1), axis=2) @ weight)
    return np.concatenate([[0.0], np.cumsum(pieces)])


def track(path: GroundPath) -> Track:
    """Return the geometry of a path, cached per path."""
    return _track(path)


@lru_cache(maxsize=32)
def _track(path: GroundPath) -> Track:
    return Track(path)
