"""Joint angles of a chain of links under a strain law: the integral of the curvature around each joint."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.robot.joint_axes import in_a_row
from snakestudio.model.robot.robot import Axis
from snakestudio.model.robot.strain_law import StrainLaw


def joint_motion(
    law: StrainLaw, length: float, n: int, axes: tuple[Axis, ...], time: FloatArray, nodes: int = 3
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Angles of the joints of n links along a body, and two derivatives, each (k, m); rad, s. Roll axes stay 0.

    Joint j is at X = j h with h = l / n; its yaw is the integral of K_Z from X - h/2 to X + h/2,
    its pitch that of K_Y, by Gauss's rule. A positive K_Y turns t_X downwards, as a positive pitch
    lowers the next link.

    Parameters
    ----------
    length : float
        l, m.
    n : int
        Number of links.
    axes : tuple of Axis
        Axes of the joints.
    time : (k,) array
        s.
    nodes : int
        Number of points of Gauss's rule.
    """
    places, weights = np.polynomial.legendre.leggauss(nodes)
    h = length / n
    points = h * np.arange(1, n)[:, None] + 0.5 * h * places
    field = law.at(time, points.ravel())
    parts = (field.strain, field.rate, field.acceleration)
    shape = (len(time), n - 1, nodes, 6)
    bends = (np.einsum("kjqe,q->kje", part.reshape(shape), 0.5 * h * weights) for part in parts)
    angle, rate, acceleration = (
        in_a_row({"yaw": part[:, :, 5], "pitch": part[:, :, 4]}, axes) for part in bends
    )
    return angle, rate, acceleration
