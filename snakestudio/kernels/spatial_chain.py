"""Articulated-body recursion of a chain in space: one linear solve for all velocities, in a time linear in the links.

The local system of link k about its point p_k is A dw = b with a 6 x 6 matrix A, kept with b as rows of eight. Contacts
make it unsymmetric: friction pushes with what the normal force carries.
"""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.octet import (
    Octet,
    octet,
    octet_crossed,
    octet_lane,
    octet_minus,
    octet_plus,
    octet_put,
    octet_sum,
    octet_times,
    octet_with,
    octet_zero,
)
from snakestudio.kernels.spatial_problem import (
    PITCH,
    PITCH_X,
    PITCH_Y,
    PITCH_Z,
    REACH_X,
    RX,
    RY,
    RZ,
    SWING_X,
    SWING_Y,
    SWING_Z,
    YAW,
    YAW_X,
    YAW_Y,
    YAW_Z,
    SpatialProblem,
)
from snakestudio.kernels.spatial_scratch import M_RX, M_RY, M_RZ, M_X, M_Y, M_Z
from snakestudio.kernels.vec3 import X, Y, Z, dot, minus, vec3, vec3_at

__all__ = [
    "System",
    "add_inertia",
    "add_product",
    "add_turning",
    "close_chain",
    "eliminate_joint",
    "expand_joints",
    "joint_rates",
    "move_child",
    "no_system",
    "prepare_inertia",
    "solve_root",
    "solve_triangular",
]

System = tuple[Octet, Octet, Octet, Octet, Octet, Octet]
"""The six rows of A dw = b: the row of A, and b as number 6."""

ROOT = 0
"""The link that the recursion ends with."""


@inlined
def no_system() -> System:
    """The system with nothing in it."""
    return octet_zero(), octet_zero(), octet_zero(), octet_zero(), octet_zero(), octet_zero()


@inlined
def joint_rates(joint: FloatArray, k: int, w: FloatArray) -> tuple[float, float]:
    """Yaw and pitch rate of joint k (between links k and k + 1) at the velocities `w` (n, 6).

    The part of the relative angular velocity that a cardan joint forbids is left out.
    """
    turn = minus(vec3_at(w, k + 1, RX), vec3_at(w, k, RX))
    yaw_axis, pitch_axis = vec3_at(joint, k, YAW_X), vec3_at(joint, k, PITCH_X)
    yaw, pitch = dot(yaw_axis, turn), dot(pitch_axis, turn)
    # The axes are square to each other but for what the midpoint misses.
    skew = dot(yaw_axis, pitch_axis)
    inverse = 1.0 / (1.0 - skew * skew)
    return (yaw - skew * pitch) * inverse, (pitch - skew * yaw) * inverse


@inlined
def move_child(joint: FloatArray, k: int, yaw: float, pitch: float, w: FloatArray) -> None:
    """Set w[k + 1] from w[k] and the rates of joint k, so that the joint is kept: X w + S (yaw, pitch)."""
    ox, oy, oz = vec3_at(w, k, RX)
    rx, ry, rz = vec3_at(joint, k, REACH_X)
    vx = w[k, X] + oy * rz - oz * ry + yaw * joint[k, SWING_X]
    vy = w[k, Y] + oz * rx - ox * rz + yaw * joint[k, SWING_Y]
    vz = w[k, Z] + ox * ry - oy * rx + yaw * joint[k, SWING_Z]
    w[k + 1, X] = vx
    w[k + 1, Y] = vy
    w[k + 1, Z] = vz
    w[k + 1, RX] = ox + yaw * joint[k, YAW_X] + pitch * joint[k, PITCH_X]
    w[k + 1, RY] = oy + yaw * joint[k, YAW_Y] + pitch * joint[k, PITCH_Y]
    w[k + 1, RZ] = oz + yaw * joint[k, YAW_Z] + pitch * joint[k, PITCH_Z]


