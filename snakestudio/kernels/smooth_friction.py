"""Coulomb friction of a sliding body, smoothed near rest, by three laws.

With N the load, v the sliding velocity along (t) and across (n) the body, and mu_t the coefficient
of the sliding direction (forward or backward):

- components: each direction separately, -N mu_i s(v_i);
- ellipse: the force on the ellipse with semi-axes N mu_i that dissipates most, -N D^2 v / |D v|
  with D = diag(mu_i);
- unit velocity: -N (mu_t u_t t + mu_n u_n n) with u = v / |v|.

Smoothing replaces x / |x| by x / sqrt(|x|^2 + eps^2), or x tanh(|x| / eps) / |x|. For this, the
ellipse law scales D by its largest entry, so that eps is a velocity under all laws, and with equal
coefficients the last two laws are the same.
"""

from __future__ import annotations

import math

from snakestudio.kernels._jit import inlined

LAWS = ("components", "ellipse", "unit_velocity")
"""Names in scenes, in the order of their numbers."""

COMPONENTS, ELLIPSE, UNIT_VELOCITY = range(3)

AHEAD, BEHIND, ACROSS = range(3)
"""Columns of the largest friction forces: for sliding along +t, along -t, and across."""

LN2_HEAD = 6.93147180369123816490e-01
LN2_TAIL = 1.90821492927058770002e-10
"""Sum ln 2; the first has so few bits that its products with small integers are exact."""
ROUND = 6755399441055744.0
"""1.5 * 2^52: adding and subtracting it rounds to the nearest integer."""


@inlined
def tanh(x: float) -> float:
    """Hyperbolic tangent, E / (E + 2) with E = exp(2 |x|) - 1; to two units in the last place, on all machines.

    The library function has different last bits on processors with fused multiply-add.
    """
    twice = min(2.0 * abs(x), 40.0)  # beyond that it is 1
    k = (twice / LN2_HEAD + ROUND) - ROUND
    r = (twice - k * LN2_HEAD) - k * LN2_TAIL
    # exp(r) - 1 by its series, |r| <= ln(2) / 2: the relative error of truncation is below 1e-18.
    e = 1.0
    for i in range(14, 1, -1):
        e = 1.0 + e * r / i
    power = math.ldexp(1.0, int(k))
    grown = power * (e * r) + (power - 1.0)
    return math.copysign(grown / (grown + 2.0), x)


@inlined
def _saturated(square: float, eps: float, by_tanh: bool) -> float:
    """Factor that turns a vector with this squared length into its smoothed direction."""
    if not by_tanh:
        return 1.0 / math.sqrt(square + eps * eps)
    length = math.sqrt(square)
    return tanh(length / eps) / length if length > 1e-9 * eps else 1.0 / eps


@inlined
def smooth_friction(
    law: int,
    by_tanh: bool,
    eps: float,
    ahead: float,
    behind: float,
    side: float,
    along: float,
    across: float,
) -> tuple[float, float]:
    """Friction along and across a body that slides with `along`, `across`; N if the largest forces are in N.

    Parameters
    ----------
    law : int
        `COMPONENTS`, `ELLIPSE` or `UNIT_VELOCITY`.
    by_tanh : bool
        Use tanh(v / eps) instead of v / sqrt(v^2 + eps^2).
    eps : float
        m/s.
    ahead, behind, side : float
        Largest friction for sliding along +t, along -t, and across.
    along, across : float
        Sliding velocity, m/s.
    """
    most = ahead if along >= 0.0 else behind
    if law == COMPONENTS:
        if by_tanh:
            return -most * tanh(along / eps), -side * tanh(across / eps)
        eps2 = eps * eps
        return (
            -most * along / math.sqrt(along * along + eps2),
            -side * across / math.sqrt(across * across + eps2),
        )
    if law == UNIT_VELOCITY:
        unit = _saturated(along * along + across * across, eps, by_tanh)
        return -most * along * unit, -side * across * unit
    largest = max(ahead, max(behind, side))
    if largest <= 0.0:
        return 0.0, 0.0
    t, n = most / largest, side / largest
    scaled_t, scaled_n = t * along, n * across
    unit = _saturated(scaled_t * scaled_t + scaled_n * scaled_n, eps, by_tanh)
    return -most * scaled_t * unit, -side * scaled_n * unit
