"""Residual of a step of a chain in space, from velocities and impulses alone, independently of the solvers.

A step counts as converged if both numbers are at most `residual.CONVERGED`.
"""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.kernels.prox import natural_bounded, natural_disc, natural_halves, natural_positive
from snakestudio.kernels.spatial_chain import component, joint_rates
from snakestudio.kernels.spatial_problem import (
    ACROSS,
    AXIAL,
    AXIS_X,
    DRAG,
    DRIVE,
    GAIN_N,
    GAIN_T,
    GAIN_V,
    IMPULSE_HIGH,
    IMPULSE_LOW,
    LAW_GAIN,
    LAW_N,
    LAW_T,
    LAW_T2,
    LAW_V,
    LAW_V2,
    MASS,
    REAR,
    REBOUND,
    RX,
    RY,
    RZ,
    SHARE_MINUS,
    SHARE_PLUS,
    SWING_X,
    SpatialImpulses,
    SpatialProblem,
)
from snakestudio.kernels.vec3 import minus, vec3, vec3_at

ROUNDING = 2.220446049250313e-16


@inlined
def _law_residual(
    problem: SpatialProblem, w: FloatArray, impulses: SpatialImpulses, gamma: FloatArray
) -> float:
    """Largest |P - prox_C(P - gamma / G)| / (m g dt) of all contacts and laws (P1 (77)-(79)).

    Parameters
    ----------
    w : (n, 6)
        Velocities at the end of the step.
    gamma : (c, 5)
        Filled with the relative velocities (80)-(82), friction in scaled coordinates.

    Returns
    -------
    float
        Dimensionless; impulses of joint axes are divided by the link's length to be in N s.
    """
    worst = 0.0
    total = 0.0  # preserves a NaN, which max() would ignore
    rows = problem.rows
    contact = impulses.contact
    for k in range(w.shape[0]):
        vx, vy, vz = vec3(w, k)
        ox, oy, oz = vec3_at(w, k, RX)
        for c in range(problem.first[k], problem.first[k + 1]):
            for i in range(5):
                gamma[c, i] = (
                    rows[c, 8 * i + 3] * ox + rows[c, 8 * i + 4] * oy + rows[c, 8 * i + 5] * oz
                )
            for i in range(3):  # rolling friction acts as a pure torque
                gamma[c, i] += (
                    rows[c, 8 * i] * vx + rows[c, 8 * i + 1] * vy + rows[c, 8 * i + 2] * vz
                )
            normal = contact[c, LAW_N]
            radius = normal if normal > 0.0 else 0.0
            distance = natural_positive(normal, gamma[c, LAW_N], problem.gain[c, GAIN_N])
            if problem.gain[c, GAIN_T] > 0.0:
                friction = natural_halves(
                    contact[c, LAW_T],
                    contact[c, LAW_T2],
                    gamma[c, LAW_T],
                    gamma[c, LAW_T2],
                    problem.gain[c, GAIN_T],
                    radius,
                    problem.gain[c, SHARE_PLUS],
                    problem.gain[c, SHARE_MINUS],
                )
                distance = max(distance, friction)
                total += friction
            if problem.gain[c, GAIN_V] > 0.0:
                rolling = natural_disc(
                    contact[c, LAW_V],
                    contact[c, LAW_V2],
                    gamma[c, LAW_V],
                    gamma[c, LAW_V2],
                    problem.gain[c, GAIN_V],
                    radius,
                )
                distance = max(distance, rolling)
                total += rolling
            worst = max(worst, distance)
            total += distance
    if problem.n_laws > 0:
        for k in range(w.shape[0] - 1):
            # The law applies to the rate on which its impulse does work: that of the joint's angle.
            # If the axes are not exactly orthogonal, that is not the projection of the relative
            # angular velocity on the axis.
            begin = problem.joints[k]
            end = problem.joints[k + 1]
            rates = joint_rates(
                problem.axes, begin, end, minus(vec3_at(w, k + 1, RX), vec3_at(w, k, RX))
            )
            for j in range(begin, end):
                low, high = problem.axes[j, IMPULSE_LOW], problem.axes[j, IMPULSE_HIGH]
                if low < high:
                    gamma_j = component(rates, j - begin) - problem.axes[j, REBOUND]
                    distance = natural_bounded(
                        impulses.joint[j], gamma_j, problem.axes[j, LAW_GAIN], low, high
                    )
                    distance *= 0.5 / problem.half
                    worst = max(worst, distance)
                    total += distance
    return (worst + 0.0 * total) / problem.scale


