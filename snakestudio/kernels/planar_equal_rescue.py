"""The rescue of contact problems of equal links on ground whose friction is one disc for all of them."""

from __future__ import annotations

from typing import NamedTuple

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.kernels._jit import jit
from snakestudio.kernels.planar_problem import (
    DISC,
    FORCE_1,
    FORCE_2,
    FRONT,
    INERTIA,
    MASS,
    REAR,
    ChainImpulses,
    ChainProblem,
)
from snakestudio.kernels.planar_rescue import PlanarRescue, rescue_contacts

__all__ = ["rescue"]

FIRST = 0


class EqualChain(NamedTuple):
    """A `ChainProblem` of equal links."""

    mass: float
    inertia: float
    front: float
    rear: float
    load: FloatArray
    mu_along: float
    mu_across: float
    scale: float
    cos: FloatArray
    sin: FloatArray
    u_free: FloatArray
    n_contacts: int
    link: IntArray
    rows: FloatArray
    n_rough: int
    stops: FloatArray
    n_stops: int
    drag: FloatArray
    n_drags: int


@jit
def rescue(problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, most: int, scratch: PlanarRescue) -> int:
    """As `rescue_contacts`, where all links are equal; else nothing is done (0 iterations)."""
    links, law, last = problem.links, problem.law, u.shape[0] - 1
    if problem.kind != DISC:
        return 0
    for k in range(last + 1):
        same = links[k, MASS] == links[FIRST, MASS] and links[k, INERTIA] == links[FIRST, INERTIA]
        if not same or law[k, FORCE_1] != law[FIRST, FORCE_1] or law[k, FORCE_2] != law[FIRST, FORCE_2]:
            return 0
        if k < last and (links[k, FRONT] != links[FIRST, FRONT] or links[k + 1, REAR] != links[last, REAR]):
            return 0
        if k < last and not problem.drag[k] < 1e300:
            return 0
    equal = EqualChain(
        links[FIRST, MASS], links[FIRST, INERTIA], links[FIRST, FRONT], links[last, REAR], problem.load,
        law[FIRST, FORCE_1], law[FIRST, FORCE_2], problem.scale, problem.cos, problem.sin, problem.u_free,
        problem.n_contacts, problem.link, problem.rows, problem.n_rough, problem.stops, problem.n_stops, problem.drag,
        problem.n_drags,
    )  # fmt: skip
    return rescue_contacts(equal, impulses, u, most, scratch)  # type: ignore[arg-type]
