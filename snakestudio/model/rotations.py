"""Rotations in space as matrices and unit quaternions, in numpy only, for poses, solids and checks."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray


def rotation(yaw: float, pitch: float = 0.0, roll: float = 0.0) -> FloatArray:
    """Return the r_z(yaw) R_y(pitch) R_x(roll), (3, 3), angles in rad."""
    ca, sa, cb, sb, cc, sc = (
        f(angle) for angle in (yaw, pitch, roll) for f in (math.cos, math.sin)
    )
    return np.array(
        [
            [ca * cb, ca * sb * sc - sa * cc, ca * sb * cc + sa * sc],
            [sa * cb, sa * sb * sc + ca * cc, sa * sb * cc - ca * sc],
            [-sb, cb * sc, cb * cc],
        ]
    )


def matrices(quaternion: FloatArray) -> FloatArray:
    """Return rotation matrices (n, 3, 3) of unit quaternions w x y z, (n, 4)."""
    w, x, y, z = quaternion.T
    result = np.empty((len(quaternion), 3, 3))
    result[:, 0, 0] = 1.0 - 2.0 * (y * y + z * z)
    result[:, 0, 1] = 2.0 * (x * y - w * z)
    result[:, 0, 2] = 2.0 * (x * z + w * y)
    result[:, 1, 0] = 2.0 * (x * y + w * z)
    result[:, 1, 1] = 1.0 - 2.0 * (x * x + z * z)
    result[:, 1, 2] = 2.0 * (y * z - w * x)
    result[:, 2, 0] = 2.0 * (x * z - w * y)
    result[:, 2, 1] = 2.0 * (y * z + w * x)
    result[:, 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    return result


def quaternions(matrix: FloatArray) -> FloatArray:
    """Return the unit quaternions w x y z, (n, 4), of rotation matrices (n, 3, 3).

    Of the four columns of q q^T, the one with the largest diagonal element is used, so that there is no
    division by a small number (Shepperd 1978).
    """
    m = matrix
    a, b, c = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    outer = np.empty((len(m), 4, 4))  # 4 q q^T
    outer[:, 0, 0] = 1.0 + a + b + c
    outer[:, 1, 1] = 1.0 + a - b - c
    outer[:, 2, 2] = 1.0 - a + b - c
    outer[:, 3, 3] = 1.0 - a - b + c
    for i, j, value in (
        (0, 1, m[:, 2, 1] - m[:, 1, 2]),
        (0, 2, m[:, 0, 2] - m[:, 2, 0]),
        (0, 3, m[:, 1, 0] - m[:, 0, 1]),
        (1, 2, m[:, 1, 0] + m[:, 0, 1]),
        (1, 3, m[:, 0, 2] + m[:, 2, 0]),
        (2, 3, m[:, 2, 1] + m[:, 1, 2]),
    ):
        outer[:, i, j] = outer[:, j, i] = value
    largest = np.argmax(np.einsum("nii->ni", outer), axis=1)
    column = outer[np.arange(len(m)), largest]
    quaternion: FloatArray = column / np.linalg.norm(column, axis=1, keepdims=True)
    return quaternion


def roll_pitch_yaw(quaternion: FloatArray) -> FloatArray:
    """Return angles (..., 3), rad, of unit quaternions w x y z (..., 4): R = R_z(yaw) R_y(pitch) R_x(roll).

    A positive pitch points the link downwards, as in a start's `pitch_deg`. Roll and yaw are between
    -pi and pi, the pitch between -pi/2 and pi/2; pointing straight up or down, only the sum or
    difference of the other two is defined.
    """
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return np.stack([roll, pitch, yaw], axis=-1)
