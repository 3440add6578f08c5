"""Articulated-body recursion of a chain in space: one linear solve for all velocities, linear in the number of links.

The local system of link k about its point p_k is A dw = b with a 6 x 6 matrix A, stored with b as
rows of eight. Contacts make it unsymmetric, because friction depends on the normal force.
"""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.axes import X, Y, Z
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
    ACROSS,
    AXIAL,
    AXIS_X,
    MASS,
    REAR,
    RX,
    RY,
    RZ,
    SWING_X,
    SpatialProblem,
)
from snakestudio.kernels.spatial_scratch import M_RX, M_RY, M_RZ, M_X, M_Y, M_Z
from snakestudio.kernels.vec3 import Vec3, dot, minus, vec3, vec3_at

System = tuple[Octet, Octet, Octet, Octet, Octet, Octet]
"""The six rows of A dw = b: the row of A, and b as number 6."""

ROOT = 0
"""Index of the link at which the recursion ends."""


@inlined
def no_system() -> System:
    """Empty system."""
    return octet_zero(), octet_zero(), octet_zero(), octet_zero(), octet_zero(), octet_zero()


@inlined
def cross(a: Vec3, b: Vec3) -> Vec3:
    """Vector product a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def joint_rates(axes: FloatArray, begin: int, end: int, turn: Vec3) -> Vec3:
    """Rates of the joint axes from `begin` to `end` (at most three) that sum to `turn`, rad/s; 0 for missing axes.

    `turn` (3,) is the angular velocity of the link behind the joint relative to the one ahead. Its
    component that the joint prevents is ignored.
    """
    count = end - begin
    if count == 2:
        first = vec3_at(axes, begin, AXIS_X)
        second = vec3_at(axes, begin + 1, AXIS_X)
        one = dot(first, turn)
        two = dot(second, turn)
        # The axes are orthogonal except for the error of the midpoint.
        skew = dot(first, second)
        inverse = 1.0 / (1.0 - skew * skew)
        return (one - skew * two) * inverse, (two - skew * one) * inverse, 0.0
    if count == 1:
        return dot(vec3_at(axes, begin, AXIS_X), turn), 0.0, 0.0
    if count == 3:
        first = vec3_at(axes, begin, AXIS_X)
        second = vec3_at(axes, begin + 1, AXIS_X)
        third = vec3_at(axes, begin + 2, AXIS_X)
        a, b, c = cross(second, third), cross(third, first), cross(first, second)
        inverse = 1.0 / dot(first, a)
        return dot(a, turn) * inverse, dot(b, turn) * inverse, dot(c, turn) * inverse
    return 0.0, 0.0, 0.0


@inlined
def component(a: Vec3, i: int) -> float:
    """Component `i` of `a`; an index that is not a compile-time constant."""
    if i == 0:
        return a[0]
    return a[1] if i == 1 else a[2]


@inlined
def _carry(problem: SpatialProblem, k: int, w: FloatArray) -> None:
    """Set w[k + 1] to the velocities of link k at p_{k+1}: X w[k]."""
    ox, oy, oz = vec3_at(w, k, RX)
    rx, ry, rz = vec3(problem.reach, k)
    vx = w[k, X] + oy * rz - oz * ry
    vy = w[k, Y] + oz * rx - ox * rz
    vz = w[k, Z] + ox * ry - oy * rx
    w[k + 1, X] = vx
    w[k + 1, Y] = vy
    w[k + 1, Z] = vz
    w[k + 1, RX] = ox
    w[k + 1, RY] = oy
    w[k + 1, RZ] = oz


@inlined
def _add_axis(axes: FloatArray, j: int, rate: float, w: FloatArray, k: int) -> None:
    """Add the motion at `rate` about joint axis j to the velocities w[k] of the link behind it."""
    for i in range(6):
        w[k, i] += rate * axes[j, i]


@inlined
def close_chain(problem: SpatialProblem, w: FloatArray, rate: FloatArray) -> None:
    """Project `w` onto the joints, preserving link 1 and the joint rates, which are stored in `rate` (m,)."""
    axes = problem.axes
    joints = problem.joints
    n = w.shape[0]
    for k in range(n - 1):
        begin = joints[k]
        end = joints[k + 1]
        rates = joint_rates(axes, begin, end, minus(vec3_at(w, k + 1, RX), vec3_at(w, k, RX)))
        for j in range(begin, end):
            rate[j] = component(rates, j - begin)
    for k in range(n - 1):
        _carry(problem, k, w)
        for j in range(joints[k], joints[k + 1]):
            _add_axis(axes, j, rate[j], w, k + 1)


@inlined
def prepare_inertia(problem: SpatialProblem, inertia: FloatArray) -> None:
    """Fill `inertia` (n, 48) with the matrices of all links about their p_k, as six octets each."""
    links = problem.links
    for k in range(inertia.shape[0]):
        mass = links[k, MASS]
        half = links[k, REAR]
        alpha = links[k, ACROSS] + mass * half * half
        beta = links[k, AXIAL] - alpha
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
def add_inertia(
    problem: SpatialProblem, inertia: FloatArray, w: FloatArray, k: int, a: System
) -> System:
    """Add the inertia of link k about p_k, and the momentum missing at `w`, to system `a`."""
    mass = problem.links[k, MASS]
    half = problem.links[k, REAR]
    ex, ey, ez = vec3(problem.axis, k)
    cx, cy, cz = half * ex, half * ey, half * ez
    ox, oy, oz = vec3_at(w, k, RX)
    lx = mass * (problem.free[k, X] - (w[k, X] + oy * cz - oz * cy))
    ly = mass * (problem.free[k, Y] - (w[k, Y] + oz * cx - ox * cz))
    lz = mass * (problem.free[k, Z] - (w[k, Z] + ox * cy - oy * cx))
    dx, dy, dz = problem.free[k, RX] - ox, problem.free[k, RY] - oy, problem.free[k, RZ] - oz
    across = problem.links[k, ACROSS]
    along = (problem.links[k, AXIAL] - across) * (dx * ex + dy * ey + dz * ez)
    return (
        octet_sum(a[0], octet_with(octet(inertia, k, M_X), 6, lx)),
        octet_sum(a[1], octet_with(octet(inertia, k, M_Y), 6, ly)),
        octet_sum(a[2], octet_with(octet(inertia, k, M_Z), 6, lz)),
        octet_sum(
            a[3],
            octet_with(octet(inertia, k, M_RX), 6, across * dx + along * ex + cy * lz - cz * ly),
        ),
        octet_sum(
            a[4],
            octet_with(octet(inertia, k, M_RY), 6, across * dy + along * ey + cz * lx - cx * lz),
        ),
        octet_sum(
            a[5],
            octet_with(octet(inertia, k, M_RZ), 6, across * dz + along * ez + cx * ly - cy * lx),
        ),
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
    """Add a product as `add_product`, for f[:3] = 0."""
    return (
        a[0], a[1], a[2], octet_plus(a[3], octet_lane(f, 3), row), octet_plus(a[4], octet_lane(f, 4), row),
        octet_plus(a[5], octet_lane(f, 5), row),
    )  # fmt: skip


@inlined
def _turning(a: Octet, x: float, y: float, z: float) -> float:
    """Scalar product of (x, y, z) and a[3:6]."""
    return octet_lane(a, 3) * x + octet_lane(a, 4) * y + octet_lane(a, 5) * z


@inlined
def _moving(a: Octet, x: float, y: float, z: float) -> float:
    """Scalar product of (x, y, z) and a[:3]."""
    return octet_lane(a, 0) * x + octet_lane(a, 1) * y + octet_lane(a, 2) * z


@inlined
def eliminate_axis(
    problem: SpatialProblem, j: int, a: System, stiff: float, push: Octet, eliminated: FloatArray
) -> System:
    """Eliminate joint axis j from the system of the link behind it, about p of that link: A - A s (s^T A) / D.

    Parameters
    ----------
    a : System
        The articulated system of everything behind the axis.
    stiff : float
        Decrease of the axis' own impulse per unit increment of its rate, N m s per rad/s.
    push : (8,)
        Its own impulse at the current rate, N m s, in lane 6 (and 7), else 0.
    eliminated : (m, 8)
        Row j is set to s^T A / D, with (s^T b + push) / D in lane 6 (and 7).
    """
    axes = problem.axes
    zx, zy, zz = vec3_at(axes, j, AXIS_X)
    a0, a1, a2, a3, a4, a5 = a
    l0 = octet_plus(octet_plus(octet_times(zx, a3), zy, a4), zz, a5)
    u0, u1, u2 = _turning(a0, zx, zy, zz), _turning(a1, zx, zy, zz), _turning(a2, zx, zy, zz)
    u3, u4, u5 = _turning(a3, zx, zy, zz), _turning(a4, zx, zy, zz), _turning(a5, zx, zy, zz)
    d = _turning(l0, zx, zy, zz)
    if problem.swings != 0:  # rotation about the axis also moves p
        sx, sy, sz = vec3_at(axes, j, SWING_X)
        l0 = octet_plus(octet_plus(octet_plus(l0, sx, a0), sy, a1), sz, a2)
        u0 += _moving(a0, sx, sy, sz)
        u1 += _moving(a1, sx, sy, sz)
        u2 += _moving(a2, sx, sy, sz)
        u3 += _moving(a3, sx, sy, sz)
        u4 += _moving(a4, sx, sy, sz)
        u5 += _moving(a5, sx, sy, sz)
        d = _turning(l0, zx, zy, zz) + _moving(l0, sx, sy, sz)
    g0 = octet_times(1.0 / (d + stiff), octet_sum(l0, push))
    octet_put(eliminated, j, 0, g0)
    return (
        octet_minus(a0, u0, g0),
        octet_minus(a1, u1, g0),
        octet_minus(a2, u2, g0),
        octet_minus(a3, u3, g0),
        octet_minus(a4, u4, g0),
        octet_minus(a5, u5, g0),
    )


@inlined
def eliminate_pair(
    problem: SpatialProblem,
    j: int,
    a: System,
    stiff_0: float,
    stiff_1: float,
    push_0: Octet,
    push_1: Octet,
    eliminated: FloatArray,
) -> System:
    """Eliminate joint axes j and j + 1 of a joint together, as in `eliminate_axis`; only the first may swing p."""
    axes = problem.axes
    zx, zy, zz = vec3_at(axes, j, AXIS_X)
    yx, yy, yz = vec3_at(axes, j + 1, AXIS_X)
    a0, a1, a2, a3, a4, a5 = a
    # S^T [A | b] and A S
    l0 = octet_plus(octet_plus(octet_times(zx, a3), zy, a4), zz, a5)
    l1 = octet_plus(octet_plus(octet_times(yx, a3), yy, a4), yz, a5)
    u00, u10, u20 = _turning(a0, zx, zy, zz), _turning(a1, zx, zy, zz), _turning(a2, zx, zy, zz)
    u30, u40, u50 = _turning(a3, zx, zy, zz), _turning(a4, zx, zy, zz), _turning(a5, zx, zy, zz)
    u01, u11, u21 = _turning(a0, yx, yy, yz), _turning(a1, yx, yy, yz), _turning(a2, yx, yy, yz)
    u31, u41, u51 = _turning(a3, yx, yy, yz), _turning(a4, yx, yy, yz), _turning(a5, yx, yy, yz)
    d00, d10 = _turning(l0, zx, zy, zz), _turning(l1, zx, zy, zz)
    if problem.swings != 0:  # rotation about the first axis also moves p
        sx, sy, sz = vec3_at(axes, j, SWING_X)
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
    octet_put(eliminated, j, 0, g0)
    octet_put(eliminated, j + 1, 0, g1)
    # A - A S Gamma and b - A S g
    a0 = octet_minus(octet_minus(a0, u00, g0), u01, g1)
    a1 = octet_minus(octet_minus(a1, u10, g0), u11, g1)
    a2 = octet_minus(octet_minus(a2, u20, g0), u21, g1)
    a3 = octet_minus(octet_minus(a3, u30, g0), u31, g1)
    a4 = octet_minus(octet_minus(a4, u40, g0), u41, g1)
    a5 = octet_minus(octet_minus(a5, u50, g0), u51, g1)
    return a0, a1, a2, a3, a4, a5


@inlined
def shift_system(problem: SpatialProblem, k: int, a: System) -> System:
    """Transform a system about p_{k+1} to one about p_k: X^T A X, X^T b."""
    rx, ry, rz = vec3(problem.reach, k)
    a0, a1, a2, a3, a4, a5 = a
    # X^T from the left, then X from the right
    a3 = octet_minus(octet_plus(a3, ry, a2), rz, a1)
    a4 = octet_minus(octet_plus(a4, rz, a0), rx, a2)
    a5 = octet_minus(octet_plus(a5, rx, a1), ry, a0)
    return (
        octet_crossed(a0, rx, ry, rz),
        octet_crossed(a1, rx, ry, rz),
        octet_crossed(a2, rx, ry, rz),
        octet_crossed(a3, rx, ry, rz),
        octet_crossed(a4, rx, ry, rz),
        octet_crossed(a5, rx, ry, rz),
    )


@inlined
def solve_root(a: System, rows: FloatArray, dw: FloatArray) -> None:
    """Solve the system of link 1 for dw[0], with row pivoting; `rows` (6, 8) receives its triangular form."""
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
def expand_joints(
    problem: SpatialProblem, eliminated: FloatArray, side: int, dw: FloatArray, rate: FloatArray
) -> None:
    """Compute the increments of all velocities from dw[0], and those of the joint rates, stored in `rate` (m,).

    The right-hand side is number `side` of the octets in `eliminated`.
    """
    axes = problem.axes
    joints = problem.joints
    for k in range(dw.shape[0] - 1):
        _carry(problem, k, dw)
        begin = joints[k]
        end = joints[k + 1]
        if end - begin >= 2:
            one = eliminated[begin, side]
            two = eliminated[begin + 1, side]
            for i in range(6):
                one -= eliminated[begin, i] * dw[k + 1, i]
                two -= eliminated[begin + 1, i] * dw[k + 1, i]
            rate[begin] = one
            rate[begin + 1] = two
            for i in range(3):
                dw[k + 1, i] += one * axes[begin, SWING_X + i]
                dw[k + 1, 3 + i] += (
                    one * axes[begin, AXIS_X + i] + two * axes[begin + 1, AXIS_X + i]
                )
        if (end - begin) % 2 == 1:
            j = end - 1
            one = eliminated[j, side]
            for i in range(6):
                one -= eliminated[j, i] * dw[k + 1, i]
            rate[j] = one
            _add_axis(axes, j, one, dw, k + 1)
