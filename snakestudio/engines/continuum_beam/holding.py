"""Block 0: the motion of the head imposed by anchors or annular supports (P5, sections VI to VIII)."""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.engines.continuum_beam.params import RINGS, Params
from snakestudio.engines.continuum_beam.state import AT, GAINS, HOLDS, MOVES, SLIP, Work
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.beam import accumulated_at, interpolate_at
from snakestudio.kernels.frames import bracket, twist_from_head, twist_to_head

UNDETERMINED = 1e-9
"""Sideways share of a unit axial motion along the body below which the body counts as straight or
as a circle."""


@inlined
def keep_motions(params: Params, twist: FloatArray) -> None:
    """Set components outside the group's motions to 0."""
    a = 0
    for e in range(6):
        if a < params.motions.shape[0] and params.motions[a] == e:
            a += 1
        else:
            twist[e] = 0.0


@inlined
def _anchored(params: Params, work: Work, h: float, order: int) -> int:
    """Compute eta_o (order 0) or its derivative (1) from anchored cross-sections, (27) to (30): the mean of several."""
    strain = work.scratch[3]
    slope = work.scratch[4]
    local = work.scratch[5]
    term = work.scratch[6]
    estimate = work.scratch[7]
    mean = work.head_twist if order == 0 else work.head_acceleration
    for e in range(6):
        mean[e] = 0.0
    count = 0
    for i in range(work.hold.shape[0]):
        if work.hold[i, HOLDS] < 0.5:
            continue
        at = work.hold[i, AT]
        speed = work.hold[i, MOVES]
        growth = work.hold[i, GAINS]
        share = 1.0 if params.sweeps else 0.0
        interpolate_at(work.strain, h, at, strain, slope)
        if order == 0:
            for e in range(6):
                local[e] = work.hold_twist[i, e] - share * strain[e] * speed
            twist_to_head(work.hold_frame[i], local, estimate)
            for e in range(6):
                estimate[e] -= work.hold_rate[i, e]
        else:
            # d/dt of (30) along the moving abscissa: eta_t + eta' C' + xi_t C' + xi' C'^2 + xi C''
            # = eta_c_t.
            for e in range(6):
                estimate[e] = work.head_twist[e] + work.hold_rate[i, e]
            twist_from_head(work.hold_frame[i], estimate, estimate)
            bracket(strain, estimate, term)
            interpolate_at(work.rate, h, at, local, estimate)
            for e in range(6):
                along = local[e] - term[e]  # eta' of (7)
                local[e] = (
                    work.hold_twist[i, 6 + e]
                    - along * speed
                    - share * (local[e] * speed + slope[e] * speed * speed + strain[e] * growth)
                )
            twist_to_head(work.hold_frame[i], local, estimate)
            accumulated_at(work.acceleration_density, work.acceleration_sum, h, at, term)
            for e in range(6):
                estimate[e] -= term[e]
        keep_motions(params, estimate)
        count += 1
        for e in range(6):
            mean[e] += (estimate[e] - mean[e]) / count
    if count == 0:
        return 0
    if order == 0:
        _anchor_slip(params, work, h, count)
    return 1


@inlined
def _anchor_slip(params: Params, work: Work, h: float, count: int) -> None:
    """Compute the speeds of anchored cross-sections against their anchors, if the anchors do not agree."""
    strain = work.scratch[3]
    slope = work.scratch[4]
    total = work.scratch[5]
    slip = 0.0
    if count > 1:
        share = 1.0 if params.sweeps else 0.0
        for i in range(work.hold.shape[0]):
            if work.hold[i, HOLDS] < 0.5:
                continue
            for e in range(6):
                total[e] = work.head_twist[e] + work.hold_rate[i, e]
            twist_from_head(work.hold_frame[i], total, total)
            interpolate_at(work.strain, h, work.hold[i, AT], strain, slope)
            for a in range(params.motions.shape[0]):
                e = params.motions[a]
                left = abs(
                    total[e] + share * strain[e] * work.hold[i, MOVES] - work.hold_twist[i, e]
                )
                slip = max(slip, left if e < 3 else left * params.radius)
    work.figures[SLIP] = slip


@inlined
def _sideways(params: Params, frame: FloatArray, twist: FloatArray, out: FloatArray) -> None:
    """Components that an annular support blocks, V_Y, V_Z, Omega_X r, (32), for a twist in the head's frame."""
    twist_from_head(frame, twist, out)
    out[0], out[1], out[2] = out[1], out[2], out[3] * params.radius


