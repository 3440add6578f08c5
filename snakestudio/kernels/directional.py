"""Natural maps of friction laws that are more than one disc, for who judges a solution: this code knows no solver.

Impulses along are in the scale of the larger coefficient of both directions; `plus` and `minus` are the shares of it
that a force along the link's axis and one against it reach.
"""

from __future__ import annotations

import math

from snakestudio.kernels._jit import inlined
from snakestudio.kernels.prox import natural_interval, prox_disc, prox_interval

__all__ = ["natural_box", "natural_halves", "natural_unit_velocity"]


@inlined
def natural_halves(
    impulse_1: float, impulse_2: float, gamma_1: float, gamma_2: float, prox_r: float, radius: float, plus: float,
    minus: float,
) -> float:  # fmt: skip
    """How far friction whose reservoir is two half ellipses is from being satisfied, N s.

    With P_1 and gamma_1 in the scale of the side that the force is on, either half ellipse is half a disc with its
    normals; where the point P - r gamma leaves that side, it goes on in the scale of the other.
    """
    forward = impulse_1 > 0.0 or (impulse_1 == 0.0 and gamma_1 < 0.0)
    here = plus if forward else minus
    there = minus if forward else plus
    held = impulse_1
    point = 0.0
    if here > 0.0:
        held = impulse_1 / here
        point = held - prox_r * here * gamma_1
        if point * (1.0 if forward else -1.0) < 0.0:
            point *= there / here
    elif gamma_1 * (1.0 if forward else -1.0) > 0.0:
        point = -prox_r * there * gamma_1
    near_1, near_2 = prox_disc(point, impulse_2 - prox_r * gamma_2, radius)
    return math.sqrt((held - near_1) ** 2 + (impulse_2 - near_2) ** 2)


@inlined
def natural_unit_velocity(
    impulse_1: float, impulse_2: float, gamma_1: float, gamma_2: float, prox_r: float, radius: float, plus: float,
    minus: float,
) -> float:  # fmt: skip
    """How far friction along the unit velocity is from being satisfied, N s; `gamma` is in one scale for both axes."""
    held = impulse_1 / (plus if impulse_1 > 0.0 else minus)
    near_1, near_2 = prox_disc(held - prox_r * gamma_1, impulse_2 - prox_r * gamma_2, radius)
    near_1 *= plus if near_1 > 0.0 else minus
    return math.sqrt((impulse_1 - near_1) ** 2 + (impulse_2 - near_2) ** 2)


@inlined
def natural_box(
    impulse_1: float, impulse_2: float, gamma_1: float, gamma_2: float, prox_r: float, radius: float, plus: float,
    minus: float,
) -> float:  # fmt: skip
    """How far friction is from being satisfied that each component has by itself, N s."""
    middle, half = 0.5 * radius * (plus - minus), 0.5 * radius * (plus + minus)
    near = middle + prox_interval(impulse_1 - prox_r * gamma_1 - middle, half)
    return math.hypot(impulse_1 - near, natural_interval(impulse_2, gamma_2, prox_r, radius))
