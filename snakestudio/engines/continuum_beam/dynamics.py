"""Evaluation of the model at one instant, block by block as in P5, Figs. 2 and 5.

`follow_strain` computes (6) and everything that does not need the head's motion; `constrain` is
block 0, `inertial_load` and `free_acceleration` are block 1, `share_out` (contact.py) and
`internal_wrench` are block 2.
"""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.engines.continuum_beam.contact import share_out
from snakestudio.engines.continuum_beam.holding import constrain, keep_motions, ringed_head
from snakestudio.engines.continuum_beam.params import FRICTION, RINGS, Params
from snakestudio.engines.continuum_beam.state import (
    ACTUATOR,
    AT,
    EXTERNAL,
    FRICTION_WORK,
    GRAVITY,
    HOLDS,
    MISMATCH,
    SUPPORT_WORK,
    Work,
)
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.beam import accumulate, accumulated_at, beam_shape, frame_at
from snakestudio.kernels.cholesky import cholesky_solve
from snakestudio.kernels.frames import (
    VX,
    VY,
    VZ,
    WX,
    WY,
    WZ,
    bracket,
    frame_from_pose,
    twist_from_head,
    twist_to_head,
    wrench_from_head,
    wrench_to_head,
)
from snakestudio.kernels.ground_patches import (
    AGAINST_AXIS,
    SIDEWAYS,
    WITH_AXIS,
    friction_scale,
    load_scale_at,
    patch_under,
)
from snakestudio.kernels.smooth_friction import smooth_friction

BODY = 0
"""Row of `GroundMap.friction`, which has one row per link; here the whole body."""


@inlined
def _follow_strain(work: Work, h: float) -> None:
    """Compute the shape (6), and the strain rate's part of (7), at all points and holds."""
    beam_shape(work.strain, h, work.frames, work.scratch)
    for j in range(work.strain.shape[0]):
        twist_to_head(work.frames[j], work.rate[j], work.rate_density[j])
    accumulate(work.rate_density, h, work.rate_sum)
    for i in range(work.hold.shape[0]):
        if work.hold[i, HOLDS] > 0.5:
            frame_at(
                work.strain, work.frames, h, work.hold[i, AT], work.hold_frame[i], work.scratch
            )
            accumulated_at(work.rate_density, work.rate_sum, h, work.hold[i, AT], work.hold_rate[i])


@inlined
def _spread_velocity(work: Work, h: float) -> None:
    """Compute the twists (7) of all points from eta_o, and the terms of the accelerations (8) without eta_o's."""
    term = work.scratch[0]
    total = work.scratch[1]
    for j in range(work.strain.shape[0]):
        for e in range(6):
            total[e] = work.head_twist[e] + work.rate_sum[j, e]
        twist_from_head(work.frames[j], total, work.twist[j])
        bracket(work.rate[j], work.twist[j], term)
        for e in range(6):
            term[e] = work.acceleration[j, e] - term[e]
        twist_to_head(work.frames[j], term, work.acceleration_density[j])
    accumulate(work.acceleration_density, h, work.acceleration_sum)


@inlined
def _head_gravity(params: Params, work: Work, gravity: FloatArray, turn: FloatArray) -> None:
    """Compute gravity in the head's frame, (3,), and the head's frame itself, (12,).

    Components along which the group has no motion are carried by the support of the body, and are
    left out.
    """
    frame_from_pose(work.pose, turn)
    g = params.gravity
    for e in range(3):
        gravity[e] = 0.0
    for e in params.motions:
        if e < 3:
            gravity[e] = turn[e] * g[0] + turn[3 + e] * g[1] + turn[6 + e] * g[2]


