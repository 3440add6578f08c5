"""Proximal points of the admissible sets of the force laws (P2 (53)), and natural maps built from them."""

from __future__ import annotations

import math

from snakestudio.kernels._jit import inlined

AT_LIMIT = 1.0 + 1e-9
"""Friction up to this multiple of its limit counts as sticking, so that rounding does not decide
exactly at the limit."""


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
    """Violation of a unilateral law: |P - prox(P - r gamma)| (P2 (57)), N s."""
    return abs(impulse - prox_positive(impulse - prox_r * gamma))


@inlined
def natural_interval(impulse: float, gamma: float, prox_r: float, bound: float) -> float:
    """Violation of the friction law of an obstacle contact: |P - prox(P - r gamma)|, N s."""
    return abs(impulse - prox_interval(impulse - prox_r * gamma, bound))


@inlined
def natural_bounded(impulse: float, gamma: float, prox_r: float, low: float, high: float) -> float:
    """Violation of the law of a joint axis: |P - prox(P - r gamma)| for the interval [low, high], N m s."""
    point = impulse - prox_r * gamma
    if point < low:
        point = low
    elif point > high:
        point = high
    return abs(impulse - point)


@inlined
def natural_disc(
    impulse_1: float, impulse_2: float, gamma_1: float, gamma_2: float, prox_r: float, radius: float
) -> float:
    """Violation of a friction law: |P - prox(P - r gamma)| (P2 (58)), N s."""
    near_1, near_2 = prox_disc(impulse_1 - prox_r * gamma_1, impulse_2 - prox_r * gamma_2, radius)
    return math.sqrt((impulse_1 - near_1) ** 2 + (impulse_2 - near_2) ** 2)


@inlined
def halves(
    impulse: float, gamma: float, prox_r: float, plus: float, minus: float
) -> tuple[float, float]:
    """Friction impulse along, in the coordinates of the disc, P_s, and the point P_s - r gamma_s there, N s.

    The reservoir of direction-dependent friction consists of two half ellipses, joined where the
    force along is 0: P_1 reaches `plus` times the load towards +axis and `minus` times the load
    towards -axis. With P_s = P_1 / plus or P_1 / minus both become one disc, and with gamma_s =
    `plus` or `minus` times gamma on the same side, the normal cone of the reservoir becomes that of
    the disc. A point that crosses to the other side continues in the scale of that side, which is 0
    if it has no friction.

    Parameters
    ----------
    impulse, gamma : float
        Impulse along, N s, and relative velocity along in the scale of the larger coefficient, m/s.
    prox_r : float
        r, kg.
    plus, minus : float
        Shares of the larger coefficient that forces towards +axis and -axis can reach, 0 to 1.
    """
    towards_plus = impulse > 0.0 or (impulse == 0.0 and gamma < 0.0)
    own, other = (plus, minus) if towards_plus else (minus, plus)
    if (
        own == 0.0
    ):  # the impulse has to vanish; one on the other side begins where the link is slid that way
        point = -prox_r * other * gamma
        begins = point < 0.0 if towards_plus else point > 0.0
        return (impulse / other, point) if begins else (impulse, 0.0)
    scaled = impulse / own
    point = scaled - prox_r * own * gamma
    crosses = point < 0.0 if towards_plus else point > 0.0
    if crosses:
        point *= other / own
    return scaled, point


@inlined
def natural_halves(
    impulse_1: float,
    impulse_2: float,
    gamma_1: float,
    gamma_2: float,
    prox_r: float,
    radius: float,
    plus: float,
    minus: float,
) -> float:
    """Violation of friction with shares `plus` and `minus` (see `halves`), as in `natural_disc`."""
    scaled, point = halves(impulse_1, gamma_1, prox_r, plus, minus)
    near_1, near_2 = prox_disc(point, impulse_2 - prox_r * gamma_2, radius)
    return math.sqrt((scaled - near_1) ** 2 + (impulse_2 - near_2) ** 2)
