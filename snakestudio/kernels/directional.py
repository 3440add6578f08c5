"""Natural maps of friction laws without a disc, for the residual: this code is independent of the solvers.

Impulses along the link are scaled by the larger coefficient of both directions; `plus` and `minus`
are the fractions of it that a force along the link's axis and one against it can reach.
"""

from __future__ import annotations

import math

from snakestudio.kernels._jit import inlined
from snakestudio.kernels.prox import natural_interval, prox_disc, prox_interval

Pair = tuple[float, float]
"""Components of a contact along and across the link."""


@inlined
def natural_unit_velocity(
    impulse: Pair, gamma: Pair, prox_r: float, radius: float, plus: float, minus: float
) -> float:
    """Violation of friction along the unit velocity, N s; `gamma` has the same scale for both axes."""
    impulse_1, impulse_2 = impulse
    gamma_1, gamma_2 = gamma
    held = impulse_1 / (plus if impulse_1 > 0.0 else minus)
    near_1, near_2 = prox_disc(held - prox_r * gamma_1, impulse_2 - prox_r * gamma_2, radius)
    near_1 *= plus if near_1 > 0.0 else minus
    return math.sqrt((impulse_1 - near_1) ** 2 + (impulse_2 - near_2) ** 2)


@inlined
def natural_box(
    impulse: Pair, gamma: Pair, prox_r: float, radius: float, plus: float, minus: float
) -> float:
    """Violation of friction that acts on each component separately, N s."""
    impulse_1, impulse_2 = impulse
    gamma_1, gamma_2 = gamma
    middle = 0.5 * radius * (plus - minus)
    half = 0.5 * radius * (plus + minus)
    near = middle + prox_interval(impulse_1 - prox_r * gamma_1 - middle, half)
    return math.hypot(impulse_1 - near, natural_interval(impulse_2, gamma_2, prox_r, radius))
