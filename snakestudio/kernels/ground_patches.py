"""Properties of the ground under a link: patches of friction, and factors from formulas and an image."""

from __future__ import annotations

from typing import NamedTuple

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import jit
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.formula_program import evaluate_program

# Columns of GroundMap.patches.
LOW_X, LOW_Y, HIGH_X, HIGH_Y, FIRST, BEHIND = range(6)

# Entries of GroundMap.frame.
MIDDLE_X, MIDDLE_Y, COS, SIN, DENSITY, BLACK, WHITE = range(7)

# Columns of the last axis of GroundMap.friction.
WITH_AXIS, AGAINST_AXIS, SIDEWAYS = range(3)


class GroundMap(NamedTuple):
    """The ground as a function of position and time, for n links and p patches."""

    friction: FloatArray
    """Friction coefficients of every link outside all patches [0] and on each patch, for a force
    along its axis, against it, and across."""

    patches: FloatArray
    """Bounding box of every patch, and the half-open range of its corners in `corners`."""

    corners: FloatArray
    """Corners of all patches, m."""

    position: FloatArray
    """Positions of the links along the body, from the head, m."""

    load: FloatArray
    """Program of the factor of the load, of X and t; of length 0 if it is 1."""

    factor: FloatArray
    """Program of the factor of friction, of t, x and y; of length 0 if it is 1."""

    picture: FloatArray
    """Grey values, 0 to 1, of the image that multiplies the friction, first row at its lower edge;
    (0, 0) without an image."""

    frame: FloatArray
    """Middle of the image, m, cosine and sine of its yaw, pixels per length, 1/m, and the factors
    of black and white."""


@jit
def patch_under(ground: GroundMap, x: float, y: float) -> int:
    """Row of `ground.friction` that applies at a point: 1 + the last patch that contains it, or 0."""
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
    """Factor of the load of link `k` (NaN where the formula is undefined)."""
    return load_scale_at(ground, ground.position[k], time)


@jit
def load_scale_at(ground: GroundMap, position: float, time: float) -> float:
    """Factor of the load at a position along the body, m (NaN where the formula is undefined)."""
    if ground.load.shape[0] == 0:
        return 1.0
    value = evaluate_program(ground.load, position, time, 0.0)
    return 0.0 if value < 0.0 else value


@jit
def friction_scale(ground: GroundMap, time: float, x: float, y: float) -> float:
    """Factor of friction coefficients at a point (NaN where the formula is undefined)."""
    value = 1.0
    if ground.factor.shape[0] > 0:
        value = evaluate_program(ground.factor, time, x, y)
        if value < 0.0:
            value = 0.0
    if ground.picture.shape[0] > 0:
        value *= _picture_scale(ground.picture, ground.frame, x, y)
    return value


@jit
def _picture_scale(picture: FloatArray, frame: FloatArray, x: float, y: float) -> float:
    """Factor of an image at a point: bilinear between the centres of its pixels, 1 outside it."""
    ny, nx = picture.shape
    dx, dy = x - frame[MIDDLE_X], y - frame[MIDDLE_Y]
    # In pixels from the lower left corner of the image.
    u = frame[DENSITY] * (frame[COS] * dx + frame[SIN] * dy) + 0.5 * nx
    v = frame[DENSITY] * (frame[COS] * dy - frame[SIN] * dx) + 0.5 * ny
    if not (0.0 <= u <= nx and 0.0 <= v <= ny):
        return 1.0
    u, v = min(max(u - 0.5, 0.0), nx - 1.0), min(max(v - 0.5, 0.0), ny - 1.0)
    i, j = min(int(u), nx - 2), min(int(v), ny - 2)
    u, v = u - i, v - j
    lower: float = (1.0 - u) * picture[j, i] + u * picture[j, i + 1]
    upper: float = (1.0 - u) * picture[j + 1, i] + u * picture[j + 1, i + 1]
    grey = (1.0 - v) * lower + v * upper
    return float(frame[BLACK] + (frame[WHITE] - frame[BLACK]) * grey)
