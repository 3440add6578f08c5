"""Fallback for failures of Newton's method: exact steps near the solution, else continuation from smoothed laws.

Newton's method solves the laws for a large tau (see `rescue_laws`) from any start; the solutions
then form a path that leads to one for tau = 0. Where the path turns back, tau must increase again
for a while: there the path is followed by its arc length, with contacts whose compliance decreases
with tau.

Every linear solve is the articulated-body recursion of `spatial_chain`, with one right-hand side
for Newton's step and one for the path's tangent, so that the total cost is linear in the links and
contacts.
"""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.rescue_exact import keep_best, polish
from snakestudio.kernels.rescue_paths import REDUCTION, follow_by_length, follow_by_tau
from snakestudio.kernels.rescue_points import WIDTH, Point, RescueScratch, copy
from snakestudio.kernels.rescue_solve import begin, largest_impulse
from snakestudio.kernels.residual import CONVERGED
from snakestudio.kernels.spatial_chain import close_chain, prepare_inertia
from snakestudio.kernels.spatial_problem import (
    LAW_T,
    LAW_T2,
    MANY,
    SHARE_MINUS,
    SHARE_PLUS,
    SpatialImpulses,
    SpatialProblem,
)

PATIENCE = 5
"""Limit of the rescue's linear solves, as a multiple of the limit of a step: hard steps are
rare."""

POLISH, BEST_PATH, PATH, EVEN_PATH, ARC, BEST_ARC, FAR_ARC = range(7)

ATTEMPTS = (
    (POLISH, REDUCTION, 12, 1.0), (BEST_PATH, 0.1, 100, 1e4), (PATH, 0.3, 200, 1.0), (EVEN_PATH, 0.3, 200, 1.0),
    (BEST_ARC, 0.1, 200, 1e4), (ARC, 1.0, 300, 3e3), (BEST_ARC, 0.1, 300, 1e4), (POLISH, 1e-3, 12, 1.0),
    (ARC, 100.0, 700, 100.0), (BEST_ARC, 0.1, 300, 1e4), (BEST_ARC, 1.0, 500, 100.0), (ARC, 1e3, 700, 3e3),
    (BEST_ARC, 0.1, 700, 1e3), (FAR_ARC, 0.1, 700, 300.0), (BEST_ARC, 0.1, 700, 1e4), (ARC, 1.0, 700, 100.0),
    (BEST_ARC, 10.0, 700, 1e3), (FAR_ARC, 3.0, 700, 1e3), (BEST_ARC, 1e-3, 700, 1e4), (BEST_ARC, 1.0, 700, 1e3),
    (BEST_ARC, 0.01, 700, 1e3), (BEST_ARC, 10.0, 700, 1e4), (BEST_ARC, 0.1, 700, 300.0),
)  # fmt: skip
"""Attempts in their order: kind, start, limit of linear solves, and factor of the gains. The start
is the reduction of the slopes for a polish, and the initial tau for all others. Tau is in units of
the scale, or, for a path or an arc from impulses of zero (`PATH`, `EVEN_PATH`, `FAR_ARC`), of the
largest impulse.

Most problems are already near the solution and converge slowly: contacts at the edge of their
cones, internal stresses without effect. Exact steps with the smallest reduction that rounding
allows solve two of three of these in six steps. In the others all but one or two contacts are in
the right state, and a single wrong one makes the exact steps diverge. A path from there with large
gains solves nearly all of them, with a third of the linear solves of a path from impulses of zero.

A robot pressed between many obstacles needs an arc. From the impulses of the previous step it
solves more problems than from zero (of 83 hard problems 52 instead of 32), and from the best point
of the other attempts still more (27 of 46). With gains 100 to 10000 times those of free links,
which do not account for the robot that pushes from behind, it is shorter and turns less. In
sequence they solve 115 of 121, whereas no single one solves two thirds.
"""

