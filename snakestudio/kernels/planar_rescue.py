"""Conversion of a planar chain to a spatial one, so that `contact_rescue` solves what the planar solver could not.

The plane is z = 0: links turn about z, joints by their yaw, and no force acts out of the plane. The
ground's friction, whose load is given, is a contact without a normal law.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.kernels._jit import jit
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.kernels.contact_rescue import rescue
from snakestudio.kernels.planar_problem import (
    ACROSS,
    AGAINST,
    ALONG,
    FORCE_1,
    FORCE_2,
    HALVES,
    INERTIA,
    LENGTH,
    NORMAL,
    OVER_INERTIA,
    OVER_MASS,
    PROX,
    TANGENT,
    TURN,
    WITH,
    ChainImpulses,
    ChainProblem,
)
from snakestudio.kernels.planar_problem import FRONT as LINK_FRONT
from snakestudio.kernels.planar_problem import MASS as LINK_MASS
from snakestudio.kernels.planar_problem import REAR as LINK_REAR
from snakestudio.kernels.rescue_points import rescue_workspace
from snakestudio.kernels.spatial_problem import ACROSS as ACROSS_THE_LINK
from snakestudio.kernels.spatial_problem import (
    AXIAL,
    AXIS_WIDTH,
    AXIS_Z,
    DRAG,
    FRONT,
    GAIN_N,
    GAIN_T,
    GAIN_WIDTH,
    IMPULSE_HIGH,
    IMPULSE_LOW,
    INVERSE_MINUS,
    INVERSE_PLUS,
    LAW_GAIN,
    LAW_N,
    LAW_T,
    LAW_T2,
    LINK_WIDTH,
    MASS,
    REAR,
    REBOUND,
    RX,
    RY,
    RZ,
    SHARE_MINUS,
    SHARE_PLUS,
    SpatialImpulses,
    SpatialProblem,
)
from snakestudio.kernels.vec3 import vec3_at

PER_LINK = 15 + LINK_WIDTH
PER_JOINT = 5 + AXIS_WIDTH
PER_CONTACT = 50 + GAIN_WIDTH
"""Numbers of entries that the `Parts` need per link, joint and contact."""


class PlanarRescue(NamedTuple):
    """Workspace for n links and c obstacle contacts: few arrays, because each argument of a step costs time."""

    workspace: FloatArray
    """Storage of the `Parts`, followed by a `rescue_workspace`, for n + c contacts."""

    first: IntArray
    """As in `SpatialProblem`."""

    joints: IntArray
    """As in `SpatialProblem`."""

    guess: ChainImpulses
    """Impulses of the previous step, unaffected by the failed iteration; must be filled before
    `rescue_contacts`."""


class Parts(NamedTuple):
    """Views into `PlanarRescue.workspace`."""

    links: FloatArray
    """As in `SpatialProblem`."""

    axis: FloatArray
    """As in `SpatialProblem`."""

    reach: FloatArray
    """As in `SpatialProblem`."""

    axes: FloatArray
    """As in `SpatialProblem`; the drive of all axes is 0 because it is contained in `free`."""

    free: FloatArray
    """As in `SpatialProblem`."""

    rows: FloatArray
    """As in `SpatialProblem`."""

    gain: FloatArray
    """As in `SpatialProblem`."""

    impulses: SpatialImpulses
    """Impulses."""

    guess: SpatialImpulses
    """Impulses of the previous step."""

    w: FloatArray
    """Twists of the links."""

    rescue: FloatArray
    """Workspace of `rescue`."""


def make_planar_rescue(n_links: int, capacity: int) -> PlanarRescue:
    """Workspace for `n_links` links and `capacity` obstacle contacts."""
    n = n_links
    c = n_links + capacity
    j = n_links - 1
    parts = PER_LINK * n + PER_JOINT * j + PER_CONTACT * c
    guess = ChainImpulses(np.zeros((n, 2)), np.zeros(capacity), np.zeros(capacity), np.zeros(j))
    return PlanarRescue(
        np.zeros(parts + len(rescue_workspace(n, j, c))),
        np.zeros(n + 1, np.int64),
        np.arange(n),
        guess,
    )


@jit
def _put_row(s: Parts, c: int, law: int, x: float, y: float, arm: float, shift: float) -> None:
    """Set the force direction of a law: (x, y) at the centre of gravity with moment `arm`, plus `shift` about p_k."""
    s.rows[c, 8 * law] = x
    s.rows[c, 8 * law + 1] = y
    s.rows[c, 8 * law + 5] = arm + shift


@jit
def _put_shares(gain: FloatArray, c: int, plus: float, minus: float) -> None:
    """Set the shares of the friction along that forces along and against the link reach, and their inverses."""
    gain[c, SHARE_PLUS] = plus
    gain[c, SHARE_MINUS] = minus
    gain[c, INVERSE_PLUS] = 1.0 / plus if plus > 0.0 else 0.0
    gain[c, INVERSE_MINUS] = 1.0 / minus if minus > 0.0 else 0.0


@jit
def _convert(
    problem: ChainProblem,
    impulses: ChainImpulses,
    u: FloatArray,
    guess: ChainImpulses,
    s: Parts,
    first: IntArray,
    joints: IntArray,
) -> SpatialProblem:
    """Fill the spatial problem; impulses, velocities and guess are written to `s.impulses`, `s.w` and `s.guess`."""
    n = u.shape[0]
    contact = s.impulses.contact
    before = s.guess.contact
    c = ordinal = axes = 0
    shortest = math.inf  # length that scales the impulses of all joint limits
    for k in range(n):
        cos = problem.cos[k]
        sin = problem.sin[k]
        link = problem.links[k]
        rear = link[LINK_REAR]
        shortest = min(shortest, link[LENGTH])
        s.links[k, MASS] = link[LINK_MASS]
        s.links[k, ACROSS_THE_LINK] = s.links[k, AXIAL] = link[INERTIA]
        s.links[k, REAR] = rear
        s.links[k, FRONT] = link[LINK_FRONT]
        s.axis[k, X] = cos
        s.axis[k, Y] = sin
        for i in range(2):
            s.free[k, i] = problem.u_free[k, i]
        s.free[k, RZ] = problem.u_free[k, TURN]
        s.w[k, X] = u[k, X] + rear * sin * u[k, TURN]
        s.w[k, Y] = u[k, Y] - rear * cos * u[k, TURN]
        s.w[k, Z] = s.w[k, RX] = s.w[k, RY] = 0.0
        s.w[k, RZ] = u[k, TURN]
        first[k] = c
        if problem.law[k, PROX] > 0.0 and problem.load[k] > 0.0:
            for i in range(40):
                s.rows[c, i] = 0.0
            mu_1, mu_2 = problem.law[k, FORCE_1], problem.law[k, FORCE_2]
            _put_row(s, c, 1, mu_1 * cos, mu_1 * sin, 0.0, 0.0)
            _put_row(s, c, 2, -mu_2 * sin, mu_2 * cos, 0.0, rear * mu_2)
            _put_shares(s.gain, c, problem.law[k, WITH], problem.law[k, AGAINST])
            s.gain[c, GAIN_N] = 0.0
            s.gain[c, GAIN_T] = problem.law[k, PROX]
            contact[c, LAW_N] = problem.load[k]
            contact[c, LAW_T] = impulses.friction[k, ALONG]
            contact[c, LAW_T2] = impulses.friction[k, ACROSS]
            before[c, LAW_N] = problem.load[k]
            before[c, LAW_T] = guess.friction[k, ALONG]
            before[c, LAW_T2] = guess.friction[k, ACROSS]
            c += 1
        while ordinal < problem.n_contacts and problem.link[ordinal] == k:
            for i in range(40):
                s.rows[c, i] = 0.0
            x, y, arm = vec3_at(problem.rows, ordinal, NORMAL)
            _put_row(s, c, 0, x, y, arm, rear * (cos * y - sin * x))
            _put_shares(s.gain, c, 1.0, 1.0)
            s.gain[c, GAIN_N] = 1.0 / (link[OVER_MASS] + arm * arm * link[OVER_INERTIA])
            x, y, arm = vec3_at(problem.rows, ordinal, TANGENT)
            _put_row(s, c, 1, x, y, arm, rear * (cos * y - sin * x))
            own = (x * x + y * y) * link[OVER_MASS] + arm * arm * link[OVER_INERTIA]
            s.gain[c, GAIN_T] = 1.0 / own if own > 0.0 else 0.0
            contact[c, LAW_N] = impulses.normal[ordinal]
            contact[c, LAW_T] = impulses.tangent[ordinal]
            contact[c, LAW_T2] = 0.0
            before[c, LAW_N] = guess.normal[ordinal]
            before[c, LAW_T] = guess.tangent[ordinal]
            before[c, LAW_T2] = 0.0
            c += 1
            ordinal += 1
        joints[k] = axes
        if k == n - 1:
            continue
        reach = s.reach[k]
        reach[X] = link[LINK_REAR] * cos + link[LINK_FRONT] * cos
        reach[Y] = link[LINK_REAR] * sin + link[LINK_FRONT] * sin
        if problem.drag[k] == math.inf:  # the joint is fixed
            continue
        axis = s.axes[axes]
        axis[AXIS_Z] = 1.0
        axis[LAW_GAIN] = 1.0 / (link[OVER_INERTIA] + problem.links[k + 1, OVER_INERTIA])
        axis[DRAG] = problem.drag[k]
        axis[IMPULSE_LOW] = -math.inf if problem.stops[k] < 0.0 else 0.0
        axis[IMPULSE_HIGH] = math.inf if problem.stops[k] > 0.0 else 0.0
        axis[REBOUND] = 0.0
        s.impulses.joint[axes] = problem.stops[k] * impulses.stop[k]
        s.guess.joint[axes] = problem.stops[k] * guess.stop[k]
        axes += 1
    first[n] = c
    return SpatialProblem(
        s.links,
        joints,
        0.5 * shortest,
        problem.scale,
        0,
        s.axis,
        s.reach,
        s.axes,
        s.free,
        problem.n_stops,
        first,
        s.rows,
        s.gain,
    )


@jit
def rescue_contacts(
    problem: ChainProblem, impulses: ChainImpulses, u: FloatArray, most: int, scratch: PlanarRescue
) -> int:
    """Solve a step's contact problem that Newton's iteration left unsolved.

    Only discs and half ellipses of friction are supported; for other laws nothing is solved (0
    solves).

    Parameters
    ----------
    u : (n, 3)
        Initial velocities on entry, the best result on return.
    most : int
        Largest number of linear solves.
    scratch : PlanarRescue
        Contains the guess.

    Returns
    -------
    int
        Number of linear solves.
    """
    if problem.kind > HALVES:
        return 0
    n = u.shape[0]
    first = scratch.first
    # Compiled functions cannot return arrays, so the workspace is divided here.
    workspace = scratch.workspace
    joints = n - 1
    contacts = n + impulses.normal.shape[0]
    at_joints = PER_LINK * n
    axes = 0
    for k in range(joints):
        if problem.drag[k] < math.inf:
            axes += 1
    at_axes = at_joints + 3 * joints
    at_stop = at_axes + AXIS_WIDTH * joints
    at_contacts = at_joints + PER_JOINT * joints
    at_gain = at_contacts + 40 * contacts
    at_impulses = at_gain + GAIN_WIDTH * contacts
    at_guess = at_impulses + 5 * contacts
    at_rescue = at_contacts + PER_CONTACT * contacts
    at_before = at_stop + joints
    s = Parts(
        workspace[15 * n : at_joints].reshape(n, LINK_WIDTH),
        workspace[: 3 * n].reshape(n, 3),
        workspace[at_joints:at_axes].reshape(joints, 3),
        workspace[at_axes : at_axes + AXIS_WIDTH * axes].reshape(axes, AXIS_WIDTH),
        workspace[3 * n : 9 * n].reshape(n, 6),
        workspace[at_contacts:at_gain].reshape(contacts, 40),
        workspace[at_gain:at_impulses].reshape(contacts, GAIN_WIDTH),
        SpatialImpulses(
            workspace[at_impulses:at_guess].reshape(contacts, 5),
            workspace[at_stop : at_stop + axes],
        ),
        SpatialImpulses(
            workspace[at_guess:at_rescue].reshape(contacts, 5),
            workspace[at_before : at_before + axes],
        ),
        workspace[9 * n : 15 * n].reshape(n, 6),
        workspace[at_rescue:],
    )
    converted = _convert(problem, impulses, u, scratch.guess, s, first, scratch.joints)
    done, _ = rescue(converted, s.impulses, s.w, s.guess, most, s.rescue)
    contact = s.impulses.contact
    ordinal = 0
    for k in range(n):
        omega = s.w[k, RZ]
        rear = problem.links[k, LINK_REAR]
        u[k, X] = s.w[k, X] - rear * problem.sin[k] * omega
        u[k, Y] = s.w[k, Y] + rear * problem.cos[k] * omega
        u[k, TURN] = omega
        for c in range(first[k], first[k + 1]):
            if s.gain[c, GAIN_N] == 0.0:
                impulses.friction[k, ALONG] = contact[c, LAW_T]
                impulses.friction[k, ACROSS] = contact[c, LAW_T2]
            else:
                impulses.normal[ordinal] = contact[c, LAW_N]
                impulses.tangent[ordinal] = contact[c, LAW_T]
                ordinal += 1
    for k in range(n - 1):
        if problem.drag[k] < math.inf:
            impulses.stop[k] = problem.stops[k] * s.impulses.joint[scratch.joints[k]]
    return done