@inlined
def close_chain(problem: SpatialProblem, w: FloatArray, rate: FloatArray) -> None:
    """Make `w` satisfy all joints, keeping link 1 and the joint rates, which go to `rate` (n - 1, 2)."""
    joint = problem.joint
    for k in range(joint.shape[0]):
        rate[k, YAW], rate[k, PITCH] = joint_rates(joint, k, w)
    for k in range(joint.shape[0]):
        move_child(joint, k, rate[k, YAW], rate[k, PITCH], w)


@inlined
def prepare_inertia(problem: SpatialProblem, inertia: FloatArray) -> None:
    """Fill `inertia` (n, 48) with the matrices of all links about their p_k, as six octets each."""
    mass, half = problem.mass, problem.half
    alpha = problem.inertia + mass * half * half
    beta = problem.axial - alpha
    for k in range(inertia.shape[0]):
        ex, ey, ez = vec3(problem.axis, k)
        mx, my, mz = mass * half * ex, mass * half * ey, mass * half * ez
        inertia[k, M_X + X] = mass
        inertia[k, M_X + RY] = mz
        inertia[k, M_X + RZ] = -my
        inertia[k, M_Y + Y] = mass
        inertia[k, M_Y + RX] = -mz
        inertia[k, M_Y + RZ] = mx
        inertia[k, M_Z + Z] = mass
        inertia[k, M_Z + RX] = my
        inertia[k, M_Z + RY] = -mx
        inertia[k, M_RX + Y] = -mz
        inertia[k, M_RX + Z] = my
        inertia[k, M_RX + RX] = alpha + beta * ex * ex
        inertia[k, M_RX + RY] = beta * ex * ey
        inertia[k, M_RX + RZ] = beta * ex * ez
        inertia[k, M_RY + X] = mz
        inertia[k, M_RY + Z] = -mx
        inertia[k, M_RY + RX] = beta * ex * ey
        inertia[k, M_RY + RY] = alpha + beta * ey * ey
        inertia[k, M_RY + RZ] = beta * ey * ez
        inertia[k, M_RZ + X] = -my
        inertia[k, M_RZ + Y] = mx
        inertia[k, M_RZ + RX] = beta * ex * ez
        inertia[k, M_RZ + RY] = beta * ey * ez
        inertia[k, M_RZ + RZ] = alpha + beta * ez * ez


@inlined
def add_inertia(problem: SpatialProblem, inertia: FloatArray, w: FloatArray, k: int, a: System) -> System:
    """Add to system `a` the inertia of link k about p_k, and the momentum that is missing at `w`."""
    mass, half = problem.mass, problem.half
    ex, ey, ez = vec3(problem.axis, k)
    cx, cy, cz = half * ex, half * ey, half * ez
    ox, oy, oz = vec3_at(w, k, RX)
    lx = mass * (problem.free[k, X] - (w[k, X] + oy * cz - oz * cy))
    ly = mass * (problem.free[k, Y] - (w[k, Y] + oz * cx - ox * cz))
    lz = mass * (problem.free[k, Z] - (w[k, Z] + ox * cy - oy * cx))
    dx, dy, dz = problem.free[k, RX] - ox, problem.free[k, RY] - oy, problem.free[k, RZ] - oz
    across = problem.inertia
    along = (problem.axial - across) * (dx * ex + dy * ey + dz * ez)
    return (
        octet_sum(a[0], octet_with(octet(inertia, k, M_X), 6, lx)),
        octet_sum(a[1], octet_with(octet(inertia, k, M_Y), 6, ly)),
        octet_sum(a[2], octet_with(octet(inertia, k, M_Z), 6, lz)),
        octet_sum(a[3], octet_with(octet(inertia, k, M_RX), 6, across * dx + along * ex + cy * lz - cz * ly)),
        octet_sum(a[4], octet_with(octet(inertia, k, M_RY), 6, across * dy + along * ey + cz * lx - cx * lz)),
        octet_sum(a[5], octet_with(octet(inertia, k, M_RZ), 6, across * dz + along * ez + cx * ly - cy * lx)),
    )


