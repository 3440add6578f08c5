"""Second attempt at a step that dry friction in the joints leaves unsolved: first without it, then from there."""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import jit
from snakestudio.kernels.contact_rescue import rescue
from snakestudio.kernels.spatial_problem import (
    IMPULSE_HIGH,
    IMPULSE_LOW,
    SpatialImpulses,
    SpatialProblem,
)
from snakestudio.kernels.spatial_scratch import SpatialScratch


@jit
def _copy(
    problem: SpatialProblem,
    impulses: SpatialImpulses,
    w: FloatArray,
    to: SpatialImpulses,
    to_w: FloatArray,
) -> None:
    """Copy impulses and velocities."""
    for k in range(w.shape[0]):
        for i in range(6):
            to_w[k, i] = w[k, i]
    for c in range(problem.first[w.shape[0]]):
        for i in range(5):
            to.contact[c, i] = impulses.contact[c, i]
    for j in range(impulses.joint.shape[0]):
        to.joint[j] = impulses.joint[j]


@jit
def rescue_dry(
    problem: SpatialProblem,
    impulses: SpatialImpulses,
    w: FloatArray,
    w_start: FloatArray,
    scratch: SpatialScratch,
    least: float,
    most: int,
) -> int:
    """Solve a step again without dry friction in the joints, and with it from that solution.

    The result replaces the given one if its residual is smaller.

    Parameters
    ----------
    impulses : SpatialImpulses
    w : (n, 6)
        Result of the first attempt on entry.
    w_start : (n, 6)
        Velocities at the start of the step.
    scratch : SpatialScratch
        `guess` contains the impulses of the previous step; it is changed.
    least : float
        Residual of the first attempt.
    most : int
        As in `rescue`, for each of the two.

    Returns
    -------
    int
        Number of linear solves.
    """
    _copy(problem, impulses, w, scratch.first, scratch.first_w)
    _copy(problem, scratch.guess, w_start, impulses, w)
    for j in range(problem.axes.shape[0]):
        axis = problem.axes[j]
        bound = min(-axis[IMPULSE_LOW], axis[IMPULSE_HIGH])
        scratch.bound[j] = bound
        axis[IMPULSE_LOW] += bound
        axis[IMPULSE_HIGH] -= bound
        impulses.joint[j] = min(max(impulses.joint[j], axis[IMPULSE_LOW]), axis[IMPULSE_HIGH])
    done, _ = rescue(problem, impulses, w, scratch.guess, most, scratch.rescue)
    for j in range(problem.axes.shape[0]):
        problem.axes[j, IMPULSE_LOW] -= scratch.bound[j]
        problem.axes[j, IMPULSE_HIGH] += scratch.bound[j]
    _copy(problem, impulses, w, scratch.guess, w)
    more, residual = rescue(problem, impulses, w, scratch.guess, most, scratch.rescue)
    if not residual < least:
        _copy(problem, scratch.first, scratch.first_w, impulses, w)
    return int(done + more)
