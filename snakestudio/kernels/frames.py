"""Frames, twists and wrenches of SE(3), as in P5, appendix A, in arrays that kernels fill.

A frame is a row of 12: rotation matrix R by rows, then position r, relative to a reference frame
that is called the head's below. A twist is (V, Omega), a wrench (N, C); both have six entries,
expressed in the frame itself or in the head's.
"""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit

VX, VY, VZ, WX, WY, WZ = range(6)
"""Entries of twists; wrenches have the same order."""


@inlined
def unit_frame(frame: FloatArray) -> None:
    """Set `frame` (12,) to the identity."""
    for i in range(12):
        frame[i] = 0.0
    frame[0] = frame[4] = frame[8] = 1.0


@inlined
def bracket(a: FloatArray, b: FloatArray, out: FloatArray) -> None:
    """Compute ad_a b, P5 (67): the commutator of two twists (6,); `out` must be neither."""
    out[0] = a[4] * b[2] - a[5] * b[1] + a[1] * b[5] - a[2] * b[4]
    out[1] = a[5] * b[0] - a[3] * b[2] + a[2] * b[3] - a[0] * b[5]
    out[2] = a[3] * b[1] - a[4] * b[0] + a[0] * b[4] - a[1] * b[3]
    out[3] = a[4] * b[5] - a[5] * b[4]
    out[4] = a[5] * b[3] - a[3] * b[5]
    out[5] = a[3] * b[4] - a[4] * b[3]


@inlined
def twist_to_head(frame: FloatArray, twist: FloatArray, out: FloatArray) -> None:
    """Apply Ad_g to a twist, P5 (66) as corrected: [R, r^ R; 0, R]; `out` may be `twist`."""
    wx = frame[0] * twist[3] + frame[1] * twist[4] + frame[2] * twist[5]
    wy = frame[3] * twist[3] + frame[4] * twist[4] + frame[5] * twist[5]
    wz = frame[6] * twist[3] + frame[7] * twist[4] + frame[8] * twist[5]
    vx = frame[0] * twist[0] + frame[1] * twist[1] + frame[2] * twist[2]
    vy = frame[3] * twist[0] + frame[4] * twist[1] + frame[5] * twist[2]
    vz = frame[6] * twist[0] + frame[7] * twist[1] + frame[8] * twist[2]
    out[0] = vx + frame[10] * wz - frame[11] * wy
    out[1] = vy + frame[11] * wx - frame[9] * wz
    out[2] = vz + frame[9] * wy - frame[10] * wx
    out[3] = wx
    out[4] = wy
    out[5] = wz


@inlined
def twist_from_head(frame: FloatArray, twist: FloatArray, out: FloatArray) -> None:
    """Apply the inverse of `twist_to_head`, Ad_k with k = g^-1, as in P5 (15); `out` may be `twist`."""
    wx, wy, wz = twist[3], twist[4], twist[5]
    vx = twist[0] - frame[10] * wz + frame[11] * wy
    vy = twist[1] - frame[11] * wx + frame[9] * wz
    vz = twist[2] - frame[9] * wy + frame[10] * wx
    out[0] = frame[0] * vx + frame[3] * vy + frame[6] * vz
    out[1] = frame[1] * vx + frame[4] * vy + frame[7] * vz
    out[2] = frame[2] * vx + frame[5] * vy + frame[8] * vz
    out[3] = frame[0] * wx + frame[3] * wy + frame[6] * wz
    out[4] = frame[1] * wx + frame[4] * wy + frame[7] * wz
    out[5] = frame[2] * wx + frame[5] * wy + frame[8] * wz


@inlined
def wrench_to_head(frame: FloatArray, wrench: FloatArray, out: FloatArray) -> None:
    """Apply Ad_k^* to a wrench: the same force and couple, about the head and in its frame; `out` may be `wrench`."""
    nx = frame[0] * wrench[0] + frame[1] * wrench[1] + frame[2] * wrench[2]
    ny = frame[3] * wrench[0] + frame[4] * wrench[1] + frame[5] * wrench[2]
    nz = frame[6] * wrench[0] + frame[7] * wrench[1] + frame[8] * wrench[2]
    cx = frame[0] * wrench[3] + frame[1] * wrench[4] + frame[2] * wrench[5]
    cy = frame[3] * wrench[3] + frame[4] * wrench[4] + frame[5] * wrench[5]
    cz = frame[6] * wrench[3] + frame[7] * wrench[4] + frame[8] * wrench[5]
    out[0] = nx
    out[1] = ny
    out[2] = nz
    out[3] = cx + frame[10] * nz - frame[11] * ny
    out[4] = cy + frame[11] * nx - frame[9] * nz
    out[5] = cz + frame[9] * ny - frame[10] * nx


@inlined
def wrench_from_head(frame: FloatArray, wrench: FloatArray, out: FloatArray) -> None:
    """Apply the inverse of `wrench_to_head`; `out` may be `wrench`."""
    nx, ny, nz = wrench[0], wrench[1], wrench[2]
    cx = wrench[3] - frame[10] * nz + frame[11] * ny
    cy = wrench[4] - frame[11] * nx + frame[9] * nz
    cz = wrench[5] - frame[9] * ny + frame[10] * nx
    out[0] = frame[0] * nx + frame[3] * ny + frame[6] * nz
    out[1] = frame[1] * nx + frame[4] * ny + frame[7] * nz
    out[2] = frame[2] * nx + frame[5] * ny + frame[8] * nz
    out[3] = frame[0] * cx + frame[3] * cy + frame[6] * cz
    out[4] = frame[1] * cx + frame[4] * cy + frame[7] * cz
    out[5] = frame[2] * cx + frame[5] * cy + frame[8] * cz