@inlined
def _axial_speed(
    params: Params, work: Work, h: float, sums: FloatArray, fixed: FloatArray, unit: FloatArray
) -> float:
    """Axial speed (or acceleration) that minimizes the sideways motion of the cross-sections; NaN if it has no effect.

    Parameters
    ----------
    sums : (m, 6)
        Contribution of the strain to the twists of all points, head's frame.
    fixed, unit : (6,)
        Twist of the head without axial motion, and that of a unit axial motion.
    """
    total = work.scratch[8]
    rest = work.scratch[9]
    one = work.scratch[10]
    count = work.frames.shape[0]
    both = square = 0.0
    for j in range(count):
        weight = 4.0 if j % 2 == 1 else (1.0 if j == 0 or j == count - 1 else 2.0)
        for e in range(6):
            total[e] = fixed[e] + sums[j, e]
        _sideways(params, work.frames[j], total, rest)
        _sideways(params, work.frames[j], unit, one)
        for a in range(3):
            both += weight * rest[a] * one[a]
            square += weight * one[a] * one[a]
    if square / (3.0 * (count - 1)) < UNDETERMINED:
        return math.nan
    return -both / square


@inlined
def _ring_directions(
    params: Params, work: Work, order: int, fixed: FloatArray, unit: FloatArray
) -> None:
    """Twist (order 0) or acceleration (1) of the head in a ring without axial motion, and for a unit axial motion.

    With shear and stretch, the second and third lines of (7) under V_Y = V_Z = 0 give, at the head,
    Omega_Y = (K_Y V_X + Gamma_Z_t) / Gamma_X and Omega_Z = (K_Z V_X - Gamma_Y_t) / Gamma_X;
    without, (61).
    """
    s, r, a = work.strain[0], work.rate[0], work.acceleration[0]
    for e in range(6):
        fixed[e] = unit[e] = 0.0
    unit[0] = 1.0
    unit[4] = s[4] / s[0]
    unit[5] = s[5] / s[0]
    if order == 0:
        fixed[4] = r[2] / s[0]
        fixed[5] = -r[1] / s[0]
    else:
        speed = work.head_twist[0]
        twist = work.head_twist
        fixed[4] = (r[4] * speed + a[2] - twist[4] * r[0]) / s[0]
        fixed[5] = (r[5] * speed - a[1] - twist[5] * r[0]) / s[0]
    keep_motions(params, unit)
    keep_motions(params, fixed)


@inlined
def ringed_head(params: Params, work: Work, order: int, axial: float) -> None:
    """Fill `work.head_twist` (order 0) or `work.head_acceleration` (1) from the axial component: (57), (64)."""
    fixed = work.scratch[6]
    unit = work.scratch[7]
    _ring_directions(params, work, order, fixed, unit)
    out = work.head_twist if order == 0 else work.head_acceleration
    for e in range(6):
        out[e] = fixed[e] + axial * unit[e]


@inlined
def _ringed(params: Params, work: Work, h: float, order: int) -> int:
    """Compute the head's motion without sideways slip at the supports, and the remaining slip of each."""
    axial = work.speed[order]
    if math.isnan(axial):
        fixed = work.scratch[6]
        unit = work.scratch[7]
        _ring_directions(params, work, order, fixed, unit)
        sums = work.rate_sum if order == 0 else work.acceleration_sum
        axial = _axial_speed(params, work, h, sums, fixed, unit)
        if math.isnan(axial):
            return 0
    ringed_head(params, work, order, axial)
    if order == 0:
        total = work.scratch[8]
        rest = work.scratch[9]
        slip = 0.0
        for j in range(work.frames.shape[0]):
            for e in range(6):
                total[e] = work.head_twist[e] + work.rate_sum[j, e]
            _sideways(params, work.frames[j], total, rest)
            slip = max(slip, math.sqrt(rest[0] * rest[0] + rest[1] * rest[1]), abs(rest[2]))
        work.figures[SLIP] = slip
    return 1


@jit
def constrain(params: Params, work: Work, h: float, order: int) -> int:
    """Fill `work.head_twist` (order 0) or `work.head_acceleration` (1); return 0 if it is not determined."""
    if params.mode == RINGS:
        return _ringed(params, work, h, order)
    return _anchored(params, work, h, order)
