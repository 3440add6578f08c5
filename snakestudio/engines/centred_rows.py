"""What rows of the formulations in the coordinates (theta_1 ... theta_n, p) have in common."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.centred_chain import spread_from_centre
from snakestudio.kernels.trig import sin_cos

__all__ = ["write_centred_links"]

FloatArray = NDArray[np.float64]


@inlined
def write_centred_links(
    half: float, height: float, mass: float, inertia: float, x: FloatArray, v: FloatArray, theta: FloatArray,
    cos: FloatArray, sin: FloatArray, part: FloatArray, place: FloatArray, rows: RowBuffers, i: int,
) -> float:  # fmt: skip
    """Write places and velocities of all links into row `i`; returns the kinetic energy, J.

    Parameters
    ----------
    half, height, mass, inertia : float
        Half the length of a link and the height it is shown at, m; kg; kg m^2.
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
        part[k, 0] = cos[k]
        part[k, 1] = sin[k]
    spread_from_centre(part, half, x, place)
    for k in range(n):
        rows.link_pose[i, k, 0] = place[k, 0]
        rows.link_pose[i, k, 1] = place[k, 1]
        rows.link_pose[i, k, 2] = height
        rows.link_pose[i, k, 3] = math.cos(0.5 * theta[k])
        rows.link_pose[i, k, 6] = math.sin(0.5 * theta[k])
        part[k, 0] = -sin[k] * v[k]
        part[k, 1] = cos[k] * v[k]
    spread_from_centre(part, half, v, place)
    kinetic = 0.0
    for k in range(n):
        vx, vy, omega = place[k, 0], place[k, 1], v[k]
        rows.link_twist[i, k, 0] = vx
        rows.link_twist[i, k, 1] = vy
        rows.link_twist[i, k, 5] = omega
        kinetic += 0.5 * (mass * (vx * vx + vy * vy) + inertia * omega * omega)
    return kinetic
