"""Coefficients of friction on the ground in the form of the contact solver, from three coefficients per link."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import jit
from snakestudio.kernels.planar_problem import (
    AGAINST,
    B_1,
    B_2,
    CURVE,
    EPSILON,
    FORCE_1,
    FORCE_2,
    HOLD_1,
    HOLD_2,
    LAW_WIDTH,
    PROX,
    PUSH_1,
    PUSH_2,
    RATE_1,
    RATE_2,
    SOFT,
    UNIT_VELOCITY,
    WITH,
)

LEAST = 1e-6
LEAST_SIDE = 1e-3
"""Under the law of the unit velocity all coefficients of a link are at least LEAST times its
largest one, and either coefficient along is at least LEAST_SIDE times the larger one along: the
sign of the impulse along indicates the direction of slip, even where the force is 0."""


@jit
def fill_law(
    law: FloatArray, k: int, mass: float, plus: float, minus: float, across: float, kind: int
) -> None:
    """Fill row k of `ChainProblem.law` from coefficients for a force along the link's axis, against it, and across."""
    rough = max(plus, minus, across)
    for i in range(LAW_WIDTH):
        law[k, i] = 0.0
    law[k, WITH] = law[k, AGAINST] = 1.0
    if rough <= 0.0:
        return
    if kind == UNIT_VELOCITY:
        least = LEAST * rough
        plus, minus, across = (
            max(plus, least, LEAST_SIDE * minus),
            max(minus, least, LEAST_SIDE * plus),
            max(across, least),
        )
    along = max(plus, minus)
    stiff = mass / EPSILON
    law[k, FORCE_1] = along
    law[k, FORCE_2] = across
    law[k, RATE_1] = rough if kind == UNIT_VELOCITY else along
    law[k, RATE_2] = rough if kind == UNIT_VELOCITY else across
    law[k, PROX] = mass / (rough * rough)
    law[k, SOFT] = rough * rough / stiff
    law[k, CURVE] = rough * rough / mass
    if along > 0.0:
        law[k, HOLD_1] = stiff
        law[k, PUSH_1] = stiff / law[k, RATE_1]
        law[k, B_1] = stiff / (law[k, RATE_1] * along)
        law[k, WITH] = plus / along
        law[k, AGAINST] = minus / along
    if across > 0.0:
        law[k, HOLD_2] = stiff
        law[k, PUSH_2] = stiff / law[k, RATE_2]
        law[k, B_2] = stiff / (law[k, RATE_2] * across)


def law_table(mass: FloatArray, friction: FloatArray, kind: int) -> FloatArray:
    """`ChainProblem.law` of links with masses (n,), kg, and coefficients (n, 3), as for `fill_law`."""
    table = np.zeros((len(mass), LAW_WIDTH))
    for k, (plus, minus, across) in enumerate(friction):
        fill_law(table, k, mass[k], plus, minus, across, kind)
    return table


def coefficients(law: FloatArray) -> FloatArray:
    """Coefficients (n, 3) from which `law_table` made a table (raised to its minimum)."""
    along = law[:, [FORCE_1]] * law[:, [WITH, AGAINST]]
    return np.column_stack([along, law[:, FORCE_2]])