@inlined
def add_product(a: System, f: Octet, row: Octet) -> System:
    """Add the product of the column f[:6] and `row` to system `a`."""
    return (
        octet_plus(a[0], octet_lane(f, 0), row), octet_plus(a[1], octet_lane(f, 1), row),
        octet_plus(a[2], octet_lane(f, 2), row), octet_plus(a[3], octet_lane(f, 3), row),
        octet_plus(a[4], octet_lane(f, 4), row), octet_plus(a[5], octet_lane(f, 5), row),
    )  # fmt: skip


@inlined
def add_turning(a: System, f: Octet, row: Octet) -> System:
    """As `add_product` where f[:3] is zero."""
    return (
        a[0], a[1], a[2], octet_plus(a[3], octet_lane(f, 3), row), octet_plus(a[4], octet_lane(f, 4), row),
        octet_plus(a[5], octet_lane(f, 5), row),
    )  # fmt: skip


@inlined
def _turning(a: Octet, x: float, y: float, z: float) -> float:
    """Vector (x, y, z) times a[3:6]."""
    return octet_lane(a, 3) * x + octet_lane(a, 4) * y + octet_lane(a, 5) * z


@inlined
def _moving(a: Octet, x: float, y: float, z: float) -> float:
    """Vector (x, y, z) times a[:3]."""
    return octet_lane(a, 0) * x + octet_lane(a, 1) * y + octet_lane(a, 2) * z


@inlined
def eliminate_joint(
    problem: SpatialProblem, k: int, a: System, stiff_0: float, stiff_1: float, push_0: Octet, push_1: Octet,
    eliminated: FloatArray,
) -> System:  # fmt: skip
    """Eliminate joint k from the system of link k + 1 and shift it to p_k.

    Parameters
    ----------
    problem : SpatialProblem
    k : int
        Joint between links k and k + 1.
    a : System
        The articulated system of link k + 1 about p_{k+1}.
    stiff_0, stiff_1 : float
        What the joint's own impulses lose for a unit increment of its rates, N m s per rad/s.
    push_0, push_1 : (8,)
        The joint's own impulses at the present rates, N m s, as number 6 (and 7), else 0.
    eliminated : (n - 1, 16)
        Row k is filled with two octets: D^-1 S^T A, and D^-1 (S^T b + push) as number 6 (and 7) of each.

    Returns
    -------
    System
        Its part of the system of link k about p_k.
    """
    joint = problem.joint
    zx, zy, zz = vec3_at(joint, k, YAW_X)
    yx, yy, yz = vec3_at(joint, k, PITCH_X)
    rx, ry, rz = vec3_at(joint, k, REACH_X)
    a0, a1, a2, a3, a4, a5 = a
    # S^T [A | b] and A S
    l0 = octet_plus(octet_plus(octet_times(zx, a3), zy, a4), zz, a5)
    l1 = octet_plus(octet_plus(octet_times(yx, a3), yy, a4), yz, a5)
    u00, u10, u20 = _turning(a0, zx, zy, zz), _turning(a1, zx, zy, zz), _turning(a2, zx, zy, zz)
    u30, u40, u50 = _turning(a3, zx, zy, zz), _turning(a4, zx, zy, zz), _turning(a5, zx, zy, zz)
    u01, u11, u21 = _turning(a0, yx, yy, yz), _turning(a1, yx, yy, yz), _turning(a2, yx, yy, yz)
    u31, u41, u51 = _turning(a3, yx, yy, yz), _turning(a4, yx, yy, yz), _turning(a5, yx, yy, yz)
    d00, d10 = _turning(l0, zx, zy, zz), _turning(l1, zx, zy, zz)
    if problem.offset != 0.0:  # turning about the yaw axis also moves p_{k+1}
        sx, sy, sz = vec3_at(joint, k, SWING_X)
        l0 = octet_plus(octet_plus(octet_plus(l0, sx, a0), sy, a1), sz, a2)
        u00 += _moving(a0, sx, sy, sz)
        u10 += _moving(a1, sx, sy, sz)
        u20 += _moving(a2, sx, sy, sz)
        u30 += _moving(a3, sx, sy, sz)
        u40 += _moving(a4, sx, sy, sz)
        u50 += _moving(a5, sx, sy, sz)
        d00 = _turning(l0, zx, zy, zz) + _moving(l0, sx, sy, sz)
        d10 += _moving(l1, sx, sy, sz)
    d00 += stiff_0
    d01 = _turning(l0, yx, yy, yz)
    d11 = _turning(l1, yx, yy, yz) + stiff_1
    l0 = octet_sum(l0, push_0)
    l1 = octet_sum(l1, push_1)
    inverse = 1.0 / (d00 * d11 - d01 * d10)
    g0 = octet_minus(octet_times(d11 * inverse, l0), d01 * inverse, l1)
    g1 = octet_minus(octet_times(d00 * inverse, l1), d10 * inverse, l0)
    octet_put(eliminated, k, 0, g0)
    octet_put(eliminated, k, 8, g1)
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
    return (
        octet_crossed(a0, rx, ry, rz), octet_crossed(a1, rx, ry, rz), octet_crossed(a2, rx, ry, rz),
        octet_crossed(a3, rx, ry, rz), octet_crossed(a4, rx, ry, rz), octet_crossed(a5, rx, ry, rz),
    )  # fmt: skip


