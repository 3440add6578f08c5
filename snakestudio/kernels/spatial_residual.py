"""How well a step of a chain in space was solved, from velocities and impulses alone: this code knows no solver.

A step counts as converged if both numbers are at most `residual.CONVERGED`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.prox import natural_disc, natural_positive
from snakestudio.kernels.spatial_chain import joint_rates
from snakestudio.kernels.spatial_problem import SpatialImpulses, SpatialProblem

__all__ = ["spatial_residual"]

FloatArray = NDArray[np.float64]

ROUNDING = 2.220446049250313e-16


@inlined
def _law_residual(problem: SpatialProblem, w: FloatArray, impulses: SpatialImpulses, gamma: FloatArray) -> float:
    """Worst |P - prox_C(P - gamma / G)| / (m g dt) over all contacts and laws (P1 (77)-(79)).

    Parameters
    ----------
    problem : SpatialProblem
    w : (n, 6)
        Velocities at the end of the step.
    impulses : SpatialImpulses
    gamma : (c, 5)
        Filled with the relative velocities (80)-(82), friction in scaled coordinates.

    Returns
    -------
    float
        Dimensionless; impulses of joint stops are divided by the link's length to be ones of N s.
    """
    worst = 0.0
    total = 0.0  # a NaN, which max() would let slip through, stays in it
    rows, contact = problem.rows, impulses.contact
    for k in range(w.shape[0]):
        vx, vy, vz, ox, oy, oz = w[k, 0], w[k, 1], w[k, 2], w[k, 3], w[k, 4], w[k, 5]
        for c in range(problem.first[k], problem.first[k + 1]):
            for i in range(5):
                gamma[c, i] = rows[c, 8 * i + 3] * ox + rows[c, 8 * i + 4] * oy + rows[c, 8 * i + 5] * oz
            for i in range(3):  # rolling friction acts as a pure torque
                gamma[c, i] += rows[c, 8 * i] * vx + rows[c, 8 * i + 1] * vy + rows[c, 8 * i + 2] * vz
            normal = contact[c, 0]
            radius = normal if normal > 0.0 else 0.0
            distance = natural_positive(normal, gamma[c, 0], problem.gain[c, 0])
            if problem.gain[c, 1] > 0.0:
                here = natural_disc(contact[c, 1], contact[c, 2], gamma[c, 1], gamma[c, 2], problem.gain[c, 1], radius)
                distance = max(distance, here)
                total += here
            if problem.gain[c, 2] > 0.0:
                here = natural_disc(contact[c, 3], contact[c, 4], gamma[c, 3], gamma[c, 4], problem.gain[c, 2], radius)
                distance = max(distance, here)
                total += here
            worst = max(worst, distance)
            total += distance
    if problem.n_stops > 0:
        for k in range(problem.joint.shape[0]):
            # The rate that a stop limits is the one its impulse does work on: that of the joint's angle. Where the axes
            # are not quite square to each other, that is not the relative angular velocity's projection on the axis.
            yaw, pitch = joint_rates(problem.joint, k, w)
            for a in range(2):
                if problem.stop[k, a] != 0.0:
                    rate = yaw if a == 0 else pitch
                    distance = natural_positive(impulses.stop[k, a], problem.stop[k, a] * rate, 0.5 * problem.inertia)
                    distance *= 0.5 / problem.half
                    worst = max(worst, distance)
                    total += distance
    return (worst + 0.0 * total) / problem.scale


@inlined
def _joint_impulses(
    problem: SpatialProblem, w: FloatArray, impulses: SpatialImpulses, pushed: FloatArray, wrench: FloatArray
) -> float:
    """Joint impulses by recursion from the last link, and by how much equations of motion and joints are missed.

    The wrench that link k + 1 needs at p_{k+1} to move as it does (P1 (75)) must have, about the two axes of the
    joint, just the motor's and the stop's impulse; link 1 needs none at its free end; and p_{k+1} must move as link k
    says. What rounding of the velocities themselves does to these is not counted.

    Parameters
    ----------
    problem : SpatialProblem
    w : (n, 6)
    impulses : SpatialImpulses
    pushed : (n, 6)
        Filled with the impulses of all contacts of link k (N s) and their moment about p_k (N m s).
    wrench : (n - 1, 6)
        Filled with the impulse (N s) on link k + 1 at p_{k+1} and its moment about that point (N m s), world frame.

    Returns
    -------
    float
        Worst defect / (m g dt) beyond rounding, moments divided by the half-length; dimensionless.
    """
    n: int = w.shape[0]
    rows, contact, joint = problem.rows, impulses.contact, problem.joint
    mass, half, across = problem.mass, problem.half, problem.inertia
    fx = fy = fz = mx = my = mz = 0.0
    worst = total = fastest = 0.0
    for reverse in range(n):
        k = n - 1 - reverse
        ex, ey, ez = problem.axis[k, 0], problem.axis[k, 1], problem.axis[k, 2]
        cx, cy, cz = half * ex, half * ey, half * ez
        vx, vy, vz, ox, oy, oz = w[k, 0], w[k, 1], w[k, 2], w[k, 3], w[k, 4], w[k, 5]
        fastest = max(fastest, abs(vx), abs(vy), abs(vz))
        lx = mass * (vx + oy * cz - oz * cy - problem.free[k, 0])
        ly = mass * (vy + oz * cx - ox * cz - problem.free[k, 1])
        lz = mass * (vz + ox * cy - oy * cx - problem.free[k, 2])
        dx, dy, dz = ox - problem.free[k, 3], oy - problem.free[k, 4], oz - problem.free[k, 5]
        along = (problem.axial - across) * (dx * ex + dy * ey + dz * ez)
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
        pushed[k, 0] = ux
        pushed[k, 1] = uy
        pushed[k, 2] = uz
        pushed[k, 3] = tx
        pushed[k, 4] = ty
        pushed[k, 5] = tz
        fx -= ux
        fy -= uy
        fz -= uz
        mx -= tx
        my -= ty
        mz -= tz
        if k > 0:
            j = k - 1
            wrench[j, 0] = fx
            wrench[j, 1] = fy
            wrench[j, 2] = fz
            wrench[j, 3] = mx
            wrench[j, 4] = my
            wrench[j, 5] = mz
            gx, gy, gz = w[k, 3] - w[j, 3], w[k, 4] - w[j, 4], w[k, 5] - w[j, 5]
            yaw = joint[j, 0] * gx + joint[j, 1] * gy + joint[j, 2] * gz
            pitch = joint[j, 3] * gx + joint[j, 4] * gy + joint[j, 5] * gz
            skew = joint[j, 0] * joint[j, 3] + joint[j, 1] * joint[j, 4] + joint[j, 2] * joint[j, 5]
            inverse = 1.0 / (1.0 - skew * skew)
            yaw, pitch = (yaw - skew * pitch) * inverse, (pitch - skew * yaw) * inverse
            about_yaw = (
                joint[j, 0] * mx + joint[j, 1] * my + joint[j, 2] * mz
                + joint[j, 9] * fx + joint[j, 10] * fy + joint[j, 11] * fz
            )  # fmt: skip
            about_pitch = joint[j, 3] * mx + joint[j, 4] * my + joint[j, 5] * mz
            about_yaw -= problem.drive[j, 0] - problem.drag[j, 0] * yaw
            about_pitch -= problem.drive[j, 1] - problem.drag[j, 1] * pitch
            if problem.n_stops > 0:
                about_yaw -= problem.stop[j, 0] * impulses.stop[j, 0]
                about_pitch -= problem.stop[j, 1] * impulses.stop[j, 1]
            missed = max(abs(about_yaw), abs(about_pitch)) / half
            # The joint itself: what p_{k+1} does beyond what link k and the joint's rates say.
            rx, ry, rz = joint[j, 6], joint[j, 7], joint[j, 8]
            px, py, pz = w[j, 3], w[j, 4], w[j, 5]
            apart = (
                abs(vx - w[j, 0] - (py * rz - pz * ry) - yaw * joint[j, 9])
                + abs(vy - w[j, 1] - (pz * rx - px * rz) - yaw * joint[j, 10])
                + abs(vz - w[j, 2] - (px * ry - py * rx) - yaw * joint[j, 11])
            )  # fmt: skip
            apart += half * (
                abs(gx - yaw * joint[j, 0] - pitch * joint[j, 3])
                + abs(gy - yaw * joint[j, 1] - pitch * joint[j, 4])
                + abs(gz - yaw * joint[j, 2] - pitch * joint[j, 5])
            )
            missed = max(missed, mass * apart)
            # The same wrench, about p_k.
            mx += ry * fz - rz * fy
            my += rz * fx - rx * fz
            mz += rx * fy - ry * fx
        else:
            missed = max(abs(fx), abs(fy), abs(fz), abs(mx) / half, abs(my) / half, abs(mz) / half)
            total += abs(fx) + abs(fy) + abs(fz) + abs(mx) + abs(my) + abs(mz)
        worst = max(worst, missed)
        total += missed
    rounding = 4.0 * n * ROUNDING * mass * fastest
    defect = max(worst - rounding, 0.0) + 0.0 * total
    return defect / problem.scale


@jit
def spatial_residual(
    problem: SpatialProblem, w: FloatArray, impulses: SpatialImpulses, gamma: FloatArray, pushed: FloatArray,
    wrench: FloatArray,
) -> float:  # fmt: skip
    """Worse of what force laws (`_law_residual`) and equations of motion (`_joint_impulses`) miss; NaN if either is.

    Fills `gamma` (c, 5), `pushed` (n, 6) and `wrench` (n - 1, 6), which these two describe.
    """
    laws = _law_residual(problem, w, impulses, gamma)
    motion = _joint_impulses(problem, w, impulses, pushed, wrench)
    return motion if laws < motion else laws + 0.0 * motion