@inlined
def _exponential_parts(square: float) -> tuple[float, float, float]:
    """sin(a) / a, (1 - cos a) / a^2 and (a - sin a) / a^3 for a^2 = `square`."""
    if square < 0.05:  # the series is exact to rounding there, and faster
        a = 1.0 - square / 6.0 * (
            1.0 - square / 20.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0))
        )
        b = 0.5 - square / 24.0 * (
            1.0 - square / 30.0 * (1.0 - square / 56.0 * (1.0 - square / 90.0))
        )
        c = 1.0 / 6.0 - square / 120.0 * (
            1.0 - square / 42.0 * (1.0 - square / 72.0 * (1.0 - square / 110.0))
        )
        return a, b, c
    angle = math.sqrt(square)
    a = math.sin(angle) / angle
    return a, (1.0 - math.cos(angle)) / square, (1.0 - a) / square


@inlined
def move_frame(frame: FloatArray, twist: FloatArray, out: FloatArray) -> None:
    """Compute `out` = `frame` exp(`twist`) exactly, so that R stays a rotation; `out` must not be `frame`."""
    x, y, z = twist[3], twist[4], twist[5]
    a, b, c = _exponential_parts(x * x + y * y + z * z)
    # exp(w^) = 1 + a w^ + b w^ w^, and V = (1 + b w^ + c w^ w^) v.
    e00, e11, e22 = 1.0 - b * (y * y + z * z), 1.0 - b * (x * x + z * z), 1.0 - b * (x * x + y * y)
    e01 = b * x * y - a * z
    e10 = b * x * y + a * z
    e02 = b * x * z + a * y
    e20 = b * x * z - a * y
    e12 = b * y * z - a * x
    e21 = b * y * z + a * x
    vx, vy, vz = twist[0], twist[1], twist[2]
    cx, cy, cz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
    px = vx + b * cx + c * (y * cz - z * cy)
    py = vy + b * cy + c * (z * cx - x * cz)
    pz = vz + b * cz + c * (x * cy - y * cx)
    for i in range(3):
        p = frame[3 * i]
        q = frame[3 * i + 1]
        s = frame[3 * i + 2]
        out[3 * i] = p * e00 + q * e10 + s * e20
        out[3 * i + 1] = p * e01 + q * e11 + s * e21
        out[3 * i + 2] = p * e02 + q * e12 + s * e22
        out[9 + i] = frame[9 + i] + p * px + q * py + s * pz


@inlined
def frame_from_pose(pose: FloatArray, frame: FloatArray) -> None:
    """Convert a pose (7,), position and unit quaternion w x y z, to a frame (12,)."""
    w, x, y, z = pose[3], pose[4], pose[5], pose[6]
    frame[0] = 1.0 - 2.0 * (y * y + z * z)
    frame[1] = 2.0 * (x * y - w * z)
    frame[2] = 2.0 * (x * z + w * y)
    frame[3] = 2.0 * (x * y + w * z)
    frame[4] = 1.0 - 2.0 * (x * x + z * z)
    frame[5] = 2.0 * (y * z - w * x)
    frame[6] = 2.0 * (x * z - w * y)
    frame[7] = 2.0 * (y * z + w * x)
    frame[8] = 1.0 - 2.0 * (x * x + y * y)
    frame[9] = pose[0]
    frame[10] = pose[1]
    frame[11] = pose[2]


@jit
def move_pose(pose: FloatArray, twist: FloatArray, out: FloatArray) -> None:
    """Compute `out` = `pose` exp(`twist`) for poses (7,) and normalize the quaternion; `out` may be `pose`."""
    x, y, z = twist[3], twist[4], twist[5]
    square = x * x + y * y + z * z
    _, b, c = _exponential_parts(square)
    half = _exponential_parts(0.25 * square)
    # sin(a/2) / a and cos(a/2) = 1 - 2 sin^2(a/4) = 1 - (a/2)^2 (1 - cos(a/2)) / (a/2)^2.
    s = 0.5 * half[0]
    cosine = 1.0 - 0.25 * square * half[1]
    vx, vy, vz = twist[0], twist[1], twist[2]
    cx, cy, cz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
    px = vx + b * cx + c * (y * cz - z * cy)
    py = vy + b * cy + c * (z * cx - x * cz)
    pz = vz + b * cz + c * (x * cy - y * cx)
    qw, qx, qy, qz = pose[3], pose[4], pose[5], pose[6]
    # v + 2 q x (q x v + w v)
    ux = 2.0 * (qy * pz - qz * py)
    uy = 2.0 * (qz * px - qx * pz)
    uz = 2.0 * (qx * py - qy * px)
    out[0] = pose[0] + px + qw * ux + qy * uz - qz * uy
    out[1] = pose[1] + py + qw * uy + qz * ux - qx * uz
    out[2] = pose[2] + pz + qw * uz + qx * uy - qy * ux
    ex, ey, ez = s * x, s * y, s * z
    w = qw * cosine - qx * ex - qy * ey - qz * ez
    x = qw * ex + qx * cosine + qy * ez - qz * ey
    y = qw * ey - qx * ez + qy * cosine + qz * ex
    z = qw * ez + qx * ey - qy * ex + qz * cosine
    size = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    out[3] = w * size
    out[4] = x * size
    out[5] = y * size
    out[6] = z * size
