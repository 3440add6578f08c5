"""Chain of links described by its centre of mass and the directions of its links (P4 (2) to (8)).

With n links, e_j the direction of link j and l_j half its length, the centre of gravity of link i
is r_i = p + sum_j l_j K_ij e_j, K_ij = S_ij - sum_i w_i S_ij / n: (7) and (8) inserted into (2) and
(3), with w_i the mass of link i divided by the mean mass. S_ij is 2 before link i, b_i at it, and 0
behind it; b_i is the distance of its centre of gravity from the joint before it divided by l_i, 1
in the middle. K is constant, and the sums of its columns weighted by the masses are zero: p is
decoupled from the angles. With equal links, all of this agrees with the paper to the last bit.
"""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.smooth_robot import CentredChain


@inlined
def spread_from_centre(
    part: FloatArray, chain: CentredChain, centre: FloatArray, out: FloatArray
) -> None:
    """Compute out_i = centre + sum_j l_j K_ij part_j: positions of the links, or velocities.

    Parameters
    ----------
    part : (n, 2)
        e_j, or its time derivative.
    centre : (n + 2,)
        Centre of mass, or its velocity, in the last two entries.
    out : (n, 2)
        Filled.
    """
    n = part.shape[0]
    ax = ay = sum_x = sum_y = 0.0
    for i in range(n):
        px, py = chain.half[i] * part[i, X], chain.half[i] * part[i, Y]
        out[i, X] = ax + chain.back[i] * px
        out[i, Y] = ay + chain.back[i] * py
        sum_x += chain.weight[i] * out[i, X]
        sum_y += chain.weight[i] * out[i, Y]
        ax += 2.0 * px
        ay += 2.0 * py
    for i in range(n):
        out[i, X] += centre[n] - sum_x / n
        out[i, Y] += centre[n + 1] - sum_y / n


@inlined
def gather_on_angles(
    force: FloatArray, chain: CentredChain, cos: FloatArray, sin: FloatArray, out: FloatArray
) -> None:
    """Add the generalised force along theta_j, l_j n_j . sum_i K_ij force_i, to out_j: the angles' part of (18).

    Parameters
    ----------
    force : (n, 2)
        At the centres of gravity, in the world frame, N.
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
        x = 2.0 * behind_x + chain.back[j] * force[j, X] - chain.share[j] * sum_x
        y = 2.0 * behind_y + chain.back[j] * force[j, Y] - chain.share[j] * sum_y
        out[j] += chain.half[j] * (cos[j] * y - sin[j] * x)
        behind_x += force[j, X]
        behind_y += force[j, Y]


@inlined
def inertia_and_bias(
    coupling: FloatArray,
    inertia: FloatArray,
    cos: FloatArray,
    sin: FloatArray,
    omega: FloatArray,
    matrix: FloatArray,
    bias: FloatArray,
) -> None:
    """Block of the angles of the mass matrix and of C x' (P4 (11)), in the coordinates (theta_1 ... theta_n, p).

    M_ij = J_i delta_ij + coupling_ij cos(theta_i - theta_j), (C x')_i = sum_j coupling_ij
    sin(theta_i - theta_j) omega_j^2. The centre of mass is not coupled to any angle; its block is
    the total mass.

    Parameters
    ----------
    coupling : (n, n)
        sum_k m_k l_i K_ki l_j K_kj, kg m^2.
    inertia : (n,)
        J of the links, kg m^2.
    cos, sin : (n,)
    omega : (n or more,)
        Angular velocities of the links, rad/s.
    matrix, bias : (n, n), (n,)
        Filled: kg m^2, N m.
    """
    n = cos.shape[0]
    for i in range(n):
        turning = 0.0
        for j in range(n):
            matrix[i, j] = coupling[i, j] * (cos[i] * cos[j] + sin[i] * sin[j])
            turning += coupling[i, j] * (sin[i] * cos[j] - cos[i] * sin[j]) * omega[j] * omega[j]
        matrix[i, i] = inertia[i] + coupling[i, i]
        bias[i] = turning
