"""Unit quaternions (w x y z) as numpy arrays, as needed for drawing."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray


def multiply(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the Hamilton product of quaternions, (..., 4) each."""
    aw, ax, ay, az = np.moveaxis(a, -1, 0)
    bw, bx, by, bz = np.moveaxis(b, -1, 0)
    return np.stack(
        (
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ),
        axis=-1,
    )


def matrix(q: FloatArray) -> FloatArray:
    """Return rotation matrices (..., 3, 3) of quaternions (..., 4); column 0 is the body's x axis in the world."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def rotate(q: FloatArray, v: FloatArray) -> FloatArray:
    """Return the vectors v (..., 3) rotated by q (..., 4)."""
    w = q[..., :1]
    u = q[..., 1:]
    t = 2.0 * np.cross(u, v)
    rotated: FloatArray = v + w * t + np.cross(u, t)
    return rotated


def between(direction: FloatArray) -> FloatArray:
    """Return the shortest rotations that turn the x axis into the given unit vectors.

    Parameters
    ----------
    direction : (k, 3) array
        Unit vectors.

    Returns
    -------
    (k, 4) array
    """
    q = np.empty((len(direction), 4))
    q[:, 0] = 1.0 + direction[:, 0]
    q[:, 1] = 0.0
    q[:, 2] = -direction[:, 2]
    q[:, 3] = direction[:, 1]
    # For the opposite direction every half turn is shortest: use the one about z.
    q[q[:, 0] < 1e-9] = (0.0, 0.0, 0.0, 1.0)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    return q
