"""Conversion of rotations in robot files."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from snakestudio._arrays import FloatArray

_ROUNDING = 2e-3
"""Largest rounding error of angles such as 1.57 for pi/2 and 3.14 for pi, rad."""

_DIGITS = 2e-6
"""Largest rounding error of rotations, such as from 0.707107 in a quaternion."""


def rounded_angles(angles: Sequence[float] | FloatArray) -> tuple[FloatArray, bool]:
    """Angles (rad) with multiples of pi/2 made exact if they differ by rounding only; whether any was changed."""
    result = np.array(angles, dtype=np.float64)
    quarters = np.round(result / (math.pi / 2))
    exact = quarters * (math.pi / 2)
    near = (quarters != 0) & (np.abs(result - exact) < _ROUNDING)
    changed = bool((near & (np.abs(result - exact) > 1e-5)).any())
    result[near] = exact[near]
    return result, changed


def snapped(rotation: FloatArray) -> FloatArray:
    """Return a rotation whose entries are all -1, 0 or 1 except for rounding, made exact; others are unchanged."""
    rounded = np.asarray(np.round(rotation), dtype=np.float64)
    exact = float(np.abs(rotation - rounded).max()) < _DIGITS
    return rounded if exact else rotation


def about(axis: Sequence[float] | FloatArray, angle: float) -> FloatArray:
    """Return the rotation about an axis by the right-hand rule; angle in rad."""
    x, y, z = np.asarray(axis, dtype=np.float64) / np.linalg.norm(axis)
    c, s = math.cos(angle), math.sin(angle)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn: FloatArray = np.eye(3) + s * cross + (1.0 - c) * cross @ cross
    return turn


def from_rpy(rpy: Sequence[float] | FloatArray) -> FloatArray:
    """Return the rotation of URDF and SDF: about the fixed axes x, y and z in sequence."""
    roll, pitch, yaw = rpy
    return snapped(about((0, 0, 1), yaw) @ about((0, 1, 0), pitch) @ about((1, 0, 0), roll))


def from_quaternion(w: float, x: float, y: float, z: float) -> FloatArray:
    """Return the rotation of a quaternion, which is normalized first; the identity if it is 0."""
    length = math.sqrt(w * w + x * x + y * y + z * z)
    if length == 0.0:
        return np.eye(3)
    w, x, y, z = w / length, x / length, y / length, z / length
    return snapped(
        np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
    )


def from_axes(x_axis: FloatArray, y_axis: FloatArray) -> FloatArray:
    """Return the rotation with this x axis and a y axis as close as possible to the given one."""
    x = x_axis / np.linalg.norm(x_axis)
    y = y_axis - (y_axis @ x) * x
    y /= np.linalg.norm(y)
    return snapped(np.column_stack([x, y, np.cross(x, y)]))


def turn_between(start: FloatArray, end: FloatArray) -> FloatArray:
    """Return the smallest rotation from one unit vector to another."""
    axis = np.cross(start, end)
    size = float(np.linalg.norm(axis))
    if size < 1e-12:
        if start @ end > 0:
            return np.eye(3)
        side = np.eye(3)[int(np.abs(start).argmin())]
        return about(np.cross(start, side), math.pi)
    return about(axis, math.atan2(size, float(start @ end)))
