"""A chain of equal links described by its centre of mass and the directions of its links (paper P4, (2) to (8)).

With e_j the direction of link j, l half a link and n links, link i has its centre of gravity at
r_i = p + l sum_j K_ij e_j, K_ij = S_ij - (sum_i S_ij) / n, where S_ij is 2 before, 1 at and 0 behind link i: (2), (3)
with (7), (8) put in. K is constant, and its columns add up to zero: p takes no part in what turns the links.
"""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.vec3 import X, Y

__all__ = ["gather_on_angles", "inertia_and_bias", "spread_from_centre"]


@inlined
def spread_from_centre(part: FloatArray, half: float, centre: FloatArray, out: FloatArray) -> None:
    """out_i = centre + half sum_j K_ij part_j: places of the links from directions, velocities from their rates.

    Parameters
    ----------
    part : (n, 2)
        e_j, or its derivative.
    half : float
        Half the length of a link, m.
    centre : (n + 2,)
        Ends with the centre of mass, or its velocity.
    out : (n, 2)
        Filled.
    """
    n = part.shape[0]
    ax = ay = sum_x = sum_y = 0.0
    for i in range(n):
        px, py = half * part[i, X], half * part[i, Y]
        out[i, X] = ax + px
        out[i, Y] = ay + py
        sum_x += ax + px
        sum_y += ay + py
        ax += 2.0 * px
        ay += 2.0 * py
    for i in range(n):
        out[i, X] += centre[n] - sum_x / n
        out[i, Y] += centre[n + 1] - sum_y / n


@inlined
def gather_on_angles(force: FloatArray, half: float, cos: FloatArray, sin: FloatArray, out: FloatArray) -> None:
    """Add to out_j what forces on all links do along theta_j, half n_j . sum_i K_ij force_i: the angles' part of (18).

    Parameters
    ----------
    force : (n, 2)
        At the centres of gravity, world frame, N.
    half : float
        Half the length of a link, m.
    cos, sin : (n,)
        Directions of the links.
    out : (n,)
        N m.
    """
    n = force.shape[0]
    sum_x = sum_y = 0.0
    for i in range(n):
        sum_x += force[i, X]
        sum_y += force[i, Y]
    behind_x = behind_y = 0.0
    for j in range(n - 1, -1, -1):
        share = (2.0 * (n - 1 - j) + 1.0) / n
        x = 2.0 * behind_x + force[j, X] - share * sum_x
        y = 2.0 * behind_y + force[j, Y] - share * sum_y
        out[j] += half * (cos[j] * y - sin[j] * x)
        behind_x += force[j, X]
        behind_y += force[j, Y]


@inlined
def inertia_and_bias(
    coupling: FloatArray, inertia: float, cos: FloatArray, sin: FloatArray, omega: FloatArray, matrix: FloatArray,
    bias: FloatArray,
) -> None:  # fmt: skip
    """The angles' block of the mass matrix and of C x' (P4 (11)), in the coordinates (theta_1 ... theta_n, p).

    M_ij = J delta_ij + coupling_ij cos(theta_i - theta_j), (C x')_i = sum_j coupling_ij sin(theta_i - theta_j)
    omega_j^2. The centre of mass is coupled to no angle; its block is the total mass.

    Parameters
    ----------
    coupling : (n, n)
        m l^2 K^T K, kg m^2.
    inertia : float
        J of a link, kg m^2.
    cos, sin : (n,)
    omega : (n or more,)
        Turn rates of the links, rad/s.
    matrix, bias : (n, n), (n,)
        Filled: kg m^2, N m.
    """
    n = cos.shape[0]
    for i in range(n):
        turning = 0.0
        for j in range(n):
            matrix[i, j] = coupling[i, j] * (cos[i] * cos[j] + sin[i] * sin[j])
            turning += coupling[i, j] * (sin[i] * cos[j] - cos[i] * sin[j]) * omega[j] * omega[j]
        matrix[i, i] = inertia + coupling[i, i]
        bias[i] = turning
