"""Newton's iteration on the exact laws, and the best point that the judge has seen."""

from __future__ import annotations

from snakestudio.kernels._jit import jit
from snakestudio.kernels.rescue_laws import linearise
from snakestudio.kernels.rescue_points import Point, RescueScratch, copy, move
from snakestudio.kernels.rescue_solve import solve
from snakestudio.kernels.residual import CONVERGED
from snakestudio.kernels.spatial_problem import SpatialImpulses, SpatialProblem
from snakestudio.kernels.spatial_residual import spatial_residual

ENOUGH = 0.1 * CONVERGED
"""Residual to which an attempt goes on; from `CONVERGED` on there is no other one."""

DECISIVE = 2
"""Number of the exact step from which one that misses more than the scale has gone astray; the
first one may."""

MANY = 40
"""Contacts from which on exact steps that go astray are given up, and a path starts from the best
point. With fewer, all of this costs little, and exact steps that find back share the loads that
statics leaves open as the step before did: without them sidewinding ends 2.7 cm away from an
independent implementation instead of 0.3 cm."""


@jit
def keep_best(problem: SpatialProblem, at: Point, least: float, s: RescueScratch) -> float:
    """Keep a point as the best if the judge says so; returns the least residual so far."""
    here = spatial_residual(
        problem, at.w, SpatialImpulses(at.contact, at.stop), at.gamma, s.pushed, s.wrench
    )
    if here < least:
        copy(at, int(problem.first[at.w.shape[0]]), s.best)
        return here
    return least


@jit
def iterate(
    problem: SpatialProblem, least: float, most: int, keen: float, s: RescueScratch
) -> tuple[int, float]:
    """Newton's iteration on the exact laws from `s.here`; returns linear solves and the least residual so far.

    Steps are full ones, `keen` is taken off the laws' slopes.
    """
    contacts = int(problem.first[problem.axis.shape[0]])
    done = 0
    squares = linearise(problem, s.here, 0.0, keen, 0.0, 1.0, 0.0, s)
    unit = problem.scale * problem.scale
    fewest = max(squares, CONVERGED * CONVERGED * unit)
    while done < most and least > ENOUGH:
        done += 1
        solve(problem, s.here, s, False)
        move(s.here, 1.0, s.newton, contacts, s.here)
        squares = linearise(problem, s.here, 0.0, keen, 0.0, 1.0, 0.0, s)
        if squares < fewest:
            fewest = max(squares, CONVERGED * CONVERGED * unit)
            least = keep_best(problem, s.here, least, s)
        elif not squares < (1e30 if contacts < MANY or done < DECISIVE else 1.0) * unit:
            break
    return done, least


@jit
def polish(
    problem: SpatialProblem, least: float, most: int, keen: float, s: RescueScratch
) -> tuple[int, float]:
    """As `iterate`, from the best point."""
    copy(s.best, int(problem.first[problem.axis.shape[0]]), s.here)
    return iterate(problem, least, most, keen, s)