@inlined
def _add_friction(params: Params, work: Work, h: float) -> float:
    """Compute friction at all points at `work.stamp`, in the head's frame; return its power. P4 (14) to (17)."""
    ground = params.ground
    time = work.stamp[0]
    local = work.scratch[0]
    turn = work.scratch[1]
    power = work.scratch[2]
    last = work.twist.shape[0] - 1
    frame_from_pose(work.pose, turn)
    for j in range(last + 1):
        along, across = work.twist[j, VX], work.twist[j, VY]
        row = 0
        load = params.load
        work.lift[j] = 0.0
        if params.varies:
            f = work.frames[j]
            x = turn[9] + turn[0] * f[9] + turn[1] * f[10] + turn[2] * f[11]
            y = turn[10] + turn[3] * f[9] + turn[4] * f[10] + turn[5] * f[11]
            row = patch_under(ground, x, y)
            load *= load_scale_at(ground, params.length * j / last, time)
            work.lift[j] = load - params.load
            load *= friction_scale(ground, time, x, y)
        friction_t, friction_n = smooth_friction(
            params.law,
            False,
            params.smoothing,
            ground.friction[row, BODY, AGAINST_AXIS] * load,
            ground.friction[row, BODY, WITH_AXIS] * load,
            ground.friction[row, BODY, SIDEWAYS] * load,
            along,
            across,
        )
        local[0] = -params.viscous_along * along + friction_t
        local[1] = -params.viscous_across * across + friction_n
        for e in range(2, 6):
            local[e] = 0.0
        # Directions in which the group has no motion have no friction either: a body on a line has
        # no sideways friction.
        if params.motions.shape[0] == 1:
            local[1] = 0.0
        wrench_to_head(work.frames[j], local, work.friction_density[j])
        power[0] = local[0] * along + local[1] * across
        _weigh(j, last + 1, h, power)
    accumulate(work.friction_density, h, work.friction_sum)
    total: float = power[1]
    return total


@inlined
def _weigh(j: int, m: int, h: float, power: FloatArray) -> None:
    """Add power[0], at point j of m, to the integral power[1] by Simpson's rule."""
    weight = h / 6.0 * (4.0 if j % 2 == 1 else (1.0 if j == 0 or j == m - 1 else 2.0))
    if j == 0:
        power[1] = 0.0
    power[1] += weight * power[0]


@inlined
def _inertial_load(params: Params, work: Work, h: float) -> None:
    """Compute M eta_t - ad_eta^* M eta - F at all points for `head_acceleration`, (13), in the head's frame."""
    gravity = work.scratch[3]
    turn = work.scratch[4]
    total = work.scratch[0]
    local = work.scratch[1]
    _head_gravity(params, work, gravity, turn)
    m = params.mass
    inertia = params.inertia
    friction = params.mode == FRICTION
    for j in range(work.strain.shape[0]):
        for e in range(6):
            total[e] = work.head_acceleration[e] + work.acceleration_sum[j, e]
        twist_from_head(work.frames[j], total, total)
        v = work.twist[j]
        px, py, pz = inertia[0] * v[3], inertia[1] * v[4], inertia[2] * v[5]
        local[0] = m * (total[0] + v[4] * v[2] - v[5] * v[1])
        local[1] = m * (total[1] + v[5] * v[0] - v[3] * v[2])
        local[2] = m * (total[2] + v[3] * v[1] - v[4] * v[0])
        local[3] = inertia[0] * total[3] + v[4] * pz - v[5] * py
        local[4] = inertia[1] * total[4] + v[5] * px - v[3] * pz
        local[5] = inertia[2] * total[5] + v[3] * py - v[4] * px
        load = work.load_density[j]
        frame = work.frames[j]
        wrench_to_head(frame, local, load)
        # Gravity acts at the centre of the cross-section.
        gx, gy, gz = m * gravity[0], m * gravity[1], m * gravity[2]
        load[0] -= gx
        load[1] -= gy
        load[2] -= gz
        load[3] -= frame[10] * gz - frame[11] * gy
        load[4] -= frame[11] * gx - frame[9] * gz
        load[5] -= frame[9] * gy - frame[10] * gx
        if friction:
            for e in range(6):
                load[e] -= work.friction_density[j, e]
    accumulate(work.load_density, h, work.load_sum)


@inlined
def _whole_inertia(params: Params, work: Work, h: float) -> None:
    """Compute M_o, the inertia of the whole body reduced to the head, (19): moments of mass up to the second."""
    matrix = work.inertia
    for a in range(6):
        for b in range(6):
            matrix[a, b] = 0.0
    count = work.frames.shape[0]
    m = params.mass
    inertia = params.inertia
    for j in range(count):
        weight = h / 6.0 * (4.0 if j % 2 == 1 else (1.0 if j == 0 or j == count - 1 else 2.0))
        f = work.frames[j]
        x, y, z = f[9], f[10], f[11]
        wm = weight * m
        matrix[VX, VX] += wm
        # -r^ and r^ off the diagonal, -r^ r^ + R J R^T below.
        matrix[WY, VX] += wm * z
        matrix[WZ, VX] -= wm * y
        matrix[WX, VY] -= wm * z
        matrix[WZ, VY] += wm * x
        matrix[WX, VZ] += wm * y
        matrix[WY, VZ] -= wm * x
        for a in range(3):
            for b in range(a + 1):
                turning = 0.0
                for e in range(3):
                    turning += f[3 * a + e] * inertia[e] * f[3 * b + e]
                matrix[3 + a, 3 + b] += weight * turning
        matrix[WX, WX] += wm * (y * y + z * z)
        matrix[WY, WY] += wm * (x * x + z * z)
        matrix[WZ, WZ] += wm * (x * x + y * y)
        matrix[WY, WX] -= wm * x * y
        matrix[WZ, WX] -= wm * x * z
        matrix[WZ, WY] -= wm * y * z
    matrix[VY, VY] = matrix[VZ, VZ] = matrix[VX, VX]


