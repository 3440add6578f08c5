"""Articulated-body recursion of a chain in space: one linear solve for all velocities, in a time linear in the links.

The local system of link k about its point p_k is A dw = b with a 6 x 6 matrix A, kept with b as rows of eight. Contacts
make it unsymmetric: friction pushes with what the normal force carries.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import inlined
from snakestudio.kernels.octet import (
    octet,
    octet_minus,
    octet_plus,
    octet_put,
    octet_times,
)
from snakestudio.kernels.spatial_problem import SpatialProblem

__all__ = [
    "add_inertia",
    "close_chain",
    "eliminate_joint",
    "expand_joints",
    "joint_rates",
    "move_child",
    "solve_root",
]

FloatArray = NDArray[np.float64]


@inlined
def joint_rates(joint: FloatArray, k: int, w: FloatArray) -> tuple[float, float]:
    """Yaw and pitch rate of joint k (between links k and k + 1) at the velocities `w` (n, 6).

    The part of the relative angular velocity that a cardan joint forbids is left out.
    """
    x = w[k + 1, 3] - w[k, 3]
    y = w[k + 1, 4] - w[k, 4]
    z = w[k + 1, 5] - w[k, 5]
    yaw = joint[k, 0] * x + joint[k, 1] * y + joint[k, 2] * z
    pitch = joint[k, 3] * x + joint[k, 4] * y + joint[k, 5] * z
    # The axes are square to each other but for what the midpoint misses.
    skew = joint[k, 0] * joint[k, 3] + joint[k, 1] * joint[k, 4] + joint[k, 2] * joint[k, 5]
    inverse = 1.0 / (1.0 - skew * skew)
    return (yaw - skew * pitch) * inverse, (pitch - skew * yaw) * inverse


@inlined
def move_child(joint: FloatArray, k: int, yaw: float, pitch: float, w: FloatArray) -> None:
    """Set w[k + 1] from w[k] and the rates of joint k, so that the joint is kept: X w + S (yaw, pitch)."""
    ox, oy, oz = w[k, 3], w[k, 4], w[k, 5]
    rx, ry, rz = joint[k, 6], joint[k, 7], joint[k, 8]
    vx = w[k, 0] + oy * rz - oz * ry + yaw * joint[k, 9]
    vy = w[k, 1] + oz * rx - ox * rz + yaw * joint[k, 10]
    vz = w[k, 2] + ox * ry - oy * rx + yaw * joint[k, 11]
    w[k + 1, 0] = vx
    w[k + 1, 1] = vy
    w[k + 1, 2] = vz
    w[k + 1, 3] = ox + yaw * joint[k, 0] + pitch * joint[k, 3]
    w[k + 1, 4] = oy + yaw * joint[k, 1] + pitch * joint[k, 4]
    w[k + 1, 5] = oz + yaw * joint[k, 2] + pitch * joint[k, 5]


@inlined
def close_chain(problem: SpatialProblem, w: FloatArray, rate: FloatArray) -> None:
    """Make `w` satisfy all joints, keeping link 1 and the joint rates, which go to `rate` (n - 1, 2)."""
    joint = problem.joint
    for k in range(joint.shape[0]):
        rate[k, 0], rate[k, 1] = joint_rates(joint, k, w)
    for k in range(joint.shape[0]):
        move_child(joint, k, rate[k, 0], rate[k, 1], w)


@inlined
def add_inertia(problem: SpatialProblem, w: FloatArray, k: int, local: FloatArray) -> None:
    """Add to `local` (6, 8) the inertia of link k about p_k, and the momentum that is missing at `w`."""
    mass, half = problem.mass, problem.half
    ex, ey, ez = problem.axis[k, 0], problem.axis[k, 1], problem.axis[k, 2]
    cx, cy, cz = half * ex, half * ey, half * ez
    ox, oy, oz = w[k, 3], w[k, 4], w[k, 5]
    lx = mass * (problem.free[k, 0] - (w[k, 0] + oy * cz - oz * cy))
    ly = mass * (problem.free[k, 1] - (w[k, 1] + oz * cx - ox * cz))
    lz = mass * (problem.free[k, 2] - (w[k, 2] + ox * cy - oy * cx))
    dx, dy, dz = problem.free[k, 3] - ox, problem.free[k, 4] - oy, problem.free[k, 5] - oz
    across = problem.inertia
    along = (problem.axial - across) * (dx * ex + dy * ey + dz * ez)
    alpha = across + mass * half * half
    beta = problem.axial - alpha
    mx, my, mz = mass * cx, mass * cy, mass * cz
    local[0, 0] += mass
    local[0, 4] += mz
    local[0, 5] -= my
    local[0, 6] += lx
    local[1, 1] += mass
    local[1, 3] -= mz
    local[1, 5] += mx
    local[1, 6] += ly
    local[2, 2] += mass
    local[2, 3] += my
    local[2, 4] -= mx
    local[2, 6] += lz
    local[3, 1] -= mz
    local[3, 2] += my
    local[3, 3] += alpha + beta * ex * ex
    local[3, 4] += beta * ex * ey
    local[3, 5] += beta * ex * ez
    local[3, 6] += across * dx + along * ex + cy * lz - cz * ly
    local[4, 0] += mz
    local[4, 2] -= mx
    local[4, 3] += beta * ex * ey
    local[4, 4] += alpha + beta * ey * ey
    local[4, 5] += beta * ey * ez
    local[4, 6] += across * dy + along * ey + cz * lx - cx * lz
    local[5, 0] -= my
    local[5, 1] += mx
    local[5, 3] += beta * ex * ez
    local[5, 4] += beta * ey * ez
    local[5, 5] += alpha + beta * ez * ez
    local[5, 6] += across * dz + along * ez + cx * ly - cy * lx


@inlined
def eliminate_joint(
    problem: SpatialProblem, k: int, local: FloatArray, stiff_0: float, stiff_1: float, push_0: float, push_1: float,
    eliminated: FloatArray,
) -> None:  # fmt: skip
    """Eliminate joint k from the system of link k + 1 in `local` and shift it to p_k.

    Parameters
    ----------
    problem : SpatialProblem
    k : int
        Joint between links k and k + 1.
    local : (6, 8)
        On entry the articulated system of link k + 1 about p_{k+1}, on return its part of that of link k about p_k.
    stiff_0, stiff_1 : float
        What the joint's own impulses lose for a unit increment of its rates, N m s per rad/s.
    push_0, push_1 : float
        The joint's own impulses at the present rates, N m s.
    eliminated : (n - 1, 2, 8)
        Row k is filled: D^-1 S^T A, and D^-1 (S^T b + push) in column 6.
    """
    joint = problem.joint
    zx, zy, zz = joint[k, 0], joint[k, 1], joint[k, 2]
    yx, yy, yz = joint[k, 3], joint[k, 4], joint[k, 5]
    rx, ry, rz = joint[k, 6], joint[k, 7], joint[k, 8]
    a0, a1, a2 = octet(local, 0), octet(local, 1), octet(local, 2)
    a3, a4, a5 = octet(local, 3), octet(local, 4), octet(local, 5)
    # S^T [A | b] and A S
    l0 = octet_plus(octet_plus(octet_times(zx, a3), zy, a4), zz, a5)
    l1 = octet_plus(octet_plus(octet_times(yx, a3), yy, a4), yz, a5)
    u00 = a0[3] * zx + a0[4] * zy + a0[5] * zz
    u10 = a1[3] * zx + a1[4] * zy + a1[5] * zz
    u20 = a2[3] * zx + a2[4] * zy + a2[5] * zz
    u30 = a3[3] * zx + a3[4] * zy + a3[5] * zz
    u40 = a4[3] * zx + a4[4] * zy + a4[5] * zz
    u50 = a5[3] * zx + a5[4] * zy + a5[5] * zz
    u01 = a0[3] * yx + a0[4] * yy + a0[5] * yz
    u11 = a1[3] * yx + a1[4] * yy + a1[5] * yz
    u21 = a2[3] * yx + a2[4] * yy + a2[5] * yz
    u31 = a3[3] * yx + a3[4] * yy + a3[5] * yz
    u41 = a4[3] * yx + a4[4] * yy + a4[5] * yz
    u51 = a5[3] * yx + a5[4] * yy + a5[5] * yz
    if problem.offset != 0.0:  # turning about the yaw axis also moves p_{k+1}
        sx, sy, sz = joint[k, 9], joint[k, 10], joint[k, 11]
        l0 = octet_plus(octet_plus(octet_plus(l0, sx, a0), sy, a1), sz, a2)
        u00 += a0[0] * sx + a0[1] * sy + a0[2] * sz
        u10 += a1[0] * sx + a1[1] * sy + a1[2] * sz
        u20 += a2[0] * sx + a2[1] * sy + a2[2] * sz
        u30 += a3[0] * sx + a3[1] * sy + a3[2] * sz
        u40 += a4[0] * sx + a4[1] * sy + a4[2] * sz
        u50 += a5[0] * sx + a5[1] * sy + a5[2] * sz
        d00 = l0[3] * zx + l0[4] * zy + l0[5] * zz + l0[0] * sx + l0[1] * sy + l0[2] * sz + stiff_0
        d10 = l1[3] * zx + l1[4] * zy + l1[5] * zz + l1[0] * sx + l1[1] * sy + l1[2] * sz
    else:
        d00 = l0[3] * zx + l0[4] * zy + l0[5] * zz + stiff_0
        d10 = l1[3] * zx + l1[4] * zy + l1[5] * zz
    d01 = l0[3] * yx + l0[4] * yy + l0[5] * yz
    d11 = l1[3] * yx + l1[4] * yy + l1[5] * yz + stiff_1
    l0 = (l0[0], l0[1], l0[2], l0[3], l0[4], l0[5], l0[6] + push_0, l0[7])
    l1 = (l1[0], l1[1], l1[2], l1[3], l1[4], l1[5], l1[6] + push_1, l1[7])
    inverse = 1.0 / (d00 * d11 - d01 * d10)
    g0 = octet_minus(octet_times(d11 * inverse, l0), d01 * inverse, l1)
    g1 = octet_minus(octet_times(d00 * inverse, l1), d10 * inverse, l0)
    own = eliminated[k]
    octet_put(own, 0, g0)
    octet_put(own, 1, g1)
    # A - A S Gamma and b - A S g
    a0 = octet_minus(octet_minus(a0, u00, g0), u01, g1)
    a1 = octet_minus(octet_minus(a1, u10, g0), u11, g1)
    a2 = octet_minus(octet_minus(a2, u20, g0), u21, g1)
    a3 = octet_minus(octet_minus(a3, u30, g0), u31, g1)
    a4 = octet_minus(octet_minus(a4, u40, g0), u41, g1)
    a5 = octet_minus(octet_minus(a5, u50, g0), u51, g1)
    # X^T from the left, then X from the right
    a3 = octet_minus(octet_plus(a3, ry, a2), rz, a1)
    a4 = octet_minus(octet_plus(a4, rz, a0), rx, a2)
    a5 = octet_minus(octet_plus(a5, rx, a1), ry, a0)
    octet_put(local, 0, _shift_columns(a0, rx, ry, rz))
    octet_put(local, 1, _shift_columns(a1, rx, ry, rz))
    octet_put(local, 2, _shift_columns(a2, rx, ry, rz))
    octet_put(local, 3, _shift_columns(a3, rx, ry, rz))
    octet_put(local, 4, _shift_columns(a4, rx, ry, rz))
    octet_put(local, 5, _shift_columns(a5, rx, ry, rz))


@inlined
def _shift_columns(
    a: tuple[float, float, float, float, float, float, float, float], rx: float, ry: float, rz: float
) -> tuple[float, float, float, float, float, float, float, float]:
    """A row times X: its angular part gains r x (linear part)."""
    return (
        a[0], a[1], a[2], a[3] + (ry * a[2] - rz * a[1]), a[4] + (rz * a[0] - rx * a[2]),
        a[5] + (rx * a[1] - ry * a[0]), a[6], a[7],
    )  # fmt: skip


@inlined
def solve_root(local: FloatArray, dw: FloatArray) -> None:
    """Solve the system of link 1 in `local` (6, 8) for dw[0], with row pivoting; `local` is destroyed."""
    for i in range(6):
        pivot = i
        largest = abs(local[i, i])
        for j in range(i + 1, 6):
            if abs(local[j, i]) > largest:
                largest = abs(local[j, i])
                pivot = j
        if pivot != i:
            upper, lower = octet(local, i), octet(local, pivot)
            octet_put(local, i, lower)
            octet_put(local, pivot, upper)
        row = octet(local, i)
        inverse = 1.0 / local[i, i]
        for j in range(i + 1, 6):
            octet_put(local, j, octet_minus(octet(local, j), local[j, i] * inverse, row))
    for j in range(6):
        i = 5 - j
        total = local[i, 6]
        for m in range(i + 1, 6):
            total -= local[i, m] * dw[0, m]
        dw[0, i] = total / local[i, i]


@inlined
def expand_joints(joint: FloatArray, eliminated: FloatArray, dw: FloatArray, rate: FloatArray) -> None:
    """From dw[0] to the increments of all velocities, and of the joint rates, which go to `rate` (n - 1, 2)."""
    for k in range(joint.shape[0]):
        move_child(joint, k, 0.0, 0.0, dw)
        yaw, pitch = eliminated[k, 0, 6], eliminated[k, 1, 6]
        for i in range(6):
            yaw -= eliminated[k, 0, i] * dw[k + 1, i]
            pitch -= eliminated[k, 1, i] * dw[k + 1, i]
        rate[k, 0] = yaw
        rate[k, 1] = pitch
        for i in range(3):
            dw[k + 1, i] += yaw * joint[k, 9 + i]
            dw[k + 1, 3 + i] += yaw * joint[k, i] + pitch * joint[k, 3 + i]
