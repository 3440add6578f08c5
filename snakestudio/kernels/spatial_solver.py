"""Contact solver of a chain in space by Newton's method. Problems it leaves unsolved are passed to `contact_rescue`."""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.spatial_chain import prepare_inertia
from snakestudio.kernels.spatial_newton import begin, copy_rows, newton
from snakestudio.kernels.spatial_problem import MANY, SpatialImpulses, SpatialProblem
from snakestudio.kernels.spatial_scratch import SpatialScratch


@jit
def _newton_of_many(
    problem: SpatialProblem,
    impulses: SpatialImpulses,
    w: FloatArray,
    scratch: SpatialScratch,
    goal: float,
    most: int,
) -> int:
    """Call `newton` for many contacts; compiled separately, so that it does not slow down problems with few."""
    iterations, _ = newton(problem, impulses, w, scratch, goal, most, True)
    return iterations


@inlined
def solve_spatial(
    problem: SpatialProblem,
    impulses: SpatialImpulses,
    w: FloatArray,
    scratch: SpatialScratch,
    tolerance: float,
    most: int,
) -> int:
    """Solve the step's contact problem (replaces the iteration P1 (84)-(93); the laws solved are (77)-(82)).

    Parameters
    ----------
    impulses : SpatialImpulses
        Guess on entry, result on return.
    w : (n, 6)
        Guess of the velocities on entry, result on return.
    tolerance : float
        Stop when the natural map of every law is below this, in units of `problem.scale`.
    most : int
        Largest number of Newton iterations.

    Returns
    -------
    int
        Number of iterations; the quality of the result is given by the residual.
    """
    goal = tolerance * problem.scale
    prepare_inertia(problem, scratch.inertia)
    begin(problem, w, scratch)
    copy_rows(impulses.contact, int(problem.first[w.shape[0]]), scratch.guess.contact)
    for j in range(impulses.joint.shape[0]):
        scratch.guess.joint[j] = impulses.joint[j]
    if problem.first[w.shape[0]] >= MANY:
        return _newton_of_many(problem, impulses, w, scratch, goal, most)
    iterations, _ = newton(problem, impulses, w, scratch, goal, most, False)
    return iterations
