"""Rows of the formulations in the coordinates (theta_1 ... theta_n, p)."""

from __future__ import annotations

import math
from typing import Protocol

from snakestudio._arrays import FloatArray
from snakestudio.engines.row_buffers import ANGLE, QUAT_W, QUAT_Z, RATE, TURN_Z, RowBuffers
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.kernels.centred_chain import spread_from_centre
from snakestudio.kernels.smooth_robot import CentredChain
from snakestudio.kernels.trig import sin_cos

# Values of snakestudio.model.snapshot.ContactState and GROUND: a smoothed law has no sticking, so
# all contacts slip.
SLIP = 2
GROUND = -1


class _CentredWork(Protocol):
    """Common part of both formulations' workspaces; directions are those of the links."""

    @property
    def theta(self) -> FloatArray: ...

    @property
    def cos(self) -> FloatArray: ...

    @property
    def sin(self) -> FloatArray: ...

    @property
    def part(self) -> FloatArray: ...

    @property
    def place(self) -> FloatArray: ...


@inlined
def write_centred_links(
    chain: CentredChain,
    height: FloatArray,
    x: FloatArray,
    v: FloatArray,
    work: _CentredWork,
    rows: RowBuffers,
    i: int,
) -> float:
    """Write positions and velocities of all links into row `i`; returns the kinetic energy, J.

    Parameters
    ----------
    height : (n,)
        Height at which the links are shown, m.
    x, v : (n + 2,)
        Angles and centre of mass, and their derivatives.
    """
    theta = work.theta
    cos = work.cos
    sin = work.sin
    part = work.part
    place = work.place
    n = theta.shape[0]
    for k in range(n):
        theta[k] = x[k]
    sin_cos(theta, cos, sin)
    for k in range(n):
        part[k, X] = cos[k]
        part[k, Y] = sin[k]
    spread_from_centre(part, chain, x, place)
    for k in range(n):
        rows.link_pose[i, k, X] = place[k, X]
        rows.link_pose[i, k, Y] = place[k, Y]
        rows.link_pose[i, k, Z] = height[k]
        rows.link_pose[i, k, QUAT_W] = math.cos(0.5 * theta[k])
        rows.link_pose[i, k, QUAT_Z] = math.sin(0.5 * theta[k])
        part[k, X] = -sin[k] * v[k]
        part[k, Y] = cos[k] * v[k]
    spread_from_centre(part, chain, v, place)
    kinetic = 0.0
    for k in range(n):
        vx = place[k, X]
        vy = place[k, Y]
        omega = v[k]
        rows.link_twist[i, k, X] = vx
        rows.link_twist[i, k, Y] = vy
        rows.link_twist[i, k, TURN_Z] = omega
        kinetic += 0.5 * (chain.mass[k] * (vx * vx + vy * vy) + chain.inertia[k] * omega * omega)
    return kinetic


@inlined
def write_joints(
    x: FloatArray,
    v: FloatArray,
    reference: FloatArray,
    torque: FloatArray,
    rows: RowBuffers,
    i: int,
) -> None:
    """Write angles, rates, references and torques of all joints into row `i`.

    Parameters
    ----------
    x, v : (n + 2,)
        As for `write_centred_links`.
    reference, torque : (n - 1, 2), (n - 1,)
    """
    for k in range(torque.shape[0]):
        rows.joint_angle[i, k] = x[k + 1] - x[k]
        rows.joint_rate[i, k] = v[k + 1] - v[k]
        rows.joint_angle_ref[i, k] = reference[k, ANGLE]
        rows.joint_rate_ref[i, k] = reference[k, RATE]
        rows.joint_torque[i, k] = torque[k]


@inlined
def write_sliding_link(
    k: int, load: float, fx: float, fy: float, rows: RowBuffers, i: int, at: int
) -> int:
    """Write the action of the ground on link `k` as contact `at` of row `i`, if there is any; return the next index.

    `load`, `fx` and `fy` are the impulses of the normal force and of friction, N s.
    """
    if not (load > 0.0 or fx != 0.0 or fy != 0.0):  # viscous friction needs no load
        return at
    rows.contact_link[at] = k
    rows.contact_other[at] = GROUND
    rows.contact_state[at] = SLIP
    rows.contact_point[at, X] = rows.link_pose[i, k, X]
    rows.contact_point[at, Y] = rows.link_pose[i, k, Y]
    rows.contact_normal[at, Z] = load
    rows.contact_friction[at, X] = fx
    rows.contact_friction[at, Y] = fy
    return at + 1
