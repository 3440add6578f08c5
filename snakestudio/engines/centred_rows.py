"""What rows of the formulations in the coordinates (theta_1 ... theta_n, p) have in common."""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.engines.row_buffers import QUAT_W, QUAT_Z, TURN_Z, RowBuffers
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.centred_chain import spread_from_centre
from snakestudio.kernels.smooth_robot import CentredChain
from snakestudio.kernels.trig import sin_cos
from snakestudio.kernels.vec3 import X, Y, Z

__all__ = ["write_centred_links"]


@inlined
def write_centred_links(
    chain: CentredChain,
    height: FloatArray,
    x: FloatArray,
    v: FloatArray,
    theta: FloatArray,
    cos: FloatArray,
    sin: FloatArray,
    part: FloatArray,
    place: FloatArray,
    rows: RowBuffers,
    i: int,
) -> float:
    """Write places and velocities of all links into row `i`; returns the kinetic energy, J.

    Parameters
    ----------
    height : (n,)
        At which the links are shown, m.
    x, v : (n + 2,)
        Angles and centre of mass, and their derivatives.
    theta, cos, sin, part, place : (n,), (n,), (n,), (n, 2), (n, 2)
        Workspace.
    """
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
