"""Distribution of F_c, the resultant required by the net motion, over anchors and supports (P5, VII and (58))."""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.engines.continuum_beam.params import RINGS, Params
from snakestudio.engines.continuum_beam.state import AT, HOLDS, MISMATCH, Work
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.beam import interpolate_at
from snakestudio.kernels.frames import WZ, wrench_to_head
from snakestudio.kernels.one_sided import solve_one_sided
from snakestudio.kernels.symmetric import pseudo_solve

RANK = 1e-12
"""Eigenvalue relative to the largest below which supports cannot exert a wrench at all."""

SLACK = 1e-9
"""Weight of the load distribution relative to carrying F_c exactly: F_c is missed by about this
fraction."""

SPARE = 8
"""First row of `Work.scratch` that is free in this module."""
MATRIX, VECTORS = range(2)
"""Entries of `Work.eigen`."""


@inlined
def _sign(params: Params, work: Work, i: int, h: float) -> float:
    """Return the direction along t_Y in which support i can push: 1, -1, or 0 for both."""
    side = params.side
    if side == 1 or (
        side == 3 and i % 2 == 0
    ):  # on the left when looking towards the tail, so it pushes to the right
        return -1.0
    if side == 2 or side == 3:
        return 1.0
    if side >= 4:
        interpolate_at(
            work.strain, h, work.hold[i, AT], work.scratch[SPARE], work.scratch[SPARE + 1]
        )
        bend = work.scratch[SPARE, WZ]
        if bend == 0.0:
            return 0.0
        towards_centre = 1.0 if bend > 0.0 else -1.0
        return -towards_centre if side == 4 else towards_centre
    return 0.0


@inlined
def _columns(params: Params, work: Work, h: float) -> int:
    """Fill the wrenches of unit forces and couples of all active supports in the head's frame; return their number.

    Couples are divided by the body's length in a wrench and by its radius as an amount, so that all
    are forces.
    """
    count = 0
    for i in range(work.hold.shape[0]):
        if work.hold[i, HOLDS] < 0.5:
            continue
        for e in params.held:
            unit = work.scratch[8]
            for k in range(6):
                unit[k] = 0.0
            unit[e] = 1.0 if e < 3 else params.radius
            wrench_to_head(work.hold_frame[i], unit, work.column[count])
            for k in range(3):
                work.column[count, 3 + k] /= params.length
            work.part[count] = params.weight[i]
            work.sign[count] = _sign(params, work, i, h) if e == 1 and params.mode == RINGS else 0.0
            count += 1
    return count


@inlined
def _two_sided(params: Params, work: Work, count: int, resultant: FloatArray) -> None:
    """Compute amounts T of least sum of T^2 / w with A T = F: T = W A^T (A W A^T)^+ F."""
    d = params.motions.shape[0]
    for a in range(d):
        for b in range(d):
            total = 0.0
            for j in range(count):
                total += (
                    work.part[j]
                    * work.column[j, params.motions[a]]
                    * work.column[j, params.motions[b]]
                )
            work.eigen[MATRIX, a, b] = total
    answer = work.scratch[11]
    pseudo_solve(work.eigen[MATRIX], work.eigen[VECTORS], d, RANK, resultant, answer)
    for j in range(count):
        total = 0.0
        for a in range(d):
            total += work.column[j, params.motions[a]] * answer[a]
        work.amount[j] = work.part[j] * total


@inlined
def _one_sided(params: Params, work: Work, count: int, resultant: FloatArray) -> None:
    """Compute the same with supports that can only push: a quadratic program with bounds and a penalty on missing F."""
    d = params.motions.shape[0]
    for j in range(count):
        target = 0.0
        for a in range(d):
            target -= work.column[j, params.motions[a]] * resultant[a]
        work.target[j] = target
        work.acts[j] = 1
        for i in range(j + 1):
            total = 0.0
            for a in range(d):
                total += work.column[j, params.motions[a]] * work.column[i, params.motions[a]]
            work.normal[j, i] = total + (SLACK / work.part[j] if i == j else 0.0)
    solve_one_sided(
        work.normal,
        work.target,
        work.sign,
        count,
        work.acts,
        work.which,
        work.factor,
        work.part,
        work.amount,
    )


@jit
def share_out(params: Params, work: Work, h: float) -> None:
    """Fill `work.hold_wrench` (head's frame) from `work.resultant`; the part that cannot be carried goes to `figures`.

    Parameters
    ----------
    params, work
        Constants and workspace, with `work.hold_frame` filled.
    h : float
        Length of a slice, m.
    """
    d, p = params.motions.shape[0], work.hold.shape[0]
    for i in range(p):
        for k in range(6):
            work.hold_wrench[i, k] = 0.0
    count = _columns(params, work, h)
    resultant = work.scratch[10]
    for a in range(d):
        e = params.motions[a]
        resultant[a] = work.resultant[e] if e < 3 else work.resultant[e] / params.length
    one_sided = False
    for j in range(count):
        one_sided = one_sided or work.sign[j] != 0.0
    if one_sided:
        _one_sided(params, work, count, resultant)
    else:
        _two_sided(params, work, count, resultant)
    j = 0
    for i in range(p):
        if work.hold[i, HOLDS] < 0.5:
            continue
        for _ in range(params.held.shape[0]):
            for k in range(6):
                scale = 1.0 if k < 3 else params.length
                work.hold_wrench[i, k] += work.amount[j] * work.column[j, k] * scale
            j += 1
    mismatch = 0.0
    for a in range(d):
        e = params.motions[a]
        left = work.resultant[e]
        for i in range(p):
            left -= work.hold_wrench[i, e]
        mismatch = max(mismatch, abs(left) if e < 3 else abs(left) / params.length)
    work.figures[MISMATCH] = mismatch
