"""Line-of-sight guidance: which heading leads onto a path; pure geometry, for anything that has a heading.

The law is T. I. Fossen's (Handbook of Marine Craft Hydrodynamics and Motion Control, Wiley, 2011,
10.3): head for the point of the path's tangent a look-ahead distance in front of the nearest point
of the path. P. Liljebäck, I. U. Haugstuen and K. Y. Pettersen (Path following control of planar
snake robots using a cascaded approach, IEEE Transactions on Control Systems Technology 20, 2012)
show for snake robots and straight lines that it converges. The integral is that of E. Børhaug, A.
Pavlov and K. Y. Pettersen (Integral LOS control for path following of underactuated marine surface
vessels in the presence of constant ocean currents, IEEE CDC, 2008).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.track import Track


class PathProjection(NamedTuple):
    """Where a point is, seen from a path."""

    along: float
    """Nearest place of the path, as its length from the start, m."""

    cross: float
    """Distance to the left of the path there, m."""

    point: FloatArray
    """That place, m. Shape (2,)."""

    direction: float
    """Direction of the path there, rad in (-pi, pi]."""

    curvature: float = 0.0
    """Of the path there, 1/m, positive to the left."""

    def ahead(self, distance: float) -> FloatArray:
        """The point of the tangent `distance` (m) ahead of the nearest place, (2,), m."""
        return np.array(self.ahead_xy(distance))

    def ahead_xy(self, distance: float) -> tuple[float, float]:
        """The coordinates of `ahead`, m."""
        x, y = self.point.tolist()
        return x + distance * math.cos(self.direction), y + distance * math.sin(self.direction)


def projected(
    track: Track, point: FloatArray, before: float | None, reach: float
) -> PathProjection:
    """`point` ((2,), m) seen from a path.

    Parameters
    ----------
    point : (2,) array
        m.
    before : float or None
        Nearest place the last time, m: the next is sought around it, so that a path that comes back
        to itself is followed to its end. None looks at all of it.
    reach : float
        How far around, m.
    """
    if before is None:
        before = track.nearest(point)
    along, (x, y, direction, curvature) = track.nearest_course(point, before, reach)
    px, py = point.tolist()
    cross = math.cos(direction) * (py - y) - math.sin(direction) * (px - x)
    return PathProjection(along, cross, np.array([x, y]), direction, curvature)


def heading_to(sight: PathProjection, look_ahead: float, shift: float = 0.0) -> float:
    """Heading that leads onto the path, rad, not wrapped.

    Parameters
    ----------
    look_ahead : float
        m.
    shift : float
        Added to the distance from the path, m: what the integral makes.
    """
    return sight.direction - math.atan2(sight.cross + shift, look_ahead)


def integral_rate(cross: float, look_ahead: float, shift: float) -> float:
    """Rate of the integral (times the integral gain: of `shift`), without unit.

    Far from the path it goes to 0, so that a long way to the path does not fill the integral.
    """
    return look_ahead * cross / ((cross + shift) ** 2 + look_ahead**2)