NEAR_ENOUGH = 1.0
"""Largest residual from which a path starts at the best point, if there are `MANY` contacts."""


@jit
def rescue(
    problem: SpatialProblem,
    impulses: SpatialImpulses,
    w: FloatArray,
    guess: SpatialImpulses,
    most: int,
    workspace: FloatArray,
) -> tuple[int, float]:
    """Solve a step's contact problem that Newton's iteration left unsolved.

    Parameters
    ----------
    w : (n, 6)
        Twists of the links: initial values on entry, the best result on return.
    guess : SpatialImpulses
        Impulses of the previous step. Attempts that start at zero come first, as they do not depend
        on them.
    most : int
        Limit of linear solves of the step; the rescue may use `PATIENCE` times as many.
    workspace : (any,)
        Workspace of the size `rescue_workspace`, for as many links and contacts as `impulses` has rows.

    Returns
    -------
    (int, float)
        Number of linear solves, and the residual.
    """
    n = w.shape[0]
    contacts = int(problem.first[n])
    # Compiled functions cannot return arrays, so the workspace is divided here.
    capacity = impulses.contact.shape[0]
    joints = n - 1
    axes = impulses.joint.shape[0]
    at_gamma = 42 * n
    at_contact = at_gamma + 35 * capacity
    at_rate = at_contact + 35 * capacity
    at_joint = at_rate + 7 * axes
    at_law = at_joint + 7 * axes
    at_anchor = at_law + WIDTH * capacity
    at_held = at_anchor + 5 * capacity
    at_own = at_held + axes
    at_inertia = at_own + 3 * axes
    at_root = at_inertia + 48 * n
    at_eliminated = at_root + 48
    at_pushed = at_eliminated + 8 * axes
    at_wrench = at_pushed + 6 * n
    ws = workspace[:at_gamma].reshape(7, n, 6)
    gammas = workspace[at_gamma:at_contact].reshape(7, capacity, 5)
    pushes = workspace[at_contact:at_rate].reshape(7, capacity, 5)
    rates = workspace[at_rate:at_joint].reshape(7, axes)
    laws = workspace[at_joint:at_law].reshape(7, axes)
    s = RescueScratch(
        Point(ws[0], rates[0], gammas[0], pushes[0], laws[0]),
        Point(ws[1], rates[1], gammas[1], pushes[1], laws[1]),
        Point(ws[2], rates[2], gammas[2], pushes[2], laws[2]),
        Point(ws[3], rates[3], gammas[3], pushes[3], laws[3]),
        Point(ws[4], rates[4], gammas[4], pushes[4], laws[4]),
        Point(ws[5], rates[5], gammas[5], pushes[5], laws[5]),
        Point(ws[6], rates[6], gammas[6], pushes[6], laws[6]),
        SpatialImpulses(
            workspace[at_anchor:at_held].reshape(capacity, 5), workspace[at_held:at_own]
        ),
        workspace[at_law:at_anchor].reshape(capacity, WIDTH),
        workspace[at_own:at_inertia].reshape(axes, 3),
        workspace[at_inertia:at_root].reshape(n, 48),
        workspace[at_root:at_eliminated].reshape(6, 8),
        workspace[at_eliminated:at_pushed].reshape(axes, 8),
        workspace[at_pushed:at_wrench].reshape(n, 6),
        workspace[at_wrench : at_wrench + 6 * joints].reshape(joints, 6),
    )
    prepare_inertia(problem, s.inertia)
    current = s.current
    _copy_from(impulses, w, contacts, current)
    close_chain(problem, current.w, current.rate)
    least = keep_best(problem, current, math.inf, s)
    done = 0
    most *= PATIENCE
    for kind, start, end, factor in ATTEMPTS:
        if least <= CONVERGED or done >= most:
            break
        if kind == BEST_PATH and not (contacts >= MANY and least <= NEAR_ENOUGH):
            continue
        if kind == EVEN_PATH and _is_even(problem):
            continue
        more = 0
        allowed = min(most - done, end)
        if kind == POLISH:
            more, least = polish(problem, least, allowed, start, s)
            done += more
            continue
        if kind == BEST_PATH:
            copy(s.best, contacts, current)
        elif kind != EVEN_PATH:
            before = SpatialImpulses(s.best.contact, s.best.joint) if kind == BEST_ARC else guess
            begin(problem, current, before, 0.0 if kind in (PATH, FAR_ARC) else 1.0, s)
        if kind == EVEN_PATH:
            more, least = _from_even(problem, guess, least, allowed, start, factor, s)
        elif kind in (BEST_PATH, PATH):
            unit = problem.scale if kind == BEST_PATH else largest_impulse(problem, current)
            more, least = follow_by_tau(problem, least, allowed, start * unit, factor, s)
        else:
            unit = largest_impulse(problem, current) if kind == FAR_ARC else problem.scale
            more, least = follow_by_length(problem, least, allowed, start * unit, factor, s)
        done += more
        if least > CONVERGED:
            more, least = polish(problem, least, 12, 1e-6, s)
            done += more
    for k in range(n):
        for i in range(6):
            w[k, i] = s.best.w[k, i]
    for j in range(axes):
        impulses.joint[j] = s.best.joint[j]
    for c in range(contacts):
        for i in range(5):
            impulses.contact[c, i] = s.best.contact[c, i]
    return done, least