@inlined
def _free_acceleration(params: Params, work: Work, h: float) -> None:
    """Compute the head acceleration of a free body, (18): M_o eta_o_t = F_in + F_ext, within the group."""
    for e in range(6):
        work.head_acceleration[e] = 0.0
    _inertial_load(params, work, h)
    _whole_inertia(params, work, h)
    d = params.motions.shape[0]
    last = work.load_sum.shape[0] - 1
    # The leading block of `inertia` becomes that of the group's motions; their indices ascend, so
    # no entry is overwritten too early.
    rhs = work.scratch[5]
    for a in range(d):
        ea = params.motions[a]
        rhs[a] = -work.load_sum[last, ea]
        for i in range(work.pull.shape[0]):
            rhs[a] += work.pull[i, ea]
        for b in range(a + 1):
            work.inertia[a, b] = work.inertia[ea, params.motions[b]]
    _solve_leading(work.inertia, d, rhs)
    for a in range(d):
        work.head_acceleration[params.motions[a]] = rhs[a]


@inlined
def _solve_leading(matrix: FloatArray, d: int, rhs: FloatArray) -> None:
    """Solve the leading (d, d) block (symmetric positive definite) for `rhs`; sets the rest to a unit matrix."""
    for a in range(d, 6):
        for b in range(a):
            matrix[a, b] = 0.0
        matrix[a, a] = 1.0
    cholesky_solve(matrix, rhs)


@inlined
def _pull_to_head(params: Params, work: Work, wrench: FloatArray) -> None:
    """Convert external wrenches on sections (world frame, at their centres) to the head's frame, in the group."""
    n = wrench.shape[0]
    stride = (work.frames.shape[0] - 1) // (wrench.shape[0] - 1)
    turn = work.scratch[4]
    frame_from_pose(work.pose, turn)
    for i in range(n):
        f = work.frames[stride * i]
        w = wrench[i]
        out = work.pull[i]
        for e in range(3):
            out[e] = turn[e] * w[0] + turn[3 + e] * w[1] + turn[6 + e] * w[2]
            out[3 + e] = turn[e] * w[3] + turn[3 + e] * w[4] + turn[6 + e] * w[5]
        out[3] += f[10] * out[2] - f[11] * out[1]
        out[4] += f[11] * out[0] - f[9] * out[2]
        out[5] += f[9] * out[1] - f[10] * out[0]
        keep_motions(params, out)


@inlined
def _powers(params: Params, work: Work, h: float, friction: float) -> None:
    """Compute all powers, W. Actuators: -integral of Lambda . xi_t, from the power balance with (13) and (7)."""
    count = work.frames.shape[0]
    stride = (count - 1) // (work.pull.shape[0] - 1)
    gravity = work.scratch[3]
    turn = work.scratch[4]
    total = work.scratch[0]
    sums = work.scratch[2]
    _head_gravity(params, work, gravity, turn)
    # Smooth parts: Lambda without its jumps, and gravity. All in the head's frame.
    actuator = weight_power = 0.0
    for j in range(count):
        sums[0] = 0.0
        for e in range(6):
            sums[0] -= work.load_sum[j, e] * work.rate_density[j, e]
        _weigh(j, count, h, sums)
    actuator = sums[1]
    for j in range(count):
        f = work.frames[j]
        for e in range(6):
            total[e] = work.head_twist[e] + work.rate_sum[j, e]
        sums[0] = 0.0
        sums[0] += gravity[0] * (total[0] - f[10] * total[5] + f[11] * total[4])
        sums[0] += gravity[1] * (total[1] - f[11] * total[3] + f[9] * total[5])
        sums[0] += gravity[2] * (total[2] - f[9] * total[4] + f[10] * total[3])
        _weigh(j, count, h, sums)
    weight_power = params.mass * sums[1]
    support = external = 0.0
    for i in range(work.hold.shape[0]):
        if work.hold[i, HOLDS] > 0.5:
            for e in range(6):
                wrench = work.hold_wrench[i, e]
                actuator += wrench * (work.rate_sum[count - 1, e] - work.hold_rate[i, e])
                support += wrench * (work.head_twist[e] + work.hold_rate[i, e])
    for i in range(work.pull.shape[0]):
        for e in range(6):
            wrench = work.pull[i, e]
            actuator += wrench * (work.rate_sum[count - 1, e] - work.rate_sum[stride * i, e])
            external += wrench * (work.head_twist[e] + work.rate_sum[stride * i, e])
    work.power[ACTUATOR] = actuator
    work.power[GRAVITY] = weight_power
    work.power[FRICTION_WORK] = friction
    work.power[SUPPORT_WORK] = support
    work.power[EXTERNAL] = external


