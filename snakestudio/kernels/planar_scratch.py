"""Workspace shared by the parts of the planar contact solver, and their common functions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.planar_chain import A_VV, A_VW, B_W, B_X, B_Y, WW, XW, XX, XY, YW, YY, B
from snakestudio.kernels.planar_problem import (
    INERTIA,
    LAW_WIDTH,
    MASS,
    NORMAL,
    OVER_INERTIA,
    OVER_MASS,
    RATE_1,
    RATE_2,
    TANGENT,
    TURN,
    ChainProblem,
)
from snakestudio.kernels.planar_rescue import PlanarRescue, make_planar_rescue
from snakestudio.kernels.vec3 import dot, times, vec3, vec3_add_at, vec3_at

# Entries of ChainScratch.friction.
GAMMA_1, GAMMA_2, N_1, N_2, NORM, BETA, SIDE = range(7)
# Entries of ChainScratch.contact.
GAMMA_N, Y_N, R_N, GAMMA_T, Y_T, R_T = range(6)
# Entries of ChainScratch.stop, followed by those of `solve_chain`.
GAMMA_S, Y_S = range(2)
# Entries of ChainScratch.old_contact and old_stop.
OLD_GAMMA_N, OLD_N, OLD_GAMMA_T, OLD_T = range(4)
OLD_GAMMA_S, OLD_S = range(2)


class ChainScratch(NamedTuple):
    """Workspace for n links and up to c obstacle contacts; few arrays, because each costs compile time."""

    friction: FloatArray
    """For every link: sliding velocity gamma (2, scaled), unit vector n of P - r gamma (2), its
    length, beta; and for direction-dependent friction, the share of the side of P - r
    gamma."""

    contact: FloatArray
    """For every obstacle contact: gamma, P - r gamma, r; the same for its friction, r = 0 without
    friction."""

    stop: FloatArray
    """For every joint: gamma and P - r gamma of its limit, stiffness B and right-hand side q (see
    `solve_chain`)."""

    local: FloatArray
    """See `solve_chain` and `solve_chain_skew`."""

    eliminated: FloatArray
    """See `solve_chain` and `solve_chain_skew`."""

    du: FloatArray
    """See `solve_chain` and `solve_chain_skew`."""

    old_link: FloatArray
    """Previous iterate: u (3), friction impulse (2), its gamma (2)."""

    old_contact: FloatArray
    """gamma and impulse of the contacts, normal and tangential, in the previous iterate."""

    old_stop: FloatArray
    """gamma and impulse of the stops in the previous iterate."""

    law: FloatArray
    """Softened copy of `ChainProblem.law`."""

    rescue: PlanarRescue


def make_scratch(n_links: int, capacity: int) -> ChainScratch:
    """Workspace for `n_links` links and `capacity` obstacle contacts."""
    n = n_links
    c = capacity
    j = n_links - 1
    return ChainScratch(
        friction=np.zeros((n, 7)),
        contact=np.zeros((c, 6)),
        stop=np.zeros((j, 4)),
        local=np.zeros((n, 12)),
        eliminated=np.zeros((n, 4)),
        du=np.zeros((n, 3)),
        old_link=np.zeros((n, 7)),
        old_contact=np.zeros((c, 4)),
        old_stop=np.zeros((j, 2)),
        law=np.zeros((n, LAW_WIDTH)),
        rescue=make_planar_rescue(n, c),
    )


@inlined
def relative_velocities(
    problem: ChainProblem,
    u: FloatArray,
    friction: FloatArray,
    contact: FloatArray,
    stop: FloatArray,
) -> None:
    """Set the first columns of the outputs to the relative velocities gamma = W^T u (P2 (59), (60)) of all laws."""
    n = u.shape[0]
    law = problem.law
    for k in range(n):
        cos = problem.cos[k]
        sin = problem.sin[k]
        vx = u[k, X]
        vy = u[k, Y]
        friction[k, GAMMA_1] = law[k, RATE_1] * (cos * vx + sin * vy)
        friction[k, GAMMA_2] = law[k, RATE_2] * (cos * vy - sin * vx)
    for c in range(problem.n_contacts):
        k = problem.link[c]
        contact[c, GAMMA_N] = dot(vec3_at(problem.rows, c, NORMAL), vec3(u, k))
    if problem.n_stops > 0:
        for k in range(n - 1):
            stop[k, GAMMA_S] = problem.stops[k] * (u[k + 1, TURN] - u[k, TURN])


@inlined
def sliding_velocities(
    problem: ChainProblem, u: FloatArray, contact: FloatArray, column: int
) -> None:
    """Compute the scaled sliding velocities on the obstacles, in `column` of `contact`."""
    for c in range(problem.n_contacts):
        k = problem.link[c]
        contact[c, column] = dot(vec3_at(problem.rows, c, TANGENT), vec3(u, k))


@inlined
def assemble_inertia(problem: ChainProblem, u: FloatArray, local: FloatArray, k: int) -> None:
    """Initialize the local quadratic of link k: its inertia, and the momentum missing at `u`."""
    mass = problem.links[k, MASS]
    inertia = problem.links[k, INERTIA]
    local[k, XX] = mass
    local[k, XY] = 0.0
    local[k, YY] = mass
    local[k, XW] = 0.0
    local[k, YW] = 0.0
    local[k, WW] = inertia
    local[k, B_X] = mass * (problem.u_free[k, X] - u[k, X])
    local[k, B_Y] = mass * (problem.u_free[k, Y] - u[k, Y])
    local[k, B_W] = inertia * (problem.u_free[k, TURN] - u[k, TURN])


@inlined
def add_contact(
    local: FloatArray,
    k: int,
    rows: FloatArray,
    c: int,
    first: int,
    stiffness: float,
    impulse: float,
) -> None:
    """Add a law of an obstacle contact to link k: B w w^T and `impulse` w, w = rows[c, first:][:3]."""
    nx, ny, arm = vec3_at(rows, c, first)
    vec3_add_at(local, k, A_VV, (stiffness * nx * nx, stiffness * nx * ny, stiffness * ny * ny))
    vec3_add_at(local, k, A_VW, (stiffness * nx * arm, stiffness * ny * arm, stiffness * arm * arm))
    vec3_add_at(local, k, B, times(impulse, (nx, ny, arm)))


@inlined
def contact_response(problem: ChainProblem, k: int, x: float, y: float, arm: float) -> float:
    """Change of the velocity along (x, y, arm) of the free link k per unit impulse along it, 1/kg."""
    response: float = (x * x + y * y) * problem.links[k, OVER_MASS] + arm * arm * problem.links[
        k, OVER_INERTIA
    ]
    return response


@inlined
def stop_gain(problem: ChainProblem, k: int) -> float:
    """Gain r of the limit of joint k, kg m^2: the reduced inertia of its two free links."""
    gain: float = 1.0 / (problem.links[k, OVER_INERTIA] + problem.links[k + 1, OVER_INERTIA])
    return gain
