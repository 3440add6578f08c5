"""How well a step of a chain in space was solved, from velocities and impulses alone: this code knows no solver.

A step counts as converged if both numbers are at most `residual.CONVERGED`.
"""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.prox import natural_disc, natural_positive
from snakestudio.kernels.spatial_chain import joint_rates
from snakestudio.kernels.spatial_problem import (
    GAIN_N,
    GAIN_T,
    GAIN_V,
    LAW_N,
    LAW_T,
    LAW_T2,
    LAW_V,
    LAW_V2,
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
    SpatialImpulses,
    SpatialProblem,
)
from snakestudio.kernels.vec3 import X, Y, Z, dot, vec3, vec3_at

__all__ = ["spatial_residual"]


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
        vx, vy, vz = vec3(w, k)
        ox, oy, oz = vec3_at(w, k, RX)
        for c in range(problem.first[k], problem.first[k + 1]):
            for i in range(5):
                gamma[c, i] = rows[c, 8 * i + 3] * ox + rows[c, 8 * i + 4] * oy + rows[c, 8 * i + 5] * oz
            for i in range(3):  # rolling friction acts as a pure torque
                gamma[c, i] += rows[c, 8 * i] * vx + rows[c, 8 * i + 1] * vy + rows[c, 8 * i + 2] * vz
            normal = contact[c, LAW_N]
            radius = normal if normal > 0.0 else 0.0
            distance = natural_positive(normal, gamma[c, LAW_N], problem.gain[c, GAIN_N])
            if problem.gain[c, GAIN_T] > 0.0:
                here = natural_disc(
                    contact[c, LAW_T], contact[c, LAW_T2], gamma[c, LAW_T], gamma[c, LAW_T2],
                    problem.gain[c, GAIN_T], radius,
                )  # fmt: skip
                distance = max(distance, here)
                total += here
            if problem.gain[c, GAIN_V] > 0.0:
                here = natural_disc(
                    contact[c, LAW_V], contact[c, LAW_V2], gamma[c, LAW_V], gamma[c, LAW_V2],
                    problem.gain[c, GAIN_V], radius,
                )  # fmt: skip
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
        ex, ey, ez = vec3(problem.axis, k)
        cx, cy, cz = half * ex, half * ey, half * ez
        vx, vy, vz = vec3(w, k)
        ox, oy, oz = vec3_at(w, k, RX)
        fastest = max(fastest, abs(vx), abs(vy), abs(vz))
        lx = mass * (vx + oy * cz - oz * cy - problem.free[k, X])
        ly = mass * (vy + oz * cx - ox * cz - problem.free[k, Y])
        lz = mass * (vz + ox * cy - oy * cx - problem.free[k, Z])
        dx, dy, dz = ox - problem.free[k, RX], oy - problem.free[k, RY], oz - problem.free[k, RZ]
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
            gx, gy, gz = w[k, RX] - w[j, RX], w[k, RY] - w[j, RY], w[k, RZ] - w[j, RZ]
            yaw_axis, pitch_axis = vec3_at(joint, j, YAW_X), vec3_at(joint, j, PITCH_X)
            yaw, pitch = dot(yaw_axis, (gx, gy, gz)), dot(pitch_axis, (gx, gy, gz))
            skew = dot(yaw_axis, pitch_axis)
            inverse = 1.0 / (1.0 - skew * skew)
            yaw, pitch = (yaw - skew * pitch) * inverse, (pitch - skew * yaw) * inverse
            about_yaw = (
                joint[j, YAW_X] * mx + joint[j, YAW_Y] * my + joint[j, YAW_Z] * mz
                + joint[j, SWING_X] * fx + joint[j, SWING_Y] * fy + joint[j, SWING_Z] * fz
            )  # fmt: skip
            about_pitch = dot(pitch_axis, (mx, my, mz))
            about_yaw -= problem.drive[j, YAW] - problem.drag[j, YAW] * yaw
            about_pitch -= problem.drive[j, PITCH] - problem.drag[j, PITCH] * pitch
            if problem.n_stops > 0:
                about_yaw -= problem.stop[j, YAW] * impulses.stop[j, YAW]
                about_pitch -= problem.stop[j, PITCH] * impulses.stop[j, PITCH]
            missed = max(abs(about_yaw), abs(about_pitch)) / half
            # The joint itself: what p_{k+1} does beyond what link k and the joint's rates say.
            rx, ry, rz = vec3_at(joint, j, REACH_X)
            px, py, pz = vec3_at(w, j, RX)
            apart = (
                abs(vx - w[j, X] - (py * rz - pz * ry) - yaw * joint[j, SWING_X])
                + abs(vy - w[j, Y] - (pz * rx - px * rz) - yaw * joint[j, SWING_Y])
                + abs(vz - w[j, Z] - (px * ry - py * rx) - yaw * joint[j, SWING_Z])
            )  # fmt: skip
            apart += half * (
                abs(gx - yaw * joint[j, YAW_X] - pitch * joint[j, PITCH_X])
                + abs(gy - yaw * joint[j, YAW_Y] - pitch * joint[j, PITCH_Y])
                + abs(gz - yaw * joint[j, YAW_Z] - pitch * joint[j, PITCH_Z])
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
