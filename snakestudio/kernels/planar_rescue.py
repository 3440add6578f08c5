"""A planar chain as one in space, so that `contact_rescue` solves what the planar Newton iteration leaves unsolved.

The plane is z = 0: links turn about z, joints by their yaw, and nothing pushes out of it. The ground's friction, whose
load is given, is a contact without a normal law.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import jit
from snakestudio.kernels.contact_rescue import RescueScratch, make_rescue_scratch, rescue
from snakestudio.kernels.planar_problem import ChainImpulses, ChainProblem
from snakestudio.kernels.spatial_chain import prepare_inertia
from snakestudio.kernels.spatial_problem import SpatialImpulses, SpatialProblem

__all__ = ["PlanarRescue", "make_planar_rescue", "rescue_contacts"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class PlanarRescue(NamedTuple):
    """Workspace for n links and c obstacle contacts.

    Attributes
    ----------
    axis, joint, free, still, stop, first, rows, gain : arrays
        Of the `SpatialProblem`, with n + c contacts; `still` is drive and drag of the joints, which are 0.
    impulses, guess : SpatialImpulses
    w : (n, 6)
    scratch : RescueScratch
    """

    axis: FloatArray
    joint: FloatArray
    free: FloatArray
    still: FloatArray
    stop: FloatArray
    first: IntArray
    rows: FloatArray
    gain: FloatArray
    impulses: SpatialImpulses
    guess: SpatialImpulses
    w: FloatArray
    scratch: RescueScratch


def make_planar_rescue(n_links: int, capacity: int) -> PlanarRescue:
    """Workspace for `n_links` links and `capacity` obstacle contacts."""
    n, c, j = n_links, n_links + capacity, n_links - 1
    return PlanarRescue(
        axis=np.zeros((n, 3)),
        joint=np.zeros((j, 12)),
        free=np.zeros((n, 6)),
        still=np.zeros((j, 2)),
        stop=np.zeros((j, 2)),
        first=np.zeros(n + 1, np.int64),
        rows=np.zeros((c, 40)),
        gain=np.zeros((c, 3)),
        impulses=SpatialImpulses(np.zeros((c, 5)), np.zeros((j, 2))),
        guess=SpatialImpulses(np.zeros((c, 5)), np.zeros((j, 2))),
        w=np.zeros((n, 6)),
        scratch=make_rescue_scratch(n, c, np.zeros((n, 48))),
    )


@jit
def _put_row(s: PlanarRescue, c: int, law: int, x: float, y: float, arm: float, shift: float) -> None:
    """Force direction of a law: (x, y) at the centre of gravity and the moment `arm`; `shift` more about p_k."""
    s.rows[c, 8 * law] = x
    s.rows[c, 8 * law + 1] = y
    s.rows[c, 8 * law + 5] = arm + shift


@jit
def _convert(problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, s: PlanarRescue) -> SpatialProblem:
    """The problem in space; its impulses and velocities go to `s.impulses` and `s.w`."""
    n = u.shape[0]
    half = problem.half_length
    rough = max(problem.mu_along, problem.mu_across)
    contact = s.impulses.contact
    c = ordinal = 0
    for k in range(n):
        cos, sin = problem.cos[k], problem.sin[k]
        s.axis[k, 0] = cos
        s.axis[k, 1] = sin
        for i in range(2):
            s.free[k, i] = problem.u_free[k, i]
        s.free[k, 5] = problem.u_free[k, 2]
        s.w[k, 0] = u[k, 0] + half * sin * u[k, 2]
        s.w[k, 1] = u[k, 1] - half * cos * u[k, 2]
        s.w[k, 2] = s.w[k, 3] = s.w[k, 4] = 0.0
        s.w[k, 5] = u[k, 2]
        s.first[k] = c
        if rough > 0.0 and problem.load > 0.0:
            for i in range(40):
                s.rows[c, i] = 0.0
            mu_1, mu_2 = problem.mu_along, problem.mu_across
            _put_row(s, c, 1, mu_1 * cos, mu_1 * sin, 0.0, 0.0)
            _put_row(s, c, 2, -mu_2 * sin, mu_2 * cos, 0.0, half * mu_2)
            s.gain[c, 0] = 0.0
            s.gain[c, 1] = problem.mass / (rough * rough)
            contact[c, 0] = problem.load
            contact[c, 1] = impulses.friction[k, 0]
            contact[c, 2] = impulses.friction[k, 1]
            c += 1
        while ordinal < problem.n_contacts and problem.link[ordinal] == k:
            for i in range(40):
                s.rows[c, i] = 0.0
            x, y, arm = problem.rows[ordinal, 0], problem.rows[ordinal, 1], problem.rows[ordinal, 2]
            _put_row(s, c, 0, x, y, arm, half * (cos * y - sin * x))
            s.gain[c, 0] = 1.0 / (1.0 / problem.mass + arm * arm / problem.inertia)
            x, y, arm = problem.rows[ordinal, 3], problem.rows[ordinal, 4], problem.rows[ordinal, 5]
            _put_row(s, c, 1, x, y, arm, half * (cos * y - sin * x))
            own = (x * x + y * y) / problem.mass + arm * arm / problem.inertia
            s.gain[c, 1] = 1.0 / own if own > 0.0 else 0.0
            contact[c, 0] = impulses.normal[ordinal]
            contact[c, 1] = impulses.tangent[ordinal]
            contact[c, 2] = 0.0
            c += 1
            ordinal += 1
    s.first[n] = c
    for k in range(n - 1):
        joint = s.joint[k]
        joint[2] = 1.0
        joint[3] = -problem.sin[k + 1]
        joint[4] = problem.cos[k + 1]
        joint[6] = 2.0 * half * problem.cos[k]
        joint[7] = 2.0 * half * problem.sin[k]
        s.stop[k, 0] = problem.stops[k]
        s.impulses.stop[k, 0] = impulses.stop[k]
    return SpatialProblem(
        problem.mass, problem.inertia, problem.inertia, half, 0.0, problem.scale, s.axis, s.joint, s.free, s.still,
        s.still, s.stop, problem.n_stops, s.first, s.rows, s.gain,
    )  # fmt: skip


@jit
def rescue_contacts(problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, most: int, s: PlanarRescue) -> int:
    """Solve a step's contact problem that Newton's iteration left unsolved.

    Parameters
    ----------
    problem : ChainProblem
    impulses : ChainImpulses
    u : (n, 3)
        What there is so far, on entry; the best that was found, on return.
    most : int
        Linear solves at most.
    s : PlanarRescue

    Returns
    -------
    int
        Linear solves taken.
    """
    n = u.shape[0]
    converted = _convert(problem, impulses, u, s)
    prepare_inertia(converted, s.scratch.inertia)
    for c in range(s.first[n]):
        for i in range(5):
            s.guess.contact[c, i] = s.impulses.contact[c, i]
    for k in range(n - 1):
        s.guess.stop[k, 0] = s.impulses.stop[k, 0]
    done, _ = rescue(converted, s.impulses, s.w, s.guess, most, s.scratch)
    half = problem.half_length
    contact = s.impulses.contact
    ordinal = 0
    for k in range(n):
        omega = s.w[k, 5]
        u[k, 0] = s.w[k, 0] - half * problem.sin[k] * omega
        u[k, 1] = s.w[k, 1] + half * problem.cos[k] * omega
        u[k, 2] = omega
        for c in range(s.first[k], s.first[k + 1]):
            if s.gain[c, 0] == 0.0:
                impulses.friction[k, 0] = contact[c, 1]
                impulses.friction[k, 1] = contact[c, 2]
            else:
                impulses.normal[ordinal] = contact[c, 0]
                impulses.tangent[ordinal] = contact[c, 1]
                ordinal += 1
    for k in range(n - 1):
        impulses.stop[k] = s.impulses.stop[k, 0]
    return done
