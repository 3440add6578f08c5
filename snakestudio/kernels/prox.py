"""Proximal points of the admissible sets of the force laws (P2 (53)) and the natural maps built from them."""

from __future__ import annotations

import math

from snakestudio.kernels._jit import inlined

__all__ = [
    "AT_LIMIT",
    "natural_disc",
    "natural_interval",
    "natural_positive",
    "prox_disc",
    "prox_interval",
    "prox_positive",
]

AT_LIMIT = 1.0 + 1e-9
"""Friction up to so many times its limit counts as sticking: of one just at its limit, rounding must not decide."""


@inlined
def prox_positive(x: float) -> float:
    """Point of C = {x >= 0} (P2 (45)) nearest to `x`."""
    return x if x > 0.0 else 0.0


@inlined
def prox_interval(x: float, bound: float) -> float:
    """Point of C_T = [-bound, bound] nearest to `x`."""
    return min(max(x, -bound), bound)


@inlined
def prox_disc(x: float, y: float, radius: float) -> tuple[float, float]:
    """Point of the disc of `radius` (P2 (50), and (52) in scaled coordinates) nearest to (`x`, `y`)."""
    norm = math.sqrt(x * x + y * y)
    if norm <= radius:
        return x, y
    scale = radius / norm
    return x * scale, y * scale


@inlined
def natural_positive(impulse: float, gamma: float, prox_r: float) -> float:
    """How far a unilateral law is from being satisfied: |P - prox(P - r gamma)| (P2 (57)), N s."""
    return abs(impulse - prox_positive(impulse - prox_r * gamma))


@inlined
def natural_interval(impulse: float, gamma: float, prox_r: float, bound: float) -> float:
    """How far the friction of an obstacle contact is from being satisfied: |P - prox(P - r gamma)|, N s."""
    return abs(impulse - prox_interval(impulse - prox_r * gamma, bound))


@inlined
def natural_disc(
    impulse_1: float, impulse_2: float, gamma_1: float, gamma_2: float, prox_r: float, radius: float
) -> float:
    """How far a friction law is from being satisfied: |P - prox(P - r gamma)| (P2 (58)), N s."""
    near_1, near_2 = prox_disc(impulse_1 - prox_r * gamma_1, impulse_2 - prox_r * gamma_2, radius)
    return math.sqrt((impulse_1 - near_1) ** 2 + (impulse_2 - near_2) ** 2)
