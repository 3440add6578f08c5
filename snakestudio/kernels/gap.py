"""Gap functions between links and obstacles in the plane, and a bound on the speeds of links."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from snakestudio.kernels._jit import inlined


@inlined
def stadium_circle(
    x: float,
    y: float,
    cos: float,
    sin: float,
    half: float,
    radius: float,
    circle_x: float,
    circle_y: float,
    circle_radius: float,
) -> tuple[float, float, float, float, float]:
    """Gap between a link (rectangle with a semicircle at either end) and a circle (P2 (8)-(10), (14), (16)).

    Both gap functions of the paper are unified: the circle's centre is compared with the
    nearest point C = G + lever e of the segment of length 2 `half`.

    Parameters
    ----------
    x, y, cos, sin : float
        Centre of gravity of the link, m, and direction of its axis.
    half, radius : float
        Half the length of the segment, L_GS, and the radius of the link, L_SC, m.
    circle_x, circle_y, circle_radius : float
        The obstacle, m.

    Returns
    -------
    gap : float
        m, positive if open.
    normal_x, normal_y : float
        Unit vector from the obstacle to the link; the force direction w_H is (normal_x, normal_y,
        arm).
    arm : float
        Moment of the unit normal about the centre of gravity, m.
    lever : float
        Position of C along the link, m.
    """
    dx = circle_x - x
    dy = circle_y - y
    lever = min(max(dx * cos + dy * sin, -half), half)
    rx = lever * cos - dx
    ry = lever * sin - dy
    distance = math.sqrt(rx * rx + ry * ry)
    if distance > 1e-140:  # below, squares underflow
        normal_x = rx / distance
        normal_y = ry / distance
    else:  # the obstacle's centre is on the axis: push to the link's left
        normal_x = -sin
        normal_y = cos
    arm = lever * (cos * normal_y - sin * normal_x)
    return distance - (circle_radius + radius), normal_x, normal_y, arm, lever


@inlined
def stadium_touches(
    x: float,
    y: float,
    cos: float,
    sin: float,
    half: float,
    radius: float,
    circle_x: float,
    circle_y: float,
    circle_radius: float,
) -> bool:
    """Whether the gap of `stadium_circle` is closed (<= 0): a fast test, since most candidates do not touch."""
    dx = circle_x - x
    dy = circle_y - y
    lever = min(max(dx * cos + dy * sin, -half), half)
    rx = lever * cos - dx
    ry = lever * sin - dy
    touch = circle_radius + radius
    return rx * rx + ry * ry <= touch * touch


@inlined
def point_rectangle(x: float, y: float, half_x: float, half_y: float) -> tuple[float, float, float]:
    """Distance of a point from a rectangle about the origin, negative inside, and the direction (unit vector)."""
    out_x = abs(x) - half_x
    out_y = abs(y) - half_y
    side_x = 1.0 if x >= 0.0 else -1.0
    side_y = 1.0 if y >= 0.0 else -1.0
    distance = math.sqrt(out_x * out_x + out_y * out_y)
    if out_x > 0.0 and out_y > 0.0 and distance > 0.0:
        return distance, side_x * out_x / distance, side_y * out_y / distance
    if out_x > out_y:
        return out_x, side_x, 0.0
    return out_y, 0.0, side_y


@inlined
def stadium_rectangle(
    feature: int,
    x: float,
    y: float,
    cos: float,
    sin: float,
    half: float,
    radius: float,
    half_x: float,
    half_y: float,
) -> tuple[float, float, float, float, float]:
    """Gap between one feature of a link and a rectangle about the origin.

    A link is outside a rectangle if neither end of its segment is nearer to the rectangle than
    `radius` and no corner of the rectangle is nearer to the segment. Each of these is a separate
    contact if its gap is closed. A link along a wall therefore touches it at both ends, and one
    across the end of a wall touches it at one end and at the corner, and no contact opens or closes
    because of rounding.

    Parameters
    ----------
    feature : int
        0 and 1: the rear and the front end of the segment; 2 to 5: a corner of the rectangle.
    x, y, cos, sin, half, radius : float
        The link as in `stadium_circle`, in the frame of the rectangle.
    half_x, half_y : float
        Half sizes of the rectangle, m.

    Returns
    -------
    gap, normal_x, normal_y, arm, lever : float
        As in `stadium_circle`; the gap is inf for a corner whose nearest point on the segment is an
        end, and for the second end of a segment of zero length.
    """
    if feature < 2:
        lever = half if feature == 1 else -half
        distance, normal_x, normal_y = point_rectangle(
            x + lever * cos, y + lever * sin, half_x, half_y
        )
        if feature == 1 and half == 0.0:
            distance = math.inf
    else:
        dx = (half_x if feature == 2 or feature == 5 else -half_x) - x
        dy = (half_y if feature < 4 else -half_y) - y
        lever = dx * cos + dy * sin
        offset = dy * cos - dx * sin  # of the corner to the left of the link
        distance = abs(offset) if -half < lever and lever < half else math.inf
        side = 1.0 if offset <= 0.0 else -1.0
        normal_x = -sin * side
        normal_y = cos * side
    return distance - radius, normal_x, normal_y, lever * (cos * normal_y - sin * normal_x), lever


@inlined
def end_speed(velocity: NDArray[np.float64], moves: int, lever: float) -> float:
    """Upper bound on the speed of all points of a link within `lever` (m) of its reference point, m/s.

    Parameters
    ----------
    velocity : (n, k)
        Velocities of the links' reference points in the first `moves` columns, m/s, then angular
        velocities, rad/s.
    """
    fast = turning = 0.0
    for k in range(velocity.shape[0]):
        own = turn = 0.0
        for a in range(velocity.shape[1]):
            square = velocity[k, a] * velocity[k, a]
            if a < moves:
                own += square
            else:
                turn += square
        fast = max(fast, own)
        turning = max(turning, turn)
    return math.sqrt(fast) + lever * math.sqrt(turning)