@inlined
def solve_root(a: System, rows: FloatArray, dw: FloatArray) -> None:
    """Solve the system of link 1 for dw[0], with row pivoting; `rows` (6, 8) is filled with its triangular form."""
    octet_put(rows, 0, 0, a[0])
    octet_put(rows, 1, 0, a[1])
    octet_put(rows, 2, 0, a[2])
    octet_put(rows, 3, 0, a[3])
    octet_put(rows, 4, 0, a[4])
    octet_put(rows, 5, 0, a[5])
    for i in range(6):
        pivot = i
        largest = abs(rows[i, i])
        for j in range(i + 1, 6):
            if abs(rows[j, i]) > largest:
                largest = abs(rows[j, i])
                pivot = j
        row = octet(rows, pivot, 0)
        if pivot != i:
            octet_put(rows, pivot, 0, octet(rows, i, 0))
            octet_put(rows, i, 0, row)
        inverse = 1.0 / rows[i, i]
        for j in range(i + 1, 6):
            octet_put(rows, j, 0, octet_minus(octet(rows, j, 0), rows[j, i] * inverse, row))
    solve_triangular(rows, 6, dw)


@inlined
def solve_triangular(rows: FloatArray, side: int, dw: FloatArray) -> None:
    """Solve the triangular system of link 1 for dw[0]; its right-hand side is number `side` of the rows."""
    for j in range(6):
        i = 5 - j
        total = rows[i, side]
        for m in range(i + 1, 6):
            total -= rows[i, m] * dw[ROOT, m]
        dw[ROOT, i] = total / rows[i, i]


@inlined
def expand_joints(joint: FloatArray, eliminated: FloatArray, side: int, dw: FloatArray, rate: FloatArray) -> None:
    """From dw[0] to the increments of all velocities, and of the joint rates, which go to `rate` (n - 1, 2).

    The right-hand side is number `side` of the octets in `eliminated`.
    """
    for k in range(joint.shape[0]):
        move_child(joint, k, 0.0, 0.0, dw)
        yaw, pitch = eliminated[k, side], eliminated[k, 8 + side]
        for i in range(6):
            yaw -= eliminated[k, i] * dw[k + 1, i]
            pitch -= eliminated[k, 8 + i] * dw[k + 1, i]
        rate[k, YAW] = yaw
        rate[k, PITCH] = pitch
        for i in range(3):
            dw[k + 1, i] += yaw * joint[k, 9 + i]
            dw[k + 1, 3 + i] += yaw * joint[k, i] + pitch * joint[k, 3 + i]
