"""Gap functions between links and obstacles in the plane."""

from __future__ import annotations

import math

from snakestudio.kernels._jit import inlined

__all__ = ["stadium_circle", "stadium_touches"]


@inlined
def stadium_circle(
    x: float, y: float, cos: float, sin: float, half: float, radius: float, circle_x: float, circle_y: float,
    circle_radius: float,
) -> tuple[float, float, float, float, float]:  # fmt: skip
    """Gap between a link (rectangle with a semicircle at either end) and a circle (P2 (8)-(10), (14), (16)).

    Both kinds of gap function of the paper are one: the circle's centre is compared with the nearest point
    C = G + lever e of the segment of length 2 `half`.

    Parameters
    ----------
    x, y, cos, sin : float
        Centre of gravity of the link, m, and direction of its axis.
    half, radius : float
        Half the segment's length L_GS and the radius L_SC of the link, m.
    circle_x, circle_y, circle_radius : float
        The obstacle, m.

    Returns
    -------
    gap : float
        m, positive if open.
    normal_x, normal_y : float
        From the obstacle to the link; the force direction w_H is (normal_x, normal_y, arm).
    arm : float
        Moment of the unit normal about the centre of gravity, m.
    lever : float
        Where C lies along the link, m.
    """
    dx = circle_x - x
    dy = circle_y - y
    lever = min(max(dx * cos + dy * sin, -half), half)
    rx = lever * cos - dx
    ry = lever * sin - dy
    distance = math.sqrt(rx * rx + ry * ry)
    if distance > 0.0:
        normal_x = rx / distance
        normal_y = ry / distance
    else:  # the obstacle's centre lies on the axis: push to the link's left
        normal_x = -sin
        normal_y = cos
    arm = lever * (cos * normal_y - sin * normal_x)
    return distance - (circle_radius + radius), normal_x, normal_y, arm, lever


@inlined
def stadium_touches(
    x: float, y: float, cos: float, sin: float, half: float, radius: float, circle_x: float, circle_y: float,
    circle_radius: float,
) -> bool:  # fmt: skip
    """Whether the gap of `stadium_circle` is closed (<= 0); cheap, for most candidates do not touch."""
    dx = circle_x - x
    dy = circle_y - y
    lever = min(max(dx * cos + dy * sin, -half), half)
    rx = lever * cos - dx
    ry = lever * sin - dy
    touch = circle_radius + radius
    return rx * rx + ry * ry <= touch * touch
