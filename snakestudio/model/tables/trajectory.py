"""Smooth motion from a table of joint angles: cubic splines through its rows, held at the ends or closed to a loop."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray

_MEET = math.radians(0.5)
"""Largest difference of the first and last rows that counts as equal, rad."""

_FEWEST = 4
"""Number of rows that a spline without end conditions needs."""


class Trajectory:
    """Curves through the rows of a table, with continuous rate and acceleration between its ends.

    Loops are continuous everywhere: if the ends agree to half a degree, the last row equals the first
    one; otherwise the joints return to the first row in `blend` seconds.

    Parameters
    ----------
    time : (k,) array
        s, from 0, ascending.
    angle : (k, m) array
        rad; NaN where a row has no value for an axis.
    blend : float
        s.

    Attributes
    ----------
    duration : float
        Duration of one pass, s; for a loop including the return.
    closed : bool
        Whether the ends agree.
    """

    def __init__(self, time: FloatArray, angle: FloatArray, *, loop: bool, blend: float) -> None:
        self.loop = loop
        self.first, self.last = _ends(angle)
        self.closed = bool(np.abs(self.last - self.first).max(initial=0.0) <= _MEET)
        self.duration = float(time[-1]) + (0.0 if self.closed or not loop else blend)
        self._splines = [
            (axes, _spline(*_rows_of(time, angle[:, axes], self.duration, loop)))
            for axes in _alike(angle)
        ]
        self._count = angle.shape[1]

    def at(self, time: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the angles and their first and second derivatives at `time` (k,), s: each (k, m)."""
        inside = np.mod(time, self.duration) if self.loop else time.clip(0.0, self.duration)
        result = np.empty((3, len(time), self._count))
        for axes, spline in self._splines:
            for order in range(3):
                result[order][:, axes] = spline(inside, order)
        if not self.loop:
            # The joints rest outside the ends.
            beyond = (time < 0.0) | (time >= self.duration)
            result[1:, beyond] = 0.0
            result[0, time >= self.duration] = self.last
        return result[0], result[1], result[2]

    def largest_rates(self) -> FloatArray:
        """Return the largest rates of all axes, (m,), rad/s."""
        result = np.zeros(self._count)
        for axes, spline in self._splines:
            knots = np.asarray(spline.x)
            begin = spline(knots[:-1], 2)
            end = spline(knots[1:], 2)
            # Between knots the second derivative is linear: the rate is largest at a knot, or where it
            # is 0.
            fraction = np.divide(
                begin, begin - end, out=np.zeros_like(begin), where=begin * end < 0.0
            )
            top = np.abs(spline(knots, 1)).max(axis=0)
            for own, column in enumerate(axes):
                inner = knots[:-1] + fraction[:, own] * np.diff(knots)
                result[column] = max(top[own], float(np.abs(spline(inner, 1)[:, own]).max()))
        return result


def _ends(angle: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the first and last numbers of all axes."""
    known = np.isfinite(angle)
    columns = np.arange(angle.shape[1])
    first = angle[known.argmax(axis=0), columns]
    last = angle[len(angle) - 1 - known[::-1].argmax(axis=0), columns]
    return first, last


def _alike(angle: FloatArray) -> list[IndexArray]:
    """Return the indices of axes, in groups with values in the same rows."""
    known = np.isfinite(angle)
    if known.all():
        return [np.arange(angle.shape[1])] if angle.shape[1] else []
    _, group = np.unique(known, axis=1, return_inverse=True)
    return [np.flatnonzero(group == g) for g in range(int(group.max()) + 1)]


def _rows_of(
    time: FloatArray, angle: FloatArray, duration: float, loop: bool
) -> tuple[FloatArray, FloatArray, bool]:
    """Return the knots of the curves of some axes, from 0 to the whole duration, and whether they form a loop."""
    known = np.isfinite(angle[:, 0])
    first, last = _ends(angle)
    t = time[known]
    values = angle[known]
    if t[0] > 0.0:  # the first number applies from the start, the last one to the end
        t = np.concatenate([[0.0], t])
        values = np.concatenate([first[None], values])
    if not loop:
        if t[-1] < duration:
            t = np.append(t, duration)
            values = np.concatenate([values, last[None]])
        return t, values, False
    if t[-1] < duration:
        t = np.append(t, duration)
        values = np.concatenate([values, first[None]])
    values = values.copy()
    values[-1] = values[0]
    return t, values, True


def _spline(time: FloatArray, angle: FloatArray, loop: bool) -> Any:
    from scipy.interpolate import CubicSpline  # slow to import

    if loop:
        return CubicSpline(time, angle, axis=0, bc_type="periodic")
    return CubicSpline(
        time, angle, axis=0, bc_type="not-a-knot" if len(time) >= _FEWEST else "natural"
    )