@jit
def head_motion(params: Params, work: Work) -> int:
    """Compute only `work.head_twist` of a held body; 0 if its motion is not determined."""
    if params.mode == RINGS and not math.isnan(work.speed[0]):
        ringed_head(params, work, 0, work.speed[0])  # without the rest of the body
        return 1
    h = 2.0 * params.length / (work.strain.shape[0] - 1)
    _follow_strain(work, h)
    return constrain(params, work, h, 0)


@jit
def held_motion(params: Params, work: Work) -> int:
    """Compute shape, twists and accelerations of a held body at any pose; 0 if its motion is not determined.

    Also fills `work.head_twist` and `work.head_acceleration`.
    """
    h = 2.0 * params.length / (work.strain.shape[0] - 1)
    _follow_strain(work, h)
    if constrain(params, work, h, 0) == 0:
        return 0
    _spread_velocity(work, h)
    return constrain(params, work, h, 1)


@inlined
def _resultant(work: Work) -> None:
    last = work.strain.shape[0] - 1
    for e in range(6):
        work.resultant[e] = work.load_sum[last, e]
        for i in range(work.pull.shape[0]):
            work.resultant[e] -= work.pull[i, e]


@jit
def held_load(params: Params, work: Work, wrench: FloatArray) -> None:
    """Compute loads on a held body that has the motion of `held_motion`: `resultant`, `hold_wrench`, `power`.

    Parameters
    ----------
    wrench : (n, 6)
        External wrenches on the cross-sections, world frame.
    """
    h = 2.0 * params.length / (work.strain.shape[0] - 1)
    _pull_to_head(params, work, wrench)
    _inertial_load(params, work, h)
    _resultant(work)
    share_out(params, work, h)
    _powers(params, work, h, 0.0)


@jit
def free_motion(params: Params, work: Work, wrench: FloatArray) -> None:
    """Compute the acceleration under friction with `work.head_twist` at `work.pose`; fills as `evaluate`."""
    h = 2.0 * params.length / (work.strain.shape[0] - 1)
    _follow_strain(work, h)
    _pull_to_head(params, work, wrench)
    _spread_velocity(work, h)
    friction = _add_friction(params, work, h)
    _free_acceleration(params, work, h)
    _inertial_load(params, work, h)
    _resultant(work)
    mismatch = 0.0
    for e in params.motions:
        mismatch = max(mismatch, abs(work.resultant[e]) / (1.0 if e < 3 else params.length))
    work.figures[MISMATCH] = mismatch
    _powers(params, work, h, friction)


@jit
def evaluate(params: Params, work: Work, wrench: FloatArray) -> int:
    """Evaluate everything for the strain, pose and holds in `work`; 0 if the motion is not determined.

    With friction, `work.head_twist` is an input, otherwise a result. Fills accelerations,
    `resultant`, `hold_wrench`, `power`, `figures`; `wrench` is as in `held_load`.
    """
    if params.mode == FRICTION:
        free_motion(params, work, wrench)
        return 1
    if held_motion(params, work) == 0:
        return 0
    held_load(params, work, wrench)
    return 1


@jit
def internal_wrench(params: Params, work: Work, j: int, out: FloatArray) -> None:
    """Compute Lambda (6,) at point j in its own frame, (13), (14): just behind its loads, at the tail before them.

    Lambda jumps by minus the load at a point, and is 0 before the head.
    """
    last = work.frames.shape[0] - 1
    stride = last // (work.pull.shape[0] - 1)
    abscissa = params.length * j / last
    for e in range(6):
        out[e] = work.load_sum[j, e]
    for i in range(work.hold.shape[0]):
        at = work.hold[i, AT]
        if work.hold[i, HOLDS] > 0.5 and at <= abscissa and (j < last or at < params.length):
            for e in range(6):
                out[e] -= work.hold_wrench[i, e]
    for i in range(work.pull.shape[0]):
        if stride * i <= j and stride * i < last:
            for e in range(6):
                out[e] -= work.pull[i, e]
    wrench_from_head(work.frames[j], out, out)
