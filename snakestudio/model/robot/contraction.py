"""Where a body is shortest: the sections of largest contraction, which a worm anchors itself with (P5 (38))."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.robot.strain_law import StrainField

__all__ = ["Field", "minima", "motion"]

FloatArray = NDArray[np.float64]
Field = Callable[[FloatArray, FloatArray], StrainField]
"""Strains at times (k,) and abscissas (m,)."""

SAMPLES = 257
"""Points on the body between which a minimum is looked for."""

_TOGETHER = 16  # pairs of time and place that are evaluated at once: every time at every place


def _pairs(field: Field, t: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Slope and rate of Gamma_X at pairs of times and abscissas, each (n,)."""
    slope, rate = np.empty(len(t)), np.empty(len(t))
    for begin in range(0, len(t), _TOGETHER):
        part = slice(begin, begin + _TOGETHER)
        here = field(t[part], x[part])
        slope[part] = np.diagonal(here.slope[:, :, 0])
        rate[part] = np.diagonal(here.rate[:, :, 0])
    return slope, rate


def minima(field: Field, t: FloatArray, length: float) -> tuple[NDArray[np.int64], FloatArray]:
    """Local minima of Gamma_X strictly inside the body: (n,) indices into `t`, and abscissas (n,), along the body.

    Changes of the slope's sign are found on a grid and refined by regula falsi (Illinois variant).
    """
    points = np.linspace(0.0, length, SAMPLES)
    slope = field(t, points).slope[:, :, 0]
    which, cell = np.nonzero((slope[:, :-1] < 0.0) & (slope[:, 1:] >= 0.0))
    a, b = points[cell], points[cell + 1]
    fa, fb = slope[which, cell], slope[which, cell + 1]
    at = b.copy()
    for _ in range(12):
        between = fb != fa
        at = np.where(between, (a * fb - b * fa) / np.where(between, fb - fa, 1.0), at)
        value = _pairs(field, t[which], at)[0]
        if (np.abs(b - a) < 1e-15 * length).all() or (value == 0.0).all():
            break
        right = value >= 0.0  # the minimum is left of it
        fa, fb = np.where(right, 0.5 * fa, value), np.where(right, value, 0.5 * fb)
        a, b = np.where(right, a, at), np.where(right, at, b)
    inside = (at > 0.0) & (at < length)
    return which[inside], at[inside]


def motion(field: Field, t: FloatArray, at: FloatArray, length: float) -> tuple[FloatArray, FloatArray]:
    """How fast minima at times `t` (n,) and abscissas `at` (n,) move along the body, and how that changes; m/s, m/s^2.

    From d/dt Gamma_X'(C(t), t) = 0; the derivatives that no formula gives are central differences.
    """
    dx, dt = 1e-5 * length, 1e-4

    def speed(time: FloatArray, x: FloatArray) -> FloatArray:
        after, before = _pairs(field, time, x + dx), _pairs(field, time, x - dx)
        bend = after[0] - before[0]
        return np.where(bend != 0.0, -(after[1] - before[1]) / np.where(bend != 0.0, bend, 1.0), 0.0)

    now = speed(t, at)
    change = (speed(t + dt, at + dt * now) - speed(t - dt, at - dt * now)) / (2.0 * dt)
    return now, change