@inlined
def _joint_impulses(
    problem: SpatialProblem,
    w: FloatArray,
    impulses: SpatialImpulses,
    pushed: FloatArray,
    wrench: FloatArray,
) -> float:
    """Joint impulses by recursion from the last link, and the error of the equations of motion and the joints.

    The wrench at p_{k+1} that the motion of link k + 1 requires (P1 (75)) must, about the axes of
    the joint, equal the impulses of motor and law; that of link 1 at its free end must vanish;
    and p_{k+1} must move with link k. The effect of rounding of the velocities is not counted.

    Parameters
    ----------
    w : (n, 6)
    pushed : (n, 6)
        Filled with the impulses of all contacts of link k (N s) and their moment about p_k (N m s).
    wrench : (n - 1, 6)
        Filled with the impulse (N s) on link k + 1 at p_{k+1} and its moment about that point (N m
        s), world frame.

    Returns
    -------
    float
        Largest error / (m g dt) beyond rounding, moments divided by the half-length; dimensionless.
    """
    n: int = w.shape[0]
    rows = problem.rows
    contact = impulses.contact
    axes = problem.axes
    fx = fy = fz = mx = my = mz = 0.0
    worst = total = fastest = heaviest = 0.0
    for reverse in range(n):
        k = n - 1 - reverse
        mass = problem.links[k, MASS]
        half = problem.links[k, REAR]
        across = problem.links[k, ACROSS]
        heaviest = max(heaviest, mass)
        ex, ey, ez = vec3(problem.axis, k)
        cx, cy, cz = half * ex, half * ey, half * ez
        vx, vy, vz = vec3(w, k)
        ox, oy, oz = vec3_at(w, k, RX)
        fastest = max(fastest, abs(vx), abs(vy), abs(vz))
        lx = mass * (vx + oy * cz - oz * cy - problem.free[k, X])
        ly = mass * (vy + oz * cx - ox * cz - problem.free[k, Y])
        lz = mass * (vz + ox * cy - oy * cx - problem.free[k, Z])
        dx, dy, dz = ox - problem.free[k, RX], oy - problem.free[k, RY], oz - problem.free[k, RZ]
        along = (problem.links[k, AXIAL] - across) * (dx * ex + dy * ey + dz * ez)
        fx += lx
        fy += ly
        fz += lz
        mx += across * dx + along * ex + cy * lz - cz * ly
        my += across * dy + along * ey + cz * lx - cx * lz
        mz += across * dz + along * ez + cx * ly - cy * lx
        ux = uy = uz = tx = ty = tz = 0.0
        for c in range(problem.first[k], problem.first[k + 1]):
            for i in range(3):
                p = contact[c, i]
                ux += p * rows[c, 8 * i]
                uy += p * rows[c, 8 * i + 1]
                uz += p * rows[c, 8 * i + 2]
            for i in range(5):
                p = contact[c, i]
                tx += p * rows[c, 8 * i + 3]
                ty += p * rows[c, 8 * i + 4]
                tz += p * rows[c, 8 * i + 5]
        pushed[k, X] = ux
        pushed[k, Y] = uy
        pushed[k, Z] = uz
        pushed[k, RX] = tx
        pushed[k, RY] = ty
        pushed[k, RZ] = tz
        fx -= ux
        fy -= uy
        fz -= uz
        mx -= tx
        my -= ty
        mz -= tz
        if k > 0:
            j = k - 1
            wrench[j, X] = fx
            wrench[j, Y] = fy
            wrench[j, Z] = fz
            wrench[j, RX] = mx
            wrench[j, RY] = my
            wrench[j, RZ] = mz
            turn = minus(vec3_at(w, k, RX), vec3_at(w, j, RX))
            begin = problem.joints[j]
            end = problem.joints[j + 1]
            rates = joint_rates(axes, begin, end, turn)
            rx, ry, rz = vec3(problem.reach, j)
            px, py, pz = vec3_at(w, j, RX)
            # The joint itself: the part of the motion of p_{k+1} that is explained neither by link
            # k nor by the joint's rates.
            ax = vx - w[j, X] - (py * rz - pz * ry)
            ay = vy - w[j, Y] - (pz * rx - px * rz)
            az = vz - w[j, Z] - (px * ry - py * rx)
            gx, gy, gz = turn
            violation = 0.0
            for i in range(begin, end):
                rate = component(rates, i - begin)
                sx, sy, sz = vec3_at(axes, i, SWING_X)
                dx, dy, dz = vec3_at(axes, i, AXIS_X)
                about = (dx * mx + dy * my + dz * mz) + (sx * fx + sy * fy + sz * fz)
                about -= problem.axes[i, DRIVE] - problem.axes[i, DRAG] * rate
                if problem.n_laws > 0:
                    about -= impulses.joint[i]
                violation = max(violation, abs(about) / problem.half)
                ax -= rate * sx
                ay -= rate * sy
                az -= rate * sz
                gx -= rate * dx
                gy -= rate * dy
                gz -= rate * dz
            apart = (abs(ax) + abs(ay) + abs(az)) + problem.half * (abs(gx) + abs(gy) + abs(gz))
            violation = max(violation, mass * apart)
            # The same wrench about p_k.
            mx += ry * fz - rz * fy
            my += rz * fx - rx * fz
            mz += rx * fy - ry * fx
        else:
            pushing = max(abs(fx), abs(fy), abs(fz))
            turning = max(abs(mx), abs(my), abs(mz))
            violation = max(pushing, turning / problem.half)
            total += abs(fx) + abs(fy) + abs(fz) + abs(mx) + abs(my) + abs(mz)
        worst = max(worst, violation)
        total += violation
    rounding = 4.0 * n * ROUNDING * heaviest * fastest
    defect = max(worst - rounding, 0.0) + 0.0 * total
    return defect / problem.scale


@jit
def spatial_residual(
    problem: SpatialProblem,
    w: FloatArray,
    impulses: SpatialImpulses,
    gamma: FloatArray,
    pushed: FloatArray,
    wrench: FloatArray,
) -> float:
    """Larger error of the laws (`_law_residual`) and the equations of motion (`_joint_impulses`); NaN if either is.

    Fills `gamma` (c, 5), `pushed` (n, 6) and `wrench` (n - 1, 6), which are described in these two
    functions.
    """
    laws = _law_residual(problem, w, impulses, gamma)
    motion = _joint_impulses(problem, w, impulses, pushed, wrench)
    return motion if laws < motion else laws + 0.0 * motion
