"""Newton's iteration on the exact laws, and the record of the point with the least residual."""

from __future__ import annotations

from snakestudio.kernels._jit import jit
from snakestudio.kernels.rescue_laws import linearise
from snakestudio.kernels.rescue_points import Point, RescueScratch, copy, move
from snakestudio.kernels.rescue_solve import solve
from snakestudio.kernels.residual import CONVERGED
from snakestudio.kernels.spatial_problem import MANY, SpatialImpulses, SpatialProblem
from snakestudio.kernels.spatial_residual import spatial_residual

ENOUGH = 0.1 * CONVERGED
"""Residual at which an attempt stops; below `CONVERGED` no further attempt starts."""

DECISIVE = 2
"""Number of the exact step from which an error larger than the scale counts as divergence; it does
not in the first one."""


@jit
def keep_best(problem: SpatialProblem, at: Point, least: float, s: RescueScratch) -> float:
    """Store a point as the best if its residual is the least so far; return the least residual."""
    residual = spatial_residual(
        problem, at.w, SpatialImpulses(at.contact, at.joint), at.gamma, s.pushed, s.wrench
    )
    if residual < least:
        copy(at, int(problem.first[at.w.shape[0]]), s.best)
        return residual
    return least


@jit
def iterate(
    problem: SpatialProblem, least: float, most: int, reduction: float, s: RescueScratch
) -> tuple[int, float]:
    """Iterate Newton's method on the exact laws from `s.current`; return linear solves and the least residual so far.

    All steps are full steps; `reduction` is subtracted from the laws' slopes.
    """
    contacts = int(problem.first[problem.axis.shape[0]])
    done = 0
    squares = linearise(problem, s.current, 0.0, reduction, 0.0, 1.0, 0.0, s)
    unit = problem.scale * problem.scale
    fewest = max(squares, CONVERGED * CONVERGED * unit)
    while done < most and least > ENOUGH:
        done += 1
        solve(problem, s.current, s, False)
        move(s.current, 1.0, s.newton, contacts, s.current)
        squares = linearise(problem, s.current, 0.0, reduction, 0.0, 1.0, 0.0, s)
        if squares < fewest:
            fewest = max(squares, CONVERGED * CONVERGED * unit)
            least = keep_best(problem, s.current, least, s)
        elif not squares < (1e30 if contacts < MANY or done < DECISIVE else 1.0) * unit:
            break
    return done, least


@jit
def polish(
    problem: SpatialProblem, least: float, most: int, reduction: float, s: RescueScratch
) -> tuple[int, float]:
    """Iterate from the best point, as in `iterate`."""
    copy(s.best, int(problem.first[problem.axis.shape[0]]), s.current)
    return iterate(problem, least, most, reduction, s)