@inlined
def _is_even(problem: SpatialProblem) -> bool:
    """Whether friction is the same forwards and backwards in all contacts."""
    for c in range(problem.first[problem.axis.shape[0]]):
        if problem.gain[c, SHARE_PLUS] != problem.gain[c, SHARE_MINUS]:
            return False
    return True


@jit
def _from_even(
    problem: SpatialProblem,
    guess: SpatialImpulses,
    least: float,
    most: int,
    start: float,
    factor: float,
    s: RescueScratch,
) -> tuple[int, float]:
    """Follow a path to the solution with the larger friction in both directions, then a path to the actual solution.

    If friction differs by a factor of hundreds between the directions, other paths end where the
    force changes direction. Return the number of linear solves and the least residual so far.
    """
    contacts = int(problem.first[problem.axis.shape[0]])
    # unused while a path is followed by tau
    shares = s.anchor.contact
    before = s.ahead
    copy(s.best, contacts, before)
    begin(problem, s.current, guess, 0.0, s)
    for c in range(contacts):
        plus = problem.gain[c, SHARE_PLUS]
        minus = problem.gain[c, SHARE_MINUS]
        shares[c, LAW_T] = plus
        shares[c, LAW_T2] = minus
        problem.gain[c, SHARE_PLUS] = problem.gain[c, SHARE_MINUS] = max(plus, minus)
    unit = largest_impulse(problem, s.current)
    done, even = follow_by_tau(problem, math.inf, most, start * unit, factor, s)
    for c in range(contacts):
        problem.gain[c, SHARE_PLUS] = shares[c, LAW_T]
        problem.gain[c, SHARE_MINUS] = shares[c, LAW_T2]
    if not even < math.inf:
        copy(before, contacts, s.best)
        return done, least
    copy(s.best, contacts, s.current)
    copy(before, contacts, s.best)
    least = keep_best(problem, s.current, least, s)
    if least > CONVERGED:  # as for BEST_PATH
        more, least = follow_by_tau(problem, least, most - done, 0.1 * problem.scale, 1e4, s)
        done += more
    return done, least


@jit
def _copy_from(impulses: SpatialImpulses, w: FloatArray, contacts: int, out: Point) -> None:
    for k in range(w.shape[0]):
        for i in range(6):
            out.w[k, i] = w[k, i]
    for j in range(impulses.joint.shape[0]):
        out.joint[j] = impulses.joint[j]
    for c in range(contacts):
        for i in range(5):
            out.contact[c, i] = impulses.contact[c, i]
