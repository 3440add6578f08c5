"""What the ground is like under a link: patches of friction of their own, and factors given by formulas."""

from __future__ import annotations

from typing import NamedTuple

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import jit
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.formula_program import evaluate_program

__all__ = ["GroundMap", "friction_scale", "load_scale", "load_scale_at", "patch_under"]

# Columns of GroundMap.patches.
LOW_X, LOW_Y, HIGH_X, HIGH_Y, FIRST, BEHIND = range(6)

# Columns of the last axis of GroundMap.friction.
WITH_AXIS, AGAINST_AXIS, SIDEWAYS = range(3)


class GroundMap(NamedTuple):
    """The ground as a function of place and time, for n links and p patches.

    Attributes
    ----------
    friction : (1 + p, n, 3)
        Coefficients of every link beside all patches [0] and on each of them, for a force along its axis, against it,
        and across.
    patches : (p, 6)
        Box around every patch, and its first corner and the one behind its last in `corners`.
    corners : (any, 2)
        Of all patches, m.
    position : (n,)
        Of the links along the body, from the head, m.
    load, factor : (m, 4)
        Programs of the load's factor (of X and t) and of the friction's (of t, x and y); of length 0 where it is 1.
    """

    friction: FloatArray
    patches: FloatArray
    corners: FloatArray
    position: FloatArray
    load: FloatArray
    factor: FloatArray


@jit
def patch_under(ground: GroundMap, x: float, y: float) -> int:
    """Line of `ground.friction` that holds at a point: 1 + the last patch that it lies in, or 0."""
    corners = ground.corners
    n: int = ground.patches.shape[0]
    for i in range(n):
        p = n - 1 - i
        box = ground.patches[p]
        if not (box[LOW_X] <= x <= box[HIGH_X] and box[LOW_Y] <= y <= box[HIGH_Y]):
            continue
        inside = False
        last = int(box[BEHIND]) - 1
        for j in range(int(box[FIRST]), int(box[BEHIND])):
            # Whether the edge crosses the ray from the point to x = inf.
            if (corners[j, Y] > y) != (corners[last, Y] > y):
                share = (y - corners[j, Y]) / (corners[last, Y] - corners[j, Y])
                if x < corners[j, X] + share * (corners[last, X] - corners[j, X]):
                    inside = not inside
            last = j
        if inside:
            return p + 1
    return 0


@jit
def load_scale(ground: GroundMap, k: int, time: float) -> float:
    """What the load of link `k` is multiplied by (not a number where the formula has no value)."""
    return load_scale_at(ground, ground.position[k], time)


@jit
def load_scale_at(ground: GroundMap, position: float, time: float) -> float:
    """What the load is multiplied by at a position along the body, m (not a number where the formula has no value)."""
    if ground.load.shape[0] == 0:
        return 1.0
    value = evaluate_program(ground.load, position, time, 0.0)
    return 0.0 if value < 0.0 else value


@jit
def friction_scale(ground: GroundMap, time: float, x: float, y: float) -> float:
    """What friction coefficients are multiplied by at a point (not a number where the formula has no value)."""
    if ground.factor.shape[0] == 0:
        return 1.0
    value = evaluate_program(ground.factor, time, x, y)
    return 0.0 if value < 0.0 else value
